import TextSafety

/// Rows of text in columns as wide as their widest cell, two blanks apart.
///
/// Cells are made safe; the last column is cut to what is left of the width.
public struct TextTable {
    /// The side to which a column's cells are pushed.
    public enum Alignment: Sendable { case left, right }

    private var rows: [[String]] = []
    private let alignments: [Alignment]

    public init(_ titles: [String], alignments: [Alignment] = []) {
        rows.append(titles)
        self.alignments = alignments
    }

    public mutating func append(_ cells: [String]) { rows.append(cells.map(SafeText.escaping)) }

    public func append(to bytes: inout [UInt8], width: Int) {
        let columns = (0..<(rows.first?.count ?? 0)).map { index in rows.map { $0[index].count }.max() ?? 0 }
        for row in rows {
            var line = ""
            for (index, cell) in row.enumerated() {
                let isLast = index == row.count - 1
                let rest = max(8, width - line.count)
                let shown = isLast && cell.count > rest ? SafeText.escaping(cell, maximum: rest) : cell
                let padding = String(repeating: " ", count: max(0, columns[index] - shown.count))
                let isRight = index < alignments.count && alignments[index] == .right
                line += isRight ? padding + shown : shown + (isLast ? "" : padding)
                if !isLast { line += "  " }
            }
            bytes.append(text: line)
            bytes.append(0x0A)
        }
    }
}
