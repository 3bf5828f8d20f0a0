/// Gives the texts of a source one after the other, as they are written.
protocol TextSupply: AnyObject {
    /// Moves to the next text; `nil` at the end.
    func nextText() throws(LogSourceError) -> LogTextName?

    /// Reads the next piece of the text into `buffer`, behind `start`; 0 at its end, or where there is no room.
    func read(into buffer: inout [UInt8], from start: Int) throws(LogSourceError) -> Int

    /// Entries of an archive that are no logs, and were not read.
    var passedOver: Int { get }
}

/// Gives the one text of a file or a pipe.
final class OneText: TextSupply {
    private let source: LogSource
    private let file: OpenFile
    /// What was read of it already to see what it is.
    private var head: ArraySlice<UInt8>
    private var isTaken = false

    let passedOver = 0

    init(_ source: LogSource, file: OpenFile, head: [UInt8]) {
        self.source = source
        self.file = file
        self.head = head[...]
    }

    func nextText() throws(LogSourceError) -> LogTextName? {
        guard !isTaken else { return nil }
        isTaken = true
        return LogTextName(source)
    }

    func read(into buffer: inout [UInt8], from start: Int) throws(LogSourceError) -> Int {
        guard !head.isEmpty else { return try file.read(into: &buffer, from: start) }
        let count = min(head.count, buffer.count - start)
        guard count > 0 else { return 0 }
        buffer.replaceSubrange(start..<start + count, with: head.prefix(count))
        head = head.dropFirst(count)
        return count
    }
}
