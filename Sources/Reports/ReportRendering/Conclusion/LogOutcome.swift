public import ULSLog

/// What reading logs came to, as far as its end depends on it.
public struct LogOutcome: Sendable {
    /// Events that were wanted.
    public var events: Int
    public var files: [SourceReport]
    public var quality: ReadQuality
    /// Which times each server's logs cover, as far as they were opened.
    public var coverage: [ServerCoverage]
    /// Whether a window was given, which may leave nothing.
    public var hasWindow = false
    /// Whether reading stopped at `--limit`, so that what is left was not looked at.
    public var isLimited = false
    /// What to tell of events that have no place in the output's form.
    public var omission: String?
    public var duration = Duration.zero

    public init(
        events: Int,
        files: [SourceReport],
        quality: ReadQuality,
        coverage: [ServerCoverage]? = nil
    ) {
        self.events = events
        self.files = files
        self.quality = quality
        self.coverage = coverage ?? Self.coverage(of: files)
    }

    /// What each server's files cover, in the order of the servers' names.
    private static func coverage(of files: [SourceReport]) -> [ServerCoverage] {
        let opened = files.filter { $0.firstTime.map { $0.quality != .none } ?? false }
        return Dictionary(grouping: opened, by: \.server)
            .map { server, files in
                ServerCoverage(
                    server: server,
                    firstTime: files.compactMap(\.firstTime).min { $0.instant < $1.instant },
                    lastTime: files.compactMap(\.lastTime).max { $0.instant < $1.instant },
                    files: files.count
                )
            }
            .sorted { ($0.server ?? "") < ($1.server ?? "") }
    }
}

extension LogOutcome {
    public init(_ report: ReadReport) {
        self.init(events: report.events, files: report.files, quality: report.quality, coverage: report.coverage)
    }

    public init(_ summary: LogSummary) {
        self.init(events: summary.events, files: summary.files, quality: summary.quality)
    }

    public init(_ report: SlowReport) {
        self.init(events: report.events, files: report.files, quality: report.quality)
    }

    /// Reading that stopped after so many events.
    public init(limitedTo events: Int) {
        self.init(events: events, files: [], quality: ReadQuality())
        isLimited = true
    }
}

extension ServerCoverage {
    /// `WFE2: 2024-03-11 11:03Z to 2024-03-11 12:00Z, in 2 files`.
    var sentence: String {
        let name = server ?? "logs of no known server"
        guard let firstTime, let lastTime else { return "\(name): no row with a time" }
        let (first, last) = (LogTimeText(firstTime), LogTimeText(lastTime))
        let day = last.date == first.date ? nil : last.date
        let (start, end) = ([first.date, first.minute], [day, last.minute])
        let period = "\(start.compactMap(\.self).joined(separator: " ")) to \(end.compactMap(\.self).joined(separator: " "))"
        return "\(name) covers \(period), in \(Quantity(files, "file", "files"))"
    }
}
