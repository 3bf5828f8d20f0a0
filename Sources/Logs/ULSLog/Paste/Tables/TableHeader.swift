/// The columns that a header line names.
struct TableHeader: Equatable {
    /// How a row is cut into cells.
    enum Cutting: Equatable {
        /// At this byte, outside quotes.
        case at(UInt8)
        /// At these characters from the left, as a console aligns its tables.
        case columns([Int])
    }

    var columns: [PasteColumn?]
    var cutting: Cutting

    /// A header with tabs, commas or semicolons between at least three names that are known.
    init?(separated line: [UInt8], limits: PasteLimits) {
        guard line.count <= limits.header else { return nil }
        for separator in [UInt8(ascii: "\t"), UInt8(ascii: ","), UInt8(ascii: ";")] where line.contains(separator) {
            let columns = CellCutter(separator: separator).cells(of: line).map { PasteColumn(name: $0.text(in: line)) }
            guard Self.isHeader(columns) else { continue }
            self.columns = columns
            cutting = .at(separator)
            return
        }
        return nil
    }

    /// A console's header: names with blanks between them, above a line of hyphens that shows where columns begin.
    init?(console line: [UInt8], ruledBy rule: [UInt8]) {
        guard rule.allSatisfy({ $0 == UInt8(ascii: "-") || $0 == 0x20 }) else { return nil }
        let starts = rule.indices.filter { rule[$0] != 0x20 && ($0 == 0 || rule[$0 - 1] == 0x20) }
        let cutting = Cutting.columns(starts)
        let columns = AlignedCells.texts(of: line, starts: starts).map { PasteColumn(name: $0) }
        guard Self.isHeader(columns) else { return nil }
        self.columns = columns
        self.cutting = cutting
    }

    /// Whether a line is column names with blanks between them and nothing else.
    static func isBlankSeparated(_ line: [UInt8], limits: PasteLimits) -> Bool {
        guard line.count <= limits.header else { return false }
        var columns: [PasteColumn?] = []
        var index = line.blanks(from: 0, to: line.count).end
        while index < line.count {
            let end = line.endOfWord(from: index, to: line.count)
            guard let column = PasteColumn(name: line[index..<end]) else { return false }
            columns.append(column)
            index = line.blanks(from: end, to: line.count).end
        }
        return isHeader(columns)
    }

    private static func isHeader(_ columns: [PasteColumn?]) -> Bool {
        let known = Set(columns.compactMap(\.self))
        return known.subtracting([.ignored]).count >= 3 && (known.contains(.message) || known.contains(.eventID))
    }
}
