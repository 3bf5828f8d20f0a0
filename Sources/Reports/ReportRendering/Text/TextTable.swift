import TextSafety

/// Rows of text in columns as wide as their widest cell, two spaces apart.
///
/// Cells are made safe. If a row is wider than the terminal, the columns that may shrink are cut; by default, that is
/// the last column. If that is not enough, each row is folded into several lines, between columns.
public struct TextTable {
    /// Alignment of a column's cells.
    public enum Alignment: Sendable { case left, right }

    /// Title and behavior of a column.
    struct Column {
        var title: String
        var alignment = Alignment.left
        /// Minimum width in terminal columns; `nil` if the column is never cut.
        var minimum: Int?
        /// Whether the title is our own words; Markdown shows other text as code.
        var isOwn = true
        /// Whether the column is purely visual, like a bar, and left out where it would not line up.
        var isDecoration = false
        /// Whether a cell gets a line of its own, below its row, where the row would not fit: it is never cut.
        var movesBelow = false
    }

    /// Content of one column in a row.
    struct Cell {
        var text: String
        var style = TerminalStyle.plain
        /// Whether the text is our own words or numbers; Markdown shows other text as code.
        var isOwn = true
    }

    let columns: [Column]
    private(set) var rows: [[Cell]] = []

    init(columns: [Column]) { self.columns = columns }

    public init(_ titles: [String], alignments: [Alignment] = []) {
        columns = titles.enumerated().map { index, title in
            Column(
                title: title,
                alignment: index < alignments.count ? alignments[index] : .left,
                minimum: index == titles.count - 1 ? 8 : nil
            )
        }
    }

    public mutating func append(_ cells: [String]) { append(cells.map { Cell(text: $0) }) }

    mutating func append(_ cells: [Cell]) { rows.append(cells) }

    public func append(to bytes: inout [UInt8], width: Int) {
        append(to: &bytes, width: width, TextLayout())
    }
}

extension TextTable.Cell: ExpressibleByStringInterpolation {
    init(stringLiteral value: String) { self.init(text: value) }

    /// Creates a cell with a count, which has separators for people.
    static func count(_ count: Int) -> Self { Self(text: "\(Quantity(grouped: count))") }

    /// Creates a cell with untrusted text.
    static func untrusted(_ text: String?, _ style: TerminalStyle = .plain) -> Self {
        Self(text: text ?? "-", style: style, isOwn: text == nil)
    }
}

extension TextTable {
    /// Appends the table, aligned: cut or folded for a terminal, whole for a pipe, a file or `--wide`.
    func append(to bytes: inout [UInt8], _ layout: TextLayout) {
        append(to: &bytes, width: layout.cutWidth, layout)
    }

    private func append(to bytes: inout [UInt8], width: Int?, _ layout: TextLayout) {
        let cells = rows.map { row in row.map { lineText($0.text, layout) } }
        let folding = Folding(columns, cells, width: width)
        folding.append(columns.map(\.title), styles: columns.map { _ in .bold }, to: &bytes, layout)
        for (line, row) in zip(cells, rows) { folding.append(line, styles: row.map(\.style), to: &bytes, layout) }
    }

    /// The place of each column: in the row's only line, or in one of several lines if the terminal is too narrow.
    private struct Folding {
        private struct Place {
            var column: Int
            var width: Int
        }

        private let columns: [Column]
        /// The columns of each line; lines after the first are indented.
        private var lines: [[Place]]
        private let isCut: Bool

        /// Columns between two cells, and before all lines of a row but its first.
        private static let space = 2
        /// Without a terminal, longer cells push the rest of their row to the right rather than that of all rows.
        private static let widestWhole = 60

        init(_ columns: [Column], _ cells: [[String]], width: Int?) {
            self.columns = columns
            isCut = width != nil
            let natural = columns.indices.map { index in
                cells.reduce(SafeText.width(columns[index].title)) { widest, row in
                    index < row.count ? max(widest, SafeText.width(row[index])) : widest
                }
            }
            guard let width else {
                lines = [columns.indices.map { Place(column: $0, width: min(natural[$0], Self.widestWhole)) }]
                return
            }
            let least = columns.indices.map { min(natural[$0], columns[$0].minimum ?? .max) }
            lines = []
            let isNarrow = least.reduce(Self.space * (least.count - 1), +) > width
            let below = columns.indices.filter { isNarrow && columns[$0].movesBelow }
            var used = 0
            for index in columns.indices where !below.contains(index) {
                let indent = lines.count > 1 ? Self.space : 0
                if lines.isEmpty || indent + used + Self.space + least[index] > width {
                    lines.append([])
                    used = 0
                } else {
                    used += Self.space
                }
                lines[lines.count - 1].append(Place(column: index, width: natural[index]))
                used += least[index]
            }
            for index in below { lines.append([Place(column: index, width: natural[index])]) }
            for index in lines.indices {
                Self.shrink(&lines[index], to: width - (index > 0 ? Self.space : 0), least)
            }
        }

        /// Reduces columns that may be cut, widest first, until the line fits.
        private static func shrink(_ line: inout [Place], to width: Int, _ least: [Int]) {
            var excess = line.reduce(space * (line.count - 1)) { $0 + $1.width } - width
            while excess > 0 {
                let shrinkable = line.indices.filter { line[$0].width > least[line[$0].column] }
                guard let widest = shrinkable.max(by: { line[$0].width < line[$1].width }) else { break }
                line[widest].width -= 1
                excess -= 1
            }
        }

        func append(
            _ cells: [String],
            styles: [TerminalStyle],
            to bytes: inout [UInt8],
            _ layout: TextLayout
        ) {
            for (number, line) in lines.enumerated() {
                let places = line.filter { $0.column < cells.count }
                // Lines of a folded row that have nothing are left out.
                if number > 0, places.allSatisfy({ cells[$0.column].isEmpty }) { continue }
                if number > 0 { bytes.append(blanks: Self.space) }
                for place in places {
                    let isLast = place.column == line.last?.column
                    append(cells[place.column], styles[place.column], place, isLast: isLast, to: &bytes, layout)
                }
                // Cells at the end may be empty.
                while bytes.last == 0x20 { bytes.removeLast() }
                bytes.append(0x0A)
            }
        }

        private func append(
            _ text: String,
            _ style: TerminalStyle,
            _ place: Place,
            isLast: Bool,
            to bytes: inout [UInt8],
            _ layout: TextLayout
        ) {
            var cell = text
            if isCut, SafeText.width(cell) > place.width { cell = lineText(cell, columns: place.width, layout) }
            let padding = place.width - SafeText.width(cell)
            if columns[place.column].alignment == .right { bytes.append(blanks: padding) }
            bytes.append(cell.isEmpty ? .plain : style, layout) { $0.append(text: cell) }
            if isLast { return }
            if columns[place.column].alignment == .left { bytes.append(blanks: padding) }
            bytes.append(blanks: Self.space)
        }
    }
}

extension TextTable {
    /// Appends the table in GitHub's Markdown; untrusted text is code.
    func appendMarkdown(to bytes: inout [UInt8]) {
        let shown = columns.indices.filter { !columns[$0].isDecoration }
        for column in shown.map({ columns[$0] }) {
            bytes.append(text: "| " as StaticString)
            if column.isOwn { bytes.append(text: column.title) } else { bytes.append(markdownCode: column.title) }
            bytes.append(0x20)
        }
        bytes.append(text: "|\n" as StaticString)
        for index in shown { bytes.append(text: columns[index].alignment == .right ? "| ---: " : "| --- ") }
        bytes.append(text: "|\n" as StaticString)
        for row in rows {
            for index in shown where index < row.count {
                bytes.append(text: "| " as StaticString)
                if row[index].isOwn {
                    bytes.append(text: row[index].text)
                } else {
                    bytes.append(markdownCode: row[index].text)
                }
                bytes.append(0x20)
            }
            bytes.append(text: "|\n" as StaticString)
        }
    }
}
