import ULSLog

/// Events by time as a row of bars, with what a bar is, the peak and its time in words.
struct HistogramFigure {
    private let histogram: LogSummary.Histogram
    private let summary: LogSummary
    private let layout: TextLayout

    init(_ summary: LogSummary, _ layout: TextLayout) {
        self.summary = summary
        self.layout = layout
        let columns = min(Self.maximumColumns, (layout.width ?? 80) - Self.labelColumns)
        histogram = summary.histogram.merged(atMost: max(8, columns))
    }

    /// Appends the figure; nothing where there is no time or all is in one step.
    func append(to bytes: inout [UInt8]) {
        guard histogram.events.count > 1, let peak = histogram.peak(of: \.events) else { return }
        appendRow(histogram.events, titled: "events", .plain, to: &bytes)
        let abnormal = histogram.peak(of: \.abnormal)
        if abnormal != nil { appendRow(histogram.abnormal, titled: "problems", .boldYellow, to: &bytes) }
        bytes.append(text: "one bar is \(MeasuredTime(milliseconds: histogram.step)); most events, ")
        bytes.append(text: "\(GroupedNumber(peak.count)), at \(time(of: peak))")
        if let abnormal {
            bytes.append(
                text: "; most at Monitorable or worse, \(GroupedNumber(abnormal.count)), at \(time(of: abnormal))"
            )
        }
        bytes.append(0x0A)
    }

    private func appendRow(
        _ counts: [Int],
        titled title: String,
        _ style: TerminalStyle,
        to bytes: inout [UInt8]
    ) {
        bytes.append(padded: title, to: 8)
        bytes.append(text: "  \(time(atStep: 0).minute ?? "-") ")
        bytes.append(style, layout) { $0.append(text: bars(counts)) }
        bytes.append(text: " \(time(atStep: counts.count).minute ?? "-")\n")
    }

    private func bars(_ counts: [Int]) -> String {
        let signs = layout.isUnicode ? Self.blocks : Self.plainSigns
        let most = max(1, counts.max() ?? 1)
        var text = ""
        for count in counts {
            // Nothing at all is a blank: a pause must not look like a trickle.
            let height = (Double(count) / Double(most) * Double(signs.count)).rounded(.up)
            text.append(count <= 0 ? " " : signs[min(signs.count, max(1, Int(height))) - 1])
        }
        return text
    }

    private func time(of peak: LogSummary.Histogram.Peak) -> String {
        let time = time(atStep: peak.step)
        let minute = time.minute ?? "-"
        // Over more than a day a time of day means nothing.
        let (first, last) = (self.time(atStep: 0), self.time(atStep: histogram.events.count))
        guard let date = time.isoDate, first.isoDate != last.isoDate else { return minute }
        return "\(date) \(minute)"
    }

    private func time(atStep step: Int) -> LogTime {
        let (offset, isFar) = histogram.step.multipliedReportingOverflow(by: Int64(step))
        let (clock, isBeyond) = histogram.start.addingReportingOverflow(offset)
        return summary.time(atInstant: isFar || isBeyond ? histogram.start : clock)
    }

    private static let blocks = Array("▁▂▃▄▅▆▇█")
    private static let plainSigns = Array(".:-=+*#@")
    private static let maximumColumns = 80
    /// The title and the times at both ends.
    private static let labelColumns = 24
}

extension LogSummary.Histogram {
    /// The step with the most events.
    struct Peak {
        var step: Int
        var count: Int
    }

    /// The highest step; `nil` when all are empty.
    func peak(of counts: KeyPath<Self, [Int]>) -> Peak? {
        var peak: Peak?
        for (step, count) in self[keyPath: counts].enumerated() where count > peak?.count ?? 0 {
            peak = Peak(step: step, count: count)
        }
        return peak
    }

    /// The same in so few steps that they fit, several of the old to each of the new.
    func merged(atMost maximum: Int) -> Self {
        let factor = (events.count + maximum - 1) / max(1, maximum)
        guard factor > 1 else { return self }
        let (longer, overflow) = step.multipliedReportingOverflow(by: Int64(factor))
        guard !overflow else { return self }
        var merged = self
        merged.step = longer
        merged.events = Self.sums(of: events, factor)
        merged.abnormal = Self.sums(of: abnormal, factor)
        return merged
    }

    private static func sums(of counts: [Int], _ factor: Int) -> [Int] {
        stride(from: 0, to: counts.count, by: factor).map { start in
            counts[start..<min(start + factor, counts.count)].reduce(0, &+)
        }
    }
}
