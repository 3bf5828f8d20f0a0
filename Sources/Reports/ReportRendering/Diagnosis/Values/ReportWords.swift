import LogDiagnosis
import ULSLog

/// Phrases about findings that several forms share.
enum ReportWords {
    /// When events were, the day named again only where it is another: `2011-09-26T10:39:40.52 to 10:41:00.10`.
    static func span(_ first: LogTime?, _ last: LogTime?) -> String? {
        guard let first, let from = first.iso8601 else { return nil }
        guard let last, let until = last.iso8601, until != from else { return from }
        guard first.isoDate == last.isoDate else { return "\(from) to \(until)" }
        var bytes: [UInt8] = []
        last.appendTimeOfDay(to: &bytes)
        return "\(from) to \(String(decoding: bytes, as: UTF8.self))"
    }

    /// Names, the first so many of them: `WFE1, WFE2 and 3 more`.
    static func list(_ names: [String], maximum: Int) -> String {
        let rest = names.count - maximum
        let shown = names.prefix(maximum).joined(separator: ", ")
        return rest > 0 ? "\(shown) and \(GroupedNumber(rest)) more" : shown
    }

    /// What a rule was run on: `1,219 events in 1 file and 2 web.config files`.
    static func inputs(of report: DiagnosisReport) -> String {
        var parts: [String] = []
        if let logs = report.logs {
            let files = GroupedNumber.of(logs.files.count { !$0.isSkipped }, "file", "files")
            parts.append("\(GroupedNumber.of(logs.lookedAt, "row", "rows")) in \(files)")
        }
        if !report.configs.isEmpty || parts.isEmpty {
            parts.append(GroupedNumber.of(report.configs.count, "web.config file", "web.config files"))
        }
        return parts.joined(separator: " and ")
    }

    /// `file:41`, or `file:41-46`.
    static func place(_ place: ULSEvent.Place) -> String {
        place.lineEnd > place.line
            ? "\(place.file):\(place.line)-\(place.lineEnd)" : "\(place.file):\(place.line)"
    }

    /// The rule that a finding is of and the words beside it, for forms that have no room: `FS0101 Tracing is on`.
    static func title(of rule: Rule) -> String { "\(rule.id) \(rule.title)" }

    /// How many servers are named.
    static let maximumServers = 8
}
