extension PasteReader {
    /// Reads a line as a row of the open table; false if it is none.
    mutating func readTableRow(_ line: PasteLine, into records: inout [PastedRecord]) -> Bool {
        guard let taking = table?.begins(line) else { return false }
        switch taking {
        case .row:
            if table?.isWithinQuotes == false, isHeader(line) { return false }
            emitTableRow(into: &records)
            table?.begin(line)
            quality.records += 1
        case .continuation:
            guard table?.hasRow == true else { return false }
            table?.extend(by: line)
            quality.continuations += 1
        case .none: return false
        }
        return true
    }

    /// Reads a line that names columns, or belongs to such a line.
    mutating func readHeader(_ line: PasteLine, into records: inout [PastedRecord]) -> Bool {
        let above = blankHeader
        blankHeader = nil
        if let above, let header = TableHeader(console: above, ruledBy: line.bytes) {
            table = OpenTable(header, limits: limits)
        } else if let header = TableHeader(separated: line.bytes, limits: limits) {
            beginColumns(into: &records)
            table = OpenTable(header, limits: limits)
        } else if TableHeader.isBlankSeparated(line.bytes, limits: limits) {
            beginColumns(into: &records)
            blankHeader = line.bytes
        } else {
            // Export-Csv says in its first line of what type its rows were.
            guard line.bytes.hasPrefix(Array("#TYPE ".utf8)) else { return false }
            close(into: &records)
        }
        quality.headers += 1
        return true
    }

    mutating func emitTableRow(into records: inout [PastedRecord]) {
        guard let (record, wasCut) = table?.finishRow() else { return }
        emit(record, wasCut: wasCut, into: &records)
    }

    private func isHeader(_ line: PasteLine) -> Bool { TableHeader(separated: line.bytes, limits: limits) != nil }
}
