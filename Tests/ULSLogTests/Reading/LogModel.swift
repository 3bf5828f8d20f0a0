@testable import ULSLog

/// A row as a test writes it, and where it lands.
struct ModelRow: Equatable {
    var columns: [String]
    var server: String?
    var clock: Int64
    var isUTC: Bool
    var isMarked: Bool
    /// What rows of one message share, as written: padding included.
    var key: String
    var line = 0
    var lineEnd = 0

    var message: String { columns[7] }
}

/// What must come of rows: the reader's rules again, without bytes, units, threads or limits.
struct ModelEvent: Equatable, CustomStringConvertible {
    var columns: [String]
    var server: String?
    var clock: Int64
    var isUTC: Bool
    /// Whether the time has a date: what has none is in no histogram.
    var hasDate = true
    var isOrphan: Bool
    var parts = 1
    var file: String
    var line: Int
    var lineEnd: Int

    init(_ row: ModelRow, file: String) {
        columns = row.columns
        server = row.server
        clock = row.clock
        isUTC = row.isUTC
        isOrphan = false
        self.file = file
        line = row.line
        lineEnd = row.lineEnd
    }

    init(_ event: borrowing ULSEvent) {
        columns = ULSEvent.Column.allCases.map { [event = copy event] in event.text($0) }
        server = event.server
        clock = event.time.clock
        isUTC = event.isUTCLayout
        hasDate = event.time.quality != .none && event.time.quality != .timeOnly
        isOrphan = event.isOrphan
        parts = event.parts
        file = event.place.file
        line = event.place.line
        lineEnd = event.place.lineEnd
    }

    subscript(column: ULSEvent.Column) -> String { columns[column.rawValue] }

    var description: String { "\(file):\(line)-\(lineEnd) ×\(parts) \(server ?? "-") \(clock) \(columns)" }

    /// Joins rows by the dots at their messages' ends.
    static func join(_ rows: [ModelRow], file: String) -> [ModelEvent] {
        var events: [ModelEvent] = []
        var open: [String: Int] = [:]
        for row in rows {
            var event = ModelEvent(row, file: file)
            let message = row.message
            let isPart = message.hasPrefix("...") && message.utf8.count > 3
            let hasMore = message.hasSuffix("...") && message.utf8.count > (isPart ? 5 : 3)
            if isPart, let index = open[row.key] {
                events[index].columns[7] = String(events[index].columns[7].dropLast(3)) + message.dropFirst(3)
                events[index].parts += 1
                events[index].lineEnd = row.lineEnd
                if !hasMore { open[row.key] = nil }
                continue
            }
            event.isOrphan = isPart && row.isMarked
            events.append(event)
            if hasMore { open[row.key] = events.count - 1 }
        }
        return events
    }
}
