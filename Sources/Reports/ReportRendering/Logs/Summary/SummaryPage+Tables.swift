import ULSLog

extension SummaryPage {
    /// Every level with its count, share and bar.
    static func levels(of summary: LogSummary, _ layout: TextLayout) -> TextTable {
        var table = TextTable(columns: [
            .init(title: "LEVEL", minimum: 8), .init(title: "EVENTS", alignment: .right),
            .init(title: "SHARE", alignment: .right), .init(title: "", minimum: 4, isDecoration: true),
        ])
        let total = max(1, summary.levels.reduce(0) { $0 + Double($1.count) })
        let most = max(1, summary.levels.map(\.count).max() ?? 1)
        let sign = layout.isUnicode ? "█" : "#"
        for level in summary.levels {
            let tenths = Int((Double(level.count) / total * 1000).rounded())
            let length = Int((Double(level.count) / Double(most) * 24).rounded(.up))
            let style = ULSLevel(level.value).style
            table.append([
                .outside(level.value.isEmpty ? nil : level.value, style), .count(level.count),
                "\(tenths / 10).\(tenths % 10) %",
                TextTable.Cell(text: String(repeating: sign, count: max(0, min(24, length))), style: style),
            ])
        }
        return table
    }

    static func table(of counts: [LogSummary.Count], named column: String, _ rows: Int) -> TextTable {
        var table = TextTable(columns: [
            .init(title: "EVENTS", alignment: .right), .init(title: column, minimum: 8),
        ])
        for count in counts.prefix(rows) {
            table.append([.count(count.count), .outside(count.value.isEmpty ? nil : count.value)])
        }
        return table
    }

    static func correlations(of summary: LogSummary, _ rows: Int) -> TextTable {
        var table = TextTable(columns: [
            .init(title: "CORRELATION", minimum: 18), .init(title: "EVENTS", alignment: .right),
            .init(title: "WORST", minimum: 11), .init(title: "FIRST"), .init(title: "SPAN", alignment: .right),
        ])
        for correlation in summary.correlations.prefix(rows) {
            let span = correlation.lastTime.milliseconds(since: correlation.firstTime)
            let worst = correlation.worstLevel
            table.append([
                "\(correlation.id)", .count(correlation.count),
                .outside(worst.word.isEmpty ? nil : worst.word, worst.style),
                "\(correlation.firstTime.iso8601 ?? "-")",
                "\(span.map { "\(MeasuredTime(milliseconds: $0))" } ?? "-")",
            ])
        }
        return table
    }

    static func gaps(of summary: LogSummary, _ rows: Int) -> TextTable {
        var table = TextTable(columns: [
            .init(title: "SERVER", minimum: 8), .init(title: "FROM"), .init(title: "UNTIL"),
            .init(title: "LENGTH", alignment: .right),
        ])
        for gap in summary.gaps.prefix(rows) {
            let length = gap.until.milliseconds(since: gap.from)
            table.append([
                .outside(gap.server), "\(gap.from.iso8601 ?? "-")", "\(gap.until.iso8601 ?? "-")",
                "\(length.map { "\(MeasuredTime(milliseconds: $0))" } ?? "-")",
            ])
        }
        return table
    }
}
