public import ContentFeeding
import EngineHTTP

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
