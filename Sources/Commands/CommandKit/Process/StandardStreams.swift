package import ArgumentParsing
import Files
import Glibc
import ReportKit
import Synchronization
package import TextKit
import Threads

// MARK: Streams and the environment

/// An open file, identified by its descriptor.
package struct FileDescriptor: Hashable, Sendable {
    let number: Int32

    package static let standardInput = FileDescriptor(number: STDIN_FILENO)
    package static let standardOutput = FileDescriptor(number: STDOUT_FILENO)
    package static let standardError = FileDescriptor(number: STDERR_FILENO)

    /// Reopens closed standard streams, so that no file of this process gets one of their descriptors and is mistaken
    /// for a standard stream.
    ///
    /// The streams are opened in the wrong direction, so that reading from closed input, or writing to closed output,
    /// remains an error.
    package static func occupyClosedStreams() {
        for (number, access) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(number, F_GETFD) < 0 {
            _ = open("/dev/null", access)
        }
    }

    /// Writes all of `bytes` and empties it; returns the system's error, or `nil`.
    func write(_ bytes: inout [UInt8]) -> SystemError? {
        bytes.drain(to: number).map { SystemError(code: $0) }
    }

    /// Writes `bytes` as the other end accepts them; bytes that are not accepted within `limit` are dropped.
    func write(_ bytes: some Collection<UInt8>, within limit: Duration) {
        let deadline = ContinuousClock.now + limit
        var rest = bytes[...]
        while !rest.isEmpty {
            var waiting = pollfd(fd: number, events: CShort(POLLOUT), revents: 0)
            let left = max(.zero, deadline - .now)
            guard poll(&waiting, 1, CInt(left / .milliseconds(1))) > 0 else { return }
            // A pipe that is ready accepts this many bytes without blocking.
            var piece = Array(rest.prefix(Int(PIPE_BUF)))
            rest = rest.dropFirst(piece.count)
            guard write(&piece) == nil else { return }
        }
    }

    package var isTerminal: Bool { isatty(number) == 1 }

    /// False once a pipe's reader has exited.
    package var hasReader: Bool {
        var waiting = pollfd(fd: number, events: 0, revents: 0)
        return poll(&waiting, 1, 0) <= 0 || waiting.revents & CShort(POLLERR) == 0
    }

    /// The width of the terminal; `nil` if there is none.
    var terminalWidth: Int? {
        var size = winsize()
        guard isTerminal, ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}

/// The system's error for a call that failed.
struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    let code: Int32

    var isBrokenPipe: Bool { code == EPIPE }
    var description: String { String(cString: strerror(code)) }
}

/// The standard output stream, to which results are written in whole buffers.
///
/// This is a class because a feed's observer and the code at its end write to the same stream, and check whether that
/// succeeded.
package final class StandardOutput {
    /// True if the reader has exited, as in `fastctl … | head`.
    private var isClosed = false
    /// The system error that ended the output early; `nil` if the reader ended it intentionally.
    private var error: SystemError?

    /// Whether the output is useful only if complete, so that it counts as lost if the reader exits early.
    private let isWhole: Bool
    /// The pager to start as soon as there is something to show.
    private var unstarted: PagerCommand?
    private var pager: Pager?

    package init(isWhole: Bool = false, pager: PagerCommand? = nil) {
        self.isWhole = isWhole
        unstarted = pager
    }

    /// Writes and empties the buffer; after a failure, only empties it.
    package func drain(_ bytes: inout [UInt8]) {
        guard !isClosed, error == nil else { return bytes.removeAll(keepingCapacity: true) }
        if let command = unstarted, !bytes.isEmpty {
            unstarted = nil
            // If the program can't be started, the text goes directly to the terminal.
            pager = Pager.start(command)
            if pager != nil { StandardError.endLines() }
        }
        let output = pager?.input ?? .standardOutput
        guard let error = StandardError.withoutLine({ output.write(&bytes) }) else { return }
        if error.isBrokenPipe, !isWhole {
            isClosed = true
        } else {
            self.error = error
        }
    }

    /// The reason the output is incomplete; `nil` if the reader ended it intentionally.
    package var failure: String? { error.map { "cannot write to standard output: \($0)" } }

    /// Throws if the output is incomplete, unless the reader ended it intentionally.
    func requireWhole() throws {
        guard let failure, let error else { return }
        throw Failure(.inputOutput, failure, advice: Failure.adviceOnWriting(error.code))
    }

    /// Prints a report as a whole, through a pager if one is given, and waits until the user has left it.
    package static func print(_ bytes: inout [UInt8], through pager: PagerCommand?) throws {
        let output = StandardOutput(pager: pager)
        try output.drainOrStop(&bytes)
        output.finish()
    }

    /// Waits until the user has left the pager, if any; later messages appear after it.
    package func finish() { pager?.finish() }

    /// Drains the buffer for a command that only reads, and throws if that fails, because continuing would be
    /// pointless.
    package func drainOrStop(_ bytes: inout [UInt8]) throws {
        drain(&bytes)
        if isClosed { throw OutputClosed() }
        try requireWhole()
    }
}

/// The error that is thrown when the reader of standard output has exited.
package struct OutputClosed: Error {
    package init() {}
}

/// The standard error stream: messages to the user, line by line, and on a terminal the line of progress below them.
package enum StandardError {
    /// The line of progress, which stays below all other text.
    private struct Line {
        /// The line as currently shown on the terminal; `nil` if there is none.
        var text: String?
        /// Whether no line may be drawn anymore, because the pager is using the terminal.
        var isOver = false
    }

    private static let line = Mutex(Line())
    private static let erasure = "\r\u{1B}[K"

    private static let advised = Mutex<AdvisedCommands?>(nil)

    /// Makes every later message name the target of the present command in the commands that it advises.
    package static func complete(with commands: AdvisedCommands) { advised.withLock { $0 = commands } }

    /// Writes `fastctl: ` and the message, made safe, on a separate line.
    package static func say(_ message: String) { write(written(message)) }

    /// Returns a message as a line, with its commands completed, and made safe.
    private static func written(_ message: String) -> String {
        let message = advised.withLock { $0 }?.completing(message) ?? message
        return "fastctl: " + SafeText.escaping(message) + "\n"
    }

    /// Writes a message in the same form without waiting for a reader, for a process that is about to end.
    ///
    /// The reader of a pipe may have stopped reading, and a terminal may be suspended.
    static func sayInPassing(_ message: String) {
        let text = written(message)
        let bytes = Array((takeLine() ? erasure + text : text).utf8)
        FileDescriptor.standardError.write(bytes, within: .milliseconds(500))
    }

    /// Returns whether the line of progress is, or may be, on the terminal, and records it as removed.
    ///
    /// A thread that draws the line is done within milliseconds, unless it is waiting for the terminal's reader.
    private static func takeLine() -> Bool {
        for _ in 0..<50 {
            if let isShown = line.withLockIfAvailable({ $0.text.take() != nil }) { return isShown }
            usleep(2_000)
        }
        return FileDescriptor.standardError.isTerminal
    }

    /// Writes text, usually lines, unchanged.
    package static func write(_ text: String) {
        line.withLock { line in
            guard let shown = line.text else { return put(text) }
            put(erasure + text + shown)
        }
    }

    /// Draws the line of progress over the previous one; once `isOver` is set, draws nothing and returns false.
    static func showLine(_ text: [UInt8], unless isOver: () -> Bool) -> Bool {
        line.withLock { line in
            guard !line.isOver, !isOver() else { return false }
            let text = erasure + String(decoding: text, as: UTF8.self)
            put(text)
            line.text = text
            return true
        }
    }

    /// Removes the line of progress.
    static func clearLine() { line.withLock { if $0.text.take() != nil { put(erasure) } } }

    /// Removes the line of progress permanently.
    static func endLines() {
        clearLine()
        line.withLock { $0.isOver = true }
    }

    /// Runs a body that may write lines to the terminal that shows the line of progress, which is then redrawn below
    /// them.
    static func withoutLine<Result: Sendable>(_ body: () -> Result) -> Result {
        guard hasTerminals else { return body() }
        return line.withLock { line in
            guard let shown = line.text else { return body() }
            put(erasure)
            defer { put(shown) }
            return body()
        }
    }

    private static let hasTerminals =
        FileDescriptor.standardOutput.isTerminal && FileDescriptor.standardError.isTerminal

    private static func put(_ text: String) {
        var bytes = Array(text.utf8)
        _ = FileDescriptor.standardError.write(&bytes)
    }
}

/// The environment variables that this program reads.
package enum ProcessEnvironment {
    private static let names = [
        "FASTCTL_COLLECTION", "FASTCTL_CONTEXT", "FASTCTL_PAGER", "FASTCTL_RULES", "FASTCTL_TARGET", "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
        "HOME",
        "COLUMNS", "PAGER", "TERM", "NO_COLOR",
        "CLICOLOR_FORCE", "FORCE_COLOR", "LC_ALL", "LC_CTYPE", "LANG", "GITHUB_ACTIONS", "TF_BUILD",
        "TEAMCITY_VERSION", "CI", "GITLAB_CI",
    ]

    /// Variables whose values are secrets; this type records only whether they are set.
    private static let secretNames = ["FASTCTL_CREDENTIALS"]

    /// Refuses a variable that is not valid UTF-8 if it determines the target, the collection or the folders of files:
    /// if it were ignored, a different one would be used.
    package static func refuseUnreadable() throws(ArgumentError) {
        for name in names where name.hasPrefix("FASTCTL_") || name.hasPrefix("XDG_") || name == "HOME" {
            guard let value = getenv(name), String(validatingCString: value) == nil else { continue }
            throw ArgumentError(
                "the environment variable \(name) is not UTF-8: '\(SafeText.escaping(String(cString: value)))'",
                advice: "Set it to a UTF-8 value, or unset it; nothing was done"
            )
        }
    }

    package static var values: [String: String] {
        var values: [String: String] = [:]
        for name in secretNames where getenv(name).map({ $0.pointee != 0 }) ?? false { values[name] = "secret" }
        for name in names { values[name] = getenv(name).flatMap { String(validatingCString: $0) } }
        return values
    }

    /// The width of human-readable lines.
    package static var width: Int {
        let output = FileDescriptor.standardOutput
        return min(columns ?? output.terminalWidth ?? FileDescriptor.standardError.terminalWidth ?? 80, 120)
    }

    /// The width of tables; it is not limited for a pipe or a file.
    package static var tableWidth: Int {
        FileDescriptor.standardOutput.isTerminal || columns != nil ? width : 1 << 20
    }

    /// The width that the user requests, which takes precedence over the terminal's width, as in git and ls.
    package static var columns: Int? { values["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } }

    /// The folder for state that is kept between commands; `nil` if the environment does not name one.
    package static var stateFolder: String? {
        let environment = values
        let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        guard let base = state ?? environment["HOME"].map({ $0 + "/.local/state" }), base.hasPrefix("/") else {
            return nil
        }
        return base + "/fastctl"
    }
}

/// The number of processors this process may use, which may be fewer than the machine has (`taskset`, containers).
package enum ProcessorCount {
    /// The number of processors, or 1 if the system does not report it.
    ///
    /// Swift does not import `sched_getaffinity`, which would return the same number.
    package static var available: Int {
        guard let file = fopen("/proc/self/status", "re") else { return 1 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 4096)
        while fgets(&line, CInt(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
            if let count = count(inStatusLine: text) { return max(1, count) }
        }
        return 1
    }

    /// Returns the number of processors in a line such as `Cpus_allowed:       f,00000003`; `nil` for any other line.
    package static func count(inStatusLine line: String) -> Int? {
        let name = "Cpus_allowed:"
        guard line.hasPrefix(name) else { return nil }
        return line.dropFirst(name.count).reduce(0) { $0 + ($1.hexDigitValue?.nonzeroBitCount ?? 0) }
    }
}

extension Failure {
    static func interrupted(_ signal: StopSignal) -> Self {
        Self(
            signal.status,
            "interrupted before anything was sent",
            advice: "run it again: \(CommandLineWords.ofProcess)"
        )
    }
}

extension ExitCode {
    package init(_ status: ExitStatus) { self.init(rawValue: status.rawValue) }
}

extension CommandLineWords {
    /// The command line as typed, with the program's usual name.
    ///
    /// A helper's command may contain a secret and is therefore cut off after its name, as it is everywhere else.
    package static var ofProcess: CommandLineWords {
        let words = CommandLineWords(["fastctl"] + Program.spelledWords)
        guard let helper = words.value(of: "--credentials-helper") else { return words }
        return words.setting("--credentials-helper", to: CommandLineWords.shownHelper(helper))
    }
}

/// The version of the program.
package enum ProgramVersion {
    package static let number = "0.1.0"
    package static let line = "fastctl \(number)"
    /// The date in the manual's pages.
    package static let date = "November 21, 2026"
}

/// The shared libraries that this process has loaded, by the system's names for their files.
package enum LoadedLibraries {
    /// Libraries that are opened on first use, under the names used by CCurl and CHyperscan.
    private static let late = ["libcurl.so.4", "libhs.so.5"]

    /// The names of the libraries with the versions of their files, such as `libcurl` and `4.8.0`.
    package static var versions: [(name: String, version: String)] {
        // A bug report must list all libraries that can be loaded, even if they have not been needed so far.
        for name in late { dlopen(name, RTLD_NOW | RTLD_LOCAL) }
        var found: [String: String] = [:]
        for line in maps.split(separator: "\n") {
            guard let file = line.split(separator: "/").last, let mark = file.range(of: ".so.") else { continue }
            found[String(file[..<mark.lowerBound])] = String(file[mark.upperBound...])
        }
        return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private static var maps: String {
        guard let file = fopen("/proc/self/maps", "r") else { return "" }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = fread(&piece, 1, piece.count, file)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += piece.prefix(count)
        }
    }
}

extension Substring {
    /// Returns the range of the first occurrence of another text in this one.
    fileprivate func range(of text: String) -> Range<Index>? {
        indices.lazy.compactMap { start in
            self[start...].hasPrefix(text) ? start..<self.index(start, offsetBy: text.count) : nil
        }.first
    }
}

// MARK: Interruption

/// The handling of Ctrl-C and similar signals: the first requests a clean end, the second exits immediately.
///
/// Each stream is used by one phase of a command, and ends that phase when the signal arrives or has already arrived.
package final class Interruption: Sendable {
    /// The first signal, and the handlers to call when it arrives.
    private struct State {
        var signal: StopSignal?
        var listeners: [@Sendable (StopSignal) -> Void] = []
    }

    private let operationsInFlight = Atomic(0)
    private let eventCount = Atomic(0)
    private let isPreparing = Atomic(false)
    private let isInAfterCare = Atomic(false)
    private let state = Mutex(State())
    private let waiting: String?
    private let resumption: Mutex<String>

    /// Starts a thread that waits for the signals; `resumption` is the line printed when a second signal ends the
    /// process, or the clean end takes too long.
    ///
    /// `waiting` names the event that the first signal waits for, if it does not wait for operations in flight;
    /// `replyLimit` is the time within which an operation in flight receives a response or fails.
    package init(resumption: String, waiting: String? = nil, replyLimit: Duration = .zero) {
        self.waiting = waiting
        self.resumption = Mutex(resumption)
        guard let signals = SignalQueue(catching: [SIGINT, SIGTERM, SIGHUP]) else { return }
        startThread { [self] in
            guard let first = signals.next() else { return }
            stop(StopSignal(first))
            var watch = DrainWatch(replyLimit: replyLimit, at: .now)
            while true {
                if let second = signals.next(within: DrainWatch.interval) { leave(second, "stopped at once") }
                let isOver = watch.isOver(
                    inFlight: operationsInFlight.load(ordering: .relaxed),
                    events: eventCount.load(ordering: .relaxed),
                    isPreparing: isPreparing.load(ordering: .relaxed),
                    at: .now
                )
                if isOver {
                    leave(first, "stopped, because finishing cleanly took too long")
                }
            }
        }
    }

    private func leave(_ signal: Int32, _ manner: String) -> Never {
        if isPreparing.load(ordering: .relaxed) {
            let failure = Failure.interrupted(StopSignal(signal))
            StandardError.sayInPassing(failure.message)
            if let advice = failure.advice { StandardError.sayInPassing(advice) }
        } else if isInAfterCare.load(ordering: .relaxed) {
            StandardError.sayInPassing("\(manner); all operations are done, but their results were not reported")
        } else {
            StandardError.sayInPassing("\(manner); operations in flight may still take effect")
            StandardError.sayInPassing(resumption.withLock { $0 })
        }
        _exit(StopSignal(signal).status.rawValue)
    }

    /// Makes the first signal print a message and end the process, for work that can be interrupted at any point.
    package static func leaveAtOnce(saying message: String) {
        guard let signals = SignalQueue(catching: [SIGINT, SIGTERM, SIGHUP]) else { return }
        startThread {
            guard let signal = signals.next() else { return }
            StandardError.sayInPassing(message)
            _exit(StopSignal(signal).status.rawValue)
        }
    }

    /// Makes the first signal call `body`, for work that then soon ends on its own, and the second signal end the
    /// process.
    package static func ask(_ body: @escaping @Sendable () -> Void) {
        guard let signals = SignalQueue(catching: [SIGINT, SIGTERM, SIGHUP]) else { return }
        startThread {
            guard signals.next() != nil else { return }
            body()
            guard let second = signals.next() else { return }
            StandardError.sayInPassing("interrupted")
            _exit(StopSignal(second).status.rawValue)
        }
    }

    /// Records the number of operations in flight that the first signal reports to the user.
    package func note(inFlight count: Int) {
        operationsInFlight.store(count, ordering: .relaxed)
        eventCount.wrappingAdd(1, ordering: .relaxed)
    }

    /// Replaces the line that a second signal prints.
    package func note(resumption line: String) { resumption.withLock { $0 = line } }

    /// Records that all operations are done, so that the rest may be interrupted without harm.
    package func enterAfterCare() { isInAfterCare.store(true, ordering: .relaxed) }

    /// The signal that requested the end; `nil` if none has arrived.
    package var signal: StopSignal? { state.withLock { $0.signal } }

    /// Returns a stream that yields the first signal, even if it has already arrived; each phase of a command has its
    /// own stream.
    package func stream<Reason: Sendable>(of reason: @escaping @Sendable (StopSignal) -> Reason) -> AsyncStream<Reason>
    {
        let (stream, continuation) = AsyncStream<Reason>.makeStream()
        let earlier = state.withLock { state in
            if state.signal == nil { state.listeners.append { continuation.yield(reason($0)) } }
            return state.signal
        }
        if let earlier { continuation.yield(reason(earlier)) }
        return stream
    }

    private func stop(_ signal: StopSignal) {
        let count = operationsInFlight.load(ordering: .relaxed)
        let stage =
            if let waiting { waiting } else if count == 0 { "nothing is in flight" } else {
                "waiting for \(Quantity(count, "operation", "operations")) in flight"
            }
        let listeners = state.withLock { state in
            state.signal = signal
            return state.listeners
        }
        StandardError.sayInPassing("stopping, \(stage); press Ctrl-C again to stop at once")
        for listener in listeners { listener(signal) }
    }

    /// Runs work before anything is sent; a signal cancels it, and does not wait for parts that can't be canceled.
    package func preparing<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value
    {
        isPreparing.store(true, ordering: .relaxed)
        defer { isPreparing.store(false, ordering: .relaxed) }
        return try await cancelling(body, as: Failure.interrupted)
    }

    /// Runs engine work that can't be undone; a signal requests that it stop, and a line reports from time to time that
    /// it continues.
    package static func stopping<Value: Sendable>(
        _ work: String,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let again = "run it again: \(CommandLineWords.ofProcess)"
        let interruption = Interruption(resumption: again, waiting: "waiting for the engine")
        let words = Task { try await sayThatItWaits() }
        defer { words.cancel() }
        return try await interruption.cancelling(body) { signal in
            Failure(signal.status, "interrupted; \(work), and the engine's changes are kept", advice: again)
        }
    }

    /// Reports after five seconds, and then every thirty seconds, that the engine is still working, until this task is
    /// canceled.
    package static func sayThatItWaits() async throws {
        let start = ContinuousClock.now
        for seconds in sequence(first: 5, next: { $0 + 30 }) {
            try await Task.sleep(until: start + .seconds(seconds), clock: .continuous)
            StandardError.say(
                "still waiting for the engine after \(ShortDuration(.seconds(seconds))); press Ctrl-C to stop"
            )
        }
    }

    private func cancelling<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value,
        as failure: @escaping @Sendable (StopSignal) -> Failure
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { [signals = stream { $0 }] group in
            group.addTask { try await body() }
            group.addTask {
                for await signal in signals { throw failure(signal) }
                return nil
            }
            defer { group.cancelAll() }
            while let value = try await group.next() {
                if let value { return value }
            }
            throw CancellationError()
        }
    }
}

/// A signal that requests an end.
package enum StopSignal: Hashable, Sendable {
    /// Ctrl-C.
    case interrupted
    /// SIGTERM or SIGHUP.
    case terminated

    fileprivate init(_ signal: Int32) { self = signal == SIGINT ? .interrupted : .terminated }

    package var status: ExitStatus { self == .interrupted ? .interrupted : .terminated }
}

/// The overall time limit for a clean end: each wait has its own limit, but all of them may be blocked, for example by
/// a reader of the output that has stopped reading.
package struct DrainWatch {
    /// The interval between two checks.
    static let interval = Duration.seconds(1)
    /// The maximum time for everything that follows the last operation in flight.
    static let idleLimit = Duration.seconds(10)
    /// The maximum time for a command that has sent nothing yet and therefore has nothing to wait for.
    static let preparationLimit = Duration.seconds(1)

    private let replyLimit: Duration
    private var lastCount = 0
    private var lastChange: ContinuousClock.Instant

    package init(replyLimit: Duration, at now: ContinuousClock.Instant) {
        self.replyLimit = replyLimit
        lastChange = now
    }

    /// Returns whether the time without any event is too long; `events` is the number of events so far.
    package mutating func isOver(
        inFlight: Int,
        events: Int,
        isPreparing: Bool = false,
        at now: ContinuousClock.Instant
    ) -> Bool {
        if events != lastCount { (lastCount, lastChange) = (events, now) }
        if isPreparing { return now - lastChange >= Self.preparationLimit }
        return now - lastChange >= Self.idleLimit + (inFlight > 0 ? replyLimit : .zero)
    }
}
