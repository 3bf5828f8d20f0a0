import ArgumentParsing
import CommandKit
import ContentFeeding
import EngineCatalog
import FeedFormats
import FeedJobs

struct Add: DocumentCommand {
    static let configuration = CommandConfiguration(
        "add",
        foreignNames: ["import", "put", "insert", "upload", "load", "index", "feed", "docpush"],
        group: "Content",
        summary: "Add documents, replacing existing ones completely.",
        discussion: """
            A document is a JSON object on one line; its key 'id' holds the ID. The output of 'fastctl get -o ndjson' \
            and 'fastctl remove --backup' can be added as is; each document keeps its routing. A document without a \
            routing value in the input replaces the one with the same ID, wherever it is stored.

            In JSONL input, the line {"remove": "ID"} removes a document, in input order; --backup writes such a line \
            for a document that did not exist before.

            In a .csv or .tsv file the first row names the keys, and all values are strings unless --columns gives them \
            types; an empty cell means that the document lacks the key, and a pair of quotation marks means an empty \
            string. An .xml file contains a Solr <add> message.

            Dumps of other programs are read with --format: bulk (the _bulk requests of OpenSearch and Elasticsearch, \
            whose actions are carried out in their order), elasticdump, json (arrays, or values over several lines) and \
            solr-json. A record that can't be carried out exactly is rejected, with its line and the reason.

            With --source, the documents are read from a folder, a database, a storage account, a sitemap or another \
            collection. An interrupted run resumes where it stopped; entries that are not documents are rejected and \
            listed. 'fastctl source show' shows the contents of a source.
            """,
        examples: [
            .init("fastctl add -c WebCollection pages.jsonl", "Add the documents in a file"),
            .init("fastctl add -c WebCollection --id-field url < pages.jsonl", "Use the key 'url' as the ID"),
            .init("fastctl add -c WebCollection pages.csv", "Add the rows of a table"),
            .init("fastctl add -c pages --format bulk dump.ndjson", "Carry out the requests in a _bulk file"),
            .init("fastctl add -c pages --format elasticdump:old-pages data.json.gz", "Add a dump of another index"),
            .init("fastctl add -c WebCollection --source 'dir:site?glob=**/*.html'", "Add the pages in a folder"),
        ],
        commonOptions: [
            "--collection", "--format", "--source", "--dry-run", "--backup", "--version-field", "--failed", "--target",
            "--verify", "--quiet",
        ],
        optionAdvice: [
            "--from": "FILE is an argument: 'fastctl add FILE'",
            "--file": "FILE is an argument: 'fastctl add FILE'",
            "--create": "--op-type create reports an existing document as an error",
        ]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Collection") var collection: CollectionOptions
    @OptionGroup("Input") var input: DocumentOptions
    @OptionGroup("Source") var source: SourceOptions
    @OptionGroup("Guards") var guards: FeedGuards
    @OptionGroup("Guards") var removals: RemovalsAmongDocuments
    @OptionGroup("Feeding") var feeding: FeedingOptions
    @OptionGroup("Pipeline") var pipeline: PipelineOptions
    @OptionGroup("Journal") var journal: JournalOptions
    @OptionGroup("Journal") var retry: RetryOptions
    @OptionGroup("Journal") var queue: QueueOptions
    @OptionGroup("Output") var output: OutputOptions

    @Option("--missing", value: "POLICY", help: "How to treat a removal whose document does not exist")
    var missing = MissingPolicy.error

    /// The treatment of an existing document.
    enum OperationType: String, CaseIterable, ArgumentValue {
        case index, create
    }

    @Option("--op-type", value: "TYPE", help: "index replaces an existing document; create reports it as an error")
    var operationType = OperationType.index

    @Argument("FILE", completion: .files, help: "Document files; '-' or no file means standard input")
    var files: [String]

    func validate() throws {
        try guards.dryRun.refuse("--failed", if: input.feed.failedRecords != nil, because: "nothing is sent")
        guard source.isGiven else { return }
        if !files.isEmpty { throw ValidationError("--source supplies the documents; leave out the files") }
        try input.refuseForSource()
        try queue.refuseForSource()
    }

    func run() async throws -> ExitCode {
        let source = try source.source(at: target, besides: collection.name)
        let input = try pendingInput(in: files, from: source)
        if let side = guards.dryRun.side {
            if let place = try? resolved() { try FeedRun.refuse(source: source?.collectionChoice, of: .add, in: place) }
            var dryRun = dryRun(.add, input, side)
            dryRun.addsOnlyNew = operationType == .create
            return try await dryRun.run()
        }
        var options = feeding.options(missing: missing)
        options.configuration.addsOnlyNew = operationType == .create
        let feed = try feedRun(.add, input, options)
        try feed.refuse(source: source?.collectionChoice)
        return try await feed.run()
    }

    /// Returns the documents of the source, or of the files.
    private func pendingInput(in files: [String], from source: OpenableSource?) throws -> PendingInput {
        guard let source else { return try records(in: files) }
        var configuration = feeding.options(missing: missing).configuration
        configuration.addsOnlyNew = operationType == .create
        var pending = PendingInput(SourceInput(source: source, kind: .add, configuration: configuration))
        pending.failsOnEmpty = input.feed.failsOnEmpty
        return pending
    }
}

struct Update: DocumentCommand {
    static let configuration = CommandConfiguration(
        "update",
        foreignNames: ["patch", "upsert", "modify"],
        group: "Content",
        summary: "Merge top-level keys into documents.",
        discussion: """
            Each line is a JSON object with the document's ID and the keys to change; null removes a key. A document \
            that does not exist is an error for that document only; with --missing add, it is added.

            A key can have operators instead of a value: {"$inc": 1} adds to a number, {"$add": ["a"]} and \
            {"$remove": ["a"]} change a list, and {"$set": VALUE} sets any value. The key of an operator can be a path, \
            as in {"price.net": {"$inc": 5}}.

            With --upsert-from KEY, each object also has a key with a whole document. It is added if no document has \
            the ID; otherwise, it is ignored, and the other keys are changed.

            In a .csv or .tsv file an empty cell leaves its key unchanged. In an .xml file, a Solr <add> message, each \
            field is replaced, as with update="set"; null="true" removes it.
            """,
        examples: [
            .init("fastctl update -c WebCollection changes.jsonl", "Apply the changes in a file"),
            .init(
                #"echo '{"id":"A","title":"New"}' | fastctl update -c WebCollection"#,
                "Change one document's title"
            ),
            .init(
                #"echo '{"id":"A","views":{"$inc":1}}' | fastctl update -c WebCollection --missing add"#,
                "Increment a counter, starting at 1 in a new document"
            ),
            .init(
                #"echo '{"id":"A","views":{"$inc":1},"new":{"views":1,"title":"A"}}' | fastctl update -c web --upsert-from new"#,
                "Increment a counter, or add the whole document under 'new'"
            ),
        ],
        commonOptions: [
            "--collection", "--format", "--missing", "--dry-run", "--backup", "--version-field", "--failed", "--target",
            "--quiet",
        ],
        optionAdvice: [
            "--from": "FILE is an argument: 'fastctl update FILE'",
            "--file": "FILE is an argument: 'fastctl update FILE'",
            "--set": #"The keys to change are JSON: echo '{"id":"ID","KEY":"VALUE"}' | fastctl update"#,
            "--upsert": "--missing add adds a document that does not exist",
        ]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Collection") var collection: CollectionOptions
    @OptionGroup("Input") var input: DocumentOptions
    @OptionGroup("Guards") var guards: FeedGuards
    @OptionGroup("Guards") var removals: RemovalsAmongDocuments
    @OptionGroup("Feeding") var feeding: FeedingOptions
    @OptionGroup("Pipeline") var pipeline: PipelineOptions
    @OptionGroup("Journal") var journal: JournalOptions
    @OptionGroup("Journal") var retry: RetryOptions
    @OptionGroup("Journal") var queue: QueueOptions
    @OptionGroup("Output") var output: OutputOptions

    /// The treatment of a document that does not exist.
    enum MissingDocument: String, CaseIterable, ArgumentValue {
        case error, warn, ignore, add
    }

    @Option("--missing", value: "POLICY", help: "How to treat a document that does not exist; an error by default")
    var missingDocument: MissingDocument?

    @Option(
        "--upsert-from",
        value: "KEY",
        completion: ArgumentCompletion.none,
        help: "Add the whole document under this key of the input if the document does not exist (JSONL and JSON)"
    )
    var upsertKey: String?

    @Argument("FILE", completion: .files, help: "Document files; '-' or no file means standard input")
    var files: [String]

    var missing: MissingPolicy { missingDocument.flatMap { MissingPolicy(rawValue: $0.rawValue) } ?? .error }

    func validate() throws {
        try guards.dryRun.refuse("--failed", if: input.feed.failedRecords != nil, because: "nothing is sent")
        guard let upsertKey else { return }
        if upsertKey.isEmpty || upsertKey == input.field ?? "id" {
            throw ValidationError("--upsert-from needs the name of a key other than the ID's")
        }
        if let missingDocument, missingDocument != .add {
            throw ValidationError("--upsert-from adds a missing document; leave out --missing")
        }
    }

    /// Returns the documents in files, with their whole documents if there are any.
    private func updates(in files: [String]) throws -> PendingInput {
        var pending = try records(in: files)
        if case .bulk = pending.format { pending.dialect.addsMissing = missingDocument == .add }
        guard let upsertKey else { return pending }
        switch pending.format {
        case .jsonLines, .json: pending.dialect.upsertKey = upsertKey
        default: throw ArgumentError("--upsert-from needs documents in JSON, --format jsonl or json")
        }
        return pending
    }

    func run() async throws -> ExitCode {
        let input = try updates(in: files)
        if input.dialect.version?.kind == .external {
            throw ArgumentError(
                "an update can't set an external version: add the whole document, or use --version-type unchanged"
            )
        }
        let addsMissing = missingDocument == .add || upsertKey != nil
        if let side = guards.dryRun.side {
            var dryRun = dryRun(.update, input, side)
            dryRun.addsMissing = addsMissing
            return try await dryRun.run()
        }
        var options = feeding.options(missing: missing)
        options.configuration.addsMissing = addsMissing
        return try await feedRun(.update, input, options).run()
    }
}

/// A command whose input is documents: the common part of adding and updating.
private protocol DocumentCommand: Command {
    var target: TargetOptions { get }
    var collection: CollectionOptions { get }
    var input: DocumentOptions { get }
    var guards: FeedGuards { get }
    var removals: RemovalsAmongDocuments { get }
    var pipeline: PipelineOptions { get }
    var journal: JournalOptions { get }
    var retry: RetryOptions { get }
    var queue: QueueOptions { get }
    var output: OutputOptions { get }
    var missing: MissingPolicy { get }
}

extension DocumentCommand {
    /// Returns the documents in files.
    fileprivate func records(in files: [String]) throws -> PendingInput {
        let name = Self.configuration.name
        var pending = try input.input(
            in: files,
            of: { try target.resolve(collection: collection.name).resolved.collection },
            example: "fastctl \(name) --collection WebCollection pages.jsonl"
        )
        pending.dialect.version = try input.feed.version(of: pending.format, guards.dryRun.side)
        return pending
    }

    fileprivate func dryRun(_ kind: ContentOperation.Kind, _ input: PendingInput, _ side: DryRunSide) -> DryRun {
        var dryRun = DryRun(kind, input, side, guards.dryRun, output) { try resolved() }
        dryRun.limit = removals.maximum
        return dryRun
    }

    fileprivate func feedRun(
        _ kind: ContentOperation.Kind,
        _ documents: PendingInput,
        _ options: FeedOptions
    ) throws -> FeedRun {
        var feed = try FeedRun.prepare(
            kind,
            documents,
            at: target,
            in: collection,
            guards.protection,
            options,
            journal,
            output,
            queue
        )
        guards.alias.apply(to: &feed.plan.target)
        feed.plan.jobs.retried = retry.job
        feed.plan.target.options.checksMissing = missing != .ignore
        try pipeline.apply(to: &feed.plan.target)
        input.idKey.apply(field: input.field, to: &feed.plan.target)
        feed.plan.backup = guards.backup
        feed.plan.limit = removals.maximum
        feed.plan.failedRecords = input.feed.failedRecords
        feed.plan.verification = guards.verification
        return feed
    }

    fileprivate func resolved() throws -> (OpenableTarget, CollectionChoice) {
        var target = try target.resolve(collection: collection.name)
        guards.alias.apply(to: &target)
        input.idKey.apply(field: input.field, to: &target)
        return (target, try collection.required(in: target))
    }
}

extension Add: JobMaker {
    var alias: AliasOptions { guards.alias }

    func keptInput() throws -> PendingInput {
        let source = try source.source(at: target, besides: collection.name)
        return try pendingInput(in: files.isEmpty && source == nil ? ["-"] : files, from: source).kept
    }
}

extension Update: JobMaker {
    var alias: AliasOptions { guards.alias }

    func keptInput() throws -> PendingInput { try updates(in: files.isEmpty ? ["-"] : files).kept }
}
