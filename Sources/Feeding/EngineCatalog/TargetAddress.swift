public import ContentFeeding
public import EngineHTTP
import Spelling

/// Where an engine is: a scheme, and what that scheme makes of the rest.
public struct TargetAddress: Hashable, Sendable {
    /// Which engine, and where.
    public enum Location: Hashable, Sendable {
        /// A store in a file.
        case sqlite(path: String)
        case openSearch([NodeAddress])
        case elasticsearch([NodeAddress])
        case solr([NodeAddress])
    }

    public let location: Location

    public init(_ location: Location) { self.location = location }

    /// The files that the target consists of; none for one elsewhere.
    public var files: [String] {
        switch location {
        case .sqlite(let path): [path, path + "-wal", path + "-shm"]
        case .openSearch, .elasticsearch, .solr: []
        }
    }

    /// Reads an address such as `sqlite:/var/lib/fastctl/store.sqlite`.
    public init(_ text: String) throws(EngineError) {
        guard let colon = text.firstIndex(of: ":") else {
            throw EngineError(
                .missingTarget,
                "'\(text)' is no address of a target: it has no scheme",
                advice: text.isEmpty ? Self.supported : "for a file: sqlite:\(text)"
            )
        }
        let scheme = text[..<colon].lowercased()
        let rest = String(text[text.index(after: colon)...])
        guard scheme == "sqlite" else { throw Self.refusal(of: scheme) }
        guard !rest.isEmpty, !rest.utf8.contains(0) else {
            throw EngineError(.missingTarget, "'\(text)' names no file", advice: Self.supported)
        }
        location = .sqlite(path: rest)
    }

    private static let supported = "supported: sqlite:PATH"

    /// The schemes that later versions will open.
    private static let planned = [
        "opensearch+https", "opensearch+http", "elasticsearch+https", "elasticsearch+http", "solr+https", "solr+http",
        "distributor",
    ]

    private static func refusal(of scheme: String) -> EngineError {
        if planned.contains(scheme) {
            return EngineError(.unsupported, "this version can't open '\(scheme):' targets yet", advice: supported)
        }
        let nearest = scheme.nearest(in: ["sqlite"] + planned)
        let question = nearest.map { "did you mean '\($0):'? " } ?? ""
        return EngineError(.unsupported, "no engine is called '\(scheme)'", advice: question + supported)
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
}

extension TargetAddress {
    /// One scheme and one path for all: `https://a:9200,b:9200/prefix`.
    private static func text(of nodes: [NodeAddress]) -> String {
        guard let first = nodes.first else { return "" }
        let places = nodes.map { "\($0.host):\($0.port)" }.joined(separator: ",")
        return "\(first.scheme.rawValue)://\(places)\(first.path)"
    }
}
