import ContentFeeding
import Reconciliation
import ReportRendering

/// The display of how far a comparison is.
struct ReconciliationDisplay {
    private let display: ProgressDisplay

    init(_ style: ProgressStyle, printsLines: Bool, of progress: ReconciliationProgress) {
        display = ProgressDisplay(style, printsLines: printsLines) { ProgressCount(progress) }
    }

    func finish() { display.finish() }
}

extension ProgressCount {
    /// Counts what a comparison does at a moment.
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

/// A printer of differences in the requested form: as they come, or as text once all are counted.
///
/// A class, because what it has printed decides how it ends.
final class ReconciliationPrinter {
    private let options: RowOptions<OutputFormat>
    private let output: StandardOutput
    private var bytes: [UInt8] = []
    private var report: ReconciliationReport?
    private var examples: [Difference.Kind: [DocumentID]] = [:]
    private var count = 0
    private var unwritableNames = 0

    private static let drainThreshold = 64 << 10

    init(_ options: RowOptions<OutputFormat>) {
        self.options = options
        output = StandardOutput(isWhole: options.format == .json)
    }

    /// Whether differences are printed as they come.
    var printsLines: Bool { options.format == .ndjson || options.format == .name }

    /// Begins with what is known before the differences.
    func begin(_ report: ReconciliationReport) {
        self.report = report
        if options.format == .json { report.begin(to: &bytes) }
    }

    func print(_ differences: [Difference]) throws {
        for difference in differences { append(difference) }
        if bytes.count >= Self.drainThreshold { try output.drainOrStop(&bytes) }
    }

    private func append(_ difference: Difference) {
        switch options.format {
        case .text:
            guard examples[difference.kind, default: []].count < ReconciliationReport.mostExamples else { return }
            examples[difference.kind, default: []].append(difference.id.detached())
        case .json: ReconciliationReport.append(difference, isFirst: count == 0, to: &bytes)
        case .ndjson: report?.append(line: difference, to: &bytes)
        case .name: if !options.nameEnd.append(utf8: difference.id.utf8, to: &bytes) { unwritableNames += 1 }
        }
        count += 1
    }

    /// Prints what follows the differences, and returns how the command ends.
    func finish(_ report: ReconciliationReport) throws -> ExitStatus {
        switch options.format {
        case .text: report.append(examples, to: &bytes, width: ProcessEnvironment.width)
        case .json: report.end(isEmpty: count == 0, in: &bytes)
        case .ndjson:
            report.begin(to: &bytes)
            report.end(isEmpty: true, in: &bytes)
        case .name: break
        }
        try output.drainOrStop(&bytes)
        guard unwritableNames > 0 else { return report.status }
        StandardError.say(NameEnd.refusal(of: unwritableNames))
        return .first(of: [report.status, .inputRejected])
    }
}
