import ArgumentParsing
public import ContentFeeding
public import EngineHTTP

/// Where to go, decided: the target, how to reach it, and who said so.
public struct ResolvedTarget: Sendable {
    /// A context, and who chose it.
    public struct Context: Hashable, Sendable {
        public let name: String
        public let origin: SettingOrigin
    }

    public let address: TargetAddress
    public let context: Context?
    /// How to speak to it.
    public let connection: ConnectionOptions
    /// The names that the context gives to collections.
    public let collections: [CollectionMapping]
    private let settings: [ContextKey: Setting]

    init(
        _ settings: [ContextKey: Setting],
        context: Context? = nil,
        collections: [CollectionMapping] = []
    ) throws(EngineError) {
        self.settings = settings
        self.context = context
        self.collections = collections
        let target = settings[.target]
        do throws(EngineError) {
            address = try TargetAddress(target?.value ?? "")
        } catch {
            guard let place = target?.origin.filePlace else { throw error }
            throw EngineError(error.code, "\(place): \(error.message)", advice: error.advice, cause: error)
        }
        connection = try ConnectionOptions(settings)
    }

    /// Whether writing to it wants a confirmation.
    public var isProtected: Bool { settings[.protected]?.value == "true" }

    /// Whether its credentials come from a command.
    public var runsHelper: Bool {
        if case .helper = connection.credentials { true } else { false }
    }

    /// What to tell the user whose credentials everybody on the way can read; `nil` where nobody can.
    public var warning: String? {
        guard connection.credentials != nil,
            let node = address.nodes.first(where: { $0.scheme == .http && !$0.isLoopback })
        else { return nil }
        return "credentials travel unencrypted to \(node); use +https"
    }

    /// The name of the collection where the command line gives none.
    public var collection: String? { settings[.collection]?.value }

    /// What is set, in the order of ``ContextKey``, and the defaults that matter.
    public var allSettings: [Setting] {
        var all = settings
        let standard = ConnectionOptions()
        for (key, value) in [
            (ContextKey.requestTimeout, standard.requestTimeout.argumentText), (.proxy, ProxyText.environment),
            (.protected, "false"),
        ] where all[key] == nil {
            all[key] = Setting(key, value, .standard)
        }
        return ContextKey.allCases.compactMap { all[$0] }
    }

    /// What the engine calls the collection that the user calls `name`.
    public func engineName(of name: String) -> CollectionName {
        CollectionName(collections.first { $0.name == name }?.engineName ?? name)
    }
}

/// A collection that a context gives a name of its own.
public struct CollectionMapping: Hashable, Sendable {
    /// What the user calls it.
    public let name: String
    public let engineName: String
    public let origin: SettingOrigin
}

extension SettingOrigin {
    /// File and line, for what stands in one.
    var filePlace: String? {
        switch self {
        case .projectFile, .userFile: place
        case .option, .environment, .standard: nil
        }
    }
}
