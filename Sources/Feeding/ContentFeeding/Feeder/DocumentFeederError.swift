/// Why a feeder did not take an operation, or did not wait to the end.
public struct DocumentFeederError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
        /// ``DocumentFeeder/close()`` was called before.
        case closed
        /// The engine, or a disk, made it stop.
        case stopped
        /// The deadline of the call has passed.
        case deadline
        /// The calling task was cancelled.
        case cancelled
    }

    public let code: Code
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    init(stopped reason: StopReason) {
        self.init(.stopped, reason.engineError.message)
    }
}

extension DocumentFeederError.Code {
    var explanation: String {
        switch self {
        case .closed: "the feeder is closed"
        case .stopped: "the feeder has stopped"
        case .deadline: "not everything was done in time; the status report says what is open"
        case .cancelled: "the waiting task was cancelled"
        }
    }
}
