/// Rows below a header, the last of which is open as long as lines may join it.
struct OpenTable {
    /// What a line is to the table.
    enum Taking {
        /// The first line of a row.
        case row
        /// A line that belongs to the row above.
        case continuation
        case none
    }

    let header: TableHeader
    private let limits: PasteLimits
    private var record: PastedRecord?
    private var isCut = false
    /// A row that a quote keeps open.
    private var open: (bytes: [UInt8], quotes: QuoteState)?

    init(_ header: TableHeader, limits: PasteLimits) {
        self.header = header
        self.limits = limits
    }

    var isWithinQuotes: Bool { open != nil }
    var isConsole: Bool { if case .columns = header.cutting { true } else { false } }
    var hasRow: Bool { record != nil }

    /// Takes the row that is open.
    mutating func finishRow() -> (record: PastedRecord, wasCut: Bool)? {
        closeQuotes()
        defer {
            record = nil
            isCut = false
        }
        return record.map { ($0, isCut) }
    }

    /// Whether `line` begins a row, so that the row above must be finished first.
    func begins(_ line: PasteLine) -> Taking {
        switch header.cutting {
        case .columns(let starts):
            // A console wraps a long cell below itself.
            return AlignedCells.texts(of: line.bytes, starts: starts).first?.isEmpty == true ? .continuation : .row
        case .at(let separator):
            if open != nil {
                // A quote that nothing closes ends where a row begins with its time.
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

    /// Adds a line to the row that is open.
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
        // Separators that no quotes protect: the message is the column that has them.
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
