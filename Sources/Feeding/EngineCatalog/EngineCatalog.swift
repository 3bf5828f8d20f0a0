public import ContentFeeding
public import EngineHTTP
import EngineOpenSearch
import EngineSQLite
public import EngineSolr

/// All engines: an address in, an open engine out.
public enum EngineCatalog {
    /// How engines are opened.
    public struct Options: Sendable {
        /// How long to wait for another process that writes to the same store.
        public var busyTimeout = Duration.seconds(30)
        /// How to speak to an engine that is elsewhere.
        public var connection = ConnectionOptions()
        public var solr = SolrEngine.Options()

        /// Whether documents are looked up before they are removed, where an engine can't tell if they were there.
        public var checksMissing: Bool {
            get { solr.checksMissing }
            set { solr.checksMissing = newValue }
        }

        /// Lets no request take longer than `limit`.
        public mutating func limitRequests(to limit: Duration) {
            connection.requestTimeout = min(connection.requestTimeout, limit)
        }

        public init() {}
    }

    /// Opens what is at `address`; it must be there.
    public static func open(
        _ address: TargetAddress,
        options: Options = Options()
    ) async throws(EngineError) -> any CollectionAdministration {
        switch address.location {
        case .sqlite(let path): try await SQLiteEngine.open(path: path, options: options.sqlite)
        case .openSearch(let nodes):
            try await OpenSearchEngine.open(.openSearch, at: nodes, options: options.connection)
        case .elasticsearch(let nodes):
            try await OpenSearchEngine.open(.elasticsearch, at: nodes, options: options.connection)
        case .solr(let nodes):
            try await SolrEngine.open(at: nodes, options: options.solr, connection: options.connection)
        }
    }

    /// Opens what is at `address`, and makes a store that is not there: for `collections create`.
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
    /// How long it may take in all to reach a target elsewhere and find its collection there.
    ///
    /// Before that begins, the credentials are read: whoever prints them may ask the user.
    public static let checkingLimit = Duration.seconds(10)

    /// Opens what is at `address` and binds to a collection of it, within ``checkingLimit``.
    ///
    /// A store in a file has a limit of its own, the busy timeout.
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

    /// Opens what is at `address`, within ``checkingLimit``.
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
    /// The same error; where the address has a path, that may be what is wrong.
    fileprivate func explained(_ error: EngineError) -> EngineError {
        guard let path = nodes.first?.path, path != standardPath,
            [.unusable, .missingTarget, .rejected].contains(error.code)
        else { return error }
        let hint = "'\(path)' is a prefix of every path of the server and names no collection: that is --collection"
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

/// A limit to how long it may take to find out whether a target and its collection are there.
enum CheckingDeadline {
    /// Does `body`, and gives up when it takes longer than `limit`.
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
            advice: "check the address and the way there; nothing was sent"
        )
    }
}
