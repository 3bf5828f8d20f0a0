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
        appendAligned(to: &bytes, width: width, TextLayout())
    }
}

extension TextTable.Cell: ExpressibleByStringInterpolation {
    init(stringLiteral value: String) { self.init(text: value) }

    /// Text from outside.
    static func outside(_ text: String?, _ style: TerminalStyle = .plain) -> Self {
        Self(text: text ?? "-", style: style, isOwn: text == nil)
    }
}
