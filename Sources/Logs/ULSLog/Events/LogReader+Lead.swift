extension LogReader {
    /// The first event of a request that is wanted, in the time before one that is known, its place set right.
    ///
    /// Only the part of a file that may hold it is read; where it is in the file follows from the place of the known one.
    ///
    /// - Parameters:
    ///   - correlation: the request.
    ///   - time: that of the known event; one without a date does not bound anything.
    ///   - milliseconds: how long before it to begin.
    ///   - place: that of the known event.
    ///   - isKnown: whether an event is the known one, before which the wanted one must be.
    ///   - isWanted: whether it is one that is wanted.
    /// - Returns: `nil` if there is none before the known one.
    /// - Throws: What reading does.
    public func firstEvent(
        of correlation: CorrelationID,
        before time: LogTime,
        by milliseconds: Int64,
        at place: ULSEvent.Place,
        isKnown: (borrowing ULSEvent) -> Bool,
        isWanted: (borrowing ULSEvent) -> Bool
    ) throws -> ULSEvent? {
        var reader = self
        reader.filter = EventFilter()
        reader.filter.correlations = [CorrelationPattern(correlation)]
        if window.isAll, time.hasDate { reader.window = TimeWindow(before: time, by: milliseconds) }
        var selection = reader.selection
        selection.countsSkippedLines = false
        var wanted: ULSEvent?
        var known: ULSEvent.Place?
        do {
            _ = try reader.forEachEvent(in: .time, of: selection, EventAsides()) { event in
                if event.place.file == place.file, isKnown(event) {
                    known = event.place
                    throw Found()
                }
                if wanted == nil, isWanted(event) { wanted = copy event }
            }
        } catch is Found {}
        guard var wanted, let known, wanted.place.file == place.file else { return nil }
        wanted.place.line += place.line - known.line
        wanted.place.lineEnd += place.line - known.line
        return wanted
    }

    /// What was looked for is found.
    private struct Found: Error {}
}
