import ArgumentParsing
import CommandKit
import ContentFeeding
import EngineCatalog
import FeedFormats
import FeedJobs
import Files
import Glibc
import ReportKit
import TextKit

struct Remove: Command {
    static let configuration = CommandConfiguration(
        "remove",
        foreignNames: ["delete", "rm", "del", "erase", "Remove-ContentItem", "remove-contentitem"],
        group: "Content",
        summary: "Remove documents by ID, or by content.",
        discussion: """
            IDs are read from the arguments first, then from each --from FILE; standard input is read if neither is \
            given, or in place of '-'. Put an ID that begins with '-' after '--'. In a pipe from 'fastctl find', a \
            failed search goes unnoticed without 'set -o pipefail'.

            A document that does not exist is an error for that document only; the run continues, and the exit code is \
            1. A removed document can no longer be read by its ID. Searches of an embedded index no longer find it; \
            on other engines, they may find it until the next refresh, unless --wait live is given. 'fastctl \
            collections optimize' erases it from the disk.

            A removal without --backup can't be undone. With it, 'fastctl undo JOB' restores the documents. After \
            --no-journal, 'fastctl add --format jsonl FILE' does.

            --backup reads each document just before it is removed; a change made after that is removed too, but is \
            not in the file. A backup that would be incomplete is refused, with the name of the field: on Solr because \
            of child documents or of fields that are not stored, on OpenSearch and Elasticsearch because of a mapping \
            that does not keep all fields. --verify looks the IDs up again at the end.

            A document that OpenSearch or Elasticsearch places by routing is found by its ID on any shard. If several \
            documents have the same ID, specify the routing of the one to remove: the output of 'fastctl find -o \
            ndjson' contains it, and --format jsonl reads it; --routing VALUE applies to all IDs.

            --query and --where first find all matching documents, as they are at that moment, and then remove them by \
            ID, with all guards, at the given --rate. Documents written later are kept; a document that no longer \
            matches when its turn comes is still removed. To resume an interrupted run, run it again: it finds the \
            remaining documents.

            --source removes the documents whose IDs a source lists: a file, a database query, or another collection.
            """,
        examples: [
            .init("cat ids.txt | fastctl remove -c WebCollection", "Remove the IDs from a pipe"),
            .init("fastctl remove -c WebCollection --from ids.txt --dry-run=server", "First see which documents exist"),
            .init(
                "fastctl remove -c WebCollection --from ids.txt --backup removed.jsonl",
                "Keep a copy of the removed documents"
            ),
            .init(
                "fastctl remove -c web --query 'date:[* TO 2019]' --max-remove 10% --dry-run",
                "See what a query finds before removing it"
            ),
            .init(
                "fastctl remove -c web --source 'sqlite-query:cms.db?query=SELECT url FROM page WHERE deleted'",
                "Remove the documents that a database lists"
            ),
            .init(
                "find . -name '*.html' -print0 | fastctl remove -c WebCollection -0",
                "Read the NUL-terminated names that find writes"
            ),
        ],
        commonOptions: [
            "--collection", "--from", "--format", "--column", "--where", "--dry-run", "--max-remove", "--backup",
            "--verify", "--failed", "--target", "--quiet",
        ],
        optionAdvice: [
            "--max-delete": "--max-remove N or N% refuses to remove more documents than that",
            "--force": unasked, "-y": unasked, "--yes": unasked,
            "--match": byContent, "--filter": byContent, "--id": IDOptions.adviceForID, "--ids": IDOptions.adviceForID,
        ]
    )

    private static let unasked =
        "There is no prompt, except for a protected context, which --confirm NAME confirms"

    private static let byContent =
        "--where NAME=VALUE removes the documents whose field has this value; --query, those that match a query in the "
        + "engine's own language"

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Collection") var collection: CollectionOptions
    @OptionGroup("Input") var input: IDOptions
    @OptionGroup("Records") var feedInput: FeedInputOptions
    @OptionGroup("Source") var source: SourceOptions
    @OptionGroup("Query") var selection: QueryOptions
    @OptionGroup("Guards") var guards: RemovalGuards
    @OptionGroup("Feeding") var feeding: FeedingOptions
    @OptionGroup("Journal") var journal: JournalOptions
    @OptionGroup("Journal") var retry: RetryOptions
    @OptionGroup("Journal") var queue: QueueOptions
    @OptionGroup("Output") var output: OutputOptions

    @Option("--missing", value: "POLICY", help: "How to treat a document that does not exist")
    var missing = MissingPolicy.error

    @Flag(
        "--check-missing",
        inverse: "--no-check-missing",
        help: "Look up each document first if the engine cannot report whether it existed (unless --missing ignore)"
    )
    var checksMissing: Bool?

    @Flag(
        "--erase",
        formerly: "--purge",
        help: "At the end, erase the removed documents from the disk, as 'collections optimize' does"
    )
    var isPurging

    @Argument("ID", completion: ArgumentCompletion.none, help: "IDs to remove; '-' is standard input")
    var ids: [String]

    func validate() throws {
        let dryRun = guards.dryRun
        try dryRun.refuse("--backup", if: guards.backup != nil, because: "nothing is removed")
        try dryRun.refuse("--failed", if: feedInput.failedRecords != nil, because: "nothing is sent")
        try dryRun.refuse("--erase", if: isPurging, because: "nothing is removed")
        try dryRun.refuse("--verify", if: guards.verification != nil, because: "nothing is removed")
        try feedInput.checkVersionType(hasVersions: input.format == .bulk)
        try checkSource()
        guard selection.isGiven else { return }
        if !ids.isEmpty || !input.files.isEmpty {
            throw ValidationError("--query and --where supply the IDs; leave out all others")
        }
        if feedInput.failedRecords != nil {
            throw ValidationError("--failed can't be used with --query or --where, which read no records")
        }
        let ofRecords = [
            ("--routing", input.routing != nil), ("--routing-field", input.routingField != nil),
            ("--version-field", feedInput.versionField != nil),
        ]
        for (name, isGiven) in ofRecords where isGiven {
            throw ValidationError(
                "\(name) is for IDs from files and pipes; --query and --where would find documents regardless of it"
            )
        }
        if journal.isResuming || journal.isRestarting || queue.isQueueing {
            throw ValidationError(
                "--resume, --restart and --queue can't be used with --query or --where, which search again and keep no job"
            )
        }
    }

    private func checkSource() throws {
        guard source.isGiven else { return }
        if selection.isGiven {
            throw ValidationError("--source supplies the IDs; it can't be combined with --query and --where")
        }
        if !ids.isEmpty { throw ValidationError("--source supplies the IDs; leave out all others") }
        try input.refuseForSource()
        try feedInput.refuseForSource()
        try queue.refuseForSource()
    }

    func run() async throws -> ExitCode {
        let source = try source.source(at: target, besides: collection.name)
        let input = try pendingInput(ids, from: source)
        remarkOnFiles()
        if input.dialect.version != nil, guards.maximum != nil {
            throw ArgumentError("--max-remove buffers IDs without their versions: leave out --version-field")
        }
        if let side = guards.dryRun.side {
            if let place = try? resolved() {
                try FeedRun.refuse(source: source?.collectionChoice, of: .remove, in: place)
            }
            var dryRun = DryRun(.remove, input, side, guards.dryRun, output) { try resolved() }
            dryRun.limit = guards.maximum
            return try await dryRun.run()
        }
        var feed = try FeedRun.prepare(
            .remove,
            input,
            at: target,
            in: collection,
            guards.protection,
            feeding.options(missing: missing),
            journal,
            output,
            queue
        )
        try feed.refuse(source: source?.collectionChoice)
        feed.plan.target.options.checksMissing = checksMissing ?? (missing != .ignore)
        guards.alias.apply(to: &feed.plan.target)
        feed.plan.jobs.retried = retry.job
        feed.plan.findsFirst = selection.isGiven
        feed.plan.limit = guards.maximum
        feed.plan.backup = guards.backup
        feed.plan.failedRecords = feedInput.failedRecords
        if isPurging { feed.plan.purge = { store, name in try await OptimizationRun(store, name).run() } }
        feed.plan.verification = guards.verification
        return try await feed.run()
    }

    private func resolved() throws -> (OpenableTarget, CollectionChoice) {
        var target = try target.resolve(collection: collection.name)
        guards.alias.apply(to: &target)
        return (target, try collection.required(in: target))
    }

    /// Warns that a file may be interpreted differently than intended: its name as an ID, or a table or an array as a
    /// list of IDs.
    private func remarkOnFiles() {
        if let file = ids.first(where: { $0 != "-" && NewFile.exists($0) }) {
            StandardError.say(
                "'\(file)' is interpreted as an ID; to remove the IDs in the file of that name, use --from \(file)"
            )
        }
        if ids.contains("*") {
            StandardError.say("'*' is interpreted as an ID, not as a pattern")
        }
        guard input.format == .lines else { return }
        // A pipe can be read only once, by the run itself.
        for file in input.files {
            let hasComments = input.dialect.hasComments
            guard let titles = TableTitles(of: file, hasComments: hasComments) else { continue }
            if let options = titles.options {
                StandardError.say(
                    "\(file) looks like a table, but is read as one ID per line; to read its ID column, use \(options)"
                )
            } else if titles.isComment, !hasComments {
                StandardError.say(
                    "\(file) begins with '#', and that line is read as an ID too; to skip such lines, use --comments, "
                        + "and --trim if there are blanks around the IDs"
                )
            } else if titles.isArray {
                StandardError.say(
                    "\(file) looks like a JSON array, but is read as one ID per line; for an array of IDs, run: "
                        + "jq -r '.[]' \(CommandLineWords.quoted(file)) | fastctl remove …"
                )
            } else if titles.isOfPowerShell {
                StandardError.say(
                    "\(file) looks like a table from PowerShell, but is read as one ID per line; for its first column, "
                        + "use --format csv --comments --header --column 1"
                )
            } else if titles.isOneQuotedText {
                StandardError.say(
                    "\(file) begins with an ID in quotes, which are part of the ID; for the text between them, use "
                        + "--format csv --column 1"
                )
            }
        }
    }

    /// Returns the given IDs, the IDs from the source, or the IDs of the documents that the search will find.
    private func pendingInput(_ ids: [String], from source: OpenableSource?) throws -> PendingInput {
        if let source {
            let configuration = feeding.options(missing: missing).configuration
            var pending = PendingInput(SourceInput(source: source, kind: .remove, configuration: configuration))
            pending.failsOnEmpty = feedInput.failsOnEmpty
            return pending
        }
        guard selection.isGiven else {
            var given = try input.input(
                with: ids,
                feedInput.delimiter,
                failsOnEmpty: feedInput.failsOnEmpty,
                in: { try self.target.resolve(collection: self.collection.name).resolved.collection },
                example: "cat ids.txt | fastctl remove --collection WebCollection"
            )
            given.dialect.skippedLines = try feedInput.linesToSkip(isTable: input.isTable)
            given.dialect.version = try feedInput.version(of: given.format, guards.dryRun.side)
            return given
        }
        let (target, collection) = try resolved()
        var found = PendingInput(FoundDocuments(target: target, collection: collection, query: selection.query))
        found.failsOnEmpty = feedInput.failsOnEmpty
        return found
    }
}

extension Remove: JobMaker {
    var alias: AliasOptions { guards.alias }

    func keptInput() throws -> PendingInput {
        guard !selection.isGiven else {
            throw Failure(
                .inputNotOpened,
                "the job's documents were found by a search, which is not kept",
                advice: "search for them: fastctl find"
            )
        }
        let source = try source.source(at: target, besides: collection.name)
        let isPiped = ids.isEmpty && input.files.isEmpty && !selection.isGiven && source == nil
        return try pendingInput(isPiped ? ["-"] : ids, from: source).kept
    }
}
