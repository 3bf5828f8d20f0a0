import ULSLog

/// What was read of logs: what checks must know that say something was not there.
struct LogExtent: Sendable {
    /// Whether any logs were given, and a row of them was looked at.
    var isGiven: Bool
    /// Whether they have any row that was looked at: of none nothing can be said.
    var isEmpty = false
    /// Whether a filter has hidden rows: then what was not seen may be there.
    var hidesRows = false
    /// Whether all of them were read to their ends.
    var isComplete: Bool
    /// The instants of the first and the last row of each server.
    private var servers: [String?: ClosedRange<Int64>] = [:]
    var quality = ReadQuality()
    var gaps = 0

    /// No logs at all.
    static let none = LogExtent(isGiven: false, isComplete: false)
    /// While they are read.
    static let soFar = LogExtent(isGiven: true, isComplete: true)

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

    /// Whether rows so long before an event may have been cut off; of an event without a date, always.
    func mayBeCut(before time: LogTime, by milliseconds: Int64, of server: String?) -> Bool {
        guard time.hasDate, let span = servers[server] else { return true }
        return time.instant - milliseconds < span.lowerBound
    }

    /// Whether rows so long behind an event may not be written or given yet; of an event without a date, always.
    func mayBeCut(behind time: LogTime, by milliseconds: Int64, of server: String?) -> Bool {
        guard time.hasDate, let span = servers[server] else { return true }
        return time.instant + milliseconds > span.upperBound
    }
}
