import ULSLog

/// How long scopes took, a row for each name.
enum ScopeDurationTable {
    static func table(of scopes: some Sequence<ScopeDurations>, named title: String) -> TextTable {
        var table = TextTable(columns: [
            .init(title: "COUNT", alignment: .right), .init(title: "P50", alignment: .right),
            .init(title: "P95", alignment: .right), .init(title: "MAX", alignment: .right),
            .init(title: "TOTAL", alignment: .right), .init(title: "OPEN", alignment: .right),
            .init(title: title, minimum: 16),
        ])
        for scope in scopes {
            let times = [scope.p50, scope.p95, scope.max, scope.total].map { time in
                // One that was never left took no time that is known.
                TextTable.Cell(text: scope.count > 0 ? "\(MeasuredTime(microseconds: time))" : "-")
            }
            table.append(
                [.count(scope.count)] + times + [.count(scope.open), .outside(scope.key)]
            )
        }
        return table
    }
}
