import TextKit

@testable import ULSLog
@testable import ULSRows

/// A row as a test writes it, with its position in the text.
struct ModelRow: Equatable {
    var columns: [String]
    var server: String?
    var clock: Int64
    var isUTC: Bool
    var isMarked: Bool
    /// The columns that all rows of a message share, as written, including padding.
    var key: String
    var line = 0
    var lineEnd = 0

    var message: String { columns[7] }
}

/// The expected result of reading rows: a second implementation of the reader's rules, without bytes, units, threads or
/// limits.
struct ModelEvent: Equatable, CustomStringConvertible {
    var columns: [String]
    var server: String?
    var clock: Int64
    var isUTC: Bool
    /// Whether the time has a date; a row without one is not in any histogram.
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

    /// Joins rows whose messages begin and end with dots.
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

/// The counts of a summary in comparable form, from a ``LogSummary`` or from single events.
struct CountedSummary: Hashable {
    var records: Int
    var events: Int
    var levels: [String: Int]
    var areas: [String: Int]
    var categories: [String: Int]
    var eventIDs: [String: Int]
    /// The count, the first and the last clock reading, and the rank.
    var correlations: [String: [Int64]]
    var histogram: [Int64: Int]
    var abnormal: Int
    var quality: ReadQuality

    init(_ summary: LogSummary) {
        records = summary.records
        events = summary.events
        levels = Self.counts(summary.levels)
        areas = Self.counts(summary.areas)
        categories = Self.counts(summary.categories)
        eventIDs = Self.counts(summary.eventIDs)
        correlations = [:]
        for entry in summary.correlations {
            correlations[entry.id.description] = [
                Int64(entry.count), entry.firstTime.clock, entry.lastTime.clock, Int64(entry.worstLevel.rank),
            ]
        }
        histogram = [:]
        for (step, count) in summary.histogram.events.enumerated() where count > 0 {
            histogram[summary.histogram.start + Int64(step) * summary.histogram.step] = count
        }
        abnormal = summary.histogram.abnormal.reduce(0, +)
        quality = summary.quality
        quality.clockSteps = 0
    }

    init(_ events: [ModelEvent], _ log: GeneratedLog) {
        self.init(events, rows: log.rows.count, quality: log.quality)
    }

    init(_ events: [ModelEvent], rows: Int, quality: ReadQuality) {
        records = rows
        self.events = events.count
        levels = Self.counts(events.map { $0[.level] })
        areas = Self.counts(events.map { $0[.area] })
        categories = Self.counts(events.map { $0[.category] })
        eventIDs = Self.counts(events.map { $0[.eventID] })
        correlations = [:]
        histogram = [:]
        abnormal = 0
        for event in events {
            let rank = ULSLevel(event[.level]).rank
            if rank <= 3 { abnormal += 1 }
            histogram[event.clock.flooredQuotient(by: 60_000) * 60_000, default: 0] += 1
            guard !event[.correlation].isEmpty else { continue }
            var entry = correlations[event[.correlation]] ?? [0, event.clock, event.clock, Int64(rank)]
            entry[0] += 1
            entry[1] = min(entry[1], event.clock)
            entry[2] = max(entry[2], event.clock)
            entry[3] = min(entry[3], Int64(rank))
            correlations[event[.correlation]] = entry
        }
        self.quality = quality
        self.quality.parts = rows - events.count
        self.quality.orphans = events.count { $0.isOrphan }
    }

    /// Returns a description of the differences.
    func difference(from expected: CountedSummary) -> String? {
        guard self != expected else { return nil }
        for (name, found, wanted) in [
            ("records", "\(records) \(events)", "\(expected.records) \(expected.events)"),
            ("levels", "\(levels.sorted { $0 < $1 })", "\(expected.levels.sorted { $0 < $1 })"),
            ("areas", "\(areas.sorted { $0 < $1 })", "\(expected.areas.sorted { $0 < $1 })"),
            ("categories", "\(categories.sorted { $0 < $1 })", "\(expected.categories.sorted { $0 < $1 })"),
            ("event IDs", "\(eventIDs.sorted { $0 < $1 })", "\(expected.eventIDs.sorted { $0 < $1 })"),
            ("histogram", "\(histogram) \(abnormal)", "\(expected.histogram) \(expected.abnormal)"),
            ("quality", "\(quality)", "\(expected.quality)"),
        ] where found != wanted {
            return "summary's \(name): \(found), expected \(wanted)"
        }
        return "summary's correlations: \(correlations), expected \(expected.correlations)"
    }

    private static func counts(_ counts: [LogSummary.Count]) -> [String: Int] {
        Dictionary(counts.map { ($0.value, $0.count) }) { $0 + $1 }
    }

    private static func counts(_ values: [String]) -> [String: Int] {
        Dictionary(values.map { ($0, 1) }) { $0 + $1 }
    }
}
