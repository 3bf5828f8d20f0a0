package import ContentFeeding
package import FeedJobs
import JSONText
package import JobJournal
package import ReportKit
package import TextKit

/// A job as shown in lists and on its own page.
package struct JobDisplay: ListEntry, Sendable {
    private let record: JobRecord
    /// The process that is working on the job; `nil` if there is none.
    private let process: Int?
    /// The job's files that contain a text; `nil` if no text was searched for.
    package let filesHolding: [String]?

    package init(_ record: JobRecord, process: Int?, holding files: [String]? = nil) {
        self.record = record
        self.process = process
        filesHolding = files
    }

    package var id: JobID { record.job.id }

    /// The stage in one word: an open job is either running or interrupted.
    private var state: String {
        switch record.stage {
        case .open: process == nil ? "interrupted" : "running"
        case .queued, .finished, .cancelled: record.stage.rawValue
        }
    }

    /// The command's name, if it is more specific than the kind of operation: `copy`, `undo`.
    private var verb: String { record.job.words.first ?? record.job.kind.rawValue }

    private var command: CommandLineWords { CommandLineWords(["fastctl"] + record.job.words) }

    /// The outcomes of the operations: `11250 removed, 13 missing, 737 open of 12000 accepted`.
    package var account: String {
        var parts = Outcome.allCases.filter { record.counts[$0] > 0 }.map { "\(record.counts[$0]) \($0.name)" }
        if record.open > 0 { parts.append("\(least)\(record.open) open") }
        let account = parts.isEmpty ? "nothing settled" : parts.joined(separator: ", ")
        return record.accepted == 0 ? account : "\(account) of \(accepted) accepted"
    }

    /// The job in one line: `K7Z3VQ8M1T5R9XBC  remove, WebCollection, 2026-05-04T10:00:00Z: 3 removed of 3 accepted`.
    package var summary: String {
        let started = UTCTimestamp(since1970: record.job.startedAt)
        return "\(id)  \(verb), \(record.job.collection), \(started): \(account)"
    }

    private var least: String { record.isAcceptedAtLeast ? "at least " : "" }

    private var accepted: String { "\(least)\(record.accepted)" }

    /// Appends the job as `fastctl.job/1`, without a line end.
    package func append(to bytes: inout [UInt8]) {
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
            object.array("backups") { array in for path in record.backups { array.value(path) } }
            if let filesHolding {
                object.array("filesHolding") { array in for path in filesHolding { array.value(path) } }
            }
        }
    }

    package static let titles = ["JOB", "STATE", "SETTLED", "ACCEPTED", "ERRORS", "COMMAND", "COLLECTION", "STARTED"]
    package static let alignments: [TextTable.Alignment] = [.left, .left, .right, .right, .right]
    package static let fieldTitles = [
        "job", "state", "command", "target", "collection", "startedAt", "changedAt", "runs", "accepted", "settled",
        "errors", "warnings", "open", "isLowerBound",
    ]

    package var entryName: String? { record.job.id.rawValue }

    package var fields: [String?] {
        [
            record.job.id.rawValue, state, verb, record.job.target, record.job.collection.rawValue,
            "\(UTCTimestamp(since1970: record.job.startedAt))", "\(UTCTimestamp(since1970: record.changedAt))",
            "\(record.epoch)", "\(record.accepted)", "\(record.counts.settled)", "\(record.errors)",
            "\(record.warnings)", "\(record.open)", "\(record.isAcceptedAtLeast)",
        ]
    }

    package var row: [String] {
        [
            record.job.id.rawValue, state, "\(record.counts.settled)", accepted, "\(record.errors)",
            verb, record.job.collection.rawValue,
            "\(UTCTimestamp(since1970: record.job.startedAt))",
        ]
    }

    /// Returns the lines of a single job's page, each with a title and a value.
    ///
    /// The age is the time from the start until `now`, which is counted from 1970.
    package func lines(at now: Duration) -> [(String, String)] {
        var lines = [
            ("job", record.job.id.rawValue),
            ("state", state + (process.map { " as process \($0)" } ?? "")),
            ("command", command.description),
            ("directory", record.job.directory),
            ("target", record.job.target),
            ("collection", record.job.collection.rawValue),
            ("started", "\(UTCTimestamp(since1970: record.job.startedAt))"),
            ("changed", "\(UTCTimestamp(since1970: record.changedAt))"),
            ("age", "\(ShortDuration(max(.zero, now - record.job.startedAt)))"),
            ("runs", "\(record.epoch)"),
            ("operations", account),
        ]
        let perhapsAdded = record.counts.perhapsAdded
        if perhapsAdded > 0 { lines.append(("perhaps added", "\(perhapsAdded) of those updated")) }
        if record.input.rejected > 0 { lines.append(("rejected lines", "\(record.input.rejected)")) }
        lines.append(("errors", "\(record.errors)"))
        lines.append(("warnings", "\(record.warnings)"))
        for path in record.backups { lines.append(("backup", path)) }
        if let spool = record.job.spool, record.stage != .finished { lines.append(("kept input", spool)) }
        return lines
    }
}

/// The errors and warnings of a job, page by page, in the same form as a feed reports them.
package struct IssueTranscript {
    private let form: OutputForm
    private let nameEnd: NameEnd
    private var list: JSONList
    /// The number of IDs that could not be written, because they contain a line end or begin with a byte-order mark.
    package private(set) var unwritableNames = 0

    package init(_ form: OutputForm, nameEnd: NameEnd) {
        self.form = form
        self.nameEnd = nameEnd
        list = JSONList(isArray: form == .json)
    }

    package mutating func append(_ issues: [OperationOutcome], in collection: CollectionName, to bytes: inout [UInt8]) {
        for outcome in issues {
            switch form {
            case .text: IssueLine.append(outcome, in: collection, to: &bytes)
            case .json, .ndjson:
                list.append(to: &bytes) { EventObject.append(outcome, in: collection, endsLine: false, to: &$0) }
            case .name:
                if !nameEnd.append(utf8: outcome.documentID.utf8, to: &bytes) { unwritableNames += 1 }
            default: form.failAsUndeclared()
            }
        }
    }

    package mutating func end(in bytes: inout [UInt8]) { list.end(in: &bytes) }
}

/// The numbers of documents by the result of a later check.
package struct SecondLookTally: Sendable {
    private var documents = 0
    private var counts: [SecondLookFinding.Difference: Int] = [:]
    /// The documents whose counters were not compared.
    private var withCounters = 0
    /// The operations that were not checked.
    package var rest = SecondLookRest()

    /// Creates a tally of zero.
    package init() {}

    /// Counts a document.
    package mutating func note(_ finding: SecondLookFinding) {
        documents += 1
        if finding.hasCounters { withCounters += 1 }
        if let difference = finding.difference { counts[difference, default: 0] += 1 }
    }

    /// The number of documents that are no longer in the state in which the job left them.
    package var wrong: Int { counts.values.reduce(0, +) }

    /// The statuses that determine the exit code.
    package var statuses: [ExitStatus] {
        (rest.isOfJob ? [.incomplete] : []) + (wrong > 0 ? [.documentsFailed] : [])
    }

    /// Returns the result as one sentence; `reservation` names the places that were not searched.
    package func sentence(of job: JobID, in collection: CollectionName, _ reservation: String?) -> String {
        let all = Quantity(documents, "document", "documents")
        let counters =
            withCounters == 0
            ? ""
            : "; the counters of \(Quantity(withCounters, "document", "documents")) were not compared, because "
                + "\(withCounters == 1 ? "its" : "their") values before the job are not known"
        let rest = (reservation.map { ", \($0)" } ?? "") + counters + self.rest.words
        guard wrong > 0 else {
            return documents == 0
                ? "\(collection): job \(job) left nothing to verify\(self.rest.words)"
                : "\(collection): \(all) \(documents == 1 ? "is" : "are") as job \(job) left "
                    + "\(documents == 1 ? "it" : "them")\(rest)"
        }
        let parts = SecondLookFinding.Difference.allCases.compactMap { difference in
            counts[difference].map { "\($0) \(difference.words(isOne: $0 == 1))" }
        }
        return "\(collection): of \(all) in job \(job), \(parts.joined(separator: ", "))\(rest)"
    }
}

/// The results of a later check, one document after another.
package struct SecondLookTranscript {
    private let form: OutputForm
    private let nameEnd: NameEnd
    private let collection: CollectionName
    private var list: JSONList
    /// The number of IDs that could not be written, because they contain a line end or begin with a byte-order mark.
    package private(set) var unwritableNames = 0

    /// Creates a transcript in a format.
    package init(_ form: OutputForm, nameEnd: NameEnd, in collection: CollectionName) {
        (self.form, self.nameEnd, self.collection) = (form, nameEnd, collection)
        list = JSONList(isArray: form == .json)
    }

    /// Appends a document that is no longer in the state in which the job left it; appends nothing for other documents.
    package mutating func append(_ finding: SecondLookFinding, to bytes: inout [UInt8]) {
        guard let difference = finding.difference else { return }
        let operation = finding.operation
        switch form {
        case .text:
            let keys = finding.keys.map(PreviewLines.words) ?? ""
            let reason = finding.flaw?.message ?? (keys.isEmpty ? nil : keys)
            let rest = reason.map { ": \(SafeText.escaping($0))" } ?? ""
            let name = SafeText.escaping(operation.documentID.text)
            bytes += Array("'\(name)' \(difference.words(isOne: true))\(rest)\n".utf8)
        case .json, .ndjson:
            list.append(to: &bytes) { bytes in
                bytes.append(object: "fastctl.secondLook/1") { object in
                    object.member("id", operation.documentID)
                    object.member("collection", collection.rawValue)
                    object.member("routing", operation.routing?.text)
                    object.member("operation", operation.kind.rawValue)
                    object.member("difference", difference.rawValue)
                    if let flaw = finding.flaw { object.member("reason", flaw.message) }
                    if let keys = finding.keys { object.object("keys") { keys.append(to: &$0) } }
                }
            }
        case .name:
            if !nameEnd.append(utf8: operation.documentID.utf8, to: &bytes) { unwritableNames += 1 }
        default: form.failAsUndeclared()
        }
    }

    /// Appends the text after the last document.
    package mutating func end(in bytes: inout [UInt8]) { if form == .json { list.end(in: &bytes) } }
}

extension SecondLookFinding.Difference {
    fileprivate func words(isOne: Bool) -> String {
        switch self {
        case .present: isOne ? "exists again" : "exist again"
        case .gone: isOne ? "is gone" : "are gone"
        case .changed: isOne ? "has changed since" : "have changed since"
        case .unreadable: "could not be read"
        }
    }
}
