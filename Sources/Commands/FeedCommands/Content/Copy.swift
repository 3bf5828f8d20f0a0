package import ArgumentParsing
import CommandKit
import ContentFeeding
import DocumentSources
import EngineCatalog
import FeedFormats
import FeedJobs
import FeedReports
import Files
import JSONText
import ReportKit
import TextKit

struct Copy: Command {
    static let configuration = CommandConfiguration(
        "copy",
        foreignNames: ["reindex", "clone"],
        group: "Content",
        summary: "Copy documents from another collection, on any engine.",
        discussion: """
            The source is a collection on the same target (COLLECTION), in a context (CONTEXT/COLLECTION), or at an \
            address (sqlite:PATH/COLLECTION). Each document is added under its ID, and replaces an existing one; \
            nothing is removed. Its routing is copied if the target supports routing. Its version is copied only with \
            --version-type external. Data that Solr adds to documents is not copied: _version_, and fields that its \
            schema fills from others (copyField); these fields are listed. With --verify, the documents in the \
            collection are compared with those that were sent. Credentials given here are for the target; the source's \
            credentials come from its context.

            Documents written to the source during the copy are copied too: the copy ends once the source has not \
            changed until all of its documents were sent. If the source is still being fed then, documents written in \
            the last moments of the run may be missing; run the copy again, or stop feeding the source first. If part \
            of the source does not answer, or the number of documents differs from the number that the source reports, \
            the run is reported as incomplete. An interrupted copy resumes when it is run again; if the source has \
            changed, it starts over.

            With --with, the collection is created from the source's definition; an existing one is accepted only if \
            it has everything that the definition specifies. Between kinds of engines, values that can't be carried \
            over are listed in a table; with --strict, nothing is sent if there are any.

            For a local copy that you can search and change offline, pushing the changes back later, see 'fastctl replicas'.
            """,
        examples: [
            .init("fastctl copy -c pages --source old/pages", "Copy from a collection in another context"),
            .init(
                "fastctl copy -c german --source pages --where language=de",
                "Copy part of a collection into another"
            ),
            .init("fastctl copy -c pages --source old/pages --dry-run", "Only count the documents"),
        ],
        commonOptions: [
            "--collection", "--source", "--where", "--fields", "--dry-run", "--verify", "--target", "--quiet",
        ],
        optionAdvice: ["--from": places, "--to": places]
    )

    private static let places = "--source [CONTEXT/]NAME is copied to --collection NAME"

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Collection") var collection: CollectionOptions

    @Option(
        "--source",
        value: "[CONTEXT/]COLLECTION",
        completion: ArgumentCompletion.none,
        help: "The collection to copy from: on the target, in a context, or at an address"
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
            "external: documents keep their version numbers and replace only older ones; for OpenSearch and Elasticsearch"
    )
    var versionType: VersionType?

    @Option(
        "--with",
        value: "PART,…",
        help:
            "Create the collection first, with these parts of the source's definition: settings, mappings, aliases"
    )
    var parts: CopiedParts?

    @Flag("--strict", help: "Send nothing if a value of the definition can't be carried over to the target's engine")
    var isStrict

    @OptionGroup("Guards") var guards: FeedGuards
    @OptionGroup("Feeding") var feeding: FeedingOptions
    @OptionGroup("Journal") var journal: JournalOptions
    @OptionGroup("Journal") var retry: RetryOptions
    @OptionGroup("Output") var output: OutputOptions

    func validate() throws {
        if source == nil { throw ValidationError("--source is missing; name a collection to copy from") }
        try guards.dryRun.refuse("--report", if: output.report != nil, because: "documents are only counted")
        if isStrict, parts == nil {
            throw ValidationError("--strict requires --with, because it is about the definition")
        }
        try guards.dryRun.refuse("--with", if: parts != nil, because: "nothing is created")
    }

    func run() async throws -> ExitCode {
        guard let source else { return .success }
        let options = feeding.options(missing: .error)
        let pages = try pages(of: source)
        if guards.dryRun.side != nil {
            let to = try target.resolve(collection: collection.name)
            let place = try collection.required(in: to)
            try FeedRun.refuse(source: (pages.target, pages.collection), of: .add, in: (to, place))
            let documents = Quantity(try await pages.count(), "document", "documents")
            StandardError.say(
                "dry run: \(documents) from \(pages.name) would be copied to \(place.name); nothing was sent"
            )
            return .success
        }
        var input = PendingInput(pages)
        if pages.keepsVersions { input.dialect.version = VersionMember([], .external) }
        var feed = try FeedRun.prepare(
            .add,
            input,
            at: target,
            in: collection,
            guards.protection,
            options,
            journal,
            output
        )
        feed.command = .copy
        try feed.refuse(source: (pages.target, pages.collection))
        guards.alias.apply(to: &feed.plan.target)
        feed.plan.jobs.retried = retry.job
        feed.plan.backup = guards.backup
        feed.plan.verification = guards.verification
        if let parts {
            let plan = feed.plan
            try await parts.create(
                plan.collection.engineName,
                at: plan.target,
                from: pages.collection.engineName,
                at: pages.target,
                isStrict: isStrict
            )
        }
        return try await feed.run()
    }

    private func pages(of source: SourceArgument) throws -> SourceCollection {
        let from = try target.source(source, besides: collection.name)
        return SourceCollection(
            target: from,
            collection: from.collection(source.collection),
            query: selection.query,
            keys: fields?.names ?? [],
            keepsVersions: versionType == .external,
            configuration: feeding.options(missing: .error).configuration
        )
    }
}

extension Copy: JobMaker {
    var alias: AliasOptions { guards.alias }

    func keptInput() throws -> PendingInput {
        guard let source else { throw ValidationError("--source is missing; name a collection to copy from") }
        return PendingInput(try pages(of: source))
    }
}

/// The treatment of the versions of copied documents.
enum VersionType: String, CaseIterable, ArgumentValue {
    /// The versions are kept, as numbers assigned by an external system.
    case external
}

/// A collection to copy from: `COLLECTION`, `CONTEXT/COLLECTION` or `ADDRESS/COLLECTION`.
package struct SourceArgument: ArgumentValue {
    /// The place of the collection; `nil` for the command's target.
    let place: OriginAddress?
    package let collection: String
    package let argumentText: String

    /// Creates an argument that names a collection in a place, or in the command's own target.
    init(collection: String, of place: String?) {
        (self.place, self.collection) = (place.map { OriginAddress($0) }, collection)
        argumentText = (place.map { $0 + "/" } ?? "") + collection
    }

    package init(argument word: String) throws(ArgumentExpectation) {
        let slash = word.lastIndex(of: "/")
        let name = slash.map { String(word[word.index(after: $0)...]) } ?? word
        let place = slash.map { String(word[..<$0]) }
        guard !name.isEmpty, place != "" else {
            throw ArgumentExpectation("a collection, such as pages, old/pages or sqlite:store.sqlite/pages")
        }
        // The address of a file or of another source would be mistaken for a name.
        guard place != nil || !name.contains(":") else {
            throw ArgumentExpectation(
                "a collection, such as pages, old/pages or sqlite:store.sqlite/pages; one with a colon in its name needs "
                    + "its context or address before it, and 'fastctl add --source' reads other sources"
            )
        }
        self.init(collection: name, of: place)
    }
}

/// Names of top-level keys, separated by commas.
struct FieldNames: ArgumentValue {
    let names: [String]

    init(argument word: String) throws(ArgumentExpectation) {
        names = word.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard !names.contains("") else { throw ArgumentExpectation("key names, such as title,language") }
    }

    package var argumentText: String { names.joined(separator: ",") }
}

struct SourceCommands: CommandGroup {
    static let configuration = CommandConfiguration(
        "source",
        group: "Content",
        summary: "Inspect document sources: folders, databases, storage accounts, sitemaps, collections.",
        discussion: """
            An address specifies a source:

            dir:PATH – the files below a folder, as HTML, JSON or text; ?glob=**/*.html, id=path, name or url (with \
            base=URL), version=modified or digest, encoding=NAME

            jsonl:PATH, csv:PATH, tsv:PATH – the documents in a file; ?id=KEY, version=KEY, routing=KEY, encoding=NAME, \
            delimiter=CHAR, columns=NAME:TYPE,…

            sqlite-query:PATH?query=SELECT… – the rows that a query returns from an SQLite database; id=COLUMN, \
            version=COLUMN and routing=COLUMN come before the query

            sitemap+https://HOST/sitemap.xml, sitemap:PATH – the pages that a sitemap or a sitemap index lists

            azure-table+https://ACCOUNT.table.core.windows.net/TABLE – the entities of a table; ?filter=, id=PROPERTY

            azure-blob+https://ACCOUNT.blob.core.windows.net/CONTAINER[/PREFIX] – the blobs of a container

            COLLECTION, CONTEXT/COLLECTION, sqlite:PATH/COLLECTION – the documents in a collection; ?version=KEY

            In parameter values, %XX stands for a byte; a query is used as is. An address never contains a secret: \
            supply credentials with --source-credentials-file.
            """,
        examples: [
            .init("fastctl source show 'dir:site?glob=**/*.html'", "Show what a folder contains"),
            .init("fastctl add -c WebCollection --source 'dir:site?glob=**/*.html'", "Add its pages"),
        ],
        subcommands: [ShowSource.self, SampleSource.self, CountSource.self]
    )
}

/// The source that a command examines.
private struct SourceArguments: OptionSetting {
    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Source") var access: SourceAccess

    /// Opens a source, and begins to read it.
    func open(
        _ text: SourceText,
        for contents: SourceContents
    ) async throws -> (documents: any DocumentSource, entries: SourceEntries) {
        let address = try text.address(of: "ADDRESS")
        let documents = try await OpenableSource(address, access, at: target, besides: nil).open()
        let reader = try await documents.reader(of: contents, from: .beginning)
        return (documents, SourceEntries(reader))
    }
}

private struct ShowSource: Command {
    static let configuration = CommandConfiguration(
        "show",
        summary: "Show what kind of source an address refers to, and the keys of the first entry.",
        examples: [.init("fastctl source show 'csv:pages.csv?id=url'", "Show a table")]
    )

    @OptionGroup("Source") var source: SourceArguments
    @Option(output: OutputForm.answer, help: "The output format: text, or one JSON object")
    var form
    @Argument("ADDRESS", completion: ArgumentCompletion.none, help: "The source") var address: SourceText

    func run() async throws -> ExitCode {
        var (documents, entries) = try await source.open(address, for: .documents)
        var object = SourceObject(documents)
        if let entry = try await entries.first() {
            object.first = (entry.id.text, entry.version, try entry.keys)
        }
        try object.print(as: form)
        return ExitCode(entries.status)
    }
}

private struct SampleSource: Command {
    static let configuration = CommandConfiguration(
        "sample",
        summary: "Print the first documents in a source.",
        discussion: "With -o ndjson, 'fastctl add' accepts the output as is.",
        examples: [
            .init("fastctl source sample --limit 3 'sqlite-query:cms.db?query=SELECT * FROM page'", "Three rows")
        ]
    )

    @OptionGroup("Source") var source: SourceArguments
    @OptionGroup("Output") var output: DocumentOutputOptions
    @Option("--limit", value: "N", help: "Print this many documents") var limit = 10
    @Argument("ADDRESS", completion: ArgumentCompletion.none, help: "The source") var address: SourceText

    func validate() throws {
        if limit < 1 { throw ValidationError("--limit must be at least 1") }
        try output.check()
    }

    func run() async throws -> ExitCode {
        var (documents, entries) = try await source.open(address, for: .documents)
        let printer = DocumentPrinter(output, in: CollectionName(documents.name))
        var left = limit
        while left > 0, let page = try await entries.next() {
            try printer.print(
                page.prefix(left).map { entry in
                    StoredDocument(
                        id: entry.id,
                        version: nil,
                        routing: entry.routing,
                        json: entry.json ?? Array("{}".utf8)
                    )
                }
            )
            left -= min(left, page.count)
        }
        return ExitCode(.first(of: [try printer.finish(), entries.status]))
    }
}

private struct CountSource: Command {
    static let configuration = CommandConfiguration(
        "count",
        summary: "Count the entries in a source, reading all of it.",
        discussion: "Anything that is not an entry is rejected and listed; the exit code is then 65.",
        examples: [.init("fastctl source count 'dir:site?glob=**/*.html'", "Count the pages in a folder")]
    )

    @OptionGroup("Source") var source: SourceArguments
    @Option(output: OutputForm.answer, help: "The output format: text, or one JSON object")
    var form
    @Argument("ADDRESS", completion: ArgumentCompletion.none, help: "The source") var address: SourceText

    func run() async throws -> ExitCode {
        var (documents, entries) = try await source.open(address, for: .versions)
        var count = 0
        while let page = try await entries.next() { count += page.count }
        if count == 0, entries.rejected == 0 {
            let patterns = try address.address(of: "ADDRESS").values(of: "glob").joined(separator: ", ")
            StandardError.say("\(documents.name): \(patterns.isEmpty ? "no entries" : "nothing matches \(patterns)")")
        }
        var object = SourceObject(documents)
        object.count = (count, entries.rejected)
        if form == .text {
            var bytes = Array("\(count)\n".utf8)
            try StandardOutput().drainOrStop(&bytes)
        } else {
            try object.print(as: form)
        }
        return ExitCode(entries.status)
    }
}

/// The entries of a source, whose rejections are reported as they occur.
private struct SourceEntries {
    private let reader: any SourceReader
    private(set) var rejected = 0
    /// The number of rejections that may still be reported individually.
    private var namedLeft = 100

    init(_ reader: any SourceReader) { self.reader = reader }

    /// The exit status that results from the rejections.
    var status: ExitStatus { rejected > 0 ? .inputRejected : .done }

    mutating func next() async throws -> [SourceEntry]? {
        guard let page = try await reader.next() else {
            if rejected > 0 { StandardError.say("\(Quantity(rejected, "entry was", "entries were")) rejected") }
            return nil
        }
        for rejection in page.rejections.prefix(namedLeft) { StandardError.say("\(rejection)") }
        namedLeft -= min(namedLeft, page.rejections.count)
        rejected += page.rejected
        return page.entries
    }

    mutating func first() async throws -> SourceEntry? {
        while let page = try await next() {
            if let first = page.first { return first }
        }
        return nil
    }
}

extension SourceEntry {
    /// The top-level keys of the document, in its order; none if there is no document.
    fileprivate var keys: [String] {
        get throws { try json.map { try JSONMembers(of: $0.span).all.map(\.key) } ?? [] }
    }
}

extension SourceObject {
    fileprivate init(_ source: any DocumentSource) {
        let traits = source.traits
        self.init(
            source.name,
            isOrdered: traits.isOrdered,
            versionKey: traits.versionKey,
            hasDocuments: traits.hasDocuments
        )
    }

    fileprivate func print(as form: OutputForm) throws {
        var bytes: [UInt8] = []
        switch form {
        case .json: append(to: &bytes)
        case .text:
            for (title, value) in lines {
                let padding = String(repeating: " ", count: max(1, 11 - title.count))
                bytes.append(contentsOf: (title + padding + SafeText.escaping(value) + "\n").utf8)
            }
        default: form.failAsUndeclared()
        }
        try StandardOutput().drainOrStop(&bytes)
    }
}
