import LogDiagnosis
import ULSLog
import WebConfig

/// A diagnosis as a table: one row for each finding, then one for each kind of unexplained events.
enum FindingTable {
    static func append(_ report: DiagnosisReport, _ style: CSVStyle, to bytes: inout [UInt8]) {
        let table = CSVText(
            [
                "kind", "rule", "severity", "confidence", "verdict", "title", "message", "occurrences",
                "occurrencesAreAtLeast", "servers", "firstTime", "lastTime", "file", "line", "decoded", "where",
                "causes", "fix", "fingerprint", "usually", "checks", "during", "needs", "mentions",
            ],
            style,
            to: &bytes
        )
        for finding in report.findings {
            let place = FindingPlace(finding)
            table.append(
                [
                    "finding", finding.rule.id.text, finding.severity.rawValue, finding.confidence.rawValue,
                    finding.verdict, finding.rule.title, finding.message, String(finding.occurrences),
                    String(finding.occurrencesAreAtLeast), finding.servers.joined(separator: " "),
                    finding.firstTime?.iso8601, finding.lastTime?.iso8601, place?.file, place.map { String($0.line) },
                ] + fields(of: finding.reading) + [
                    finding.fix.map(\.step).joined(separator: "\n"), finding.fingerprint,
                    finding.reading?.usually.joined(separator: "\n"),
                    finding.reading?.checks.map(\.sentence).joined(separator: "\n"), finding.reading?.activity?.text,
                    finding.reading?.needs.joined(separator: "\n"), finding.reading?.mention,
                ],
                to: &bytes
            )
        }
        for kind in report.unexplained {
            let place = FindingPlace(kind.example)
            table.append(
                [
                    "unexplained", nil, kind.severity.rawValue, nil, nil, kind.headline, kind.template,
                    String(kind.count), String(report.unexplainedIsAtLeast), kind.servers.joined(separator: " "),
                    kind.firstTime?.iso8601, kind.lastTime?.iso8601, place.file, String(place.line),
                ] + fields(of: kind.explanation) + [
                    nil, kind.id, kind.explanation.usually.joined(separator: "\n"),
                    kind.explanation.checks.map(\.sentence).joined(separator: "\n"), kind.explanation.activity?.text,
                    kind.explanation.needs.joined(separator: "\n"), kind.explanation.mention,
                ],
                to: &bytes
            )
        }
    }

    /// What a text says by itself: certain, likely, possible.
    private static func fields(of reading: FailureReading?) -> [String?] {
        [
            reading?.decoded.joined(separator: "\n"), reading?.location?.text,
            reading?.causes.joined(separator: "\n"),
        ]
    }
}

/// The settings of web.config files as a table: one row for each setting of each file.
enum SettingTable {
    static func append(_ files: [WebConfigFile], _ style: CSVStyle, to bytes: inout [UInt8]) {
        let table = CSVText(
            [
                "path", "server", "zone", "setting", "element", "attribute", "location", "value", "written", "line",
                "column",
            ],
            style,
            to: &bytes
        )
        for file in files {
            for value in file.settings {
                table.append(
                    [
                        file.source.path, file.source.server, file.source.zone, value.name, value.element,
                        value.setting.attribute, value.location, value.value, String(value.isWritten),
                        value.line.map { String($0) }, value.column.map { String($0) },
                    ],
                    to: &bytes
                )
            }
        }
    }
}
