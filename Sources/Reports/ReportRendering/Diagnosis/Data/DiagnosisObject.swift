import JSONText
import LogDiagnosis
import ULSLog

/// `fastctl.diagnosis/1`: a diagnosis as one JSON object on a line.
enum DiagnosisObject {
    static func append(_ report: DiagnosisReport, _ options: DiagnosisOptions, to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.diagnosis/1") { object in
            InputsObject.write(report, to: &object)
            object.array("findings") { array in
                for finding in report.findings {
                    array.object { FindingObject.writeMembers(of: finding, to: &$0) }
                }
            }
            object.array("passed") { array in
                for rule in report.passed { array.object { writeName(of: rule, to: &$0) } }
            }
            object.array("notEvaluated") { array in
                for entry in report.notEvaluated {
                    array.object { object in
                        writeName(of: entry.rule, to: &object)
                        object.member("reason", LogString(text: entry.reason))
                    }
                }
            }
            writeUndecided(of: report, to: &object)
            object.array("unexplained") { array in
                for kind in report.unexplained {
                    array.object { UnexplainedObject.writeMembers(of: kind, to: &$0) }
                }
            }
            // Suppression, redaction and baselines do not exist yet; their keys do, so that readers need not change.
            object.array("suppressed") { _ in }
            writeQuality(of: report, to: &object)
            writeLimits(of: report, to: &object)
            object.member("redaction", nil as String?)
            object.member("exitCode", Int(options.status.rawValue))
        }
        bytes.append(0x0A)
    }

    /// Writes the members by which a rule is known.
    static func writeName(of rule: Rule, to object: inout JSONWriter) {
        object.member("rule", rule.id.text)
        object.member("slug", LogString(text: rule.slug))
        object.member("title", LogString(text: rule.title))
    }

    private static func writeUndecided(of report: DiagnosisReport, to object: inout JSONWriter) {
        object.array("undecided") { array in
            for finding in report.findings where !finding.undecided.isEmpty {
                array.object { object in
                    object.member("rule", finding.rule.id.text)
                    object.member("fingerprint", finding.fingerprint)
                    object.member("verdicts", finding.undecided.map(LogString.init))
                }
            }
        }
    }

    /// Writes the account of the lines; `null` when no logs were given.
    static func writeQuality(of report: DiagnosisReport, to object: inout JSONWriter) {
        guard let logs = report.logs else { return object.member("quality", nil as String?) }
        object.member("quality", logs.quality)
    }

    /// Writes what was left out, and limits that were reached while the rules were run.
    static func writeLimits(of report: DiagnosisReport, to object: inout JSONWriter) {
        object.array("limits") { array in
            for reached in report.limits {
                write(reached.limit.rawValue, reached.count, maximum: reached.limit.maximum, to: &array)
            }
            for omitted in report.omitted {
                write("findings", omitted.count, maximum: Rule.maximumFindings, of: omitted, to: &array)
            }
            let kinds = report.unexplainedKinds - report.unexplained.count
            let listed = report.unexplained.reduce(0) { $0 + $1.count }
            if kinds > 0 {
                write("unexplainedKinds", kinds, maximum: DiagnosisReport.maximumUnexplained, to: &array)
                write("unexplainedEvents", report.unexplainedEvents - listed, maximum: nil, to: &array)
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
