extension PasteReader {
    /// Reads a line that is not blank.
    mutating func read(_ line: PasteLine, into records: inout [PastedRecord]) {
        if resolvePending(with: line, into: &records) { return }
        if readTableRow(line, into: &records) { return }
        if block?.takesAsWrapped(line) == true { return readInBlock(line, into: &records) }
        if readHeader(line, into: &records) { return }
        switch RowGrammar.reading(line.bytes, limits: limits) {
        case .row(let head) where !(head.isGuessed && row?.hasAnchor == true):
            openRow(line.bytes, head, lines: [line], into: &records)
        case .unfinished:
            pendingHead = PendingHead(line, limits: limits)
        case .row, .none:
            if block != nil {
                readInBlock(line, into: &records)
            } else if beginsBlock(line) {
                pendingKey = line
            } else {
                readText(line, into: &records)
            }
        }
    }

    /// Joins `line` to the pending head or key; false if it is still to be read.
    private mutating func resolvePending(with line: PasteLine, into records: inout [PastedRecord]) -> Bool {
        if let head = pendingHead {
            var candidate = head
            switch candidate.reading(with: line, limits: limits) {
            case .row(let row):
                pendingHead = nil
                openRow(candidate.bytes, row, lines: candidate.lines, into: &records)
                return true
            case .unfinished:
                pendingHead = candidate
                return true
            case .none: break
            }
        } else if let first = pendingKey, let key = BlockKey(line.bytes)?.column,
            key != .ignored, key != BlockKey(first.bytes)?.column, let block = OpenBlock(first, limits: limits)
        {
            pendingKey = nil
            open(lines: 1, into: &records)
            self.block = block
            readInBlock(line, into: &records)
            return true
        }
        releasePending(into: &records)
        return false
    }

    /// Reads pending lines as the text they turned out to be.
    mutating func releasePending(into records: inout [PastedRecord]) {
        let lines = (pendingHead?.lines ?? []) + (pendingKey.map { [$0] } ?? [])
        pendingHead = nil
        pendingKey = nil
        for line in lines {
            if block != nil { readInBlock(line, into: &records) } else { readText(line, into: &records) }
        }
    }

    private mutating func openRow(
        _ text: [UInt8],
        _ head: RowHead,
        lines: [PasteLine],
        into records: inout [PastedRecord]
    ) {
        guard let first = lines.first, let last = lines.last else { return }
        open(lines: lines.count, into: &records)
        row = OpenRow(text, head: head, firstLine: first.number, lastLine: last.number, limits: limits)
    }

    /// A row's message may have lines that look like keys; only behind a blank line they are a block of their own.
    private func beginsBlock(_ line: PasteLine) -> Bool {
        (row == nil || line.isBehindBlank) && table == nil && ![nil, .ignored].contains(BlockKey(line.bytes)?.column)
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

    /// Reads a line that begins nothing: it belongs to what is open, or is a paragraph.
    private mutating func readText(_ line: PasteLine, into records: inout [PastedRecord]) {
        if row?.takes(line) == true {
            row?.append(line)
            quality.continuations += 1
        } else if row != nil {
            close(into: &records)
            quality.notUnderstood += 1
        } else if table?.hasRow == true, table?.isConsole == false,
            !line.isBehindBlank || StackLine.matches(line.bytes)
        {
            table?.extend(by: line)
            quality.continuations += 1
        } else if hasColumns {
            quality.notUnderstood += 1
        } else if message?.takes(line) == true {
            message?.append(line)
        } else {
            closeMessage(into: &records)
            message = OpenMessage(line, limits: limits)
        }
    }
}
