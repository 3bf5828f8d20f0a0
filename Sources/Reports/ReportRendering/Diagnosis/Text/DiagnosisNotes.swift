import LogDiagnosis
import ULSLog
import WebConfig

/// What a reader of a diagnosis should know about how it was made, as sentences.
enum DiagnosisNotes {
    static func phrases(of report: DiagnosisReport) -> [Phrase] {
        var phrases: [Phrase] = report.omitted.map { omitted in
            let findings = GroupedNumber.of(omitted.count, "more finding is", "more findings are")
            return "\(omitted.rule.text): \(findings) not listed (\(omitted.severity.rawValue))"
        }
        phrases += report.limits.map(phrase(about:))
        guard let logs = report.logs else { return phrases }
        phrases += logs.notes.prefix(ReadNotes.maximumFiles).map { "\(outside: $0)" }
        return phrases + ReadNotes.phrases(about: logs.files) + ReadNotes.phrases(about: logs.quality)
    }

    private static func phrase(about reached: DiagnosisLimitReached) -> Phrase {
        let maximum = GroupedNumber(reached.limit.maximum)
        let times = GroupedNumber(reached.count)
        return switch reached.limit {
        case .groups:
            "More than \(maximum) requests were open in a check: \(times) were given up, narrow the window"
        case .distinctValues: "More than \(maximum) different values: \(times) were not told apart, narrow the window"
        case .templates: "More than \(maximum) kinds of unexplained events: \(times) are counted together"
        case .supersededEvents:
            """
            More than \(maximum) events waited for a rule that supersedes another: \(times) were decided with what was \
            known by then
            """
        }
    }
}

extension WebConfigError {
    /// File and line, as far as it is known.
    var place: String { source.path + (line.map { ":\($0)" } ?? "") }
}
