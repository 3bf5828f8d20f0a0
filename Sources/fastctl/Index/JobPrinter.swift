import ContentFeeding
import JobJournal
import ReportRendering
import TextSafety

/// A printer of jobs and their errors, in the requested form.
///
/// A class, because what it has printed decides how it ends.
final class JobPrinter {
    private let options: ResultOptions
    private let output = StandardOutput()
    private var bytes: [UInt8] = []
    private var issues: IssueTranscript

    init(_ options: ResultOptions) {
        self.options = options
        issues = IssueTranscript(options.format, nameEnd: options.nameEnd)
    }

    var unwritableNames: Int { issues.unwritableNames }

    func print(_ jobs: [KeptJob]) throws {
        switch options.format {
        case .json, .ndjson:
            var list = JSONList(isArray: options.format == .json)
            for job in jobs { list.append(to: &bytes) { JobDisplay(job.record, process: job.holder).append(to: &$0) } }
            list.end(in: &bytes)
        case .name: for job in jobs { _ = options.nameEnd.append(job.id.rawValue, to: &bytes) }
        case .text where jobs.isEmpty: break
        case .text:
            var table = TextTable(JobDisplay.titles, alignments: [.left, .left, .right, .right, .right])
            for job in jobs { table.append(JobDisplay(job.record, process: job.holder).row) }
            table.append(to: &bytes, width: ProcessEnvironment.width)
        }
        try output.drainOrStop(&bytes)
    }

    func show(_ job: KeptJob) throws {
        guard options.format == .text else { return try print([job]) }
        for (title, value) in JobDisplay(job.record, process: job.holder).lines {
            let padding = String(repeating: " ", count: max(1, 16 - title.count))
            bytes.append(contentsOf: (title + padding + SafeText.escaping(value) + "\n").utf8)
        }
        try output.drainOrStop(&bytes)
    }

    func print(_ outcomes: [OperationOutcome], of job: KeptJob) throws {
        issues.append(outcomes, in: job.record.job.collection, to: &bytes)
        try output.drainOrStop(&bytes)
    }

    func endIssues() throws {
        issues.end(in: &bytes)
        try output.drainOrStop(&bytes)
        if unwritableNames > 0 { StandardError.say(NameEnd.refusal(of: unwritableNames)) }
    }

    static func account(of record: JobRecord) -> String { JobDisplay(record, process: nil).account }
}
