extension LogReader {
    /// How long requests and scopes took; the `slowest` single ones are listed.
    public func slow(slowest: Int = 10) throws -> SlowReport {
        var selection = selection
        selection.scopesOnly = true
        var collector = SlowCollector(slowest: slowest)
        let read = try forEachEvent(in: .files, of: selection) { collector.add($0) }
        var report = SlowReport()
        report.events = read.events
        report.files = read.files
        report.quality = read.quality
        report.incomparable = read.incomparable
        report.notes = read.notes
        collector.fill(&report)
        return report
    }
}
