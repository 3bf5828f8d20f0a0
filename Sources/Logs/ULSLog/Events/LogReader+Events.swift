import Synchronization
import Threads
import ULSPaste
public import ULSRows

extension LogReader {
    /// Delivers the wanted events, one by one, on the caller's thread.
    ///
    /// An error thrown by `body` ends the reading and is rethrown.
    public func forEachEvent(in order: Order, _ body: (borrowing ULSEvent) throws -> Void) throws -> ReadReport {
        try forEachEvent(in: order, of: selection, EventObservers(), body)
    }

    /// Delivers the events that the prefilter and the filter accept, by time across all servers, and the edges of
    /// requests.
    ///
    /// The events are those of ``forEachEvent(in:_:)``, by time, for which the prefilter returns
    /// ``PrefilterResult/yes(_:)``, or whose message, with all its parts joined, matches. The matchers' counts of the
    /// other events are passed to `tallies`, unit by unit in order, with the number of lines above the unit in its
    /// text. The prefilter runs on the reading threads; `edges` and `body` are called on the caller's thread. An error
    /// thrown by `body` ends the reading and is rethrown.
    ///
    /// Edges are taken from all rows that have a correlation and that match the window and the filter's servers,
    /// processes and correlations; levels, categories, event IDs, texts and the prefilter are ignored. Edges of one log
    /// are delivered in the log's order, and never after an event that is further down in the same server's log. They
    /// may come long before that event, because an event may be delayed by other servers or by a split message.
    public func forEachEvent<Prefilter: EventPrefilter>(
        chosenBy prefilter: Prefilter,
        edges: (RequestEdges) -> Void,
        tallies: (Prefilter.Matcher.Tally, Int) -> Void = { _, _ in },
        _ body: (borrowing ULSEvent) throws -> Void
    ) throws -> ReadReport {
        var selection = selection
        selection.prefilter = prefilter
        selection.countsLevelsOverTime = countsLevelsOverTime
        // The absence of rows is also significant, so nothing is skipped.
        // The check for an escape contains the path of the file, and thus the folder of the build; this is its name alone.
        #sourceLocation(file:"LogReader+Events",line:38)
        return try withoutActuallyEscaping(edges) { edges in
            try withoutActuallyEscaping(tallies) { tallies in
                let observers = EventObservers(edges: edges) { tally, lines in
                    if let tally = tally as? Prefilter.Matcher.Tally { tallies(tally, lines) }
                }
                return try forEachEvent(in: .time, of: selection, passesOver: false, observers, body)
            }
        }
    }
    #sourceLocation()

    /// Delivers the events that the prefilter and the filter accept, file by file, and each unit's report on requests.
    ///
    /// This is like ``forEachEvent(chosenBy:edges:tallies:_:)``, but in the order of files. Every row with a
    /// correlation that the filter and the window accept counts toward its request, chosen or not. A unit's report on
    /// requests comes after its edges and before its tally.
    public func forEachRequestUnit<Prefilter: EventPrefilter>(
        chosenBy prefilter: Prefilter,
        edges: (RequestEdges) -> Void,
        units: (RequestUnit) -> Void,
        tallies: (Prefilter.Matcher.Tally, Int) -> Void,
        _ body: (borrowing ULSEvent) throws -> Void
    ) throws -> ReadReport {
        var selection = selection
        selection.prefilter = prefilter
        selection.countsRequests = true
        // The check for an escape contains the path of the file, and thus the folder of the build; this is its name alone.
        #sourceLocation(file:"LogReader+Events",line:66)
        return try withoutActuallyEscaping(edges) { edges in
            try withoutActuallyEscaping(tallies) { tallies in
                try withoutActuallyEscaping(units) { units in
                    var observers = EventObservers(edges: edges) { tally, lines in
                        if let tally = tally as? Prefilter.Matcher.Tally { tallies(tally, lines) }
                    }
                    observers.unit = units
                    return try forEachEvent(in: .files, of: selection, passesOver: false, observers, body)
                }
            }
        }
    }
    #sourceLocation()

    /// The reader's criteria for records.
    var selection: Selection {
        Selection(filter: RecordFilter(filter), window: window, zones: zones, gapMinimum: gapMinimum.milliseconds)
    }

    /// Returns the paths of all files that would be read, including those in folders.
    public func files() throws -> [String] {
        try logs().sources.compactMap { source in
            switch source.kind {
            case .file(let path, _), .stream(.path(let path)): path
            case .stream: nil
            }
        }
    }

    /// Returns the servers that wrote the logs, according to the names of the files.
    package func servers() throws -> Set<String> { Set(try logs().sources.compactMap(\.server)) }

    /// Returns whether all inputs are plain files, so that parts of them can be reread at little cost.
    public func canReadAgain() throws -> Bool {
        try logs().sources.allSatisfy { source in
            if case .file = source.kind { true } else { false }
        }
    }

    /// Finds the logs and determines whether they are copied rows: up to 16 KiB in total, with blanks in place of a log
    /// file's tabs.
    ///
    /// The method waits for the standard input to end or to exceed that size. The result is false for any other pipe
    /// and for any input that is compressed or not in UTF-8, because these can't be examined before they are read.
    ///
    /// - Throws: A ``LogError`` if an input cannot be opened.
    public mutating func detectPaste() throws -> Bool {
        guard let short = try shortReader() else { return false }
        return try short.logs().sources.allSatisfy { source in
            switch source.kind {
            case .file: source.isNative == false
            case .stream(.memory(let text)): !NativeText.isNative(text.bytes.span, isWhole: true)
            case .stream: false
            }
        }
    }

    /// Returns a reader of the same rows, which can read them in addition to this one; `nil` if the inputs are empty or
    /// have more than 16 KiB, or if they can't be read twice: other pipes, and compressed text.
    ///
    /// Like ``detectPaste()``, this finds the logs and waits for the beginning of the standard input, which is kept.
    ///
    /// - Throws: A ``LogError`` if an input cannot be opened.
    package mutating func shortReader() throws -> LogReader? {
        var logs = try logs()
        let beginning = logs.beginningOfStandardInput(NativeText.maximumPaste + 1)
        found = logs
        var total = 0
        for source in logs.sources {
            switch source.kind {
            case .file(_, let size): total += Int(size)
            case .stream(.memory(let text)): total += text.bytes.count
            case .stream(.standardInput) where SourceHead(of: beginning).isPlain(as: source.encoding):
                total += beginning.count
            case .stream: return nil
            }
        }
        guard !logs.sources.isEmpty, total <= NativeText.maximumPaste else { return nil }
        logs.keepStandardInput(beginning)
        var reader = self
        (reader.found, reader.progress) = (logs, nil)
        return reader
    }

    /// Delivers the events of a selection.
    ///
    /// Text that can't contain a wanted event may be skipped; then nothing is known about gaps.
    func forEachEvent(
        in order: Order,
        of selection: Selection,
        passesOver: Bool = true,
        isLive: Bool = false,
        _ observers: EventObservers = EventObservers(),
        _ body: (borrowing ULSEvent) throws -> Void
    ) throws -> ReadReport {
        let plan = try ReadPlan(self)
        let (lanes, note): ([[Int]], String?) =
            order == .files
            ? ([Array(plan.items.indices)], nil)
            : try EventLanes.byServer(plan, mayFold: selection.prefilter != nil)
        var reading = EventReading(plan, selection: selection, laneCount: lanes.count, note: note)
        reading.progress = progress
        // The additional rows do not contain the text that the sieve looks for.
        let sieve = passesOver && selection.extra == .none ? RecordSieve(filter) : nil
        // When servers are merged, they wait for each other.
        let queue = start(
            lanes.map { $0.flatMap { plan.items[$0] } },
            sieve: sieve,
            isLive: isLive && lanes.count == 1
        ) {
            EventSink($0, selection: selection)
        }
        defer { queue.cancel() }
        if lanes.count == 1 {
            while try reading.advance(lane: 0, queue, observers, body) {}
        } else {
            var merge = EventMerge(laneCount: lanes.count)
            try merge.run { lane, ready in
                try reading.advance(lane: lane, queue, observers) { event in ready.append(copy event) }
            } body: { event in
                try body(event)
            }
        }
        return reading.finish(order, hasPassedOver: sieve != nil)
    }
}

/// A pass over the logs that takes events from lanes, joins split messages, and keeps the account.
private struct EventReading {
    private let plan: ReadPlan
    private let selection: Selection
    private var account: ReadAccount
    private var joiners: [EventJoiner]
    /// The timelines by lane.
    private var servers: [[ServerTimeline]]
    private var serverTimes = ServerTimes()
    private var report = ReadReport()
    private var timeline = TimelineBuilder()
    /// A note on the lanes.
    private let note: String?
    /// The maximum time that messages from a pipe wait for their remaining parts; files have no lulls.
    private var patience = JoiningPatience(limit: Lull.patience)
    private let start = ContinuousClock.now
    var progress: ReadProgress?

    init(_ plan: ReadPlan, selection: Selection, laneCount: Int, note: String?) {
        self.plan = plan
        self.note = note
        self.selection = selection
        account = ReadAccount(plan)
        let joiner = EventJoiner(filter: selection.filter, prefilter: selection.prefilter)
        joiners = Array(repeating: joiner, count: laneCount)
        servers = Array(repeating: [], count: laneCount)
    }

    /// Takes the next output of a lane and releases the complete events; returns false at the lane's end.
    mutating func advance(
        lane: Int,
        _ queue: WorkQueue<EventBatch>,
        _ observers: EventObservers,
        _ body: (borrowing ULSEvent) throws -> Void
    ) throws -> Bool {
        try observers.checkpoint()
        var events = 0
        defer {
            report.events += events
            if selection.prefilter == nil { progress?.add(events: events) }
        }
        do {
            guard let output = try queue.next(lane: lane) else {
                try joiners[lane].finish { event in
                    events += 1
                    try body(event)
                }
                return false
            }
            // Edges are delivered before the events, even if they are further down.
            if !output.payload.edges.isEmpty { observers.edges(output.payload.edges) }
            if selection.countsRequests, output.end != nil { observers.unit(requests(in: output)) }
            if let tally = output.payload.tally { observers.tally(tally, account.lines(above: output.text)) }
            take(output, lane)
            if let lull = output.lull { giveUp(lane, lull) }
            try joiners[lane].release { event in
                events += 1
                try body(event)
            }
            if output.lull != nil { try observers.lull() }
        } catch let failure as SourceFailure {
            account.fail(failure)
        }
        return true
    }

    /// Gives up on messages that have waited for a long time for their remaining parts while a pipe is read.
    private mutating func giveUp(_ lane: Int, _ lull: Lull) {
        switch lull {
        case .short: joiners[lane].giveUp(before: patience.due(joiners[lane].taken, at: ContinuousClock.now - start))
        case .long: joiners[lane].giveUp(before: joiners[lane].taken)
        }
    }

    private func requests(in output: borrowing UnitOutput<EventBatch>) -> RequestUnit {
        RequestUnit(
            file: output.text.name,
            rows: output.payload.requests,
            horizon: min(plan.horizon(behind: output.text.source), output.payload.times.last?.instant ?? .min)
        )
    }

    private mutating func take(_ output: borrowing UnitOutput<EventBatch>, _ lane: Int) {
        account.addTimes(output.payload.times, of: output.text)
        for timeline in output.payload.servers { servers[lane].append(continuing: timeline) }
        for (server, times) in output.payload.serverTimes { serverTimes.add(times, server: server) }
        report.incomparable += output.payload.incomparable
        report.lookedAt += output.payload.lookedAt
        if selection.prefilter != nil { progress?.add(events: output.payload.lookedAt) }
        report.activity.add(output.payload.activity)
        if let counted = output.payload.timeline { timeline.add(counted) }
        if !output.payload.items.isEmpty {
            let lines = account.lines(above: output.text, withSkipped: selection.countsSkippedLines)
            for item in output.payload.items {
                joiners[lane].take(item, lines: lines, server: output.text.server)
            }
        }
        if let end = output.end {
            joiners[lane].endUnit(bytes: end.bytes, server: output.text.server)
            account.end(end, of: output.text)
        }
    }

    /// Returns the report, which does not cover servers if rows were skipped.
    consuming func finish(_ order: LogReader.Order, hasPassedOver: Bool) -> ReadReport {
        report.notes = plan.notes + (order == .time ? account.archiveNotes : []) + [note].compactMap(\.self)
        report.files = account.files()
        report.timeline = timeline.timeline()
        report.quality = account.quality
        for joiner in joiners { report.quality += joiner.quality }
        report.timelines = servers.flatMap(\.self)
        report.quality.clockSteps = report.timelines.reduce(0) { $0 + $1.steps }
        if !hasPassedOver {
            report.servers = serverTimes.list(report.timelines).map { $0.clipped(to: selection.window) }
            report.gaps = report.timelines.gaps
            if selection.prefilter != nil {
                let gapCount = report.timelines.reduce(0) { $0 + $1.gapCount }
                report.quality.reach(.gaps, times: gapCount - report.gaps.count)
            }
            report.gaps.removeAll { !selection.window.mayTouch(from: $0.from, until: $0.until) }
        }
        report.coverage = report.events == 0 ? ServerCoverage.of(plan, report.files) : []
        return report
    }
}

/// Results reported in addition to events.
struct EventObservers {
    var edges: (RequestEdges) -> Void = { _ in }
    /// Receives the counts of a unit and the number of lines above it in its text.
    var tally: (any Sendable, Int) -> Void = { _, _ in }
    /// Called when there is nothing to read at the moment.
    var lull: () throws -> Void = {}
    /// Receives a unit's information on requests before its counts.
    var unit: (RequestUnit) -> Void = { _ in }
    /// Called before each piece of the logs; an error ends the reading.
    var checkpoint: () throws -> Void = {}
}

extension LogReader {
    /// Returns the first wanted event of a request within a certain time before a known event, with its place
    /// corrected.
    ///
    /// Only the part of a large file that samples suggest is read, because the event is merely a hint for the reader of
    /// a report. Its place in the file is derived from that of the known event.
    ///
    /// - Parameters:
    ///   - correlation: The request.
    ///   - time: The known event's time; a time without a date does not limit the search.
    ///   - milliseconds: The number of milliseconds before the known event at which the search begins.
    ///   - place: The known event's place.
    ///   - isKnown: Returns whether an event is the known event, which the wanted event must precede.
    ///   - isWanted: Returns whether an event is wanted.
    /// - Returns: The event; `nil` if there is none before the known event.
    /// - Throws: Any error from reading.
    public func firstEvent(
        of correlation: CorrelationID,
        before time: LogTime,
        by milliseconds: Int64,
        at place: ULSEvent.Place,
        isKnown: (borrowing ULSEvent) -> Bool,
        isWanted: (borrowing ULSEvent) -> Bool
    ) throws -> ULSEvent? {
        var reader = self
        // Rereading a few rows must not affect the displayed progress.
        reader.progress = nil
        reader.filter = EventFilter()
        reader.filter.correlations = [CorrelationPattern(correlation)]
        reader.bisects = true
        if window.isAll, time.hasDate { reader.window = TimeWindow(before: time, by: milliseconds) }
        var selection = reader.selection
        selection.countsSkippedLines = false
        var wanted: ULSEvent?
        var known: ULSEvent.Place?
        do {
            _ = try reader.forEachEvent(in: .time, of: selection, EventObservers()) { event in
                if event.place.file == place.file, isKnown(event) {
                    known = event.place
                    throw Found()
                }
                if wanted == nil, isWanted(event) { wanted = copy event }
            }
        } catch is Found {}
        guard var wanted, let known, wanted.place.file == place.file else { return nil }
        wanted.place.line += place.line - known.line
        wanted.place.lineEnd += place.line - known.line
        return wanted
    }

    /// An error that ends the reading once the known event is found.
    private struct Found: Error {}
}

extension LogReader {
    /// Returns the wanted events as an asynchronous sequence, read on separate threads.
    ///
    /// ```swift
    /// let events = LogReader(inputs: ["/logs"]).events()
    /// for try await event in events { print(event.text(.message)) }
    /// print(events.report?.quality.notUnderstood ?? 0)
    /// ```
    ///
    /// Reading waits for the loop, so memory use is bounded. Reading ends when the loop ends or its task is canceled;
    /// in the latter case, the loop throws a `CancellationError`.
    public func events(in order: Order = .time) -> LogEvents { LogEvents(self, order) }
}

/// The events of logs, in sequence; each iteration rereads the logs.
public struct LogEvents: AsyncSequence, Sendable {
    private let reader: LogReader
    private let order: LogReader.Order
    private let latest = LatestReport()

    /// The progress of reading: the reader's own counter, if it has one.
    public let progress: ReadProgress

    /// The result of reading, once an iteration is complete; `nil` before that.
    public var report: ReadReport? { latest.report.withLock { $0 } }

    init(_ reader: LogReader, _ order: LogReader.Order) {
        progress = reader.progress ?? ReadProgress()
        var reader = reader
        reader.progress = progress
        (self.reader, self.order) = (reader, order)
    }

    /// Reads logs event by event.
    public struct Iterator: AsyncIteratorProtocol {
        private let reading: LogReading
        private var ready: [ULSEvent] = []
        private var index = 0

        fileprivate init(_ reading: LogReading) { self.reading = reading }

        /// Returns the next event; throws `CancellationError` and any error that ``LogReader/forEachEvent(in:_:)``
        /// throws.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ULSEvent? {
            if index == ready.count {
                ready = try await reading.take(isolation: actor)
                index = 0
                guard !ready.isEmpty else { return nil }
            }
            defer { index += 1 }
            return ready[index]
        }
    }

    /// Prepares to read; reading begins when the first event is requested.
    public func makeAsyncIterator() -> Iterator { Iterator(LogReading(reader, order, latest)) }
}

/// A holder for the report of the latest iteration.
private final class LatestReport: Sendable {
    let report = Mutex<ReadReport?>(nil)
}

/// One pass over the logs by an iterator; it ends when the last reference is released.
private final class LogReading: Sendable {
    private let relay = EventRelay()
    private let start: @Sendable (EventRelay) -> Void
    private let isStarted = Atomic(false)

    init(_ reader: LogReader, _ order: LogReader.Order, _ latest: LatestReport) {
        start = { relay in
            startThread {
                do {
                    let report = try reader.relay(order, to: relay)
                    latest.report.withLock { $0 = report }
                    relay.end(nil)
                } catch {
                    relay.end(error)
                }
            }
        }
    }

    deinit { relay.cancel() }

    /// Returns the next events; an empty list at the end.
    func take(isolation: isolated (any Actor)?) async throws -> [ULSEvent] {
        if !isStarted.exchange(true, ordering: .relaxed) { start(relay) }
        try Task.checkCancellation()
        let relay = relay
        return try await withTaskCancellationHandler(
            operation: {
                await withCheckedContinuation(isolation: isolation) { relay.wait($0) }
                return try relay.take()
            },
            onCancel: { relay.cancel() },
            isolation: isolation
        )
    }
}

/// Events in transit from the reading thread to the task that consumes them.
private final class EventRelay: Sendable {
    private struct State {
        var events: [ULSEvent] = []
        var bytes = 0
        /// The task that waits for the next events; there is only one reader.
        var waiting: CheckedContinuation<Void, Never>?
        var isEnded = false
        var failure: (any Error)?
        var isCancelled = false

        var isReady: Bool { !events.isEmpty || isEnded || isCancelled }

        /// Returns the waiting task, which the caller must resume once, if there is something for it to take.
        mutating func takeWaiting() -> CheckedContinuation<Void, Never>? {
            guard isReady else { return nil }
            defer { waiting = nil }
            return waiting
        }
    }

    /// The maximum number of waiting events, and of the bytes of their messages.
    private static let maximumCount = 1_024
    private static let maximumBytes = 4 << 20

    private let state = Monitor(State())

    /// Adds an event, waiting while there are too many.
    func put(_ event: borrowing ULSEvent) throws {
        let waiting = try state.wait { state -> CheckedContinuation<Void, Never>?? in
            guard !state.isCancelled else { throw CancellationError() }
            guard state.events.count < Self.maximumCount, state.bytes < Self.maximumBytes else { return nil }
            state.events.append(copy event)
            state.bytes += event[.message].count
            return .some(state.takeWaiting())
        }
        waiting?.resume()
    }

    /// Throws if no more events are wanted.
    func check() throws {
        if state.change({ $0.isCancelled }) { throw CancellationError() }
    }

    func end(_ failure: (any Error)?) {
        let waiting = state.change { state in
            (state.isEnded, state.failure) = (true, failure)
            return state.takeWaiting()
        }
        waiting?.resume()
    }

    func cancel() {
        let waiting = state.change { state in
            state.isCancelled = true
            return state.takeWaiting()
        }
        waiting?.resume()
    }

    /// Resumes the task when there is something to take.
    func wait(_ task: CheckedContinuation<Void, Never>) {
        let ready = state.change { state in
            state.waiting = task
            return state.takeWaiting()
        }
        ready?.resume()
    }

    func take() throws -> [ULSEvent] {
        try state.change { state in
            if state.isCancelled { throw CancellationError() }
            defer { (state.events, state.bytes) = ([], 0) }
            if state.events.isEmpty, let failure = state.failure { throw failure }
            return state.events
        }
    }
}

extension LogReader {
    /// Reads all wanted events into a relay.
    fileprivate func relay(_ order: Order, to relay: EventRelay) throws -> ReadReport {
        // A search that finds nothing for a long time must also be cancelable.
        let observers = EventObservers(checkpoint: { try relay.check() })
        // When a pipe is idle, no event is held back.
        return try forEachEvent(in: order, of: selection, isLive: true, observers) { try relay.put($0) }
    }
}
