import JSONText
import LogDiagnosis
import ULSLog
import WebConfig

/// Findings as SARIF results, as many as fit.
struct SARIFResults {
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

    /// Array of results, and the number of findings missing from it.
    var json: (bytes: [UInt8], cut: Int) {
        var results: [UInt8] = Array("[".utf8)
        var count = 0
        let findings = findings
        let members: [(Decision, (inout JSONWriter) -> Void)] =
            findings.map { finding, decision in (decision, { writeMembers(of: finding, to: &$0) }) }
            + clusters.map { cluster, decision in (decision, { writeMembers(of: cluster, to: &$0) }) }
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
        let told = report.findings.map { ($0, Decision(isKnown: report.triage.baseline == nil && $0.isUsual)) }
        return told + report.known.map { ($0, Decision(isKnown: true)) }
            + suppressed
    }

    /// Rows that no rule explains, which no baseline has, and what was decided about them.
    private var clusters: [(FailureCluster, Decision)] {
        let suppressed = report.suppressed.compactMap { suppressed -> (FailureCluster, Decision)? in
            guard case .unexplained(let cluster) = suppressed.subject else { return nil }
            return (cluster, Decision(suppression: suppressed.suppression))
        }
        return report.unexplained.map { ($0, Decision()) } + suppressed
    }

    /// Writes what was decided: SARIF wants it of all results or of none.
    private func write(_ decision: Decision, to object: inout JSONWriter) {
        // What is as usual was there before as well.
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
            let sentences = cluster.explanation.sentences.map { "- \($0)" }
            message.member("text", SARIFText.message([cluster.headline] + sentences))
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
