import ArgumentParsing
import ContentFeeding
import EngineCatalog
import ReportRendering

struct Remove: Command {
    static let configuration = CommandConfiguration(
        "remove",
        group: "Content",
        summary: "Remove documents by ID.",
        discussion: """
            IDs are arguments first, then the lines of each --from FILE, then standard input if neither was \
            given or '-' says so. An ID that begins with '-' goes after '--'.

            A document that does not exist is an error of that document; it stops nothing, and the exit \
            code is 1. A removed document is gone for every search at once; 'fastctl collections optimize' \
            erases it from the disk.

            --backup reads each document just before it is removed: what somebody else writes between the two is \
            removed, and is not in the file. On Solr only stored fields come back. --verify reads the IDs again at the end.
            """,
        examples: [
            .init("cat ids.txt | fastctl remove -c WebCollection", "Remove what a pipe names"),
            .init("fastctl remove -c WebCollection --from ids.txt --dry-run=server", "See first what is there"),
            .init("fastctl remove -c WebCollection --from ids.txt --backup removed.jsonl", "Keep what is removed"),
            .init(
                "find . -name '*.html' -print0 | fastctl remove -c WebCollection -0",
                "Take names as find writes them"
            ),
        ]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Collection") var collection: CollectionOptions
    @OptionGroup("Input") var input: IDOptions
    @OptionGroup("Guards") var guards: RemovalGuards
    @OptionGroup("Feeding") var feeding: FeedingOptions
    @OptionGroup("Output") var output: OutputOptions

    @Option("--missing", value: "POLICY", help: "What a document that does not exist is")
    var missing = MissingPolicy.error

    @Flag(
        "--check-missing",
        inverse: "--no-check-missing",
        help: "Look each document up first where the engine cannot tell if it was there (unless --missing ignore)"
    )
    var checksMissing: Bool?

    @Flag("--purge", help: "Erase what was removed from the disk at the end, as 'collections optimize' does")
    var isPurging

    @Argument("ID", completion: ArgumentCompletion.none, help: "IDs to remove; '-' is standard input")
    var ids: [String]

    func validate() throws {
        guard guards.dryRun != nil else { return }
        if output.format == .json || output.format == .ndjson {
            throw ValidationError("a dry run has no -o \(output.format)")
        }
        if output.report != nil { throw ValidationError("a dry run has no --report: nothing is fed") }
        if guards.backup != nil || isPurging { throw ValidationError("a dry run has no --backup and no --purge") }
        if guards.verification != nil { throw ValidationError("a dry run has no --verify: nothing is removed") }
    }

    func run() async throws -> ExitCode {
        let input = try input.input(with: ids, example: "cat ids.txt | fastctl remove --collection WebCollection")
        switch guards.dryRun {
        case .client: return try await DryRun(input: input, output: output).run()
        case .server: return try await DryRun(input: input, output: output, engine: collection.open(at: target)).run()
        case nil: break
        }
        let options = feeding.options(missing: missing)
        var feed = try FeedRun.prepare(.remove, input, at: target, in: collection, guards.protection, options, output)
        feed.target.options.checksMissing = checksMissing ?? (missing != .ignore)
        feed.limit = guards.maximum
        feed.backup = guards.backup
        feed.isPurging = isPurging
        feed.verification = guards.verification
        return try await feed.run()
    }
}
