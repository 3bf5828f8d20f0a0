public import ULSRows

/// The place where a request begins or ends in a log.
public struct RequestEdge: Sendable, Hashable {
    /// The kinds of edges.
    public enum Kind: Sendable {
        /// A row that begins and names a request: `Name=Request (GET:http://…)`, `Name=Timer Job x`.
        case beginning
        /// A row that leaves the scope of a request or a timer job: `Leaving Monitored Scope (Request (GET:…`.
        case end
        /// A row that names the user of a request: `Non-OAuth request. IsAuthenticated=True, UserIdentityName=…`.
        case identity
    }

    /// The information that the row gives about the request.
    public var kind: Kind
    /// The request.
    public var correlation: CorrelationID
    /// The time at which the row was written.
    public var time: LogTime
    /// The server that wrote the row, if the row or the file's name contains it.
    public var server: String?
    /// The name in a beginning or an identity: `Request (GET:http://…)`, `Timer Job x`, or a user; `nil` if there is
    /// none.
    ///
    /// An end has the name only if requests are counted.
    public var name: String?
    /// The duration of the request in microseconds; only an end has a duration, and only if requests are counted.
    public var duration: Int64?

    /// Creates an edge.
    public init(
        kind: Kind,
        correlation: CorrelationID,
        time: LogTime,
        server: String? = nil,
        name: String? = nil,
        duration: Int64? = nil
    ) {
        self.name = name
        self.duration = duration
        self.kind = kind
        self.correlation = correlation
        self.time = time
        self.server = server
    }
}

// MARK: - The edges of a unit

/// The edges of requests in a part of a log, in order.
///
/// There are several for each request, so that copying them, as an element of the collection, takes time; the methods
/// return single facts.
public struct RequestEdges: RandomAccessCollection, Sendable {
    /// The request of an edge, and the time and the server of its row.
    struct Place {
        let correlation: CorrelationID
        let time: LogTime
        /// The number of the server.
        let server: Int
    }

    private struct Entry {
        let kind: RequestEdge.Kind
        /// The number of the name; -1 if there is none.
        var name: Int32 = -1
        let place: Place
        var duration: Int64?
    }

    private var entries: [Entry] = []
    private var names: [String] = []
    /// The number of the latest name for each hash, because few users make many requests.
    private var recent: [Int32] = []
    /// The servers by number.
    var servers: [String?] = []

    private static let recentSize: UInt64 = 256
    private static let seed = HashSeed()

    /// Creates an empty collection.
    public init() {}

    /// Creates a collection of these edges.
    public init(_ edges: some Sequence<RequestEdge>) {
        for edge in edges {
            var entry = Entry(
                kind: edge.kind,
                place: Place(correlation: edge.correlation, time: edge.time, server: servers.count)
            )
            entry.duration = edge.duration
            if let name = edge.name { entry.name = number(adding: name) }
            entries.append(entry)
            servers.append(edge.server)
        }
    }

    /// The index of the first edge.
    public var startIndex: Int { 0 }
    /// The number of edges.
    public var endIndex: Int { entries.count }

    /// Returns a copy of an edge.
    public subscript(index: Int) -> RequestEdge {
        let entry = entries[index]
        return RequestEdge(
            kind: entry.kind,
            correlation: entry.place.correlation,
            time: entry.place.time,
            server: servers[entry.place.server],
            name: name(at: index),
            duration: entry.duration
        )
    }

    /// Returns the kind of an edge.
    public func kind(at index: Int) -> RequestEdge.Kind { entries[index].kind }

    /// Returns the request of an edge.
    public func correlation(at index: Int) -> CorrelationID { entries[index].place.correlation }

    /// Returns the name in an edge; `nil` if there is none.
    public func name(at index: Int) -> String? {
        let number = entries[index].name
        return number < 0 ? nil : names[Int(number)]
    }

    /// Adds the edge that a message states; the duration is read if `readsEnd`.
    ///
    /// - Returns: The number of bytes that the edge occupies.
    mutating func append(_ kind: RequestEdge.Kind, _ message: Span<UInt8>, readsEnd: Bool, _ place: Place) -> Int {
        var entry = Entry(kind: kind, place: place)
        var range = kind.name(in: message)
        if readsEnd, let scope = ScopeMessage.parse(message), case .leaving(let taken) = scope.kind {
            entry.duration = taken
            range = scope.name
        }
        if let range {
            let name = message.extracting(range)
            entry.name = kind == .identity ? recentNumber(of: name) : number(adding: String(copying: name))
        }
        entries.append(entry)
        return MemoryLayout<Entry>.stride + (kind == .beginning ? range?.count ?? 0 : 0)
    }

    /// Removes all edges; the servers remain.
    mutating func removeAll() {
        entries = []
        names = []
        recent = []
    }

    private mutating func number(adding name: String) -> Int32 {
        names.append(name)
        return Int32(names.count - 1)
    }

    private mutating func recentNumber(of name: Span<UInt8>) -> Int32 {
        if recent.isEmpty { recent = Array(repeating: -1, count: Int(Self.recentSize)) }
        let place = Int(Self.seed.hash(of: name) % Self.recentSize)
        let known = recent[place]
        if known >= 0, names[Int(known)].utf8.span.equals(name) { return known }
        recent[place] = number(adding: String(copying: name))
        return recent[place]
    }
}

// MARK: - The messages of edges

extension RequestEdge.Kind {
    /// Reads the edge from a message without padding; `nil` for most.
    ///
    /// The service writes exactly these words, with this capitalization. They may follow the mark of a forced row, and
    /// SharePoint 2016 and later write a colon: `Leaving Monitored Scope: (Request (…`.
    init?(_ message: Span<UInt8>) {
        var start = 0
        if !message.isEmpty, message[0] == UInt8(ascii: "[") { start = ForcedRowMark.parse(message)?.end ?? 0 }
        if message.hasBytes("Name=", at: start) {
            self = .beginning
            return
        }
        if message.hasBytes(Self.identityStart, at: start) {
            self = .identity
            return
        }
        guard message.hasBytes("Leaving Monitored Scope", at: start) else { return nil }
        let colon = start + 23
        let name = colon < message.count && message[colon] == UInt8(ascii: ":") ? colon + 1 : colon
        guard message.hasBytes(" (Request", at: name) || message.hasBytes(" (Timer Job", at: name) else { return nil }
        self = .end
    }

    private static let identityStart: StaticString = "Non-OAuth request. IsAuthenticated=True, UserIdentityName="
    /// The maximum length of a name, in bytes.
    private static let maximumName = 300

    /// Returns the place of the request, timer job or user that an edge names; `nil` for an end.
    func name(in message: Span<UInt8>) -> Range<Int>? {
        var start = 0
        if !message.isEmpty, message[0] == UInt8(ascii: "[") { start = ForcedRowMark.parse(message)?.end ?? 0 }
        switch self {
        case .end: return nil
        case .beginning:
            start += 5
            guard message.hasBytes("Request (", at: start) || message.hasBytes("Timer Job ", at: start) else {
                return nil
            }
            return Self.limited(start..<message.count)
        case .identity:
            start += Self.identityStart.utf8CodeUnitCount
            var end = start
            while end < message.count, message[end] != UInt8(ascii: ",") { end += 1 }
            return end > start ? Self.limited(start..<end) : nil
        }
    }

    private static func limited(_ name: Range<Int>) -> Range<Int> {
        name.lowerBound..<min(name.upperBound, name.lowerBound + maximumName)
    }
}

extension ByteWindow {
    /// Returns whether a message may be that of an edge, judging by a few of its bytes; most messages are not.
    ///
    /// The bytes examined beyond a short message are part of the row or of the window's slack.
    @inline(__always)
    func mayBeEdge(_ message: Range<Int>) -> Bool {
        let start = message.lowerBound
        switch self[start] {
        case UInt8(ascii: "N"): return self[start &+ 4] == UInt8(ascii: "=") || self[start &+ 3] == UInt8(ascii: "-")
        case UInt8(ascii: "L"):
            // Many kinds of scopes are left; here, the name of a request or a timer job must follow the parenthesis.
            let name = self[start &+ 25]
            return name == UInt8(ascii: "R") || name == UInt8(ascii: "T") || self[start &+ 23] == UInt8(ascii: ":")
        // The mark of a forced row, and padding.
        case UInt8(ascii: "["), 0x20, 0xC2: return true
        default: return false
        }
    }
}
