/// Rows of scopes without a correlation that may be a request's first or last one.
///
/// The service writes the Entering row of a request before it has given it a correlation, and now and then the Leaving
/// row after it has taken it away. What thread they are of, and between which rows, is all there is to go by.
struct TraceCandidates {
    /// How many are looked at in each direction: rows beyond are not taken into a trace.
    static let maximum = 10_000
    /// Milliseconds from the request's Entering row to the row after it.
    static let longestWait: Int64 = 2000

    /// The last Entering row of nobody, of threads that have not worked for the request yet.
    private var openers: [TraceThread: (place: Int, row: TraceRow)] = [:]
    /// Threads that have worked for the request, and whether they still did when last seen.
    private var isWorking: [TraceThread: Bool] = [:]
    private var closers = 0

    /// Notes a row of the request; returns the row that may have begun it on this thread.
    mutating func noteOwn(_ row: TraceRow) -> (place: Int, row: TraceRow)? {
        isWorking[row.thread] = true
        return openers.removeValue(forKey: row.thread)
    }

    /// Looks at another row; returns whether it may be the last one of the request on its thread.
    mutating func look(at row: TraceRow, place: Int) -> Bool {
        if isWorking[row.thread] == nil {
            lookForOpener(row, place)
            return false
        }
        guard row.owner == .nobody, case .leaving? = row.kind else {
            // Whoever enters something else or has a correlation of its own works for another request.
            if row.owner == .another || row.kind == .entering { isWorking[row.thread] = false }
            return false
        }
        guard isWorking[row.thread] == true, row.name != nil, closers < Self.maximum else { return false }
        closers += 1
        return true
    }

    private mutating func lookForOpener(_ row: TraceRow, _ place: Int) {
        if row.owner == .nobody, row.kind == .entering {
            if openers.count >= Self.maximum { openers.removeAll() }
            openers[row.thread] = (place, row)
        } else if row.owner == .another || row.kind != nil && row.name == openers[row.thread]?.row.name {
            openers[row.thread] = nil
        }
    }
}
