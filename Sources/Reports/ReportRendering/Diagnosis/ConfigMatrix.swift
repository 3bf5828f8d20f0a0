import TextSafety
import WebConfig

/// Settings of several web.config files for people: one table of settings by files, and where the differences are
/// written.
///
/// Files with the same settings share a column, so that a farm of twenty servers, of which one differs, has two.
struct ConfigMatrix {
    private let comparison: ConfigComparison
    private let titles: [String]

    /// The most servers that a column's title names.
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

    /// The table, and for each of its columns the files and the lines of values that differ.
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
        guard differing > 0 else { return "\(files) files, none of these settings differs\(rest)" }
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

    /// The last folder and the file, which tell files of that name apart.
    private static func shortPath(_ path: String) -> String {
        SafeText.escaping(path.split(separator: "/").suffix(2).joined(separator: "/"))
    }
}
