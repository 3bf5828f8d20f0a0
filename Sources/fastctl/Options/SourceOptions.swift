import ArgumentParsing
import CollectionSync
import ContentFeeding
import EngineCatalog
import Sources

/// Options for the credentials of a source.
struct SourceAccess: OptionSetting {
    @Option(
        "--source-credentials-file",
        value: "FILE",
        completion: .files,
        help:
            "A file with the credentials of the source, that only you can read; those of a collection come from its context"
    )
    var credentialsFile: String?

    @Option(
        "--source-ca-file",
        value: "FILE",
        completion: .files,
        help: "Trust only the authorities in this PEM file when the source is read"
    )
    var authorityFile: String?

    /// Whether an option was given.
    var isGiven: Bool { credentialsFile != nil || authorityFile != nil }

    func validate() throws {
        if authorityFile == "" { throw ValidationError("--source-ca-file needs the name of a file") }
        if credentialsFile == "" { throw ValidationError("--source-credentials-file needs the name of a file") }
    }
}

/// Options for where documents are kept that a command reads.
struct SourceOptions: OptionSetting {
    @Option(
        "--source",
        value: "ADDRESS",
        help:
            "Where the documents are kept: dir:PATH, jsonl:PATH, csv:PATH, sqlite-query:PATH?query=SELECT…, sitemap+https://…, azure-table+https://…, azure-blob+https://… or [CONTEXT/]COLLECTION"
    )
    var source: SourceText?

    @OptionGroup("Source") var access: SourceAccess

    func validate() throws {
        if source == nil, access.isGiven {
            throw ValidationError("--source-credentials-file and --source-ca-file need --source")
        }
        _ = try source?.address(of: "--source")
    }

    /// Whether a source was given.
    var isGiven: Bool { source != nil }

    /// Returns the source that was given; `nil` if none was.
    ///
    /// `collection` is that of the command, whose target a source without one of its own is in.
    func source(at target: TargetOptions, besides collection: String?) throws -> OpenableSource? {
        guard let address = try source?.address(of: "--source") else { return nil }
        return try OpenableSource(address, access, at: target, besides: collection)
    }
}

/// A source's address as it was typed; it may hold what does not belong there, so that no message repeats it.
struct SourceText: ArgumentValue {
    private let text: String

    init(argument word: String) { text = word }

    var argumentText: String { text }

    /// Parses the address; `option` names it in messages.
    func address(of option: String) throws(ValidationError) -> SourceAddress {
        do throws(SourceError) {
            return try SourceAddress(text)
        } catch {
            throw ValidationError("\(option): \(error)")
        }
    }
}

/// A source of documents that can be opened when its turn comes.
struct OpenableSource: Sendable {
    /// The address, as it was typed.
    let address: SourceAddress
    private let access: SourceAccess
    /// The target and the collection in it, if the source is one.
    private let collection: (target: OpenableTarget, choice: CollectionChoice)?

    /// Resolves the place of a collection; opens nothing yet.
    init(
        _ address: SourceAddress,
        _ access: SourceAccess,
        at target: TargetOptions,
        besides collection: String?
    ) throws {
        self.address = address
        self.access = access
        guard case .collection(let name, let place) = address.location else {
            self.collection = nil
            return
        }
        guard !access.isGiven else {
            throw ArgumentError(
                "--source-credentials-file and --source-ca-file are not for a collection, whose context has the like"
            )
        }
        let argument = SourceArgument(collection: name, of: place)
        let from = try target.source(argument, besides: collection)
        self.collection = (from, from.collection(name))
    }

    /// What tells the source from others, in whatever folder a command runs, without secrets.
    var identity: [String] {
        guard let collection else { return ["\(address.absolute(in: ProcessEnvironment.currentFolder))"] }
        return ["\(collection.target.resolved.address)", collection.choice.engineName.rawValue]
            + address.parameters.flatMap { [$0.name, $0.value] }
    }

    /// The files that it is read from, as far as they are known before.
    var files: [String] {
        if let collection { return collection.target.resolved.address.files }
        if case .folder = address.location { return [] }
        return [address.path].compactMap(\.self)
    }

    /// The collection that it is; `nil` if it is none.
    var collectionChoice: (target: OpenableTarget, choice: CollectionChoice)? { collection }

    /// Opens the source; what it holds is read later.
    func open() async throws -> any DocumentSource {
        if collection != nil { return try await openCollection() }
        var catalog = SourceCatalog(environment: CommandContext.current.environment)
        catalog.credentialsFile = access.credentialsFile
        catalog.authorityFile = access.authorityFile
        return try catalog.open(address)
    }

    private func openCollection() async throws -> any DocumentSource {
        guard let (target, choice) = collection else { preconditionFailure("a collection has its target") }
        guard let engine = try await target.open(choice).engine as? any VersionedEngine else {
            throw SourceError(.unsupported, "'\(address)' does not tell what has changed, so it can't be a source")
        }
        let origin = CopyOrigin(target: "\(target.resolved.address)", collection: choice.engineName, idKey: "")
        return CollectionSource(engine, origin, versionKey: address["version"], named: "\(address)")
    }
}

/// Options for choosing documents by what they hold; all conditions must match.
struct QueryOptions: OptionSetting {
    @Option(
        "--query",
        value: "EXPR",
        completion: ArgumentCompletion.none,
        help: "Only documents that match a query in the engine's own language, as in 'fastctl find'"
    )
    var expression: String?

    @Option(
        "--where",
        value: "NAME=VALUE",
        help: "Only documents whose top-level field has exactly this value; may be repeated"
    )
    var fields: [FieldArgument]

    func validate() throws {
        if expression?.isEmpty ?? false { throw ValidationError("--query is empty") }
    }

    /// Whether any condition was given.
    var isGiven: Bool { expression != nil || !fields.isEmpty }

    var query: SearchQuery {
        var query = SearchQuery(fields: fields.map(\.field))
        query.expression = expression
        return query
    }
}
