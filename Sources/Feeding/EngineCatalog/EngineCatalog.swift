public import ContentFeeding
import EngineSQLite

/// All engines: an address in, an open engine out.
public enum EngineCatalog {
    /// How engines are opened.
    public struct Options: Hashable, Sendable {
        /// How long to wait for another process that writes to the same store.
        public var busyTimeout = Duration.seconds(30)

        public init() {}
    }

    /// Opens what is at `address`; it must be there.
    public static func open(
        _ address: TargetAddress,
        options: Options = Options()
    ) async throws(EngineError) -> any CollectionAdministration {
        switch address.location {
        case .sqlite(let path): try await SQLiteEngine.open(path: path, options: options.sqlite)
        }
    }

    /// Opens what is at `address`, and makes a store that is not there: for `collections create`.
    public static func create(
        _ address: TargetAddress,
        options: Options = Options()
    ) async throws(EngineError) -> any CollectionAdministration {
        switch address.location {
        case .sqlite(let path): try await SQLiteEngine.create(path: path, options: options.sqlite)
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
