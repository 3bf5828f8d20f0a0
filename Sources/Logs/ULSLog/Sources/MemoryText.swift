/// A log that is in memory, and what it is called.
struct MemoryText: Hashable, Sendable {
    var name: String
    var bytes: [UInt8]
}

/// Gives a text that is in memory.
final class MemorySupply: TextSupply {
    private let source: LogSource
    private var rest: ArraySlice<UInt8>
    private var isTaken = false

    let passedOver = 0

    init(_ source: LogSource, bytes: [UInt8]) {
        self.source = source
        rest = bytes[...]
    }

    func nextText() throws(LogSourceError) -> LogTextName? {
        guard !isTaken else { return nil }
        isTaken = true
        return LogTextName(source)
    }

    func read(into buffer: inout [UInt8], from start: Int) throws(LogSourceError) -> Int {
        let count = min(rest.count, buffer.count - start)
        guard count > 0 else { return 0 }
        buffer.replaceSubrange(start..<start + count, with: rest.prefix(count))
        rest = rest.dropFirst(count)
        return count
    }
}
