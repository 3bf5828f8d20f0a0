import ArgumentParsing
import Glibc
import Redaction
import ReportRendering
import Threads
import ULSLog

/// A run that reads logs on a separate thread, because reading blocks, and reports the outcome at the end.
struct LogRun {
    let reader: LogReader

    /// Prints what `work` finds.
    func print(_ work: @escaping @Sendable (LogReader, LogOutput) throws -> LogOutcome) async throws -> ExitCode {
        Interruption.leaveAtOnce(saying: "interrupted")
        let clock = ContinuousClock()
        let start = clock.now
        let result = await onOwnThread { [reader] in
            Result {
                let output = LogOutput()
                let outcome = try work(reader, output)
                try output.finish()
                return outcome
            }
        }
        var outcome = try result.get()
        outcome.hasWindow = !reader.window.isAll
        outcome.reachFromNow = reader.window.reachFromNow
        outcome.texts = reader.filter.contains
        outcome.duration = clock.now - start
        let conclusion = LogConclusion(outcome)
        for line in conclusion.lines { StandardError.say(line) }
        return ExitCode(conclusion.status)
    }

    /// Prints the selected events, up to the first `limit` of them.
    ///
    /// To redact them, the logs are read twice, because a later row may give away a name that stands in an earlier one;
    /// what comes through a pipe can only be read once.
    func printEvents(
        in order: LogReader.Order,
        _ options: LogEventOutputOptions,
        _ redaction: OutputRedaction
    ) async throws -> ExitCode {
        let (format, limit, reach) = (options.format, options.limit, options.reach)
        let layout = TextLayout.standardOutput(options.color)
        return try await print { reader, output in
            var writer = LogEventWriter(format, layout: layout, showsServer: true, marksHits: !reach.isEmpty)
            var count = 0
            var reader = reader
            try reader.findLogs()
            var redactor = redaction.applies(toFile: false) ? redaction.redactor : nil
            let isLearned = redactor != nil && reader.canBeReadAgain
            if isLearned {
                _ = try reader.forEachEvent(in: order, around: reach, limit: limit) { event, _ in
                    (copy event).teach(&redactor)
                }
            }
            writer.begin(in: &output.bytes)
            let report = try reader.forEachEvent(in: order, around: reach, limit: limit) { event, isHit in
                let shown = redactor.masked(copy event, isLearned: isLearned)
                writer.append(shown, isContext: !isHit, to: &output.bytes)
                try output.drainIfLong()
                if isHit { count += 1 }
            }
            writer.end(in: &output.bytes)
            var outcome = report.map { LogOutcome(redactor.masked($0)) } ?? LogOutcome(limitedTo: count)
            outcome.omission = writer.note
            outcome.redaction = redactor?.summary ?? redaction.noteIfOff
            return outcome
        }
    }
}

extension LogReader {
    /// Whether all inputs can be read a second time: none is a pipe.
    fileprivate var canBeReadAgain: Bool {
        inputs.allSatisfy { input in
            var status = stat()
            guard input != "-" else { return false }
            return stat(input, &status) != 0 || [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
        }
    }
}

/// Results on their way to standard output, whole lines at a time.
///
/// A class, because everything that prints shares the buffer.
final class LogOutput {
    var bytes: [UInt8] = []
    private let output = StandardOutput()

    private static let drainThreshold = 64 << 10

    /// Drains the buffer once it is long; throws when nobody reads any more.
    fileprivate func drainIfLong() throws {
        if bytes.count >= Self.drainThreshold { try output.drainOrStop(&bytes) }
    }

    func drain(_ buffer: inout [UInt8]) throws { try output.drainOrStop(&buffer) }

    fileprivate func finish() throws { try output.drainOrStop(&bytes) }
}

extension TextLayout {
    /// Returns the layout of text on this process's standard output.
    static func standardOutput(_ color: ColorChoice) -> TextLayout {
        let environment = ProcessEnvironment.values
        let output = FileDescriptor.standardOutput
        return TextLayout(
            width: output.terminalWidth,
            isColored: color.isColored(isTerminal: output.isTerminal) { environment[$0] },
            isUnicode: isUnicode(environment),
            neutralizesRunnerCommands: runnerVariables.contains { environment[$0]?.isEmpty == false }
        )
    }

    /// Variables set by the runners of GitHub Actions, Azure Pipelines and TeamCity.
    private static let runnerVariables = ["GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"]

    /// Returns whether the locale is UTF-8; the first variable that is set decides, as in every program.
    private static func isUnicode(_ environment: [String: String]) -> Bool {
        let locales = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }
        guard let locale = locales.first(where: { !$0.isEmpty })?.lowercased() else { return false }
        return locale.hasSuffix("utf-8") || locale.hasSuffix("utf8")
    }
}
