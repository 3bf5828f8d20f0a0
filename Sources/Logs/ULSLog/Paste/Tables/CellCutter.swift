/// Cuts a row at a separator, with quotes as RFC 4180 has them, and forgives where they are wrong.
struct CellCutter {
    /// A cell, without the quotes round it.
    struct Cell {
        let range: Range<Int>
        /// Whether its quotes are written twice.
        let isQuoted: Bool

        /// What the cell says, without blanks round it.
        func text(in row: [UInt8]) -> [UInt8] {
            guard isQuoted else { return Array(row[row.trimmed(range)]) }
            var bytes: [UInt8] = []
            var index = range.lowerBound
            while index < range.upperBound {
                bytes.append(row[index])
                index += row[index] == UInt8(ascii: "\"") ? 2 : 1
            }
            return Array(bytes[bytes.trimmed])
        }
    }

    let separator: UInt8

    func cells(of row: [UInt8]) -> [Cell] {
        var cells: [Cell] = []
        var start = 0
        while true {
            let cell = quoted(row, start) ?? Cell(range: start..<endOfCell(row, from: start), isQuoted: false)
            cells.append(cell)
            let end = cell.range.upperBound + (cell.isQuoted ? 1 : 0)
            guard end < row.count else { return cells }
            start = end + 1
        }
    }

    private func endOfCell(_ row: [UInt8], from start: Int) -> Int {
        row[min(start, row.count)...].firstIndex(of: separator) ?? row.count
    }

    /// The cell in quotes at `start`; nil if there is none, or text stands behind the closing quote.
    private func quoted(_ row: [UInt8], _ start: Int) -> Cell? {
        guard start < row.count, row[start] == UInt8(ascii: "\"") else { return nil }
        var index = start + 1
        while let quote = row[index...].firstIndex(of: UInt8(ascii: "\"")) {
            if quote + 1 < row.count, row[quote + 1] == UInt8(ascii: "\"") {
                index = quote + 2
                continue
            }
            guard quote + 1 == row.count || row[quote + 1] == separator else { return nil }
            return Cell(range: (start + 1)..<quote, isQuoted: true)
        }
        return nil
    }
}
