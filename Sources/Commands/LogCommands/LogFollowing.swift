import ArgumentParsing
import CommandKit
import Files
import Glibc
import LogDiagnosis
import LogReports
import Redaction
import ReportKit
import Synchronization
import Threads
import ULSLog

/// Options for following logs.
struct LogFollowOptions: OptionSetting {
    @Flag(
        "--follow",
        "-f",
        help: """
            Show events as they are written, until Ctrl-C; follows rollover, rotation, and new files in a folder or \
            matching a pattern
            """
    )
    var follows

    @Option(
        "--lines",
        "-n",
        value: "N",
        help: "With --follow: the number of earlier events to show first (default: 10)"
    )
    var lines: Int?

    /// The number of existing events to show first.
    var last: Int { lines ?? 10 }

    func validate() throws {
        if lines != nil, !follows {
            throw ValidationError("--lines needs --follow; without it, --limit stops after a number of events")
        }
        if let lines, !(0...100_000).contains(lines) {
            throw ValidationError("--lines must be between 0 and 100000")
        }
    }
}

extension LogRun {
    /// Prints the last `last` existing events, then further selected events as they are written, until a signal
    /// arrives.
    func follow(last: Int, _ options: LogEventOutputOptions, _ redaction: OutputRedaction) async throws -> ExitCode {
        let loop = FollowLoop()
        let (form, limit, reach) = (options.form, options.limit, options.reach)
        let (layout, csv) = (options.text.layout, options.csv.style)
        let clock = ContinuousClock()
        let start = clock.now
        let result = await onOwnThread { [reader] in
            Result {
                let output = LogOutput()
                var writer = LogEventWriter(
                    form,
                    layout: layout,
                    showsServer: true,
                    marksHits: !reach.isEmpty,
                    csv: csv
                )
                var redactor = redaction.applies(toFile: false) ? redaction.redactor : nil
                var hits = 0
                func print(_ event: borrowing ULSEvent, _ isHit: Bool) throws {
                    guard hits != limit else { return }
                    let shown = redactor.masked(copy event, isLearned: false)
                    writer.append(shown, isContext: !isHit, to: &output.bytes)
                    if isHit { hits += 1 }
                    try output.drainIfLong()
                }
                var follower = try LogFollower(reader, last: last, around: reach)
                writer.begin(in: &output.bytes)
                do {
                    try loop.run(watching: follower.folders) { now, relists in
                        let isBehind = try follower.look(at: now, relists: relists, print)
                        try output.drainWhileSomebodyReads()
                        if hits == limit { throw EnoughEvents() }
                        return isBehind ? .zero : follower.pause(at: now)
                    }
                } catch is EnoughEvents {}
                let report = try follower.finish(print)
                writer.end(in: &output.bytes)
                try output.drain()
                var outcome = LogOutcome(redactor.masked(report))
                outcome.redaction = redactor?.summary ?? redaction.noteIfOff
                outcome.events = hits
                outcome.isLimited = true
                outcome.omission = writer.note
                return outcome
            }
        }
        var outcome = try result.get()
        outcome.duration = clock.now - start
        outcome.gate = gate
        let conclusion = LogConclusion(outcome)
        quiet.say(conclusion.lines, conclusion.status)
        return ExitCode(conclusion.status)
    }

    /// An error that is thrown to end the loop at `--limit`.
    private struct EnoughEvents: Error {}
}

/// A diagnosis of logs while they are being written, which reports new findings on standard output or standard error.
struct DiagnosisFollowing: Sendable {
    let diagnosis: Diagnosis
    /// Whether notices are written to standard output, because the report that follows them there is also text.
    let tellsOnStandardOutput: Bool
    /// The redactor for notices; `nil` if they are not redacted.
    let redactor: Redactor?
    let layout: TextLayout

    /// The minimum time between two runs of the rules.
    private static let interval = Duration.seconds(1)

    /// Returns the report once a signal has arrived.
    func report(on reader: LogReader) async throws -> DiagnosisReport {
        let loop = FollowLoop()
        return try await onOwnThread {
            Result {
                var live = try LiveDiagnosis(diagnosis, following: reader)
                let output = LogOutput()
                var (lastNews, redactor): (Duration?, Redactor?) = (nil, redactor)
                try loop.run(watching: live.folders) { now, relists in
                    if try live.look(at: now, relists: relists) { return .zero }
                    if lastNews.map({ now - $0 >= Self.interval }) ?? true {
                        lastNews = now
                        try tell(live.news().map { redactor.masked($0) }, output)
                    }
                    return live.pause(at: now)
                }
                return try live.finish()
            }
        }.get()
    }

    private func tell(_ news: [DiagnosisNews], _ output: LogOutput) throws {
        for one in news { one.appendLine(to: &output.bytes, tellsOnStandardOutput ? layout : TextLayout()) }
        if tellsOnStandardOutput { return try output.drainWhileSomebodyReads() }
        StandardError.write(String(decoding: output.bytes, as: UTF8.self))
        output.bytes = []
    }
}

/// A loop that checks logs while they are being written, until a signal requests its end.
struct FollowLoop: Sendable {
    private final class Request: Sendable {
        let isMade = Atomic(false)
    }

    private let request = Request()

    /// The time to wait after a notification of a write, so that a burst of rows is read in one pass.
    private static let gathering: UInt32 = 5_000

    /// From now on, the first signal ends the loop, and the second one ends the process.
    init() {
        Interruption.ask { [request] in request.isMade.store(true, ordering: .relaxed) }
    }

    /// Calls `look` repeatedly, with the time since the beginning and whether names may have changed.
    ///
    /// - Parameters:
    ///   - folders: The folders in which files may be created or removed.
    ///   - look: Returns how long to wait, at most, before the next look.
    /// - Throws: The error of `look`, which ends the loop.
    func run(watching folders: [String], _ look: (Duration, Bool) throws -> Duration) throws {
        // If the system sends no notifications, as for a network share, occasional polling is enough.
        let watch = FolderWatch()
        for folder in folders { watch?.add(folder) }
        let start = ContinuousClock.now
        var lastListing = Duration.zero
        var relists = true
        while !request.isMade.load(ordering: .relaxed) {
            let now = ContinuousClock.now - start
            if relists || now - lastListing >= LogFollower.listingInterval {
                (relists, lastListing) = (true, now)
                for folder in folders { watch?.add(folder) }
            }
            let pause = try look(now, relists)
            relists = false
            guard pause > .zero else { continue }
            guard let watch else {
                usleep(UInt32(pause / .microseconds(1)))
                continue
            }
            let change = watch.wait(upTo: max(pause, .milliseconds(1)))
            relists = change == .names
            if change != .none { usleep(Self.gathering) }
        }
    }
}
