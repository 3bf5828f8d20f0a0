import ArgumentParsing
import CommandKit
import ContentFeeding
import DocumentSources
import EngineCatalog
import FeedJobs
import FeedReports
import Files
import Reconciliation
import ReportKit
import TextKit

struct Reconcile: Command {
    static let configuration = CommandConfiguration(
        "reconcile",
        foreignNames: ["compare", "diff", "sync"],
        group: "Content",
        summary: "Compare a collection with its source, and plan the changes that bring it into sync.",
        discussion: """
            Documents are compared by ID and version: 'missing' documents are only in the source, 'stale' ones are in \
            both but differ, 'orphaned' ones are only in the collection, and 'duplicate' ones occur more than once on \
            one side. The version is the source's own (an ETag, a time), if the collection's documents hold it under \
            its key; otherwise, it is the content of the document, without its ID and formatting. --by KEY compares a \
            top-level key that both sides hold, with the same rules as the content; --by id compares only the IDs. The \
            output states which comparison was used.

            The exit code is 0 if both sides are in sync and 1 if they are not, so that a pipeline can check it. With \
            --plan, the changes that bring the collection into sync are written to a file, which you can review and \
            carry out with 'fastctl apply'. Nothing is changed before that. A sitemap holds only some keys of its \
            documents: a stale document is updated with these keys, and nothing is planned for a missing one.

            A document that seems to be missing from the source may just not have been read. Therefore, if reading the \
            source fails, if some of its entries can't be read, if it is empty, or if it has less than 90% of the \
            entries that it had when it was last read in full, no document is reported as orphaned, no plan is \
            written, and the exit code is 69. --min-share sets a different share; 0% accepts any number.

            Both sides are read at the same time and sorted in bounded memory; data that does not fit in memory is kept \
            on the store's disk, or in the current folder. If the collection changes in the meantime, each difference is \
            checked again.
            """,
        examples: [
            .init(
                "fastctl reconcile -c pages --source 'dir:site?glob=**/*.html'",
                "Check whether anything has drifted"
            ),
            .init("fastctl reconcile -c pages --source jsonl:pages.jsonl --plan drift.plan", "Plan the repair"),
            .init("fastctl apply drift.plan", "Carry out the plan"),
            .init("fastctl reconcile -c pages --source old/pages --by id --only orphaned -o name", "Print only IDs"),
        ],
        commonOptions: ["--collection", "--source", "--by", "--only", "--plan", "--min-share", "-o", "--target"]
    )

    @OptionGroup("Target") var target: TargetOptions
    @OptionGroup("Collection") var collection: CollectionOptions
    @OptionGroup("Source") var source: SourceOptions
    @OptionGroup("Output") var output = RowOptions(OutputForm.items)
    @OptionGroup("Output") var quiet: QuietOptions
    @OptionGroup("Output") var progress: ProgressOptions

    @Option(
        "--by",
        value: "content|id|KEY",
        completion: .values(["content", "id"]),
        help: "What to compare: the content, only the ID, or a top-level key (default: as above)"
    )
    var basis: BasisArgument?

    @Option(
        "--only",
        value: "KIND,…",
        help: "Only these differences: missing, stale, orphaned, duplicate; others are counted, but are not failures"
    )
    var only: DifferenceKinds?

    @Option("--plan", value: "FILE", completion: .files, help: "Write the planned changes to this file")
    var plan: String?

    @Flag(
        "--replace-with-partial",
        help: "Let a source that holds only some keys of its documents, such as a sitemap, replace whole documents"
    )
    var replacesWithPartial

    @Option(
        "--min-share",
        value: "N%",
        help: "The minimum number of entries in the source, as a share of those last read in full"
    )
    var minimumShare: EntryShare?

    @Option("--max-spill", value: "SIZE", help: "The maximum disk space for data that does not fit in memory")
    var maximumSpill = ByteCount(bytes: 64 << 30)

    func validate() throws {
        if !source.isGiven { throw ValidationError("--source is missing; specify where the documents come from") }
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
            replacesWithPartial: replacesWithPartial,
            minimumShare: minimumShare,
            maximumSpillBytes: maximumSpill.bytes
        )
        return try await run.run(ReconciliationPrinter(output), quiet, progress.style)
    }
}

/// The basis of a comparison, as typed.
struct BasisArgument: ArgumentValue {
    let argumentText: String

    init(argument word: String) throws(ArgumentExpectation) {
        guard !word.isEmpty else { throw ArgumentExpectation("'content', 'id' or the name of a top-level key") }
        argumentText = word
    }

    func basis(content: ContentFingerprint) -> VersionBasis {
        switch argumentText {
        case "content": .content(content)
        case "id": .id
        default: .key(argumentText, content)
        }
    }
}

/// Kinds of differences, separated by commas.
struct DifferenceKinds: ArgumentValue {
    let kinds: [Difference.Kind]

    init(argument word: String) throws(ArgumentExpectation) {
        let names = word.split(separator: ",", omittingEmptySubsequences: false)
        let found = Set(names.compactMap { Difference.Kind(rawValue: String($0)) })
        guard found.count == names.count else {
            throw ArgumentExpectation("one or more of \(Self.all), separated by commas")
        }
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

/// A comparison from its options to its exit code.
struct ReconciliationRun {
    let source: OpenableSource
    let target: OpenableTarget
    let collection: CollectionChoice
    let basis: BasisArgument?
    let kinds: [Difference.Kind]
    let plan: String?
    let replacesWithPartial: Bool
    let minimumShare: EntryShare?
    let maximumSpillBytes: Int

    /// The settings that determine how long an unresponsive collection or source is retried.
    private let patience = FeedConfiguration()

    func run(
        _ printer: ReconciliationPrinter,
        _ quiet: QuietOptions,
        _ style: ProgressStyle
    ) async throws -> ExitCode {
        let progress = ReconciliationProgress()
        let display = ReconciliationDisplay(style, of: progress)
        defer { display.finish() }
        let start = ContinuousClock.now
        let startedAt = ProcessFacts.now
        try refuseToOverwrite()
        if let plan { try PlanWriter.removeOlder(plan) }
        let engine = try await versionedEngine()
        let documents = PatientSource(try await source.open(), patience, CommandObserver())
        let idKeys = Set(["id", target.options.idKey]).sorted()
        let content = documents.traits.comparison(with: engine.capabilities, idKeys: idKeys)
        let usual = try await Reconciler.usualBasis(documents, engine, content: content)
        let basis = basis?.basis(content: content) ?? usual
        try refuseWithoutDocuments(documents, basis)
        let space = SpillSpace(in: engine.capabilities.spillDirectory ?? ".", maximumBytes: maximumSpillBytes)
        let drift = try await read(Reconciler(documents, engine, by: basis, in: space, progress: progress))
        var report = ReconciliationReport(
            source: documents.name,
            target: "\(target.resolved.address)",
            collection: engine.collection,
            basis: "\(basis)",
            kinds: kinds
        )
        report.startedAt = startedAt
        report.account = drift.account
        report.isMoved = drift.isMoved
        for rejection in drift.account.rejections { StandardError.say("\(rejection)") }
        report.shortfall = shortfall(of: drift.account)
        // Unknown differences are not shown.
        let shown = Set(kinds).subtracting(report.shortfall == nil ? [] : [.orphaned])
        printer.begin(report)
        report.counts = try await compare(drift, of: shown, printer)
        if let plan, report.shortfall == nil {
            report.plan = try await write(plan, documents, engine, basis, drift, report, progress)
        }
        report.duration = .now - start
        display.finish()
        let status = try printer.finish(report)
        if report.shortfall == nil { note(drift.account) }
        quiet.say(report.lines, status)
        if let plan = report.plan, plan.tally.operations > 0 {
            quiet.say(["carry it out with: fastctl apply \(CommandLineWords.quoted(plan.path))"])
        }
        return ExitCode(status)
    }

    private func versionedEngine() async throws -> any VersionedEngine {
        let engine = try await target.open(collection).engine
        guard let versioned = engine.versions else {
            throw EngineError(.unsupported, "'\(collection.name)' does not report the versions of its documents")
        }
        return versioned
    }

    /// Reads both sides; any unreadable part of the source makes the whole comparison impossible.
    private func read(_ reconciler: Reconciler) async throws -> Drift {
        let patience = patience
        do {
            return try await reconciler.read { question in
                var lookUp = PatientLookUp(patience, CommandObserver())
                return try await lookUp.answer(to: question, unless: { Task.isCancelled })
            }
        } catch let error as SourceError where error.code != .cancelled {
            throw Failure(
                .targetUnusable,
                "the source was not read to the end: \(error.message); nothing was compared",
                advice: error.advice
            )
        } catch let error as EngineError {
            throw error.saying("the collection was not read to the end", "nothing was compared")
        }
    }

    /// Prints the differences, and returns their number.
    private func compare(
        _ drift: Drift,
        of kinds: Set<Difference.Kind>,
        _ printer: ReconciliationPrinter
    ) async throws -> ComparisonCounts {
        do {
            return try await drift.forEach(of: kinds) { try printer.print($0) }
        } catch let error as EngineError {
            throw error.saying("the comparison did not finish", "there may be more differences")
        }
    }

    private func refuseWithoutDocuments(_ documents: any DocumentSource, _ basis: VersionBasis) throws {
        guard !documents.traits.hasDocuments else { return }
        guard basis.contents(of: documents.traits) == .versions else {
            throw Self.withoutDocuments(documents.name, "use --by id")
        }
        guard plan == nil || !kinds.contains(where: { $0 == .missing || $0 == .stale }) else {
            throw Self.withoutDocuments(documents.name, "plan only removals: --only orphaned")
        }
    }

    private static func withoutDocuments(_ name: String, _ advice: String) -> SourceError {
        SourceError(.unsupported, "'\(name)' lists documents, but does not contain them", advice: advice)
    }

    private func refuseToOverwrite() throws {
        guard let plan, let identity = FileIdentity(plan) else { return }
        let used = source.files + target.resolved.address.files
        guard let other = used.first(where: { FileIdentity($0) == identity }) else { return }
        throw ArgumentError("--plan \(plan) would overwrite '\(other)', which this run needs; use another file")
    }

    private func write(
        _ path: String,
        _ documents: any DocumentSource,
        _ engine: any VersionedEngine,
        _ basis: VersionBasis,
        _ drift: Drift,
        _ report: ReconciliationReport,
        _ progress: ReconciliationProgress
    ) async throws -> ReconciliationReport.WrittenPlan {
        let writer = try PlanWriter(path)
        var header = PlanHeader(
            command: "reconcile",
            createdAt: "\(UTCTimestamp(since1970: report.startedAt))",
            context: target.resolved.context?.name,
            target: report.target,
            collection: collection.engineName,
            state: drift.state
        )
        header.source = report.source
        header.basis = report.basis
        header.counts = report.counts
        header.kinds = kinds
        header.minimumShare = minimumShare?.percent ?? EntryShare.usual
        try writer.begin(header)
        let planner = Planner(
            documents,
            engine,
            by: basis,
            drift.sides,
            replacesWithPartial: replacesWithPartial,
            progress: progress
        )
        let leftOut = try await planner.write(Set(kinds), to: writer, expecting: report.counts)
        try await PlanGuard.requireUnmoved(engine, since: drift.state)
        try writer.finish()
        return .init(path, writer.tally, leftOut)
    }
}

// MARK: The previous reading

extension ReconciliationRun {
    private var notes: ReadingNotes? { ProcessEnvironment.stateFolder.map { ReadingNotes(in: $0 + "/readings") } }

    private var names: [String] {
        source.identity + ["\(target.resolved.address)", collection.engineName.rawValue]
    }

    private func shortfall(of account: SourceAccount) -> String? {
        account.shortfall(
            since: notes?.entries(of: names),
            share: minimumShare?.percent ?? EntryShare.usual,
            allowsNone: minimumShare?.percent == 0
        )?.description
    }

    /// Records the number of entries for the next run.
    private func note(_ account: SourceAccount) {
        do throws(FileError) {
            try notes?.note(account.entries, of: names)
        } catch {
            StandardError.say(
                "the number of entries was not saved for the next run: cannot write '\(error.path)': \(error.reason)"
            )
        }
    }
}

extension EngineError {
    /// Returns the error with an explanation of its effect on the comparison.
    fileprivate func saying(_ beginning: String, _ meaning: String) -> EngineError {
        EngineError(code, "\(beginning): \(message); \(meaning)", advice: advice)
    }
}

/// The display of a comparison's progress.
struct ReconciliationDisplay {
    private let display: ProgressDisplay

    init(_ style: ProgressStyle, of progress: ReconciliationProgress) {
        display = ProgressDisplay(style) { ProgressCount(progress) }
    }

    func finish() { display.finish() }
}

extension ProgressCount {
    /// Counts the progress of a comparison at one moment.
    init(_ progress: ReconciliationProgress) {
        switch progress.stage {
        case .reading(let reading):
            self.init(of: .read)
            items = reading.source + reading.collection
            // A collection may grow while it is read.
            let total = reading.collectionTotal.flatMap { $0 < reading.collection ? nil : $0 }
            sides = Sides(source: reading.source, collection: reading.collection, collectionTotal: total)
        case .comparing(let share):
            self.init(of: .compared)
            (items, totalItems) = (share.done, share.total)
        case .planning(let share):
            self.init(of: .reread)
            (items, totalItems) = (share.done, share.total)
        }
        errors = progress.rejected
    }
}

/// A printer of differences in the requested form: as they arrive, or as text once all are counted.
///
/// This is a class because printing changes state that is needed at the end.
final class ReconciliationPrinter {
    private let options: RowOptions
    private let output: StandardOutput
    private var bytes: [UInt8] = []
    private var report: ReconciliationReport?
    private var examples: [Difference.Kind: [DocumentID]] = [:]
    private var count = 0
    private var unwritableNames = 0

    private static let drainThreshold = 64 << 10

    init(_ options: RowOptions) {
        self.options = options
        output = StandardOutput(isWhole: options.form == .json)
    }

    /// Prints the facts that are known before the differences.
    func begin(_ report: ReconciliationReport) {
        self.report = report
        if options.form == .json { report.begin(to: &bytes) }
    }

    func print(_ differences: [Difference]) throws {
        for difference in differences { append(difference) }
        if bytes.count >= Self.drainThreshold { try output.drainOrStop(&bytes) }
    }

    private func append(_ difference: Difference) {
        switch options.form {
        case .text:
            guard examples[difference.kind, default: []].count < ReconciliationReport.mostExamples else { return }
            examples[difference.kind, default: []].append(difference.id.detached())
        case .json: ReconciliationReport.append(difference, isFirst: count == 0, to: &bytes)
        case .ndjson: report?.append(line: difference, to: &bytes)
        case .name: if !options.nameEnd.append(utf8: difference.id.utf8, to: &bytes) { unwritableNames += 1 }
        default: options.form.failAsUndeclared()
        }
        count += 1
    }

    /// Prints the output after the differences, and returns the command's conclusion.
    func finish(_ report: ReconciliationReport) throws -> ExitStatus {
        switch options.form {
        case .text: report.append(examples, to: &bytes, width: ProcessEnvironment.width)
        case .json: report.end(isEmpty: count == 0, in: &bytes)
        case .ndjson:
            report.begin(to: &bytes)
            report.end(isEmpty: true, in: &bytes)
        case .name: break
        default: options.form.failAsUndeclared()
        }
        try output.drainOrStop(&bytes)
        guard unwritableNames > 0 else { return report.status }
        StandardError.say(NameEnd.refusal(of: unwritableNames))
        return .first(of: [report.status, .inputRejected])
    }
}
