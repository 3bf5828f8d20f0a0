import JSONText
package import LogDiagnosis
import Neighbors
import Redaction
import ReportKit
import TextKit
import ULSLog
import WebConfig

/// A diagnosis for code scanning and editors: SARIF 2.1.0, within GitHub's limits, with a note about omitted content.
final class SARIFLog {
    private let report: DiagnosisReport
    private let options: DiagnosisOptions

    init(_ report: DiagnosisReport, _ options: DiagnosisOptions) {
        self.report = report
        self.options = options
    }

    func append(to bytes: inout [UInt8]) {
        let rules = SARIFRules(report)
        let (results, cut) = SARIFResults(report, rules, options.requests, options.gate).json
        var buffer: [UInt8] = []
        swap(&buffer, &bytes)
        var writer = JSONWriter(onto: buffer)
        writer.object { log in
            log.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
            log.member("version", "2.1.0")
            log.array("runs") { runs in
                runs.object { run in
                    run.object("tool") { tool in
                        tool.object("driver") { driver in
                            driver.member("name", "fastctl")
                            driver.member("version", options.version)
                            driver.key("rules")
                            rules.write(to: &driver)
                        }
                    }
                    // The category differs from those of other tools, because an upload replaces earlier ones of the
                    // same category.
                    run.object("automationDetails") { details in
                        details.member("id", report.isOfConfigsAlone ? "fastctl/webconfig/" : "fastctl/uls/")
                    }
                    run.member("columnKind", "unicodeCodePoints")
                    run.array("invocations") { invocations in
                        SARIFInvocation(report, options, rules, cut: cut).write(to: &invocations)
                    }
                    run.member("results", raw: results)
                }
            }
        }
        bytes = writer.takeBytes()
        bytes.append(0x0A)
    }
}

/// Limits of GitHub for one file.
///
/// Source: "SARIF support for code scanning" (docs.github.com): 10 MB compressed; 25,000 results, 5,000 of them kept;
/// 25,000 rules; 1,000 locations, 100 of them kept; 20 tags, 10 of them kept; descriptions of 1,024 characters.
private enum SARIFLimits {
    static let results = 5000
    static let rules = 25_000
    static let locations = 100
    static let tags = 10
    static let description = 1024
    /// The maximum size of the results in bytes before compression.
    static let resultBytes = 8_000_000
    /// The maximum length of a rule's help.
    static let help = 8000
}

/// The run as a SARIF invocation: how it ended, and notes for readers of the results.
private final class SARIFInvocation {
    private let report: DiagnosisReport
    private let options: DiagnosisOptions
    private let rules: SARIFRules
    /// The number of findings that are not among the results.
    private let cut: Int

    init(_ report: DiagnosisReport, _ options: DiagnosisOptions, _ rules: SARIFRules, cut: Int) {
        self.report = report
        self.options = options
        self.rules = rules
        self.cut = cut
    }

    func write(to writer: inout JSONWriter) {
        writer.object { invocation in
            // Findings and rules that could not be evaluated do not make the run a failure.
            let isSuccess = [.done, .documentsFailed, .notEvaluated].contains(options.status)
            invocation.member("executionSuccessful", isSuccess)
            invocation.member("exitCode", Int(options.status.rawValue))
            if let start = options.startedAt {
                invocation.member("startTimeUtc", UTCTimestamp(since1970: start).description)
                invocation.member("endTimeUtc", UTCTimestamp(since1970: start + options.duration).description)
            }
            invocation.array("toolExecutionNotifications") { writeNotifications(to: &$0) }
        }
    }

    private func writeNotifications(to array: inout JSONWriter) {
        for sentence in options.rejections { write("input-rejected", "error", sentence, to: &array) }
        for entry in report.notEvaluated {
            write(
                "not-evaluated",
                "note",
                "\(entry.rule.id) was not evaluated: \(entry.reason)",
                entry.rule,
                to: &array
            )
        }
        for finding in report.findings + report.known where !finding.undecided.isEmpty {
            let verdicts = finding.undecided.joined(separator: ", ")
            write("undecided", "note", "\(finding.rule.id) is undecided: \(verdicts)", finding.rule, to: &array)
        }
        for refused in report.refusedConfigs {
            write("input-refused", "error", "\(refused)", to: &array)
        }
        for note in DiagnosisNotes.warnings(of: report) {
            write("note", "warning", note.text(TextLayout()), to: &array)
        }
        if let redaction = report.redaction {
            write("redaction", "note", RedactionNote.line(about: redaction), to: &array)
        }
        for omission in omissions { write("cut", "warning", omission, to: &array) }
    }

    /// Sentences about the content that was omitted to stay within the limits.
    private var omissions: [String] {
        var words: [String] = []
        if cut > 0 {
            let findings = Quantity(grouped: cut, "finding is", "findings are")
            let results = Quantity(grouped: SARIFLimits.results)
            words.append(
                """
                \(findings) not in this file, which is limited to \(results) results and \
                \(Quantity(grouped: SARIFLimits.resultBytes)) bytes of results: -o json lists them all
                """
            )
        }
        if rules.omitted > 0 {
            words.append(
                "\(Quantity(grouped: rules.omitted, "rule is", "rules are")) not in this file: there are too many"
            )
        }
        let long = report.findings.count { $0.evidence.count + $0.config.count > SARIFLimits.locations }
        if long > 0 {
            let findings = Quantity(grouped: long, "finding has", "findings have")
            words.append(
                "\(findings) more than \(SARIFLimits.locations) locations; only the first ones are in this file"
            )
        }
        return words
    }

    private func write(
        _ id: String,
        _ level: String,
        _ text: String,
        _ rule: Rule? = nil,
        to array: inout JSONWriter
    ) {
        array.object { object in
            object.object("descriptor") { $0.member("id", id) }
            object.member("level", level)
            object.object("message") { $0.member("text", SARIFText.message([text])) }
            guard let rule else { return }
            object.object("associatedRule") { associated in
                associated.member("id", rule.id.text)
                if let index = rules.index(of: rule) { associated.member("index", index) }
            }
        }
    }
}

/// A place as a SARIF location.
package enum SARIFLocation {
    static func writeMembers(of place: FindingPlace, to object: inout JSONWriter) {
        object.object("physicalLocation") { physical in
            physical.object("artifactLocation") { $0.member("uri", relativeURI(of: place.path)) }
            physical.object("region") { region in
                region.member("startLine", place.line)
                region.member("startColumn", place.column)
                region.member("endLine", place.lineEnd)
                // One past the last column.
                region.member("endColumn", place.columnEnd == .max ? .max : place.columnEnd + 1)
            }
        }
    }

    /// Converts a path to a relative URI, with forward slashes, and with everything escaped except letters, digits and
    /// `-._~`.
    package static func relativeURI(of path: String) -> String {
        var bytes: [UInt8] = []
        for segment in path.utf8.split(omittingEmptySubsequences: true, whereSeparator: isSeparator)
        where !segment.elementsEqual(".".utf8) {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "/")) }
            Percent.append(segment, to: &bytes)
        }
        return bytes.isEmpty ? "-" : String(decoding: bytes, as: UTF8.self)
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }
}

/// The text for SARIF's messages.
private enum SARIFText {
    private static let layout = TextLayout(neutralizesRunnerCommands: true)

    /// Joins lines of text, escaped so that nothing in them is interpreted as a link to another place in the file.
    static func message(_ lines: [String]) -> String {
        let text = lines.map { lineText($0, layout) }.joined(separator: "\n")
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") { escaped.append(UInt8(ascii: "\\")) }
            escaped.append(byte)
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// Returns plain text of at most `maximum` UTF-16 code units.
    static func plain(_ text: String, maximum: Int) -> String {
        let line = lineText(text, layout)
        // Swift counts a character made of several code points once, but readers count its code units.
        guard line.utf16.count > maximum else { return line }
        var cut = ""
        var length = 1
        for character in line {
            length += character.utf16.count
            if length > maximum { break }
            cut.append(character)
        }
        return cut + "…"
    }
}

extension Severity {
    /// SARIF's level for the severity.
    var sarifLevel: String {
        switch self {
        case .critical, .error: "error"
        case .warning: "warning"
        case .info: "note"
        }
    }
}

/// Findings as SARIF results, as many as fit.
private final class SARIFResults {
    private let report: DiagnosisReport
    private let rules: SARIFRules
    private let requests: [String: RequestTrace]
    private let gate: DiagnosisGate

    init(
        _ report: DiagnosisReport,
        _ rules: SARIFRules,
        _ requests: [String: RequestTrace],
        _ gate: DiagnosisGate
    ) {
        self.gate = gate
        self.report = report
        self.rules = rules
        self.requests = requests
    }

    /// The array of results, and the number of findings missing from it.
    var json: (bytes: [UInt8], cut: Int) {
        var results: [UInt8] = Array("[".utf8)
        var count = 0
        let findings = findings
        let members: [(Decision, (inout JSONWriter) -> Void)] =
            findings.map { finding, decision in (decision, { self.writeMembers(of: finding, to: &$0) }) }
            + clusters.map { cluster, decision in (decision, { self.writeMembers(of: cluster, to: &$0) }) }
        for (decision, writeMembers) in members.prefix(SARIFLimits.results) {
            var writer = JSONWriter()
            writer.object { object in
                writeMembers(&object)
                write(decision, to: &object)
            }
            guard results.count + writer.bytes.count < SARIFLimits.resultBytes else { break }
            if count > 0 { results.append(UInt8(ascii: ",")) }
            results.append(contentsOf: writer.bytes)
            count += 1
        }
        results.append(UInt8(ascii: "]"))
        return (results, members.count - count)
    }

    /// The decision about a result.
    private struct Decision {
        var isKnown = false
        var suppression: Suppression?
    }

    /// The findings, new ones first, and the decision about each of them.
    private var findings: [(Finding, Decision)] {
        let known = Set(report.triage.baseline?.entries.map(\.fingerprint) ?? [])
        let suppressed = report.suppressed.compactMap { suppressed in
            suppressed.finding.map { finding in
                let isKnown = known.contains(finding.fingerprint)
                return (finding, Decision(isKnown: isKnown, suppression: suppressed.suppression))
            }
        }
        let told = report.findings.map { ($0, Decision(isKnown: report.triage.baseline == nil && $0.isUsual)) }
        return told + report.known.map { ($0, Decision(isKnown: true)) }
            + suppressed
    }

    /// The rows that no rule explains, and the decisions about them.
    private var clusters: [(FailureCluster, Decision)] {
        let suppressed = report.suppressed.compactMap { suppressed -> (FailureCluster, Decision)? in
            guard case .unexplained(let cluster) = suppressed.subject else { return nil }
            return (cluster, Decision(suppression: suppressed.suppression))
        }
        return report.unexplained.map { ($0, Decision()) } + suppressed
    }

    /// Writes the decision, which SARIF requires either for all results or for none.
    private func write(_ decision: Decision, to object: inout JSONWriter) {
        // Findings within the usual rate also existed before.
        if report.triage.baseline != nil || !report.known.isEmpty {
            object.member("baselineState", decision.isKnown ? "unchanged" : "new")
        }
        guard report.triage.suppressions != nil else { return }
        object.array("suppressions") { array in
            guard let suppression = decision.suppression else { return }
            array.object { object in
                object.member("kind", "external")
                object.member(
                    "justification",
                    SARIFText.plain(suppression.description, maximum: SARIFLimits.description)
                )
            }
        }
    }

    /// Writes the members of rows that no rule explains.
    private func writeMembers(of cluster: FailureCluster, to object: inout JSONWriter) {
        object.member("ruleId", SARIFRules.unexplained)
        if let index = rules.indexOfUnexplained { object.member("ruleIndex", index) }
        object.member("level", gate.loudness(of: cluster).sarifLevel)
        object.member("kind", "fail")
        object.object("message") { message in
            let sentences =
                cluster.explanation.sentences + cluster.looksLike.map { "similar (possible): \($0.sentence)" }
            message.member("text", SARIFText.message([cluster.headline] + sentences.map { "- \($0)" }))
        }
        object.array("locations") { locations in
            locations.object { SARIFLocation.writeMembers(of: FindingPlace(cluster.example), to: &$0) }
        }
        object.object("partialFingerprints") { $0.member("primaryLocationLineHash", cluster.id + ":1") }
        object.object("properties") { properties in
            properties.member("kind", cluster.id)
            properties.member("severity", cluster.severity.rawValue)
            properties.member("occurrences", cluster.count)
            properties.member("requests", cluster.requests.count)
            properties.member("eventID", cluster.eventID)
        }
    }

    private func writeMembers(of finding: Finding, to object: inout JSONWriter) {
        object.member("ruleId", finding.rule.id.text)
        if let index = rules.index(of: finding.rule) { object.member("ruleIndex", index) }
        object.member("level", finding.severity.sarifLevel)
        object.member("kind", "fail")
        object.object("message") { message in
            message.member("text", SARIFText.message([finding.message] + finding.symptoms.map { "- \($0.text)" }))
        }
        object.array("locations") { locations in
            guard let place = FindingPlace(finding) ?? inputPlace else { return }
            locations.object { SARIFLocation.writeMembers(of: place, to: &$0) }
        }
        object.array("relatedLocations") { writeRelated(of: finding, to: &$0) }
        SARIFFlow(finding, requests)?.write(to: &object)
        object.object("partialFingerprints") { fingerprints in
            // GitHub reads only the fingerprint of this name; the number distinguishes findings with the same
            // fingerprint.
            fingerprints.member("primaryLocationLineHash", finding.fingerprint + ":1")
        }
        object.object("properties") { properties in
            properties.member("severity", finding.severity.rawValue)
            properties.member("confidence", finding.confidence.rawValue)
            properties.member("verdict", finding.verdict)
            properties.member("occurrences", finding.occurrences)
            properties.member("occurrencesAreAtLeast", finding.occurrencesAreAtLeast)
        }
    }

    /// The place of the first input, because a finding about the logs as a whole has no other place.
    private var inputPlace: FindingPlace? {
        report.firstInput.map { FindingPlace(file: $0) }
    }

    private func writeRelated(of finding: Finding, to array: inout JSONWriter) {
        let events = finding.evidence.map { (FindingPlace($0), "\($0.eventID) \($0.text)") }
        let elements = finding.config.map { (FindingPlace($0), $0.text) }
        for (index, (place, text)) in (events + elements).prefix(SARIFLimits.locations).enumerated() {
            array.object { object in
                object.member("id", index + 1)
                object.object("message") { $0.member("text", SARIFText.message([text])) }
                SARIFLocation.writeMembers(of: place, to: &object)
            }
        }
    }
}

/// The rules that were run, in SARIF's form.
private struct SARIFRules {
    private let rules: [Rule]
    private let indices: [RuleID: Int]
    /// The number of rules that were left out because there are too many.
    let omitted: Int
    /// The ID of kinds of unexplained rows, in place of a rule ID.
    static let unexplained = "unexplained"
    /// Whether there are unexplained rows, so that their ID needs a description.
    private let hasUnexplained: Bool

    /// Creates the list from all rules, ordered by ID; if there are too many, rules without findings are dropped first.
    init(_ report: DiagnosisReport) {
        let all = RuleResult.all(of: report)
        let found = all.filter(\.isFound)
        let others = all.filter { !$0.isFound }
        rules = (found + others).prefix(SARIFLimits.rules).map(\.rule).sorted { $0.id < $1.id }
        indices = Dictionary(zip(rules.map(\.id), rules.indices)) { first, _ in first }
        omitted = all.count - rules.count
        hasUnexplained = !report.unexplained.isEmpty || report.suppressed.contains { $0.finding == nil }
    }

    /// The index of the description of kinds of unexplained rows; `nil` if there are none.
    var indexOfUnexplained: Int? { hasUnexplained ? rules.count : nil }

    /// Returns the index of a rule in the list.
    func index(of rule: Rule) -> Int? { indices[rule.id] }

    func write(to writer: inout JSONWriter) {
        writer.array { array in
            for rule in rules { array.object { Self.writeMembers(of: rule, to: &$0) } }
            if hasUnexplained { array.object { Self.writeUnexplained(to: &$0) } }
        }
    }

    /// Describes kinds of unexplained rows as if a rule had found them.
    private static func writeUnexplained(to object: inout JSONWriter) {
        object.member("id", unexplained)
        object.member("name", unexplained)
        object.object("shortDescription") { $0.member("text", "Rows show a problem that no rule explains") }
        object.object("fullDescription") { description in
            description.member(
                "text",
                """
                Rows of one kind contain an exception, a code or words that indicate failure, or have a level that \
                signals a problem, and no rule explains them. The decoded meaning of their text is certain, its origin \
                is likely, and a cause is possible.
                """
            )
        }
        object.object("help") { help in
            let text = """
                Examine the objects that the message mentions; this changes nothing. If the kind is harmless, hide it: \
                fastctl suppress add KIND --reason TEXT
                """
            help.member("text", text)
            help.member("markdown", text)
        }
        object.object("defaultConfiguration") { $0.member("level", Severity.warning.sarifLevel) }
    }

    private static func writeMembers(of rule: Rule, to object: inout JSONWriter) {
        object.member("id", rule.id.text)
        object.member("name", rule.slug)
        object.object("shortDescription") { description in
            description.member("text", SARIFText.plain(rule.title, maximum: SARIFLimits.description))
        }
        object.object("fullDescription") { description in
            let text = "\(rule.explanation.what) \(rule.explanation.why)"
            description.member("text", SARIFText.plain(text, maximum: SARIFLimits.description))
        }
        object.object("help") { help in
            help.member("text", SARIFText.plain(plainHelp(of: rule), maximum: SARIFLimits.help))
            help.member("markdown", markdownHelp(of: rule))
        }
        if let url = rule.references.compactMap(\.url).first(where: WebAddress.isPlain) {
            object.member("helpUri", url)
        }
        if let severity = rule.verdicts.map(\.severity).max() {
            object.object("defaultConfiguration") { $0.member("level", severity.sarifLevel) }
        }
        object.object("properties") { properties in
            let tags = [rule.category] + rule.tags.filter { $0 != rule.category }
            let known = tags.filter { !$0.isEmpty }.prefix(SARIFLimits.tags)
            properties.member("tags", known.map { SARIFText.plain($0, maximum: 100) })
            properties.member("revision", rule.revision)
        }
    }

    private static func plainHelp(of rule: Rule) -> String {
        let steps = rule.fix.enumerated().map { "\($0 + 1). \($1.step)" }
        let verify = rule.verify.map { ["Verify: \($0)"] } ?? []
        let impact = [rule.explanation.impact].compactMap(\.self)
        return ([rule.explanation.what, rule.explanation.why] + impact + steps + verify).joined(separator: " ")
    }

    private static func markdownHelp(of rule: Rule) -> String {
        var bytes: [UInt8] = []
        RuleMarkdown(rule).append(to: &bytes)
        // The first line is empty.
        bytes.removeFirst(min(1, bytes.count))
        guard bytes.count > SARIFLimits.help else { return String(decoding: bytes, as: UTF8.self) }
        // Cuts between lines, where no code is open.
        let end = bytes.prefix(SARIFLimits.help).lastIndex(of: 0x0A) ?? 0
        return String(decoding: bytes[..<end], as: UTF8.self) + "\n…\n"
    }
}

extension DiagnosisReport {
    /// Returns the correlations of the requests that findings show first, without duplicates and worst findings first.
    package func requests(maximum: Int) -> [String] {
        var requests: [String] = []
        for correlation in findings.lazy.compactMap(\.request) where !requests.contains(correlation) {
            requests.append(correlation)
            if requests.count == maximum { break }
        }
        return requests
    }
}

extension Finding {
    /// The correlation of the first event of the evidence that has one.
    fileprivate var request: String? { evidence.lazy.compactMap(\.correlation).first }
}

/// The request of a finding in the form in which SARIF describes a program's path: a thread flow, step by step.
///
/// With its trace, all rows of the request are steps, nested like its scopes; without the trace, only the evidence is
/// included. A flow has at most ``maximumSteps`` steps; the evidence and the problems take precedence, followed by the
/// other rows from the beginning.
package struct SARIFFlow {
    private struct Step {
        var event: Evidence
        var nesting: Int
        /// Whether the row is at Monitorable or worse.
        var isProblem: Bool
        var isEvidence: Bool

        /// The importance of the step to a reader of the flow, in SARIF's terms.
        var importance: String { isEvidence ? "essential" : isProblem ? "important" : "unimportant" }
        var rank: Int { isEvidence ? 0 : isProblem ? 1 : 2 }
    }

    private let correlation: String
    private let steps: [Step]
    /// The number of steps that are left out.
    let omitted: Int

    /// GitHub keeps the first 1,000 steps of all flows of a result, but fewer are easier to read.
    package static let maximumSteps = 100
    /// The maximum number of characters of a step's message.
    private static let maximumText = 300

    /// Creates the flow from the known traces, by correlation; `nil` if there would be fewer than two steps.
    init?(_ finding: Finding, _ traces: [String: RequestTrace]) {
        guard let correlation = finding.request else { return nil }
        self.correlation = correlation
        let places = Set(finding.evidence.map(\.place))
        var all: [Step] = []
        if let trace = traces[correlation] {
            Self.visit(trace.roots) { index, nesting in
                guard trace.events.indices.contains(index) else { return }
                let event = trace.events[index]
                all.append(
                    Step(
                        event: Evidence(
                            place: event.place,
                            time: event.time,
                            server: event.server,
                            eventID: event.text(.eventID),
                            level: event.level.word,
                            text: event.text(.message)
                        ),
                        nesting: nesting,
                        isProblem: event.level.isAbnormal,
                        isEvidence: places.contains(event.place)
                    )
                )
            }
        } else {
            all = finding.evidence.filter { $0.correlation == correlation }.map {
                Step(event: $0, nesting: 0, isProblem: false, isEvidence: true)
            }
        }
        guard all.count > 1 else { return nil }
        let kept = all.indices.sorted { (all[$0].rank, $0) < (all[$1].rank, $1) }.prefix(Self.maximumSteps).sorted()
        steps = kept.map { all[$0] }
        omitted = all.count - kept.count
    }

    /// Visits all events of a tree in order, with the number of scopes around each; without recursion, because a log
    /// may nest scopes arbitrarily deep.
    private static func visit(_ roots: [RequestTrace.Node], _ body: (_ event: Int, _ nesting: Int) -> Void) {
        var rest = roots.reversed().map { (node: $0, nesting: 0) }
        while let (node, nesting) = rest.popLast() {
            switch node {
            case .event(let index): body(index, nesting)
            case .scope(let scope):
                if let entering = scope.entering { body(entering, nesting) }
                if let leaving = scope.leaving { rest.append((.event(leaving), nesting)) }
                rest += scope.children.reversed().map { ($0, nesting + 1) }
            }
        }
    }

    /// Writes the member `codeFlows`.
    func write(to result: inout JSONWriter) {
        result.array("codeFlows") { flows in
            flows.object { flow in
                flow.object("message") { message in
                    let rest = omitted > 0 ? "; \(Quantity(grouped: omitted, "event", "events")) left out" : ""
                    message.member("text", SARIFText.message(["request \(correlation)\(rest)"]))
                }
                flow.array("threadFlows") { threads in
                    threads.object { thread in
                        thread.member("id", correlation)
                        thread.array("locations") { locations in
                            for (number, step) in steps.enumerated() {
                                locations.object { Self.write(step, number: number + 1, to: &$0) }
                            }
                        }
                    }
                }
            }
        }
    }

    private static func write(_ step: Step, number: Int, to object: inout JSONWriter) {
        let event = step.event
        object.object("location") { location in
            location.object("message") { message in
                let words = [event.time.iso8601, event.server, event.level, event.eventID, event.text]
                let text = words.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
                message.member("text", SARIFText.message([SARIFText.plain(text, maximum: maximumText)]))
            }
            SARIFLocation.writeMembers(of: FindingPlace(event), to: &location)
        }
        object.member("executionOrder", number)
        object.member("nestingLevel", step.nesting)
        object.member("importance", step.importance)
        // A server's local time is not an instant, and SARIF accepts only UTC.
        guard event.time.quality == .exact, event.time.instant >= 0 else { return }
        let instant = Duration.milliseconds(event.time.instant)
        object.member("executionTimeUtc", UTCTimestamp(since1970: instant).description)
    }
}
