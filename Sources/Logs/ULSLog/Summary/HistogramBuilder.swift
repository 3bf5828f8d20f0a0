/// Counts events by time, in steps that become longer when there are too many of them.
struct HistogramBuilder {
    /// Steps of a histogram: finer than any screen.
    static let maximumSteps = 4096
    /// Different steps held while counting.
    private static let maximumHeld = 100_000

    private var step: Int64 = 60_000
    private var counts: [Int64: (events: Int, abnormal: Int)] = [:]

    mutating func add(_ minute: MinuteCount) {
        let number = (minute.number &* 60_000).flooredQuotient(by: step)
        counts[number, default: (0, 0)].events += minute.events
        counts[number, default: (0, 0)].abnormal += minute.abnormal
        if counts.count > Self.maximumHeld { coarsen() }
    }

    mutating func add(_ time: PackedTime, isAbnormal: Bool) {
        add(
            MinuteCount(
                number: time.instant.flooredQuotient(by: 60_000),
                events: 1,
                abnormal: isAbnormal ? 1 : 0
            )
        )
    }

    consuming func histogram() -> LogSummary.Histogram {
        var histogram = LogSummary.Histogram()
        while let first = counts.keys.min(), let last = counts.keys.max(), last - first >= Self.maximumSteps {
            coarsen()
        }
        guard let first = counts.keys.min(), let last = counts.keys.max() else { return histogram }
        histogram.start = first * step
        histogram.step = step
        for number in first...last {
            histogram.events.append(counts[number]?.events ?? 0)
            histogram.abnormal.append(counts[number]?.abnormal ?? 0)
        }
        return histogram
    }

    private mutating func coarsen() {
        step *= 2
        var coarser: [Int64: (events: Int, abnormal: Int)] = [:]
        for (number, count) in counts {
            let half = number.flooredQuotient(by: 2)
            coarser[half, default: (0, 0)].events += count.events
            coarser[half, default: (0, 0)].abnormal += count.abnormal
        }
        counts = coarser
    }
}
