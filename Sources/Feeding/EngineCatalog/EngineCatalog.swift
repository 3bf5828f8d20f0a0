public import ContentFeeding
public import EngineHTTP
import EngineOpenSearch
import EngineSQLite
public import EngineSolr

/// All engines: an address in, an open engine out.
public enum EngineCatalog {
    /// The options for opening engines.
    public struct Options: Sendable {
        /// The time to wait for another process that writes to the same store.
        public var busyTimeout = Duration.seconds(30)
        /// The connection to a remote engine.
        public var connection = ConnectionOptions()
        var openSearch = OpenSearchEngine.Options()
        /// What applies to Solr only.
        public var solr = SolrEngine.Options()

        /// Whether documents are looked up before they are removed, if an engine can't tell whether they existed.
        public var checksMissing: Bool {
            get { solr.checksMissing }
            set { solr.checksMissing = newValue }
        }

        /// Whether documents may be looked up and written by ID through an alias with a filter, which is not applied
        /// then.
        public var ignoresAliasFilter: Bool {
            get { openSearch.ignoresAliasFilter }
            set { openSearch.ignoresAliasFilter = newValue }
        }

        /// The key of a fed document that holds its ID.
        public var idKey: String {
            get { openSearch.idKey }
            set { openSearch.idKey = newValue }
        }

        /// Whether each document is stored with its ID's key, even where an engine could do without.
        public var keepsIDInSource: Bool {
            get { openSearch.keepsIDInSource }
            set { openSearch.keepsIDInSource = newValue }
        }

        /// The ingest pipeline for documents written to OpenSearch or Elasticsearch; `nil` for the index's own.
        public var pipeline: String? {
            get { openSearch.pipeline }
            set { openSearch.pipeline = newValue }
        }

        /// Limits the time of each request to at most `limit`.
        public mutating func limitRequests(to limit: Duration) {
            connection.requestTimeout = min(connection.requestTimeout, limit)
        }

        /// Creates the usual options.
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
            try await SolrEngine.open(at: nodes, options: options.solr, connection: options.connection)
        }
    }

    /// Opens the target at `address`, and creates a store that does not exist: for `collections create`.
    public static func create(
        _ address: TargetAddress,
        options: Options = Options()
    ) async throws(EngineError) -> any CollectionAdministration {
        switch address.location {
        case .sqlite(let path): try await SQLiteEngine.create(path: path, options: options.sqlite)
        case .openSearch, .elasticsearch, .solr: try await open(address, options: options)
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
    /// The total time to reach a remote target and find its collection.
    ///
    /// The credentials are read before that begins, because the command that prints them may ask the user.
    public static let checkingLimit = Duration.seconds(10)

    /// Opens the target at `address` and binds to one of its collections, within `limit`.
    ///
    /// A store in a file has its own limit, the busy timeout.
    public static func open(
        _ address: TargetAddress,
        collection: CollectionName,
        options: Options = Options(),
        limit: Duration = checkingLimit
    ) async throws(EngineError) -> (store: any CollectionAdministration, engine: any CollectionEngine) {
        try await checked(address, options: options, limit: limit) { options in
            let store = try await open(address, options: options)
            return (store, try await store.collection(named: collection))
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
            throw address.explained(error)
        } catch {
            throw EngineError(.unusable, "\(error)", cause: error)
        }
    }
}

extension TargetAddress {
    /// Returns the error, with a hint if the address has a path that may be the cause.
    fileprivate func explained(_ error: EngineError) -> EngineError {
        guard let path = nodes.first?.path, path != standardPath,
            [.unusable, .missingTarget, .rejected].contains(error.code)
        else { return error }
        let hint = "'\(path)' is a prefix of every path on the server, not a collection: use --collection for that"
        return EngineError(
            error.code,
            error.message,
            advice: (error.advice.map { $0 + "; " } ?? "") + hint,
            cause: error
        )
    }

    private var standardPath: String {
        if case .solr = location { NodeScheme.Product.solr.path } else { "" }
    }
}

/// A time limit for finding out whether a target and its collection exist.
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
            throw EngineError(.cancelled, "\(address): cancelled before it answered", cause: error)
        }
    }

    private static func late(_ address: TargetAddress, _ limit: Duration) -> EngineError {
        EngineError(
            .unreachable,
            "\(address) did not answer within \(limit.components.seconds) s",
            advice: "check the address and the network; nothing was sent"
        )
    }
}
