import ULSLog

/// A log over time as charts: problems and all rows, for all servers together and for each.
struct TimelineCharts {
    /// Something that happened, with a number on the charts and words beneath them.
    struct Mark {
        var time: LogTime
        var server: String?
        var words: Phrase
    }

    private let timeline: LogTimeline
    private let marks: [Mark]
    /// What is counted: `rows`, `events`.
    private let noun: Noun

    /// A word for one and for several.
    struct Noun {
        var one: String
        var several: String

        static let row = Noun(one: "row", several: "rows")
        static let event = Noun(one: "event", several: "events")
        fileprivate static let problem = Noun(one: "problem", several: "problems")

        func quantity(_ count: Int) -> Quantity { Quantity(grouped: count, one, several) }
    }

    /// The most servers with charts of their own, and the most marks.
    private static let maximumLanes = 16
    private static let maximumMarks = 20

    /// Creates charts; marks must be given by importance, because only so many have room.
    init(_ timeline: LogTimeline, noun: Noun, marks: [Mark] = []) {
        self.timeline = timeline
        self.noun = noun
        let dated = marks.filter { $0.time.hasDate }
        self.marks = dated.prefix(Self.maximumMarks).enumerated()
            .sorted { ($0.element.time.instant, $0.offset) < ($1.element.time.instant, $1.offset) }.map(\.element)
    }

    func write(to page: inout HTMLWriter) {
        guard let count = timeline.lanes.first?.steps.count, count > 0 else {
            return page.paragraph("No row has a date, so there is nothing to draw.")
        }
        var all = LogTimeline.Lane(server: nil, steps: Array(repeating: LevelCounts(), count: count))
        for lane in timeline.lanes { for step in 0..<count { all.steps[step] += lane.steps[step] } }
        write(all, nil, isWhole: true, to: &page)
        writeMarks(to: &page)
        guard timeline.lanes.count > 1, count > 1 else { return }
        // Servers with the most problems come first.
        let lanes = timeline.lanes.enumerated().sorted { one, two in
            let (first, second) = (one.element.total, two.element.total)
            let (problems, others) = (first.count(of: Self.problems), second.count(of: Self.problems))
            return problems != others ? problems > others : one.offset < two.offset
        }
        let left = page.items(lanes, maximum: Self.maximumLanes) { page, lane in
            let server: Phrase = lane.element.server.map { "\(untrusted: $0)" } ?? "Unknown server"
            page.section(page.identifier("server")) {
                $0.text(server)
            } _: { page in
                write(lane.element, lane.element.server, isWhole: false, to: &page)
            }
        }
        page.rest(left, "server", "servers", command: "fastctl logs summary --server NAME -o html")
        if timeline.hasFoldedServers {
            page.paragraph("There are more servers than are told apart; the others are under “Unknown server”.")
        }
    }

    private func write(_ lane: LogTimeline.Lane, _ server: String?, isWhole: Bool, to page: inout HTMLWriter) {
        let (total, isOneStep) = (lane.total, lane.steps.count == 1)
        if isOneStep {
            let all = noun.quantity(total.total)
            let verb = total.total == 1 ? "is" : "are"
            return page.paragraph("\(all) with a date \(verb) within \(length), from \(name(ofStep: 0)) on.")
        }
        let marks = self.marks.enumerated().filter {
            isWhole || $0.element.server == nil || $0.element.server == server
        }
        .compactMap { mark(number: $0.offset + 1, $0.element) }
        if total.count(of: Self.problems) > 0 {
            var chart = chart(of: lane, Self.problemSeries, .problem)
            chart.marks = marks
            page.chart(chart)
        } else {
            page.paragraph("None of these \(noun.several) is at Monitorable or worse.")
        }
        var chart = chart(of: lane, Self.allSeries, noun)
        chart.marks = marks
        if isWhole {
            page.chart(chart)
        } else {
            page.details("All \(noun.several) of this server") { $0.chart(chart) }
        }
    }

    private func chart(of lane: LogTimeline.Lane, _ series: [LevelSeries], _ what: Noun) -> BarChart {
        let used = series.filter { lane.total.count(of: $0.ranks) > 0 }
        let bars = lane.steps.enumerated().map { number, counts in
            BarChart.Bar(name: name(ofStep: number), values: used.map { counts.count(of: $0.ranks) })
        }
        let all = what.quantity(bars.reduce(0) { $0 + $1.total })
        let peak = bars.max { $0.total < $1.total }
        let most = Quantity(grouped: peak?.total ?? 0)
        let last = lane.steps.count
        let ticks = Set([0, last / 4, last / 2, last * 3 / 4, last]).sorted().map { step in
            BarChart.Tick(name: name(ofStep: step), place: step * 10_000 / last, isMinor: step > 0 && step < last)
        }
        return BarChart(
            finding: "\(all), at most \(most) in \(length) (from \(peak?.name ?? "-") on)",
            axes:
                """
                A bar for each \(length) from \(name(ofStep: 0)) to \(name(ofStep: last)); its height is the number of \
                \(what.several).
                """,
            series: used.map { BarChart.Series(name: $0.name, style: $0.style, fill: $0.fill) },
            bars: bars,
            ticks: ticks,
            barTitle: "From",
            totalTitle: "All"
        )
    }

    private func writeMarks(to page: inout HTMLWriter) {
        guard !marks.isEmpty else { return }
        page.paragraph("Marked in the charts:", class: "remark")
        page.element("ol", ["class": "marks"]) { page in
            for mark in marks {
                page.element("li") { page in
                    if let time = mark.time.iso8601 { page.text("\(time) ") }
                    if let server = mark.server {
                        page.text(untrusted: server)
                        page.text(" ")
                    }
                    page.text(mark.words)
                }
            }
        }
        page.lineEnd()
    }

    private func mark(number: Int, _ mark: Mark) -> BarChart.Mark? {
        let span = timeline.step * Int64(timeline.lanes[0].steps.count)
        let distance = mark.time.instant - timeline.start.instant
        guard span > 0, 0...span ~= distance else { return nil }
        return BarChart.Mark(number: number, place: Int(Double(distance) / Double(span) * 10_000))
    }

    /// `5 s`, `15 min`.
    private var length: String {
        timeline.step % 86_400_000 == 0
            ? "\(Quantity(Int(timeline.step / 86_400_000), "day", "days"))"
            : "\(ShortDuration(chosen: .milliseconds(timeline.step)))"
    }

    /// When a step begins, as precisely as steps are long, with the date if there are several.
    private func name(ofStep number: Int) -> String {
        let time = timeline.time(ofStep: number)
        let (first, last) = (timeline.start, timeline.time(ofStep: timeline.lanes[0].steps.count - 1))
        guard timeline.step < 86_400_000 else { return time.isoDate ?? "-" }
        var clock = time.minute ?? "-"
        if timeline.step < 60_000 {
            var bytes: [UInt8] = []
            time.appendTimeOfDay(to: &bytes)
            clock = String(decoding: bytes, as: UTF8.self).replacingHundredths
        }
        return first.isoDate == last.isoDate ? clock : "\(time.isoDate ?? "-") \(clock)"
    }
}

extension String {
    /// A time of day without its hundredths of a second: `10:39:40Z` of `10:39:40.00Z`.
    fileprivate var replacingHundredths: String {
        guard let point = firstIndex(of: ".") else { return self }
        return self[..<point] + (hasSuffix("Z") ? "Z" : "")
    }
}

/// Levels that a chart shows as one.
private struct LevelSeries {
    let name: String
    let ranks: ClosedRange<Int>

    init(_ name: String, _ ranks: ClosedRange<Int>, _ fill: String) {
        self.name = name
        self.ranks = ranks
        self.fill = fill
    }

    let fill: String
    /// Class in the style.
    var style: String { "f\(ranks.lowerBound)" }
}

extension TimelineCharts {
    fileprivate static let problems = 1...3

    private static let problemSeries = [
        LevelSeries(LevelWords.name(ofRank: 1), 1...1, "#6f0d0d"),
        LevelSeries(LevelWords.name(ofRank: 2), 2...2, "#c0392b"),
        LevelSeries(LevelWords.name(ofRank: 3), 3...3, "#c77700"),
    ]

    private static let allSeries = [
        LevelSeries("Monitorable and worse", 1...3, "#6f0d0d"),
        LevelSeries("Warning, High", 4...5, "#2e6fb7"),
        LevelSeries("Medium, Information", 6...7, "#5f8a6b"),
        LevelSeries("Verbose", 8...9, "#8b8f98"),
    ]
}

/// Levels in words.
enum LevelWords {
    /// The levels of a rank: `Unexpected, Error`.
    static func name(ofRank rank: Int) -> String {
        switch rank {
        case 1: "Critical"
        case 2: "Unexpected, Error"
        case 3: "Monitorable"
        case 4: "Warning"
        case 5: "High"
        case 6: "Medium, unknown"
        case 7: "Information"
        case 8: "Verbose"
        default: "VerboseEx"
        }
    }
}

extension BarChart {
    /// A chart of how long requests took; `nil` if none says so.
    static func latency(of durations: DurationHistogram) -> BarChart? {
        guard durations.count > 0, let median = durations.quantile(0.5), let p95 = durations.quantile(0.95) else {
            return nil
        }
        let counts = durations.counts(between: bounds)
        let lower = [0] + bounds
        var bars = zip(lower, counts).map { bound, count in
            Bar(name: bound == 0 ? "under 1 ms" : "from \(name(ofBound: bound))", values: [count])
        }
        while bars.count > 2, bars.last?.total == 0 { bars.removeLast() }
        let ticks = lower.prefix(bars.count).enumerated().map { number, bound in
            // Where there is little room, every third is named: 1 ms, 10 ms, 100 ms.
            Tick(name: name(ofBound: bound), place: number * 10_000 / bars.count, isMinor: number % 3 != 1)
        }
        let requests = Quantity(grouped: durations.count, "request", "requests")
        return BarChart(
            finding: """
                Of \(requests), half took at most \(duration(median)), 95 % at most \(duration(p95)), the slowest \
                \(duration(durations.max))
                """,
            axes: "A bar for each range of durations, the longest at the right; its height is the number of requests.",
            series: [Series(name: "Requests", style: "f5", fill: "#2e6fb7")],
            bars: bars,
            ticks: ticks,
            barTitle: "Took",
            totalTitle: "Requests"
        )
    }

    /// Bounds in microseconds: about three for each power of ten.
    private static let bounds: [Int64] = [
        1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000, 5_000_000,
        10_000_000,
        20_000_000, 60_000_000, 120_000_000, 300_000_000, 600_000_000,
    ]

    private static func name(ofBound microseconds: Int64) -> String {
        if microseconds == 0 { return "0" }
        guard microseconds >= 1_000_000 else { return "\(microseconds / 1000) ms" }
        return "\(ShortDuration(chosen: .microseconds(microseconds)))"
    }

    private static func duration(_ microseconds: Int64) -> String {
        "\(ShortDuration(measured: .microseconds(microseconds)))"
    }
}
