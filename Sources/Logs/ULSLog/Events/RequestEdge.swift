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
        var start = 0
        if !message.isEmpty, message[0] == UInt8(ascii: "[") { start = ForcedRowMark.parse(message)?.end ?? 0 }
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
    /// Whether a message may be one of an edge, as far as a look at a few of its bytes tells: most are not.
    ///
    /// What is looked at behind a short message is of the row, or the window's slack.
    @inline(__always)
    func mayBeEdge(_ message: Range<Int>) -> Bool {
        let start = message.lowerBound
        switch self[start] {
        case UInt8(ascii: "N"): return self[start &+ 4] == UInt8(ascii: "=")
        case UInt8(ascii: "L"):
            // Scopes of many names are left: behind the bracket is that of a request or of a timer job.
            let name = self[start &+ 25]
            return name == UInt8(ascii: "R") || name == UInt8(ascii: "T") || self[start &+ 23] == UInt8(ascii: ":")
        // A mark of a row that was forced, and padding.
        case UInt8(ascii: "["), 0x20, 0xC2: return true
        default: return false
        }
    }
}
