import TextSafety

/// Rows of text in columns as wide as their widest cell, two blanks apart.
///
/// Cells are made safe. Where a row is wider than the terminal, the columns that may shrink are cut, the last column
/// when nothing else is said.
public struct TextTable {
    /// The side to which a column's cells are pushed.
    public enum Alignment: Sendable { case left, right }

    /// What a column is called and how it behaves.
    struct Column {
        var title: String
        var alignment = Alignment.left
        /// The columns of the terminal below which it is not cut; `nil` when it is never cut.
        var minimum: Int?
        /// Whether it is for the eye only, as a bar is, and left out of pipes.
        var isDecoration = false
    }

    /// What stands in a row's column.
    struct Cell {
        var text: String
        var style = TerminalStyle.plain
        /// Whether the text is our own words or numbers: Markdown shows other text as code.
        var isOwn = true
        /// What programs read in its place: a number without separators.
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

    /// A number of things, with separators for people.
    static func count(_ count: Int) -> Self { Self(text: "\(GroupedNumber(count))", plainText: String(count)) }

    /// Text from outside.
    static func outside(_ text: String?, _ style: TerminalStyle = .plain) -> Self {
        Self(text: text ?? "-", style: style, isOwn: text == nil)
    }
}

extension TextTable {
    /// Appends the table as the layout has it: aligned and cut for a terminal, tab-separated and whole for a pipe.
    func append(to bytes: inout [UInt8], _ layout: TextLayout) {
        if let width = layout.width {
            appendAligned(to: &bytes, width: width, layout)
        } else {
            appendSeparated(to: &bytes, layout)
        }
    }

    func appendAligned(to bytes: inout [UInt8], width: Int, _ layout: TextLayout) {
        let lines = rows.map { row in row.map { lineText($0.text, layout) } }
        let widths = columnWidths(of: lines, width: width)
        appendLine(columns.map(\.title), styles: columns.map { _ in .bold }, widths, to: &bytes, layout)
        for (line, row) in zip(lines, rows) { appendLine(line, styles: row.map(\.style), widths, to: &bytes, layout) }
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
        // The cells at the end may be empty.
        while bytes.last == 0x20 { bytes.removeLast() }
        bytes.append(0x0A)
    }

    /// As wide as their widest cells; what is too much is taken from the columns that may shrink, the widest first.
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
    /// Appends the table in GitHub's Markdown; text from outside is code.
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
