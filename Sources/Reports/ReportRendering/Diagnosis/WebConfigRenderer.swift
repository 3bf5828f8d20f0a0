import JSONText
public import LogDiagnosis
import Redaction
import WebConfig

/// Shows the settings in web.config files, and the rules' findings about them.
public struct WebConfigRenderer: Sendable {
    private let report: DiagnosisReport
    private let options: DiagnosisOptions

    public init(_ report: DiagnosisReport, _ options: DiagnosisOptions) {
        self.report = report
        self.options = options
    }

    /// Appends the report: the settings and the findings, or in the formats of CI servers the findings alone.
    public func append(as format: WebConfigFormat, to bytes: inout [UInt8]) {
        switch format {
        case .json, .ndjson: appendObject(to: &bytes)
        case .text: appendText(to: &bytes)
        case .markdown: appendMarkdown(to: &bytes)
        case .csv: SettingTable.append(report.configs, options.csv, to: &bytes)
        case .junit: DiagnosisRenderer(report, options).append(as: .junit, to: &bytes)
        case .sarif: DiagnosisRenderer(report, options).append(as: .sarif, to: &bytes)
        case .github: DiagnosisRenderer(report, options).append(as: .github, to: &bytes)
        case .azure: DiagnosisRenderer(report, options).append(as: .azure, to: &bytes)
        case .codequality: DiagnosisRenderer(report, options).append(as: .codequality, to: &bytes)
        }
    }

    private func appendText(to bytes: inout [UInt8]) {
        if report.configs.count > 1 {
            ConfigMatrix(report.configs).append(to: &bytes, options.layout)
        } else {
            appendSettings(to: &bytes)
        }
        DiagnosisRenderer(report, options).append(as: .text, to: &bytes)
    }

    private func appendSettings(to bytes: inout [UInt8]) {
        for page in settingPages {
            page.append(to: &bytes, options.layout)
            bytes.append(0x0A)
        }
    }

    private func appendMarkdown(to bytes: inout [UInt8]) {
        let pages = report.configs.count > 1 ? ConfigMatrix(report.configs).pages : settingPages
        var all = Page()
        for page in pages { all.append(page) }
        if !all.blocks.isEmpty {
            all.appendMarkdown(to: &bytes, under: "Settings in web.config")
            bytes.append(0x0A)
        }
        DiagnosisRenderer(report, options).append(as: .markdown, to: &bytes)
    }

    /// A table of the settings of each file.
    private var settingPages: [Page] {
        report.configs.map { file in
            var page = Page()
            var table = TextTable(columns: [
                .init(title: "SETTING"), .init(title: "VALUE", minimum: 8), .init(title: "LOCATION", minimum: 8),
                .init(title: "WHERE", minimum: 16),
            ])
            for value in file.settings {
                let place = value.line.map { "line \($0)" } ?? "default"
                table.append([
                    "\(value.name)", .untrusted(value.value), .untrusted(value.location), "\(place)",
                ])
            }
            page.sentence(Self.title(of: file.source))
            page.table(table)
            return page
        }
    }

    static func title(of source: WebConfigSource) -> Phrase {
        let labels = [source.server, source.zone].compactMap(\.self)
        guard !labels.isEmpty else { return "\(untrusted: source.path)" }
        return "\(untrusted: source.path) (\(untrusted: labels.joined(separator: ", ")))"
    }

    private func appendObject(to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.webConfig/1") { object in
            object.array("files") { array in
                for file in report.configs { array.object { Self.writeMembers(of: file, to: &$0) } }
            }
            object.array("differences") { array in
                let comparison = ConfigComparison(report.configs)
                for row in comparison.rows where row.differs {
                    array.object { Self.writeMembers(of: row, in: comparison, to: &$0) }
                }
            }
            object.array("refused") { array in
                for refused in report.refusedConfigs {
                    array.object { object in
                        object.member("path", refused.source.path)
                        object.member("line", refused.line)
                        object.member("reason", refused.message)
                        object.member("advice", log: refused.advice)
                    }
                }
            }
            object.array("findings") { array in
                for finding in report.findings {
                    array.object { FindingObject.writeMembers(of: finding, to: &$0) }
                }
            }
            object.member("redaction", report.redaction)
            object.member("exitCode", Int(options.status.rawValue))
        }
        bytes.append(0x0A)
    }

    private static func writeMembers(
        of row: ConfigComparison.Row,
        in comparison: ConfigComparison,
        to object: inout JSONWriter
    ) {
        object.member("name", row.setting.name)
        object.member("location", log: row.location)
        object.array("values") { array in
            for (group, value) in zip(comparison.groups, row.values) {
                array.object { object in
                    object.member("value", value?.value)
                    object.array("paths") { array in
                        for file in group.files { array.value(file.source.path) }
                    }
                }
            }
        }
    }

    private static func writeMembers(of file: WebConfigFile, to object: inout JSONWriter) {
        object.member("path", file.source.path)
        object.member("server", log: file.source.server)
        object.member("zone", log: file.source.zone)
        object.array("settings") { array in
            for value in file.settings {
                array.object { object in
                    object.member("name", value.name)
                    object.member("element", value.element)
                    object.member("attribute", value.setting.attribute)
                    object.member("location", log: value.location)
                    object.member("value", value.value)
                    object.member("written", value.isWritten)
                    object.member("line", value.line)
                    object.member("column", value.column)
                }
            }
        }
    }
}
