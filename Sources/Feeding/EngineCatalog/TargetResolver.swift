import ArgumentParsing
public import ContentFeeding
public import EngineHTTP
import Files
import YAML

/// A resolver of the target that is selected by a command line and its environment.
public struct TargetResolver: Sendable {
    /// The given options, by setting.
    public var options: [ContextKey: String] = [:]
    /// The name given by `--context`.
    public var context: String?
    /// The environment variables; for a secret, only its presence is needed, not its value.
    public var environment: [String: String]
    /// The folder in which the search for the project's file begins; `nil` to skip the search.
    public var directory: String?

    private static let contextVariable = "FASTCTL_CONTEXT"
    private static let collectionVariable = "FASTCTL_COLLECTION"

    /// The environment variable that holds the credentials themselves.
    public static let credentialsVariable = CredentialSource.standardVariable

    /// Creates a resolver for an environment and a folder.
    public init(environment: [String: String], directory: String? = ContextFiles.workingDirectory) {
        self.environment = environment
        self.directory = directory
    }

    /// Resolves the target: options take precedence over the environment, then the project's file, and then the user's
    /// file.
    ///
    /// The collection is an exception: a context's collection takes precedence over the one in the environment, which
    /// is unrelated to the context.
    ///
    /// Files are read only if neither an option nor the environment specifies the target itself.
    public func resolve() throws(EngineError) -> ResolvedTarget {
        let given = [SettingLayer(optionSettings), SettingLayer(environmentSettings)]
        if options[.target] != nil || (context == nil && value("FASTCTL_TARGET") != nil) {
            return try ResolvedTarget(SettingLayer.merged(given))
        }
        return try resolve(given, in: ContextFiles(environment: environment, directory: directory))
    }

    /// Resolves the target with files that have already been read.
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
        // Settings given together with a context must not change its target.
        let own = given.map { $0.without(.target) }
        let variables = own.map { $0.without(.collection, from: .environment(Self.collectionVariable)) }
        let settings = SettingLayer.merged(variables + layers + own)
        try refuseStrangers(settings, chosen)
        guard settings[.target] != nil else {
            throw EngineError(
                .missingTarget,
                "the context '\(chosen.name)' in \(parts.place) has no target",
                advice: "add one: 'target: opensearch+https://HOST:9200'"
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

    /// Throws if a project's file selects one of the user's contexts, which contains the user's target and credentials.
    private func refuseChoiceForUser(
        _ chosen: (name: String, origin: SettingOrigin),
        _ files: ContextFiles
    ) throws(EngineError) {
        guard case .projectFile(let path, let line) = chosen.origin, let user = files.user,
            let own = user.contexts.first(where: { $0.key.value == chosen.name })
        else { return }
        throw EngineError(
            .rejected,
            "\(path):\(line): 'current' specifies '\(chosen.name)', a context of your own (\(user.path):\(own.key.place.line))",
            advice: "a project file must not choose it for you: use --context \(chosen.name), "
                + "or remove 'current' from that file"
        )
    }

    /// Throws if credentials from the command line or the environment would be sent to a target that is chosen only by
    /// another user's file.
    ///
    /// Even an option may come from a script or a shell alias that is unrelated to this folder.
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
            "the target comes from '\(path)', and \(giver) is not sent to a target that you did not specify",
            advice: "if it is yours, use --context \(chosen.name)"
        )
    }

    /// The environment variables that can replace an option; a command-line parser may report their values as options.
    private static let variables: [ContextKey: String] = [
        .target: "FASTCTL_TARGET", .collection: collectionVariable,
    ]

    private var optionSettings: [Setting] {
        options.map { key, value in
            // The command-line parser reads this variable itself, without reporting the origin of the value.
            if key == .target, let name = Self.variables[key], environment[name] == value {
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
    fileprivate func without(_ key: ContextKey, from origin: SettingOrigin? = nil) -> SettingLayer {
        SettingLayer(settings.values.filter { $0.key != key || (origin != nil && $0.origin != origin) })
    }
}

/// The resolved target: its address, its connection options, and the origin of each setting.
public struct ResolvedTarget: Sendable {
    /// A context, and the origin of its selection.
    public struct Context: Hashable, Sendable {
        /// The context's name.
        public let name: String
        /// The origin of the selection.
        public let origin: SettingOrigin
    }

    /// The address of the target.
    public let address: TargetAddress
    /// The context that specified the target; `nil` if there was none.
    public let context: Context?
    /// The options for the connection to the target.
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

    /// Whether an option, a variable or a settings file specifies the target.
    package var isNamed: Bool { settings[.target].map { $0.origin != .standard } ?? false }

    /// The time limit for the target's response to a request.
    public var requestTimeout: Duration { connection.requestTimeout }

    /// Whether writes to the target require confirmation.
    public var isProtected: Bool { settings[.protected]?.value == "true" }

    /// Whether the credentials come from a command.
    public var runsHelper: Bool {
        if case .helper = connection.credentials { true } else { false }
    }

    /// The warning for a user whose credentials could be intercepted in transit; `nil` if they can't be.
    public var warning: String? {
        // A signature is valid for one request, and does not reveal the key.
        guard let source = connection.credentials, source.signing == nil,
            let node = address.nodes.first(where: { $0.scheme == .http && !$0.isLoopback })
        else { return nil }
        return "credentials are sent unencrypted to \(node); use +https"
    }

    /// The name of the collection to use if the command line does not specify one.
    public var collection: String? { settings[.collection]?.value }

    /// The settings in the order of ``ContextKey``, with relevant defaults.
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

    /// Returns the engine's name for the collection that the user calls `name`.
    public func engineName(of name: String) -> CollectionName {
        CollectionName(collections.first { $0.name == name }?.engineName ?? name)
    }
}

// MARK: Protection

/// The protection of a target by a context, whose name must be repeated before the target is written to.
public struct TargetProtection: Hashable, Sendable {
    /// The protected context's name.
    public let context: String
    /// The position of the setting that protects the target.
    public let place: String
}

extension TargetResolver {
    /// Returns the protection of a target; `nil` if it has none.
    ///
    /// This is the protection of the target's context or, if the target is specified only by an address, of a context
    /// with this address.
    public func protection(of target: ResolvedTarget) throws(EngineError) -> TargetProtection? {
        guard let context = target.context else { return try protection(of: target.address) }
        return target.isProtected ? target.protection(named: context.name) : nil
    }

    /// Returns the protection of the first protected context that refers to the same store or to one of the same
    /// servers; `nil` if there is none.
    public func protection(of address: TargetAddress) throws(EngineError) -> TargetProtection? {
        try protection(of: address, in: ContextFiles(environment: environment, directory: directory))
    }

    func protection(of address: TargetAddress, in files: ContextFiles) throws(EngineError) -> TargetProtection? {
        for name in files.names {
            // A project's file that is rejected for this context must not remove the user's protection.
            let own = ContextFiles(user: files.user, project: nil)
            guard let parts = (try? ContextParts(name, in: files)) ?? (try? ContextParts(name, in: own)),
                let target = try? ResolvedTarget(SettingLayer.merged(parts.layers(home: environment["HOME"]))),
                target.isProtected, target.address.isSamePlace(as: address)
            else { continue }
            return target.protection(named: name)
        }
        return nil
    }
}

extension ResolvedTarget {
    fileprivate func protection(named name: String) -> TargetProtection {
        TargetProtection(context: name, place: settings[.protected]?.origin.place ?? "the settings")
    }
}

extension TargetAddress {
    /// Returns whether two addresses have a server in common, or refer to the same store, regardless of how its path is
    /// written.
    fileprivate func isSamePlace(as other: TargetAddress) -> Bool {
        if self == other || !Set(nodes).isDisjoint(with: other.nodes) { return true }
        guard let file = files.first.flatMap({ FileIdentity($0) }) else { return false }
        return other.files.first.flatMap { FileIdentity($0) } == file
    }
}

// MARK: Collections

/// A collection to which a context gives its own name.
public struct CollectionMapping: Hashable, Sendable {
    /// The user's name for the collection.
    public let name: String
    /// The collection's name in the engine.
    public let engineName: String
    /// The origin of the mapping.
    public let origin: SettingOrigin
}

extension SettingOrigin {
    /// The file and line, for a setting from a file.
    var filePlace: String? {
        switch self {
        case .projectFile, .userFile: place
        case .option, .environment, .standard: nil
        }
    }
}
