package import ContentFeeding
import FeedJobs
import JSONText
package import ReportKit
import TextKit

/// The output of a feed: a line or an event for each operation as soon as its outcome is known, and the report at the
/// end.
package struct FeedTranscript: Sendable {
    package let form: OutputForm
    /// Whether to leave out the lines about each item.
    package let isQuiet: Bool
    package let nameEnd: NameEnd
    /// The number of IDs that could not be written, because they contain a line end or begin with a byte-order mark.
    package private(set) var unwritableNames = 0

    package init(_ form: OutputForm, isQuiet: Bool = false, nameEnd: NameEnd = .line) {
        self.form = form
        self.isQuiet = isQuiet
        self.nameEnd = nameEnd
    }

    /// Appends the output for an event.
    package mutating func append(_ event: FeedEvent, in collection: CollectionName, to bytes: inout [UInt8]) {
        switch (event, form) {
        case (.accepted(let first, let operations), .text) where !isQuiet:
            ItemLines.append(operations, from: first, to: &bytes)
        case (.settled(let outcomes), .ndjson) where !isQuiet:
            for outcome in outcomes { EventObject.append(outcome, in: collection, to: &bytes) }
        case (.settled(let outcomes), .name) where !isQuiet:
            for outcome in outcomes where outcome.outcome.hasTakenEffect {
                if !nameEnd.append(utf8: outcome.documentID.utf8, to: &bytes) { unwritableNames += 1 }
            }
        default: break
        }
    }

    /// Appends the report of a feed that has ended.
    package func append(
        _ result: FeedResult,
        _ circumstances: FeedCircumstances,
        to bytes: inout [UInt8],
        drain: BufferDrain
    ) throws {
        switch form {
        case .text: try IssueBlocks.append(result, to: &bytes, drain: drain)
        case .json: try ReportObject(result, circumstances).append(to: &bytes, drain: drain)
        case .ndjson: try ReportObject(result, circumstances).appendWithoutLists(to: &bytes)
        case .name: break
        default: form.failAsUndeclared()
        }
        try drain(&bytes)
    }
}

extension Outcome {
    fileprivate var hasTakenEffect: Bool {
        switch self {
        case .removed, .gone, .added, .updated, .noop: true
        default: false
        }
    }
}

/// `fastctl.event/1`: the outcome of one operation, on its own line.
enum EventObject {
    static func append(
        _ outcome: OperationOutcome,
        in collection: CollectionName,
        endsLine: Bool = true,
        to bytes: inout [UInt8]
    ) {
        let failure = outcome.issue?.failure
        bytes.append(object: "fastctl.event/1") { object in
            object.member("operationID", outcome.operationID.rawValue)
            object.member("operation", outcome.kind.rawValue)
            object.member("documentID", outcome.documentID)
            object.member("outcome", outcome.outcome.name)
            object.member("code", failure?.code.rawValue)
            object.member("number", failure?.code.number)
            object.member("description", failure?.description(of: outcome.documentID, in: collection))
            guard let sides = failure.flatMap({ ConflictSides($0) }) else { return }
            object.object("conflict") { conflict in
                for (name, json) in [("here", sides.here), ("origin", sides.origin)] {
                    if let json { conflict.member(name, raw: json) } else { conflict.member(name, nil as String?) }
                }
            }
        }
        if endsLine { bytes.append(0x0A) }
    }
}

/// Lines about each item, as FAST's cmdlet prints them: `Removing item 'X'. Operation ID: 3`.
private enum ItemLines {
    static func append(
        _ operations: some Sequence<ContentOperation>,
        from first: OperationID,
        to bytes: inout [UInt8]
    ) {
        var id = first.rawValue
        for operation in operations {
            append(operation, to: &bytes)
            bytes.append(text: "'. Operation ID: ")
            bytes.append(number: id)
            bytes.append(0x0A)
            id += 1
        }
    }

    private static func append(_ operation: ContentOperation, to bytes: inout [UInt8]) {
        switch operation.kind {
        case .add: bytes.append(text: "Adding item '")
        case .update: bytes.append(text: "Updating item '")
        case .remove: bytes.append(text: "Removing item '")
        }
        bytes.append(safe: operation.documentID.utf8)
    }
}

/// Two blocks at the end of a feed, errors and then warnings; an empty block is omitted.
///
/// ```
/// Total Errors: 1
/// Operation ID: 3 Document ID: FAKEID Error Code: 3 Description: Document e14c…_WebCollection does not exist
/// ```
private enum IssueBlocks {
    static func append(_ result: FeedResult, to bytes: inout [UInt8], drain: BufferDrain) throws {
        let collection = result.report.collection
        if result.errors.count > 0 {
            bytes.append(text: "Total Errors: ")
            try append(result.errors, in: collection, to: &bytes, drain: drain)
        }
        if result.warnings.count > 0 {
            bytes.append(text: "Total Warnings: ")
            try append(result.warnings, in: collection, to: &bytes, drain: drain)
        }
    }

    private static func append<Issue>(
        _ issues: DocumentIssues<Issue>,
        in collection: CollectionName,
        to bytes: inout [UInt8],
        drain: BufferDrain
    ) throws {
        bytes.append(number: issues.count)
        bytes.append(0x0A)
        try issues.readOutcomes { outcome in
            IssueLine.append(outcome, in: collection, to: &bytes)
            if bytes.count >= drainThreshold { try drain(&bytes) }
        }
    }
}

/// The line about one error or warning, as FAST's cmdlet prints it.
enum IssueLine {
    static func append(_ outcome: OperationOutcome, in collection: CollectionName, to bytes: inout [UInt8]) {
        guard let issue = outcome.issue else { return }
        bytes.append(text: "Operation ID: ")
        bytes.append(number: outcome.operationID.rawValue)
        bytes.append(text: " Document ID: ")
        bytes.append(safe: outcome.documentID.utf8)
        bytes.append(text: issue.isError ? " Error Code: " : " Warning Code: ")
        append(issue.failure.code, to: &bytes)
        bytes.append(text: " Description: ")
        bytes.append(safe: issue.failure.description(of: outcome.documentID, in: collection))
        bytes.append(0x0A)
    }

    /// Appends FAST's error number if there is one, otherwise the slug.
    private static func append(_ code: DocumentFailure.Code, to bytes: inout [UInt8]) {
        if let number = code.number { bytes.append(number: number) } else { bytes.append(safe: code.rawValue) }
    }
}

/// A sentence about a change in the way batches are sent.
package struct FlowSentence: Hashable, Sendable {
    package let text: String
    /// Whether nothing is sent or answered for a while, which is reported even without being asked for.
    package let isAboutWaiting: Bool

    package init(_ change: FlowChange) {
        isAboutWaiting =
            switch change {
            case .standstill, .held: true
            case .limit, .batchSize, .waiting, .answering: false
            }
        text =
            switch change {
            case .limit(let count): "at most \(Quantity(count, "batch", "batches")) in flight from now on"
            case .batchSize(let factor):
                factor == 1
                    ? "batches have their original size again" : "batches are \(factor) times as large from now on"
            case .waiting(let failure, let time):
                "the engine is not working; next attempt in \(ShortDuration(time)): \(failure.message)"
            case .answering: "the engine is working again"
            case .standstill(let standstill): Self.text(of: standstill)
            case .held(let open, let time):
                "waiting: \(Quantity(open, "operation is", "operations are")) open; an earlier request for "
                    + "\(open == 1 ? "its document" : "their documents") got no answer and may still arrive, so sending "
                    + "continues in at most \(ShortDuration(time))"
            }
    }

    /// Returns `waiting: 120 operations are open, no progress for 42 s: …; giving up in 14 min 18 s`.
    private static func text(of standstill: Standstill) -> String {
        let open = Quantity(standstill.open, "operation is", "operations are")
        let duration = ShortDuration(standstill.duration)
        guard let failure = standstill.failure else {
            return "waiting: \(open) open; no answer from the engine for \(duration)"
        }
        let end = standstill.givesUpAfter.map { "; giving up in \(ShortDuration($0))" } ?? ""
        return "waiting: \(open) open; no progress for \(duration): \(failure.message)\(end)"
    }
}

extension DocumentFailure {
    /// Advice in one sentence; `nil` for an unknown code.
    package var advice: String? {
        switch code {
        case .documentMissing: "Check the ID, or use --missing ignore if the document may already be gone."
        case .idTooLong: "Use a shorter ID: this one is too long for the engine."
        case .documentTooLarge: "Make the document smaller: it is too large for the engine."
        case .rejectedByEngine: "Read the description: it contains the engine's reason for refusing this operation."
        case .attemptsExhausted: "Run the command again with this ID, or raise --retries."
        case .expired: "Run the command again with this ID, or use a longer --timeout."
        case .dropped: "The engine is configured to drop such documents: see the index's ingest pipelines."
        case .duplicateInInput: "List each document only once; no action is needed."
        case .stale: "A newer operation on the document came first; no action is needed."
        default: nil
        }
    }
}

/// `fastctl.report/1`: the report of a feed.
package struct ReportObject {
    private let result: FeedResult
    private let circumstances: FeedCircumstances
    private var report: StatusReport { result.report }

    package init(_ result: FeedResult, _ circumstances: FeedCircumstances) {
        self.result = result
        self.circumstances = circumstances
    }

    /// Appends the whole report, including its lists, regardless of their length.
    package func append(to bytes: inout [UInt8], drain: BufferDrain) throws {
        try append(errors: result.errors, warnings: result.warnings, to: &bytes, drain: drain)
    }

    /// Appends the report that ends a stream of events; it has no lists, because the events replace them.
    func appendWithoutLists(to bytes: inout [UInt8]) throws {
        try append(errors: nil, warnings: nil, to: &bytes) { _ in }
    }

    private func append(
        errors: DocumentIssues<DocumentError>?,
        warnings: DocumentIssues<DocumentWarning>?,
        to bytes: inout [UInt8],
        drain: BufferDrain
    ) throws {
        try bytes.append(object: "fastctl.report/1") { object in
            object.member("command", circumstances.command.rawValue)
            object.member("target", circumstances.target)
            object.member("collection", report.collection.rawValue)
            object.member("job", (circumstances.keptJob ?? circumstances.recordedJob)?.rawValue)
            if let selection = circumstances.selection { object.object("selection") { append(selection, to: &$0) } }
            object.object("counts", appendCounts)
            if report.counts.perhapsAdded > 0 { object.member("perhapsAdded", report.counts.perhapsAdded) }
            object.object("input") { input in
                input.member("lines", report.input.lines)
                input.member("blank", report.input.blank)
                input.member("bytes", report.input.bytes)
                input.member("duplicates", report.input.duplicates)
            }
            try object.array("errors") { try append(errors, to: &$0, drain: drain) }
            try object.array("warnings") { try append(warnings, to: &$0, drain: drain) }
            if let verification = circumstances.verification {
                object.object("verification") { verification.append(to: &$0) }
            }
            if let left = circumstances.notTakenBack {
                object.object("notTakenBack") { object in
                    object.member("job", left.job.rawValue)
                    object.member("changes", left.changes)
                }
            }
            object.member("level", report.level.rawValue)
            object.member("exitCode", Int(FeedConclusion(report, circumstances).status.rawValue))
            object.member("startedAt", "\(UTCTimestamp(since1970: circumstances.startedAt))")
            object.member("seconds", raw: Array(report.duration.secondsText.utf8))
        }
        bytes.append(0x0A)
    }

    private func append(_ selection: SearchQuery, to object: inout JSONWriter) {
        object.array("where") { list in
            for field in selection.fields {
                list.object { object in
                    object.member("name", field.name)
                    object.member("value", field.value)
                }
            }
        }
        object.member("query", selection.expression)
    }

    private func appendCounts(to counts: inout JSONWriter) {
        counts.member("accepted", report.counts.accepted)
        counts.member("open", report.counts.open)
        counts.member("rejectedInput", report.input.rejected)
        for outcome in Outcome.allCases { counts.member(outcome.name, report.counts[outcome]) }
    }

    private func append<Issue>(
        _ issues: DocumentIssues<Issue>?,
        to list: inout JSONWriter,
        drain: BufferDrain
    ) throws {
        guard let issues else { return }
        try issues.readOutcomes { outcome in
            guard let failure = outcome.issue?.failure else { return }
            list.object { append(outcome, failure, to: &$0) }
            if list.bytes.count >= drainThreshold { try list.drain(drain) }
        }
    }

    private func append(_ outcome: OperationOutcome, _ failure: DocumentFailure, to object: inout JSONWriter) {
        object.member("operationID", outcome.operationID.rawValue)
        object.member("documentID", outcome.documentID)
        object.member("code", failure.code.rawValue)
        object.member("number", failure.code.number)
        object.member("description", failure.description(of: outcome.documentID, in: report.collection))
        object.member("disposition", failure.disposition.rawValue)
        object.member("attempts", outcome.attempts)
        object.member("advice", failure.advice)
    }
}

extension VerificationAccount {
    fileprivate func append(to object: inout JSONWriter) {
        switch self {
        case .notRun: object.member("status", "notRun")
        case .brokenOff(_, let reason):
            object.member("status", "brokenOff")
            object.member("reason", reason)
        case .done(let tally):
            let nothing = tally.documents == 0 ? "nothingToVerify" : "verified"
            object.member("status", tally.unproven == 0 ? nothing : "notVerified")
            object.member("documents", tally.documents)
            object.member("checked", tally.checked)
            object.member("wrong", tally.wrong + tally.differing)
            if tally.comparesContents { object.member("differing", tally.differing) }
            if tally.uncompared > 0 { object.member("uncompared", tally.uncompared) }
            object.array("named") { list in
                for id in tally.named + tally.namedDiffering.map(\.id) { list.value(id) }
            }
            guard !tally.namedDiffering.isEmpty else { return }
            object.array("differences") { list in
                for document in tally.namedDiffering {
                    list.object { object in
                        object.member("documentID", document.id)
                        document.keys.append(to: &object)
                    }
                }
            }
        }
    }
}
