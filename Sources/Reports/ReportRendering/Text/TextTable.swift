import TextSafety

/// Rows of text in columns as wide as their widest cell, two spaces apart.
///
/// Cells are made safe. If a row is wider than the terminal, the columns that may shrink are cut; by default, that is
/// the last column.
public struct TextTable {
    /// Alignment of a column's cells.
    public enum Alignment: Sendable { case left, right }

    /// Title and behavior of a column.
    struct Column {
        var title: String
        var alignment = Alignment.left
        /// Minimum width in terminal columns; `nil` if the column is never cut.
        var minimum: Int?
        /// Whether the column is purely visual, like a bar, and left out of pipes.
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
        /// Replacement for programs: a number without separators.
        var plainText: String?
    }

    private let columns: [Column]
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
        appendAligned(to: &bytes, width: width, TextLayout())
    }
}

extension TextTable.Cell: ExpressibleByStringInterpolation {
    init(stringLiteral value: String) { self.init(text: value) }

    /// Creates a cell with a count, which has separators for people.
    static func count(_ count: Int) -> Self { Self(text: "\(Quantity(grouped: count))", plainText: String(count)) }

    /// Creates a cell with untrusted text.
    static func untrusted(_ text: String?, _ style: TerminalStyle = .plain) -> Self {
        Self(text: text ?? "-", style: style, isOwn: text == nil)
    }
}

extension TextTable {
    /// Appends the table as the layout requires: aligned and cut for a terminal, tab-separated and whole for a pipe.
    func append(to bytes: inout [UInt8], _ layout: TextLayout) {
        if let width = layout.width {
            appendAligned(to: &bytes, width: width, layout)
        } else {
            appendSeparated(to: &bytes, layout)
        }
    }

    func appendAligned(to bytes: inout [UInt8], width: Int, _ layout: TextLayout) {
        if let below = columns.firstIndex(where: \.movesBelow), leastWidth(layout) > width {
            return appendAligned(to: &bytes, width: width, below: below, layout)
        }
        let lines = rows.map { row in row.map { lineText($0.text, layout) } }
        let widths = columnWidths(of: lines, width: width)
        appendLine(columns.map(\.title), styles: columns.map { _ in .bold }, widths, to: &bytes, layout)
        for (line, row) in zip(lines, rows) { appendLine(line, styles: row.map(\.style), widths, to: &bytes, layout) }
    }

    /// Appends the table with one column's cells below their rows.
    private func appendAligned(to bytes: inout [UInt8], width: Int, below: Int, _ layout: TextLayout) {
        var shown = columns
        shown.remove(at: below)
        let table = TextTable(columns: shown)
        let lines = rows.map { row in
            row.enumerated().filter { $0.offset != below }.map { lineText($0.element.text, layout) }
        }
        let widths = table.columnWidths(of: lines, width: width)
        let titles = shown.map(\.title)
        table.appendLine(titles, styles: titles.map { _ in .bold }, widths, to: &bytes, layout)
        for (line, row) in zip(lines, rows) {
            let styles = row.enumerated().filter { $0.offset != below }.map(\.element.style)
            table.appendLine(line, styles: styles, widths, to: &bytes, layout)
            guard below < row.count, row[below].text != "-" else { continue }
            bytes.append(blanks: 2)
            bytes.append(row[below].style, layout) { $0.append(line: row[below].text, layout) }
            bytes.append(0x0A)
        }
    }

    /// The width of the table when all columns that may shrink have.
    private func leastWidth(_ layout: TextLayout) -> Int {
        let lines = rows.map { row in row.map { lineText($0.text, layout) } }
        return columnWidths(of: lines, width: 0).reduce(2 * (columns.count - 1), +)
    }

    private func appendLine(
        _ cells: [String],
        styles: [TerminalStyle],
        _ widths: [Int],
        to bytes: inout [UInt8],
        _ layout: TextLayout
    ) {
        for (index, column) in columns.enumerated() where index < cells.count {
            let isLast = index == columns.count - 1
            var cell = cells[index]
            if SafeText.width(cell) > widths[index] { cell = lineText(cell, columns: widths[index], layout) }
            let padding = widths[index] - SafeText.width(cell)
            if column.alignment == .right { bytes.append(blanks: padding) }
            bytes.append(cell.isEmpty ? .plain : styles[index], layout) { $0.append(text: cell) }
            if column.alignment == .left, !isLast { bytes.append(blanks: padding) }
            if !isLast { bytes.append(blanks: 2) }
        }
        // Cells at the end may be empty.
        while bytes.last == 0x20 { bytes.removeLast() }
        bytes.append(0x0A)
    }

    /// Returns the widths of the widest cells, reducing columns that may shrink, widest first, until the row fits.
    private func columnWidths(of lines: [[String]], width: Int) -> [Int] {
        var widths = columns.enumerated().map { index, column in
            lines.reduce(SafeText.width(column.title)) { index < $1.count ? max($0, SafeText.width($1[index])) : $0 }
        }
        var excess = widths.reduce(2 * (widths.count - 1), +) - width
        while excess > 0 {
            let shrinkable = columns.indices.filter { widths[$0] > columns[$0].minimum ?? .max }
            guard let widest = shrinkable.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }

    private func appendSeparated(to bytes: inout [UInt8], _ layout: TextLayout) {
        appendSeparated(columns.map { Cell(text: $0.title) }, to: &bytes, layout)
        for row in rows { appendSeparated(row, to: &bytes, layout) }
    }

    private func appendSeparated(_ cells: [Cell], to bytes: inout [UInt8], _ layout: TextLayout) {
        var isFirst = true
        for (column, cell) in zip(columns, cells) where !column.isDecoration {
            if !isFirst { bytes.append(0x09) }
            isFirst = false
            bytes.append(cell.style, layout) { $0.append(line: cell.plainText ?? cell.text, layout) }
        }
        bytes.append(0x0A)
    }
}

extension TextTable {
    /// Appends the table in GitHub's Markdown; untrusted text is code.
    func appendMarkdown(to bytes: inout [UInt8]) {
        let shown = columns.indices.filter { !columns[$0].isDecoration }
        for index in shown { bytes.append(text: "| \(columns[index].title) ") }
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
