import ContentFeeding
import EngineCatalog
import ReportRendering

/// A target that is decided, and how it will be opened.
struct TargetPlan: Sendable {
    let resolved: ResolvedTarget
    var options: EngineCatalog.Options
    /// What the user typed to name it; `nil` where nothing was typed.
    private let given: String?

    init(_ resolved: ResolvedTarget, _ options: EngineCatalog.Options, given: String?) {
        self.resolved = resolved
        self.options = options
        self.options.connection = resolved.connection
        self.given = given
    }

    /// The collection of that name, as the context has it.
    func collection(_ name: String) -> CollectionChoice {
        CollectionChoice(name: name, engineName: resolved.engineName(of: name))
    }

    func open() async throws(EngineError) -> any CollectionAdministration {
        warn()
        return try await EngineCatalog.openChecked(resolved.address, options: options)
    }

    /// Opens the target, and makes a store that is not there.
    func create() async throws(EngineError) -> any CollectionAdministration {
        guard resolved.address.nodes.isEmpty else { return try await open() }
        warn()
        return try await EngineCatalog.create(resolved.address, options: options)
    }

    /// Opens the target and binds to a collection, in 10 s in all; where something is not there, the advice makes it.
    @inline(never)
    func open(_ choice: CollectionChoice) async throws -> OpenCollection {
        warn()
        do {
            let (store, engine) = try await EngineCatalog.open(
                resolved.address,
                collection: choice.engineName,
                options: options
            )
            return OpenCollection(store: store, engine: engine)
        } catch {
            throw explained(error, choice)
        }
    }

    private func warn() {
        if let warning = resolved.warning { StandardError.say(warning) }
    }

    private func explained(_ error: EngineError, _ choice: CollectionChoice) -> EngineError {
        var (message, advice) = (error.message, error.advice)
        let isUnlikeAny = error.code == .missingCollection && advice?.contains("collections create") ?? false
        let isStoreMissing = error.code == .missingTarget && resolved.address.nodes.isEmpty
        if isUnlikeAny || isStoreMissing { advice = "make it with: \(creation(of: choice))" }
        if [.missingCollection, .invalidName].contains(error.code),
            let mapping = resolved.collections.first(where: { $0.name == choice.name })
        {
            message += " ('\(choice.name)' in \(mapping.origin))"
        }
        return EngineError(error.code, message, advice: advice, cause: error)
    }

    private func creation(of choice: CollectionChoice) -> String {
        let option = resolved.context == nil ? "--target" : "--context"
        let place = given.map { " \(option) \(CommandLineWords.quoted($0))" } ?? ""
        return "fastctl collections create \(CommandLineWords.quoted(choice.name))\(place)"
    }
}

/// A collection by the name that the user gave it, and by the engine's.
struct CollectionChoice: Hashable, Sendable {
    let name: String
    let engineName: CollectionName
}

/// A collection that is open, and the store it is in.
struct OpenCollection: Sendable {
    let store: any CollectionAdministration
    let engine: any CollectionEngine
}
