import ArgumentParsing
import ContentFeeding
import EngineCatalog
import Files
import Reconciliation
import ReportRendering
import Sources

/// A comparison from its options to its exit code.
struct ReconciliationRun {
    let source: OpenableSource
    let target: OpenableTarget
    let collection: CollectionChoice
    let basis: BasisArgument?
    let kinds: [Difference.Kind]
    let plan: String?
    let minimumShare: EntryShare?
    let maximumSpillBytes: Int

    /// How long a collection or a source that does not answer is asked again.
    private let patience = FeedConfiguration()

    func run(
        _ printer: ReconciliationPrinter,
        _ quiet: QuietOptions,
        _ style: ProgressStyle
    ) async throws -> ExitCode {
        let progress = ReconciliationProgress()
        let display = ReconciliationDisplay(style, printsLines: printer.printsLines, of: progress)
        defer { display.finish() }
        let start = ContinuousClock.now
        let startedAt = ProcessEnvironment.now
        try refuseToOverwrite()
        let engine = try await versionedEngine()
        let documents = PatientSource(try await source.open(), patience)
        let idKeys = Set(["id", target.options.idKey]).sorted()
        let usual = try await Reconciler.usualBasis(documents, engine, idKeys: idKeys)
        let basis = basis?.basis(idKeys: idKeys) ?? usual
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
        // What nobody knows is not shown either.
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
        guard let versioned = engine as? any VersionedEngine else {
            throw EngineError(.unsupported, "'\(collection.name)' does not tell the versions of its documents")
        }
        return versioned
    }

    /// Reads both sides; whatever can't be read of the source makes the whole comparison impossible.
    private func read(_ reconciler: Reconciler) async throws -> Drift {
        let patience = patience
        do {
            return try await reconciler.read { question in
                var lookUp = PatientLookUp(patience)
                return try await lookUp.answer(to: question, unless: { Task.isCancelled })
            }
        } catch let error as SourceError where error.code != .cancelled {
            throw CommandFailure(
                .targetUnusable,
                "the source was not read to its end: \(error.message); nothing was compared",
                advice: error.advice
            )
        } catch let error as EngineError {
            throw error.saying("the collection was not read to its end", "nothing was compared")
        }
    }

    /// Prints the differences, and returns how many there are.
    private func compare(
        _ drift: Drift,
        of kinds: Set<Difference.Kind>,
        _ printer: ReconciliationPrinter
    ) async throws -> ComparisonCounts {
        do {
            return try await drift.forEach(of: kinds) { try printer.print($0) }
        } catch let error as EngineError {
            throw error.saying("not compared to the end", "there may be more differences")
        }
    }

    private func refuseWithoutDocuments(_ documents: any DocumentSource, _ basis: VersionBasis) throws {
        guard !documents.traits.hasDocuments else { return }
        guard basis.contents(of: documents.traits) == .versions else {
            throw Self.withoutDocuments(documents.name, "compare --by id")
        }
        guard plan == nil || !kinds.contains(where: { $0 == .missing || $0 == .stale }) else {
            throw Self.withoutDocuments(documents.name, "plan removals alone: --only orphaned")
        }
    }

    private static func withoutDocuments(_ name: String, _ advice: String) -> SourceError {
        SourceError(
            .unsupported,
            "'\(name)' tells which documents there are, but does not hold them",
            advice: advice
        )
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
        let planner = Planner(documents, engine, by: basis, drift.sides, progress: progress)
        let leftOut = try await planner.write(Set(kinds), to: writer, expecting: report.counts)
        try await PlanGuard.requireUnmoved(engine, since: drift.state)
        try writer.finish()
        return .init(path, writer.tally, leftOut)
    }
}

// MARK: The last reading

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

    /// Notes how many entries there were, for the next time.
    private func note(_ account: SourceAccount) {
        do throws(FileError) {
            try notes?.note(account.entries, of: names)
        } catch {
            StandardError.say(
                "the number of entries is not kept for the next time: cannot write '\(error.path)': \(error.reason)"
            )
        }
    }
}

extension EngineError {
    /// Returns the error with what it means for the comparison that it has ended.
    fileprivate func saying(_ beginning: String, _ meaning: String) -> EngineError {
        EngineError(code, "\(beginning): \(message); \(meaning)", advice: advice)
    }
}
