import ULSRows

/// A reader of text that isn't a native log file: exports, and text pasted into tickets and forum posts.
///
/// A paste consists of rows with blanks in place of tabs, of blocks of `Key : value` lines, of a table below a header,
/// or only of messages, which ``MessageSigns`` distinguishes from other text. The form is determined line by line, and
/// a text may contain several forms. A record begins only where a physical line does. The reader works in a single
/// pass, in time linear in the length of the text; ``PasteLimits`` bounds its memory use.
package struct PasteReader {
    package let limits: PasteLimits
    /// A test that returns whether a paragraph without ``MessageSigns`` is nevertheless a log message.
    package var messageTest: (([UInt8]) -> Bool)?
    package var quality = PasteQuality()

    // The open records. At most one of the five is open; in addition, a head or a key may be pending.
    var row: OpenRow?
    private var block: OpenBlock?
    private var markup: OpenEventMarkup?
    private var table: OpenTable?
    var message: OpenMessage?

    /// Lines that begin like a row.
    private var pendingHead: PendingHead?
    /// A lone key line; two make a block.
    private var pendingKey: PasteLine?
    /// A header with blanks between its names, if it was the last line; hyphens below it show that it begins a console
    /// table.
    private var blankHeader: [UInt8]?

    /// Whether the text has records with columns, so that the rest of the text is not a message.
    private var hasColumns = false
    private var levelRows = LevelRows.possible
    private var marks: LineMarks
    private var held = HeldMessages()
    private var isBehindBlank = false

    /// The possibility of rows that consist of a level and a message.
    private enum LevelRows {
        /// These rows may occur, because nothing else has identified the text so far.
        case possible
        /// These rows occur, so even a line that could be the beginning of a sentence is treated as a row.
        case known
        /// These rows do not occur, because the text has records with event IDs or is a table of another kind.
        case none
    }

    package init(limits: PasteLimits = PasteLimits()) {
        self.limits = limits
        marks = LineMarks(limits: limits)
    }

    /// Reads the next physical line, without its line end.
    package mutating func append(line: Span<UInt8>, into records: inout [PastedRecord]) {
        quality.lines += 1
        let whole = bytes(of: line)
        guard !marks.isBetweenResults(whole) else { return passBetweenResults(into: &records) }
        // Text after a block of code is a comment about it, even if the last row lacks its correlation.
        if row != nil, LineMarks.isFence(whole) { close(into: &records) }
        let bytes = marks.content(of: whole, inTableAt: table?.separator, isWithinRow: pendingHead != nil)
        guard !bytes.trimmed.isEmpty else { return readBlank(into: &records) }
        let line = PasteLine(number: quality.lines, bytes: bytes, isBehindBlank: isBehindBlank)
        isBehindBlank = false
        read(line, into: &records)
    }

    /// Whether an empty line changes only the count, because the blank line before it has already closed everything
    /// that a blank line closes.
    package var ignoresEmptyLines: Bool { isBehindBlank && table?.isWithinQuotes != true }

    /// Counts empty lines that are ignored.
    package mutating func count(emptyLines count: Int) {
        quality.lines += count
        quality.blank += count
    }

    /// Closes all open records, and returns the account of the lines.
    package mutating func finish(into records: inout [PastedRecord]) -> PasteQuality {
        releasePending(into: &records)
        close(into: &records)
        emitHeld(into: &records)
        return quality
    }

    /// Returns the line, up to the limit, without a byte-order mark and carriage return.
    private func bytes(of line: Span<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        let length = min(line.count, limits.line)
        bytes.reserveCapacity(length)
        for index in 0..<length { bytes.append(line[index]) }
        if bytes.last == 0x0D { bytes.removeLast() }
        if quality.lines == 1, bytes.hasPrefix([0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        return bytes
    }

    /// Skips a line between search results, which separates them like a blank line.
    private mutating func passBetweenResults(into records: inout [PastedRecord]) {
        if pendingHead != nil { releasePending(into: &records) }
        quality.headers += 1
        isBehindBlank = true
    }

    private mutating func readBlank(into records: inout [PastedRecord]) {
        quality.blank += 1
        blankHeader = nil
        if table?.isWithinQuotes == true {
            table?.extend(by: PasteLine(number: quality.lines, bytes: [], isBehindBlank: false))
            return
        }
        if pendingHead != nil { releasePending(into: &records) }
        if table?.isConsole == true, table?.hasRow == true { close(into: &records) }
        isBehindBlank = true
    }
}

extension PasteReader {
    /// Reads a line that is not blank.
    mutating func read(_ line: PasteLine, into records: inout [PastedRecord]) {
        if markup != nil { return readMarkup(line, into: &records) }
        if resolvePending(with: line, into: &records) { return }
        if block == nil, let events = OpenEventMarkup(line, limits: limits) {
            open(lines: 1, into: &records)
            markup = events
            return closeMarkup(ifComplete: true, into: &records)
        }
        if table?.isRule(line) == true {
            quality.headers += 1
            return
        }
        if readTableRow(line, into: &records) { return }
        if block?.takesAsWrapped(line) == true { return readInBlock(line, into: &records) }
        if let program = programRow(line) { return openRow(line, program, into: &records) }
        if readHeader(line, into: &records) { return }
        switch RowGrammar.reading(line.bytes, limits: limits) {
        case .row(let head) where !(head.isGuessed && row?.hasAnchor == true):
            openRow(line.bytes, head, lines: [line], into: &records)
        case .unfinished:
            pendingHead = PendingHead(line, limits: limits)
        case .row, .none:
            if block != nil {
                readInBlock(line, into: &records)
            } else if let row = levelRow(line) {
                readLevelRow(line, row, into: &records)
            } else if beginsBlock(line) {
                pendingKey = line
            } else {
                readText(line, into: &records)
            }
        }
    }

    /// Reads a line of an event's XML; a row shows that its end is missing.
    private mutating func readMarkup(_ line: PasteLine, into records: inout [PastedRecord]) {
        if case .row(let head) = RowGrammar.reading(line.bytes, limits: limits), !head.time.isEmpty {
            close(into: &records)
            return read(line, into: &records)
        }
        quality.continuations += 1
        markup?.append(line)
        closeMarkup(ifComplete: true, into: &records)
    }

    private mutating func closeMarkup(ifComplete: Bool, into records: inout [PastedRecord]) {
        guard let events = markup, !ifComplete || events.isComplete else { return }
        markup = nil
        for record in events.records { emit(record, wasCut: events.wasCut, into: &records) }
    }

    /// Joins `line` to the pending head or key; returns false if the line must still be read.
    private mutating func resolvePending(with line: PasteLine, into records: inout [PastedRecord]) -> Bool {
        if let head = pendingHead {
            var candidate = head
            switch candidate.reading(with: line, limits: limits) {
            case .row(let row):
                pendingHead = nil
                openRow(candidate.bytes, row, lines: candidate.lines, isHard: candidate.isHard, into: &records)
                return true
            case .unfinished:
                pendingHead = candidate
                return true
            case .none: break
            }
        } else if let first = pendingKey, let key = BlockKey(line.bytes)?.column,
            let above = BlockKey(first.bytes)?.column,
            !key.isCommon || above == .eventID || above == .logName, key != above,
            !isEndOfErrorPage(above, key),
            let block = OpenBlock(first, limits: limits)
        {
            pendingKey = nil
            open(lines: 1, into: &records)
            self.block = block
            readInBlock(line, into: &records)
            return true
        } else if let first = pendingKey, !line.isBehindBlank, RowGrammar.reading(line.bytes, limits: limits) == .none,
            let block = OpenBlock(eventID: first, message: line, limits: limits)
        {
            pendingKey = nil
            open(lines: 2, into: &records)
            self.block = block
            return true
        }
        releasePending(into: &records)
        return false
    }

    /// Returns whether keys are the last lines of an error page, below its message: `Correlation ID: …`, `Date and Time: …`.
    private func isEndOfErrorPage(_ first: PasteColumn, _ second: PasteColumn) -> Bool {
        first == .correlation && second == .time && !hasColumns && !(held.isEmpty && message == nil)
    }

    /// Reads the pending lines, which have turned out to be text.
    private mutating func releasePending(into records: inout [PastedRecord]) {
        let lines = (pendingHead?.lines ?? []) + (pendingKey.map { [$0] } ?? [])
        pendingHead = nil
        pendingKey = nil
        for line in lines {
            if block != nil { readInBlock(line, into: &records) } else { readText(line, into: &records) }
        }
    }

    /// Returns the columns of a row of a program's log; `nil` if the line is something else, or is part of the open
    /// record.
    private func programRow(_ line: PasteLine) -> ProgramRow? {
        guard block == nil, table == nil, line.isBehindBlank || row?.isOfProgram != false else { return nil }
        return ProgramRow(line.bytes)
    }

    private mutating func openRow(_ line: PasteLine, _ program: ProgramRow, into records: inout [PastedRecord]) {
        emitHeldExceptions(into: &records)
        open(lines: 1, into: &records)
        row = OpenRow(line, program: program, limits: limits)
    }

    /// Returns the level and the message of a line; `nil` if it is something else.
    private func levelRow(_ line: PasteLine) -> LevelRow? {
        guard levelRows != .none, table == nil, let row = LevelRow(line.bytes) else { return nil }
        return row.isSure || levelRows == .known ? row : nil
    }

    private mutating func readLevelRow(_ line: PasteLine, _ row: LevelRow, into records: inout [PastedRecord]) {
        closeMessage(into: &records)
        // The lines held back may be rows of the same kind, although sentences could begin that way.
        for message in levelRows == .known ? [] : held.release(decided: false) {
            let text = message.record.message
            guard let head = LevelRow(text)?.head else {
                settle(message, isMessage: message.isException, into: &records)
                continue
            }
            quality.records += 1
            quality.continuations += message.lines - 1
            var record = OpenRow(text, head: head, lines: [], limits: limits).finished()
            (record.firstLine, record.lastLine) = (message.record.firstLine, message.record.lastLine)
            emit(record, wasCut: message.wasCut, into: &records)
        }
        levelRows = .known
        openRow(line.bytes, row.head, lines: [line], into: &records)
    }

    private mutating func openRow(
        _ text: [UInt8],
        _ head: RowHead,
        lines: [PasteLine],
        isHard: Bool = false,
        into records: inout [PastedRecord]
    ) {
        guard !lines.isEmpty else { return }
        open(lines: lines.count, into: &records)
        row = OpenRow(text, head: head, lines: lines, isHard: isHard, limits: limits)
    }

    /// Returns whether a line begins a block.
    ///
    /// A row's message may contain lines that look like keys, which form a separate block only after a blank line.
    private func beginsBlock(_ line: PasteLine) -> Bool {
        (row == nil || line.isBehindBlank) && table == nil
            && !(message?.isHealthEvent == true && message?.takes(line) == true)
            && BlockKey(line.bytes)?.column?.isCommon == false
            && BlockKey(line.bytes)?.column != .eventXML
    }

    private mutating func readInBlock(_ line: PasteLine, into records: inout [PastedRecord]) {
        switch block?.append(line) ?? .ended {
        case .taken: quality.continuations += 1
        case .notUnderstood: quality.notUnderstood += 1
        case .ended:
            close(into: &records)
            if let next = OpenBlock(line, limits: limits) {
                open(lines: 1, into: &records)
                block = next
            } else {
                readText(line, into: &records)
            }
        }
    }

    /// Reads a line that does not begin a record, and adds it to the open record or treats it as a paragraph.
    private mutating func readText(_ line: PasteLine, into records: inout [PastedRecord]) {
        if row?.takes(line) == true {
            row?.append(line)
            quality.continuations += 1
        } else if row != nil {
            close(into: &records)
            message = OpenMessage(line, limits: limits)
        } else if table?.hasRow == true, table?.isConsole == false,
            !line.isBehindBlank || StackLine.matches(line.bytes)
        {
            table?.extend(by: line)
            quality.continuations += 1
        } else if table != nil {
            // The table's rows continue below, so there is no paragraph.
            quality.notUnderstood += 1
        } else if message?.takes(line) == true {
            if levelRows == .possible, line.hasInnerTab { levelRows = .none }
            message?.append(line)
        } else {
            if levelRows == .possible, line.hasInnerTab { levelRows = .none }
            closeMessage(into: &records)
            message = OpenMessage(line, limits: limits)
        }
    }
}

extension PasteReader {
    /// Accounts for the lines that begin a record with columns, and closes the previous record if it is open.
    mutating func open(lines: Int, into records: inout [PastedRecord]) {
        beginColumns(into: &records)
        quality.records += 1
        quality.continuations += lines - 1
    }

    /// Records that the text has columns, so that paragraphs held back until now are not messages.
    private mutating func beginColumns(into records: inout [PastedRecord]) {
        close(into: &records)
        hasColumns = true
        if levelRows == .possible { levelRows = .none }
        settleHeld(into: &records) { $0.isRecord }
    }

    /// Closes the open record.
    private mutating func close(into records: inout [PastedRecord]) {
        if let row { emit(row.finished(), wasCut: row.wasCut, into: &records) }
        if let block { emit(block.finished(), wasCut: block.isCut, into: &records) }
        closeMarkup(ifComplete: false, into: &records)
        emitTableRow(into: &records)
        closeMessage(into: &records)
        row = nil
        block = nil
        table = nil
    }

    private mutating func closeMessage(into records: inout [PastedRecord]) {
        guard let closed = message else { return }
        message = nil
        let isFull = held.hold(closed, limit: limits.held, messageTest)
        if isFull || held.isDecided && !hasColumns { emitHeld(into: &records) }
    }

    /// Turns the paragraphs that were held back into messages if anything in them shows that they are from a log.
    ///
    /// If the text has rows, only exceptions and pages of errors become messages, because all other text is about the
    /// rows.
    private mutating func emitHeld(into records: inout [PastedRecord]) {
        guard !hasColumns else { return settleHeld(into: &records) { $0.isRecord } }
        let areMessages = held.areMessages
        for message in held.release(decided: areMessages) {
            settle(message, isMessage: areMessages || message.isAuditEvent, into: &records)
        }
    }

    /// Turns exceptions above the first row of a program's log into messages, because the program's output precedes its
    /// log.
    private mutating func emitHeldExceptions(into records: inout [PastedRecord]) {
        closeMessage(into: &records)
        guard !hasColumns else { return }
        settleHeld(into: &records) { $0.hasException }
    }

    private mutating func settleHeld(into records: inout [PastedRecord], where isMessage: (OpenMessage) -> Bool) {
        for message in ErrorPage.joined(held.release(decided: false)) {
            settle(message, isMessage: isMessage(message), into: &records)
        }
    }

    private mutating func settle(_ message: OpenMessage, isMessage: Bool, into records: inout [PastedRecord]) {
        guard isMessage else {
            quality.notUnderstood += message.lines
            return
        }
        quality.records += 1
        quality.continuations += message.lines - 1
        emit(message.record, wasCut: message.wasCut, into: &records)
    }

    mutating func emit(_ record: PastedRecord, wasCut: Bool, into records: inout [PastedRecord]) {
        if wasCut { quality.cutRecords += 1 }
        records.append(record)
        records[records.count - 1].message.undoTypography()
    }
}

extension PasteReader {
    /// Reads a line as a row of the open table; returns false if it isn't one.
    private mutating func readTableRow(_ line: PasteLine, into records: inout [PastedRecord]) -> Bool {
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

    /// Reads a line with the names of columns, or a line that accompanies it.
    private mutating func readHeader(_ line: PasteLine, into records: inout [PastedRecord]) -> Bool {
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
            // Export-Csv names the type of its rows in its first line.
            guard line.bytes.hasPrefix(Array("#TYPE ".utf8)) else { return false }
            close(into: &records)
        }
        quality.headers += 1
        return true
    }

    private mutating func emitTableRow(into records: inout [PastedRecord]) {
        guard let (record, wasCut) = table?.finishRow() else { return }
        emit(record, wasCut: wasCut, into: &records)
    }

    private func isHeader(_ line: PasteLine) -> Bool { TableHeader(separated: line.bytes, limits: limits) != nil }
}

/// Limits on the memory that the reader uses for a paste.
///
/// The number of records is not limited, because they are delivered as they are read.
package struct PasteLimits: Equatable, Sendable {
    /// The maximum number of bytes in a record; the rest is left out, and the record is counted in
    /// ``PasteQuality/cutRecords``.
    package var record = 1 << 20

    /// The maximum number of bytes in paragraphs that are held back until it is known whether the text has rows.
    var held = 1 << 20

    /// The maximum number of bytes from the start of a row to its level.
    ///
    /// Nine padded columns need about 170 bytes, or twice that with no-break spaces.
    package var head = 1024

    /// The maximum number of bytes in a header line.
    package var header = 4096

    /// The maximum number of bytes examined in a physical line, which is more than a record may have, so that a
    /// truncated line can be detected.
    package var line: Int { record + head + 1 }

    package init() {}
}

/// The account of a paste's lines.
///
/// Each line is counted in exactly one of five properties, whose sum is therefore ``lines``.
package struct PasteQuality: Equatable, Sendable {
    package var lines = 0
    /// The number of first lines of records, and thus of records.
    package var records = 0
    /// The number of lines that continue a record above.
    package var continuations = 0
    package var headers = 0
    package var blank = 0
    /// The number of lines that fit nowhere, in a text that has records.
    package var notUnderstood = 0

    /// The number of records longer than ``PasteLimits/record``, which is not part of the sum.
    package var cutRecords = 0

    package init() {}

    /// The sum of the five properties.
    var accounted: Int { records + continuations + headers + blank + notUnderstood }
}
