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
    }

    func run() async throws -> ExitCode {
        let printer = ItemPrinter(output)
        var tally = Tally()
        for try await chunk in try await input.open(for: .remove) {
            tally.operations += chunk.operations.count
            tally.rejected += chunk.input.rejected
            for rejection in chunk.rejections { StandardError.say("\(rejection)") }
            if let engine { tally.present += try await engine.exists(chunk.operations.map(\.documentID)).count { $0 } }
            try printer.print(chunk.operations)
        }
        try printer.finish()
        StandardError.say(sentence(tally))
        return ExitCode(tally.rejected > 0 || printer.unwritableNames > 0 ? .inputRejected : .done)
    }

    private func sentence(_ tally: Tally) -> String {
        let rejected = tally.rejected > 0 ? "; \(Quantity(tally.rejected, "line", "lines")) rejected" : ""
        guard let engine else {
            let removals = Quantity(tally.operations, "removal", "removals")
            return "dry run: \(removals)\(rejected); nothing was looked up or sent"
        }
        let documents = Quantity(tally.operations, "document", "documents")
        let verb = tally.present == 1 ? "exists" : "exist"
        return "dry run: \(tally.present) of \(documents) \(verb) in \(engine.collection)\(rejected); nothing was sent"
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
