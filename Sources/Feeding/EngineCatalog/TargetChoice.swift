import ArgumentParsing
public import ContentFeeding
public import EngineHTTP
import YAML

/// What a command line and its environment say of where to go.
public struct TargetChoice: Sendable {
    /// The options that were given, by what they set.
    public var options: [ContextKey: String] = [:]
    /// The name that `--context` gave.
    public var context: String?
    /// As the system gives it; a secret need not be in it, only the fact that there is one.
    public var environment: [String: String]
    /// Where the search for the project's file begins; without it, there is none.
    public var directory: String?

    private static let contextVariable = "FASTCTL_CONTEXT"

    /// The variable that holds credentials themselves.
    public static let credentialsVariable = CredentialSource.standardVariable

    public init(environment: [String: String], directory: String? = ContextFiles.workingDirectory) {
        self.environment = environment
        self.directory = directory
    }

    /// Decides: options before the environment, that before the project's file, that before the user's.
    ///
    /// Files are read only where neither an option nor the environment names the target itself.
    public func resolve() throws(EngineError) -> ResolvedTarget {
        let given = [SettingLayer(optionSettings), SettingLayer(environmentSettings)]
        if options[.target] != nil || (context == nil && value("FASTCTL_TARGET") != nil) {
            return try ResolvedTarget(SettingLayer.merged(given))
        }
        return try resolve(given, in: ContextFiles(environment: environment, directory: directory))
    }

    /// The same, with files that are read already.
    public func resolve(in files: ContextFiles) throws(EngineError) -> ResolvedTarget {
        try resolve([SettingLayer(optionSettings), SettingLayer(environmentSettings)], in: files)
    }

    private func resolve(_ given: [SettingLayer], in files: ContextFiles) throws(EngineError) -> ResolvedTarget {
        guard let chosen = chosenContext(files) else {
            let address = try TargetAddress.standard(environment: environment)
            let target = SettingLayer([Setting(.target, address.description, .standard)])
            return try ResolvedTarget(SettingLayer.merged(given + [target]))
        }
        try refuseChoiceForUser(chosen, files)
        let parts = try ContextParts(chosen.name, in: files)
        let layers = parts.layers(home: environment["HOME"])
        // What is given for a context may be for no other target.
        let own = given.map { $0.without(.target) }
        let settings = SettingLayer.merged(own + layers)
        try refuseStrangers(settings, chosen)
        guard settings[.target] != nil else {
            throw EngineError(
                .missingTarget,
                "the context '\(chosen.name)' of \(parts.place) has no target",
                advice: "give it one: 'target: opensearch+https://HOST:9200'"
            )
        }
        return try ResolvedTarget(
            settings,
            context: ResolvedTarget.Context(name: chosen.name, origin: chosen.origin),
            collections: parts.collections
        )
    }

    private func chosenContext(_ files: ContextFiles) -> (name: String, origin: SettingOrigin)? {
        let variable = value(Self.contextVariable)
        if let context {
            return (context, context == variable ? .environment(Self.contextVariable) : .option("--context"))
        }
        if let variable { return (variable, .environment(Self.contextVariable)) }
        return files.current.map { ($0.name, $0.origin) }
    }

    /// A project's file chooses among its own contexts: one of the user's has the user's target and credentials.
    private func refuseChoiceForUser(
        _ chosen: (name: String, origin: SettingOrigin),
        _ files: ContextFiles
    ) throws(EngineError) {
        guard case .projectFile(let path, let line) = chosen.origin, let user = files.user,
            let own = user.contexts.first(where: { $0.key.value == chosen.name })
        else { return }
        throw EngineError(
            .rejected,
            "\(path):\(line): 'current' names '\(chosen.name)', a context of your own (\(user.path):\(own.key.place.line))",
            advice: "a project's file must not choose it for you: name it yourself, --context \(chosen.name), "
                + "or take 'current' out of that file"
        )
    }

    /// Credentials of the command line and the environment go to no target that only somebody else's file has chosen.
    ///
    /// An option too may stand in a script or an alias, which knows nothing of this folder.
    private func refuseStrangers(
        _ settings: [ContextKey: Setting],
        _ chosen: (name: String, origin: SettingOrigin)
    ) throws(EngineError) {
        guard case .projectFile(let path, _)? = settings[.target]?.origin,
            let credentials = ContextKey.credentials.lazy.compactMap({ settings[$0]?.origin }).first,
            credentials.filePlace == nil, let giver = credentials.place, chosen.origin.filePlace != nil,
            settings[.target]?.value.lowercased().hasPrefix("sqlite:") == false
        else { return }
        throw EngineError(
            .rejected,
            "the target comes from '\(path)', and \(giver) is not sent to a target that you did not name",
            advice: "if it is yours, name its context: --context \(chosen.name)"
        )
    }

    /// The variables that stand for an option; whoever reads a command line may take them for one.
    private static let variables: [ContextKey: String] = [
        .target: "FASTCTL_TARGET", .collection: "FASTCTL_COLLECTION",
    ]

    private var optionSettings: [Setting] {
        options.map { key, value in
            if let name = Self.variables[key], environment[name] == value {
                return Setting(key, value, .environment(name))
            }
            return Setting(key, value, .option("--" + key.rawValue))
        }
    }

    private var environmentSettings: [Setting] {
        var settings: [Setting] = []
        for (key, name) in Self.variables {
            if let value = value(name) { settings.append(Setting(key, value, .environment(name))) }
        }
        if value(Self.credentialsVariable) != nil {
            let origin = SettingOrigin.environment(Self.credentialsVariable)
            settings.append(Setting(.credentialsVariable, Self.credentialsVariable, origin))
        }
        return settings
    }

    private func value(_ variable: String) -> String? { environment[variable].flatMap { $0.isEmpty ? nil : $0 } }
}

extension SettingLayer {
    fileprivate func without(_ key: ContextKey) -> SettingLayer {
        SettingLayer(settings.values.filter { $0.key != key })
    }
}

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
