/// The address of one node of an engine.
public struct NodeAddress: Hashable, Sendable {
    public enum Scheme: String, Hashable, Sendable {
        case http
        case https
    }

    public let scheme: Scheme
    /// A name, an IPv4 address, or an IPv6 address in brackets.
    public let host: String
    public let port: Int
    /// The prefix of all the engine's paths, such as `/solr`: empty, or with a leading slash and no trailing one.
    public let path: String

    public init(scheme: Scheme, host: String, port: Int, path: String = "") {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
    }

    /// Whether requests to it stay on this machine.
    public var isLoopback: Bool {
        // `127.0.0.1.example.org` is not an IP address.
        let isIPv4 = host.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == 0x2E }
        return host.lowercased() == "localhost" || host == "[::1]" || isIPv4 && host.hasPrefix("127.")
    }
}

extension NodeAddress: CustomStringConvertible {
    /// The address as a URL.
    public var description: String { "\(scheme.rawValue)://\(host):\(port)\(path)" }
}

/// The order in which nodes take turns; those that failed rest.
struct NodeRotation {
    typealias Instant = ContinuousClock.Instant

    /// The rest after a node's first failure; it doubles with each further failure in a row.
    fileprivate static let firstRest = Duration.seconds(1)
    fileprivate static let longestRest = Duration.seconds(30)

    private struct Rest {
        var failures = 0
        var end: Instant?
    }

    private var rests: [Rest]
    private var next = 0

    init(count: Int) { rests = Array(repeating: Rest(), count: count) }

    /// Returns the nodes to ask, in order: the healthy ones, each in turn first; if all rest, by the end of their
    /// rests.
    mutating func order(at now: Instant) -> [Int] {
        let inTurn = rests.indices.map { ($0 + next) % rests.count }
        next = (next + 1) % max(1, rests.count)
        let healthy = inTurn.filter { (rests[$0].end ?? now) <= now }
        guard healthy.isEmpty else { return healthy }
        return inTurn.sorted { (rests[$0].end ?? now) < (rests[$1].end ?? now) }
    }

    mutating func succeeded(_ node: Int) { rests[node] = Rest() }

    /// Starts a node's rest; several requests that fail together count as one failure.
    mutating func failed(_ node: Int, at now: Instant) {
        if let end = rests[node].end, end > now { return }
        let doublings = min(rests[node].failures, 5)
        rests[node].failures += 1
        rests[node].end = now + min(Self.firstRest * (1 << doublings), Self.longestRest)
    }
}
