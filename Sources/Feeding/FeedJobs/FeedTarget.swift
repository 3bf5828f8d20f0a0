import CollectionSync
public import ContentFeeding
public import DocumentSources
public import EngineCatalog
import Files
import TextKit

/// A resolved target, and the options for opening it.
public struct OpenableTarget: Sendable {
    /// The address, and the settings of its context.
    public let resolved: ResolvedTarget
    /// The options for opening it.
    public var options: EngineCatalog.Options
    /// The receiver of remarks about the target and about a feed into it.
    public var observer: any FeedObserver
    /// A function that wraps every engine opened for this target, for a server that observes writes.
    package var wrap: @Sendable (any CollectionEngine) -> any CollectionEngine = { $0 }
    /// The context or target that the user named; `nil` if the user named none.
    private let given: String?

    /// Creates a target from an address such as `sqlite:/var/lib/search.db` or `opensearch+https://search:9200`.
    ///
    /// Throws an error with code `unsupported` or `invalidName` if the address is malformed. Settings of contexts and
    /// of the environment are not read.
    public init(_ address: String, _ observer: any FeedObserver = SilentObserver()) throws(EngineError) {
        var resolver = TargetResolver(environment: [:])
        resolver.options[.target] = address
        self.init(try resolver.resolve(), EngineCatalog.Options(), given: address, observer)
    }

    package init(
        _ resolved: ResolvedTarget,
        _ options: EngineCatalog.Options,
        given: String?,
        _ observer: any FeedObserver
    ) {
        self.resolved = resolved
        self.observer = observer
        self.options = options
        self.options.connection = resolved.connection
        self.options.remark = { observer.remark($0) }
        self.given = given
    }

    /// The address of the target as text, without secrets.
    package var address: String { "\(resolved.address)" }

    /// Returns the collection with this name, as mapped by the context.
    public func collection(_ name: String) -> CollectionChoice {
        CollectionChoice(name: name, engineName: resolved.engineName(of: name))
    }

    /// Opens the store at the address; if it is missing, the error explains how to create it there.
    public func open() async throws(EngineError) -> any CollectionAdministration {
        warn()
        do throws(EngineError) {
            return try await EngineCatalog.openChecked(resolved.address, options: options)
        } catch {
            guard error.code == .missingTarget, isFile, !place.isEmpty else { throw error }
            let advice = "create it with: fastctl collections create NAME\(place)"
            throw EngineError(error.code, error.message, advice: advice, cause: error)
        }
    }

    /// Opens the target, creating the store if it does not exist.
    public func create() async throws(EngineError) -> any CollectionAdministration {
        guard resolved.address.nodes.isEmpty else { return try await open() }
        warn()
        return try await EngineCatalog.create(resolved.address, options: options)
    }

    /// Opens the target and binds to a collection, within a total of 10 s; if either is missing, the error explains how
    /// to create it.
    @inline(never)
    public func open(_ choice: CollectionChoice) async throws -> OpenCollection {
        warn()
        do {
            let (store, engine) = try await EngineCatalog.open(
                resolved.address,
                collection: choice.engineName,
                options: options
            )
            return OpenCollection(store: store, engine: wrap(engine))
        } catch {
            throw explained(error, choice)
        }
    }

    /// Whether the target is a file on this machine that a process reads and writes directly.
    package var isFile: Bool { resolved.address.nodes.isEmpty }

    /// Binds to a collection of this target in its store, which is already open; errors are the same as when opening
    /// it.
    package func open(_ choice: CollectionChoice, in store: any CollectionAdministration) async throws -> OpenCollection
    {
        do throws(EngineError) {
            return OpenCollection(store: store, engine: wrap(try await store.collection(named: choice.engineName)))
        } catch {
            throw explained(error, choice)
        }
    }

    private func warn() {
        if let warning = resolved.warning { observer.remark(warning) }
    }

    /// Returns the error about a collection with advice that names this target.
    package func explained(_ error: EngineError, _ choice: CollectionChoice) -> EngineError {
        var (message, advice) = (error.message, error.advice)
        let isUnlikeAny = error.code == .missingCollection && advice?.contains("collections create") ?? false
        let isStoreMissing = error.code == .missingTarget && resolved.address.nodes.isEmpty
        if isUnlikeAny || isStoreMissing { advice = "create it with: \(creation(of: choice))" }
        // A job that runs without its user's settings must not create a second store instead of the intended one.
        if isStoreMissing, !resolved.isNamed {
            advice =
                "specify the target with --target, --context or FASTCTL_TARGET; only if no store exists yet, "
                + (advice ?? "")
        }
        if [.missingCollection, .invalidName].contains(error.code),
            let mapping = resolved.collections.first(where: { $0.name == choice.name })
        {
            message += " ('\(choice.name)' in \(mapping.origin))"
        }
        return EngineError(error.code, message, advice: advice, cause: error)
    }

    private func creation(of choice: CollectionChoice) -> String {
        "fastctl collections create \(CommandLineWords.quoted(choice.name))\(place)"
    }

    /// The option that names the target in another command, after a space; empty if the target was not named.
    private var place: String {
        let option = resolved.context == nil ? "--target" : "--context"
        return given.map { " \(option) \(CommandLineWords.quoted($0))" } ?? ""
    }
}

/// A collection, with its user-defined name and its name in the engine.
public struct CollectionChoice: Hashable, Sendable {
    /// The user's name.
    public let name: String
    /// The engine's name.
    public let engineName: CollectionName

    /// Creates a choice.
    public init(name: String, engineName: CollectionName) { (self.name, self.engineName) = (name, engineName) }
}

/// An open collection, and its store.
public struct OpenCollection: Sendable {
    /// The store.
    public let store: any CollectionAdministration
    /// The engine of the collection.
    public let engine: any CollectionEngine
}

/// A source of documents that can be opened later.
public struct OpenableSource: Sendable {
    /// The parsed form of the address.
    public let address: SourceAddress
    private let catalog: SourceCatalog
    /// The target and its collection, if the source is a collection.
    private let collection: (target: OpenableTarget, choice: CollectionChoice)?

    /// Creates a source; `collection` resolves an address that names a collection.
    public init(
        _ address: SourceAddress,
        in catalog: SourceCatalog,
        collection: (target: OpenableTarget, choice: CollectionChoice)? = nil
    ) {
        (self.address, self.catalog, self.collection) = (address, catalog, collection)
    }

    /// The words that identify the source independently of the working folder, without secrets.
    package var identity: [String] {
        guard let collection else { return ["\(address.absolute(in: ProcessFacts.currentFolder))"] }
        return ["\(collection.target.resolved.address)", collection.choice.engineName.rawValue]
            + address.parameters.flatMap { [$0.name, $0.value] }
    }

    /// The files from which the source is read, if they are known in advance.
    public var files: [String] {
        if let collection { return collection.target.resolved.address.files }
        if case .folder = address.location { return [] }
        return [address.path].compactMap(\.self)
    }

    /// The collection, if the source is a collection; otherwise `nil`.
    package var collectionChoice: (target: OpenableTarget, choice: CollectionChoice)? { collection }

    /// Opens the source without reading its contents.
    public func open() async throws -> any DocumentSource {
        if collection != nil { return try await openCollection() }
        return try catalog.open(address)
    }

    private func openCollection() async throws -> any DocumentSource {
        guard let (target, choice) = collection else { preconditionFailure("a collection has its target") }
        guard let engine = try await target.open(choice).engine.versions else {
            throw SourceError(.unsupported, "'\(address)' does not report changes, so it can't be a source")
        }
        let origin = CopyOrigin(target: "\(target.resolved.address)", collection: choice.engineName, idKey: "")
        return CollectionSource(engine, origin, versionKey: address["version"], named: "\(address)")
    }
}
