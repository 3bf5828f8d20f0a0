import JSONText
import LogDiagnosis
import Redaction
import ULSLog
import WebConfig

/// A diagnosis for code scanning and editors: SARIF 2.1.0, within GitHub's limits, with a note about what was cut.
struct SARIFLog {
    private let report: DiagnosisReport
    private let options: DiagnosisOptions

    init(_ report: DiagnosisReport, _ options: DiagnosisOptions) {
        self.report = report
        self.options = options
    }

    func append(to bytes: inout [UInt8]) {
        let rules = SARIFRules(report)
        let (results, cut) = SARIFResults(report, rules, options.requests).json
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
                    // Other tools use other categories: uploads of the same category replace each other.
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
/// Source: "SARIF support for code scanning" (docs.github.com): 10 MB compressed; 25,000 results, of which 5,000 are
/// kept; 25,000 rules; 1,000 locations, of which 100 are kept; 20 tags, of which 10 are kept; descriptions of 1,024
/// characters.
private enum SARIFLimits {
    static let results = 5000
    static let rules = 25_000
    static let locations = 100
    static let tags = 10
    static let description = 1024
    /// Bytes of uncompressed results; compressed, they take less.
    static let resultBytes = 8_000_000
    /// Length of a rule's help.
    static let help = 8000
}

/// The run as a SARIF invocation: how it ended, and what a reader of the results should know.
private struct SARIFInvocation {
    private let report: DiagnosisReport
    private let options: DiagnosisOptions
    private let rules: SARIFRules
    /// Number of findings that are not among the results.
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

    /// Sentences about what was cut to stay within the limits.
    private var omissions: [String] {
        var words: [String] = []
        if cut > 0 {
            let findings = Quantity(grouped: cut, "finding is", "findings are")
            let results = Quantity(grouped: SARIFLimits.results)
            words.append(
                """
                \(findings) not in this file, which holds at most \(results) results and \
                \(Quantity(grouped: SARIFLimits.resultBytes)) bytes of them: -o json has them all
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
                "\(findings) more than \(SARIFLimits.locations) places, of which only the first are in this file"
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
enum SARIFLocation {
    static func writeMembers(of place: FindingPlace, to object: inout JSONWriter) {
        object.object("physicalLocation") { physical in
            physical.object("artifactLocation") { $0.member("uri", relativeURI(of: place.file)) }
            physical.object("region") { region in
                region.member("startLine", place.line)
                region.member("startColumn", place.column)
                region.member("endLine", place.lineEnd)
                // One past the last column.
                region.member("endColumn", place.columnEnd == .max ? .max : place.columnEnd + 1)
            }
        }
    }

    /// Converts a path to a relative URI: forward slashes, everything but letters, digits and `-._~` escaped.
    static func relativeURI(of path: String) -> String {
        var bytes: [UInt8] = []
        for segment in path.utf8.split(omittingEmptySubsequences: true, whereSeparator: isSeparator)
        where !segment.elementsEqual(".".utf8) {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "/")) }
            for byte in segment {
                if isPlain(byte) {
                    bytes.append(byte)
                } else {
                    let digits = String(byte, radix: 16, uppercase: true)
                    bytes.append(text: byte < 0x10 ? "%0\(digits)" : "%\(digits)")
                }
            }
        }
        return bytes.isEmpty ? "-" : String(decoding: bytes, as: UTF8.self)
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._~".utf8.contains(byte)
        }
    }
}

/// Findings as SARIF results, as many as fit.
private struct SARIFResults {
    private let report: DiagnosisReport
    private let rules: SARIFRules
    private let requests: [String: RequestTrace]

    init(_ report: DiagnosisReport, _ rules: SARIFRules, _ requests: [String: RequestTrace]) {
        self.report = report
        self.rules = rules
        self.requests = requests
    }

    /// Array of results, and the number of findings missing from it.
    var json: (bytes: [UInt8], cut: Int) {
        var results: [UInt8] = Array("[".utf8)
        var count = 0
        let findings = findings
        for (finding, decision) in findings.prefix(SARIFLimits.results) {
            var writer = JSONWriter()
            writer.object { object in
                writeMembers(of: finding, to: &object)
                write(decision, to: &object)
            }
            guard results.count + writer.bytes.count < SARIFLimits.resultBytes else { break }
            if count > 0 { results.append(UInt8(ascii: ",")) }
            results.append(contentsOf: writer.bytes)
            count += 1
        }
        let cut = findings.count - count
        for (cluster, decision) in clusters where cut == 0 {
            var writer = JSONWriter()
            writer.object { object in
                writeMembers(of: cluster, to: &object)
                write(decision, to: &object)
            }
            guard results.count + writer.bytes.count < SARIFLimits.resultBytes else { break }
            if count > 0 { results.append(UInt8(ascii: ",")) }
            results.append(contentsOf: writer.bytes)
            count += 1
        }
        results.append(UInt8(ascii: "]"))
        return (results, cut)
    }

    /// What was decided about a result.
    private struct Decision {
        var isKnown = false
        var suppression: Suppression?
    }

    /// Findings, new ones first, and what was decided about each.
    private var findings: [(Finding, Decision)] {
        let known = Set(report.triage.baseline?.entries.map(\.fingerprint) ?? [])
        let suppressed = report.suppressed.compactMap { suppressed in
            suppressed.finding.map { finding in
                let isKnown = known.contains(finding.fingerprint)
                return (finding, Decision(isKnown: isKnown, suppression: suppressed.suppression))
            }
        }
        return report.findings.map { ($0, Decision()) } + report.known.map { ($0, Decision(isKnown: true)) }
            + suppressed
    }

    /// Rows that no rule explains, which no baseline has, and what was decided about them.
    private var clusters: [(FailureCluster, Decision)] {
        let suppressed = report.suppressed.compactMap { suppressed -> (FailureCluster, Decision)? in
            guard case .unexplained(let cluster) = suppressed.subject else { return nil }
            return (cluster, Decision(suppression: suppressed.suppression))
        }
        return report.unexplained.filter(\.saysMore).map { ($0, Decision()) } + suppressed
    }

    /// Writes what was decided: SARIF wants it of all results or of none.
    private func write(_ decision: Decision, to object: inout JSONWriter) {
        if report.triage.baseline != nil {
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
        let reading = cluster.explanation
        object.member("ruleId", "unexplained")
        object.member("level", cluster.severity.sarifLevel)
        object.member("kind", "fail")
        object.object("message") { message in
            let decoded = reading.decoded.map { "- decoded (certain): \($0)" }
            let location = reading.location.map { ["- where (likely): \($0)"] } ?? []
            let causes = reading.causes.map { "- cause (possible): \($0)" }
            message.member("text", SARIFText.message([cluster.headline] + decoded + location + causes))
        }
        object.array("locations") { locations in
            locations.object { SARIFLocation.writeMembers(of: FindingPlace(cluster.example), to: &$0) }
        }
        object.object("partialFingerprints") { $0.member("primaryLocationLineHash", cluster.id + ":1") }
        object.object("properties") { properties in
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
            // GitHub reads only this name; the number tells findings with the same fingerprint apart.
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

    /// Place of the first input, because a finding about the logs as a whole has no other.
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

/// The rules that were run, as SARIF describes them.
private struct SARIFRules {
    private let rules: [Rule]
    private let indices: [RuleID: Int]
    /// Number of rules left out because there are too many.
    let omitted: Int

    /// Takes all rules, ordered by ID; if there are too many, those without findings are dropped first.
    init(_ report: DiagnosisReport) {
        let all = RuleResult.all(of: report)
        let found = all.filter(\.isFound)
        let others = all.filter { !$0.isFound }
        rules = (found + others).prefix(SARIFLimits.rules).map(\.rule).sorted { $0.id < $1.id }
        indices = Dictionary(zip(rules.map(\.id), rules.indices)) { first, _ in first }
        omitted = all.count - rules.count
    }

    /// Returns the index of a rule in the list.
    func index(of rule: Rule) -> Int? { indices[rule.id] }

    func write(to writer: inout JSONWriter) {
        writer.array { array in
            for rule in rules { array.object { Self.writeMembers(of: rule, to: &$0) } }
        }
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
        // Its first line is empty.
        bytes.removeFirst(min(1, bytes.count))
        guard bytes.count > SARIFLimits.help else { return String(decoding: bytes, as: UTF8.self) }
        // Cut between lines, where no code is open.
        let end = bytes.prefix(SARIFLimits.help).lastIndex(of: 0x0A) ?? 0
        return String(decoding: bytes[..<end], as: UTF8.self) + "\n…\n"
    }
}

/// Text for SARIF's messages.
enum SARIFText {
    private static let layout = TextLayout(neutralizesRunnerCommands: true)

    /// Joins lines of text, escaped so that nothing counts as a link to another place in the file.
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
        // Swift counts a character of several code points once; readers count its code units.
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
