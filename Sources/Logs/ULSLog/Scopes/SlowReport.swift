public import ULSRows

/// A report on slow requests and scopes.
public struct SlowReport: Sendable {
    /// A single execution of a scope.
    public struct Instance: Sendable, Hashable {
        /// The scope's name as written.
        public var name: String
        /// Whether the scope is an entire request or job rather than a part of one.
        public var isRequest: Bool
        /// The duration in microseconds.
        package var microseconds: Int64
        /// The time at which the scope was left.
        public var time: LogTime
        /// The server; `nil` if it is not known.
        public var server: String?
        /// The ID of its request; empty if there is none.
        public var correlation: String
        /// The place of the row with the duration.
        public var place: ULSEvent.Place

        /// The duration of the scope.
        public var duration: Duration { .microseconds(microseconds) }
    }

    /// The requests and jobs, by sum of durations, greatest first.
    public var requests: [ScopeDurations] = []
    /// The scopes within requests and jobs, in the same order.
    public var scopes: [ScopeDurations] = []
    /// The durations of all requests and jobs together.
    public var requestDurations = DurationHistogram()
    /// The slowest individual requests and scopes, slowest first.
    public var slowest: [Instance] = []
    /// The number of rows that entered or left a scope.
    public var events = 0
    /// The result of reading each file.
    public var files: [SourceReport] = []
    /// The quality of reading the texts.
    public var quality = ReadQuality()
    /// The number of rows left out because their times do not show whether they are in the window.
    public var incomparable = 0
    /// Notes for the user on inputs that were skipped.
    public var notes: [String] = []

    /// Creates an empty report.
    public init() {}
}

extension LogReader {
    /// Reports the durations of requests and scopes, and lists the slowest individual ones, up to the given number.
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

/// A collector for ``SlowReport``: durations by key, and the slowest individual requests and scopes.
struct SlowCollector: Sendable {
    private var scopes: ScopeTable
    private var slowest: SlowestList

    /// Creates a collector that lists up to `slowest` individual requests and scopes.
    init(slowest: Int, scopes: ScopeTable = ScopeTable()) {
        self.scopes = scopes
        self.slowest = SlowestList(limit: slowest)
    }

    /// Counts an event if it reports that a scope was entered or left.
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
                microseconds: duration,
                time: event.time,
                server: event.server,
                correlation: event.text(.correlation),
                place: event.place
            )
        )
    }

    /// Fills in a report: both lists of scopes, the slowest instances, and the limit if it was reached.
    func fill(_ report: inout SlowReport) {
        report.requests = scopes.durations(isRequest: true)
        report.scopes = scopes.durations(isRequest: false)
        report.requestDurations = scopes.requestDurations
        report.slowest = slowest.instances
        report.quality.reach(.scopes, times: scopes.rowsBeyondLimit)
    }
}

extension Span<UInt8> {
    /// The bytes as text.
    var text: String { String(decoding: indices.map { self[$0] }, as: UTF8.self) }
}

/// The slowest individual requests and scopes, slowest first; equally slow ones are in the order in which they were
/// written.
struct SlowestList: Sendable {
    /// The maximum number of instances in a list.
    static let maximum = 1000

    private let limit: Int
    private(set) var instances: [SlowReport.Instance] = []

    /// Creates a list of `limit` instances, at most ``maximum``.
    init(limit: Int) { self.limit = min(max(0, limit), Self.maximum) }

    /// Returns whether an instance of this duration, in microseconds, would now be listed: check this before creating
    /// the instance.
    func admits(_ duration: Int64) -> Bool {
        guard instances.count >= limit else { return true }
        guard let last = instances.last else { return false }
        return duration > last.microseconds
    }

    /// Inserts an instance that was written after all instances inserted so far.
    mutating func insert(_ instance: SlowReport.Instance) {
        guard admits(instance.microseconds) else { return }
        var (low, high) = (0, instances.count)
        while low < high {
            let middle = (low + high) / 2
            if instances[middle].microseconds < instance.microseconds { high = middle } else { low = middle + 1 }
        }
        if instances.count == limit { instances.removeLast() }
        instances.insert(instance, at: low)
    }
}
