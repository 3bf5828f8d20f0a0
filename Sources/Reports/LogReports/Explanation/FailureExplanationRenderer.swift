package import FailureExplanation
import JSONText
package import LogDiagnosis
import Neighbors
package import ReportKit
import TextKit
package import ULSLog

/// Writes explanations of codes and texts: as a few readable lines, or as `fastctl.explanation/1` objects.
package enum FailureExplanationRenderer {
    package static let forms: [OutputForm] = [.text, .json, .ndjson]

    package static func append(
        _ failures: [ExplainedFailure],
        as form: OutputForm,
        _ layout: TextLayout,
        isFull: Bool = false,
        to bytes: inout [UInt8]
    ) {
        guard form == .text else {
            var list = JSONList(isArray: form == .json)
            for failure in failures { list.append(to: &bytes) { ExplanationObject.append(failure, to: &$0) } }
            return list.end(in: &bytes)
        }
        // Unknown codes are reported on standard error; there is nothing to show about them.
        let shown = failures.filter { !$0.isEmpty || $0.isQuiet || !$0.looksLike.isEmpty }
        for (index, failure) in shown.enumerated() {
            if index > 0 { bytes.append(0x0A) }
            FailureExplanationText(failure, layout, isFull: isFull).append(to: &bytes)
        }
    }
}

/// An explanation in readable form: about a dozen lines that separate certain facts, likely facts and causes.
private final class FailureExplanationText {
    private let failure: ExplainedFailure
    private let layout: TextLayout
    /// Whether the slots of the frame are listed together with their evidence.
    private let isFull: Bool

    /// The column at which text next to labels begins.
    private static let indent = 13
    /// The limits of a page; the machine formats contain everything.
    private static let (maximumCodes, maximumCauses, maximumChecks, maximumSteps) = (3, 2, 3, 2)
    /// The maximum number of characters of a text that are shown; a step is shown in full, because it may be a command.
    private static let maximumText = 300

    init(_ failure: ExplainedFailure, _ layout: TextLayout, isFull: Bool) {
        self.failure = failure
        self.isFull = isFull
        self.layout = layout
    }

    func append(to bytes: inout [UInt8]) {
        bytes.append(label: "", .bold, indent: 0, paragraph: shortened(Self.heading(of: failure.asked)), layout)
        appendRow(to: &bytes)
        for finding in failure.findings { append(finding, to: &bytes) }
        if failure.isQuiet {
            let words = "by itself, this row shows no failure; rows of the same correlation or time may show one"
            append("reports", words, to: &bytes)
        } else if let sentence = failure.explanation?.frame.sentence {
            append("failure", sentence, to: &bytes)
        }
        let isBare = failure.explanation?.frame.isBare == true
        let label = failure.explanation?.isSupposed == true ? "possible" : "usually"
        let causes = (failure.explanation?.usually ?? []).prefix(Self.maximumCauses + (isBare ? 1 : 0))
        for (index, cause) in causes.enumerated() {
            append(index > 0 ? "" : label, cause, to: &bytes)
        }
        var meanings: Set<String> = []
        for code in failure.codes.prefix(Self.maximumCodes) {
            append(code, isRepetition: code.meaning.map { !meanings.insert($0).inserted } ?? false, to: &bytes)
        }
        if failure.codes.count > Self.maximumCodes {
            let more = Quantity(grouped: failure.codes.count - Self.maximumCodes, "more code", "more codes")
            append("", "and \(more): -o json lists all", to: &bytes)
        }
        if let explanation = failure.explanation { append(explanation, to: &bytes) }
        for neighbor in failure.looksLike { append("similar", "(possible) \(neighbor.sentence)", to: &bytes) }
        appendChecks(to: &bytes)
        if isFull { appendSlots(to: &bytes) }
        guard failure.notShown > 0 else { return }
        bytes.append(0x0A)
        let more = Quantity(grouped: failure.notShown, "more failure", "more failures")
        bytes.append(label: "", .bold, indent: 0, paragraph: "\(more) not shown: use --all", layout)
    }

    /// Returns a text on one line, without the place in the script that PowerShell prints after an error: a line with two
    /// numbers after colons, such as `At C:\\a.ps1:12 char:5`, and lines that begin with a plus sign.
    private static func heading(of text: String) -> String {
        var lines = text.split(whereSeparator: \.isNewline)
        if let code = lines.firstIndex(where: { $0.drop(while: \.isWhitespace).hasPrefix("+ ") }), code > 1,
            lines[code - 1].last(where: { !$0.isWhitespace })?.isNumber == true,
            lines[code - 1].count(where: { $0 == ":" }) >= 2
        {
            lines.removeSubrange((code - 1)...)
        }
        return lines.joined(separator: " ").split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Appends the information found in the text, and the reason for choosing the advice.
    private func appendSlots(to bytes: inout [UInt8]) {
        guard let frame = failure.explanation?.frame else { return }
        for (index, slot) in frame.slots.enumerated() {
            let kind = slot.kind.map { " [\($0)]" } ?? ""
            let text = "\(slot.name)\(kind): \(slot.text) (\(slot.certainty.rawValue), by \"\(slot.evidence)\")"
            append(index == 0 ? "read" : "", text, to: &bytes)
        }
        for (index, advice) in frame.advice.enumerated() {
            append(index == 0 ? "advice" : "", "\(advice.id): \(advice.name) (source: \(advice.source))", to: &bytes)
        }
    }

    /// Appends the finding of a rule, as a diagnosis of the same rows reports it.
    private func append(_ finding: Finding, to bytes: inout [UInt8]) {
        append("rule", "\(finding.rule.id) \(finding.severity.rawValue): \(finding.rule.title)", to: &bytes)
        append("cause", "\(finding.message) (\(finding.confidence.rawValue))", to: &bytes)
        for (index, step) in finding.fix.prefix(Self.maximumSteps).enumerated() {
            append(index == 0 ? "do" : "", "\(index + 1) \(step.step)", maximum: .max, to: &bytes)
        }
        append("", "more: fastctl rules show \(finding.rule.id)", to: &bytes)
    }

    private func appendRow(to bytes: inout [UInt8]) {
        guard let row = failure.row else { return }
        let event = row.event
        var words = [event.time.iso8601, event.server].compactMap(\.self)
        for column in [ULSEvent.Column.process, .area, .category, .eventID, .level] {
            let text = event.text(column)
            if !text.isEmpty { words.append(text) }
        }
        let others = row.count > 1 ? "; \(Quantity(row.count, "row", "rows")) in all" : ""
        append("row", "line \(event.place.line): " + words.joined(separator: " ") + others, to: &bytes)
    }

    /// Appends a code, without details that were already shown for another code.
    private func append(_ code: FailureCode, isRepetition: Bool, to bytes: inout [UInt8]) {
        // For a number without a name, only its parts are known.
        append(code.name == nil && code.space != .permission ? "number" : "decoded", title(of: code), to: &bytes)
        if isRepetition { return }
        if let meaning = code.meaning { append("", meaning, to: &bytes) }
        // Usual causes are general knowledge, not necessarily the causes of this failure.
        let label = code.isSupposed ? "possible" : "usually"
        for (index, cause) in code.causes.prefix(Self.maximumCauses).enumerated() {
            append(index > 0 ? "" : label, cause, to: &bytes)
        }
    }

    /// Returns the name, space and number of a code, and whether only a sentence indicates the code.
    private func title(of code: FailureCode) -> String {
        // The numbers of sentences are internal to our table, and mean nothing to users.
        if code.space == .sentence, failure.evidence(of: code) == .number { return code.title }
        if code.space == .sentence { return "\(code.title) (by the sentence, which contains no number)" }
        let name = code.name.map { "\($0), " } ?? ""
        let source = failure.evidence(of: code) == .phrase ? " (by the sentence)" : ""
        return "\(name)\(code.space.rawValue) \(code.spelled)\(source)"
    }

    private func append(_ explanation: Explanation, to bytes: inout [UInt8]) {
        if let exception = explanation.exception, exception.type != nil || !exception.message.isEmpty {
            let words = [exception.type, exception.message.isEmpty ? nil : exception.message].compactMap(\.self)
            append("exception", words.joined(separator: ": "), to: &bytes)
        }
        if let thrower = explanation.chain?.thrower { append("thrown by", thrower.name, to: &bytes) }
        if let frame = explanation.foreignFrame {
            append("custom", "\(frame.name) is custom or third-party code", to: &bytes)
        }
        if let found = explanation.activity {
            let outer = found.outer.map { ", within \($0.name)" } ?? ""
            append("during", "\(found.activity.name)\(outer) (\(found.evidence.sentence))", to: &bytes)
            let causes = found.activity.causes.filter { !explanation.usually.contains($0) }
            for (index, cause) in causes.prefix(Self.maximumCauses).enumerated() {
                append(index > 0 ? "" : found.isSupposed ? "possible" : "usually", cause, to: &bytes)
            }
        }
        if let place = explanation.place {
            // A component that a text mentions need not be the one that failed.
            let isMention = place.mention != nil
            let confidence = explanation.isPlaceSupposed ? "possible, " : isMention ? "" : "likely, "
            let words = "\(place.component.name) (\(confidence)\(place.evidence.sentence))"
            append(isMention ? "mentions" : "where", words, to: &bytes)
            append("", "depends on " + place.component.needs.joined(separator: "; "), to: &bytes)
        }
        for cause in explanation.causes { append("cause", cause, to: &bytes) }
    }

    private func appendChecks(to bytes: inout [UInt8]) {
        for (index, check) in failure.checks.prefix(Self.maximumChecks).enumerated() {
            append(index == 0 ? "check" : "", "\(index + 1) \(check.text)", to: &bytes)
            guard let command = check.command else { continue }
            bytes.append(blanks: Self.indent + 2)
            // A command is not wrapped, so that it can be copied.
            bytes.append(line: command, layout)
            bytes.append(0x0A)
        }
    }

    private func append(_ label: String, _ text: String, maximum: Int = maximumText, to bytes: inout [UInt8]) {
        let label = label.isEmpty ? "" : "  " + label
        bytes.append(label: label, .bold, indent: Self.indent, paragraph: shortened(text, maximum), layout)
    }

    private func shortened(_ text: String, _ maximum: Int = maximumText) -> String {
        SafeText.escaping(lineText(text, layout), maximum: maximum)
    }
}

/// `fastctl.explanation/1`.
private enum ExplanationObject {
    static func append(_ failure: ExplainedFailure, to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.explanation/1") { object in
            object.member("asked", failure.asked)
            object.member("known", !failure.isEmpty && !failure.isQuiet)
            object.key("row")
            write(failure.row, to: &object)
            object.array("findings") { object in
                for finding in failure.findings { write(finding, to: &object) }
            }
            object.array("decoded") { object in
                let inText = failure.inText
                for code in failure.explanation?.decoded.map(\.code) ?? failure.codes {
                    let place = inText.first { $0.code.isSame(as: code) }?.range
                    write(code, failure.evidence(of: code), place, to: &object)
                }
            }
            object.key("frame")
            write(failure.explanation?.frame, to: &object)
            let (usual, isSupposed) = (failure.explanation?.usually ?? [], failure.explanation?.isSupposed == true)
            object.member("usually", isSupposed ? [] : usual)
            let activity = failure.explanation?.activity
            let ofActivity = activity?.isSupposed == true ? activity?.activity.causes ?? [] : []
            object.key("exception")
            write(failure.explanation?.chain, to: &object)
            object.member("customFrame", failure.explanation?.foreignFrame?.name)
            object.key("during")
            write(activity, to: &object)
            object.key("where")
            write(failure.explanation?.place, to: &object)
            object.member("cause", (failure.explanation?.causes ?? []) + (isSupposed ? usual : []) + ofActivity)
            object.member(looksLike: failure.looksLike)
            write(failure.checks, to: &object)
            object.member("notShown", failure.notShown)
        }
    }

    private static func write(_ finding: Finding, to object: inout JSONWriter) {
        object.object { object in
            object.member("rule", finding.rule.id.text)
            object.member("title", finding.rule.title)
            object.member("verdict", finding.verdict)
            object.member("severity", finding.severity.rawValue)
            object.member("confidence", finding.confidence.rawValue)
            object.member("message", finding.message)
            object.member(fix: finding.fix)
        }
    }

    private static func write(_ row: ExplainedFailure.Row?, to object: inout JSONWriter) {
        guard let row else { return object.null() }
        object.object { object in
            object.member("line", row.event.place.line)
            object.member("rows", row.count)
            object.member("time", row.event.time)
            object.member("server", log: row.event.server)
            object.member("process", log: row.event.text(.process))
            object.member("area", log: row.event.text(.area))
            object.member("category", log: row.event.text(.category))
            object.member("eventID", log: row.event.text(.eventID))
            object.member("level", log: row.event.text(.level))
            object.member("correlation", log: row.event.text(.correlation))
        }
    }

    private static func write(
        _ code: FailureCode,
        _ evidence: FoundCode.Evidence?,
        _ place: Range<Int>?,
        to object: inout JSONWriter
    ) {
        let hasNumber = code.space != .sentence
        object.object { object in
            object.member("space", code.space.rawValue)
            object.member("code", hasNumber ? code.spelled : nil)
            object.member("number", hasNumber ? code.number : nil)
            object.member("name", code.name)
            object.member("meaning", code.meaning)
            object.member("usually", code.causes)
            object.member("evidence", evidence?.rawValue)
            object.member("start", place?.lowerBound)
            object.member("end", place?.upperBound)
        }
    }

    private static func write(_ chain: ExceptionChain?, to object: inout JSONWriter) {
        guard let chain else { return object.null() }
        object.object { object in
            object.member("type", chain.headline.type)
            object.member("message", chain.headline.message)
            object.member(
                "hresult",
                chain.headline.hresult.map { FailureCode(space: .hresult, number: UInt64($0)).spelled }
            )
            object.member("thrownBy", chain.thrower?.name)
            object.member("calledBy", chain.firstBeyondRuntime?.name)
            object.member("chain", chain.links.map { $0.type ?? "" })
            object.member("frames", chain.frames.count)
        }
    }

    private static func write(_ frame: FailureFrame?, to object: inout JSONWriter) {
        guard let frame, !frame.isEmpty else { return object.null() }
        object.object { object in
            object.member("sentence", frame.sentence)
            for slot in frame.slots {
                object.key(slot.name)
                object.object { object in
                    object.member("kind", slot.kind)
                    object.member("text", slot.text)
                    object.member("evidence", slot.evidence)
                    object.member("certainty", slot.certainty.rawValue)
                }
            }
            object.member("advice", frame.advice.map(\.id))
        }
    }

    private static func write(_ place: FoundComponent?, to object: inout JSONWriter) {
        guard let place else { return object.null() }
        object.object { object in
            object.member("component", place.component.id)
            object.member("name", place.component.name)
            object.member("does", place.component.purpose)
            object.member("needs", place.component.needs)
            object.member("evidence", place.evidence.words.kind)
            object.member("evidenceText", place.evidence.words.text)
        }
    }

    private static func write(_ found: FoundActivity?, to object: inout JSONWriter) {
        guard let found else { return object.null() }
        object.object { object in
            object.member("activity", found.activity.id)
            object.member("name", found.activity.name)
            object.member("within", found.outer?.name)
            object.member("usually", found.isSupposed ? [] : found.activity.causes)
            object.member("evidence", found.evidence.words.kind)
            object.member("evidenceText", found.evidence.words.text)
        }
    }

    private static func write(_ checks: [Check], to object: inout JSONWriter) {
        object.array("checks") { object in
            for check in checks {
                object.object { object in
                    object.member("text", check.text)
                    object.member("command", check.command)
                }
            }
        }
    }
}

/// A code or text, with its explanation.
package struct ExplainedFailure: Sendable {
    /// The row in which a failure was first found.
    package struct Row: Sendable {
        package var event: ULSEvent
        /// The number of rows of the input that show the same failure, including this one.
        package var count: Int

        package init(_ event: ULSEvent) {
            self.event = event
            count = 1
        }
    }

    /// The code or the text; for a row, its message.
    package var asked: String
    /// Decoded codes, which are certain.
    package var codes: [FailureCode]
    /// Further interpretation of the text; `nil` for a code.
    package var explanation: Explanation?
    package var row: Row?
    /// The findings of rules that rest on the row or the text.
    ///
    /// A rule of a cause gives the reason, so the usual causes of the text are left out, as in a diagnosis.
    package var findings: [Finding] = [] {
        didSet {
            guard findings.contains(where: { $0.rule.kind != .symptom }) else { return }
            explanation?.usually = []
            explanation?.causes = []
            explanation?.activity?.activity.causes = []
            for index in codes.indices { codes[index].causes = [] }
            for index in explanation?.decoded.indices ?? 0..<0 { explanation?.decoded[index].code.causes = [] }
        }
    }
    /// True for a row of a short paste that shows no failure by itself.
    package private(set) var isQuiet = false
    /// True for pasted text in which nothing was recognized.
    package private(set) var isUnknownPaste = false
    /// The number of further failures in the same pasted text that are not shown, if this is the last one shown.
    package var notShown = 0

    /// Creates the explanation of a code from the tables of all spaces; it is empty if none of them contains the code.
    package init(asked: String, codes: [FailureCode]) {
        self.asked = asked
        self.codes = codes
    }

    /// Creates the explanation of a text.
    package init(asked: String, explanation: Explanation) {
        self.asked = asked
        self.explanation = explanation
        var codes: [FailureCode] = []
        for found in explanation.decoded where !codes.contains(found.code) { codes.append(found.code) }
        // Codes for unspecified failures come last.
        codes = codes.filter { !$0.isEmptyHanded } + codes.filter(\.isEmptyHanded)
        self.codes = codes.filter { $0.name != nil } + codes.filter { $0.name == nil }
    }

    /// Creates the explanation of a word or a text from a user; it is empty if nothing is known about the text.
    package init(answerTo words: String) {
        let codes = words.contains(" ") ? [] : FailureCodes.lookUp(words)
        self.init(asked: words, codes: codes)
        guard codes.isEmpty else { return }
        let explained = ExplainedFailure(asked: words, explanation: Explanation(of: words))
        let found = explained.isEmpty ? FailureCodes.lookUp(words) : []
        // A rule may know the text, and then the component is of interest.
        self = found.isEmpty ? explained : ExplainedFailure(asked: words, codes: found)
    }

    /// Returns the explanation of pasted text in which nothing was recognized.
    package static func unknownPaste(_ text: String) -> ExplainedFailure {
        var failure = ExplainedFailure(asked: text, codes: [])
        failure.isUnknownPaste = true
        return failure
    }

    /// The row's description, without advice, because it shows no failure; a row that states one is left as it is.
    package var quiet: ExplainedFailure {
        if statesFailure { return self }
        var row = self
        row.isQuiet = true
        row.codes.removeAll { $0.name == nil }
        row.explanation?.decoded.removeAll { $0.code.name == nil }
        row.explanation?.usually = []
        row.explanation?.checks = []
        return row
    }

    /// Creates the explanation of a row's message.
    package init(_ event: ULSEvent) {
        let message = event.text(.message)
        var explanation = Explanation(
            of: message,
            area: event.text(.area),
            category: event.text(.category),
            process: event.text(.process)
        )
        // A record of an error reports one even if its words are not known.
        if event.level.rank <= 2 {
            let source = [event.text(.area), event.text(.category)].filter { !$0.isEmpty }.joined(separator: " / ")
            let record = EventRecord(
                level: event.level.name,
                source: source.isEmpty ? event.text(.process) : source,
                number: event.text(.eventID),
                message: message
            )
            explanation.take(record)
        }
        self.init(asked: message, explanation: explanation)
        row = Row(event)
    }

    /// True if there is no explanation.
    ///
    /// A row is described in any case; for another text, a component that it mentions explains nothing.
    package var isEmpty: Bool {
        guard codes.isEmpty, findings.isEmpty, let explanation else { return codes.isEmpty && findings.isEmpty }
        return row == nil ? explanation.explainsNothing : explanation.isEmpty
    }

    /// True if there is an exception or a code, which indicates a failure; a component alone is not a failure, unless
    /// the row's level makes it one.
    package var isFailure: Bool {
        // In a verbose row, a number without a name may be any value.
        let hasCode = row.map { $0.event.level.rank < 8 } == false ? codes.contains { $0.name != nil } : !codes.isEmpty
        if hasCode || !findings.isEmpty || explanation?.chains.isEmpty == false { return true }
        guard let explanation, let row, !explanation.isEmpty else { return false }
        return row.event.level.rank <= 3 || row.event.level.rank <= 4 && explanation.frame.isInformative
    }

    /// True if a row states a failure, regardless of its level.
    package var statesFailure: Bool { row != nil && explanation?.frame.statesFailure == true }

    /// True if a cause is known.
    package var hasCause: Bool {
        guard let explanation else { return false }
        return !explanation.usually.isEmpty || !explanation.causes.isEmpty
            || explanation.decoded.contains { !$0.code.causes.isEmpty }
    }

    /// True if only the words of the text describe the failure, without any code.
    package var saysHow: Bool { explanation?.frame.isInformative == true }

    /// Counts another row of the same failure, and takes information from it that this row lacks.
    package mutating func add(_ other: ExplainedFailure) {
        row?.count += 1
        for finding in other.findings where !findings.contains(where: { $0.fingerprint == finding.fingerprint }) {
            findings.append(finding)
        }
        guard explanation?.exception?.type == nil, other.explanation?.exception?.type != nil else { return }
        (explanation, codes) = (other.explanation, other.codes)
    }

    /// The common part of the rows of one failure.
    package var identity: String {
        if let chain = explanation?.chain { return chain.identity }
        let place = explanation?.place?.component.id ?? ""
        let marks = codes.map { "\($0.space.rawValue):\($0.number)" } + findings.map(\.fingerprint)
        return marks.joined(separator: ",") + "|" + place
    }

    /// The identity, and the codes that a request has in common with other rows of the same failure.
    package var keys: [String] {
        let request = row?.event.text(.correlation) ?? ""
        guard request.contains(where: { $0 != "0" && $0 != "-" }) else { return [identity] }
        let clear = codes.filter { $0.name != nil && $0.kind != .vague && $0.kind != .unexpected }
        return [identity] + clear.map { "\(request) \($0.space.rawValue):\($0.plain)" }
    }

    /// Returns the evidence for a code in the text; `nil` if the code itself was the question.
    func evidence(of code: FailureCode) -> FoundCode.Evidence? {
        explanation?.decoded.first { $0.code == code }?.evidence
    }

    /// The codes in the text to be explained, with their places.
    ///
    /// The codes may have been found in another row of the same failure, or before names were masked.
    var inText: [FoundCode] {
        guard explanation != nil else { return [] }
        let columns = row.map { row in
            [ULSEvent.Column.area, .category, .process].map { row.event.text($0) }.joined(separator: " ")
        }
        return FailureCodes.find(in: asked, beside: columns ?? "")
    }

    /// The recommended checks, without duplicates, in this order.
    var checks: [Check] {
        if let explanation { return isEmpty ? [] : explanation.checks }
        var checks: [Check] = []
        for check in codes.flatMap(\.checks) where !checks.contains(check) { checks.append(check) }
        return checks
    }
}

extension FailureCode {
    /// True for E_FAIL, DISP_E_EXCEPTION and the plain exceptions of .NET, which wrap the actual failure.
    fileprivate var isEmptyHanded: Bool {
        space != .permission && [0x8000_4005, 0x8002_0009, 0x8013_1500, 0x8013_1501].contains(number)
    }
}

extension FoundActivity.Evidence {
    /// The kind of evidence, in one word, and the evidence.
    var words: (kind: String, text: String) {
        switch self {
        case .frame(let frame): ("frame", frame.name)
        case .text(let words): ("text", words)
        }
    }

    /// The evidence for the activity, and its strength.
    var sentence: String {
        switch self {
        case .frame(let frame): "certain, by the frame \(frame.name)"
        case .text(let words): "likely, by the words \"\(words)\""
        }
    }
}

extension FoundComponent.Evidence {
    /// The kind of evidence, in one word, and the evidence.
    var words: (kind: String, text: String) {
        switch self {
        case .frame(let name): ("frame", name)
        case .exceptionType(let type): ("exceptionType", type)
        case .category(let category): ("category", category)
        case .message(let words): ("message", words)
        case .text(let word): ("text", word)
        case .process(let process): ("process", process)
        }
    }

    /// The evidence for the component, as the end of a sentence.
    var sentence: String {
        switch self {
        case .frame(let name): "by the frame \(name)"
        case .exceptionType(let type): "by the exception \(type)"
        case .category(let category): "by the category \(category)"
        case .message(let words): "by the message \"\(words)\""
        case .text(let word): "by the words \"\(word)\""
        case .process(let process): "by the process \(process)"
        }
    }
}
