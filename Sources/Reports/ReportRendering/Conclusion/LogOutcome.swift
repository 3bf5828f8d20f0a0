public import ULSLog

/// What reading logs came to, as far as its end depends on it.
public struct LogOutcome: Sendable {
    /// Events that were wanted.
    public var events: Int
    public var files: [SourceReport]
    public var quality: ReadQuality
    /// Which times each server's logs cover, as far as they were opened.
    public var coverage: [ServerCoverage]
    /// Rows of which is not known whether they are in the window.
    public var incomparable = 0
    /// What was passed over among the inputs.
    public var notes: [String] = []
    /// Whether a window was given, which may leave nothing.
    public var hasWindow = false
    /// Whether reading stopped at `--limit`, so that what is left was not looked at.
    public var isLimited = false
    /// Whether the results themselves say how the files were read.
    public var tellsNotes = false
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
        self.coverage = coverage ?? ServerCoverage.of(files)
    }
}

extension LogOutcome {
    public init(_ report: ReadReport) {
        self.init(events: report.events, files: report.files, quality: report.quality, coverage: report.coverage)
        incomparable = report.incomparable
        notes = report.notes
    }

    public init(_ summary: LogSummary) {
        self.init(events: summary.events, files: summary.files, quality: summary.quality)
        incomparable = summary.incomparable
        notes = summary.notes
    }

    public init(_ report: SlowReport) {
        self.init(events: report.events, files: report.files, quality: report.quality)
        incomparable = report.incomparable
        notes = report.notes
    }

    /// Reading that stopped after so many events.
    public init(limitedTo events: Int) {
        self.init(events: events, files: [], quality: ReadQuality())
        isLimited = true
    }
}
