import JSONText
import LogDiagnosis
import ULSLog
import WebConfig

/// Findings as SARIF's results, as many as fit.
struct SARIFResults {
    private let report: DiagnosisReport
    private let rules: SARIFRules

    init(_ report: DiagnosisReport, _ rules: SARIFRules) {
        self.report = report
        self.rules = rules
    }

    /// The array, and how many findings are not in it.
    var json: (bytes: [UInt8], cut: Int) {
        var results: [UInt8] = Array("[".utf8)
        var count = 0
        for finding in report.findings.prefix(SARIFLimits.results) {
            var writer = JSONWriter()
            writer.object { writeMembers(of: finding, to: &$0) }
            guard results.count + writer.bytes.count < SARIFLimits.resultBytes else { break }
            if count > 0 { results.append(UInt8(ascii: ",")) }
            results.append(contentsOf: writer.bytes)
            count += 1
        }
        results.append(UInt8(ascii: "]"))
        return (results, report.findings.count - count)
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
        object.object("partialFingerprints") { fingerprints in
            // The one name that GitHub looks at; the number tells findings of one fingerprint apart.
            fingerprints.member("primaryLocationLineHash", LogString(text: finding.fingerprint + ":1"))
        }
        object.object("properties") { properties in
            properties.member("severity", finding.severity.rawValue)
            properties.member("confidence", finding.confidence.rawValue)
            properties.member("verdict", LogString(text: finding.verdict))
            properties.member("occurrences", finding.occurrences)
        }
    }

    /// The first input: a finding about the logs as a whole has no other place.
    private var inputPlace: FindingPlace? {
        if let file = report.logs?.files.first(where: { !$0.isSkipped }) { return FindingPlace(file: file.name) }
        return report.configs.first.map { FindingPlace(file: $0.source.path) }
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
