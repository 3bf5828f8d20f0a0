/// The digits of a wanted correlation, as rows write them: text in which they do not stand need not be parsed.
struct CorrelationLiteral: Sendable {
    private let needle: TextNeedle
    /// For a whole GUID.
    private let guid: GUIDSearch?

    /// `nil` unless there is exactly one correlation to look for.
    init?(_ filter: EventFilter) {
        guard filter.correlations.count == 1, let pattern = filter.correlations.first else { return nil }
        var text = pattern.description
        if text.hasSuffix("…") { text.removeLast() }
        while text.hasSuffix("-") { text.removeLast() }
        needle = TextNeedle(text)
        guid = GUIDSearch(text)
    }

    /// How much of the beginning of a window can be passed over, which ends where a row begins, and how many lines that is.
    func passOver(_ window: borrowing ByteWindow, length: Int) -> (offset: Int, lines: Int) {
        let search = guid?.first(in: window, to: length) ?? first(in: window, to: length)
        let hit = search.index ?? length
        // The record that holds it, or may hold it when more was read, begins at a row above.
        var rows = RowStartReader()
        var end = hit
        while end > 0 {
            var start = end - 1
            while start > 0, window[start - 1] != 0x0A { start -= 1 }
            if start == 0 { return (0, 0) }
            if rows.read(window, at: start, end: length) != nil {
                return (start, search.lineEnds(before: start, in: window))
            }
            end = start
        }
        return (0, 0)
    }

    /// Likewise the first digits of one, which may be too short for that.
    private func first(in window: borrowing ByteWindow, to length: Int) -> GUIDSearch.Result {
        GUIDSearch.Result(index: needle.firstIndex(in: window, from: 0, to: length), lineEnds: 0, offset: 0)
    }
}

extension GUIDSearch.Result {
    /// How many line ends stand before a place.
    fileprivate func lineEnds(before place: Int, in window: borrowing ByteWindow) -> Int {
        place < offset
            ? lineEnds - window.lineEnds(in: place..<offset) : lineEnds + window.lineEnds(in: offset..<place)
    }
}
