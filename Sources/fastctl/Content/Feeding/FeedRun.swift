import ArgumentParsing
import ContentFeeding
import EngineCatalog
import FeedFormats
import FeedReports
import Files
import JobJournal
import ReportKit

/// A feed from its input to its exit code: what `remove`, `add`, `update` and `copy` have in common.
struct FeedRun: Sendable {
    let kind: ContentOperation.Kind
    let collection: CollectionChoice
    var target: OpenableTarget
    var input: PendingInput
    let options: FeedOptions
    let output: OutputOptions
    /// The command, if it is not the usual one for what is done.
    var command: FeedCommand?
    /// The limit above which removals are refused.
    var limit: RemovalLimit?
    /// The file to which documents are written before they are removed.
    var backup: String?
    /// Whether documents are backed up even if no file is named for that: then beside the job.
    var isAlwaysBackedUp = false
    /// What else must be true of the collection before anything is sent; told whether an earlier run has sent something.
    var requirement: (@Sendable (any CollectionEngine, _ isResumed: Bool) async throws -> Void)?
    /// The folder in which the command began; `nil` if it is still there.
    var directory: String?
    /// The file for the records of the input that fail.
    var failedRecords: String?
    /// Whether removed documents are erased at the end.
    var isPurging = false
    /// Whether the whole input is found before anything is sent; what is left is found again, so no job is kept.
    var findsFirst = false
    /// The documents to read again at the end.
    var verification: VerificationScope?
    var journal = JournalOptions()

    /// Resolves the target and its collection, and requires a protected context's name; opens nothing yet.
    static func prepare(
        _ kind: ContentOperation.Kind,
        _ input: PendingInput,
        at target: TargetOptions,
        in collection: CollectionOptions,
        _ protection: ProtectionOptions,
        _ options: FeedOptions,
        _ output: OutputOptions
    ) throws -> FeedRun {
        let target = try target.resolve(collection: collection.name)
        let collection = try collection.required(in: target)
        let action =
            switch kind {
            case .add: "add to it"
            case .update: "update documents in it"
            case .remove: "remove from it"
            }
        try target.requireConfirmation(protection.names, to: action)
        return FeedRun(
            kind: kind,
            collection: collection,
            target: target,
            input: input,
            options: options,
            output: output
        )
    }

    /// Refuses a source that is the very collection that is fed.
    func refuse(source: OpenableTarget, _ choice: CollectionChoice) throws {
        let (from, to) = (source.resolved.address, target.resolved.address)
        // A path may be written in several ways.
        let files = [from, to].map { address in address.files.first.flatMap { FileIdentity($0) } }
        let isSameStore = from == to || (files[0] != nil && files[0] == files[1])
        guard isSameStore, choice.engineName == collection.engineName else { return }
        throw ArgumentError(
            kind == .add
                ? "'\(collection.name)' cannot be copied to itself"
                : "'\(collection.name)' cannot be the source of what is removed from it",
            advice: "Name another --source"
        )
    }

    func run() async throws -> ExitCode {
        let isStore = target.resolved.address.nodes.isEmpty
        let replyLimit = isStore ? target.options.busyTimeout : target.resolved.requestTimeout
        let interruption = Interruption(resumption: resumption, replyLimit: replyLimit)
        try output.refuseToOverwrite(input.files + [backup].compactMap(\.self) + target.resolved.address.files)
        try refuseToLoseFailedRecords()
        if journal.isQueueing { return try await interruption.preparing { try await QueuedJob(self).accept() } }
        let report = try output.newReport(in: directory)
        if let retried = journal.retried {
            var again = self
            again.input = try await interruption.preparing {
                try await FailedOperations(of: JobID(rawValue: retried), self).input()
            }
            return try await again.feed(interruption, report)
        }
        return try await feed(interruption, report)
    }

    private func feed(_ interruption: Interruption, _ report: AtomicFile?) async throws -> ExitCode {
        let failed = try failedRecords.map { try FailedRecords($0) }
        let feed = try await interruption.preparing { try await PreparedFeed(self) }
        interruption.note(resumption: circumstances(of: feed).resumption)
        let extent = FeedExtent(
            input: feed.job.input.progress,
            operations: feed.buffered?.count ?? input.collection?.operationCount
        )
        let printer = FeedPrinter(
            output,
            collection: feed.engine.collection,
            input: extent,
            interruption: interruption
        )
        let lookUp = PatientLookUp(options.configuration)
        let verification = verification.map { Verification($0, of: kind, in: feed.spill, lookUp) }
        let result = try await send(feed, stops: interruption.whileFeeding) { event, report in
            printer.observe(event, report)
            verification?.note(event)
            if case .settled(let outcomes) = event { failed?.note(outcomes) }
        }
        var circumstances = circumstances(of: feed)
        if result.report.end == .completed { interruption.enterAfterCare() }
        circumstances.purgeFailure = await purge(after: result.report, feed)
        circumstances.verification = await verification?.account(after: result.report.end, feed.engine) {
            interruption.reason
        }
        if let settled = feed.job.claim?.state?.counts.settled, case .done(var tally)? = circumstances.verification {
            let earlier = "but for \(Quantity(settled, "operation", "operations")) of earlier runs"
            tally.reservation = tally.reservation.map { "\($0), and \(earlier)" } ?? earlier
            circumstances.verification = .done(tally)
        }
        await seal(feed)
        if result.report.end == .completed { circumstances.lossOfTarget = await lossOfTarget(feed) }
        if verification == nil { await sayWhereItLooked(feed.engine, result.report) }
        await write(failed, of: feed, &circumstances)
        return try await conclude(result, circumstances, printer, report, feed)
    }

    /// Notes what the backup is now that the run has ended; one that can't be read is still compared with the counts.
    private func seal(_ feed: PreparedFeed) async {
        guard let path = feed.backup else { return }
        do {
            try await feed.job.seal(backup: path)
        } catch {
            StandardError.say("what is in the backup '\(path)' could not be noted: \(CommandFailure(error).message)")
        }
    }

    /// Refuses a file of failed records that would replace one this run needs, or that could not be written at the end.
    private func refuseToLoseFailedRecords() throws {
        guard let path = failedRecords else { return }
        let used = input.files + [backup, output.report].compactMap(\.self) + target.resolved.address.files
        let identities = Set(used.compactMap { FileIdentity($0) })
        if path == output.report || FileIdentity(path).map(identities.contains) ?? false {
            throw ArgumentError("--failed \(path) would overwrite a file that this run needs; use another one")
        }
        guard journal.isOff, input.comesOnce else { return }
        throw ArgumentError("--failed reads the input again, which a pipe allows only with a journal: use a file")
    }

    /// Writes the records that failed, with those of earlier runs of the job.
    private func write(
        _ failed: FailedRecords?,
        of feed: PreparedFeed,
        _ circumstances: inout FeedCircumstances
    ) async {
        guard let failed else { return }
        do {
            failed.note(try await feed.job.earlierIssues())
            let memory = try feed.job.memoryToReadAgain()
            let again = memory == nil ? input : input.kept
            if let sentence = try await failed.write(from: again, memory, for: kind) { StandardError.say(sentence) }
        } catch {
            let reason = CommandFailure(error).message
            circumstances.outputFailures.append("the records that failed are in no file: \(reason)")
        }
    }

    /// Says where documents were looked for, if that was not everywhere and the counts depend on it.
    private func sayWhereItLooked(_ engine: any CollectionEngine, _ report: StatusReport) async {
        guard kind == .add || report.counts[.missing] > 0, let reservation = await engine.lookupReservation() else {
            return
        }
        let subject = kind == .add ? "documents were written" : "missing documents were looked up"
        StandardError.say("\(subject) \(reservation)")
    }

    /// Purges the collection after a feed that ran to its end.
    private func purge(
        after report: StatusReport,
        _ feed: PreparedFeed
    ) async -> FeedCircumstances.LateFailure? {
        guard isPurging, report.end == .completed else { return nil }
        do {
            try await OptimizationRun(feed.store, feed.engine.collection).run()
            return nil
        } catch {
            let failure = CommandFailure(error)
            return .init(failure.status, failure.message + (failure.advice.map { "; \($0)" } ?? ""))
        }
    }

    /// Returns why what was written is not where it should be: somebody has moved the file of a store.
    private func lossOfTarget(_ feed: PreparedFeed) async -> FeedCircumstances.LateFailure? {
        guard feed.engine.capabilities.keepsProgress else { return nil }
        do throws(EngineError) {
            try await feed.engine.raise(to: .live)
            return nil
        } catch {
            return .init(ExitStatus(error.code), error.message)
        }
    }

    private func send(
        _ feed: PreparedFeed,
        stops: AsyncStream<StopReason>,
        observe: @escaping (FeedEvent, StatusReport) -> Void
    ) async throws -> FeedResult {
        var engine: any ContentEngine = feed.engine
        do {
            if let path = feed.backup {
                engine = try BackupEngine(feed.engine, for: kind, writingTo: path)
                try await feed.job.note(backup: path)
            }
        } catch {
            await feed.job.abandon()
            throw error
        }
        if let reader = feed.engine as? any VersionedEngine { engine = ComparingEngine(engine, reading: reader) }
        if feed.engine.capabilities.keepsProgress { engine = NotingEngine(engine, noted: feed.job.input.noted) }
        var options = options
        options.spill = feed.spill.space
        options.journal = feed.job.journal(for: feed.engine)
        let operations = OperationFeed(engine: engine, options: options)
        let claim = feed.job.claim
        guard let buffered = feed.buffered else {
            return await operations.run(feed.job.input, job: claim, stops: stops, observe: observe)
        }
        return await operations.run(buffered, job: claim, stops: stops, observe: observe)
    }

    /// What a conclusion needs besides the report.
    private func circumstances(of feed: PreparedFeed) -> FeedCircumstances {
        let target = feed.store.target
        var circumstances = FeedCircumstances(kind: kind, command, target: target, commandLine: commandLine)
        circumstances.readsStandardInput = input.readsStandardInput
        circumstances.findsItsInput = input.collection?.findsWhatIsLeft ?? false
        circumstances.startedAt = input.startedAt
        circumstances.failsOnEmpty = input.failsOnEmpty
        circumstances.keptJob = feed.job.claim?.id
        circumstances.isInputPartial = feed.job.isPartial
        return circumstances
    }

    /// Prints the account, writes the report, says what happened, and only then ends the job: whoever is killed before that
    /// finds all of it in the next run of the same command.
    private func conclude(
        _ result: FeedResult,
        _ circumstances: FeedCircumstances,
        _ printer: FeedPrinter,
        _ report: AtomicFile?,
        _ feed: PreparedFeed
    ) async throws -> ExitCode {
        var circumstances = circumstances
        try printer.finish(result, &circumstances)
        if let report {
            do {
                try write(result, circumstances, to: report)
            } catch {
                let failure = CommandFailure(error).message
                circumstances.outputFailures.append("no report was written: \(failure)")
            }
        }
        if isAlwaysBackedUp, let file = feed.backup, result.report.counts.accepted > 0 {
            StandardError.say(
                "what the documents were is in \(file); take it back with: fastctl undo \(result.report.job)"
            )
        }
        let conclusion = FeedConclusion(result.report, circumstances)
        for line in conclusion.lines { StandardError.say(line) }
        do {
            try await feed.job.end(result.report)
        } catch {
            let failure = CommandFailure(error).message
            // What has stopped the feed may be why its end can't be noted either; that has been said.
            let isSaid = conclusion.lines.contains { $0.contains(failure) }
            guard !isSaid else { return ExitCode(conclusion.status) }
            if let loss = await lossOfTarget(feed) {
                StandardError.say(loss.sentence)
                circumstances.lossOfTarget = loss
                return ExitCode(FeedConclusion(result.report, circumstances).status)
            }
            // Everything is done; only the next run of the same command will look at the input once more.
            StandardError.say("the end of job \(result.report.job) could not be noted: \(failure)")
        }
        return ExitCode(conclusion.status)
    }

    private func write(_ result: FeedResult, _ circumstances: FeedCircumstances, to file: AtomicFile) throws {
        var bytes: [UInt8] = []
        try ReportObject(result, circumstances).append(to: &bytes) { try file.write(&$0) }
        try file.write(&bytes)
        try file.finish()
    }

    /// The advice that a second Ctrl-C leaves the user with.
    private var resumption: String {
        var circumstances = FeedCircumstances(kind: kind, target: "", commandLine: commandLine)
        circumstances.readsStandardInput = input.readsStandardInput
        circumstances.findsItsInput = input.collection?.findsWhatIsLeft ?? false
        return circumstances.resumption
    }

    /// The command line that resumes the work; a backup is never overwritten, so the next one has another name.
    var commandLine: CommandLineWords {
        guard let backup else { return .ofProcess }
        return CommandLineWords.ofProcess.setting("--backup", to: BackupFile.nextPath(after: backup))
    }
}

/// An engine that keeps with a job's progress what its input notes of what it has read.
private struct NotingEngine: ContentEngine {
    private let base: any ContentEngine
    private let noted: @Sendable (FeedProgress) -> FeedProgress

    init(_ base: any ContentEngine, noted: @escaping @Sendable (FeedProgress) -> FeedProgress) {
        (self.base, self.noted) = (base, noted)
    }

    var collection: CollectionName { base.collection }
    var capabilities: EngineCapabilities { base.capabilities }

    func check(_ intent: FeedIntent) async throws(EngineError) { try await base.check(intent) }
    func unseen(by intent: FeedIntent) -> String? { base.unseen(by: intent) }
    func incarnation(for intent: FeedIntent) -> String? { base.incarnation(for: intent) }
    func raise(to level: CompletionLevel) async throws(EngineError) { try await base.raise(to: level) }

    func apply(_ batch: ContentBatch) async -> BatchReply {
        let job = batch.job.map { $0.replacing(noted($0.progress)) }
        return await base.apply(ContentBatch(id: batch.id, items: batch.items, job: job))
    }
}

/// Everything that must be open before anything is sent.
private struct PreparedFeed: Sendable {
    let store: any CollectionAdministration
    let engine: any CollectionEngine
    let job: FeedJob
    /// The whole input, if its size had to be known first.
    let buffered: BufferedOperations?
    /// The file for what documents were; `nil` if there is to be none.
    let backup: String?
    /// The store for operations that memory should not hold.
    let spill: BufferedOperations.Store

    /// Checks the target and collection, opens the input, and holds it back if there is a limit.
    init(_ run: FeedRun) async throws {
        try await FeedJob.refuseOtherTarget(of: JobRequest(run))
        let open = try await run.target.open(run.collection)
        (store, engine) = (open.store, open.engine)
        if run.input.dialect.version?.kind == .external, !engine.capabilities.takesExternalVersions {
            throw CommandFailure(
                .configuration,
                "'\(engine.collection)' keeps no versions that others number; nothing was sent",
                advice: run.input.collection == nil
                    ? "use --version-type unchanged, with the versions that 'fastctl get -o ndjson' shows"
                    : "copy without --version-type: each document replaces the one that is there"
            )
        }
        let intent = FeedIntent(run.kind, isBackedUp: run.backup != nil || run.isAlwaysBackedUp)
        try await engine.check(intent)
        if let unseen = engine.unseen(by: intent) { StandardError.say(unseen) }
        let directory = run.options.spillDirectory ?? engine.capabilities.spillDirectory ?? "."
        let space = SpillSpace(in: directory, maximumBytes: run.options.maximumSpillBytes)
        spill = BufferedOperations.Store(space: space)
        var limit = try await run.limit?.operations(of: engine.count()) ?? (run.findsFirst ? Int.max : nil)
        if let reservation = await engine.countReservation() {
            StandardError.say("'\(engine.collection)' was counted \(reservation)")
        }
        if let allowed = limit, run.kind != .remove {
            try await Self.refuseRemovals(in: run, beyond: allowed)
            // Documents are not held back: they were read to their end, and are read again.
            limit = nil
        }
        job = try await Self.job(of: run, in: open)
        backup = run.backup ?? (run.isAlwaysBackedUp ? job.ownBackup : nil)
        do {
            try await run.requirement?(engine, job.hasSent)
        } catch {
            await job.abandon()
            throw error
        }
        guard let limit else {
            buffered = nil
            return
        }
        let before = job.claim?.state?.progress.firstOperation.rawValue ?? 1
        do {
            buffered = try await BufferedOperations.collect(
                job.input,
                limit: limit,
                counting: Int(clamping: before - 1),
                in: spill
            )
        } catch {
            await job.abandon()
            throw error
        }
    }

    /// Refuses documents with more removals among them than are allowed.
    private static func refuseRemovals(in run: FeedRun, beyond limit: Int) async throws {
        guard !run.input.comesOnce else {
            throw ArgumentError("--max-remove reads documents twice, which a pipe does not allow: use a file")
        }
        var removals = 0
        for try await chunk in try await run.input.open(for: run.kind) {
            removals += chunk.operations.count { $0.kind == .remove }
            guard removals <= limit else { throw BufferedOperations.refusal(limit) }
        }
    }

    private static func job(of run: FeedRun, in open: OpenCollection) async throws -> FeedJob {
        var run = run
        run.input.keepsRouting = open.engine.capabilities.takesRouting
        guard !run.journal.isOff, !run.findsFirst else { return try await FeedJob(unkept: run.input, for: run.kind) }
        return try await FeedJob(JobRequest(run, open.engine), on: try JobShelf.of(open.store, run.journal))
    }
}
