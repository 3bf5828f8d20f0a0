/// Which times were read of a server's logs.
///
/// All rows that were looked at count, whether they are wanted or not. What a window lets pass over unread does not count:
/// files outside of it by their names, and parts of large files that lie before or behind it.
public struct ServerSpan: Sendable, Hashable {
    /// `nil` for rows of which nobody says the server.
    public var server: String?
    /// The oldest time; ``LogTime/none`` where no row says one.
    public var firstTime: LogTime
    /// The newest.
    public var lastTime: LogTime
    /// How often the clock was set back by more than two seconds.
    public var clockSteps: Int

    public init(server: String?, firstTime: LogTime, lastTime: LogTime, clockSteps: Int = 0) {
        self.server = server
        self.firstTime = firstTime
        self.lastTime = lastTime
        self.clockSteps = clockSteps
    }
}

/// The times of the rows of each server, put together from units.
struct ServerTimes: Sendable {
    /// In no order; a server's place is its number.
    private(set) var spans: [(server: String?, times: TimeSpan)] = []
    private var numbers: [String?: Int] = [:]

    /// Adds the times of a server's rows; those of a server beyond ``LogLimit/processes`` are not told.
    mutating func add(_ times: TimeSpan, server: String?) {
        if let number = numbers[server] {
            spans[number].times.add(times)
        } else if spans.count <= LogLimit.processes.maximum {
            numbers[server] = spans.count
            spans.append((server, times))
        }
    }

    /// The spans by name, with the steps of clocks.
    func list(_ activity: [ServerActivity]) -> [ServerSpan] {
        var steps: [String?: Int] = [:]
        for activity in activity { steps[activity.server, default: 0] += activity.steps }
        return spans.map { server, times in
            ServerSpan(
                server: server,
                firstTime: times.first?.time ?? .none,
                lastTime: times.last?.time ?? .none,
                clockSteps: steps[server] ?? 0
            )
        }
        .sorted { ($0.server ?? "") < ($1.server ?? "") }
    }
}

extension [ServerActivity] {
    /// All gaps that were kept, by time: as many as may be listed.
    var gaps: [LogSummary.Gap] {
        flatMap { activity in activity.gaps.map { (activity.server, $0.from, $0.until) } }
            .sorted { ($0.1, $0.0 ?? "") < ($1.1, $1.0 ?? "") }
            .prefix(LogLimit.gaps.maximum)
            .map { LogSummary.Gap(server: $0.0, from: $0.1.time, until: $0.2.time) }
    }
}

extension ServerSpan {
    /// As much of it as a window has; one of times of day does not clip.
    func clipped(to window: TimeWindow) -> ServerSpan {
        var span = self
        if let lower = window.lower, let missing = lower.distance(from: firstTime), missing > 0 {
            span.firstTime.clock += missing
        }
        if let upper = window.upper, let missing = upper.distance(from: lastTime), missing < 0 {
            span.lastTime.clock += missing
        }
        return span
    }
}

extension TimeWindow.Bound {
    /// How much later than a row the bound is, in milliseconds.
    fileprivate func distance(from time: LogTime) -> Int64? {
        guard time.hasDate else { return nil }
        return switch scale {
        case .clock: value - time.clock
        case .instant: value - time.instant
        case .timeOfDay: nil
        }
    }
}
