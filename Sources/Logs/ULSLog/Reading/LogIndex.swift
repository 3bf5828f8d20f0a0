import Synchronization
public import ULSRows

/// An index of the rows of plain logs, by time across all servers.
///
/// The index takes 16 bytes per row, and rows are read only when they are shown, so logs may be larger than memory.
///
/// ``build()`` fills the index on the caller's thread while other threads use the rows found so far. The reader's
/// filter and window determine which rows are included. Parts of a split message are not separate rows unless the
/// filter looks for texts, which are searched for in each part separately and not across the boundary between two
/// parts.
public final class LogIndex: Sendable {
    /// The progress of the index.
    public struct Progress: Hashable, Sendable {
        /// The number of rows found so far.
        public var rows = 0
        /// The number of bytes examined so far.
        public var bytes: Int64 = 0
        /// The total number of bytes to read.
        public var totalBytes: Int64 = 0
        /// Whether all files were examined up to the size that they had when they were found.
        public var isComplete = false
        /// Notes for the user on files that could not be read.
        public var notes: [String] = []

        /// Creates the progress of an index that has not been started.
        public init() {}
    }

    private struct State {
        var progress = Progress()
        var rows = RowStore()
        var sources: [IndexedSource] = []
    }

    private let reader: LogReader
    private let state = Mutex(State())
    private let isCancelled = Atomic(false)

    /// Finds the logs.
    ///
    /// - Throws: A ``LogError`` if an input cannot be opened, or if none is a plain native log.
    public init(_ reader: LogReader) throws {
        self.reader = reader
        let plan = try ReadPlan(reader)
        let (plain, others) = Self.split(plan)
        guard !plain.isEmpty else {
            let name = others.first ?? reader.inputs.first ?? "the input"
            throw LogError(
                code: .usage,
                message: "\(name) is compressed, a pipe, or not a native log, so its rows cannot be read in any order",
                advice: "unpack it first, or use: fastctl logs show"
            )
        }
        state.withLock { state in
            state.sources = plain
            state.progress.totalBytes = plain.reduce(0) { $0 + $1.size }
            state.progress.notes = others.map { "\($0) is left out: it is compressed, a pipe, or not a native log" }
        }
    }

    /// The progress of the index.
    public var progress: Progress { state.withLock { $0.progress } }

    /// Causes ``build()`` and ``extend()`` to end soon.
    public func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// Reads all logs and adds their rows, blocking until that is done or canceled.
    public func build() throws {
        let plan = try ReadPlan(reader)
        let lanes = try EventLanes.byServer(plan, mayFold: true).lanes
        let items = lanes.map { lane in lane.flatMap { plan.items[$0].filter { !$0.mayBlock } } }
        try add(items.filter { !$0.isEmpty }, of: plan)
        state.withLock { $0.progress.isComplete = !isCancelled.load(ordering: .relaxed) }
    }

    /// Adds the rows written in the meantime, and returns whether there are any, blocking until that is done.
    public func extend() throws -> Bool {
        let before = progress.rows
        let plan = try ReadPlan(reader)
        let known = state.withLock { state in
            for source in Self.split(plan).plain where !state.sources.contains(where: { $0.name == source.name }) {
                state.sources.append(source)
            }
            return state.sources
        }
        var items: [WorkItem] = []
        for (number, source) in plan.sources.enumerated() {
            guard case .file(let path, let size) = source.kind,
                let old = known.first(where: { $0.name == source.name }),
                size > old.end
            else { continue }
            let start = max(0, old.lastRow ?? 0)
            items.append(
                .part(
                    WorkItem.FilePart(
                        text: LogText(source: number, name: source.name, server: source.server),
                        file: PartedFile(path: path, parts: 1),
                        start: start,
                        end: .max,
                        fileEnd: size,
                        isFirst: start == 0,
                        isLast: true
                    )
                )
            )
        }
        if !items.isEmpty { try add([items], of: plan, isExtension: true) }
        return progress.rows > before
    }

    /// Returns the sources whose rows can be read at any offset, and the names of all others.
    private static func split(_ plan: ReadPlan) -> (plain: [IndexedSource], others: [String]) {
        var (plain, others): ([IndexedSource], [String]) = ([], [])
        for (number, source) in plan.sources.enumerated() where !plan.items[number].isEmpty {
            if case .file(let path, let size) = source.kind, plan.items[number].allSatisfy({ !$0.mayBlock }) {
                plain.append(IndexedSource(name: source.name, path: path, size: size))
            } else {
                others.append(source.name)
            }
        }
        return (plain, others)
    }
}

extension LogIndex {
    /// Reads work items in lanes, and adds their rows by time; the rows of a lane keep their order.
    private func add(_ lanes: [[WorkItem]], of plan: ReadPlan, isExtension: Bool = false) throws {
        let selection = reader.selection
        let queue = reader.start(lanes) { RowSink($0, selection: selection) }
        defer { queue.cancel() }
        let numbers = state.withLock { state in
            plan.sources.map { source in state.sources.firstIndex { $0.name == source.name } }
        }
        var bases = IndexBases(plan, lanes)
        var merge = RowMerge(laneCount: lanes.count)
        while !isCancelled.load(ordering: .relaxed) {
            for lane in merge.emptyLanes {
                let output: UnitOutput<RowBatch>?
                do {
                    output = try queue.next(lane: lane)
                } catch let failure as SourceFailure {
                    let name = plan.sources[failure.source].name
                    state.withLock { $0.progress.notes.append("\(name): \(failure.reason)") }
                    continue
                }
                guard let output else {
                    merge.end(lane)
                    continue
                }
                guard let number = numbers[output.text.source] else { continue }
                let base = bases[output.text.source]
                if let end = output.end { bases.advance(output.text.source, by: end.bytes) }
                let first = isExtension ? state.withLock { $0.sources[number].lastRow } ?? -1 : -1
                let rows = output.payload.rows.compactMap { row in
                    base + row.offset > first ? row.moved(to: base + row.offset, source: number) : nil
                }
                merge.fill(lane, rows)
                state.withLock { state in
                    if let last = output.payload.last { state.sources[number].lastRow = base + last }
                    if let end = output.end {
                        state.progress.bytes += end.bytes
                        state.sources[number].end = max(state.sources[number].end, base + end.bytes)
                    }
                }
            }
            var rows: [IndexedRow] = []
            merge.take(into: &rows)
            state.withLock { state in
                state.rows.append(rows)
                state.progress.rows = state.rows.count
            }
            if merge.isEnded { return }
        }
    }
}

extension LogIndex {
    /// Returns the first row at or after an instant in milliseconds since 1970; the number of rows if there is none.
    public func firstRow(atOrAfter instant: Int64) -> Int {
        state.withLock { state in
            // Although clocks are occasionally set back, a binary search still ends near the time.
            var (low, high) = (0, state.rows.count)
            while low < high {
                let middle = (low + high) / 2
                if state.rows[middle].instant < instant { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    /// Returns the instant of a row, in milliseconds since 1970; `nil` if the row does not exist.
    public func instant(ofRow row: Int) -> Int64? {
        state.withLock { $0.rows.has(row) ? $0.rows[row].instant : nil }
    }

    /// Returns the next row at Monitorable or worse after a row, or the previous one before it.
    public func problem(from row: Int, isForward: Bool) -> Int? {
        state.withLock { state in
            var row = row + (isForward ? 1 : -1)
            while state.rows.has(row) {
                if state.rows[row].rank <= ULSLevel("Monitorable").rank { return row }
                row += isForward ? 1 : -1
            }
            return nil
        }
    }

    /// Reads the events of rows that are near each other; `nil` for those that are no longer in their files.
    ///
    /// `reach` is the number of bytes that are searched for the parts of a split message.
    public func events(_ rows: Range<Int>, reach: Int = 32 << 10) -> [ULSEvent?] {
        let (places, sources) = state.withLock { state in
            (rows.map { state.rows.has($0) ? state.rows[$0] : nil }, state.sources)
        }
        var events: [ULSEvent?] = []
        var group: [IndexedRow] = []
        for place in places {
            guard let place else { break }
            if let first = group.first, let last = group.last,
                first.source != place.source || place.offset <= last.offset || place.offset - first.offset > 1 << 20
            {
                events += read(group, sources, reach)
                group = []
            }
            group.append(place)
        }
        events += read(group, sources, reach)
        return events + Array(repeating: nil, count: rows.count - events.count)
    }

    /// Reads rows of one file, in its order.
    private func read(_ group: [IndexedRow], _ sources: [IndexedSource], _ reach: Int) -> [ULSEvent?] {
        guard let first = group.first, let last = group.last else { return [] }
        let source = sources[first.source]
        var found: [Int: ULSEvent] = [:]
        guard let file = try? PlainFile(path: source.path) else { return group.map { _ in nil } }
        var buffer = [UInt8](repeating: 0, count: Int(last.offset - first.offset) + reach)
        let count = (try? file.read(into: &buffer, at: first.offset)) ?? 0
        buffer.removeLast(buffer.count - count)
        var lines: [Int] = []
        var (line, next) = (1, 0)
        for row in group {
            let place = Int(row.offset - first.offset)
            while next < min(place, buffer.count) {
                if buffer[next] == 0x0A { line += 1 }
                next += 1
            }
            lines.append(line)
        }
        var text = LogReader(text: buffer, name: source.name)
        text.zones = reader.zones
        _ = try? text.forEachEvent(in: .files) { event in found[event.place.line] = copy event }
        // A row that continues an earlier one is read again by itself.
        return zip(group, lines).map { row, line in
            found[line] ?? (group.count > 1 ? read([row], sources, reach).first ?? nil : nil)
        }
    }
}

/// A file of an index.
private struct IndexedSource: Sendable {
    var name: String
    var path: String
    var size: Int64
    /// The offset up to which the file was examined.
    var end: Int64 = 0
    /// The offset of the last row that was seen, wanted or not.
    var lastRow: Int64?
}

/// The rows of a part of a unit, by their offsets in the unit.
private struct RowBatch: Sendable {
    var rows: [IndexedRow] = []
    /// The offset of the last row, wanted or not.
    var last: Int64?
}

/// A sink that records the offsets of wanted rows.
private struct RowSink: UnitSink {
    private let filter: RecordFilter
    private let search: MessageSearch?
    private var meanings: ColumnMeanings
    private var times: RecordTimes
    private var batch = RowBatch()

    private static let batchRows = 4096

    init(_ text: LogText, selection: Selection) {
        filter = selection.filter
        search = filter.makeSearch()
        meanings = ColumnMeanings(filter: selection.filter, server: text.server, zones: selection.zones)
        times = RecordTimes(window: selection.window)
    }

    mutating func take(_ window: borrowing ByteWindow, _ fields: RowFields) {
        batch.last = fields.position
        meanings.note(window, fields)
        let process = meanings.processes[fields.process]
        if !times.holds(for: fields, server: process.server) {
            times.resolve(fields, server: process.server, meanings.serverZones[process.server])
        }
        let columns = meanings.columns[fields.columns]
        guard columns.isWanted, process.isWanted, filter.wants(fields.correlation) else { return }
        guard times.membership(ofClock: fields.clock) == .inside else { return }
        if filter.hasTexts {
            guard filter.mayWant(message: fields.message, in: window, search) else { return }
        } else if case .part(isMarked: true, _)? = SplitMessage(window, fields) {
            return
        }
        let instant = times.logTime(clock: fields.clock).instant
        batch.rows.append(IndexedRow(instant: instant, source: 0, rank: columns.rank, offset: fields.position))
    }

    mutating func drain() -> RowBatch? {
        guard batch.rows.count >= Self.batchRows else { return nil }
        let full = batch
        batch.rows = []
        return full
    }

    consuming func finish(_ parser: borrowing RowParser) -> RowBatch { batch }
}

/// The offset at which the current unit of each source begins.
private struct IndexBases {
    private var bases: [Int: Int64] = [:]

    init(_ plan: ReadPlan, _ lanes: [[WorkItem]]) {
        for case .part(let part) in lanes.joined() where bases[part.text.source] == nil {
            // After a byte-order mark, the text's first unit begins with its first row.
            let mark = part.isFirst ? (try? PlainFile(path: part.file.path).textStart) ?? 0 : 0
            bases[part.text.source] = max(part.start, mark)
        }
    }

    subscript(_ source: Int) -> Int64 { bases[source] ?? 0 }

    mutating func advance(_ source: Int, by bytes: Int64) { bases[source, default: 0] += bytes }
}

/// The place of a row, and the facts that are available without reading it.
struct IndexedRow: Hashable, Sendable {
    /// The time in milliseconds since 1970, in UTC if that is known.
    var instant: Int64
    /// The number of the source in 16 bits, the level's rank in 4 bits, and the offset in 44 bits, which is enough for
    /// 16 TiB.
    private var bits: UInt64

    private static let offsetBits: UInt64 = 44

    init(instant: Int64, source: Int, rank: UInt8, offset: Int64) {
        self.instant = instant
        bits = UInt64(source) << 48 | UInt64(rank & 15) << Self.offsetBits | UInt64(offset)
    }

    var source: Int { Int(bits >> 48) }
    var rank: Int { Int(bits >> Self.offsetBits & 15) }
    var offset: Int64 { Int64(bits & (1 << Self.offsetBits - 1)) }

    func moved(to offset: Int64, source: Int) -> Self {
        Self(instant: instant, source: source, rank: UInt8(rank), offset: offset)
    }
}

/// A store of rows in blocks, so that adding rows never copies all of them.
struct RowStore {
    private var blocks: [[IndexedRow]] = []
    private(set) var count = 0
    private static let blockSize = 1 << 16

    func has(_ row: Int) -> Bool { row >= 0 && row < count }

    subscript(_ row: Int) -> IndexedRow { blocks[row / Self.blockSize][row % Self.blockSize] }

    mutating func append(_ rows: [IndexedRow]) {
        for row in rows {
            if count % Self.blockSize == 0 {
                blocks.append([])
                blocks[blocks.count - 1].reserveCapacity(Self.blockSize)
            }
            blocks[blocks.count - 1].append(row)
            count += 1
        }
    }
}

/// A merge of lanes by time that never reorders the rows of one lane.
struct RowMerge {
    private struct Lane {
        var rows: [IndexedRow] = []
        var next = 0
        var isEnded = false
        var isEmpty: Bool { next == rows.count }
    }

    private var lanes: [Lane]

    init(laneCount: Int) { lanes = Array(repeating: Lane(), count: laneCount) }

    /// The lanes that must be filled before the next row is known.
    var emptyLanes: [Int] { lanes.indices.filter { lanes[$0].isEmpty && !lanes[$0].isEnded } }
    var isEnded: Bool { lanes.allSatisfy { $0.isEmpty && $0.isEnded } }

    mutating func fill(_ lane: Int, _ rows: [IndexedRow]) {
        lanes[lane].rows = rows
        lanes[lane].next = 0
    }

    mutating func end(_ lane: Int) { lanes[lane].isEnded = true }

    /// Takes rows until a lane that may still receive more is empty.
    mutating func take(into rows: inout [IndexedRow]) {
        while lanes.allSatisfy({ !$0.isEmpty || $0.isEnded }) {
            var oldest: Int?
            for index in lanes.indices where !lanes[index].isEmpty {
                if let best = oldest,
                    lanes[best].rows[lanes[best].next].instant
                        <= lanes[index].rows[lanes[index].next].instant
                {
                    continue
                }
                oldest = index
            }
            guard let oldest else { return }
            rows.append(lanes[oldest].rows[lanes[oldest].next])
            lanes[oldest].next += 1
        }
    }
}
