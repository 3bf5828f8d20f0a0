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
