import ULSLog

/// Tells which events belong to one request, where rows have no correlation too.
struct RequestGroups {
    private struct ThreadKey: Hashable {
        var server: String?
        var process: String
        var processID: String
        var thread: String
    }

    /// Milliseconds between two rows of a request on one thread.
    private static let distance: Int64 = 60_000
    /// Threads that are remembered.
    private static let maximum = 10_000

    private var threads: [ThreadKey: (number: Int, last: Int64)] = [:]
    private var count = 0

    /// The groups of the next event, which has this number.
    mutating func groups(of event: borrowing ULSEvent, number: Int) -> EventGroups {
        let server = GroupKey.server(event.server ?? "")
        if let id = event.correlationID {
            return EventGroups(correlation: .correlation(id), request: .correlation(id), server: server)
        }
        return EventGroups(correlation: .alone(number), request: request(of: event), server: server)
    }

    private mutating func request(of event: borrowing ULSEvent) -> GroupKey {
        let thread = event.text(.threadID)
        guard !thread.isEmpty else { return .paste(event.place.file) }
        let key = ThreadKey(
            server: event.server,
            process: event.text(.process),
            processID: event.text(.processID),
            thread: thread
        )
        let instant = event.time.instant
        if let known = threads[key], !event.time.hasDate || abs(instant - known.last) <= Self.distance {
            threads[key]?.last = instant
            return .thread(known.number)
        }
        if threads.count >= Self.maximum { threads = threads.filter { instant - $0.value.last <= Self.distance } }
        if threads.count >= Self.maximum { threads.removeAll() }
        count += 1
        threads[key] = (count, instant)
        return .thread(count)
    }
}
