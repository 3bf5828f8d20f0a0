/// Where a request begins or ends in a log.
public struct RequestEdge: Sendable, Hashable {
    /// Which of both it is.
    public enum Kind: Sendable {
        /// A row that names a request: `Name=Request (GET:http://…)`, `Name=Timer Job x`.
        case beginning
        /// A row that leaves the scope of a request or a timer job: `Leaving Monitored Scope (Request (GET:…`.
        case end
    }

    public var kind: Kind
    public var correlation: CorrelationID
    public var time: LogTime
    /// The server that wrote the row, where the row or the file's name says so.
    public var server: String?

    public init(kind: Kind, correlation: CorrelationID, time: LogTime, server: String? = nil) {
        self.kind = kind
        self.correlation = correlation
        self.time = time
        self.server = server
    }
}

extension RequestEdge.Kind {
    /// What a message without padding says of its request; `nil` for most.
    ///
    /// Words are as the service writes them, capitals too. A mark of a row that was forced may stand above them, and
    /// 2016 and later write a colon: `Leaving Monitored Scope: (Request (…`.
    init?(_ message: Span<UInt8>) {
        let start = ForcedRowMark.parse(message)?.end ?? 0
        if message.hasBytes("Name=", at: start) {
            self = .beginning
            return
        }
        guard message.hasBytes("Leaving Monitored Scope", at: start) else { return nil }
        let colon = start + 23
        let name = colon < message.count && message[colon] == UInt8(ascii: ":") ? colon + 1 : colon
        guard message.hasBytes(" (Request", at: name) || message.hasBytes(" (Timer Job", at: name) else { return nil }
        self = .end
    }
}

extension ByteWindow {
    /// Whether a record beginning or ending a request is possible, as far as a look at its message's first byte tells.
    @inline(__always)
    func mayBeEdge(_ message: Range<Int>) -> Bool {
        switch self[message.lowerBound] {
        // Padding, and the mark of a row that was forced.
        case UInt8(ascii: "N"), UInt8(ascii: "L"), UInt8(ascii: "["), 0x20, 0xC2: true
        default: false
        }
    }
}
