import Glibc
import JSONText
import Synchronization
import TextKit
import Threads

/// A call that waits for a program's answer.
struct HookCall: Sendable {
    /// The message without its beginning, which contains the call's number and is added later.
    fileprivate let message: [UInt8]
    fileprivate let kind: HookAnswer.Kind
    fileprivate let began = ContinuousClock.now
    fileprivate let answer: CheckedContinuation<Result<HookAnswer, HookFailure>, Never>

    /// A writer of the members of a message.
    static var writer: JSONWriter { JSONWriter() }
}

/// The processes of one program, each with a thread that waits for calls and for the output of its process.
final class HookPool: Sendable {
    let settings: HookProgramSettings
    private let calls: HookCalls

    /// Starts the processes.
    init(_ name: String, _ settings: HookProgramSettings, log: @escaping @Sendable (String) -> Void) {
        self.settings = settings
        calls = HookCalls(name, limit: settings.waitingCalls)
        for _ in 0..<settings.processes {
            guard let bell = calls.newBell() else { continue }
            startThread { [calls] in
                var worker = HookWorker(settings, calls, bell: bell, log: log)
                worker.run()
            }
        }
    }

    deinit { calls.close() }

    var use: HookPrograms.Use { calls.use }

    func call(_ message: [UInt8], expecting kind: HookAnswer.Kind) async -> Result<HookAnswer, HookFailure> {
        await withCheckedContinuation { calls.add(HookCall(message: message, kind: kind, answer: $0)) }
    }
}

/// The calls of a program, which are distributed to its processes one by one.
private final class HookCalls: Sendable {
    /// A pipe whose reader wakes a worker.
    struct Bell: Hashable {
        let reader: Int32
        let writer: Int32

        func ring() {
            var byte = UInt8(0)
            _ = write(writer, &byte, 1)
        }

        /// Discards all rings received so far.
        func hush() {
            var bytes = [UInt8](repeating: 0, count: 16)
            _ = read(reader, &bytes, bytes.count)
        }
    }

    private struct State {
        var waiting: [HookCall] = []
        /// The workers that are sleeping until their bell rings.
        var idle: [Bell] = []
        /// The calls assigned to workers that were woken.
        var given: [Bell: HookCall] = [:]
        var bells: [Bell] = []
        var isClosed = false
        var use = HookPrograms.Use()
    }

    let name: String
    private let limit: Int
    private let state = Mutex(State())

    init(_ name: String, limit: Int) { (self.name, self.limit) = (name, limit) }

    var use: HookPrograms.Use { state.withLock(\.use) }

    /// Returns the bell of a new worker; `nil` if the system has no descriptors left.
    func newBell() -> Bell? {
        guard let ends = try? pipeEnds() else { return nil }
        for end in [ends.reader, ends.writer] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        let bell = Bell(reader: ends.reader, writer: ends.writer)
        state.withLock { $0.bells.append(bell) }
        return bell
    }

    /// Passes a call to an idle worker, or queues it.
    func add(_ call: HookCall) {
        let problem: String? = state.withLock { state in
            state.use.calls += 1
            if state.bells.isEmpty || state.isClosed { return "is not running" }
            if let bell = state.idle.popLast() {
                state.given[bell] = call
                bell.ring()
                return nil
            }
            guard state.waiting.count < limit else { return "has \(limit) calls waiting" }
            state.waiting.append(call)
            return nil
        }
        if let problem { finish(call, .failure(HookFailure(program: name, reason: problem, isBusy: true))) }
    }

    /// Sets the answer to a call, and resumes its caller.
    func finish(_ call: HookCall, _ result: Result<HookAnswer, HookFailure>) {
        if case .failure = result { state.withLock { $0.use.failures += 1 } }
        call.answer.resume(returning: result)
    }

    enum Next {
        case call(HookCall)
        case sleep
        case end
    }

    /// Returns the next call for a worker; if there is none, the worker is idle from now on.
    func next(_ bell: Bell) -> Next {
        state.withLock { state in
            if let call = state.given.removeValue(forKey: bell) { return .call(call) }
            if !state.waiting.isEmpty {
                state.idle.removeAll { $0 == bell }
                return .call(state.waiting.removeFirst())
            }
            if state.isClosed { return .end }
            if !state.idle.contains(bell) { state.idle.append(bell) }
            return .sleep
        }
    }

    /// Makes the workers end once no calls are waiting.
    func close() {
        state.withLock { state in
            state.isClosed = true
            for bell in state.bells { bell.ring() }
        }
    }

    /// Closes the bell of a worker that has ended.
    func remove(_ bell: Bell) {
        state.withLock { state in
            state.bells.removeAll { $0 == bell }
            state.idle.removeAll { $0 == bell }
            Glibc.close(bell.reader)
            Glibc.close(bell.writer)
        }
    }
}

// MARK: - Workers

/// A worker, which runs on its own thread, sends calls to one process of the program, and replaces the process.
private struct HookWorker {
    private let settings: HookProgramSettings
    private let calls: HookCalls
    private let bell: HookCalls.Bell
    private let log: @Sendable (String) -> Void
    private var process: HookProcess?

    init(
        _ settings: HookProgramSettings,
        _ calls: HookCalls,
        bell: HookCalls.Bell,
        log: @escaping @Sendable (String) -> Void
    ) {
        (self.settings, self.calls, self.bell, self.log) = (settings, calls, bell, log)
    }

    mutating func run() {
        start()
        while true {
            switch calls.next(bell) {
            case .call(let call): answer(call)
            case .sleep: sleep()
            case .end:
                _ = process?.end()
                calls.remove(bell)
                return
            }
        }
    }

    /// Starts the process; if that fails, logs and returns the reason.
    @discardableResult
    private mutating func start() -> String? {
        do throws(SystemRefusal) {
            process = try HookProcess(settings) { [name = calls.name, log] line in log("program '\(name)': \(line)") }
            return nil
        } catch {
            log("the program '\(calls.name)' can't be started: \(error)")
            return "can't be started"
        }
    }

    /// Waits for a call, for the end of the process, or for output from it.
    private mutating func sleep() {
        guard let process else {
            var waiting = pollfd(fd: bell.reader, events: Int16(POLLIN), revents: 0)
            _ = poll(&waiting, 1, -1)
            return bell.hush()
        }
        if let reason = process.watch(until: bell.reader) { replace(reason) }
        bell.hush()
    }

    /// Ends the process and starts another, unless the process has never answered: in that case, the next call starts
    /// one.
    private mutating func replace(_ reason: String) {
        guard let old = process else { return }
        let ending = old.end()
        log("the program '\(calls.name)' \(reason); the process \(ending)")
        process = nil
        if old.answered > 0 { start() }
    }

    private mutating func answer(_ call: HookCall) {
        guard ContinuousClock.now - call.began <= settings.timeout else {
            let reason = "was busy for \(settings.timeout)"
            return calls.finish(call, .failure(HookFailure(program: calls.name, reason: reason, isBusy: true)))
        }
        // A process that has ended since its last answer must not receive the call.
        if let reason = process?.watch(until: nil) { replace(reason) }
        let problem = process == nil ? start() : nil
        guard let process else {
            return calls.finish(call, .failure(HookFailure(program: calls.name, reason: problem ?? "is not running")))
        }
        do throws(HookAnswer.Defect) {
            let answer = try process.exchange(call.message, expecting: call.kind)
            calls.finish(call, .success(answer))
        } catch {
            // The client receives its answer before the process is replaced, which takes milliseconds.
            calls.finish(call, .failure(HookFailure(program: calls.name, reason: error.reason)))
            replace(error.reason)
        }
    }
}

// MARK: - Processes

/// A running process of a program, used only by its worker.
private final class HookProcess {
    private let settings: HookProgramSettings
    private let child: ChildGroup
    /// Our ends of the process's standard input, standard output and standard error; -1 once closed.
    private let input: Int32
    private let output: Int32
    private var errors: Int32
    private var diagnostics: DiagnosticLines
    /// The part of the next answer that the process has written so far.
    private var received: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private var number = 0
    private(set) var answered = 0
    /// Whether the process has closed its standard output, as a process does when it ends.
    private var isSilent = false

    init(_ settings: HookProgramSettings, log: @escaping (String) -> Void) throws(SystemRefusal) {
        self.settings = settings
        diagnostics = DiagnosticLines(log)
        var opened: [Int32] = []
        func pipe() throws(SystemRefusal) -> (reader: Int32, writer: Int32) {
            let ends = try pipeEnds()
            opened += [ends.reader, ends.writer]
            return ends
        }
        do throws(SystemRefusal) {
            let (toChild, fromChild, errorsOfChild) = (try pipe(), try pipe(), try pipe())
            child = try ChildGroup(
                settings.command,
                in: settings.folder,
                memory: settings.memory,
                streams: (toChild.reader, fromChild.writer, errorsOfChild.writer)
            )
            for end in [toChild.reader, fromChild.writer, errorsOfChild.writer] { close(end) }
            (input, output, errors) = (toChild.writer, fromChild.reader, errorsOfChild.reader)
        } catch {
            for end in opened { close(end) }
            throw error
        }
        for end in [input, output, errors] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }

    /// Kills the process and all processes that it started; returns how the process ended.
    func end() -> ChildGroup.Ending {
        let ending = child.end(after: isSilent ? .milliseconds(100) : .zero)
        // Output that was written before the process ended is still in the pipe.
        readErrors()
        diagnostics.end()
        for end in [input, output, errors] where end >= 0 { close(end) }
        return ending
    }

    /// Waits until a bell rings, or not at all without a bell; returns the reason if the process has to be replaced.
    func watch(until bell: Int32?) -> String? {
        while true {
            var files = [
                pollfd(fd: output, events: Int16(POLLIN), revents: 0),
                pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
                pollfd(fd: bell ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&files, 3, bell == nil ? 0 : -1)
            if count > 0, files[1].revents != 0 { readErrors() }
            if !received.isEmpty { return "wrote more than one answer: \(received.excerpt)" }
            if count > 0, files[0].revents != 0 {
                switch read(output, &buffer, buffer.count) {
                case 0:
                    isSilent = true
                    return "exited on its own"
                case let count where count > 0: return "wrote without a call: \(Array(buffer[..<count]).excerpt)"
                default: break
                }
            }
            if bell == nil || files[2].revents != 0 {
                guard bell == nil, child.hasEnded else { return nil }
                return "exited on its own"
            }
        }
    }

    /// Sends a call, and returns its answer.
    func exchange(_ message: [UInt8], expecting kind: HookAnswer.Kind) throws(HookAnswer.Defect) -> HookAnswer {
        number += 1
        let deadline = ContinuousClock.now + settings.timeout
        // The number comes first in the object.
        let line = Array("{\"id\":\(number),".utf8) + message.dropFirst() + [UInt8(ascii: "\n")]
        var (sent, searched) = (0, 0)
        while true {
            if sent < line.count {
                let count = line[sent...].withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
                if count > 0 { sent += count }
                // The cause is found by reading the output pipe, which also shows whether the process has ended.
                if count < 0, errno == EPIPE { sent = line.count }
            }
            var files = [
                pollfd(fd: output, events: Int16(POLLIN), revents: 0),
                pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
                pollfd(fd: sent < line.count ? input : -1, events: Int16(POLLOUT), revents: 0),
            ]
            let left = (deadline - .now) / .milliseconds(1)
            guard left > 0 else { throw HookAnswer.Defect("did not answer within \(settings.timeout)") }
            // The output stays open after the process has ended if one of its child processes still holds it.
            let hadEnded = child.hasEnded
            guard poll(&files, 3, hadEnded ? 0 : Int32(min(left, Self.longestWait)) + 1) > 0 else {
                guard hadEnded else { continue }
                throw endedEarly
            }
            if files[1].revents != 0 { readErrors() }
            guard files[0].revents != 0 else {
                if hadEnded { throw endedEarly }
                continue
            }
            let count = read(output, &buffer, buffer.count)
            if count == 0 {
                isSilent = true
                throw endedEarly
            }
            guard count > 0 else { continue }
            received += buffer[..<count]
            if let end = received[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let answer = Array(received[..<end])
                received.removeFirst(end + 1)
                guard answer.count <= settings.answerBytes else { throw tooLong }
                do throws(HookAnswer.Defect) {
                    let answer = try HookAnswer(answer, to: number, expecting: kind)
                    answered += 1
                    return answer
                } catch {
                    throw HookAnswer.Defect("did not write a valid answer: \(error.reason)")
                }
            }
            searched = received.count
            guard searched <= settings.answerBytes else { throw tooLong }
        }
    }

    /// The milliseconds after which a waiting worker checks whether its process is still running.
    private static let longestWait = 50.0

    private var endedEarly: HookAnswer.Defect { HookAnswer.Defect("exited before it answered") }

    private var tooLong: HookAnswer.Defect {
        HookAnswer.Defect("answered with more than \(settings.answerBytes) bytes")
    }

    /// Logs the output of the process on standard error.
    private func readErrors() {
        // A process that writes without pause must not trap its worker in this loop.
        for _ in 0..<16 where errors >= 0 {
            let count = read(errors, &buffer, buffer.count)
            if count == 0 {
                close(errors)
                errors = -1
            }
            guard count > 0 else { return }
            diagnostics.add(buffer[..<count])
        }
    }
}

/// The lines that a process writes to standard error, escaped and shortened; if there are many in a short time, only
/// some are logged.
private struct DiagnosticLines {
    private let log: (String) -> Void
    private var rest: [UInt8] = []
    private var began = ContinuousClock.now
    private var (logged, leftOut) = (0, 0)

    /// The maximum number of lines logged in that time.
    private static let (most, time) = (100, Duration.seconds(10))
    private static let lineBytes = 4 << 10

    init(_ log: @escaping (String) -> Void) { self.log = log }

    mutating func add(_ bytes: ArraySlice<UInt8>) {
        rest += bytes
        var start = 0
        while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
            add(line: rest[start..<end])
            start = end + 1
        }
        rest.removeFirst(start)
        guard rest.count > Self.lineBytes else { return }
        add(line: rest[...])
        rest = []
    }

    /// Logs an unterminated line, and the number of lines that were left out.
    mutating func end() {
        if !rest.isEmpty { add(line: rest[...]) }
        rest = []
        reportLeftOut()
    }

    private mutating func add(line: ArraySlice<UInt8>) {
        let now = ContinuousClock.now
        if now - began > Self.time {
            reportLeftOut()
            (began, logged) = (now, 0)
        }
        guard logged < Self.most else {
            leftOut += 1
            return
        }
        logged += 1
        log(Array(line).excerpt)
    }

    private mutating func reportLeftOut() {
        if leftOut > 0 { log("\(leftOut) more lines were left out") }
        leftOut = 0
    }
}
