import LogDiagnosis
import ULSLog
import WebConfig

/// The one place that forms with room for one name: where it can be mended, else where it shows.
struct FindingPlace {
    let file: String
    let line: Int
    let lineEnd: Int
    /// Where it begins in its first line, from 1.
    let column: Int
    /// Its last character in its last line; of a row of a log only the beginning is meant.
    let columnEnd: Int

    /// `nil` for a finding that rests on neither configuration nor events.
    init?(_ finding: Finding) {
        if let config = finding.config.first(where: { $0.element != nil }) ?? finding.config.first,
            finding.evidence.isEmpty || config.element != nil
        {
            self.init(config)
        } else if let event = finding.evidence.first(where: { $0.role == .match }) ?? finding.evidence.first {
            self.init(event)
        } else {
            return nil
        }
    }

    /// The beginning of a file.
    init(file: String) {
        self.file = file
        line = 1
        lineEnd = 1
        column = 1
        columnEnd = 1
    }

    init(_ event: Evidence) {
        file = event.place.file
        line = max(1, event.place.line)
        lineEnd = max(line, event.place.lineEnd)
        column = 1
        columnEnd = 1
    }

    /// The first line of a file that has no such element.
    init(_ config: ConfigEvidence) {
        file = config.source.path
        line = max(1, config.element?.line ?? 1)
        lineEnd = max(line, config.element?.lineEnd ?? 1)
        column = max(1, config.element?.column ?? 1)
        columnEnd = max(lineEnd == line ? column : 1, config.element?.columnEnd ?? 1)
    }
}
