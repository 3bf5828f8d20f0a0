/// The digits of a wanted correlation, as rows write them: text in which they do not stand need not be parsed.
struct CorrelationLiteral: Sendable {
    private let needle: TextNeedle

    /// `nil` unless there is exactly one correlation to look for.
    init?(_ filter: EventFilter) {
        guard filter.correlations.count == 1, let pattern = filter.correlations.first else { return nil }
        var text = pattern.description
        if text.hasSuffix("…") { text.removeLast() }
        while text.hasSuffix("-") { text.removeLast() }
        needle = TextNeedle(text)
    }

    /// How much of the beginning of a window can be passed over, which ends where a row begins, and how many lines that is.
    func passOver(_ window: borrowing ByteWindow, length: Int) -> (offset: Int, lines: Int) {
        let hit = needle.firstIndex(in: window, from: 0, to: length) ?? length
        // The record that holds it, or may hold it when more was read, begins at a row above.
        var rows = RowStartReader()
        var end = hit
        while end > 0 {
            var start = end - 1
            while start > 0, window[start - 1] != 0x0A { start -= 1 }
            if start == 0 { return (0, 0) }
            if rows.read(window, at: start, end: length) != nil { return (start, window.lineEnds(in: 0..<start)) }
            end = start
        }
        return (0, 0)
    }
}

extension ByteWindow {
    /// How many line ends a range holds.
    func lineEnds(in range: Range<Int>) -> Int {
        var count = 0
        var offset = range.lowerBound
        let lineEnd = SIMD16<UInt8>(repeating: 0x0A)
        while offset &+ 16 <= range.upperBound {
            // A byte counts to 255 at most.
            var sums = SIMD16<UInt8>()
            let stop = Swift.min(range.upperBound &- 15, offset &+ 255 &* 16)
            while offset < stop {
                sums &+= SIMD16<UInt8>().replacing(with: 1, where: vector(offset) .== lineEnd)
                offset &+= 16
            }
            for index in 0..<16 { count &+= Int(sums[index]) }
        }
        while offset < range.upperBound {
            if self[offset] == 0x0A { count &+= 1 }
            offset &+= 1
        }
        return count
    }
}
