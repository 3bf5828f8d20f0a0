import ArgumentParsing
import CommandKit
import Glibc
import LogViewer
import ReportKit
import Synchronization
import TerminalScreen
import TextKit
import Threads
import ULSLog

struct ViewLogs: Command {
    static let configuration = CommandConfiguration(
        "view",
        summary: "View logs in full screen: scroll, filter, follow, open requests.",
        discussion: """
            Rows from all servers are in chronological order. Keys: '/' filters as you type, 'n' goes to the next problem, \
            Enter opens a row with its request, 't' goes to a time, 'f' follows, '?' lists all keys, 'q' quits.

            Rows are read as they are shown, so logs may be larger than memory. Extract archives, and save pipes to \
            files, first.
            """,
        examples: [
            .init("fastctl logs view /logs", "All servers"),
            .init("fastctl logs view --since 1h --level High /logs", "The last hour, without harmless rows"),
        ]
    )

    @OptionGroup("Events") var events: LogEventOptions
    @OptionGroup("Reading") var reading: LogReadingOptions

    @Argument("INPUT", completion: .files, help: "Files, folders, globs")
    var inputs: [String]

    func validate() throws {
        if inputs.isEmpty || inputs.contains("-") {
            throw ValidationError("specify files or folders; a pipe can only be read from start to end")
        }
    }

    func run() async throws -> ExitCode {
        let reader = try reading.reader(of: inputs, events, example: "fastctl logs view /logs")
        let index = try LogIndex(reader)
        let screen = try Self.screen()
        let layout = TextLayout.standardOutput(.never)
        let ending = LogViewer(reader, index, screen, layout).run()
        screen.close()
        if case .signal(let signal) = ending {
            StandardError.say("interrupted")
            return ExitCode(signal == SIGINT ? .interrupted : .terminated)
        }
        return .success
    }

    private static func screen() throws -> TerminalScreen {
        do throws(TerminalScreen.Failure) {
            return try TerminalScreen()
        } catch {
            let advice = "use: fastctl logs show, or fastctl logs merge for several servers"
            switch error {
            case .noTerminal:
                throw Failure(
                    .usage,
                    "logs view needs a terminal: standard input or output is not a terminal",
                    advice: advice
                )
            case .unsuitable(let name):
                let problem =
                    name.isEmpty ? "TERM is not set" : "the terminal type '\(name)' (TERM) is unknown or too simple"
                throw Failure(.usage, "logs view cannot use this terminal: \(problem)", advice: advice)
            }
        }
    }
}

/// The main loop of the viewer, which handles keys and new results, performs actions, and draws the screen.
private final class LogViewer {
    /// The way in which the viewer was left.
    enum Ending {
        case quit
        case signal(Int32)
    }

    private let reader: LogReader
    private let screen: TerminalScreen
    private var state: ViewerState
    private var rows: IndexRows
    /// The page that another thread is reading.
    private var request: ValueSlot<ViewerPage>?
    private var lastExtension = ContinuousClock.now

    /// The time to wait for a key before checking for new results.
    private static let interval = Duration.milliseconds(100)
    /// The time between two checks for new rows in files.
    private static let followInterval = Duration.seconds(1)

    init(_ reader: LogReader, _ index: LogIndex, _ screen: TerminalScreen, _ layout: TextLayout) {
        self.reader = reader
        self.screen = screen
        state = ViewerState(rows: screen.rows, columns: screen.columns, layout: layout)
        rows = IndexRows(index)
        rows.build()
    }

    func run() -> Ending {
        let signals = SignalQueue(catching: [SIGTERM, SIGHUP])
        var drawn: ViewerScreen?
        while true {
            if let signal = signals?.next(within: .zero) { return end(.signal(signal)) }
            takeNews()
            state.update(rows)
            let wanted = state.screen(rows)
            if wanted != drawn {
                screen.draw(wanted.lines, cursor: wanted.cursor)
                drawn = wanted
            }
            guard let key = screen.nextKey(within: Self.interval) else { continue }
            if key == .resize {
                state.resize(rows: screen.rows, columns: screen.columns)
                drawn = nil
            }
            switch state.take(key, rows) {
            case .quit: return end(.quit)
            case .interrupt: return end(.signal(SIGINT))
            case .filter(let filter): look(for: filter)
            case .open(let row): open(row)
            case nil: break
            }
        }
    }

    private func end(_ ending: Ending) -> Ending {
        rows.cancel()
        return ending
    }

    /// Processes the results of other threads.
    private func takeNews() {
        rows.refresh()
        if let remark = rows.takeRemark() { state.say(remark) }
        if state.awaitsRequest, let page = request?.take() {
            state.show(page)
            request = nil
        }
        if state.isFollowing, rows.isComplete, lastExtension + Self.followInterval < .now {
            lastExtension = .now
            rows.extend()
        }
    }

    private func look(for filter: ViewerFilter) {
        var wanted = reader
        if !filter.text.isEmpty { wanted.filter.contains.append(filter.text) }
        if let level = filter.level, level.rank < wanted.filter.level?.rank ?? .max { wanted.filter.level = level }
        do {
            let index = try LogIndex(wanted)
            rows.cancel()
            rows = IndexRows(index)
            rows.build()
        } catch {
            state.say("\(error)")
        }
    }

    /// Shows a row immediately, and its request as soon as it has been read.
    private func open(_ row: Int) {
        guard let event = rows.wholeEvent(row) else { return state.say("this row is no longer in its file") }
        guard let id = event.correlationID, let pattern = CorrelationPattern(id.description) else {
            return state.show(ViewerPage(event, .none))
        }
        state.show(ViewerPage(event, .reading))
        let mailbox = ValueSlot<ViewerPage>()
        request = mailbox
        var whole = reader
        // The request's rows are shown even if the list omits some of them.
        whole.filter = EventFilter()
        whole.window = .all
        startThread { [whole] in
            do {
                mailbox.put(ViewerPage(event, .stories(try whole.traces(of: pattern).traces)))
            } catch {
                mailbox.put(ViewerPage(event, .failed("\(error)")))
            }
        }
    }
}

/// The rows of an index, as they were at the last update.
private final class IndexRows: ViewerRows {
    private let index: LogIndex
    private var progress: LogIndex.Progress
    private let remarks = ValueSlot<String>()
    private let isExtending = ValueSlot<Bool>()
    private var isBusy = false
    private var notes = 0
    /// The events that were shown last.
    private var cached: (rows: Range<Int>, events: [ULSEvent?]) = (0..<0, [])

    init(_ index: LogIndex) {
        self.index = index
        progress = index.progress
    }

    func build() {
        startThread { [index, remarks] in
            do { try index.build() } catch { remarks.put("\(error)") }
        }
    }

    /// Looks for newly written rows, unless a search is already running.
    func extend() {
        if isExtending.take() != nil { isBusy = false }
        guard !isBusy else { return }
        isBusy = true
        startThread { [index, remarks, isExtending] in
            do { _ = try index.extend() } catch { remarks.put("\(error)") }
            isExtending.put(true)
        }
    }

    func cancel() { index.cancel() }

    func refresh() { progress = index.progress }

    /// Returns the error that occurred since the last call.
    func takeRemark() -> String? {
        if let remark = remarks.take() { return remark }
        guard progress.notes.count > notes else { return nil }
        notes = progress.notes.count
        return progress.notes.last
    }

    var count: Int { progress.rows }
    var isComplete: Bool { progress.isComplete }
    var percent: Int {
        progress.totalBytes == 0 ? 100 : Int(min(100, progress.bytes * 100 / progress.totalBytes))
    }

    func events(_ rows: Range<Int>) -> [ULSEvent?] {
        if cached.rows.lowerBound <= rows.lowerBound, rows.upperBound <= cached.rows.upperBound {
            let first = rows.lowerBound - cached.rows.lowerBound
            return Array(cached.events[first..<first + rows.count])
        }
        let events = index.events(rows)
        // A single row is requested in addition to the rows of the list, and must not evict them from the cache.
        if rows.count > 1 || cached.rows.isEmpty { cached = (rows, events) }
        return events
    }

    /// Returns a row with all parts of its message that are nearby.
    func wholeEvent(_ row: Int) -> ULSEvent? { index.events(row..<row + 1, reach: 1 << 20).first ?? nil }

    func problem(from row: Int, isForward: Bool) -> Int? { index.problem(from: row, isForward: isForward) }
    func firstRow(atOrAfter instant: Int64) -> Int { min(index.firstRow(atOrAfter: instant), count) }
    func instant(ofRow row: Int) -> Int64? { index.instant(ofRow: row) }
}

/// A slot for one value that one thread passes to another.
private final class ValueSlot<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)

    func put(_ value: Value) { self.value.withLock { $0 = value } }

    func take() -> Value? {
        value.withLock { value in
            defer { value = nil }
            return value
        }
    }
}
