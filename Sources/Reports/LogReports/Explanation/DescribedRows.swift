import FailureExplanation
import JSONText
package import LogDiagnosis
package import Redaction
import ReportKit
import TextKit
import ULSLog

/// The rows of a short input in which a diagnosis found nothing, as `explain` describes them.
///
/// A short input is a question about its rows, and "no findings" does not answer it: the description gives the meaning
/// of each row, or states that the row shows no failure by itself.
package struct DescribedRows: Sendable, Maskable {
    /// The rows that state a failure in words, or else all rows.
    package var rows: [ExplainedFailure]
    /// The number of rows that look like failures but are noise, and the rules that identify them.
    package var noise: Int
    package var noiseRules: [Rule]

    /// The maximum number of rows that a page describes; the machine formats contain all.
    private static let maximumShown = 3

    package init(_ rows: [ExplainedFailure] = [], noise: Int = 0, noiseRules: [Rule] = []) {
        (self.rows, self.noise, self.noiseRules) = (rows, noise, noiseRules)
    }

    package mutating func mask(by mask: inout Redactor) { mask(&rows) }

    /// Adds the descriptions to a page.
    func add(to page: inout Page, _ layout: TextLayout) {
        if noise > 0 {
            let rows = Quantity(noise, "row looks like a failure but is", "rows look like failures but are")
            page.sentence("\(rows) harmless noise by these rules: \(Self.names(of: noiseRules))")
        }
        let stated = rows.filter { !$0.isQuiet }
        if !stated.isEmpty {
            var lines: [UInt8] = [0x0A]
            FailureExplanationRenderer.append(Array(stated.prefix(Self.maximumShown)), as: .text, layout, to: &lines)
            page.figure(lines)
        }
        if stated.count > Self.maximumShown {
            let more = Quantity(stated.count - Self.maximumShown, "more row is", "more rows are")
            page.sentence("\(more) described by 'fastctl explain' or -o json")
        }
        page.table(quietRows, under: "Rows that show no failure by themselves")
    }

    /// Returns the IDs and titles of rules.
    package static func names(of rules: [Rule]) -> String {
        rules.map { "\($0.id.text) (\($0.title))" }.joined(separator: ", ")
    }

    /// Writes the number of noise rows, and the rules that identify them.
    func writeNoise(to object: inout JSONWriter) {
        object.member("noiseRows", noise)
        object.member("noiseRules", noiseRules.map(\.id.text))
    }

    /// A table of the rows that show no failure by themselves; rows of the same correlation or time may show one.
    private var quietRows: TextTable {
        let hasFiles = Set(rows.compactMap { $0.row?.event.place.file }).count > 1
        var table = TextTable(columns: [
            .init(title: hasFiles ? "PLACE" : "LINE", alignment: hasFiles ? .left : .right), .init(title: "PROCESS"),
            .init(title: "EVENT ID"),
            .init(title: "LEVEL"), .init(title: "COMPONENT"), .init(title: "MESSAGE", minimum: 24),
        ])
        for row in rows where row.isQuiet {
            guard let event = row.row?.event else { continue }
            let columns = [ULSEvent.Column.process, .eventID, .level].map { column in
                let text = event.text(column)
                return TextTable.Cell.untrusted(text.isEmpty ? nil : String(text.prefix(40)))
            }
            let component = row.explanation?.place?.component.name
            let place: TextTable.Cell =
                hasFiles ? .untrusted("\(event.place.file):\(event.place.line)") : .count(event.place.line)
            let message = row.asked.count > 200 ? row.asked.prefix(200) + "…" : row.asked[...]
            table.append([place] + columns + ["\(component ?? "-")", .untrusted(String(message))])
        }
        return table
    }

    /// Returns the descriptions as lines of text, in which untrusted text is made safe.
    func text(_ layout: TextLayout) -> [UInt8] {
        var page = Page()
        add(to: &page, layout)
        var lines: [UInt8] = []
        page.append(to: &lines, layout)
        return lines
    }
}

/// The members of a described row, in the data formats.
enum DescribedRowObject {
    static func writeMembers(of row: ExplainedFailure, to object: inout JSONWriter) {
        let explanation = row.explanation
        object.member("file", row.row?.event.place.file)
        object.member("line", row.row?.event.place.line)
        object.member("eventID", log: row.row?.event.text(.eventID))
        object.member("level", log: row.row?.event.text(.level))
        object.member("text", row.asked)
        object.member("failure", row.isQuiet ? nil : explanation?.frame.sentence)
        object.member("causes", row.isQuiet ? [] : (explanation?.usually ?? []) + (explanation?.causes ?? []))
        object.member("component", explanation?.place?.component.name)
    }
}
