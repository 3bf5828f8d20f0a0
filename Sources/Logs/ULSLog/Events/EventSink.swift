public import ULSRows

/// A sink that selects records of a unit and copies them.
struct EventSink: UnitSink {
    /// The records wanted in addition to those that the filter selects: for a trace, rows that enter and leave scopes
    /// without naming their request.
    enum Extra: Sendable {
        case none
        case scopesWithoutCorrelation
    }

    /// The number of bytes of events delivered in one batch.
    private static let batchBytes = 256 << 10

    private let text: LogText
    private let filter: RecordFilter
    private let search: MessageSearch?
    private let extra: Extra
    private let scopesOnly: Bool
    private let countsRecords: Bool
    private var meanings: ColumnMeanings
    private var times: RecordTimes
    private var timelines: ServerTimelines
    /// The times by the server's number.
    private var serverTimes: [TimeSpan] = []
    /// The choices of the prefilter, if any.
    private var choices: RecordChoices?
    private var batch = EventBatch()
    private var bytes = 0
    private var lookedAt = 0
    private var activity = ActivityCounter()
    /// The number of rows over time, if it is wanted.
    private var timeline: TimelineBuilder?
    /// The rows by request; `nil` unless requests are counted.
    private var requests: RequestCounter?

    init(_ text: LogText, selection: Selection) {
        self.text = text
        filter = selection.filter
        search = filter.makeSearch()
        extra = selection.extra
        scopesOnly = selection.scopesOnly
        countsRecords = selection.countsRecords
        meanings = ColumnMeanings(filter: selection.filter, server: text.server, zones: selection.zones)
        times = RecordTimes(window: selection.window)
        timelines = ServerTimelines(gapMinimum: selection.gapMinimum)
        choices = selection.prefilter.map { RecordChoices($0) }
        timeline = selection.countsLevelsOverTime ? TimelineBuilder() : nil
        requests = selection.countsRequests ? RequestCounter() : nil
    }

    var messageTest: (@Sendable ([UInt8]) -> Bool)? { choices?.messageTest }

    mutating func take(_ window: borrowing ByteWindow, _ fields: RowFields) {
        meanings.note(window, fields)
        let process = meanings.processes[fields.process]
        if !times.holds(for: fields, server: process.server) {
            times.resolve(fields, server: process.server, meanings.serverZones[process.server])
        }
        let time = times.time(of: fields)
        if process.server >= serverTimes.count { makeRoom(process.server) }
        serverTimes[process.server].add(time)
        if fields.timeQuality == nil {
            timelines.add(time, server: process.server, isUTC: fields.isUTC, meanings)
        }
        let columns = meanings.columns[fields.columns]
        let isWanted = columns.isWanted && (!scopesOnly || columns.isScope)
        // The edges of requests are recorded regardless of which columns are wanted.
        guard isWanted || choices != nil, process.isWanted, wantsCorrelation(fields, columns) else { return }
        switch times.membership(ofClock: fields.clock) {
        case .inside: break
        case .outside: return
        case .incomparable:
            if isWanted { batch.incomparable += 1 }
            return
        }
        if choices != nil, fields.hasCorrelation, window.mayBeEdge(fields.message) { noteEdge(window, fields) }
        if isWanted {
            lookedAt &+= 1
            requests?.add(fields, time, rank: columns.rank, server: process.server)
            if choices != nil, fields.timeQuality == nil, !activity.add(time, fields) {
                activity.learn(time, fields, window, server: meanings.servers[process.server])
            }
        }
        if isWanted, fields.timeQuality == nil, timeline?.add(time, rank: columns.rank, server: process.server) == false
        {
            timeline?.begin(time, rank: columns.rank, server: process.server, name: meanings.servers[process.server])
        }
        guard isWanted, choices?.haveRejected(fields) != true else { return }
        choose(window, fields)
    }

    /// Copies a record whose columns and time are wanted, if it is chosen.
    @inline(never)
    private mutating func choose(_ window: borrowing ByteWindow, _ fields: RowFields) {
        let choice = choices?.choice(window, fields)
        if case .no? = choice { return }
        let split = SplitMessage(window, fields)
        var pattern: Int?
        switch choice {
        case .ifMessageMatches(let number), .ifMessageMatters(let number): pattern = number
        default: break
        }
        if split == nil {
            if filter.hasTexts, !filter.mayWant(message: fields.message, in: window, search) { return }
            if let number = pattern {
                // Nearly all records are rejected here.
                guard choices?.matters(window, fields, number) ?? true else { return }
                pattern = nil
            }
            // This is not a separate method, because calling one on the value being changed would copy the entire value
            // for each row.
            if countsRecords, fields.hasCorrelation, !filter.hasTexts, let number = choice?.countable,
                choices?.matches(window, fields, number) == false
            {
                let record = counted(fields)
                if choices?.count(window, fields, number, record) == true {
                    let event = event(window, fields)
                    choices?.show(event)
                }
                return
            }
        }
        copyRecord(window, fields, split, pattern, choice?.number)
    }

    private mutating func counted(_ fields: RowFields) -> CountedRecord {
        CountedRecord(
            eventID: meanings.eventID(of: fields),
            correlation: fields.correlation,
            time: times.logTime(clock: fields.clock),
            server: meanings.server(of: fields),
            line: fields.line + 1
        )
    }

    private mutating func event(_ window: borrowing ByteWindow, _ fields: RowFields) -> ULSEvent {
        ULSEvent(
            window,
            fields,
            time: times.logTime(clock: fields.clock),
            server: meanings.server(of: fields),
            file: text.name
        )
    }

    private mutating func copyRecord(
        _ window: borrowing ByteWindow,
        _ fields: RowFields,
        _ split: SplitMessage?,
        _ pattern: Int?,
        _ choice: Int?
    ) {
        var event = event(window, fields)
        event.choice = choice
        let keys = split.map { window.partKeys(fields, $0, server: meanings.server(of: fields)) } ?? PartKeys(key: 0)
        batch.items.append(
            EventItem(event: event, split: split, keys: keys, position: fields.position, pattern: pattern)
        )
        bytes += fields.end - fields.start + MemoryLayout<EventItem>.stride
    }

    mutating func drain() -> EventBatch? { bytes >= Self.batchBytes ? drainAll() : nil }

    mutating func drainAll() -> EventBatch? {
        bytes = 0
        setTimes()
        batch.edges.servers = meanings.servers
        let full = batch
        batch.items = []
        batch.edges.removeAll()
        batch.incomparable = 0
        return full
    }

    consuming func finish(_ parser: borrowing RowParser) -> EventBatch {
        setTimes()
        batch.edges.servers = meanings.servers
        batch.servers = timelines.finish()
        batch.tally = choices?.tally()
        batch.lookedAt = lookedAt
        batch.activity = activity.finish()
        batch.timeline = timeline
        batch.requests = requests?.finish(parser.correlations.ids, meanings.servers) ?? []
        for (number, times) in serverTimes.enumerated() { batch.serverTimes.append((meanings.servers[number], times)) }
        return batch
    }

    private mutating func setTimes() { for times in serverTimes { batch.times.add(times) } }

    @inline(never)
    private mutating func makeRoom(_ server: Int) {
        while serverTimes.count <= server { serverTimes.append(TimeSpan()) }
    }

    /// Records a row where a request begins or ends.
    @inline(never)
    private mutating func noteEdge(_ window: borrowing ByteWindow, _ fields: RowFields) {
        let message = window.trimmed(fields.message)
        guard let kind = RequestEdge.Kind(window.span(message)) else { return }
        // In a split message, the duration is in another row.
        let readsEnd = kind == .end && requests != nil && SplitMessage(window, fields) == nil
        let place = RequestEdges.Place(
            correlation: fields.correlation,
            time: times.logTime(clock: fields.clock),
            server: meanings.processes[fields.process].server
        )
        // The text is made valid because older logs are not in UTF-8.
        bytes +=
            window.isASCII(message)
            ? batch.edges.append(kind, window.span(message), readsEnd: readsEnd, place)
            : batch.edges.append(kind, window.validText(message).span, readsEnd: readsEnd, place)
    }

    @inline(__always)
    private mutating func wantsCorrelation(_ fields: RowFields, _ columns: ColumnMeanings.Columns) -> Bool {
        if filter.wants(fields.correlation) { return filter.correlations.isEmpty || fields.hasCorrelation }
        return extra == .scopesWithoutCorrelation && columns.isScope && !fields.hasCorrelation
    }
}

/// The criteria for wanted records, prepared for the reading threads.
struct Selection: Sendable {
    var filter: RecordFilter
    var window: TimeWindow
    var zones: ServerZones
    var extra = EventSink.Extra.none
    /// The minimum number of milliseconds for which a server's silence counts as a gap.
    var gapMinimum: Int64 = 300_000
    /// Whether only rows that enter or leave a scope are wanted.
    var scopesOnly = false
    /// Whether rows are counted by level and time.
    var countsLevelsOverTime = false
    /// Whether lines count from the beginning of a file that is only partly read.
    var countsSkippedLines = true
    /// The prefilter that chooses among the records that the filter wants.
    var prefilter: (any EventPrefilter)?
    /// Whether rows are counted by request.
    var countsRequests = false
    /// Whether the prefilter's matcher may count records; otherwise they are delivered, for a receiver without
    /// tallies.
    var countsRecords = true
}

/// A record on its way to becoming an event.
struct EventItem: Sendable {
    var event: ULSEvent
    /// The position of the record's message in a longer, split message; `nil` if the message is complete.
    var split: SplitMessage?
    /// The hashes of the columns that the parts of one message share.
    var keys: PartKeys
    /// The offset of the row in its text, in bytes from the unit's beginning.
    var position: Int64
    /// The matcher's number for the pattern that the complete message must match; `nil` if there is none.
    var pattern: Int?
}

/// The role of a row's message as a part of a longer one.
///
/// The service cuts messages at 800 characters: `text...`, then rows with a `*` after their time: `...text...` and
/// `...text`, with the other columns repeated; some rows with a `*` lack the correlation. Upgrades and the configuration
/// wizard write an exception and its stack trace as rows of one time.
enum SplitMessage {
    /// The role of a row as a part of an exception.
    enum Trace {
        /// An announcement that an exception follows: `Task configdb has failed with an unknown exception`.
        case opening
        /// A title with a message: `Exception: …`.
        case exception
        /// Frames, or an exception inside the first one: `at A.B.C()`, `Inner Exception: …`.
        case rest
    }

    /// The beginning of a message that may continue in another row.
    case head
    /// A part that continues another row's message and may itself continue in yet another row. A row without a `*` is a
    /// part only if an earlier message ended in dots, because complete messages may also begin with dots.
    case part(isMarked: Bool, hasMore: Bool)
    /// An exception, or a part of one, that other rows of the same time may continue.
    case trace(Trace)

    /// True for a row that may continue another row's message, which only the rows before it show.
    var mayContinue: Bool {
        switch self {
        case .head, .trace(.opening): false
        case .part, .trace: true
        }
    }

    /// Determines the role of a message; `nil` for a complete message.
    @inline(__always)
    init?(_ window: borrowing ByteWindow, _ fields: RowFields) {
        let range = fields.message
        var end = range.upperBound
        let start = range.lowerBound
        // For most messages, this is cheap: the last byte is neither a dot nor a blank, and the first is not a dot.
        guard end &- start > 3 else { return nil }
        let first = window[start]
        let last = window[end &- 1]
        guard
            first == 0x2E || first == 0x20 || last == 0x2E || last == 0x20 || fields.isMarked
                || Trace.mayBe(window, start..<end)
        else { return nil }
        guard !fields.isJoined else { return nil }
        let trimmed = window.trimmed(range)
        end = trimmed.upperBound
        guard trimmed.count > 3 else { return nil }
        let endsInDots = window.hasDots(at: end &- 3)
        if window.hasDots(at: trimmed.lowerBound) {
            // The same dots can't count at both ends: the rest of a message may be just its period.
            self = .part(isMarked: fields.isMarked, hasMore: endsInDots && trimmed.count >= 6)
        } else if endsInDots {
            self = .head
        } else if fields.timeQuality == nil, let trace = Trace(window, trimmed) {
            self = .trace(trace)
        } else {
            return nil
        }
    }
}

extension SplitMessage.Trace {
    /// The beginnings `Exceptio`, `Inner Ex` and `at `, and the end `xception`, as they are in memory.
    private static let exceptio: UInt64 = 0x6F69_7470_6563_7845
    private static let innerEx: UInt64 = 0x7845_2072_656E_6E49
    private static let xception: UInt64 = 0x6E6F_6974_7065_6378
    private static let at: UInt64 = 0x20_7461

    /// Returns false for nearly all messages that are not part of an exception; a row's columns precede the message, so
    /// there are enough bytes before its end.
    @inline(__always)
    static func mayBe(_ window: borrowing ByteWindow, _ message: Range<Int>) -> Bool {
        let word = window.word(message.lowerBound)
        return word == exceptio || word == innerEx || word & 0xFF_FFFF == at
            || message.count >= 8 && window.word(message.upperBound &- 8) == xception
    }

    /// Determines the role of a message without padding; `nil` if it is not part of an exception.
    @inline(never)
    init?(_ window: borrowing ByteWindow, _ message: Range<Int>) {
        guard Self.mayBe(window, message) else { return nil }
        let word = window.word(message.lowerBound)
        if word == Self.exceptio, Self.isTitle(window, message, length: 9) {
            self = .exception
        } else if word == Self.innerEx {
            guard Self.isTitle(window, message, length: 15) else { return nil }
            self = .rest
        } else if word & 0xFF_FFFF == Self.at {
            guard Self.isFrame(window, message) else { return nil }
            self = .rest
        } else {
            self = .opening
        }
    }

    /// Returns whether a colon and a text follow the title.
    private static func isTitle(_ window: borrowing ByteWindow, _ message: Range<Int>, length: Int) -> Bool {
        message.count > length + 2 && window[message.lowerBound + length] == 0x3A
            && window[message.lowerBound + length + 1] == 0x20
    }

    /// Returns whether a method with its type follows: `at A.B.C(`.
    private static func isFrame(_ window: borrowing ByteWindow, _ message: Range<Int>) -> Bool {
        var dots = 0
        for index in message.lowerBound + 3..<min(message.upperBound, message.lowerBound + 300) {
            switch window[index] {
            case 0x28: return dots >= 2
            case 0x2E: dots += 1
            case let byte where byte <= 0x20: return false
            default: break
            }
        }
        return false
    }
}

/// The hashes of the columns that the parts of a split message share.
struct PartKeys: Sendable {
    var key: UInt64
    /// The key of a part of the same message without its correlation; `nil` if the row has none.
    var withoutCorrelation: UInt64?
}

extension ByteWindow {
    /// Returns whether there are three dots at an offset.
    @inline(__always)
    fileprivate func hasDots(at offset: Int) -> Bool { halfWord(offset) & 0x00FF_FFFF == 0x002E_2E2E }

    /// Returns hashes of the columns that the parts of a split message share: server, process, thread, event ID, level
    /// and correlation; those of an exception also share the time.
    func partKeys(_ fields: RowFields, _ split: SplitMessage, server: String?) -> PartKeys {
        var hash = hash(fields.timeEnd + 1..<fields.threadEnd, seed: 0)
        hash = self.hash(fields.threadEnd + 1..<fields.levelEnd, seed: hash)
        for byte in (server ?? "").utf8 { hash = .mixed(UInt64(byte), hash) }
        let key = UInt64.mixed(fields.correlation.high ^ hash, fields.correlation.low)
        if case .trace(let trace) = split {
            // The row after an announcement is an exception, not a frame.
            let own = UInt64.mixed(UInt64(bitPattern: fields.clock), key)
            return PartKeys(key: trace == .opening ? OpenMessages<Int>.announcement(of: own) : own)
        }
        return PartKeys(key: key, withoutCorrelation: fields.hasCorrelation ? .mixed(hash, 0) : nil)
    }

    private func hash(_ range: Range<Int>, seed: UInt64) -> UInt64 {
        var hash = seed
        var offset = range.lowerBound
        while offset &+ 8 <= range.upperBound {
            hash = .mixed(word(offset), hash)
            offset &+= 8
        }
        return .mixed(word(offset) & .lowBytes(range.upperBound &- offset), hash)
    }
}

/// The selected records of a part of a unit, in order.
struct EventBatch: Sendable {
    var items: [EventItem] = []
    /// The edges of requests; see ``RequestEdge``.
    var edges = RequestEdges()
    /// The times of the unit's rows so far, selected or not.
    var times = TimeSpan()
    /// The times by server; known at the end of a unit.
    var serverTimes: [(server: String?, times: TimeSpan)] = []
    /// The times at which servers wrote these rows; known at the end of a unit.
    var servers: [ServerTimeline] = []
    /// The number of rows that the filter and the window accept, judging by columns and times.
    var lookedAt = 0
    /// The times and writers of rows; known at the end of a unit.
    var activity = LogActivity()
    /// The number of rows over time, if it is wanted; known at the end of a unit.
    var timeline: TimelineBuilder?
    /// The rows by request; known at the end of a unit.
    var requests: [RequestRows] = []
    /// The counts of the prefilter's matcher; known at the end of a unit.
    var tally: (any Sendable)?
    /// The number of rows whose times do not show whether they are in the window.
    var incomparable = 0
}

/// The rows of one request in one unit of work.
public struct RequestRows: Sendable, Hashable {
    /// The request.
    public var correlation: CorrelationID
    /// The number of rows, including parts of split messages.
    public var rows: Int
    /// The time of its first row.
    public var firstTime: LogTime
    /// The time of its last row.
    public var lastTime: LogTime
    /// The worst level of the rows, as a rank; see ``ULSLevel/rank``.
    public var rank: Int
    /// The server that wrote the first row, if the row or the file's name contains it.
    public var server: String?
}

/// Information on requests in a unit of work.
public struct RequestUnit: Sendable {
    /// The name of the file, or of the entry in its archive.
    public var file: String
    /// The requests in the order of their first rows.
    public var rows: [RequestRows]
    /// The instant, in milliseconds, before which no later unit has a row, according to the file names; `.min` if
    /// nothing is known.
    public var horizon: Int64
}

/// A counter of a unit's rows by the numbers of their correlations.
struct RequestCounter {
    private var counts: [CorrelationCount] = []
    private var servers: [Int] = []

    /// Counts a row if it has a correlation; `server` is the number of its server.
    @inline(__always)
    mutating func add(_ fields: RowFields, _ time: PackedTime, rank: UInt8, server: Int) {
        let number = fields.correlationNumber
        guard number != 0 else { return }
        if number >= counts.count { makeRoom(number) }
        if time < counts[number].first { servers[number] = server }
        counts[number].add(time, rank: rank)
    }

    @inline(never)
    private mutating func makeRoom(_ number: Int) {
        let missing = number - counts.count + 256
        counts.append(contentsOf: repeatElement(.nothing, count: missing))
        servers.append(contentsOf: repeatElement(0, count: missing))
    }

    /// Returns the counts; `ids` are the correlations by number, `names` the servers by number.
    consuming func finish(_ ids: [CorrelationID], _ names: [String?]) -> [RequestRows] {
        counts.indices.compactMap { number in
            let count = counts[number]
            guard count.count > 0, number < ids.count else { return nil }
            return RequestRows(
                correlation: ids[number],
                rows: Int(count.count),
                firstTime: count.first.time,
                lastTime: count.last.time,
                rank: Int(count.rank),
                server: names[servers[number]]
            )
        }
    }
}
