/// Where one node of an engine answers.
public struct NodeAddress: Hashable, Sendable {
    public enum Scheme: String, Hashable, Sendable {
        case http
        case https
    }

    public let scheme: Scheme
    /// A name, an IPv4 address, or an IPv6 address in brackets.
    public let host: String
    public let port: Int
    /// The prefix of every path of the engine, as `/solr`; empty, or with a slash at its beginning and none at its end.
    public let path: String

    public init(scheme: Scheme, host: String, port: Int, path: String = "") {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
    }

    /// Whether what is sent there stays on this machine.
    public var isLoopback: Bool {
        // `127.0.0.1.example.org` is no address.
        let isIPv4 = host.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == 0x2E }
        return host.lowercased() == "localhost" || host == "[::1]" || isIPv4 && host.hasPrefix("127.")
    }
}

extension NodeAddress: CustomStringConvertible {
    /// The address as a URL.
    public var description: String { "\(scheme.rawValue)://\(host):\(port)\(path)" }
}
