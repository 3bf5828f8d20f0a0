import JSONText
import LogDiagnosis

/// `fastctl.diagnosisRecord/1`: a diagnosis as JSON lines, each with its `kind`, the summary last.
struct DiagnosisRecords {
    private let report: DiagnosisReport
    private let options: DiagnosisOptions

    init(_ report: DiagnosisReport, _ options: DiagnosisOptions) {
        self.report = report
        self.options = options
    }

    func append(to bytes: inout [UInt8]) {
        appendRun(to: &bytes)
        for finding in report.findings {
            append("finding", to: &bytes) { object in
                FindingObject.writeMembers(of: finding, to: &object)
                object.member("undecided", finding.undecided.map(LogString.init))
            }
        }
        appendResults(to: &bytes)
        for kind in report.unexplained {
            append("unexplained", to: &bytes) { UnexplainedObject.writeMembers(of: kind, to: &$0) }
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
            InputsObject.write(report, to: &object)
        }
    }

    /// Appends what became of each rule, by ID.
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
                    object.member("reason", LogString(text: reason))
                case .found:
                    object.member("result", "found")
                    object.member("reason", nil as String?)
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
            DiagnosisObject.writeQuality(of: report, to: &object)
            DiagnosisObject.writeLimits(of: report, to: &object)
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
