import JSONText
package import LogDiagnosis
import Redaction
package import ReportKit
package import TextKit
package import WebConfig

/// Shows the settings in web.config files, and the rules' findings about them.
package final class WebConfigRenderer: Sendable {
    package static let forms: [OutputForm] = [
        .text, .markdown, .json, .ndjson, .csv, .junit, .sarif, .github, .azure, .codequality,
    ]

    private let report: DiagnosisReport
    private let options: DiagnosisOptions

    package init(_ report: DiagnosisReport, _ options: DiagnosisOptions) {
        self.report = report
        self.options = options
    }

    /// Appends the report: the settings and the findings, or, in the formats of CI servers, the findings alone.
    package func append(as form: OutputForm, to bytes: inout [UInt8]) {
        switch form {
        case .json, .ndjson: appendObject(to: &bytes)
        case .text: appendText(to: &bytes)
        case .markdown: appendMarkdown(to: &bytes)
        case .csv: SettingTable.append(report.configs, options.csv, to: &bytes)
        case .junit, .sarif, .github, .azure, .codequality:
            DiagnosisRenderer(report, options).append(as: form, to: &bytes)
        default: form.failAsUndeclared()
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

/// The result of `webconfig fix` for a file.
package struct ConfigFix: Sendable {
    package enum Outcome: String, Sendable {
        case repaired, planned, restored, unchanged, failed
    }

    /// A value that was written or would be written, and the rule that requires it.
    package struct Change: Sendable {
        package var rule: RuleID
        package var planned: ConfigRepair.Change

        package init(_ planned: ConfigRepair.Change, rule: RuleID) { (self.rule, self.planned) = (rule, planned) }
    }

    package let source: WebConfigSource
    package var outcome = Outcome.unchanged
    package var changes: [Change] = []
    /// The path of the previous version, which a repair keeps and an undo restores.
    package var previous: String?
    /// The number of other names (hard links) of the file, which still have the old content.
    package var otherNames = 0
    /// The reason nothing was written; `nil` unless writing failed or there is nothing to undo.
    package var reason: String?

    package init(_ source: WebConfigSource) { self.source = source }

    /// Appends `fastctl.webConfigFix/1`: the results for all files.
    package static func append(_ fixes: [ConfigFix], _ status: ExitStatus, to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.webConfigFix/1") { object in
            object.array("files") { array in
                for fix in fixes { array.object { fix.writeMembers(to: &$0) } }
            }
            object.member("exitCode", Int(status.rawValue))
        }
        bytes.append(0x0A)
    }

    private func writeMembers(to object: inout JSONWriter) {
        object.member("path", source.path)
        object.member("server", log: source.server)
        object.member("zone", log: source.zone)
        object.member("outcome", outcome.rawValue)
        object.array("changes") { array in
            for change in changes {
                array.object { object in
                    let (element, attribute) = (change.planned.change.element, change.planned.change.attribute)
                    object.member("rule", change.rule.text)
                    object.member("line", attribute.line)
                    object.member("element", element.path)
                    object.member("location", log: element.location)
                    object.member("attribute", attribute.name)
                    object.member("value", change.planned.change.value)
                    object.member("before", change.planned.before)
                    object.member("after", change.planned.after)
                }
            }
        }
        object.member("previous", previous)
        object.member("otherNames", otherNames)
        object.member("reason", reason)
    }
}

/// The settings of several web.config files in readable form: a table of the settings in each file, and the places of
/// the differences.
///
/// Files with the same settings share a column, so a farm of twenty servers with one exception has two columns.
struct ConfigMatrix {
    private let comparison: ConfigComparison
    private let titles: [String]

    /// The maximum number of servers that a column's title names.
    private static let maximumNames = 3

    init(_ files: [WebConfigFile]) {
        comparison = ConfigComparison(files)
        titles = comparison.groups.map { Self.title(of: $0.files.map(\.source)) }
    }

    func append(to bytes: inout [UInt8], _ layout: TextLayout) {
        for (index, page) in pages.enumerated() {
            if index > 0 { bytes.append(0x0A) }
            page.append(to: &bytes, layout)
        }
        bytes.append(0x0A)
    }

    /// The table, and for each of its columns, the files and the lines of values that differ.
    var pages: [Page] { [tablePage] + placePages }

    private var tablePage: Page {
        var page = Page()
        var table = TextTable(
            columns: [.init(title: ""), .init(title: "SETTING"), .init(title: "LOCATION", minimum: 8)]
                + titles.map { .init(title: $0, minimum: 8, isOwn: false) }
        )
        for row in comparison.rows {
            let values = row.values.map { value -> TextTable.Cell in
                guard let value else { return "-" }
                return value.isWritten ? .untrusted(value.value) : .untrusted("\(value.value) (default)")
            }
            table.append([row.differs ? "\u{2260}" : "", "\(row.setting.name)", .untrusted(row.location)] + values)
        }
        page.sentence(summary)
        page.table(table)
        return page
    }

    private var summary: Phrase {
        let files = comparison.groups.reduce(0) { $0 + $1.files.count }
        let differing = comparison.rows.count { $0.differs }
        let untold = comparison.rows.count { row in row.values.contains { $0?.isTold == false } }
        let rest: Phrase =
            untold == 0
            ? "" : "; \(Quantity(untold, "setting is", "settings are")) encrypted or in another file, and not compared"
        guard differing > 0 else { return "\(files) files; none of these settings differ\(rest)" }
        return "\(files) files, \(Quantity(differing, "setting differs", "settings differ"))\(rest)"
    }

    private var placePages: [Page] {
        let differing = comparison.rows.filter(\.differs)
        return comparison.groups.map { group in
            var page = Page()
            for file in group.files {
                page.sentence(WebConfigRenderer.title(of: file.source))
                for value in file.settings {
                    let differs = differing.contains { $0.setting == value.setting && $0.location == value.location }
                    guard differs, let line = value.line else { continue }
                    page.sentence("  line \(line): \(value.name), \(untrusted: value.value)")
                }
            }
            return page
        }
    }

    static func title(of sources: [WebConfigSource]) -> String {
        var names: [String] = []
        for source in sources {
            let name = source.server.map { $0 + (source.zone.map { "/\($0)" } ?? "") } ?? shortPath(source.path)
            if !names.contains(name) { names.append(name) }
        }
        let more = names.count - maximumNames
        return names.prefix(maximumNames).joined(separator: ", ") + (more > 0 ? " +\(more)" : "")
    }

    /// Returns the last folder and the file name, which distinguish files of the same name.
    private static func shortPath(_ path: String) -> String {
        SafeText.escaping(path.split(separator: "/").suffix(2).joined(separator: "/"))
    }
}
