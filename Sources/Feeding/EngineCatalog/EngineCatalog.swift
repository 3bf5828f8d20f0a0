public import ContentFeeding
import EngineDistributor
public import EngineHTTP
import EngineOpenSearch
import EngineSQLite
import EngineSolr
import Glibc
import TextKit

/// The catalog of all engines, which opens an engine at an address.
public enum EngineCatalog {
    /// The options for opening engines.
    public struct Options: Sendable {
        /// The time to wait for another process that writes to the same store.
        public var busyTimeout = Duration.seconds(30)
        /// The options for the connection to a remote engine.
        public var connection = ConnectionOptions()
        /// The receiver of remarks for the user about reading, for example about omitted fields.
        public var remark: @Sendable (String) -> Void = { _ in }
        var openSearch = OpenSearchEngine.Options()
        var solr = SolrEngine.Options()

        /// Whether documents are looked up before they are removed, if an engine can't report whether they existed.
        public var checksMissing: Bool {
            get { solr.checksMissing }
            set { solr.checksMissing = newValue }
        }

        /// Whether documents may be looked up and written by ID through an alias with a filter, although the filter is
        /// not applied in this case.
        public var ignoresAliasFilter: Bool {
            get { openSearch.ignoresAliasFilter }
            set { openSearch.ignoresAliasFilter = newValue }
        }

        /// The key of a fed document that holds the document's ID.
        public var idKey: String {
            get { openSearch.idKey }
            set { openSearch.idKey = newValue }
        }

        /// Whether each document is stored with the key that holds its ID, even if the engine does not need it.
        public var keepsIDInSource: Bool {
            get { openSearch.keepsIDInSource }
            set { openSearch.keepsIDInSource = newValue }
        }

        /// The ingest pipeline for documents written to OpenSearch or Elasticsearch; `nil` for the index's own
        /// pipeline.
        public var pipeline: String? {
            get { openSearch.pipeline }
            set { openSearch.pipeline = newValue }
        }

        /// The command-line option that specifies the collection, for use in advice.
        package var collectionOption = "--collection"

        /// Limits the duration of each request to at most `limit`.
        public mutating func limitRequests(to limit: Duration) {
            connection.requestTimeout = min(connection.requestTimeout, limit)
        }

        /// Creates the default options.
        public init() {}
    }

    /// Opens the target at `address`, which must exist.
    public static func open(
        _ address: TargetAddress,
        options: Options = Options()
    ) async throws(EngineError) -> any CollectionAdministration {
        switch address.location {
        case .sqlite(let path): try await SQLiteEngine.open(path: path, options: options.sqlite)
        case .openSearch(let nodes):
            try await OpenSearchEngine.open(
                .openSearch,
                at: nodes,
                options: options.connection,
                use: options.openSearch
            )
        case .elasticsearch(let nodes):
            try await OpenSearchEngine.open(
                .elasticsearch,
                at: nodes,
                options: options.connection,
                use: options.openSearch
            )
        case .solr(let nodes):
            try await SolrEngine.open(
                at: nodes,
                options: options.solr,
                connection: options.connection,
                remark: options.remark
            )
        case .distributor(let nodes): try await DistributorEngine.open(at: nodes, connection: options.connection)
        }
    }

    /// Opens the target at `address`, creating a store that does not exist, as `collections create` requires.
    public static func create(
        _ address: TargetAddress,
        options: Options = Options()
    ) async throws(EngineError) -> any CollectionAdministration {
        switch address.location {
        case .sqlite(let path): try await SQLiteEngine.create(path: path, options: options.sqlite)
        case .openSearch, .elasticsearch, .solr, .distributor: try await open(address, options: options)
        }
    }
}

extension EngineCatalog.Options {
    fileprivate var sqlite: SQLiteEngine.Options {
        var options = SQLiteEngine.Options()
        options.busyTimeout = busyTimeout
        return options
    }
}

extension EngineCatalog {
    /// The total time limit for reaching a remote target and finding its collection.
    ///
    /// The credentials are read before the time starts, because the command that prints them may prompt the user.
    public static let checkingLimit = Duration.seconds(10)

    /// Opens the target at `address` and binds to one of its collections, within `limit`.
    ///
    /// A store in a file has its own time limit, the busy timeout.
    public static func open(
        _ address: TargetAddress,
        collection: CollectionName,
        options: Options = Options(),
        limit: Duration = checkingLimit
    ) async throws(EngineError) -> (store: any CollectionAdministration, engine: any CollectionEngine) {
        try await checked(address, options: options, limit: limit) { options in
            let store = try await open(address, options: options)
            let engine = try await store.collection(named: collection)
            return (store, engine)
        }
    }

    /// Opens the target at `address`, within `limit`.
    public static func openChecked(
        _ address: TargetAddress,
        options: Options = Options(),
        limit: Duration = checkingLimit
    ) async throws(EngineError) -> any CollectionAdministration {
        try await checked(address, options: options, limit: limit) { try await open(address, options: $0) }
    }

    @inline(never)
    private static func checked<Value: Sendable>(
        _ address: TargetAddress,
        options: Options,
        limit: Duration,
        _ body: @escaping @Sendable (Options) async throws -> Value
    ) async throws(EngineError) -> Value {
        do {
            if address.nodes.isEmpty { return try await body(options) }
            var loaded = options
            try await loaded.connection.loadCredentials()
            return try await CheckingDeadline.within(limit, of: address) { [loaded] in try await body(loaded) }
        } catch let error as EngineError {
            throw address.explained(error, options.collectionOption)
        } catch {
            throw EngineError(.unusable, "\(error)", cause: error)
        }
    }
}

extension TargetAddress {
    /// Returns the error, with a hint if the address has a path that may be the cause.
    fileprivate func explained(_ error: EngineError, _ option: String) -> EngineError {
        guard let hint = pathHint(option: option), [.unusable, .missingTarget, .rejected].contains(error.code)
        else { return error }
        return EngineError(
            error.code,
            error.message,
            advice: (error.advice.map { $0 + "; " } ?? "") + hint,
            cause: error
        )
    }

    /// Returns a hint about the meaning of the path in the address, if there is one; `option` is the option that
    /// specifies a collection.
    package func pathHint(option: String) -> String? {
        guard let path = nodes.first?.path, path != standardPath else { return nil }
        return "'\(path)' is a prefix of every path on the server, not a collection: use \(option) to name one"
    }

    private var standardPath: String {
        if case .solr = location { NodeScheme.Product.solr.path } else { "" }
    }
}

/// A time limit for checking whether a target and its collection exist.
enum CheckingDeadline {
    /// Runs `body`, and gives up if it takes longer than `limit`.
    static func within<Value: Sendable>(
        _ limit: Duration,
        of address: TargetAddress,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws(EngineError) -> Value {
        do {
            return try await withThrowingTaskGroup(of: Value?.self) { group in
                group.addTask { try await body() }
                group.addTask {
                    try await Task.sleep(for: limit)
                    return nil
                }
                defer { group.cancelAll() }
                guard let first = try await group.next(), let value = first else { throw late(address, limit) }
                return value
            }
        } catch let error as EngineError {
            throw error
        } catch {
            throw EngineError(.cancelled, "\(address): canceled before it answered", cause: error)
        }
    }

    private static func late(_ address: TargetAddress, _ limit: Duration) -> EngineError {
        EngineError(
            .unreachable,
            "\(address) did not respond within \(limit.components.seconds) s",
            advice: "check the address and the network; nothing was sent"
        )
    }
}

/// The address of an engine: a scheme, followed by text whose meaning depends on the scheme.
public struct TargetAddress: Hashable, Sendable {
    /// The engine and its location.
    public enum Location: Hashable, Sendable {
        /// A store in a file.
        case sqlite(path: String)
        case openSearch([NodeAddress])
        case elasticsearch([NodeAddress])
        case solr([NodeAddress])
        /// Content distributors: the addresses of one server, or of a server and its standby.
        case distributor([NodeAddress])
    }

    /// The location of the target: a file, or nodes of an engine.
    public let location: Location

    /// Creates an address.
    public init(_ location: Location) { self.location = location }

    /// The files that make up the target; empty for a remote target.
    public var files: [String] {
        switch location {
        case .sqlite(let path): [path, path + "-wal", path + "-shm"]
        case .openSearch, .elasticsearch, .solr, .distributor: []
        }
    }

    /// The servers in the address; empty for a store in a file.
    public var nodes: [NodeAddress] {
        switch location {
        case .sqlite: []
        case .openSearch(let nodes), .elasticsearch(let nodes), .solr(let nodes), .distributor(let nodes): nodes
        }
    }

    /// The maximum length of an address, in bytes.
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
                throw EngineError(.missingTarget, "'\(text)' does not specify a file", advice: Self.supported)
            }
            location = .sqlite(path: rest)
        } else {
            location = try Self.location(ofScheme: scheme, rest)
        }
    }

    static let supported =
        "supported: sqlite:PATH, opensearch+https://HOST:PORT, elasticsearch+https://HOST:PORT, solr+https://HOST:PORT, "
        + "distributor+https://HOST:PORT"

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
        case .distributor: .distributor(nodes)
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
        case .distributor(let nodes): "distributor+" + Self.text(of: nodes)
        }
    }

    /// Returns the nodes with a common scheme and path: `https://a:9200,b:9200/prefix`.
    private static func text(of nodes: [NodeAddress]) -> String {
        guard let first = nodes.first else { return "" }
        let places = nodes.map { "\($0.host):\($0.port)" }.joined(separator: ",")
        return "\(first.scheme.rawValue)://\(places)\(first.path)"
    }
}

extension TargetAddress {
    /// Returns the target to use if no option specifies one: `FASTCTL_TARGET` if it is set, or else the embedded store
    /// below `XDG_DATA_HOME` or, if that is not set, `HOME`.
    public static func standard(environment: [String: String]) throws(EngineError) -> TargetAddress {
        if let target = environment["FASTCTL_TARGET"], !target.isEmpty { return try TargetAddress(target) }
        // According to the XDG specification, a relative path counts as not set.
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

/// A reader of `//host:9200[,host2:9201][/prefix]`: the part after the scheme in a server address.
///
/// Parts of an address that may contain a secret never appear in messages.
struct NodeListReader {
    private let scheme: NodeScheme

    /// The maximum number of nodes in one address.
    private static let maximumNodes = 100
    /// The maximum length of a host name in DNS, in bytes.
    private static let maximumHostBytes = 253

    init(_ scheme: NodeScheme) { self.scheme = scheme }

    func nodes(in rest: String) throws(EngineError) -> [NodeAddress] {
        try refuseSecrets(in: rest)
        guard rest.hasPrefix("//") else {
            throw error("no server name follows '\(scheme.text):'", advice: "use \(scheme.text)://HOST:PORT")
        }
        guard rest.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw error(
                "the address has a character that is not printable ASCII",
                advice: "write a non-ASCII host name as in DNS (xn--…), and a path with escapes (%C3%A9)"
            )
        }
        let bare = rest.dropFirst(2)
        let slash = bare.firstIndex(of: "/") ?? bare.endIndex
        let path = try prefix(bare[slash...])
        let places = bare[..<slash].split(separator: ",", omittingEmptySubsequences: false)
        guard places.count <= Self.maximumNodes else {
            throw error("the address has \(places.count) nodes; the maximum is \(Self.maximumNodes)")
        }
        var nodes: [NodeAddress] = []
        for place in places {
            let node = try node(place, path: path)
            if !nodes.contains(node) { nodes.append(node) }
        }
        return nodes
    }

    private func refuseSecrets(in rest: String) throws(EngineError) {
        if rest.utf8.contains(UInt8(ascii: "@")) {
            throw error(
                "the address contains a user or a password",
                advice: "credentials never go into an address: use --credentials-file FILE"
            )
        }
        if rest.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
            throw error(
                "the address has a query or a fragment",
                advice: "an address ends with the server's path; everything else is an option"
            )
        }
    }

    private func node(_ text: Substring, path: String) throws(EngineError) -> NodeAddress {
        let (host, port) = text.hasPrefix("[") ? try bracketed(text) : try named(text)
        guard let port else {
            return NodeAddress(scheme: scheme.scheme, host: host, port: scheme.product.port, path: path)
        }
        guard port.utf8.allSatisfy(\.isDigit), let number = UInt16(port),
            number > 0
        else {
            throw error("'\(port)' is not a valid port of \(host)", advice: "a port is a number from 1 to 65535")
        }
        return NodeAddress(scheme: scheme.scheme, host: host, port: Int(number), path: path)
    }

    private func bracketed(_ text: Substring) throws(EngineError) -> (host: String, port: Substring?) {
        guard let end = text.firstIndex(of: "]") else {
            throw error("'\(text)' opens a bracket but does not close it")
        }
        let inner = text[text.index(after: text.startIndex)..<end]
        var address = in6_addr()
        guard inet_pton(AF_INET6, String(inner), &address) == 1 else {
            throw error("'\(inner)' is not a valid IPv6 address")
        }
        let rest = text[text.index(after: end)...]
        guard rest.isEmpty || rest.hasPrefix(":") else { throw error("'\(rest)' follows an IPv6 address") }
        return ("[\(inner.lowercased())]", rest.isEmpty ? nil : rest.dropFirst())
    }

    private func named(_ text: Substring) throws(EngineError) -> (host: String, port: Substring?) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2 else {
            throw error("'\(text)' has several colons", advice: "put an IPv6 address in brackets: [::1]:9200")
        }
        let host = parts[0].lowercased()
        guard !host.isEmpty else { throw error("a server has no name", advice: "use \(scheme.text)://HOST:PORT") }
        guard host.utf8.count <= Self.maximumHostBytes, host.utf8.allSatisfy(isHostByte) else {
            throw error("'\(host.prefix(Self.maximumHostBytes))' is not a valid host name")
        }
        return (host, parts.count == 2 ? parts[1] : nil)
    }

    private func isHostByte(_ byte: UInt8) -> Bool {
        byte.isLowercase || byte.isDigit || ".-_".utf8.contains(byte)
    }

    /// Returns the path without trailing slashes, or the engine's default path if there is none.
    private func prefix(_ text: Substring) throws(EngineError) -> String {
        var path = text
        while path.hasSuffix("/") { path.removeLast() }
        guard !path.isEmpty else { return scheme.product.path }
        for segment in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard !segment.isEmpty, segment != ".", segment != "..",
                !segment.contains(where: { #"\"<>^`{|}"#.contains($0) })
            else { throw error("'\(path)' is not a valid server path") }
        }
        return String(path)
    }

    private func error(_ message: String, advice: String? = nil) -> EngineError {
        EngineError(.missingTarget, message, advice: advice ?? "use \(scheme.text)://HOST:PORT")
    }
}

/// The part before `://` in a server address: the engine and the protocol.
struct NodeScheme: Hashable, Sendable {
    /// The engines reached over HTTP, as named in addresses.
    enum Product: String, CaseIterable {
        case openSearch = "opensearch"
        case elasticsearch
        case solr
        case distributor

        /// The engine's default port, even over TLS, because these engines rarely use port 443.
        var port: Int {
            switch self {
            case .openSearch, .elasticsearch: 9200
            case .solr: 8983
            case .distributor: 13391
            }
        }

        /// The prefix of all paths if the address does not have one.
        var path: String { self == .solr ? "/solr" : "" }
    }

    let product: Product
    let scheme: NodeAddress.Scheme

    var text: String { "\(product.rawValue)+\(scheme.rawValue)" }

    private static let all = Product.allCases.flatMap { ["\($0.rawValue)+https", "\($0.rawValue)+http"] }

    /// Returns the error for a `scheme` that this version can't open.
    static func refusal(of scheme: String, _ rest: String) -> EngineError {
        switch scheme {
        case "http", "https":
            let engines = Product.allCases.map { "\($0.rawValue)+\(scheme)" }
            return EngineError(
                .unsupported,
                "'\(scheme):' does not specify an engine",
                advice: "use \(engines.dropLast().joined(separator: ", ")) or \(engines.last ?? "")"
            )
        default:
            let nearest = scheme.prefix(64).description.nearest(in: ["sqlite"] + all)
            let question = nearest.map { "did you mean '\($0):'? " } ?? ""
            return EngineError(
                .unsupported,
                "unknown engine '\(scheme.prefix(64))'",
                advice: question + TargetAddress.supported
            )
        }
    }

    /// Returns the error for an engine's name without a protocol, which is not a scheme.
    static func refusal(of product: Product, _ rest: String) -> EngineError {
        // The rest may contain a password, so only a plain host name is repeated.
        let place = rest.hasPrefix("//") ? String(rest.dropFirst(2)) : rest
        let isPlain = !place.isEmpty && place.utf8.count <= 255 && place.utf8.allSatisfy(isPlain)
        let example = isPlain ? place : "HOST:\(product.port)"
        return EngineError(
            .unsupported,
            "'\(product.rawValue):' does not specify how to connect to it",
            advice: "use \(product.rawValue)+https://\(example), or \(product.rawValue)+http:// without TLS"
        )
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || ".-:".utf8.contains(byte)
    }
}
