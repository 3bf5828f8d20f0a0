public import ContentFeeding

/// `fastctl.report/1`: the account of a feed.
public struct ReportObject {
    private let result: FeedResult
    private let circumstances: FeedCircumstances
    private var report: StatusReport { result.report }

    public init(_ result: FeedResult, _ circumstances: FeedCircumstances) {
        self.result = result
        self.circumstances = circumstances
    }

    /// Appends the whole report, lists and all, however long they are.
    public func append(to bytes: inout [UInt8], drain: BufferDrain) throws {
        var object = head(in: &bytes)
        object.key("errors", in: &bytes)
        try append(result.errors, to: &bytes, drain: drain)
        object.key("warnings", in: &bytes)
        try append(result.warnings, to: &bytes, drain: drain)
        tail(of: object, in: &bytes)
    }

    /// Appends the report that ends a stream of events: they are its lists.
    func appendWithoutLists(to bytes: inout [UInt8]) {
        var object = head(in: &bytes)
        for list: StaticString in ["errors", "warnings"] {
            object.key(list, in: &bytes)
            bytes.append(text: "[]")
        }
        tail(of: object, in: &bytes)
    }

    private func head(in bytes: inout [UInt8]) -> JSONObjectText {
        var object = JSONObjectText.begin("fastctl.report/1", in: &bytes)
        object.member("command", circumstances.kind.rawValue, in: &bytes)
        object.member("target", circumstances.target, in: &bytes)
        object.member("collection", report.collection.rawValue, in: &bytes)
        object.member("job", report.job.rawValue, in: &bytes)
        object.key("counts", in: &bytes)
        appendCounts(to: &bytes)
        object.key("input", in: &bytes)
        var input = JSONObjectText(openingIn: &bytes)
        input.member("lines", report.input.lines, in: &bytes)
        input.member("blank", report.input.blank, in: &bytes)
        input.member("bytes", report.input.bytes, in: &bytes)
        input.end(in: &bytes)
        return object
    }

    private func appendCounts(to bytes: inout [UInt8]) {
        var counts = JSONObjectText(openingIn: &bytes)
        counts.member("accepted", report.counts.accepted, in: &bytes)
        counts.member("open", report.counts.open, in: &bytes)
        counts.member("rejectedInput", report.input.rejected, in: &bytes)
        for outcome in Outcome.allCases {
            counts.key(outcome.name, in: &bytes)
            bytes.append(number: report.counts[outcome])
        }
        counts.end(in: &bytes)
    }

    private func tail(of object: JSONObjectText, in bytes: inout [UInt8]) {
        var object = object
        object.member("level", report.level.rawValue, in: &bytes)
        let status = FeedConclusion(report, circumstances).status
        object.member("exitCode", status.rawValue, in: &bytes)
        object.member("startedAt", "\(UTCTimestamp(since1970: circumstances.startedAt))", in: &bytes)
        object.key("seconds", in: &bytes)
        bytes.append(text: report.duration.secondsText)
        object.end(in: &bytes)
        bytes.append(0x0A)
    }

    private func append(_ issues: DocumentIssues, to bytes: inout [UInt8], drain: BufferDrain) throws {
        bytes.append(UInt8(ascii: "["))
        var isFirst = true
        for outcome in issues {
            guard let failure = outcome.issue?.failure else { continue }
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            append(outcome, failure, to: &bytes)
            if bytes.count >= drainThreshold { try drain(&bytes) }
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private func append(_ outcome: OperationOutcome, _ failure: DocumentFailure, to bytes: inout [UInt8]) {
        let description = failure.description(of: outcome.documentID, in: report.collection)
        var object = JSONObjectText(openingIn: &bytes)
        object.member("operationID", outcome.operationID.rawValue, in: &bytes)
        object.member("documentID", outcome.documentID.text, in: &bytes)
        object.member("code", failure.code.rawValue, in: &bytes)
        object.member("number", failure.code.number, in: &bytes)
        object.member("description", description, in: &bytes)
        object.member("disposition", failure.disposition.rawValue, in: &bytes)
        object.member("attempts", outcome.attempts, in: &bytes)
        object.member("advice", failure.advice, in: &bytes)
        object.end(in: &bytes)
    }
}
