extension ServerCoverage {
    /// What each server's logs cover: files that were not opened by their names, others by their first and last rows.
    static func of(_ plan: LogPlan, _ reports: [SourceReport]) -> [ServerCoverage] {
        var coverage: [ServerCoverage] = []
        func add(_ server: String?, _ first: LogTime?, _ last: LogTime?) {
            let index = coverage.firstIndex { $0.server == server } ?? coverage.count
            if index == coverage.count {
                coverage.append(ServerCoverage(server: server, firstTime: nil, lastTime: nil, files: 0))
            }
            coverage[index].files += 1
            for time in [first, last].compactMap(\.self) {
                if coverage[index].firstTime.map({ time.instant < $0.instant }) ?? true {
                    coverage[index].firstTime = time
                }
                if coverage[index].lastTime.map({ time.instant > $0.instant }) ?? true {
                    coverage[index].lastTime = time
                }
            }
        }
        let sources = Dictionary(plan.sources.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for report in reports {
            guard let source = sources[report.name], case .file = source.kind, !report.isSkipped else {
                add(report.server, report.firstTime, report.lastTime)
                continue
            }
            add(
                source.server,
                FileTimes.first(of: source).map { plan.time(of: $0, server: source.server) } ?? report.firstTime,
                FileTimes.last(of: source).map { plan.time(of: $0, server: source.server) } ?? report.lastTime
            )
        }
        return coverage.sorted { ($0.server ?? "") < ($1.server ?? "") }
    }
}

extension LogPlan {
    /// The time of a row of a server.
    func time(of row: RowStart, server: String?) -> LogTime {
        if row.isUTC { return LogTime(clock: row.clock, quality: .exact) }
        return zones.zone(for: server)?.resolve(clock: row.clock) ?? LogTime(clock: row.clock, quality: .local)
    }
}
