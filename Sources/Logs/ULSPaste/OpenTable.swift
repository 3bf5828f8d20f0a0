import ULSRows

/// A table of rows below a header; more lines may be added to the last row.
struct OpenTable {
    /// The role of a line in the table.
    enum Taking {
        /// The first line of a row.
        case row
        /// A line that continues the row above.
        case continuation
        case none
    }

    let header: TableHeader
    private let limits: PasteLimits
    private var record: PastedRecord?
    private var isCut = false
    /// A row kept open by a quote.
    private var open: (bytes: [UInt8], quotes: QuoteState)?

    init(_ header: TableHeader, limits: PasteLimits) {
        self.header = header
        self.limits = limits
    }

    /// The separator of cells; `nil` if the cells are the columns of a console.
    var separator: UInt8? { if case .at(let separator) = header.cutting { separator } else { nil } }
    var isWithinQuotes: Bool { open != nil }
    var isConsole: Bool { if case .columns = header.cutting { true } else { false } }
    var hasRow: Bool { record != nil }

    /// Returns whether a line is the rule below the header of a Markdown table: `---|:---|---`.
    func isRule(_ line: PasteLine) -> Bool {
        !hasRow && separator == UInt8(ascii: "|") && line.bytes.contains(UInt8(ascii: "-"))
            && line.bytes.allSatisfy { Self.ruleBytes.contains($0) }
    }

    private static let ruleBytes = Set("-:| ".utf8)

    /// Closes the open row and returns it.
    mutating func finishRow() -> (record: PastedRecord, wasCut: Bool)? {
        closeQuotes()
        defer {
            record = nil
            isCut = false
        }
        return record.map { ($0, isCut) }
    }

    /// Returns the role of `line`; if it begins a row, the row above must be finished first.
    func begins(_ line: PasteLine) -> Taking {
        switch header.cutting {
        case .columns(let starts):
            // A console continues a long cell on the next line.
            return AlignedCells.texts(of: line.bytes, starts: starts).first?.isEmpty == true ? .continuation : .row
        case .at(let separator):
            if open != nil {
                // An unclosed quote ends at the next row that begins with a time.
                return header.columns.first == .time && beginsWithTime(line.bytes) ? .row : .continuation
            }
            var quotes = QuoteState(separator: separator)
            quotes.read(line.bytes)
            if quotes.isOpen { return .row }
            let count = CellCutter(separator: separator).cells(of: line.bytes).count
            return count >= max(2, header.columns.count - 1) ? .row : .none
        }
    }

    /// Begins a row with `line`.
    mutating func begin(_ line: PasteLine) {
        record = PastedRecord(shape: .delimited, line: line.number)
        switch header.cutting {
        case .columns(let starts):
            set(AlignedCells.texts(of: line.bytes, starts: starts))
        case .at(let separator):
            open = ([], QuoteState(separator: separator))
            extendQuoted(by: line)
        }
    }

    /// Adds a line to the open row.
    mutating func extend(by line: PasteLine) {
        record?.lastLine = line.number
        if open != nil { return extendQuoted(by: line) }
        guard case .columns(let starts) = header.cutting else { return extendMessage(by: line.bytes) }
        for (column, text) in zip(header.columns, AlignedCells.texts(of: line.bytes, starts: starts)) {
            if column == .message, !text.isEmpty { extendMessage(by: text, separator: 0x20) }
        }
    }

    private func beginsWithTime(_ line: [UInt8]) -> Bool {
        PastedTime(line, at: line.first == UInt8(ascii: "\"") ? 1 : 0, to: min(line.count, 40))?.kind == .dateAndTime
    }

    private mutating func extendMessage(by text: [UInt8], separator: UInt8 = 0x0A) {
        guard let count = record?.message.count else { return }
        let room = limits.record - count
        if room < text.count + 1 { isCut = true }
        record?.message.append(contentsOf: ([separator] + text[..<text.trimmed.upperBound]).prefix(max(0, room)))
    }

    private mutating func extendQuoted(by line: PasteLine) {
        guard open != nil else { return }
        let room = limits.record - (open?.bytes.count ?? 0)
        if open?.bytes.isEmpty == false { open?.bytes.append(0x0A) }
        open?.bytes.append(contentsOf: line.bytes.prefix(max(0, room)))
        open?.quotes.read(line.bytes)
        if room <= line.bytes.count { isCut = true }
        if open?.quotes.isOpen == false || isCut { closeQuotes() }
    }

    private mutating func closeQuotes() {
        guard let row = open?.bytes, case .at(let separator) = header.cutting else { return }
        open = nil
        let cells = CellCutter(separator: separator).cells(of: row)
        let surplus = max(0, cells.count - header.columns.count)
        guard surplus > 0, let message = header.columns.firstIndex(of: .message) else {
            return set(cells.map { $0.text(in: row) })
        }
        // These separators are not quoted, so they are part of the message column.
        var texts = cells[..<message].map { $0.text(in: row) }
        let start = cells[message].range.lowerBound - (cells[message].isQuoted ? 1 : 0)
        let end = cells[message + surplus].range.upperBound + (cells[message + surplus].isQuoted ? 1 : 0)
        texts.append(Array(row[row.trimmed(start..<end)]))
        set(texts + cells[(message + surplus + 1)...].map { $0.text(in: row) })
    }

    private mutating func set(_ texts: [[UInt8]]) {
        for (column, text) in zip(header.columns, texts) {
            if let column { record?.set(column, to: text) }
        }
    }
}

/// The columns named by a header line.
struct TableHeader: Equatable {
    /// The way in which a row is divided into cells.
    enum Cutting: Equatable {
        /// At each occurrence of this byte outside quotes.
        case at(UInt8)
        /// At these character positions, counted from the left, as in the aligned tables of a console.
        case columns([Int])
    }

    var columns: [PasteColumn?]
    var cutting: Cutting

    /// Reads a header of at least three known names, separated by tabs, commas, semicolons or bars.
    init?(separated line: [UInt8], limits: PasteLimits) {
        guard line.count <= limits.header else { return nil }
        for separator in "\t,;|".utf8 where line.contains(separator) {
            let columns = CellCutter(separator: separator).cells(of: line).map { PasteColumn(name: $0.text(in: line)) }
            guard Self.isHeader(columns) else { continue }
            self.columns = columns
            cutting = .at(separator)
            return
        }
        return nil
    }

    /// Reads a console's header: names separated by blanks, above a line of hyphens that shows where columns begin.
    init?(console line: [UInt8], ruledBy rule: [UInt8]) {
        guard rule.allSatisfy({ $0 == UInt8(ascii: "-") || $0 == 0x20 }) else { return nil }
        let starts = rule.indices.filter { rule[$0] != 0x20 && ($0 == 0 || rule[$0 - 1] == 0x20) }
        let cutting = Cutting.columns(starts)
        let columns = AlignedCells.texts(of: line, starts: starts).map { PasteColumn(name: $0) }
        guard Self.isHeader(columns) else { return nil }
        self.columns = columns
        self.cutting = cutting
    }

    /// Returns whether a line consists only of column names separated by blanks.
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
        return known.count { !$0.isCommon } >= 3 && (known.contains(.message) || known.contains(.eventID))
    }
}

/// A splitter of rows at a separator; it reads quotes according to RFC 4180, and tolerates incorrect ones.
struct CellCutter {
    /// A cell, without the quotes around it.
    struct Cell {
        let range: Range<Int>
        /// Whether the cell was quoted, so that each quote in it is doubled.
        let isQuoted: Bool

        /// Returns the text of the cell, without blanks around it.
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

    /// Returns the quoted cell at `start`; nil if there is none, or if text follows the closing quote.
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

/// The state of quotes in a row, which continues past a line end within quotes.
private struct QuoteState {
    private enum State {
        case cellStart
        case plain
        case quoted
        /// After a quote within quotes, which is either the first of two or the closing quote.
        case quote
    }

    let separator: UInt8
    private var state = State.cellStart

    init(separator: UInt8) { self.separator = separator }

    var isOpen: Bool { state == .quoted }

    /// Reads one more line.
    mutating func read(_ line: [UInt8]) {
        if state != .quoted { state = .cellStart }
        let quote = UInt8(ascii: "\"")
        for byte in line {
            switch (state, byte) {
            case (.quoted, quote): state = .quote
            case (.quoted, _): break
            case (.quote, quote): state = .quoted
            case (_, separator): state = .cellStart
            case (.cellStart, quote): state = .quoted
            default: state = .plain
            }
        }
    }
}

/// The cells of a console's table, at fixed character positions from the left.
enum AlignedCells {
    /// Returns the cells without padding, one for each start.
    static func texts(of line: [UInt8], starts: [Int]) -> [[UInt8]] {
        var bounds: [Int] = []
        var character = 0
        for (index, byte) in line.enumerated() where byte & 0xC0 != 0x80 {
            if bounds.count < starts.count, starts[bounds.count] == character { bounds.append(index) }
            character += 1
        }
        while bounds.count <= starts.count { bounds.append(line.count) }
        return zip(bounds, bounds.dropFirst()).map { Array(line[line.trimmed($0..<$1)]) }
    }
}
