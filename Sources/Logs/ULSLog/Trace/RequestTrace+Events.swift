extension RequestTrace {
    /// A trace of these events, with all that they say by themselves.
    ///
    /// `duration` is what the request's Leaving row says, in microseconds.
    init(correlation: String, name: String?, events: [ULSEvent], roots: [Node], duration: Int64?) {
        self.correlation = correlation
        self.name = name
        self.events = events
        self.roots = roots
        var seen: Set<String> = []
        servers = events.compactMap(\.server).filter { seen.insert($0).inserted }
        gaps = Self.gaps(between: events)
        firstAbnormal = events.firstIndex { $0.level.isAbnormal }
        firstNotable = firstAbnormal ?? events.firstIndex(where: Self.isNotable)
        self.duration = duration ?? Self.duration(of: events)
    }

    private static func gaps(between events: [ULSEvent]) -> [Gap] {
        var gaps: [Gap] = []
        var last: Int64?
        for (index, event) in events.enumerated() {
            guard let time = event.time.microseconds else { continue }
            if let last {
                let (silence, isTooGreat) = time.subtractingReportingOverflow(last)
                if !isTooGreat, silence >= gapMinimum * 1000 {
                    gaps.append(Gap(before: index, milliseconds: silence / 1000))
                }
            }
            last = time
        }
        return gaps
    }

    /// From the first to the last event, in microseconds.
    private static func duration(of events: [ULSEvent]) -> Int64? {
        let times = events.lazy.compactMap(\.time.microseconds)
        guard let first = times.first, let last = times.last else { return nil }
        let (duration, isTooGreat) = last.subtractingReportingOverflow(first)
        return isTooGreat ? nil : max(0, duration)
    }

    /// Whether a person would read it first in a request without anything worse.
    private static func isNotable(_ event: ULSEvent) -> Bool {
        event.level.rank <= 5 && ScopeMessage.parse(event[.message]) == nil
    }
}
