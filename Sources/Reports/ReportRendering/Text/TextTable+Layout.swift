import TextSafety

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
            bytes.append(styles[index], layout) { $0.append(text: cell) }
            if column.alignment == .left, !isLast { bytes.append(blanks: padding) }
            if !isLast { bytes.append(blanks: 2) }
        }
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
            bytes.append(cell.style, layout) { $0.append(line: cell.text, layout) }
        }
        bytes.append(0x0A)
    }
}
