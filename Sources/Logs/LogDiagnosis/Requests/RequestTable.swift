import ULSLog

/// Requests while a log is read: rows, names and problems come together here.
///
/// Up to a limit all requests are remembered to the end. Beyond it, those are settled that were silent for ten minutes
/// before the oldest row that may still come, and if that is not enough, those that were silent the longest. What comes
/// of a settled request counts as another one.
struct RequestTable {
    /// A request that may go on.
    private struct Entry {
        var rows = 0
        var rank = Int.max
        var first = LogTime.none
        var last = LogTime.none
        var server: String?
        var name: String?
        /// Whether the name is from the row that begins a request.
        var isNameOfBeginning = false
        var user: String?
        var writer: String?
        var duration: Int64?

        mutating func add(_ time: LogTime, until last: LogTime, server: String?) {
            if rows == 0 || time.instant < first.instant || first.quality == .none {
                (first, self.server) = (time, server)
            }
            if rows == 0 || last.instant > self.last.instant { self.last = last }
        }
    }

    private var entries: [GroupKey: Entry] = [:]
    private var problems = RequestProblems()
    private let maximum: Int
    private var horizon = Int64.min
    private var file = ""
    private(set) var hasSettledEarly = false
    /// Receives each request when no more of it is expected.
    private let settle: (LoggedRequest) -> Void

    /// Milliseconds of silence after which nothing more is expected of a request.
    private static let silence: Int64 = 600_000

    init(maximum: Int = LogLimit.openCorrelations.maximum, settle: @escaping (LoggedRequest) -> Void) {
        self.maximum = maximum
        self.settle = settle
    }

    mutating func take(_ edge: RequestEdge) {
        let key = GroupKey.correlation(edge.correlation)
        switch edge.kind {
        case .beginning:
            guard let name = edge.name else { return }
            if entries[key]?.isNameOfBeginning != true {
                entries[key, default: Entry()].name = name
                entries[key]?.isNameOfBeginning = true
            }
        case .end:
            var entry = entries[key] ?? Entry()
            if entry.name == nil { entry.name = edge.name }
            // The request itself takes longer than what it asks others for.
            if let duration = edge.duration { entry.duration = max(duration, entry.duration ?? 0) }
            entries[key] = entry
        case .identity:
            if let user = edge.name, entries[key]?.user == nil { entries[key, default: Entry()].user = user }
        }
    }

    mutating func take(_ unit: RequestUnit) {
        if entries.count > maximum { settleSilent() }
        (file, horizon) = (unit.file, unit.horizon)
        for rows in unit.rows {
            let key = GroupKey.correlation(rows.correlation)
            var entry = entries[key] ?? Entry()
            entry.add(rows.firstTime, until: rows.lastTime, server: rows.server)
            entry.rows += rows.rows
            entry.rank = min(entry.rank, rows.rank)
            entries[key] = entry
        }
    }

    /// Takes the problems of the unit whose rows came last; `lines` is the number of lines of text before it.
    mutating func take(_ unit: RequestProblems, lines: Int) { problems.add(unit, file: file, lines: lines) }

    /// Takes an event that shows a problem.
    mutating func take(_ event: borrowing ULSEvent, of key: GroupKey, _ row: ProblemRow) {
        problems.note(key, row, event[.message], file: event.place.file)
        guard !key.isCorrelation else { return }
        var entry = entries[key] ?? Entry()
        if entry.rows == 0 { entry.writer = Self.writer(of: event) }
        entry.add(event.time, until: event.time, server: event.server)
        entry.rows += event.parts
        entry.rank = min(entry.rank, row.rank)
        entries[key] = entry
    }

    /// Settles all that is left.
    consuming func finish() -> Bool {
        for key in entries.keys.sorted(by: Self.precedes) { settle(key) }
        return hasSettledEarly
    }

    private mutating func settleSilent() {
        hasSettledEarly = true
        let limit = max(horizon, .min + Self.silence) - Self.silence
        let silent = entries.filter { $0.value.rows > 0 && $0.value.last.instant < limit }.keys
        for key in silent.sorted(by: Self.precedes) { settle(key) }
        let excess = entries.count - maximum * 3 / 4
        guard entries.count > maximum else { return }
        let oldest = entries.filter { $0.value.rows > 0 }.sorted { one, other in
            let (first, second) = (one.value.last.instant, other.value.last.instant)
            return first == second ? Self.precedes(one.key, other.key) : first < second
        }
        for (key, _) in oldest.prefix(excess) { settle(key) }
    }

    /// An order of keys that is the same in every run.
    private static func precedes(_ one: GroupKey, _ other: GroupKey) -> Bool {
        switch (one, other) {
        case (.correlation(let first), .correlation(let second)): first < second
        case (.thread(let first), .thread(let second)): first < second
        case (.paste(let first), .paste(let second)): first < second
        case (.correlation, _), (.thread, .paste): true
        default: false
        }
    }

    private mutating func settle(_ key: GroupKey) {
        guard let entry = entries.removeValue(forKey: key) else { return }
        let problem = problems.take(key)
        guard entry.rows > 0 || problem != nil else { return }
        var request = LoggedRequest(
            name: entry.name,
            user: entry.user,
            server: entry.server,
            firstTime: entry.rows > 0 ? entry.first : problem?.time ?? .none,
            lastTime: entry.rows > 0 ? entry.last : problem?.time ?? .none,
            microseconds: entry.duration,
            rows: max(entry.rows, problem?.rows ?? 0),
            level: ULSLevel(rank: entry.rank),
            problem: problem
        )
        if let problem { request.level = problem.level }
        if case .correlation(let id) = key {
            request.correlation = id
            if request.microseconds == nil { request.microseconds = Self.duration(entry) }
        } else {
            request.writer = entry.writer
        }
        settle(request)
    }

    /// Microseconds from the first row to the last.
    private static func duration(_ entry: Entry) -> Int64? {
        guard entry.rows > 1, entry.first.hasDate, entry.last.hasDate else { return nil }
        let (distance, isTooGreat) = entry.last.instant.subtractingReportingOverflow(entry.first.instant)
        guard !isTooGreat else { return nil }
        let (product, isTooLong) = distance.multipliedReportingOverflow(by: 1000)
        return isTooLong ? nil : max(0, product)
    }

    private static func writer(of event: borrowing ULSEvent) -> String? {
        let (name, id, thread) = (event.text(.process), event.text(.processID), event.text(.threadID))
        let process = id.isEmpty ? name : "\(name) (\(id))"
        let parts = [process, thread.isEmpty ? "" : "thread \(thread)"].filter { !$0.isEmpty }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}
