package import LogDiagnosis
import ReportKit
import TextKit
import ULSLog
import WebConfig

extension DiagnosisReport {
    /// Whether only web.config files were examined, and no logs.
    var isOfConfigsAlone: Bool { logs == nil && configs.count + refusedConfigs.count > 0 }

    /// The name of the first input, for findings about all inputs as a whole.
    var firstInput: String? {
        logs?.files.first { !$0.isSkipped }?.name ?? configs.first?.source.path
    }
}

extension FailureReading {
    /// The interpretation of a text, in display order, with confidences except for mere mentions.
    var statements: [(name: String, text: String, confidence: Confidence?)] {
        [exception].compactMap { text in text.map { ("exception", $0, nil) } }
            + decoded.map { ("decoded", $0, .certain) } + surroundings
    }

    /// The activity, and the place of the failure.
    var surroundings: [(name: String, text: String, confidence: Confidence?)] {
        [
            activity.map { ("during", $0.text, $0.confidence) }, location.map { ("where", $0.text, $0.confidence) },
            mention.map { ("mentions", $0, nil) },
        ].compactMap(\.self)
    }

    /// The interpretation of a text, and the recommended checks, one sentence each, for formats with little space.
    var sentences: [String] {
        statements.map { name, text, confidence in
            confidence.map { "\(name) (\($0.rawValue)): \(text)" } ?? "\(name): \(text)"
        } + usually.prefix(1).map { "usually: \($0)" } + causes.prefix(1).map { "cause (possible): \($0)" }
            + checks.map { check in (check.effect.map { "check (\($0)): " } ?? "") + check.sentence }
    }
}

extension ReadingCheck {
    /// The effect of its command; `nil` for advice of the text itself, whose effect is unknown.
    var effect: String? { isAdvice ? nil : "changes nothing" }

    /// A check with its command: `The farm: Get-SPFarm`.
    var sentence: String {
        guard let command else { return text }
        // A sentence that is followed by a command does not end with a period.
        return (text.hasSuffix(".") ? String(text.dropLast()) : text) + ": \(command)"
    }
}

/// The kinds of unexplained rows that a report does not list.
struct UnlistedKinds {
    /// The number of kinds, and of their rows.
    let kinds: Int
    let rows: Int

    init(_ report: DiagnosisReport) {
        kinds = report.unexplainedKinds - report.unexplained.count
        rows = report.unexplainedEvents - report.unexplainedFollowing - report.unexplained.reduce(0) { $0 + $1.count }
    }

    var isNone: Bool { kinds <= 0 }

    /// `6 more kinds, of 18 rows, are not listed`.
    var sentence: String {
        let kinds = Quantity(grouped: kinds, "more kind", "more kinds")
        return "\(kinds), with \(Quantity(grouped: rows, "row", "rows")), \(self.kinds == 1 ? "is" : "are") not listed"
    }
}

/// The place shown by formats that allow only one: where the problem can be fixed, or otherwise where it is visible.
package struct FindingPlace {
    let file: String
    /// The file's path in the repository, by which a service finds the file; logs, which are not in a repository, are
    /// named as in the report.
    let path: String
    package let line: Int
    package let lineEnd: Int
    /// The column of the first character in the first line, counted from 1.
    package let column: Int
    /// The column of the last character in the last line; for a log row, only the beginning is marked.
    package let columnEnd: Int

    /// Creates the place of a finding; `nil` if its evidence contains neither configuration nor events.
    init?(_ finding: Finding) {
        if let config = finding.config.first(where: { $0.element != nil }) ?? finding.config.first,
            finding.evidence.isEmpty || config.element != nil
        {
            self.init(config)
        } else if let event = finding.evidence.first(where: { $0.role == .match }) ?? finding.evidence.first {
            self.init(event)
        } else if let place = finding.filePlace {
            self.init(place)
        } else {
            return nil
        }
    }

    private init(_ place: FilePlace) {
        file = place.file
        path = file
        line = max(1, place.line)
        lineEnd = line
        column = max(1, place.column)
        columnEnd = column
    }

    /// Creates a place at the beginning of a file.
    init(file: String) {
        self.file = file
        path = file
        line = 1
        lineEnd = 1
        column = 1
        columnEnd = 1
    }

    init(_ event: Evidence) {
        file = event.place.file
        path = file
        line = max(1, event.place.line)
        lineEnd = max(line, event.place.lineEnd)
        column = 1
        columnEnd = 1
    }

    /// Creates the place of an element, or of the file's first line if the element does not exist.
    package init(_ config: ConfigEvidence) {
        file = config.source.path
        path = config.source.placePath ?? file
        line = max(1, config.element?.line ?? 1)
        lineEnd = max(line, config.element?.lineEnd ?? 1)
        column = max(1, config.element?.column ?? 1)
        columnEnd = max(lineEnd == line ? column : 1, config.element?.columnEnd ?? 1)
    }
}

extension ConfigEvidence {
    /// The element with the attributes that were examined: `<trace enabled="true" />`, with its location if it has one.
    ///
    /// Values that may be secret are never included.
    var text: String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard let element else { return "no <\(name)>: the default applies" }
        let attributes = attributes.map { " \($0.name)=\"\(shownValue(of: $0))\"" }.joined()
        let location = element.location.map { $0.isEmpty ? ", in a <location>" : ", in <location path=\"\($0)\">" }
        return "<\(name)\(attributes) />\(location ?? "")"
    }

    /// Returns the value of an attribute, or three dots in place of a secret.
    func shownValue(of attribute: ConfigAttribute) -> String {
        element?.isSecret(attribute) ?? true ? "•••" : attribute.value
    }

    /// Server and zone of the file: `WFE1, Intranet`; `nil` if neither was given.
    var owner: String? {
        let parts = [source.server, source.zone].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}

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

    /// Returns the interpretation of a text: certain, likely, possible.
    private static func fields(of reading: FailureReading?) -> [String?] {
        [
            reading?.told.joined(separator: "\n"), reading?.location?.text,
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
