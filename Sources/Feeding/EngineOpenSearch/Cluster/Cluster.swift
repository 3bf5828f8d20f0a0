import ContentFeeding
import EngineHTTP

/// The nodes of one engine, and what is known of them.
struct Cluster: Sendable {
    let product: OpenSearchEngine.Product
    let connection: EngineConnection
    let requestTimeout: Duration
    /// `nil` where we may not ask.
    var version: EngineVersion?
    /// The largest body that the engine takes, in bytes.
    var bodyLimit = Self.defaultBodyLimit

    /// What `http.max_content_length` is where nobody changed it.
    static let defaultBodyLimit = 100 << 20

    init(_ product: OpenSearchEngine.Product, _ connection: EngineConnection, requestTimeout: Duration) {
        (self.product, self.connection, self.requestTimeout) = (product, connection, requestTimeout)
    }

    /// The engine's name as people write it.
    var name: String { Self.name(of: product) }

    static func name(of product: OpenSearchEngine.Product) -> String {
        switch product {
        case .openSearch: "OpenSearch"
        case .elasticsearch: "Elasticsearch"
        }
    }

    var target: String { address(as: product) }

    /// The address of the same nodes, as one of `product`.
    func address(as product: OpenSearchEngine.Product) -> String {
        guard let first = connection.nodes.first else { return product.rawValue }
        let places = connection.nodes.map { "\($0.host):\($0.port)" }.joined(separator: ",")
        return "\(product.rawValue)+\(first.scheme.rawValue)://\(places)\(first.path)"
    }

    /// How long the engine may wait for shards before it answers: shorter than we wait for the answer.
    var serverTimeout: String { "\(max(1, requestTimeout.components.seconds * 5 / 6))s" }
}

/// The version of an engine: what decides which requests it knows.
struct EngineVersion: Hashable, Comparable, Sendable {
    let major: Int
    let minor: Int

    init(_ major: Int, _ minor: Int) { (self.major, self.minor) = (major, minor) }

    /// Reads `2.19.4`; `nil` for what is no version.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).prefix(2).map { Int($0) }
        guard parts.count == 2, let major = parts[0], let minor = parts[1], major >= 0, minor >= 0 else { return nil }
        self.init(major, minor)
    }

    static func < (left: Self, right: Self) -> Bool { (left.major, left.minor) < (right.major, right.minor) }
}

extension EngineVersion: CustomStringConvertible {
    var description: String { "\(major).\(minor)" }
}
