import ArgumentParsing
import ContentFeeding
import FeedFormats
import ReportRendering

/// A feed from its input to its exit code: what `remove`, `add` and `update` have in common.
struct FeedRun {
    let kind: ContentOperation.Kind
    let engine: any CollectionEngine
    let target: String
    let input: FeedInputPlan
    let options: FeedOptions
    let output: OutputOptions
    let interruption: Interruption
    /// More removals than this are refused.
    var limit: Int?
    /// Where removed documents are written before they are removed.
    var backup: String?
    /// What is done when everything was fed.
    var afterwards: () async throws -> Void = {}

    func run() async throws -> ExitCode {
        let report = try output.report.map { try WholeFile($0) }
        let opened = try await interruption.preparing { [input, kind] in try await input.open(for: kind) }
        let held = try await hold(opened)
        let backedUp = try backup.map { try BackupEngine(engine, writingTo: $0) }
        let printer = FeedPrinter(output, collection: engine.collection, interruption: interruption)
        let feed = OperationFeed(engine: backedUp ?? engine, options: options)
        let result =
            if let held { await feed.run(held, stops: interruption.whileFeeding, observe: printer.observe) } else {
                await feed.run(opened, stops: interruption.whileFeeding, observe: printer.observe)
            }
        try? await (engine as? any ProgressKeepingEngine)?.forget(result.report.job)
        return try await conclude(result, printer, report)
    }

    /// Keeps the whole input back until its size is known to be allowed.
    private func hold(_ input: FeedInput) async throws -> HeldOperations? {
        guard let limit else { return nil }
        var store = HeldOperations.Store()
        store.directory = options.spillDirectory ?? engine.capabilities.spillDirectory ?? "."
        store.maximumBytes = options.maximumSpillBytes
        let store_ = store
        return try await interruption.preparing {
            try await HeldOperations.collect(input, limit: limit, in: store_)
        }
    }

    private func conclude(_ result: FeedResult, _ printer: FeedPrinter, _ report: WholeFile?) async throws -> ExitCode {
        var circumstances = FeedCircumstances(kind: kind, target: target, commandLine: commandLine)
        circumstances.readsStandardInput = input.readsStandardInput
        circumstances.startedAt = input.startedAt
        try printer.finish(result, &circumstances)
        if let report { try write(result, circumstances, to: report) }
        let conclusion = FeedConclusion(result.report, circumstances)
        if result.report.end == .completed { try await afterwards() }
        for step in conclusion.nextSteps.dropLast(conclusion.nextSteps.last == nil ? 0 : 1) { StandardError.say(step) }
        StandardError.say(conclusion.sentence)
        if let last = conclusion.nextSteps.last { StandardError.say(last) }
        return ExitCode(conclusion.status)
    }

    private func write(_ result: FeedResult, _ circumstances: FeedCircumstances, to file: WholeFile) throws {
        var bytes: [UInt8] = []
        try ReportObject(result, circumstances).append(to: &bytes) { try file.write(&$0) }
        try file.write(&bytes)
        try file.finish()
    }

    /// What takes the work up again; a backup is never written over, so the next one has another name.
    private var commandLine: CommandLineWords {
        guard let backup else { return .ofProcess }
        return CommandLineWords.ofProcess.setting("--backup", to: BackupFile.nextPath(after: backup))
    }
}

/// An input that can be opened when its turn has come.
struct FeedInputPlan: Sendable {
    var sources: [InputSource]
    var format: InputFormat
    var limits: InputLimits
    var startedAt = ProcessEnvironment.now

    var readsStandardInput: Bool { sources.contains(.standardInput) }

    func open(for kind: ContentOperation.Kind) async throws -> FeedInput {
        try await FeedInput.open(sources, for: kind, format: format, limits: limits) { note in
            StandardError.say("\(note)")
        }
    }
}
