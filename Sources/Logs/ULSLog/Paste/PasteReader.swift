/// Reads text that is no native log file: what people paste into tickets, forum posts, and exports.
///
/// A paste is rows with blanks for tabs, blocks of `Key : value` lines, a table below a header, or messages alone.
/// Which of them is decided line by line, and one text may have several. A record begins only where a physical line
/// does. The reader works in one pass, in time linear to the text; what it holds is bounded by ``PasteLimits``.
package struct PasteReader {
    let limits: PasteLimits
    var quality = PasteQuality()

    // What is open. At most one of the four; a head or a key may be pending above it.
    var row: OpenRow?
    var block: OpenBlock?
    var table: OpenTable?
    var message: OpenMessage?

    /// Lines that begin like a row.
    var pendingHead: PendingHead?
    /// A lone key line; two make a block.
    var pendingKey: PasteLine?
    /// A header with blanks between its names, if it is the last line: hyphens below it make it a console's table.
    var blankHeader: [UInt8]?

    /// Whether the text has records with columns, so that other text in it is not a message.
    var hasColumns = false
    var held = HeldMessages()
    private var isBehindBlank = false

    package init(limits: PasteLimits = PasteLimits()) { self.limits = limits }

    /// Reads the next physical line, without its line end.
    package mutating func append(line: Span<UInt8>, into records: inout [PastedRecord]) {
        quality.lines += 1
        let bytes = content(of: line)
        guard !bytes.trimmed.isEmpty else { return readBlank(into: &records) }
        let line = PasteLine(number: quality.lines, bytes: bytes, isBehindBlank: isBehindBlank)
        isBehindBlank = false
        read(line, into: &records)
    }

    /// Lets go of what is open, and says what became of each line.
    package mutating func finish(into records: inout [PastedRecord]) -> PasteQuality {
        releasePending(into: &records)
        close(into: &records)
        emitHeld(into: &records)
        return quality
    }

    /// The line without a byte-order mark and a carriage return, up to the limit.
    private func content(of line: Span<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        let length = min(line.count, limits.line)
        bytes.reserveCapacity(length)
        for index in 0..<length { bytes.append(line[index]) }
        if bytes.last == 0x0D { bytes.removeLast() }
        if quality.lines == 1, bytes.hasPrefix([0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        return bytes
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
