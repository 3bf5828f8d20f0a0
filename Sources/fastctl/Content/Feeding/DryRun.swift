import ArgumentParsing
import ContentFeeding
import FeedFormats
import ReportRendering

/// A run that reports what would be removed, and removes nothing.
struct DryRun {
    let input: PendingInput
    let output: OutputOptions
    /// An engine that looks the documents up; without one, only the input is read.
    var engine: (any CollectionEngine)?

    private struct Tally {
        var operations = 0
        var present = 0
        var rejected = 0
        var tooLong = 0
        var named = 0
    }

    /// The most documents named; all are counted.
    private static let maximumNamed = 100

    func run() async throws -> ExitCode {
        let printer = ItemPrinter(output)
        var tally = Tally()
        for try await chunk in try await input.open(for: .remove) {
            tally.operations += chunk.operations.count
            tally.rejected += chunk.input.rejected
            for rejection in chunk.rejections { StandardError.say("\(rejection)") }
            if let engine { try await lookUp(chunk.operations.map(\.key), in: engine, &tally) }
            try printer.print(chunk.operations)
        }
        try printer.finish()
        if tally.named > Self.maximumNamed {
            StandardError.say("… and \(tally.named - Self.maximumNamed) more that would not be removed")
        }
        StandardError.say(sentence(tally))
        return ExitCode(tally.rejected > 0 || printer.unwritableNames > 0 ? .inputRejected : .done)
    }

    /// Looks up the IDs that the engine would take, and names those that would not be removed.
    private func lookUp(_ keys: [DocumentKey], in engine: any CollectionEngine, _ tally: inout Tally) async throws {
        let limit = engine.capabilities.maximumIDBytes
        let asked = keys.filter { $0.id.byteCount <= limit }
        let answers = try await engine.exists(at: asked)
        guard answers.count == asked.count else {
            throw EngineError(.unusable, "the engine answered for \(answers.count) of \(asked.count) IDs")
        }
        for key in keys where key.id.byteCount > limit {
            tally.tooLong += 1
            name(key.id, "has \(key.id.byteCount) bytes, but \(engine.collection) takes at most \(limit)", &tally)
        }
        for (key, isThere) in zip(asked, answers) {
            if isThere { tally.present += 1 } else { name(key.id, "does not exist in \(engine.collection)", &tally) }
        }
    }

    private func name(_ id: DocumentID, _ what: String, _ tally: inout Tally) {
        tally.named += 1
        if tally.named <= Self.maximumNamed { StandardError.say("'\(id)' \(what)") }
    }

    private func sentence(_ tally: Tally) -> String {
        let rejected = tally.rejected > 0 ? "; \(Quantity(tally.rejected, "line", "lines")) rejected" : ""
        guard let engine else {
            if input.collection != nil {
                let found = Quantity(tally.operations, "document was", "documents were")
                return "dry run: \(found) found and would be removed; nothing was sent"
            }
            let removals = Quantity(tally.operations, "removal", "removals")
            return "dry run: \(removals)\(rejected); nothing was looked up or sent"
        }
        let documents = Quantity(tally.operations, "document", "documents")
        let tooLong = tally.tooLong > 0 ? "; \(Quantity(tally.tooLong, "ID is", "IDs are")) too long" : ""
        let verb = tally.present == 1 ? "exists" : "exist"
        return
            "dry run: \(tally.present) of \(documents) \(verb) in \(engine.collection)\(tooLong)\(rejected); nothing was sent"
    }
}

/// A printer of the items of a dry run.
private final class ItemPrinter {
    private let options: OutputOptions
    private let output = StandardOutput()
    private var bytes: [UInt8] = []
    var unwritableNames = 0

    init(_ options: OutputOptions) { self.options = options }

    func print(_ operations: [ContentOperation]) throws {
        guard !options.isQuiet else { return }
        for operation in operations {
            if options.format == .name {
                if !options.nameEnd.append(utf8: operation.documentID.utf8, to: &bytes) { unwritableNames += 1 }
            } else {
                ItemLines.appendWhatIf(operation, to: &bytes)
            }
        }
        try output.drainOrStop(&bytes)
    }

    func finish() throws {
        if unwritableNames > 0 {
            StandardError.say("\(Quantity(unwritableNames, "ID contains", "IDs contain")) a line break: use --print0")
        }
    }
}
