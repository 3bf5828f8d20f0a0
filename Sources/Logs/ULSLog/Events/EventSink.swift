/// Selects records of a unit and copies them.
struct EventSink: UnitSink {
    /// What else is wanted besides what the filter says: for a trace, rows that enter and leave scopes without saying
    /// whose they are.
    enum Extra: Sendable {
        case none
        case scopesWithoutCorrelation
    }

    /// Bytes of events that are handed over at a time.
    private static let batchBytes = 512 << 10

    private let text: LogText
    private let filter: RecordFilter
    private let extra: Extra
    private let scopesOnly: Bool
    private var facts: RecordFacts
    private var times: RecordTimes
    private var activities: ServerActivities
    private var batch = EventBatch()
    private var bytes = 0

    init(_ text: LogText, selection: Selection) {
        self.text = text
        filter = selection.filter
        extra = selection.extra
        scopesOnly = selection.scopesOnly
        facts = RecordFacts(filter: selection.filter, server: text.server, zones: selection.zones)
        times = RecordTimes(window: selection.window)
        activities = ServerActivities(gapMinimum: selection.gapMinimum)
    }

    mutating func take(_ window: borrowing ByteWindow, _ fields: RowFields) {
        facts.note(window, fields)
        let process = facts.processes[fields.process]
        if !times.holds(for: fields, server: process.server) {
            times.resolve(fields, server: process.server, facts.serverZones[process.server])
        }
        let time = times.time(of: fields)
        batch.times.add(time)
        if fields.poorTime == nil {
            activities.add(time, server: process.server, isUTC: fields.isUTC, facts)
        }
        guard wants(window, fields, process) else { return }
        switch times.membership(ofClock: fields.clock) {
        case .inside: break
        case .outside: return
        case .incomparable:
            batch.incomparable += 1
            return
        }
        let split = SplitMessage(window, fields)
        if split == nil, filter.hasASCIITexts, !filter.wants(message: fields.message, in: window) { return }
        let event = ULSEvent(
            window,
            fields,
            time: times.logTime(clock: fields.clock),
            server: facts.server(of: fields),
            file: text.name
        )
        let role: EventItem.Role =
            switch split {
            case nil: .whole
            case .head: .head
            case .part(let isMarked, let hasMore): .part(isMarked: isMarked, hasMore: hasMore)
            }
        let key = split == nil ? 0 : window.partKey(fields, server: facts.server(of: fields))
        batch.items.append(EventItem(event: event, role: role, key: key, position: fields.position))
        bytes += fields.end - fields.start + MemoryLayout<EventItem>.stride
    }

    mutating func drain() -> EventBatch? {
        guard bytes >= Self.batchBytes else { return nil }
        bytes = 0
        let full = batch
        batch.items = []
        batch.incomparable = 0
        return full
    }

    consuming func finish(_ parser: borrowing RowParser) -> EventBatch {
        batch.servers = activities.all
        return batch
    }

    private func wants(_ window: borrowing ByteWindow, _ fields: RowFields, _ process: RecordFacts.Process) -> Bool {
        let columns = facts.columns[fields.columns]
        guard process.isWanted, columns.isWanted, !scopesOnly || columns.isScope else { return false }
        if filter.wants(fields.correlation) { return filter.correlations.isEmpty || fields.hasCorrelation }
        return extra == .scopesWithoutCorrelation && columns.isScope && !fields.hasCorrelation
    }
}

/// Which records are wanted, ready for the threads that read.
struct Selection: Sendable {
    var filter: RecordFilter
    var window: TimeWindow
    var zones: ServerZones
    var extra = EventSink.Extra.none
    /// From how many milliseconds on silence of a server is a gap.
    var gapMinimum: Int64 = 300_000
    /// Whether only rows that enter or leave a scope are wanted.
    var scopesOnly = false
}
