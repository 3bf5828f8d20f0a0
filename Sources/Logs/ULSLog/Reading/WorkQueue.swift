import Threads
import ULSRows

/// A queue that hands work items to threads and their outputs to a reader, in order.
///
/// Items are in lanes; each lane's outputs arrive in the order of its items. The first unfinished item of a lane always
/// has a thread, so a reader that waits for one lane is never delayed by another. Threads that are ahead of their
/// reader wait, so memory use stays constant.
final class WorkQueue<Payload: Sendable>: Sendable {
    private struct Item {
        var outputs: [UnitOutput<Payload>] = []
        var isDone = false
        var failure: (any Error)?
    }

    private struct State {
        var lanes: [[WorkItem]]
        /// For each lane: the number of items given to a thread, and the number of items whose outputs have all been
        /// taken.
        var started: [Int]
        var taken: [Int]
        /// The outputs of started items, by lane and number.
        var items: [[Int: Item]]
        var running = 0
        /// The threads that have not been joined yet, by number.
        var threads: [Int: StartedThread] = [:]
        /// The numbers of the threads that may still scan, and of those whose reading may block forever.
        var busy: Set<Int> = []
        var streaming: Set<Int> = []
        var isCancelled = false
    }

    /// The number of outputs that a thread may have ready before it waits for its reader: nearly all of a unit, so that
    /// a thread finishes its unit while the reader takes the unit before it.
    private static var maximumWaiting: Int { 4 }

    private let monitor: Monitor<State>
    private let jobs: Int

    init(lanes: [[WorkItem]], jobs: Int) {
        self.jobs = max(1, jobs)
        monitor = Monitor(
            State(
                lanes: lanes,
                started: lanes.map { _ in 0 },
                taken: lanes.map { _ in 0 },
                items: lanes.map { _ in [:] }
            )
        )
    }

    /// Starts threads that scan items with `scan`, which passes outputs to its second argument and stops when that
    /// function returns false.
    func start(_ scan: @escaping @Sendable (WorkItem, (UnitOutput<Payload>) -> Bool) throws -> Void) {
        let count = monitor.change { state in
            let count = min(state.lanes.count + jobs, state.lanes.reduce(0) { $0 + $1.count })
            state.busy = Set(0..<count)
            return count
        }
        for index in 0..<count {
            let thread = StartedThread { [self] in
                defer { monitor.change { _ = $0.busy.remove(index) } }
                while let (lane, number, item) = nextItem(thread: index) {
                    var failure: (any Error)?
                    do {
                        try scan(item) { output in append(output, lane: lane, number: number) }
                    } catch {
                        failure = error
                    }
                    monitor.change { state in
                        state.items[lane][number]?.isDone = true
                        state.items[lane][number]?.failure = failure
                        state.running -= 1
                        state.streaming.remove(index)
                    }
                }
            }
            monitor.change { $0.threads[index] = thread }
        }
    }

    /// The number of threads that may still run.
    var threadCount: Int { monitor.change { $0.threads.count } }

    /// Returns the next output of a lane; `nil` at its end.
    ///
    /// An item's error is thrown after its last output; the lane then continues with the next item.
    func next(lane: Int) throws -> UnitOutput<Payload>? {
        while true {
            let step = try monitor.wait { state in try Self.step(&state, lane: lane) }
            switch step {
            case .output(let output): return output
            case .itemEnd: continue
            case .laneEnd: return nil
            }
        }
    }

    /// The next step of a lane's reader.
    private enum Step {
        case output(UnitOutput<Payload>)
        /// This is distinct from waiting, so that threads that wait for the end of the item are woken before the reader
        /// waits for them.
        case itemEnd
        case laneEnd
    }

    private static func step(_ state: inout State, lane: Int) throws -> Step? {
        let number = state.taken[lane]
        guard number < state.lanes[lane].count else { return .laneEnd }
        guard let item = state.items[lane][number] else { return nil }
        if !item.outputs.isEmpty, let output = state.items[lane][number]?.outputs.removeFirst() {
            return .output(output)
        }
        guard item.isDone else { return nil }
        state.items[lane][number] = nil
        state.taken[lane] += 1
        if let failure = item.failure { throw failure }
        return .itemEnd
    }

    /// Ends the threads and waits until they have stopped, because resources that they use must not be released
    /// earlier.
    ///
    /// The only exception is a thread that a pipe may block because reading was abandoned before the pipe's end; the
    /// method does not wait for that thread, which has nothing left to do when its read returns.
    func cancel() {
        monitor.change { $0.isCancelled = true }
        monitor.wait { state -> Void? in state.busy.isSubset(of: state.streaming) ? () : nil }
        let (ended, blocked) = monitor.change { state in
            let blocked = state.threads.filter { state.streaming.contains($0.key) }
            let ended = state.threads.filter { !state.streaming.contains($0.key) }
            state.threads = blocked
            return (ended, blocked)
        }
        for thread in ended.values { thread.join() }
        for thread in blocked.values { thread.detach() }
    }

    /// Waits for an item to scan and for permission to run; returns `nil` if there will be no more items.
    private func nextItem(thread: Int) -> (lane: Int, number: Int, item: WorkItem)? {
        monitor.wait { state -> (lane: Int, number: Int, item: WorkItem)?? in
            if state.isCancelled || zip(state.lanes, state.started).allSatisfy({ $0.count == $1 }) { return .some(nil) }
            guard state.running < jobs, let lane = laneToStart(state) else { return nil }
            let number = state.started[lane]
            state.started[lane] += 1
            state.items[lane][number] = Item()
            state.running += 1
            let item = state.lanes[lane][number]
            if item.mayBlock { state.streaming.insert(thread) }
            return (lane, number, item)
        }
    }

    /// Returns the next lane in which to start an item, preferably a lane whose reader has no started item.
    ///
    /// At most `jobs` items run ahead of their readers.
    private func laneToStart(_ state: State) -> Int? {
        var ahead = 0
        var best: (lane: Int, lead: Int)?
        for lane in state.lanes.indices where state.started[lane] < state.lanes[lane].count {
            let lead = state.started[lane] - state.taken[lane]
            if lead == 0 { return lane }
            if lead < best?.lead ?? .max { best = (lane, lead) }
        }
        for lane in state.lanes.indices { ahead += max(0, state.started[lane] - state.taken[lane] - 1) }
        return ahead < jobs ? best?.lane : nil
    }

    /// Delivers an output, waiting while too many are ready; returns false when no more are wanted.
    private func append(_ output: UnitOutput<Payload>, lane: Int, number: Int) -> Bool {
        let isTaken: Bool? = monitor.change { state in
            if state.isCancelled { return false }
            guard (state.items[lane][number]?.outputs.count ?? 0) < Self.maximumWaiting else {
                state.running -= 1
                return nil
            }
            state.items[lane][number]?.outputs.append(output)
            return true
        }
        if let isTaken { return isTaken }
        return monitor.wait { state in
            if state.isCancelled {
                state.running += 1
                return false
            }
            guard state.running < jobs, (state.items[lane][number]?.outputs.count ?? 0) < Self.maximumWaiting else {
                return nil
            }
            state.running += 1
            state.items[lane][number]?.outputs.append(output)
            return true
        }
    }
}

/// A text to read: a file, an archive entry, or a pipe.
struct LogText: Sendable {
    /// The index of the text's source among all sources found.
    var source: Int
    var name: String
    var server: String?
}

/// A piece of work for a single thread.
enum WorkItem: Sendable {
    /// The rows that begin in a part of a plain file.
    case part(FilePart)
    /// A source that can only be read from beginning to end.
    case stream(LogSource, number: Int)

    /// A part of a plain file, in bytes.
    struct FilePart: Sendable {
        var text: LogText
        var file: PartedFile
        var start: Int64
        /// The end of the part; rows that begin here or later are in the next part.
        var end: Int64
        /// The offset at which reading ends: the file's size when reading was planned.
        var fileEnd: Int64
        /// Whether the part begins at the start of the file.
        var isFirst: Bool
        var isLast: Bool
    }

    /// Whether reading may block forever, as on the other end of a pipe.
    var mayBlock: Bool {
        switch self {
        case .part: false
        case .stream(let source, _): if case .stream(.memory) = source.kind { false } else { true }
        }
    }

    /// The size of a work unit, regardless of the number of threads, so that the result does not depend on that number.
    ///
    /// Larger units would wait for each other, because only a few outputs of a unit may be ready; each unit has tables
    /// of its own, which smaller units would fill more often.
    static let unitBytes: Int64 = 8 << 20
}

/// The amounts read and delivered at once, which tests make small.
struct ReadingSizes: Sendable {
    var unitBytes = WorkItem.unitBytes
    /// The number of units that a summary reads as one: it has one output for each, so fewer have to be added up.
    var unitsOfSummary: Int64 = 4
    /// The number of bytes read at once, few enough to stay in the processor's cache until their rows are parsed.
    var pieceBytes = 256 << 10
    var maximumRecord = LogLimit.rowBytes.maximum
    /// The number of bytes of a text examined to determine whether it is a native log.
    var sniffBytes = 1 << 20
    /// The minimum size of a file to bisect; smaller files are read completely, even if bisection was requested.
    var minimumSectionedBytes = FileSection.minimumBytes

    init() {}
}

extension LogReader {
    /// Starts reading work items in these lanes.
    func start<Sink: UnitSink>(
        _ lanes: [[WorkItem]],
        sieve: RecordSieve? = nil,
        isLive: Bool = false,
        makeSink: @escaping @Sendable (LogText) -> Sink
    ) -> WorkQueue<Sink.Payload> {
        let queue = WorkQueue<Sink.Payload>(lanes: lanes, jobs: jobs)
        for lane in lanes { progress?.expect(lane) }
        let scan = UnitScan(makeSink: makeSink, sizes: sizes, sieve: sieve, progress: progress, isLive: isLive)
        queue.start { item, emit in
            do {
                try scan.run(item, emit)
            } catch {
                throw SourceFailure(source: item.source, reason: "\(error)")
            }
        }
        return queue
    }
}

/// The reason why a source could not be read to its end.
struct SourceFailure: Error {
    var source: Int
    var reason: String
}

extension WorkItem {
    /// The index of the item's source.
    var source: Int {
        switch self {
        case .part(let part): part.text.source
        case .stream(_, let number): number
        }
    }
}
