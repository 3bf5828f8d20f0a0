/// Bars side by side, each of one or more values on top of each other, with the same numbers in a table beneath.
///
/// The shapes are in percent of the chart's size, so that it fits any width and its words keep their size.
struct BarChart {
    /// What one part of each bar stands for.
    struct Series {
        var name: String
        /// Class in the style, for both color schemes.
        var style: String
        /// Color where there is no style.
        var fill: String
    }

    struct Bar {
        /// Where it stands: `16:39:45`.
        var name: String
        /// A value for each series; the first is at the bottom.
        var values: [Int]

        var total: Int { values.reduce(0, +) }
    }

    /// A word beneath the chart.
    struct Tick {
        var name: String
        /// The place, in ten-thousandths of the width.
        var place: Int
        /// Whether it is left out where there is little room.
        var isMinor = false
    }

    /// Something that happened at one place of the chart.
    struct Mark {
        /// Its number in the list that explains it.
        var number: Int
        /// The place, in ten-thousandths of the width.
        var place: Int
    }

    /// What the chart shows, as a finding: "Problems peak at 16:39 with 46 in 5 s".
    var finding: Phrase
    /// What is on the axes.
    var axes: String
    var series: [Series]
    var bars: [Bar]
    var marks: [Mark] = []
    /// Words along the horizontal axis, from left to right.
    var ticks: [Tick]
    /// Titles of the table's columns for a bar and for a bar's total.
    var barTitle: String
    var totalTitle: String
    /// Value of a full bar; the highest one if `nil`.
    var maximum: Int?
    /// Rows of the table beneath, at most.
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
                        // A bar that is there can be seen.
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
        if bars.count < chart.bars.count { paragraph("Where there was nothing, there is no row.", class: "remark") }
    }

    /// Writes a sentence where no markup may be: no isolation, but all escapes.
    private mutating func bare(_ phrase: Phrase) {
        for piece in phrase.pieces {
            switch piece {
            case .own(let words, _): text(words)
            case .untrusted(let text): self.text(HTMLExcerpt(text).text)
            }
        }
    }

    /// Height of the highest bar in ten-thousandths of the chart's, which leaves room for the numbers of marks.
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
