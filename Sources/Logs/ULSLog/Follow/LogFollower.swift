import Files
public import ULSRows

/// A follower of logs that are being written, which reads files and folders and handles rollover, rotation and new
/// files.
///
/// A follower has no clock and does not wait: its owner calls it when something may have been written, and passes the
/// time, measured from an arbitrary moment. The first call takes the last existing events.
///
/// ```swift
/// var follower = try LogFollower(reader, last: 10)
/// while isWanted {
///     let isBehind = try follower.look(at: clock.now - start, relists: true) { event, isHit in … }
///     if !isBehind { wait(upTo: LogFollower.interval) }
/// }
/// let report = try follower.finish { event, isHit in … }
/// ```
///
/// A row is held until its line end has been written, and for another `hold`, because the next lines may be part of it.
/// A row that lacks columns, or whose message may continue in another row, is visibly unfinished, so it is held for
/// `longHold`, or until its thread writes another row. The rows of several servers are ordered by time as long as they
/// arrive at the same time. A file that was truncated, even if it has grown again, is reread from its beginning, and
/// counts as partly read.
public struct LogFollower {
    /// The maximum time to wait before looking again.
    public static let interval = Duration.milliseconds(100)
    /// The maximum time between two listings of folders.
    public static let listingInterval = Duration.seconds(1)
    /// The time for which a row is held because the lines that follow may be part of it.
    static let hold = Duration.milliseconds(60)
    /// The time for which visibly unfinished rows are held.
    static let longHold = Duration.seconds(2)

    /// An existing file, which is checked as long as it may grow, and opened as soon as it has grown.
    fileprivate struct Entry {
        var source: LogSource
        var identity: FileIdentity
        /// The place where reading begins once the file grows, and the time of its last change before that.
        var start = ReadMark()
        var written: Duration?
        var file: FollowedFile?
        /// The time at which the file last grew.
        var lastGrowth: Duration
    }

    private struct ThreadName: Hashable {
        let process: String
        let processID: String
        let thread: String
    }

    /// The rows of one server, or of one file whose server is unknown.
    private struct Lane {
        var joiner: EventJoiner
        var patience = JoiningPatience(limit: LogFollower.longHold)
        /// The numbers of the messages that may continue, by the threads that write them.
        var unfinished: [ThreadName: Int] = [:]
        /// The approximate number of bytes taken from the lane's log.
        var position: Int64 = 0
        var ready: [ULSEvent] = []
    }

    private let paths: FollowedPaths
    private let selection: Selection
    private let sizes: ReadingSizes
    private let last: Int
    private let observers: EventObservers
    private var chooser: HitChooser
    private var entries: [Entry] = []
    /// The files that were deleted or renamed, which are kept as long as their writer may continue.
    private var nameless: [FollowedFile] = []
    private var lanes: [Lane] = []
    private var laneNumbers: [String: Int] = [:]
    private var account = FollowAccount()
    private var isFirst = true
    private var events = 0

    /// The number of bytes at the end of the newest files that are searched for the last events.
    static let tailBytes: Int64 = 8 << 20
    /// The maximum number of pieces read from a file per call, so that the owner can do other work between calls.
    private static let maximumPieces = 16
    /// The maximum number of threads per server whose unfinished messages are tracked.
    private static let maximumThreads = 4096
    private static let usualRowBytes: Int64 = 256
    /// The number of files above which only files that may grow are checked each time; the others wait for the next
    /// listing.
    private static let maximumWatched = 64
    /// The time for which a file is watched after it was deleted or renamed, or after a newer file appeared.
    private static let patience = Duration.seconds(60)

    /// Creates a follower; its first look takes the `last` most recent existing events.
    ///
    /// - Throws: A ``LogError`` if an input does not exist or, like an archive, can't grow.
    public init(_ reader: LogReader, last: Int = 0, around reach: ContextReach = ContextReach()) throws {
        var plain = reader
        if !reach.isEmpty {
            plain.filter = EventFilter()
            plain.filter.servers = reader.filter.servers
            plain.filter.correlations = reader.filter.correlations
        }
        let chooser = HitChooser(reader.filter, reach)
        try self.init(plain, plain.selection, last: last, EventObservers(), chooser)
    }

    /// Creates a follower of the events that a prefilter chooses, and of the edges of requests.
    ///
    /// Records that a reading thread would otherwise only count are also delivered.
    public init(
        _ reader: LogReader,
        chosenBy prefilter: some EventPrefilter,
        last: Int = 0,
        edges: @escaping (RequestEdges) -> Void
    ) throws {
        var selection = reader.selection
        selection.prefilter = prefilter
        selection.countsRecords = false
        let chooser = HitChooser(reader.filter, ContextReach())
        try self.init(reader, selection, last: last, EventObservers(edges: edges), chooser)
    }

    private init(
        _ reader: LogReader,
        _ selection: Selection,
        last: Int,
        _ observers: EventObservers,
        _ chooser: HitChooser
    ) throws {
        paths = try FollowedPaths(reader.inputs, encoding: reader.encoding)
        self.selection = selection
        sizes = reader.sizes
        self.last = last
        self.observers = observers
        self.chooser = chooser
    }

    /// The folders to watch, because files may come and go in them.
    public var folders: [String] { paths.folders }

    /// Looks for text written since the last call, and delivers the complete events.
    ///
    /// - Parameters:
    ///   - now: The time, measured from an arbitrary moment; it never decreases.
    ///   - relists: Whether files may have been created, deleted or renamed.
    ///   - body: Receives each event, and whether it is a hit rather than an event near a hit.
    /// - Returns: Whether there is more to read immediately.
    /// - Throws: Any error that `body` throws; unreadable input is listed in the report.
    public mutating func look(
        at now: Duration,
        relists: Bool,
        _ body: (borrowing ULSEvent, _ isHit: Bool) throws -> Void
    ) throws -> Bool {
        if isFirst {
            isFirst = false
            try begin(at: now, body)
            return false
        }
        let isMoved = relists || entries.prefix(Self.maximumWatched).contains { !$0.isInPlace }
        if isMoved { relist(at: now) }
        var isBehind = false
        readNameless(at: now, &isBehind)
        for index in entries.indices where isWatched(index, at: now) || isMoved { read(index, at: now, &isBehind) }
        for event in released(at: now) where try chooser.take(event, body) { events += 1 }
        return isBehind
    }

    /// Returns the maximum time to wait before looking again, which is short if events are held.
    public func pause(at now: Duration) -> Duration {
        let files = nameless + entries.compactMap(\.file)
        let records = files.filter(\.holdsRecord).map(\.dueTime)
        let next = (records + lanes.compactMap(\.patience.nextTime)).filter { $0 > now }.min()
        return next.map { min($0 - now, Self.interval) } ?? Self.interval
    }

    /// Delivers everything that is held, and returns the report.
    public mutating func finish(_ body: (borrowing ULSEvent, _ isHit: Bool) throws -> Void) throws -> ReadReport {
        for index in entries.indices { takeLast(index, isEnd: true) }
        for lane in lanes.indices { lanes[lane].joiner.giveUp(before: lanes[lane].joiner.taken) }
        for event in released(at: nil) where try chooser.take(event, body) { events += 1 }
        return report
    }

    /// The report on the text read so far.
    public var report: ReadReport {
        var account = account
        for file in nameless + entries.compactMap(\.file) { account.add(file.account()) }
        var joining = ReadQuality()
        for lane in lanes { joining += lane.joiner.quality }
        return account.report(events: events, joining, selection)
    }
}

extension LogFollower {
    /// Takes the last existing events; all earlier ones are ignored.
    private mutating func begin(at now: Duration, _ body: (borrowing ULSEvent, Bool) throws -> Void) throws {
        let found = paths.list()
        for (number, (source, status)) in found.enumerated() {
            let isNewest =
                source.server == nil || !found[(number + 1)...].contains { $0.source.server == source.server }
            let tail = isNewest && last > 0 ? Self.tailBytes : 0
            let start = FollowedFile.start(in: source, tail: tail)
            entries.append(
                Entry(
                    source: source,
                    identity: status.identity,
                    start: start,
                    written: status.written,
                    lastGrowth: now
                )
            )
            if found.count <= Self.maximumWatched || isNewest { open(entries.count - 1, at: now) }
        }
        var latest = LastEvents(last)
        var isBehind = true
        while isBehind {
            isBehind = false
            for index in entries.indices where entries[index].file != nil { read(index, at: now, &isBehind) }
        }
        // Existing rows were written earlier, so no more of their parts are expected. Only when the last row of each
        // server is known can the rows of all servers be merged.
        for index in entries.indices {
            takeLast(index)
        }
        for lane in lanes.indices { lanes[lane].joiner.giveUp(before: lanes[lane].joiner.taken) }
        for event in released(at: nil) { chooser.take(event) { latest.append($0, isHit: $1) } }
        for (event, isHit) in latest.events {
            if isHit { events += 1 }
            try body(event, isHit)
        }
    }

    private func isWatched(_ index: Int, at now: Duration) -> Bool {
        guard entries.count > Self.maximumWatched else { return true }
        let server = entries[index].source.server
        return now - entries[index].lastGrowth < Self.patience
            || !entries[(index + 1)...].contains { $0.source.server == server }
    }

    /// Compares the existing files with the known ones.
    private mutating func relist(at now: Duration) {
        let known = entries
        var left = Dictionary(known.map { ($0.identity, $0) }, uniquingKeysWith: { first, _ in first })
        entries = paths.list().map { source, status in
            if var entry = left.removeValue(forKey: status.identity) {
                entry.source = source
                return entry
            }
            // A new file is read from its beginning.
            return Entry(source: source, identity: status.identity, lastGrowth: now)
        }
        for file in left.values.compactMap(\.file) { nameless.append(file) }
        closeOthers(at: now)
    }

    /// Closes idle files that newer files have replaced, if there are many of them.
    private mutating func closeOthers(at now: Duration) {
        guard entries.count > Self.maximumWatched else { return }
        for index in entries.indices where !isWatched(index, at: now) {
            guard let file = entries[index].file, !file.holdsRecord, let status = file.status, status.size == file.place
            else { continue }
            account.add(file.account())
            (entries[index].start, entries[index].written) = (file.mark, status.written)
            entries[index].file = nil
        }
    }

    private mutating func open(_ index: Int, at now: Duration) {
        let selection = selection
        do throws(LogSourceError) {
            let file = try FollowedFile(entries[index].source, from: entries[index].start, at: now, sizes: sizes) {
                EventSink($0, selection: selection)
            }
            // Another file may have taken the name; the next listing will find it.
            if file.identity == entries[index].identity { entries[index].file = file }
        } catch {
            account.note(error.description, on: entries[index].source, isIncomplete: true)
        }
    }

    /// Reads new text from a file.
    private mutating func read(_ index: Int, at now: Duration, _ isBehind: inout Bool) {
        if entries[index].file == nil {
            let entry = entries[index]
            guard let status = FileStatus(path: entry.source.name), status.identity == entry.identity,
                status.size != entry.start.place || status.written != entry.written
            else { return }
            open(index, at: now)
        }
        guard let file = entries[index].file else { return }
        if file.size > file.place { endRecords(before: index) }
        guard var current = entries[index].file else { return }
        // The file is removed from the entry because a second reference would cause a copy when the file is changed.
        entries[index].file = nil
        read(&current, at: now, &isBehind)
        entries[index].lastGrowth = current.lastGrowth
        entries[index].file = current
    }

    /// Takes the records that earlier files of the same server hold, because they are complete once the next file is
    /// written.
    private mutating func endRecords(before index: Int) {
        guard let server = entries[index].source.server else { return }
        for earlier in entries.indices.prefix(index) where entries[earlier].source.server == server {
            guard let file = entries[earlier].file, file.holdsRecord, file.size == file.place else { continue }
            takeLast(earlier)
        }
    }

    /// Rereads a file from its beginning because it no longer contains the text that was already read.
    private mutating func restart(_ file: inout FollowedFile, at now: Duration) throws(LogSourceError) {
        let rewound = try file.rewound(at: now)
        let batch = file.takeLast()
        take(batch, of: &file)
        account.add(file.account())
        account.note(
            "it was truncated or rewritten while it was followed, and was read again from its beginning; rows may be missing",
            on: file.source,
            isIncomplete: true
        )
        file = rewound
    }

    private mutating func readNameless(at now: Duration, _ isBehind: inout Bool) {
        for index in nameless.indices {
            var file = nameless[index]
            read(&file, at: now, &isBehind)
            nameless[index] = file
        }
        for file in nameless where now - file.lastGrowth >= Self.patience && !file.holdsRecord {
            account.add(file.account())
        }
        nameless.removeAll { now - $0.lastGrowth >= Self.patience && !$0.holdsRecord }
    }

    private mutating func read(_ file: inout FollowedFile, at now: Duration, _ isBehind: inout Bool) {
        do {
            for piece in 0..<Self.maximumPieces {
                if let batch = try file.takeMore(at: now) {
                    take(batch, of: &file)
                } else if file.isRewritten {
                    try restart(&file, at: now)
                } else {
                    break
                }
                if piece == Self.maximumPieces - 1 { isBehind = true }
            }
        } catch {
            account.note("\(error)", on: file.source, isIncomplete: true)
        }
        guard file.holdsRecord, now >= file.dueTime else { return }
        let batch = file.takeLast()
        take(batch, of: &file)
    }

    /// Takes the record that a file holds.
    private mutating func takeLast(_ index: Int, isEnd: Bool = false) {
        guard var file = entries[index].file else { return }
        let batch = file.takeLast(isEnd: isEnd)
        take(batch, of: &file)
        entries[index].file = file
    }

    private mutating func take(_ batch: EventBatch?, of file: inout FollowedFile) {
        guard let batch else { return }
        if !batch.edges.isEmpty { observers.edges(batch.edges) }
        account.add(incomparable: batch.incomparable)
        guard !batch.items.isEmpty else { return }
        let key = file.source.server?.lowercased() ?? "\n" + file.source.name
        let lane = laneNumbers[key] ?? lanes.count
        if lane == lanes.count {
            laneNumbers[key] = lane
            lanes.append(Lane(joiner: EventJoiner(filter: selection.filter, prefilter: selection.prefilter)))
        }
        let lines = file.linesAbove()
        for var item in batch.items {
            // Files follow one another, so only the approximate number of bytes of the server's logs between rows
            // matters.
            lanes[lane].position += Self.usualRowBytes
            item.position = lanes[lane].position
            let number = lanes[lane].joiner.taken
            lanes[lane].joiner.take(item, lines: lines, server: file.source.server)
            noteThread(of: item, number, lane)
        }
    }

    /// Stops waiting for the rest of a thread's message when the thread writes something else; `number` is that of the
    /// item, unless the item was joined to an earlier one.
    private mutating func noteThread(of item: borrowing EventItem, _ number: Int, _ lane: Int) {
        let isEmpty = lanes[lane].unfinished.isEmpty
        guard item.split != nil || !isEmpty else { return }
        let thread = ThreadName(
            process: item.event.text(.process),
            processID: item.event.text(.processID),
            thread: item.event.text(.threadID)
        )
        switch item.split {
        case .part(_, let hasMore):
            if !hasMore { lanes[lane].unfinished[thread] = nil }
        case .trace where lanes[lane].joiner.taken == number: break
        case .head, .trace, nil:
            if let open = lanes[lane].unfinished.removeValue(forKey: thread) { lanes[lane].joiner.giveUp(open) }
            if item.split != nil { lanes[lane].unfinished[thread] = number }
        }
        // An item that has become too old to wait for need not be tracked.
        if lanes[lane].unfinished.count > Self.maximumThreads { lanes[lane].unfinished.removeAll() }
    }

    /// Returns the complete events, by time; if `now` is `nil`, messages wait as long as their log requires.
    private mutating func released(at now: Duration?) -> [ULSEvent] {
        for lane in lanes.indices {
            if let now {
                let due = lanes[lane].patience.due(lanes[lane].joiner.taken, at: now)
                lanes[lane].joiner.giveUp(before: due)
            }
            var ready: [ULSEvent] = []
            lanes[lane].joiner.release { ready.append(copy $0) }
            lanes[lane].ready = ready
        }
        let filled = lanes.indices.filter { !lanes[$0].ready.isEmpty }
        guard let only = filled.first else { return [] }
        defer { for lane in filled { lanes[lane].ready = [] } }
        guard filled.count > 1 else { return lanes[only].ready }
        var merged: [ULSEvent] = []
        var merge = EventMerge(laneCount: filled.count)
        merge.run { number, ready in
            ready = lanes[filled[number]].ready
            return false
        } body: { event in
            merged.append(copy event)
        }
        return merged
    }
}

extension LogFollower.Entry {
    /// Whether the file's path still leads to this file.
    fileprivate var isInPlace: Bool { FileStatus(path: source.name)?.identity == identity }
}

/// The account of the data read from followed logs: files, lines, and times.
struct FollowAccount {
    /// Reports by path, in order of appearance.
    private var files: [String: (number: Int, report: SourceReport, times: TimeSpan)] = [:]
    private var quality = ReadQuality()
    private var timelines: [ServerTimeline] = []
    private var serverTimes = ServerTimes()
    private var lookedAt = 0
    private var incomparable = 0
    private var activity = LogActivity()

    /// The maximum number of files whose reports are kept; the lines of other files are still counted.
    private static let maximumFiles = 10_000

    /// Adds the results of reading a file.
    mutating func add(_ output: UnitOutput<EventBatch>) {
        let batch = output.payload
        for timeline in batch.servers { timelines.append(continuing: timeline) }
        for (server, times) in batch.serverTimes { serverTimes.add(times, server: server) }
        lookedAt += batch.lookedAt
        activity.add(batch.activity)
        guard let end = output.end else { return }
        quality += end.quality
        change(output.text.name, output.text.server) { report, times in
            report.bytes += Int(end.bytes)
            report.records += end.quality.records
            times.add(batch.times)
            report.firstTime = times.first?.time
            report.lastTime = times.last?.time
        }
    }

    mutating func add(incomparable count: Int) { incomparable += count }

    /// Adds a note on a file, which marks the file as incomplete if something in it could not be read.
    mutating func note(_ text: String, on source: LogSource, isIncomplete: Bool = false) {
        change(source.name, source.server) { report, _ in
            if !report.notes.contains(text) { report.notes.append(text) }
            report.isIncomplete = report.isIncomplete || isIncomplete
        }
    }

    private mutating func change(
        _ name: String,
        _ server: String?,
        _ body: (inout SourceReport, inout TimeSpan) -> Void
    ) {
        if files[name] == nil, files.count >= Self.maximumFiles { return }
        var file = files[name] ?? (files.count, SourceReport(name: name, server: server), TimeSpan())
        body(&file.report, &file.times)
        files[name] = file
    }

    /// Returns the report, with the number of events delivered and the quality of joining messages.
    func report(events: Int, _ joining: ReadQuality, _ selection: Selection) -> ReadReport {
        var report = ReadReport()
        report.files = files.values.sorted { $0.number < $1.number }.map(\.report)
        report.events = events
        report.lookedAt = lookedAt
        report.quality = quality
        report.quality += joining
        report.incomparable = incomparable
        report.timelines = timelines
        report.quality.clockSteps = timelines.reduce(0) { $0 + $1.steps }
        report.servers = serverTimes.list(timelines).map { $0.clipped(to: selection.window) }
        report.gaps = timelines.gaps.filter { selection.window.mayTouch(from: $0.from, until: $0.until) }
        report.activity = activity
        return report
    }
}

/// A chooser of hits among events, and of the events around them.
struct HitChooser {
    private var context: EventContext?
    private let test: EventTest

    init(_ filter: EventFilter, _ reach: ContextReach) {
        context = reach.isEmpty ? nil : EventContext(reach)
        test = EventTest(filter)
    }

    /// Takes an event and delivers the wanted events; returns whether it is a hit.
    @discardableResult
    mutating func take(
        _ event: borrowing ULSEvent,
        _ body: (borrowing ULSEvent, Bool) throws -> Void
    ) rethrows -> Bool {
        guard context != nil else {
            try body(event, true)
            return true
        }
        let isHit = test.wants(event)
        try context?.take(event, isHit: isHit, body)
        return isHit
    }
}

/// The last events before a follower begins, with the events around them.
struct LastEvents {
    private let limit: Int
    private(set) var events: [(event: ULSEvent, isHit: Bool)] = []
    private var hits = 0

    init(_ limit: Int) { self.limit = limit }

    mutating func append(_ event: borrowing ULSEvent, isHit: Bool) {
        guard limit > 0 else { return }
        events.append((copy event, isHit))
        guard isHit else { return }
        hits += 1
        guard hits > limit, let first = events.firstIndex(where: \.isHit) else { return }
        events.removeFirst(first + 1)
        hits -= 1
    }
}
