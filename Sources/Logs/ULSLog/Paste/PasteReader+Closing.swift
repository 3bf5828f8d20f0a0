extension PasteReader {
    /// Accounts for the lines with which a record with columns begins, and closes what was open before it.
    mutating func open(lines: Int, into records: inout [PastedRecord]) {
        beginColumns(into: &records)
        quality.records += 1
        quality.continuations += lines - 1
    }

    /// The text has columns: paragraphs held back until now are no messages.
    mutating func beginColumns(into records: inout [PastedRecord]) {
        close(into: &records)
        hasColumns = true
        for message in held.release(decided: false) { quality.notUnderstood += message.lines }
    }

    /// Closes what is open.
    mutating func close(into records: inout [PastedRecord]) {
        if let row { emit(row.finished(), wasCut: row.wasCut, into: &records) }
        if let block { emit(block.finished(), wasCut: block.isCut, into: &records) }
        emitTableRow(into: &records)
        closeMessage(into: &records)
        row = nil
        block = nil
        table = nil
    }

    mutating func closeMessage(into records: inout [PastedRecord]) {
        guard let closed = message else { return }
        message = nil
        if held.hold(closed, limit: limits.held) || held.isDecided { emitHeld(into: &records) }
    }

    mutating func emitHeld(into records: inout [PastedRecord]) {
        for message in held.release(decided: true) {
            quality.records += 1
            quality.continuations += message.lines - 1
            emit(message.record, wasCut: message.wasCut, into: &records)
        }
    }

    mutating func emit(_ record: PastedRecord, wasCut: Bool, into records: inout [PastedRecord]) {
        if wasCut { quality.cutRecords += 1 }
        records.append(record)
    }
}
