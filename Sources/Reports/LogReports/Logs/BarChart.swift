import ReportKit
import TextKit
import ULSLog

/// Bars side by side, each consisting of one or more stacked values, with the same numbers in a table below.
///
/// The dimensions of the shapes are percentages of the chart's size, so the chart fits any width while its words keep
/// their size.
struct BarChart {
    /// The meaning of one part of each bar.
    struct Series {
        var name: String
        /// The class in the style sheet, for both color schemes.
        var style: String
        /// The color to use if there is no style.
        var fill: String
    }

    struct Bar {
        /// The bar's place on the axis: `16:39:45`.
        var name: String
        /// The values, one for each series; the first is at the bottom.
        var values: [Int]

        var total: Int { values.reduce(0, +) }
    }

    /// A word below the chart.
    struct Tick {
        var name: String
        /// The place, in ten-thousandths of the width.
        var place: Int
        /// Whether the tick is left out if there is little space.
        var isMinor = false
    }

    /// Something that happened at one point in the chart.
    struct Mark {
        /// The number of the mark in the list that explains it.
        var number: Int
        /// The place, in ten-thousandths of the width.
        var place: Int
    }

    /// The main finding of the chart: "Problems peak at 16:39 with 46 in 5 s".
    var finding: Phrase
    /// The meaning of the axes.
    var axes: String
    var series: [Series]
    var bars: [Bar]
    var marks: [Mark] = []
    /// Labels along the horizontal axis, from left to right.
    var ticks: [Tick]
    /// Titles of the table's columns for a bar and for a bar's total.
    var barTitle: String
    var totalTitle: String
    /// The value of a full bar; `nil` for the highest value.
    var maximum: Int?
    /// The maximum number of rows in the table below.
    private static let maximumRows = 200

    fileprivate var top: Int { max(1, maximum ?? bars.map(\.total).max() ?? 1) }
    fileprivate var isMultiple: Bool { series.count > 1 }
}

extension HTMLWriter {
    /// Writes a chart, its legend, and the table with the same numbers.
    mutating func chart(_ chart: BarChart) {
        let name = identifier("chart")
        element("figure", ["class": "chart"]) { page in
            page.element("figcaption") { $0.text(chart.finding) }
            page.element("div", ["class": "plot"]) { page in
                page.element("div", ["class": "scale", "aria-hidden": "true"]) { page in
                    page.element("span") { $0.text("\(Quantity(grouped: chart.top))") }
                    page.element("span") { $0.text("0") }
                }
                page.element("div", ["class": "area"]) { page in
                    page.picture(of: chart, name)
                    page.axis(of: chart)
                }
            }
            if chart.isMultiple { page.legend(of: chart) }
            page.details("The numbers") { $0.numbers(of: chart) }
        }
        lineEnd()
    }

    private mutating func picture(of chart: BarChart, _ name: String) {
        element("svg", ["role": "img", "aria-labelledby": "\(name)-title \(name)-desc", "class": "bars"]) { page in
            page.element("title", ["id": "\(name)-title"]) { $0.bare(chart.finding) }
            page.element("desc", ["id": "\(name)-desc"]) { $0.text(chart.axes) }
            let count = max(1, chart.bars.count)
            for (number, bar) in chart.bars.enumerated() where bar.total > 0 {
                page.element("g") { page in
                    page.element("title") { $0.text("\(bar.name): \(chart.words(for: bar))") }
                    var below = 0
                    for (series, value) in zip(chart.series, bar.values) where value > 0 {
                        // Every bar must be visible.
                        let height = max(60, value * Self.full / chart.top)
                        page.element(
                            "rect",
                            [
                                "x": Self.percent(number * 10_000 / count), "width": Self.percent(8800 / count),
                                "y": Self.percent(max(0, 10_000 - below - height)), "height": Self.percent(height),
                                "class": series.style, "fill": series.fill,
                            ]
                        )
                        below += height
                    }
                }
            }
            for mark in chart.marks {
                let place = Self.percent(mark.place)
                page.element(
                    "line",
                    ["x1": place, "x2": place, "y1": "14", "y2": "100%", "class": "mark", "stroke": "#555"]
                )
                page.element(
                    "text",
                    ["x": place, "y": "11", "class": "mark", "text-anchor": "middle", "font-size": "11"]
                ) {
                    $0.text("\(mark.number)")
                }
            }
        }
    }

    private mutating func axis(of chart: BarChart) {
        element("svg", ["class": "axis", "aria-hidden": "true", "width": "100%", "height": "20"]) { page in
            for tick in chart.ticks {
                let anchor = tick.place <= 0 ? "start" : tick.place >= 10_000 ? "end" : "middle"
                page.element(
                    "text",
                    [
                        "x": Self.percent(tick.place), "y": "14", "text-anchor": anchor, "font-size": "13",
                        "class": tick.isMinor ? "minor" : nil,
                    ]
                ) { $0.text(tick.name) }
            }
        }
    }

    private mutating func legend(of chart: BarChart) {
        element("ul", ["class": "legend"]) { page in
            for (number, series) in chart.series.enumerated() {
                let total = chart.bars.reduce(0) { $0 + $1.values[number] }
                page.element("li") { page in
                    page.element("svg", ["class": "swatch", "aria-hidden": "true", "width": "12", "height": "12"]) {
                        page in
                        page.element(
                            "rect",
                            ["width": "12", "height": "12", "class": series.style, "fill": series.fill]
                        )
                    }
                    page.text(" \(series.name) (\(Quantity(grouped: total)))")
                }
            }
        }
    }

    private mutating func numbers(of chart: BarChart) {
        let columns = chart.isMultiple ? chart.series.map { HTMLTable.Column(title: "\($0.name)", isNumber: true) } : []
        var table = HTMLTable(
            "The numbers of this chart",
            [.init(title: "\(chart.barTitle)")] + columns + [.init(title: "\(chart.totalTitle)", isNumber: true)]
        )
        let bars = chart.bars.filter { $0.total > 0 }
        for bar in bars {
            table.append(
                [.phrase("\(bar.name)")] + (columns.isEmpty ? [] : bar.values.map { .count($0) }) + [.count(bar.total)]
            )
        }
        self.table(table)
        if bars.count < chart.bars.count { paragraph("Periods without events are left out.", class: "remark") }
    }

    /// Writes a sentence where markup is not allowed: without isolation, but with all escapes.
    private mutating func bare(_ phrase: Phrase) {
        for piece in phrase.pieces {
            switch piece {
            case .own(let words, _): text(words)
            case .untrusted(let text): self.text(HTMLExcerpt(text).text)
            }
        }
    }

    /// The height of the highest bar in ten-thousandths of the chart's, which leaves space for the numbers of marks.
    private static let full = 8600

    /// Returns ten-thousandths as a percentage: `12.5%`.
    static func percent(_ parts: Int) -> String {
        let rest = parts % 100
        guard rest > 0 else { return "\(parts / 100)%" }
        return rest % 10 == 0 ? "\(parts / 100).\(rest / 10)%" : "\(parts / 100).\(rest < 10 ? "0" : "")\(rest)%"
    }
}

extension BarChart {
    /// Returns `46 (Unexpected 40, Monitorable 6)`.
    fileprivate func words(for bar: Bar) -> String {
        let total = "\(Quantity(grouped: bar.total))"
        guard isMultiple else { return total }
        let parts = zip(series, bar.values).filter { $0.1 > 0 }.map { "\($0.0.name) \(Quantity(grouped: $0.1))" }
        return "\(total) (\(parts.joined(separator: ", ")))"
    }
}

/// A log over time as charts: problems and all rows, for all servers together and for each server.
struct TimelineCharts {
    /// An event, with a number in the charts and words below them.
    struct Mark {
        var time: LogTime
        var server: String?
        var words: Phrase
    }

    private let timeline: LogTimeline
    private let marks: [Mark]
    /// Counted items: `rows`, `events`.
    private let noun: Noun

    /// The nouns for one item and for several.
    struct Noun {
        var one: String
        var several: String

        static let row = Noun(one: "row", several: "rows")
        static let event = Noun(one: "event", several: "events")
        fileprivate static let problem = Noun(one: "problem", several: "problems")

        func quantity(_ count: Int) -> Quantity { Quantity(grouped: count, one, several) }
    }

    /// The maximum number of servers with their own charts, and of marks.
    private static let maximumLanes = 16
    private static let maximumMarks = 20

    /// Creates charts; marks must be ordered by importance, because the space for them is limited.
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
            page.paragraph("There are too many servers to list; the others are under “Unknown server”.")
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
            page.details("All \(noun.several) on this server") { $0.chart(chart) }
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

    /// Returns the start time of a step, in the precision of the step length, with the date if there are several dates.
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

/// Levels that a chart shows as one series.
private struct LevelSeries {
    let name: String
    let ranks: ClosedRange<Int>

    init(_ name: String, _ ranks: ClosedRange<Int>, _ fill: String) {
        self.name = name
        self.ranks = ranks
        self.fill = fill
    }

    let fill: String
    /// The class in the style.
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
private enum LevelWords {
    /// Returns the levels of a rank: `Unexpected, Error`.
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

extension HTMLWriter {
    /// Writes check boxes that hide the rows of a level in all tables of this page whose rows have one.
    ///
    /// They must be written once, before the tables, with the number of rows at each rank.
    mutating func levelFilter(_ counts: [Int: Int]) {
        guard counts.count > 1 else { return }
        element("fieldset", ["class": "filter"]) { page in
            page.element("legend") { $0.text("Show rows of level") }
            for (rank, count) in counts.sorted(by: { $0.key < $1.key }) {
                let box = "show-l\(rank)"
                page.element("span") { page in
                    page.element("input", ["type": "checkbox", "id": box, "checked": "checked"])
                    page.element("label", ["for": box]) {
                        $0.text("\(LevelWords.name(ofRank: rank)) (\(Quantity(grouped: count)))")
                    }
                }
            }
        }
        lineEnd()
    }
}

extension BarChart {
    /// Returns a chart of the durations of requests; `nil` if there are none.
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
            // Where there is little space, only every third bound is labeled: 1 ms, 10 ms, 100 ms.
            Tick(name: name(ofBound: bound), place: number * 10_000 / bars.count, isMinor: number % 3 != 1)
        }
        let requests = Quantity(grouped: durations.count, "request", "requests")
        return BarChart(
            finding: """
                Of \(requests), half took at most \(duration(median)), 95% at most \(duration(p95)), and the slowest \
                \(duration(durations.max))
                """,
            axes:
                "A bar for each range of durations, with the longest on the right; its height is the number of requests.",
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
