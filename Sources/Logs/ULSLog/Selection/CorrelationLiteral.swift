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
