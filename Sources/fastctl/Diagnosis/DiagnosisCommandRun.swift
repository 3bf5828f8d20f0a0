import ArgumentParsing
import Glibc
import LogDiagnosis
import ReportRendering
import Threads
import ULSLog
import WebConfig

/// Runs rules, writes what they say in all the forms that were asked for, and ends with one exit code.
struct DiagnosisCommandRun {
    let outputs: [DiagnosisOutput]
    let color: ColorChoice
    let gates: DiagnosisGates

    /// Looks at logs, if there are any, and at the web.config files below these paths.
    func print(_ reader: LogReader?, rules: RuleSet, configPaths: [String]) async throws -> ExitCode {
        let configs = try ConfigFiles(configPaths)
        // Before anything is read, so that a wrong name costs nothing.
        let files = try outputs.compactMap { output in
            try output.path.map { (output.format, try WholeFile($0)) }
        }
        Interruption.leaveAtOnce(saying: "interrupted; no report was written")
        let (clock, now) = (ContinuousClock(), Self.now)
        let start = clock.now
        let diagnosis = Diagnosis(rules: rules, configs: configs.read, refusedConfigs: configs.refused)
        let report = try await onOwnThread { Result { try diagnosis.report(on: reader) } }.get()

        var circumstances = DiagnosisCircumstances()
        circumstances.failOn = gates.failOn.severity
        circumstances.requireComplete = gates.requiresComplete
        circumstances.maximumParseErrors = gates.maximumParseErrors.value
        circumstances.hasWindow = reader.map { !$0.window.isAll } ?? false
        circumstances.tellsNotes = outputs.contains { $0.format == .text && $0.path == nil }
        circumstances.duration = clock.now - start
        let conclusion = DiagnosisConclusion(report, circumstances)

        var options = DiagnosisOptions(version: Version.number, token: Self.token())
        options.layout = .standardOutput(color)
        options.failOn = gates.failOn.severity
        options.status = conclusion.status
        options.startedAt = now
        options.duration = circumstances.duration
        try write(DiagnosisRenderer(report, options), to: files)
        for line in conclusion.lines { StandardError.say(line) }
        return ExitCode(conclusion.status)
    }

    private func write(_ renderer: DiagnosisRenderer, to files: [(format: DiagnosisFormat, file: WholeFile)]) throws {
        for (format, file) in files {
            var bytes: [UInt8] = []
            renderer.append(as: format, to: &bytes)
            try file.write(&bytes)
            try file.finish()
        }
        guard let format = outputs.first(where: { $0.path == nil })?.format else { return }
        var bytes: [UInt8] = []
        renderer.append(as: format, to: &bytes)
        try StandardOutput().drainOrStop(&bytes)
    }

    /// A word that no log can foresee.
    private static func token() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// Since 1970.
    private static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

/// The web.config files that were given: those that say something, and those that were refused.
struct ConfigFiles {
    private(set) var read: [WebConfigFile] = []
    private(set) var refused: [WebConfigError] = []

    /// Reads all files below these paths, each perhaps with a label.
    ///
    /// A file that cannot be opened stops everything; one that must not be guessed at is refused by itself.
    init(_ paths: [String]) throws {
        for source in try WebConfigInputs.find(paths) {
            do throws(WebConfigError) {
                read.append(try WebConfigFile.read(source))
            } catch {
                guard error.code != .cannotOpen, error.code != .notFound else { throw error }
                refused.append(error)
            }
        }
    }
}
