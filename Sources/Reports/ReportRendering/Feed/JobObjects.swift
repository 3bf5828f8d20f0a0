public import ContentFeeding
import JSONText
public import JobJournal
import TextSafety

/// A job, as lists and single pages show it.
public struct JobDisplay: ListEntry, Sendable {
    private let record: JobRecord
    /// The process that works on the job; `nil` if none does.
    private let process: Int?

    public init(_ record: JobRecord, process: Int?) {
        self.record = record
        self.process = process
    }

    /// The stage in a word: what is open is running, or interrupted.
    private var state: String {
        switch record.stage {
        case .open: process == nil ? "interrupted" : "running"
        case .queued, .finished, .cancelled: record.stage.rawValue
        }
    }

    /// The word of the command, where it says more than what is done with documents: `copy`, `undo`.
    private var verb: String { record.job.words.first ?? record.job.kind.rawValue }

    private var command: CommandLineWords { CommandLineWords(["fastctl"] + record.job.words) }

    /// What became of the operations: `11250 removed, 13 missing, 737 open of 12000 accepted`.
    public var account: String {
        var parts = Outcome.allCases.filter { record.counts[$0] > 0 }.map { "\(record.counts[$0]) \($0.name)" }
        if record.open > 0 { parts.append("\(least)\(record.open) open") }
        let account = parts.isEmpty ? "nothing settled" : parts.joined(separator: ", ")
        return record.accepted == 0 ? account : "\(account) of \(accepted) accepted"
    }

    private var least: String { record.isAcceptedAtLeast ? "at least " : "" }

    private var accepted: String { "\(least)\(record.accepted)" }

    /// Appends the job as `fastctl.job/1`, without a line end.
    public func append(to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.job/1") { object in
            object.member("job", record.job.id.rawValue)
            object.member("state", state)
            object.member("process", process)
            object.member("command", record.job.kind.rawValue)
            object.member("commandLine", command.description)
            object.member("directory", record.job.directory)
            object.member("target", record.job.target)
            object.member("collection", record.job.collection.rawValue)
            object.member("startedAt", "\(UTCTimestamp(since1970: record.job.startedAt))")
            object.member("changedAt", "\(UTCTimestamp(since1970: record.changedAt))")
            object.member("runs", record.epoch)
            object.object("counts") { counts in
                counts.member("accepted", record.accepted)
                counts.member("open", record.open)
                counts.member("isLowerBound", record.isAcceptedAtLeast)
                counts.member("rejectedInput", record.input.rejected)
                for outcome in Outcome.allCases { counts.member(outcome.name, record.counts[outcome]) }
            }
            if record.counts.perhapsAdded > 0 { object.member("perhapsAdded", record.counts.perhapsAdded) }
            object.member("errors", record.errors)
            object.member("warnings", record.warnings)
        }
    }

    public static let titles = ["JOB", "STATE", "SETTLED", "ACCEPTED", "ERRORS", "COMMAND", "COLLECTION", "STARTED"]
    public static let alignments: [TextTable.Alignment] = [.left, .left, .right, .right, .right]
    public static let fieldTitles = [
        "job", "state", "command", "target", "collection", "startedAt", "changedAt", "runs", "accepted", "settled",
        "errors", "warnings", "open", "isLowerBound",
    ]

    public var entryName: String? { record.job.id.rawValue }

    public var fields: [String?] {
        [
            record.job.id.rawValue, state, verb, record.job.target, record.job.collection.rawValue,
            "\(UTCTimestamp(since1970: record.job.startedAt))", "\(UTCTimestamp(since1970: record.changedAt))",
            "\(record.epoch)", "\(record.accepted)", "\(record.counts.settled)", "\(record.errors)",
            "\(record.warnings)", "\(record.open)", "\(record.isAcceptedAtLeast)",
        ]
    }

    public var row: [String] {
        [
            record.job.id.rawValue, state, "\(record.counts.settled)", accepted, "\(record.errors)",
            verb, record.job.collection.rawValue,
            "\(UTCTimestamp(since1970: record.job.startedAt))",
        ]
    }

    /// The lines of a single job's page: a title and a value each.
    public var lines: [(String, String)] {
        var lines = [
            ("job", record.job.id.rawValue),
            ("state", state + (process.map { " as process \($0)" } ?? "")),
            ("command", command.description),
            ("directory", record.job.directory),
            ("target", record.job.target),
            ("collection", record.job.collection.rawValue),
            ("started", "\(UTCTimestamp(since1970: record.job.startedAt))"),
            ("changed", "\(UTCTimestamp(since1970: record.changedAt))"),
            ("runs", "\(record.epoch)"),
            ("operations", account),
        ]
        let perhapsAdded = record.counts.perhapsAdded
        if perhapsAdded > 0 { lines.append(("perhaps added", "\(perhapsAdded) of the updated")) }
        if record.input.rejected > 0 { lines.append(("rejected lines", "\(record.input.rejected)")) }
        lines.append(("errors", "\(record.errors)"))
        lines.append(("warnings", "\(record.warnings)"))
        for path in record.backups { lines.append(("backup", path)) }
        if let spool = record.job.spool, record.stage != .finished { lines.append(("kept input", spool)) }
        return lines
    }
}

/// The errors and warnings of a job, a page at a time, in the form in which a feed reports them.
public struct IssueTranscript {
    private let format: OutputFormat
    private let nameEnd: NameEnd
    private var list: JSONList
    /// Number of IDs that could not be written, because they hold a line end or begin with a byte-order mark.
    public private(set) var unwritableNames = 0

    public init(_ format: OutputFormat, nameEnd: NameEnd) {
        self.format = format
        self.nameEnd = nameEnd
        list = JSONList(isArray: format == .json)
    }

    public mutating func append(_ issues: [OperationOutcome], in collection: CollectionName, to bytes: inout [UInt8]) {
        for outcome in issues {
            switch format {
            case .text: IssueLine.append(outcome, in: collection, to: &bytes)
            case .json, .ndjson:
                list.append(to: &bytes) { EventObject.append(outcome, in: collection, endsLine: false, to: &$0) }
            case .name:
                if !nameEnd.append(utf8: outcome.documentID.utf8, to: &bytes) { unwritableNames += 1 }
            }
        }
    }

    public mutating func end(in bytes: inout [UInt8]) { list.end(in: &bytes) }
}
