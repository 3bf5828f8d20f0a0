import ArgumentParsing
import CommandKit
import ContentFeeding
import EngineCatalog
import FeedFormats
import FeedJobs
import FeedReports
import Files
import JSONText
import ReportKit

/// A run that only reports the operations that would be performed.
struct DryRun {
    /// The command, if it is not the usual one for the kind of operation.
    var command: FeedCommand?
    /// Whether existing documents must not be replaced.
    var addsOnlyNew = false
    var addsMissing = false
    /// The limit above which the run itself would be refused.
    var limit: RemovalLimit?
    /// The precondition that the run itself would check before it sends anything; `nil` if there is none.
    var requirement: ((any CollectionAdministration, any CollectionEngine) async throws -> PlanGuard.Verdict)?
    private let kind: ContentOperation.Kind
    private let input: PendingInput
    private let side: DryRunSide
    private let options: DryRunOptions
    private let output: OutputOptions
    private let resolve: () throws -> (OpenableTarget, CollectionChoice)

    /// `resolve` names the target and its collection; it is called only if they are needed.
    init(
        _ kind: ContentOperation.Kind,
        _ input: PendingInput,
        _ side: DryRunSide,
        _ options: DryRunOptions,
        _ output: OutputOptions,
        resolve: @escaping () throws -> (OpenableTarget, CollectionChoice)
    ) {
        self.kind = kind
        self.input = input
        self.side = side
        self.options = options
        self.output = output
        self.resolve = resolve
    }

    func run() async throws -> ExitCode {
        let start = ContinuousClock.now
        // A dry run may have no target; if it has one, its files must not be overwritten by a report.
        let used = (try? resolve())?.0.resolved.address.files ?? []
        try output.refuseToOverwrite(input.files + used)
        let report = try output.newReport()
        var conclusion = PreviewConclusion(kind, command)
        conclusion.startedAt = input.startedAt
        conclusion.failsOnEmpty = input.failsOnEmpty
        conclusion.findsItsInput = input.collection?.findsWhatIsLeft ?? false
        let open = try await open()
        if let open {
            conclusion.target = open.store.target
            conclusion.collection = open.engine.collection
            conclusion.confirmation = open.confirmation
        }
        let allowed = try await allowed(in: open?.engine)
        let comparison =
            side == .server
            ? open.map { DocumentComparison(with: $0.engine, addsOnlyNew: addsOnlyNew, addsMissing: addsMissing) } : nil
        conclusion.isLookedUp = comparison != nil
        let printer = try PreviewPrinter(output, showsAll: options.showsAll, conclusion, report: report)
        let removals = try await preview(comparison, side == .server ? open?.engine : nil, printer, &conclusion)
        if let allowed { conclusion.limit = .init(allowed: allowed, removals: removals) }
        if let requirement, let open {
            let verdict = try await requirement(open.store, open.engine)
            conclusion.limit = verdict.limit.map { .init(allowed: $0.allowed, removals: $0.removals) }
            conclusion.refusal = verdict.refusal.map { [$0.message] + [$0.advice].compactMap(\.self) } ?? []
        }
        conclusion.duration = .now - start
        if side == .server { conclusion.reservation = await open?.engine.lookupReservation() }
        try printer.finish(&conclusion)
        for line in conclusion.lines { StandardError.say(line) }
        return ExitCode(conclusion.status)
    }

    /// Previews the input, and returns how many removals are in it; `engine` is `nil` if nothing is looked up.
    private func preview(
        _ comparison: DocumentComparison?,
        _ engine: (any CollectionEngine)?,
        _ printer: PreviewPrinter,
        _ conclusion: inout PreviewConclusion
    ) async throws -> Int {
        var comparison = comparison
        var removals = 0
        let opened = try await input.open(for: kind, CommandObserver())
        if kind == .remove, input.readsLines, let first = try await opened.first() {
            // The run itself refuses the text that 'find' prints.
            if let engine { try await FoundText.refuse(first, in: engine) }
            let doubt = engine == nil ? FoundText.doubt(about: first) : nil
            if let remark = FoundText.remark(on: first, of: input) ?? doubt { StandardError.say(remark) }
        }
        for try await chunk in opened {
            conclusion.rejected += chunk.input.rejected
            for rejection in chunk.rejections { StandardError.say("\(rejection)") }
            let items =
                try await comparison?.effects(of: chunk.operations)
                ?? chunk.operations.map { PreviewedOperation($0, .unknown) }
            for item in items { conclusion.counts.note(item.effect) }
            removals += chunk.operations.count { $0.kind == .remove }
            try printer.print(items)
        }
        return removals
    }

    private struct OpenTarget {
        let store: any CollectionAdministration
        let engine: any CollectionEngine
        let confirmation: String?
    }

    /// Opens the collection if documents are looked up or counted for the limit, or if a plan requires its state.
    private func open() async throws -> OpenTarget? {
        if side == .client, requirement == nil {
            guard case .percent? = limit else { return nil }
        }
        let (target, choice) = try resolve()
        let open = try await target.open(choice)
        return OpenTarget(store: open.store, engine: open.engine, confirmation: try target.protection?.context)
    }

    private func allowed(in engine: (any CollectionEngine)?) async throws -> Int? {
        switch limit {
        case nil: nil
        case .count(let count): count
        case .percent: try await limit?.operations(of: counted(engine))
        }
    }

    private func counted(_ engine: (any CollectionEngine)?) async throws -> Int {
        guard let engine else { return 0 }
        let count = try await engine.count()
        if let reservation = await engine.countReservation() {
            StandardError.say("'\(engine.collection)' was counted \(reservation)")
        }
        return count
    }
}

/// A printer of a dry run, which writes the items to standard output in one form, and everything to the report.
///
/// This is a class because the loop and the end of the run share its buffers.
final class PreviewPrinter {
    private let options: OutputOptions
    private let showsAll: Bool
    private let collection: CollectionName?
    private let output: StandardOutput
    private var bytes: [UInt8] = []
    /// The object of `-o json`.
    private var object: PreviewObject?
    private var report: Report?
    private var shown = 0
    private var unshown = 0
    private var named = 0
    private var unnamed = 0
    private var unwritableNames = 0

    private struct Report {
        let file: AtomicFile
        var object: PreviewObject
        var bytes: [UInt8]
    }

    /// The maximum number of items shown as text, and of unchanged documents that are named; all are counted.
    private static let mostShown = 10
    private static let drainThreshold = 64 << 10

    /// Creates a printer; `conclusion` must already contain the target of the run.
    init(_ options: OutputOptions, showsAll: Bool, _ conclusion: PreviewConclusion, report file: AtomicFile?) throws {
        self.options = options
        self.showsAll = showsAll
        collection = conclusion.collection
        output = StandardOutput(isWhole: options.form == .json)
        if options.form == .json { object = PreviewObject(conclusion, to: &bytes) }
        guard let file else { return }
        var head: [UInt8] = []
        let whole = PreviewObject(conclusion, to: &head)
        report = Report(file: file, object: whole, bytes: head)
    }

    func print(_ items: [PreviewedOperation]) throws {
        for item in items {
            append(item)
            if var whole = report {
                report = nil
                whole.object.append(item, to: &whole.bytes)
                if whole.bytes.count >= Self.drainThreshold { try whole.file.write(&whole.bytes) }
                report = whole
            }
            name(item)
        }
        if bytes.count >= Self.drainThreshold { try output.drainOrStop(&bytes) }
    }

    /// Prints the text after the items, and moves the report to its final place.
    func finish(_ conclusion: inout PreviewConclusion) throws {
        conclusion.unwritableNames = unwritableNames
        if unshown > 0 { PreviewLines.append(more: unshown, to: &bytes) }
        switch options.form {
        case .json: object?.end(conclusion, in: &bytes)
        case .ndjson: PreviewObject.append(withoutItems: conclusion, to: &bytes)
        case .text, .name: break
        default: options.form.failAsUndeclared()
        }
        try output.drainOrStop(&bytes)
        if unnamed > 0 {
            StandardError.say("… and \(unnamed) more that would not change; --all lists them")
        }
        guard var report else { return }
        report.object.end(conclusion, in: &report.bytes)
        try report.file.write(&report.bytes)
        try report.file.finish()
    }

    private func append(_ item: PreviewedOperation) {
        switch options.form {
        case .json: object?.append(item, to: &bytes)
        case .ndjson where !options.isQuiet: PreviewItemObject.append(item, in: collection, to: &bytes)
        case .name where !options.isQuiet && item.hasEffect:
            if !options.nameEnd.append(utf8: item.operation.documentID.utf8, to: &bytes) { unwritableNames += 1 }
        case .text where !options.isQuiet && item.obstacle(in: collection) == nil:
            guard showsAll || shown < Self.mostShown else {
                unshown += 1
                return
            }
            shown += 1
            PreviewLines.append(item, to: &bytes)
        default: break
        }
    }

    /// Names a document that would stay unchanged, with the reason.
    private func name(_ item: PreviewedOperation) {
        guard let obstacle = item.obstacle(in: collection) else { return }
        guard showsAll || named < Self.mostShown else {
            unnamed += 1
            return
        }
        named += 1
        StandardError.say("'\(item.operation.documentID)' \(obstacle)")
    }
}
