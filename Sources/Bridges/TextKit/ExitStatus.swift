/// Exit codes of the commands: the one table for the whole program.
public enum ExitStatus: Int32, Hashable, Sendable, CaseIterable {
    case done = 0
    case documentsFailed = 1
    case refused = 3
    case notEvaluated = 4
    case usage = 64
    case inputRejected = 65
    case inputNotOpened = 66
    case targetUnusable = 69
    case unbalanced = 70
    case exhausted = 71
    case outputNotCreated = 73
    case inputOutput = 74
    case incomplete = 75
    case permission = 77
    case configuration = 78
    case interrupted = 130
    case terminated = 143

    /// Statuses by precedence: if several apply, the first one counts.
    ///
    /// Statuses that stop a command before it begins come alone.
    public static let precedence: [ExitStatus] = [
        .usage, .inputNotOpened, .refused,
        .unbalanced, .exhausted, .inputOutput, .outputNotCreated, .permission, .configuration, .targetUnusable,
        .terminated, .interrupted, .incomplete, .inputRejected, .documentsFailed, .notEvaluated, .done,
    ]

    /// Returns the status that takes precedence; `done` if there are none.
    public static func first(of several: some Collection<ExitStatus>) -> ExitStatus {
        precedence.first { several.contains($0) } ?? .done
    }

    /// Meaning of the exit code, as the table in the manual prints it.
    public var meaning: String {
        switch self {
        case .done: "Done, and nothing to report; also when there was nothing to do."
        case .documentsFailed:
            "Done, but some documents failed, findings are at or above --fail-on, what --fail-if names is so, or a "
                + "source and its collection differ."
        case .refused: "Refused by a guard before anything was sent."
        case .notEvaluated: "Analyzed, but not everything could be evaluated."
        case .usage: "The command line is wrong. Nothing was sent."
        case .inputRejected: "Some of the input was rejected; the rest was done."
        case .inputNotOpened: "An input cannot be opened. Nothing was sent."
        case .targetUnusable:
            "The target or a source is unusable: unreachable, not a database, not this engine, not whole."
        case .unbalanced: "The counts do not balance: a defect in this program."
        case .exhausted: "The system refuses memory, threads or open files."
        case .outputNotCreated: "An output cannot be created."
        case .inputOutput: "Reading or writing failed, or a disk is full."
        case .incomplete: "Incomplete; the last line says how to go on. Also: the store is locked by someone else."
        case .permission: "Credentials or permissions do not allow it."
        case .configuration: "Configuration: an unknown collection, an invalid name, a store that does not exist."
        case .interrupted: "Interrupted by Ctrl-C after a clean end; the last line says how to go on."
        case .terminated: "Ended by a signal after a clean end; the last line says how to go on."
        }
    }
}

/// An error that knows its exit status and what to do next.
public protocol AdvisedError: Error {
    /// The error for people: exit status, what happened, and what to do next.
    var failure: Failure { get }
}

/// A failure for people: its exit status, what happened, and what to do next.
public struct Failure: AdvisedError, Sendable {
    public let status: ExitStatus
    /// What happened, as a fragment that can follow a program's name.
    public let message: String
    /// What to do next; `nil` if there is no advice.
    public let advice: String?

    public init(_ status: ExitStatus, _ message: String, advice: String?) {
        self.status = status
        self.message = message
        self.advice = advice
    }

    /// Words any error: one that has no words of its own is a defect of the program.
    public init(_ error: any Error) {
        switch error {
        case let error as any AdvisedError: self = error.failure
        case is CancellationError: self.init(.interrupted, "interrupted", advice: "run it again")
        default: self.init(.unbalanced, "\(error)", advice: "please report this: it is a bug in this program")
        }
    }

    public var failure: Failure { self }
}
