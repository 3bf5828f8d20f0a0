import ContentFeeding
import JobJournal
import ReportRendering

/// A printer of the errors and warnings of a job, in the requested form.
///
/// A class, because what it has printed decides how it ends.
final class JobIssuePrinter {
    private let output = StandardOutput()
    private var bytes: [UInt8] = []
    private var issues: IssueTranscript

    init(_ options: RowOptions<OutputFormat>) {
        issues = IssueTranscript(options.format, nameEnd: options.nameEnd)
    }

    var unwritableNames: Int { issues.unwritableNames }

    func print(_ outcomes: [OperationOutcome], of job: KeptJob) throws {
        issues.append(outcomes, in: job.record.job.collection, to: &bytes)
        try output.drainOrStop(&bytes)
    }

    func endIssues() throws {
        issues.end(in: &bytes)
        try output.drainOrStop(&bytes)
        if unwritableNames > 0 { StandardError.say(NameEnd.refusal(of: unwritableNames)) }
    }
}

extension JobDisplay {
    init(_ job: KeptJob) { self.init(job.record, process: job.holder) }

    static func account(of record: JobRecord) -> String { JobDisplay(record, process: nil).account }
}
