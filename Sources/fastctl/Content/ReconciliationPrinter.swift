import ContentFeeding
import Reconciliation
import ReportRendering

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
