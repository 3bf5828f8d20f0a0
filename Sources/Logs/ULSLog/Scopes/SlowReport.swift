/// Which requests and scopes took long.
public struct SlowReport: Sendable {
    /// One time that a scope was left.
    public struct Instance: Sendable, Hashable {
        /// The scope's name as written.
        public var name: String
        public var isRequest: Bool
        /// Microseconds.
        public var duration: Int64
        public var time: LogTime
        public var server: String?
        public var correlation: String
        public var place: ULSEvent.Place
    }

    /// Requests and jobs, the greatest sum of durations first.
    public var requests: [ScopeDurations] = []
    /// What happens within them.
    public var scopes: [ScopeDurations] = []
    /// The slowest single ones, slowest first.
    public var slowest: [Instance] = []
    public var events = 0
    public var files: [SourceReport] = []
    public var quality = ReadQuality()
    /// Rows that were left out because they do not say enough to tell whether they are in the window.
    public var incomparable = 0
    /// What was passed over among the inputs, for a person.
    public var notes: [String] = []

    public init() {}
}

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

/// Counts what ``SlowReport`` says: durations by key, and the slowest single ones.
struct SlowCollector: Sendable {
    private var scopes: ScopeTable
    private var slowest: SlowestList

    /// Lists so many single ones.
    init(slowest: Int, scopes: ScopeTable = ScopeTable()) {
        self.scopes = scopes
        self.slowest = SlowestList(limit: slowest)
    }

    /// Counts an event, if it says that a scope was entered or left.
    mutating func add(_ event: borrowing ULSEvent) {
        let text = event[.message]
        guard let message = ScopeMessage.parse(text), let place = message.name else { return }
        let name = text.extracting(place)
        guard case .leaving(let duration) = message.kind else { return scopes.entered(name: name) }
        scopes.left(name: name, duration: duration)
        guard let duration, slowest.admits(duration) else { return }
        slowest.insert(
            SlowReport.Instance(
                name: name.text,
                isRequest: RequestName.isRequest(name),
                duration: duration,
                time: event.time,
                server: event.server,
                correlation: event.text(.correlation),
                place: event.place
            )
        )
    }

    /// Says it in a report: both lists of scopes, the slowest, and the limit if it was reached.
    func fill(_ report: inout SlowReport) {
        report.requests = scopes.durations(isRequest: true)
        report.scopes = scopes.durations(isRequest: false)
        report.slowest = slowest.instances
        report.quality.reach(.scopes, times: scopes.rowsBeyondLimit)
    }
}

extension Span<UInt8> {
    /// The bytes as text.
    var text: String { String(decoding: indices.map { self[$0] }, as: UTF8.self) }
}

/// The slowest single requests and scopes, slowest first; of equal ones the one that was written first.
struct SlowestList: Sendable {
    /// No list is longer.
    static let maximum = 1000

    private let limit: Int
    private(set) var instances: [SlowReport.Instance] = []

    /// Keeps so many, at most ``maximum``.
    init(limit: Int) { self.limit = min(max(0, limit), Self.maximum) }

    /// Whether one that took so long, in microseconds, and comes now would be on the list: ask before making it.
    func admits(_ duration: Int64) -> Bool {
        guard instances.count >= limit else { return true }
        guard let last = instances.last else { return false }
        return duration > last.duration
    }

    /// Takes one that was written behind all that were taken so far.
    mutating func insert(_ instance: SlowReport.Instance) {
        guard admits(instance.duration) else { return }
        var (low, high) = (0, instances.count)
        while low < high {
            let middle = (low + high) / 2
            if instances[middle].duration < instance.duration { high = middle } else { low = middle + 1 }
        }
        if instances.count == limit { instances.removeLast() }
        instances.insert(instance, at: low)
    }
}
