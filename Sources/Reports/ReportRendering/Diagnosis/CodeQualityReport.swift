import JSONText
import LogDiagnosis

/// A diagnosis for GitLab's merge requests: a Code Quality report, one issue for each finding.
///
/// Source: docs.gitlab.com, "Code Quality": `description`, `check_name`, a unique `fingerprint`, a `severity` of
/// `info`, `minor`, `major`, `critical` or `blocker`, `location.path` in the repository, and `location.lines.begin`.
struct CodeQualityReport {
    private let report: DiagnosisReport
    private let gate: DiagnosisGate

    init(_ report: DiagnosisReport, _ gate: DiagnosisGate) {
        self.report = report
        self.gate = gate
    }

    func append(to bytes: inout [UInt8]) {
        var list = JSONList(isArray: true)
        var fingerprints: [String: Int] = [:]
        for finding in report.findings {
            // What makes two findings of a kind different is not in their fingerprint, which GitLab wants unique.
            let number = fingerprints[finding.fingerprint, default: 0] + 1
            fingerprints[finding.fingerprint] = number
            append(
                [finding.message] + finding.symptoms.map(\.text) + (finding.reading?.sentences ?? []),
                name: finding.rule.id.text,
                finding.severity,
                FindingPlace(finding) ?? FindingPlace(file: report.firstInput ?? "-"),
                fingerprint: number == 1 ? finding.fingerprint : "\(finding.fingerprint):\(number)",
                to: &list,
                &bytes
            )
        }
        for cluster in report.unexplained {
            append(
                [cluster.headline] + cluster.explanation.sentences,
                name: "unexplained",
                gate.loudness(of: cluster),
                FindingPlace(cluster.example),
                fingerprint: cluster.id,
                to: &list,
                &bytes
            )
        }
        list.end(in: &bytes)
    }

    private func append(
        _ sentences: [String],
        name: String,
        _ severity: Severity,
        _ place: FindingPlace,
        fingerprint: String,
        to list: inout JSONList,
        _ bytes: inout [UInt8]
    ) {
        var writer = JSONWriter()
        let description = sentences.map { lineText($0, Self.layout) }.joined(separator: " ")
        writer.object { object in
            object.member("description", String(description.prefix(Self.maximumDescription)))
            object.member("check_name", name)
            object.member("fingerprint", fingerprint)
            object.member("severity", severity.codeQuality)
            object.object("location") { location in
                location.member("path", Self.relativePath(place.file))
                location.object("lines") { $0.member("begin", place.line) }
            }
        }
        list.append(to: &bytes) { $0 += writer.takeBytes() }
    }

    /// Returns a path without what GitLab does not take for one in the repository: `./` or `/` at its beginning.
    private static func relativePath(_ path: String) -> String {
        let segments = path.split(whereSeparator: { $0 == "/" || $0 == "\\" }).drop { $0 == "." }
        return segments.isEmpty ? "-" : segments.joined(separator: "/")
    }

    /// Layout of text in a web page, which escapes it itself.
    private static let layout = TextLayout()
    /// Characters of a description; longer ones are cut.
    private static let maximumDescription = 2000
}

extension Severity {
    /// GitLab's word for the severity.
    fileprivate var codeQuality: String {
        switch self {
        case .critical: "blocker"
        case .error: "critical"
        case .warning: "minor"
        case .info: "info"
        }
    }
}
