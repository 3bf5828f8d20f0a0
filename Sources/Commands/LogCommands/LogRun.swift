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

/// A run that reads logs on a separate thread, because reading blocks, and reports the outcome at the end.
struct LogRun {
    var reader: LogReader
    let quiet: QuietOptions
    /// Whether and how to report the progress of reading.
    var progress = ProgressStyle()
    var gate: LogGate?
    /// The conditions on rows that are set by options.
    var conditions: [RowCondition] = []
    /// Whether a result without events means that no row passed the filter.
    var countsRows = true

    /// Reports the results of `work` to all outputs, none of which may be one of the logs.
    func report(
        to outputs: ReportOutputs,
        _ work: @escaping @Sendable (LogReader) throws -> LogReport
    ) async throws -> ExitCode {
        var run = self
        if outputs.hasFiles {
            try run.reader.findLogs()
            try outputs.check(inputs: run.reader.files())
        }
        return try await run.conclude { reader, clock in
            let report = try work(reader)
            clock.stop()
            try outputs.write(report.render)
            return report.outcome
        }
    }

    /// Prints everything that `work` appends to the buffer.
    func print(_ work: @escaping @Sendable (LogReader, inout [UInt8]) throws -> LogOutcome) async throws -> ExitCode {
        try await conclude { reader, _ in
            var bytes: [UInt8] = []
            let outcome = try work(reader, &bytes)
            try StandardOutput().drainOrStop(&bytes)
            return outcome
        }
    }

    /// Prints the selected events, up to the first `limit` of them.
    ///
    /// To redact them, the logs are read twice, because a later row may reveal that a word in an earlier one is a name;
    /// input from a pipe can be read only once.
    func printEvents(
        in order: LogReader.Order,
        _ options: LogEventOutputOptions,
        _ redaction: OutputRedaction
    ) async throws -> ExitCode {
        let (form, limit, reach) = (options.form, options.limit, options.reach)
        let (layout, csv, pager) = (options.text.layout, options.csv.style, options.pager)
        return try await conclude { reader, clock in
            let output = LogOutput(StandardOutput(pager: pager))
            var writer = LogEventWriter(form, layout: layout, showsServer: true, marksHits: !reach.isEmpty, csv: csv)
            var count = 0
            var reader = reader
            var redactor = redaction.applies(toFile: false) ? redaction.redactor : nil
            var isLearned = false
            if redactor != nil {
                try reader.findLogs()
                isLearned = reader.canBeReadAgain
                let servers = try reader.servers()
                redactor?.reading { redactor in for server in servers { redactor.learn(writer: server) } }
            }
            if isLearned {
                var reader = reader
                reader.progress = nil
                _ = try reader.forEachEvent(in: order, around: reach, limit: limit) { event, _ in
                    (copy event).teach(&redactor)
                }
            }
            writer.begin(in: &output.bytes)
            let report = try reader.forEachEvent(in: order, around: reach, limit: limit, lull: output.drain) {
                event,
                isHit in
                let shown = redactor.masked(copy event, isLearned: isLearned)
                writer.append(shown, isContext: !isHit, to: &output.bytes)
                try output.drainIfLong()
                if isHit { count += 1 }
            }
            writer.end(in: &output.bytes)
            try output.drain()
            clock.stop()
            output.finish()
            var outcome = report.map { LogOutcome(redactor.masked($0)) } ?? LogOutcome(limitedTo: count)
            outcome.omission = writer.note
            outcome.redaction = redactor?.summary ?? redaction.noteIfOff
            return outcome
        }
    }

    /// Does the work on a separate thread, shows progress, and reports the outcome.
    private func conclude(
        _ work: @escaping @Sendable (LogReader, RunClock) throws -> LogOutcome
    ) async throws -> ExitCode {
        var reader = reader
        let display = ReadProgressDisplay(progress, of: &reader)
        defer { display.finish() }
        Interruption.leaveAtOnce(saying: "interrupted")
        let clock = RunClock()
        let result = await onOwnThread { [reader, conditions, countsRows] in
            Result {
                var outcome = try work(reader, clock)
                clock.stop()
                outcome.hasWindow = !reader.window.isAll
                try outcome.addEmptiness(of: reader, under: conditions, countsRows: countsRows)
                return outcome
            }
        }
        display.finish()
        var outcome = try result.get()
        outcome.reachFromNow = reader.window.reachFromNow
        outcome.texts = reader.filter.contains
        outcome.duration = clock.moment.duration
        outcome.gate = outcome.gate ?? gate
        let conclusion = LogConclusion(outcome)
        quiet.say(conclusion.lines, conclusion.status)
        return ExitCode(conclusion.status)
    }
}

extension LogOutcome {
    /// Adds the conditions that no row meets, unless they are already known or the logs have no rows.
    fileprivate mutating func addEmptiness(
        of reader: LogReader,
        under conditions: [RowCondition],
        countsRows: Bool
    ) throws {
        guard emptiness == nil, !conditions.isEmpty, !isLimited, !holdsNothing else { return }
        let hasRows: Bool? = events > 0 || requests ?? 0 > 0 ? true : countsRows ? false : nil
        emptiness = try reader.emptiness(of: FilteredReading(hasRows: hasRows), under: conditions)
    }
}

/// The outcome of a report on logs, and its rendering in each form.
struct LogReport {
    let outcome: LogOutcome
    let render: (ReportOutputs.Destination, inout [UInt8]) throws -> Void

    init(_ outcome: LogOutcome, render: @escaping (ReportOutputs.Destination, inout [UInt8]) throws -> Void) {
        (self.outcome, self.render) = (outcome, render)
    }
}

/// The time at which a run began, and its duration.
final class RunClock: Sendable {
    private let startedAt = ProcessFacts.now
    private let start = ContinuousClock.now
    private let end = Mutex<ContinuousClock.Instant?>(nil)

    var moment: ReportMoment {
        ReportMoment(startedAt: startedAt, duration: (end.withLock { $0 } ?? .now) - start)
    }

    /// Stops the clock, because time spent in the pager does not count.
    func stop() { end.withLock { $0 = .now } }
}

/// A buffer of events for standard output, which is written in complete lines.
///
/// This is a class because all code that prints shares the buffer.
final class LogOutput {
    var bytes: [UInt8] = []
    private let output: StandardOutput

    init(_ output: StandardOutput = StandardOutput()) { self.output = output }

    private static let drainThreshold = 64 << 10

    /// Drains the buffer if it is long; throws an error if the reader of the output no longer exists.
    func drainIfLong() throws {
        if bytes.count >= Self.drainThreshold { try drain() }
    }

    func drain() throws { try output.drainOrStop(&bytes) }

    /// Drains the buffer; throws an error if the reader of the output no longer exists, even if there is nothing to
    /// write.
    func drainWhileSomebodyReads() throws {
        guard FileDescriptor.standardOutput.hasReader else { throw OutputClosed() }
        try drain()
    }

    /// Waits until the user has left the pager.
    func finish() { output.finish() }
}

extension LogReader {
    /// Whether all inputs can be read a second time, which requires that none of them is a pipe.
    var canBeReadAgain: Bool {
        inputs.allSatisfy { input in
            var status = stat()
            guard input != "-" else { return false }
            return stat(input, &status) != 0 || [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
        }
    }
}
