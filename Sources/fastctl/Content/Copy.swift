import ArgumentParsing
import ContentFeeding
import EngineCatalog
import FeedFormats
import Files
import ReportRendering

struct Copy: Command {
    static let configuration = CommandConfiguration(
        "copy",
        foreignNames: ["reindex", "dump"],
        group: "Content",
        summary: "Copy documents from another collection, of any engine.",
        discussion: """
            The source is a collection of the same target (COLLECTION), of a context (CONTEXT/COLLECTION), or of an \
            address (sqlite:PATH/COLLECTION). Each document is added under its ID, and replaces the one that is there; \
            nothing is removed. Its routing goes with it where the target has routings; its version does not, unless \
            --version-type external asks for that, nor what an engine adds to documents, such as Solr's _version_. \
            Credentials given here are for the target: those of \
            the source come from its context.

            A copy is complete when the source did not change any more while it was read: what is written to it \
            meanwhile is copied too. If a part of the source does not answer, or its documents are not as many as it \
            says, the run is not complete, and says so. An interrupted copy goes on when it is run again, unless the \
            source has changed: then it begins anew.

            For a copy that is kept here, searched and changed offline, and pushed back, see 'fastctl copies'.
            """,
        examples: [
            .init("fastctl copy -c pages --source old/pages", "From the collection of another context"),
            .init("fastctl copy -c german --source pages --where language=de", "A part of a collection beside it"),
            .init("fastctl copy -c pages --source old/pages --dry-run", "Only count"),
        ]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Collection") var collection: CollectionOptions

    @Option(
        "--source",
        value: "[CONTEXT/]COLLECTION",
        completion: ArgumentCompletion.none,
        help: "The collection to copy from: of the target, of a context, or of an address"
    )
    var source: SourceArgument?

    @OptionGroup("Source") var selection: QueryOptions

    @Option(
        "--fields",
        value: "NAME,…",
        completion: ArgumentCompletion.none,
        help: "Copy only these top-level keys of each document"
    )
    var fields: FieldNames?

    @Option(
        "--version-type",
        value: "TYPE",
        help:
            "external: documents keep the numbers of their versions, and replace only older ones; for OpenSearch and Elasticsearch"
    )
    var versionType: VersionType?

    @OptionGroup("Guards") var guards: FeedGuards
    @OptionGroup("Feeding") var feeding: FeedingOptions
    @OptionGroup("Journal") var journal: JournalOptions
    @OptionGroup("Output") var output: OutputOptions

    func validate() throws {
        if source == nil { throw ValidationError("--source is missing; name a collection to copy from") }
        if journal.isQueueing { throw ValidationError("--queue cannot keep a collection; run it when both answer") }
        try guards.dryRun.refuse("--report", if: output.report != nil, because: "documents are only counted")
    }

    func run() async throws -> ExitCode {
        guard let source else { return .success }
        let options = feeding.options(missing: .error)
        let pages = try pages(of: source)
        if guards.dryRun.side != nil {
            let place = try target.resolve(collection: collection.name)
            return try await pages.preview(into: collection.required(in: place).name)
        }
        var input = PendingInput(pages)
        if pages.keepsVersions { input.dialect.version = VersionMember([], .external) }
        var feed = try FeedRun.prepare(.add, input, at: target, in: collection, guards.protection, options, output)
        feed.command = .copy
        try feed.refuse(source: pages.target, pages.collection)
        feed.journal = journal
        guards.alias.apply(to: &feed.target)
        feed.backup = guards.backup
        feed.verification = guards.verification
        return try await feed.run()
    }

    private func pages(of source: SourceArgument) throws -> SourceCollection {
        let from = try target.source(source, besides: collection.name)
        var pages = SourceCollection(
            target: from,
            collection: from.collection(source.collection),
            query: selection.query,
            keys: fields?.names ?? [],
            configuration: feeding.options(missing: .error).configuration
        )
        pages.keepsVersions = versionType == .external
        return pages
    }
}

extension Copy: JobMaker {
    var alias: AliasOptions { guards.alias }

    func keptInput() throws -> PendingInput {
        guard let source else { throw ValidationError("--source is missing; name a collection to copy from") }
        return PendingInput(try pages(of: source))
    }
}

/// What becomes of the versions of documents that are copied.
enum VersionType: String, CaseIterable, ArgumentValue {
    /// They stay, as numbers that others have given.
    case external
}

/// A collection to copy from: `COLLECTION`, `CONTEXT/COLLECTION` or `ADDRESS/COLLECTION`.
struct SourceArgument: ArgumentValue {
    /// Where the collection is; `nil` for the command's target.
    let place: OriginAddress?
    let collection: String
    let argumentText: String

    /// Creates what names a collection of a place, or of the command's own target.
    init(collection: String, of place: String?) {
        (self.place, self.collection) = (place.map { OriginAddress($0) }, collection)
        argumentText = (place.map { $0 + "/" } ?? "") + collection
    }

    init(argument word: String) throws(ArgumentExpectation) {
        let slash = word.lastIndex(of: "/")
        let name = slash.map { String(word[word.index(after: $0)...]) } ?? word
        let place = slash.map { String(word[..<$0]) }
        guard !name.isEmpty, place != "" else {
            throw ArgumentExpectation("a collection, such as pages, old/pages or sqlite:store.sqlite/pages")
        }
        self.init(collection: name, of: place)
    }
}

/// Names of top-level keys, separated by commas.
struct FieldNames: ArgumentValue {
    let names: [String]

    init(argument word: String) throws(ArgumentExpectation) {
        names = word.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard !names.contains("") else { throw ArgumentExpectation("names of keys, such as title,language") }
    }

    var argumentText: String { names.joined(separator: ",") }
}
