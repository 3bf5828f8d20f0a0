import ArgumentParsing
import ContentFeeding
import Files
import Reconciliation
import ReportRendering
import Sources

struct Reconcile: Command {
    static let configuration = CommandConfiguration(
        "reconcile",
        foreignNames: ["compare", "diff", "sync"],
        group: "Content",
        summary: "Compare a collection with where its documents come from, and plan what makes it the same.",
        discussion: """
            Documents are compared by ID and version: 'missing' are only in the source, 'stale' are in both and not the \
            same, 'orphaned' are only in the collection, and 'duplicate' are more than once on one side. The version is \
            the source's own (an ETag, a time), if the collection's documents hold it under its key; else what the \
            documents hold, but for the ID and the way in which it is written. --by KEY compares a top-level key that both \
            sides hold, --by id nothing but IDs. The output says which.

            The exit code is 0 when both are in step and 1 when they are not, so that a pipeline can check it. With --plan, \
            what makes the collection as the source is goes into a file, to be read, and then done by 'fastctl apply'. \
            Nothing is changed before that.

            What a source lacks may be gone, or not have been read. So nothing is called orphaned, no plan is written, \
            and the exit code is 69, if reading the source fails, if some of what is there can't be read, if there is \
            nothing at all, or less than 90 % of what there was when it was last read whole; --min-share is another share, \
            and 0% takes what is there.

            Both sides are read at the same time and sorted in bounded memory; what does not fit is on the disk of the \
            store, or in the current folder. If the collection is changed meanwhile, each difference is looked at once more.
            """,
        examples: [
            .init("fastctl reconcile -c pages --source 'dir:site?glob=**/*.html'", "See whether anything has drifted"),
            .init("fastctl reconcile -c pages --source jsonl:pages.jsonl --plan drift.plan", "Plan the repair"),
            .init("fastctl apply drift.plan", "Carry the plan out"),
            .init("fastctl reconcile -c pages --source old/pages --by id --only orphaned -o name", "Only name IDs"),
        ]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Collection") var collection: CollectionOptions
    @OptionGroup("Source") var source: SourceOptions
    @OptionGroup("Output") var output: RowOptions<OutputFormat>
    @OptionGroup("Output") var quiet: QuietOptions
    @OptionGroup("Output") var progress: ProgressOptions

    @Option(
        "--by",
        value: "content|id|KEY",
        completion: .values(["content", "id"]),
        help: "What must be equal: what documents hold, nothing but IDs, or a top-level key (default: as above)"
    )
    var basis: BasisArgument?

    @Option(
        "--only",
        value: "KIND,…",
        help: "Only these differences: missing, stale, orphaned, duplicate; others are counted, and are no failure"
    )
    var only: DifferenceKinds?

    @Option("--plan", value: "FILE", completion: .files, help: "Write what is to be done to this file")
    var plan: String?

    @Option(
        "--min-share",
        value: "N%",
        help: "The least share of the last reading's entries that the source must have"
    )
    var minimumShare: EntryShare?

    @Option("--max-spill", value: "SIZE", help: "The maximum disk space for what does not fit into memory")
    var maximumSpill = ByteCount(bytes: 64 << 30)

    func validate() throws {
        if !source.isGiven { throw ValidationError("--source is missing; name where the documents come from") }
        try ValidationError.requireFile(plan, of: "--plan")
    }

    func run() async throws -> ExitCode {
        guard let source = try source.source(at: target, besides: collection.name) else { return .success }
        let target = try target.resolve(collection: collection.name)
        let run = ReconciliationRun(
            source: source,
            target: target,
            collection: try collection.required(in: target),
            basis: basis,
            kinds: only?.kinds ?? Difference.Kind.allCases,
            plan: plan,
            minimumShare: minimumShare,
            maximumSpillBytes: maximumSpill.bytes
        )
        return try await run.run(ReconciliationPrinter(output), quiet, progress.style)
    }
}

/// What two documents are compared by, as it is typed.
struct BasisArgument: ArgumentValue {
    let argumentText: String

    init(argument word: String) throws(ArgumentExpectation) {
        guard !word.isEmpty else { throw ArgumentExpectation("'content', 'id' or the name of a top-level key") }
        argumentText = word
    }

    func basis(idKeys: [String]) -> VersionBasis {
        switch argumentText {
        case "content": .content(idKeys: idKeys)
        case "id": .id
        default: .key(argumentText)
        }
    }
}

/// Kinds of differences, separated by commas.
struct DifferenceKinds: ArgumentValue {
    let kinds: [Difference.Kind]

    init(argument word: String) throws(ArgumentExpectation) {
        let names = word.split(separator: ",", omittingEmptySubsequences: false)
        let found = Set(names.compactMap { Difference.Kind(rawValue: String($0)) })
        guard found.count == names.count else { throw ArgumentExpectation("one or more of \(Self.all), with commas") }
        kinds = Difference.Kind.allCases.filter(found.contains)
    }

    private static let all = Difference.Kind.allCases.map(\.rawValue).joined(separator: ", ")

    var argumentText: String { kinds.map(\.rawValue).joined(separator: ",") }
}

/// A share of entries, in percent: `90%`.
struct EntryShare: ArgumentValue {
    let percent: Double

    init(argument word: String) throws(ArgumentExpectation) {
        guard word.hasSuffix("%"), let percent = Double(word.dropLast()), percent >= 0, percent <= 100 else {
            throw ArgumentExpectation("a share from 0% to 100%")
        }
        self.percent = percent
    }

    var argumentText: String { "\(percent)%" }

    static let usual = 90.0
}
