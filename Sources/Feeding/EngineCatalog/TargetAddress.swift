public import ContentFeeding
public import EngineHTTP
import Spelling

/// The address of an engine: a scheme, and the rest as that scheme interprets it.
public struct TargetAddress: Hashable, Sendable {
    /// The engine and its location.
    public enum Location: Hashable, Sendable {
        /// A store in a file.
        case sqlite(path: String)
        case openSearch([NodeAddress])
        case elasticsearch([NodeAddress])
        case solr([NodeAddress])
    }

    /// Where the target is: a file, or nodes of an engine.
    public let location: Location

    /// Creates an address.
    public init(_ location: Location) { self.location = location }

    /// The files that the target consists of; none for a remote one.
    public var files: [String] {
        switch location {
        case .sqlite(let path): [path, path + "-wal", path + "-shm"]
        case .openSearch, .elasticsearch, .solr: []
        }
    }

    /// The servers that the address names; none for a store in a file.
    public var nodes: [NodeAddress] {
        switch location {
        case .sqlite: []
        case .openSearch(let nodes), .elasticsearch(let nodes), .solr(let nodes): nodes
        }
    }

    /// The longest address, in bytes.
    public static let maximumByteCount = 8192

    /// Parses an address such as `sqlite:/var/lib/fastctl/store.sqlite` or `opensearch+https://search:9200`.
    public init(_ text: String) throws(EngineError) {
        guard text.utf8.count <= Self.maximumByteCount else {
            throw EngineError(.missingTarget, "the target address is longer than \(Self.maximumByteCount) bytes")
        }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw EngineError(
                .missingTarget,
                "'\(text)' is not a valid target address: it has no scheme",
                advice: text.isEmpty ? Self.supported : "for a file: sqlite:\(text)"
            )
        }
        let scheme = text[..<colon].lowercased()
        let rest = String(text[text.utf8.index(after: colon)...])
        if scheme == "sqlite" {
            guard !rest.isEmpty, !rest.utf8.contains(0) else {
                throw EngineError(.missingTarget, "'\(text)' names no file", advice: Self.supported)
            }
            location = .sqlite(path: rest)
        } else {
            location = try Self.location(ofScheme: scheme, rest)
        }
    }

    static let supported =
        "supported: sqlite:PATH, opensearch+https://HOST:PORT, elasticsearch+https://HOST:PORT, solr+https://HOST:PORT"

    private static func location(ofScheme text: String, _ rest: String) throws(EngineError) -> Location {
        let parts = text.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
        guard let product = NodeScheme.Product(rawValue: String(parts[0])) else {
            throw NodeScheme.refusal(of: text, rest)
        }
        guard parts.count == 2, let scheme = NodeAddress.Scheme(rawValue: String(parts[1])) else {
            throw NodeScheme.refusal(of: product, rest)
        }
        let nodes = try NodeListReader(NodeScheme(product: product, scheme: scheme)).nodes(in: rest)
        return switch product {
        case .openSearch: .openSearch(nodes)
        case .elasticsearch: .elasticsearch(nodes)
        case .solr: .solr(nodes)
        }
    }
}

extension TargetAddress: CustomStringConvertible {
    public var description: String {
        switch location {
        case .sqlite(let path): "sqlite:\(path)"
        case .openSearch(let nodes): "opensearch+" + Self.text(of: nodes)
        case .elasticsearch(let nodes): "elasticsearch+" + Self.text(of: nodes)
        case .solr(let nodes): "solr+" + Self.text(of: nodes)
        }
    }

    /// Returns one scheme and one path for all nodes: `https://a:9200,b:9200/prefix`.
    private static func text(of nodes: [NodeAddress]) -> String {
        guard let first = nodes.first else { return "" }
        let places = nodes.map { "\($0.host):\($0.port)" }.joined(separator: ",")
        return "\(first.scheme.rawValue)://\(places)\(first.path)"
    }
}

extension TargetAddress {
    /// Returns the target to use if no option names one: `FASTCTL_TARGET`, else the embedded store under
    /// `XDG_DATA_HOME`, else under `HOME`.
    public static func standard(environment: [String: String]) throws(EngineError) -> TargetAddress {
        if let target = environment["FASTCTL_TARGET"], !target.isEmpty { return try TargetAddress(target) }
        // The XDG specification says that a relative path counts as not set.
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            return TargetAddress(.sqlite(path: data + "/fastctl/store.sqlite"))
        }
        guard let home = environment["HOME"], !home.isEmpty else {
            throw EngineError(
                .missingTarget,
                "no target was given, and without HOME there is nowhere to keep the embedded store",
                advice: "use --target sqlite:PATH"
            )
        }
        return TargetAddress(.sqlite(path: home + "/.local/share/fastctl/store.sqlite"))
    }
}
