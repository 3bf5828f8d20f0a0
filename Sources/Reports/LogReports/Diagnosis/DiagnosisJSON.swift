import JSONText
package import LogDiagnosis
import Redaction
package import ReportKit
import TextKit
import ULSLog
import WebConfig

/// `fastctl.diagnosis/1`: a diagnosis as one JSON object on one line.
enum DiagnosisObject {
    static func append(_ report: DiagnosisReport, _ options: DiagnosisOptions, to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.diagnosis/1") { object in
            InputsObject.write(report, to: &object)
            object.array("findings") { array in
                for (finding, state) in FindingBaselineState.findings(of: report) {
                    array.object { FindingObject.writeMembers(of: finding, state, to: &$0) }
                }
            }
            object.array("passed") { array in
                for rule in report.passed { array.object { writeName(of: rule, to: &$0) } }
            }
            object.array("notEvaluated") { array in
                for entry in report.notEvaluated {
                    array.object { object in
                        writeName(of: entry.rule, to: &object)
                        object.member("reason", entry.reason)
                    }
                }
            }
            writeUndecided(of: report, to: &object)
            object.array("unexplained") { array in
                for kind in report.unexplained {
                    array.object { UnexplainedObject.writeMembers(of: kind, to: &$0) }
                }
            }
            object.member("unexplainedEvents", report.unexplainedEvents)
            object.member("unexplainedKinds", report.unexplainedKinds)
            object.member("unexplainedFollowing", report.unexplainedFollowing)
            object.member("unexplainedIsAtLeast", report.unexplainedIsAtLeast)
            object.array("describedRows") { array in
                for row in options.describedRows.rows {
                    array.object { DescribedRowObject.writeMembers(of: row, to: &$0) }
                }
            }
            options.describedRows.writeNoise(to: &object)
            object.array("changes") { array in
                for change in report.changes { array.object { ChangeObject.writeMembers(of: change, to: &$0) } }
            }
            object.member("normalRows", report.normalRows)
            object.member("normalKinds", report.normalKinds)
            object.member("findingsAreAtLeast", report.findingsAreAtLeast)
            object.array("suppressed") { array in
                for suppressed in report.suppressed {
                    array.object { SuppressedObject.writeMembers(of: suppressed, to: &$0) }
                }
            }
            TriageObject.writeMembers(of: report, to: &object)
            writeQuality(of: report, to: &object)
            writeLimits(of: report, to: &object)
            object.member("redaction", report.redaction)
            object.member("exitCode", Int(options.status.rawValue))
        }
        bytes.append(0x0A)
    }

    /// Writes the members that identify a rule.
    static func writeName(of rule: Rule, to object: inout JSONWriter) {
        object.member("rule", rule.id.text)
        object.member("slug", rule.slug)
        object.member("title", rule.title)
    }

    private static func writeUndecided(of report: DiagnosisReport, to object: inout JSONWriter) {
        object.array("undecided") { array in
            for finding in report.findings + report.known where !finding.undecided.isEmpty {
                array.object { object in
                    object.member("rule", finding.rule.id.text)
                    object.member("fingerprint", finding.fingerprint)
                    object.member("verdicts", finding.undecided)
                }
            }
        }
    }

    /// Writes the read quality; `null` if no logs were given.
    fileprivate static func writeQuality(of report: DiagnosisReport, to object: inout JSONWriter) {
        guard let logs = report.logs else { return object.member("quality", nil as String?) }
        object.member("quality", logs.quality)
    }

    /// Writes the items that were left out, and the limits that were reached while running the rules.
    fileprivate static func writeLimits(of report: DiagnosisReport, to object: inout JSONWriter) {
        object.array("limits") { array in
            for reached in report.limits {
                write(reached.limit.rawValue, reached.count, maximum: reached.limit.maximum, to: &array)
            }
            for omitted in report.omitted {
                write("findings", omitted.count, maximum: Rule.maximumFindings, of: omitted, to: &array)
            }
            let rest = UnlistedKinds(report)
            if !rest.isNone {
                write("unexplainedKinds", rest.kinds, maximum: DiagnosisReport.maximumUnexplained, to: &array)
                write("unexplainedEvents", rest.rows, maximum: nil, to: &array)
            }
        }
    }

    private static func write(
        _ limit: String,
        _ count: Int,
        maximum: Int?,
        of omitted: OmittedFindings? = nil,
        to array: inout JSONWriter
    ) {
        array.object { object in
            object.member("limit", limit)
            object.member("count", count)
            object.member("maximum", maximum)
            object.member("rule", omitted?.rule.text)
            object.member("severity", omitted?.severity.rawValue)
        }
    }
}

/// `fastctl.diagnosisRecord/1`: a diagnosis as JSON lines, each with its `kind`; the summary comes last.
final class DiagnosisRecords {
    private let report: DiagnosisReport
    private let options: DiagnosisOptions

    init(_ report: DiagnosisReport, _ options: DiagnosisOptions) {
        self.report = report
        self.options = options
    }

    func append(to bytes: inout [UInt8]) {
        appendRun(to: &bytes)
        for (finding, state) in FindingBaselineState.findings(of: report) {
            append("finding", to: &bytes) { object in
                FindingObject.writeMembers(of: finding, state, to: &object)
                object.member("undecided", finding.undecided)
            }
        }
        for suppressed in report.suppressed {
            append("suppressed", to: &bytes) { SuppressedObject.writeMembers(of: suppressed, to: &$0) }
        }
        appendResults(to: &bytes)
        for kind in report.unexplained {
            append("unexplained", to: &bytes) { UnexplainedObject.writeMembers(of: kind, to: &$0) }
        }
        for row in options.describedRows.rows {
            append("describedRow", to: &bytes) { DescribedRowObject.writeMembers(of: row, to: &$0) }
        }
        for change in report.changes {
            append("change", to: &bytes) { object in
                object.member("change", change.kind.rawValue)
                ChangeObject.writePlace(of: change, to: &object)
            }
        }
        appendSummary(to: &bytes)
    }

    private func appendRun(to bytes: inout [UInt8]) {
        append("run", to: &bytes) { object in
            object.member("tool", "fastctl")
            object.member("version", options.version)
            object.member("startedAt", options.startedAt.map { UTCTimestamp(since1970: $0).description })
            object.member("host", log: options.host)
            object.member("rules", report.ruleCount)
            object.member("redaction", report.redaction)
            InputsObject.write(report, to: &object)
        }
    }

    /// Appends the result of each rule, ordered by ID.
    private func appendResults(to bytes: inout [UInt8]) {
        for result in RuleResult.all(of: report) {
            append("ruleResult", to: &bytes) { object in
                DiagnosisObject.writeName(of: result.rule, to: &object)
                switch result.outcome {
                case .passed:
                    object.member("result", "passed")
                    object.member("reason", nil as String?)
                case .notEvaluated(let reason):
                    object.member("result", "notEvaluated")
                    object.member("reason", reason)
                case .found:
                    object.member("result", "found")
                    object.member("reason", nil as String?)
                case .known:
                    object.member("result", "known")
                    object.member("reason", nil as String?)
                case .suppressed(let suppressed):
                    object.member("result", "suppressed")
                    object.member("reason", suppressed.first?.suppression.reason)
                }
                object.member("findings", result.findingCount)
            }
        }
    }

    private func appendSummary(to bytes: inout [UInt8]) {
        let counts = DiagnosisCounts(report)
        append("summary", to: &bytes) { object in
            object.member("findings", counts.findings)
            object.object("severities") { object in
                for entry in counts.severities { object.member(entry.severity.rawValue, entry.count) }
            }
            object.member("passed", counts.passed)
            object.member("notEvaluated", counts.notEvaluated)
            object.member("unexplainedEvents", report.unexplainedEvents)
            object.member("unexplainedKinds", report.unexplainedKinds)
            object.member("unexplainedFollowing", report.unexplainedFollowing)
            object.member("unexplainedIsAtLeast", report.unexplainedIsAtLeast)
            options.describedRows.writeNoise(to: &object)
            object.member("normalRows", report.normalRows)
            object.member("normalKinds", report.normalKinds)
            object.member("findingsAreAtLeast", report.findingsAreAtLeast)
            DiagnosisObject.writeQuality(of: report, to: &object)
            DiagnosisObject.writeLimits(of: report, to: &object)
            object.member("known", counts.known)
            object.member("usual", counts.usual)
            object.member("suppressed", counts.suppressed)
            TriageObject.writeMembers(of: report, to: &object)
            object.member("exitCode", Int(options.status.rawValue))
            object.member("seconds", raw: Array(options.duration.secondsText.utf8))
        }
    }

    private func append(_ kind: String, to bytes: inout [UInt8], _ members: (inout JSONWriter) -> Void) {
        bytes.append(object: "fastctl.diagnosisRecord/1") { object in
            object.member("kind", kind)
            members(&object)
        }
        bytes.append(0x0A)
    }
}

/// The members of a finding in the data formats.
enum FindingObject {
    /// Writes the members; `state` is `nil` without a baseline.
    static func writeMembers(of finding: Finding, _ state: FindingBaselineState? = nil, to object: inout JSONWriter) {
        let rule = finding.rule
        object.member("rule", rule.id.text)
        object.member("slug", rule.slug)
        object.member("revision", rule.revision)
        object.member("verdict", finding.verdict)
        object.member("severity", finding.severity.rawValue)
        object.member("confidence", finding.confidence.rawValue)
        object.member("title", rule.title)
        object.member("message", finding.message)
        object.array("symptoms") { array in
            for symptom in finding.symptoms {
                array.object { object in
                    object.member("check", symptom.check)
                    object.member("text", symptom.text)
                    object.member("count", symptom.count)
                    object.member("countIsAtLeast", symptom.isAtLeast)
                }
            }
        }
        object.array("captures") { array in
            for capture in finding.captures {
                array.object { object in
                    object.member("name", capture.name)
                    object.member("value", capture.value)
                }
            }
        }
        object.array("config") { array in
            for config in finding.config { array.object { ConfigObject.writeMembers(of: config, to: &$0) } }
        }
        object.member("farm", finding.farm)
        object.member("occurrences", finding.occurrences)
        object.member("occurrencesAreAtLeast", finding.occurrencesAreAtLeast)
        object.member("servers", finding.servers)
        object.member("firstTime", finding.firstTime)
        object.member("lastTime", finding.lastTime)
        object.array("evidence") { array in
            for event in finding.evidence { array.object { EvidenceObject.writeMembers(of: event, to: &$0) } }
        }
        ReadingObject.writeMembers(of: finding.reading, to: &object)
        writeAdvice(of: finding, to: &object)
        object.member("fingerprint", finding.fingerprint)
        object.member("baseline", state?.rawValue)
        object.member("usual", finding.isUsual)
        object.key("filePlace")
        guard let place = finding.filePlace else { return object.null() }
        object.object { object in
            object.member("file", place.file)
            object.member("line", place.line)
            object.member("column", place.column)
        }
    }

    /// Writes the explanation, the fix, its verification and the references.
    private static func writeAdvice(of finding: Finding, to object: inout JSONWriter) {
        let rule = finding.rule
        object.object("explain") { object in
            object.member("what", rule.explanation.what)
            object.member("why", rule.explanation.why)
            object.member("impact", log: rule.explanation.impact)
        }
        object.member(fix: finding.fix)
        object.member("verify", log: rule.verify)
        object.array("references") { array in
            for reference in rule.references {
                array.object { object in
                    object.member("title", reference.title)
                    object.member("url", log: reference.url)
                }
            }
        }
    }
}

extension JSONWriter {
    /// Writes the steps of a fix in full, because half of a command repairs nothing.
    mutating func member(fix steps: [FixStep]) {
        array("fix") { array in
            for step in steps {
                array.object { object in
                    object.member("step", step.step)
                    object.member("where", log: step.location)
                    object.member("effect", log: step.effect)
                    object.member("undo", log: step.undo)
                }
            }
        }
    }
}

/// The members of an event in a finding's evidence, in the data formats.
private enum EvidenceObject {
    static func writeMembers(of event: Evidence, to object: inout JSONWriter) {
        object.member("file", event.place.file)
        object.member("line", event.place.line)
        object.member("lineEnd", event.place.lineEnd)
        object.member("time", event.time)
        object.member("server", log: event.server)
        object.member("eventID", log: event.eventID)
        object.member("correlation", log: event.correlation)
        object.member("text", event.text)
        object.member("truncated", event.isTruncated)
    }
}

/// The members of a web.config element in a finding's evidence, in the data formats.
private enum ConfigObject {
    /// Writes the members; places are `null` if the file has no such element and the default applies.
    static func writeMembers(of config: ConfigEvidence, to object: inout JSONWriter) {
        object.member("file", config.source.path)
        object.member("server", log: config.source.server)
        object.member("zone", log: config.source.zone)
        object.member("element", config.path)
        object.member("location", config.element?.location)
        object.member("line", config.element?.line)
        object.member("column", config.element?.column)
        object.member("lineEnd", config.element?.lineEnd)
        object.member("columnEnd", config.element?.columnEnd)
        object.array("attributes") { array in
            for attribute in config.attributes {
                array.object { object in
                    object.member("name", attribute.name)
                    object.member("value", config.shownValue(of: attribute))
                    object.member("line", attribute.line)
                    object.member("column", attribute.column)
                }
            }
        }
    }
}

/// The inputs of a diagnosis, in the data formats: logs and web.config files, including refused ones.
private enum InputsObject {
    static func write(_ report: DiagnosisReport, to object: inout JSONWriter) {
        object.object("inputs") { object in
            object.member("rows", report.logs?.lookedAt)
            object.member("logs", report.logs?.files ?? [])
            object.array("webConfigs") { array in
                for config in report.configs { write(config.source, refused: nil, to: &array) }
                for refused in report.refusedConfigs { write(refused.source, refused: refused, to: &array) }
            }
            object.member("notes", (report.logs?.notes ?? []))
            object.member("farm", report.farm?.path)
            object.member("farmNotes", report.farmNotes)
        }
    }

    private static func write(_ source: WebConfigSource, refused: WebConfigError?, to array: inout JSONWriter) {
        array.object { object in
            object.member("path", source.path)
            object.member("server", log: source.server)
            object.member("zone", log: source.zone)
            object.key("refused")
            guard let refused else { return object.null() }
            object.object { object in
                object.member("reason", refused.message)
                object.member("line", refused.line)
                object.member("column", refused.column)
                object.member("advice", log: refused.advice)
            }
        }
    }
}

/// The members of a kind of unexplained events, in the data formats.
private enum UnexplainedObject {
    static func writeMembers(of kind: FailureCluster, to object: inout JSONWriter) {
        object.member("id", kind.id)
        object.member("severity", kind.severity.rawValue)
        object.member("headline", kind.headline)
        object.member("eventID", log: kind.eventID)
        object.member("level", log: kind.level.word)
        object.member("template", kind.template)
        object.member("exception", kind.exception)
        object.member("frame", kind.frame)
        object.member("count", kind.count)
        write("requests", kind.requests, to: &object)
        write("users", kind.users, to: &object)
        write("addresses", kind.addresses, to: &object)
        object.member("userNames", kind.userNames)
        object.member("addressNames", kind.addressNames)
        object.member("servers", kind.servers)
        object.member("firstTime", kind.firstTime)
        object.member("lastTime", kind.lastTime)
        ReadingObject.writeMembers(of: kind.explanation, to: &object)
        object.member(looksLike: kind.looksLike)
        object.array("changes") { array in
            for change in kind.changes {
                array.object { object in
                    object.member("kind", change.kind.rawValue)
                    object.member("text", change.text)
                }
            }
        }
        object.object("example") { EvidenceObject.writeMembers(of: kind.example, to: &$0) }
    }

    /// Writes a number and whether it is a lower bound: `requests`, `requestsAreAtLeast`.
    private static func write(_ name: String, _ amount: Amount, to object: inout JSONWriter) {
        object.member(name, amount.count)
        object.member("\(name)AreAtLeast", amount.isAtLeast)
    }
}

/// The members of an unusual fact about the log as a whole, in the data formats.
private enum ChangeObject {
    static func writeMembers(of change: LogChange, to object: inout JSONWriter) {
        object.member("kind", change.kind.rawValue)
        writePlace(of: change, to: &object)
    }

    static func writePlace(of change: LogChange, to object: inout JSONWriter) {
        object.member("server", log: change.server)
        object.member("time", change.time)
        object.member("text", change.text)
    }
}

/// The members of the interpretation of a text, in the data formats; kinds of statements are never mixed.
private enum ReadingObject {
    static func writeMembers(of reading: FailureReading?, to object: inout JSONWriter) {
        object.member("decoded", reading?.told ?? [])
        object.member("during", reading?.activity?.text)
        object.member("where", reading?.location?.text)
        object.member("mentions", reading?.mention)
        object.member("needs", reading?.needs ?? [])
        object.member("usually", reading?.usually ?? [])
        object.member("causes", reading?.causes ?? [])
        object.array("checks") { array in
            for check in reading?.checks ?? [] {
                array.object { object in
                    object.member("text", check.text)
                    object.member("command", check.command)
                }
            }
        }
    }
}

/// Whether a finding is in the baseline.
enum FindingBaselineState: String {
    case new, known

    /// Returns all findings except suppressed ones, new ones first, each with its state; `nil` without a baseline.
    static func findings(of report: DiagnosisReport) -> [(Finding, FindingBaselineState?)] {
        let new = report.findings.map { ($0, report.triage.baseline == nil ? nil : FindingBaselineState.new) }
        // Findings within the usual rate are not in the baseline.
        let usual = report.usual.map { ($0, report.triage.baseline == nil ? nil : FindingBaselineState.new) }
        return new + report.known.filter { !report.isUsual($0) }.map { ($0, .known) } + usual
    }
}

/// The members of something that a suppression hides, in the data formats.
private enum SuppressedObject {
    static func writeMembers(of suppressed: SuppressedFinding, to object: inout JSONWriter) {
        switch suppressed.subject {
        case .finding(let finding):
            object.object("finding") { FindingObject.writeMembers(of: finding, to: &$0) }
            object.member("unexplained", nil as String?)
        case .unexplained(let cluster):
            object.member("finding", nil as String?)
            object.object("unexplained") { UnexplainedObject.writeMembers(of: cluster, to: &$0) }
        }
        let suppression = suppressed.suppression
        object.object("suppression") { object in
            object.member("file", suppression.place.file)
            object.member("line", suppression.place.line)
            object.member("reason", suppression.reason)
            object.member("owner", suppression.owner)
            object.member("until", suppression.until?.description)
        }
    }
}

/// Decisions made before a run, and their effect, in the data formats.
private enum TriageObject {
    static func writeMembers(of report: DiagnosisReport, to object: inout JSONWriter) {
        object.member("suppressions", report.triage.suppressions?.path)
        object.array("gone") { array in
            for entry in report.gone {
                array.object { object in
                    object.member("rule", entry.rule.text)
                    object.member("title", entry.title)
                    object.member("severity", entry.severity.rawValue)
                    object.member("fingerprint", entry.fingerprint)
                }
            }
        }
        object.member("knownNotLookedFor", report.unseenKnown)
    }
}

/// A suppression as shown in lists, and as `fastctl.suppression/1`.
package struct SuppressionObject: ListEntry {
    private let entry: Suppression
    private let isExpired: Bool

    /// Creates the object as of a day; with `nil`, the object does not state whether the suppression has expired.
    package init(_ entry: Suppression, on today: CalendarDay?) {
        self.entry = entry
        isExpired = today.map(entry.isExpired) ?? false
    }

    package static let titles = ["WHAT", "UNTIL", "OWNER", "LINE", "REASON"]
    package static let alignments: [TextTable.Alignment] = [.left, .left, .left, .right]
    package static let fieldTitles = ["rule", "cluster", "until", "expired", "owner", "reason", "file", "line"]

    package var row: [String] {
        let until = entry.until.map { "\($0)\(isExpired ? " expired" : "")" } ?? "-"
        return [entry.subjectText, until, entry.owner ?? "-", "\(entry.place.line)", entry.reason]
    }

    package var fields: [String?] {
        [
            entry.rule?.text, entry.cluster, entry.until?.description, "\(isExpired)", entry.owner, entry.reason,
            entry.place.file, "\(entry.place.line)",
        ]
    }

    package var entryName: String? { entry.rule?.text ?? entry.cluster }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.suppression/1") { object in
            object.member("rule", entry.rule?.text)
            object.member("cluster", entry.cluster)
            object.member("reason", entry.reason)
            object.member("owner", entry.owner)
            object.member("until", entry.until?.description)
            object.member("expired", isExpired)
            object.member("file", entry.place.file)
            object.member("line", entry.place.line)
        }
    }
}

extension Suppression {
    /// The rule whose findings are hidden, if the suppression names one.
    fileprivate var rule: RuleID? { if case .rule(let id) = subject { id } else { nil } }
    /// The ID of the kind of rows that is hidden, if the suppression names one.
    fileprivate var cluster: String? { if case .cluster(let id) = subject { id } else { nil } }
}
