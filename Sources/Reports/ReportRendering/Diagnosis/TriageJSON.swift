import JSONText
import LogDiagnosis

/// Whether a finding is in the baseline.
enum FindingBaselineState: String {
    case new, known

    /// Returns all findings but suppressed ones, new ones first, each with its state; `nil` without a baseline.
    static func findings(of report: DiagnosisReport) -> [(Finding, FindingBaselineState?)] {
        let new = report.findings.map { ($0, report.triage.baseline == nil ? nil : FindingBaselineState.new) }
        // What is as usual is not in the baseline.
        let usual = report.usual.map { ($0, report.triage.baseline == nil ? nil : FindingBaselineState.new) }
        return new + report.known.filter { !report.isUsual($0) }.map { ($0, .known) } + usual
    }
}

/// The members of something that a suppression hides, in the data formats.
enum SuppressedObject {
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

/// What was decided before a run and became of it, in the data formats.
enum TriageObject {
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
