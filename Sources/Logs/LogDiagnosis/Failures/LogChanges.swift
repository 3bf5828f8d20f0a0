public import ULSLog

/// An unusual fact about a log as a whole, as opposed to rows that show a problem.
public struct LogChange: Sendable, Hashable {
    /// The kinds of changes.
    public enum Kind: String, Sendable, Hashable {
        /// A server, process or category that wrote continuously stops before the end.
        case silence
        /// Rows of one kind fill most of the log.
        case flood
        /// A request or job begins, but no row shows its end.
        case unended
    }

    /// The kind of the change.
    public var kind: Kind
    /// The server on which the change occurred; `nil` if it concerns all servers.
    public var server: String?
    /// The time at which the change begins.
    public var time: LogTime
    /// The change in words.
    public var text: String

    /// Creates a change.
    public init(_ kind: Kind, server: String? = nil, at time: LogTime, _ text: String) {
        self.kind = kind
        self.server = server
        self.time = time
        self.text = text
    }
}

/// Finds sources that stopped writing, and kinds of rows that fill the log.
struct LogChanges {
    private let activity: LogActivity
    /// The end of each server's rows.
    let ends: [String?: LogTime]
    private let end: LogTime?

    /// The minimum silence that is reported, in milliseconds, and its minimum ratio to the longest previous pause.
    private static let leastSilence: Int64 = 900_000
    private static let pauses: Int64 = 4
    /// The minimum number of five-minute bins over which a source must have written, and the percentage with rows.
    private static let leastBins = 6
    private static let regularity = 80
    /// The time within which another process of the same name takes over, in milliseconds.
    private static let handover: Int64 = 600_000
    private static let maximum = 5
    /// The minimum number of rows in a flood, their percentage of all rows, and their ratio to the previous rate.
    private static let leastFlood = 1000
    private static let floodShare = 50
    private static let floodFactor = 4.0

    init(_ activity: LogActivity) {
        self.activity = activity
        var ends: [String?: LogTime] = [:]
        for (writer, series) in activity.writers {
            let last = series.lastTime
            if ends[writer.server].map({ $0.instant < last.instant }) ?? true { ends[writer.server] = last }
        }
        self.ends = ends
        end = ends.values.max { $0.instant < $1.instant }
    }

    /// All changes, sorted by kind and time; empty if some rows were not counted.
    var all: [LogChange] {
        guard !activity.isIncomplete else { return [] }
        let servers = silentServers
        let processes = silentProcesses(besides: Set(servers.map(\.server)))
        let categories = servers.isEmpty && processes.isEmpty ? silentCategories : []
        return servers + processes + categories + floods
    }

    private var silentServers: [LogChange] {
        guard let end, ends.count > 1 else { return [] }
        var changes: [LogChange] = []
        for (server, last) in ends {
            guard let server else { continue }
            var series = ActivityBins()
            for (writer, own) in activity.writers where writer.server == server { series.add(own) }
            guard series.isRegular, end.instant - last.instant >= series.leastSilence else { continue }
            let text =
                "\(server) wrote nothing after \(last.words(beside: end)), while others continued until "
                + "\(end.words(beside: last)); none of the files that were read has later rows from it"
            changes.append(LogChange(.silence, server: server, at: last, text))
        }
        return Self.first(changes)
    }

    private func silentProcesses(besides silent: Set<String?>) -> [LogChange] {
        var changes: [LogChange] = []
        for (writer, series) in activity.writers where !silent.contains(writer.server) {
            guard let end = ends[writer.server] else { continue }
            let last = series.lastTime
            var bins = ActivityBins()
            bins.add(series)
            guard bins.isRegular, end.instant - last.instant >= bins.leastSilence else { continue }
            let isReplaced = activity.writers.contains { other, its in
                other.server == writer.server && other.name == writer.name
                    && its.lastTime.instant > last.instant
                    && its.firstTime.instant >= last.instant - Self.handover
            }
            if isReplaced { continue }
            let place = writer.server.map { " on \($0)" } ?? ""
            let text =
                "\(writer.process)\(place) wrote nothing after \(last.words(beside: end)), while others continued until "
                + end.words(beside: last)
            changes.append(LogChange(.silence, server: writer.server, at: last, text))
        }
        return Self.first(changes)
    }

    private var silentCategories: [LogChange] {
        guard let end else { return [] }
        var categories: [String: (bins: ActivityBins, last: LogTime)] = [:]
        for (kind, series) in activity.kinds where !kind.category.isEmpty {
            var known = categories[kind.category] ?? (ActivityBins(), series.lastTime)
            known.bins.add(series)
            if known.last.instant < series.lastTime.instant { known.last = series.lastTime }
            categories[kind.category] = known
        }
        let changes = categories.compactMap { category, known -> LogChange? in
            let last = known.last
            // A category covers only part of the work, so it pauses more often than a process.
            guard known.bins.isRegular, end.instant - last.instant >= 2 * known.bins.leastSilence else { return nil }
            let text =
                "the category \(category) wrote nothing after \(last.words(beside: end)), while others continued until "
                + end.words(beside: last)
            return LogChange(.silence, at: last, text)
        }
        return Self.first(changes)
    }

    /// Returns the earliest changes, up to the number that is reported.
    private static func first(_ changes: [LogChange]) -> [LogChange] {
        let sorted = changes.sorted { ($0.time.instant, $0.text) < ($1.time.instant, $1.text) }
        return Array(sorted.prefix(maximum))
    }

    /// The numbers of rows in bins.
    private struct ActivityBins {
        private(set) var bins: Set<Int32> = []

        mutating func add(_ series: ActivitySeries) { bins.formUnion(series.bins.keys) }

        private var length: Int { Int((bins.max() ?? 0) - (bins.min() ?? 0)) + 1 }

        /// Whether nearly all bins have rows.
        var isRegular: Bool { length >= leastBins && bins.count * 100 >= length * regularity }

        /// The minimum number of milliseconds for a silence to be longer than a pause.
        var leastSilence: Int64 {
            let sorted = bins.sorted()
            let pause = zip(sorted, sorted.dropFirst()).map { Int64($1 - $0) }.max() ?? 1
            return max(LogChanges.leastSilence, pauses * pause * ActivitySeries.binLength)
        }
    }

    /// The kinds that fill most of the log from a certain time on, but not before.
    private var floods: [LogChange] {
        var totals: [Int32: Int] = [:]
        for series in activity.kinds.values {
            for (bin, count) in series.bins { totals[bin, default: 0] += count }
        }
        guard let firstBin = totals.keys.min() else { return [] }
        let changes = activity.kinds.compactMap { kind, series -> LogChange? in
            let filled = series.bins.filter { $0.value * 100 >= (totals[$0.key] ?? 0) * Self.floodShare }.keys
            guard let start = filled.min(), let end = filled.max(), Int(start) - Int(firstBin) >= 4 else { return nil }
            let rows = series.bins.filter { start...end ~= $0.key }.values.reduce(0, +)
            let all = totals.filter { start...end ~= $0.key }.values.reduce(0, +)
            let before = series.bins.filter { $0.key < start }.values.reduce(0, +)
            let usual = Double(before) / Double(start - firstBin)
            let rate = Double(rows) / Double(end - start + 1)
            guard rows >= Self.leastFlood, rows * 100 >= all * Self.floodShare, rate >= Self.floodFactor * usual else {
                return nil
            }
            let first = Self.time(of: start, like: series.firstTime)
            let last = Self.time(of: end + 1, like: series.firstTime)
            let times = usual < 0.05 ? "hardly any before" : "\(Int(rate / usual)) times the previous rate"
            let name = kind.eventID + (kind.category.isEmpty ? "" : " (\(kind.category))")
            let text =
                "\(name) fills \(rows * 100 / max(1, all))% of the log from \(first.words(beside: last)) to "
                + "\(last.words(beside: first)): \(Int(rate)) rows in 5 min, \(times)"
            return LogChange(.flood, at: first, text)
        }
        return Self.first(changes)
    }

    private static func time(of bin: Int32, like time: LogTime) -> LogTime {
        LogTime(
            clock: Int64(bin) * ActivitySeries.binLength + Int64(time.offset) * 1000,
            offset: time.offset,
            quality: time.quality
        )
    }
}

extension LogTime {
    /// Returns the time to the minute, with the date if it differs from that of the other time.
    func words(beside other: LogTime) -> String {
        let isSameDay = clock / 86_400_000 == other.clock / 86_400_000
        return (isSameDay ? minute : isoDate) ?? "an unknown time"
    }
}

// MARK: - Extent

/// The extent of the logs that were read, which checks need before they report something as absent.
struct LogExtent: Sendable {
    /// Whether any logs were given and at least one of their rows was examined.
    var isGiven: Bool
    /// Whether no row of the logs was examined, so that there are no facts about them.
    var isEmpty = false
    /// Whether a filter has hidden rows, which may contain the missing items.
    var hidesRows = false
    /// Whether all logs were read to their ends.
    var isComplete: Bool
    /// The instants of the first and the last row of each server.
    private var servers: [String?: ClosedRange<Int64>] = [:]
    var quality = ReadQuality()
    var gaps = 0

    /// The instants of the first and the last row of all servers; `nil` if they are not known.
    var whole: ClosedRange<Int64>? {
        guard let first = servers.values.map(\.lowerBound).min(), let last = servers.values.map(\.upperBound).max()
        else {
            return nil
        }
        return first...last
    }

    /// The number of servers that rows or files name.
    var namedServers: Int { serverNames.count }

    /// The servers that rows or files name, sorted.
    var serverNames: [String] { servers.keys.compactMap(\.self).sorted() }

    /// The extent if no logs were given.
    static let none = LogExtent(isGiven: false, isComplete: false)
    /// The extent while logs are being read.
    static let soFar = LogExtent(isGiven: true, isComplete: true)
    /// The extent of logs whose rest has not been read, so absence shows nothing.
    static let unfinished = LogExtent(isGiven: true, isComplete: false)

    private init(isGiven: Bool, isComplete: Bool) {
        self.isGiven = isGiven
        self.isComplete = isComplete
    }

    init(_ report: ReadReport) {
        isEmpty = report.lookedAt == 0
        isGiven = !isEmpty
        isComplete = !report.files.contains { $0.isIncomplete }
        for span in report.servers where span.firstTime.hasDate && span.lastTime.hasDate {
            let (first, last) = (span.firstTime.instant, span.lastTime.instant)
            servers[span.server] = min(first, last)...max(first, last)
        }
        quality = report.quality
        gaps = report.gaps.count
    }

    /// Returns whether rows from this span before an event may be missing; always true for an event without a date.
    func mayBeCut(before time: LogTime, by milliseconds: Int64, of server: String?) -> Bool {
        guard time.hasDate, let span = servers[server] else { return true }
        return time.instant - milliseconds < span.lowerBound
    }

    /// Returns whether rows from this span of time after an event may not have been written or read yet; always true
    /// for an event without a date.
    func mayBeCut(behind time: LogTime, by milliseconds: Int64, of server: String?) -> Bool {
        guard time.hasDate, let span = servers[server] else { return true }
        return time.instant + milliseconds > span.upperBound
    }
}
