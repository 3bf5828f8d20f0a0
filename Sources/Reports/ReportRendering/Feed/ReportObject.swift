public import ContentFeeding
import JSONText

/// `fastctl.report/1`: the report of a feed.
public struct ReportObject {
    private let result: FeedResult
    private let circumstances: FeedCircumstances
    private var report: StatusReport { result.report }

    public init(_ result: FeedResult, _ circumstances: FeedCircumstances) {
        self.result = result
        self.circumstances = circumstances
    }

    /// Appends the whole report, including its lists, however long they are.
    public func append(to bytes: inout [UInt8], drain: BufferDrain) throws {
        try append(errors: result.errors, warnings: result.warnings, to: &bytes, drain: drain)
    }

    /// Appends the report that ends a stream of events; the events take the place of its lists.
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
            object.member("job", report.job.rawValue)
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
            object.member("level", report.level.rawValue)
            object.member("exitCode", Int(FeedConclusion(report, circumstances).status.rawValue))
            object.member("startedAt", "\(UTCTimestamp(since1970: circumstances.startedAt))")
            object.member("seconds", raw: Array(report.duration.secondsText.utf8))
        }
        bytes.append(0x0A)
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
            object.member("status", tally.wrong == 0 ? nothing : "notVerified")
            object.member("documents", tally.documents)
            object.member("checked", tally.checked)
            object.member("wrong", tally.wrong)
            object.array("named") { list in for id in tally.named { list.value(id) } }
        }
    }
}
