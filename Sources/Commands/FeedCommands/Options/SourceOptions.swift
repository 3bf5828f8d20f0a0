import ArgumentParsing
import CollectionSync
import CommandKit
import ContentFeeding
import DocumentSources
import EngineCatalog
import FeedJobs

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

extension OpenableSource {
    /// Resolves the place of a collection; opens nothing yet.
    init(
        _ address: SourceAddress,
        _ access: SourceAccess,
        at target: TargetOptions,
        besides collection: String?
    ) throws {
        var place: (target: OpenableTarget, choice: CollectionChoice)?
        if case .collection(let name, let context) = address.location {
            guard !access.isGiven else {
                throw ArgumentError(
                    "--source-credentials-file and --source-ca-file are not for a collection, whose context has the like"
                )
            }
            let from = try target.source(SourceArgument(collection: name, of: context), besides: collection)
            place = (from, from.collection(name))
        }
        var catalog = SourceCatalog(environment: CommandContext.current.environment)
        catalog.credentialsFile = access.credentialsFile
        catalog.authorityFile = access.authorityFile
        catalog.remark = { StandardError.say($0) }
        self.init(address, in: catalog, collection: place)
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
