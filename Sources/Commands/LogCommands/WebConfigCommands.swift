import ArgumentParsing
import CommandKit
import Files
import LogDiagnosis
import LogReports
import Redaction
import ReportKit
import TextKit
import ULSLog
import WebConfig

struct WebConfigCommands: CommandGroup {
    static let configuration = CommandConfiguration(
        "webconfig",
        group: "Logs",
        summary: "Check web.config files, and repair wrong values in them.",
        examples: [
            .init("fastctl webconfig check /inetpub/wwwroot/wss/VirtualDirectories/80/web.config", "Check one file"),
            .init("fastctl webconfig check WFE1=a/web.config WFE2=b/web.config", "Compare two servers as well"),
            .init("fastctl webconfig fix web.config --only FS0101", "Turn ASP.NET tracing off"),
        ],
        subcommands: [CheckWebConfig.self, FixWebConfig.self]
    ).advising(["undo": "Use 'fastctl webconfig fix --undo PATH'"])
}

private struct CheckWebConfig: Command {
    static let configuration = CommandConfiguration(
        "check",
        foreignNames: ["compare", "diff", "show"],
        summary: "Show the settings of web.config files, with their lines and any problems.",
        discussion: """
            Settings that are not in the file are shown with their documented defaults. Keys and passwords are never \
            shown. A file that has a DOCTYPE or is not well-formed is refused, with the location of the error; its \
            contents are never guessed.

            '--expect' compares the files with the values that a YAML file expects for all of them, or for a server \
            and zone: 'system.web/trace@enabled: "false"'. A different value is a finding, and so is a setting that is \
            not in the file (unless 'absent' is expected), a file that could not be read, or a server without a file. \
            '--write-expect' creates such a file from the current values.
            """,
        examples: [
            .init("fastctl webconfig check web.config", "One file"),
            .init(
                "fastctl webconfig check WFE1/Default=a WFE2/Default=b --fail-on warning -o text -o junit=configs.xml",
                "Two servers, for CI"
            ),
            .init("fastctl webconfig check --profile prod", "The files of a farm profile"),
            .init("fastctl webconfig check WFE1=a WFE2=b --write-expect expect.yaml", "Record the current values"),
            .init("fastctl webconfig check WFE1=a WFE2=b --expect expect.yaml", "Check that they have not changed"),
        ],
        commonOptions: ["--expect", "--write-expect", "--fail-on", "--output", "--profile"]
    )

    @OptionGroup("Output") var output = ReportOutputOptions(WebConfigRenderer.forms)

    @OptionGroup("Text") var text: TextOptions

    @Option("--fail-on", value: "SEVERITY", help: "Exit with code 1 on a finding of this severity or worse")
    var failOn = FailureThreshold(.error)

    @Option("--expect", value: "FILE", completion: .files, help: "Expected values; a different value is an error")
    var expected: String?

    @Option(
        "--write-expect",
        value: "FILE",
        completion: .files,
        help: "Write the values of these files, for use with --expect"
    )
    var newExpected: String?

    @Option(
        "--profile",
        value: "NAME",
        completion: .profiles,
        help: "A farm profile, for its web.config files if none are given here, and its rules without --rules"
    )
    var profileName: String?

    @OptionGroup("Rules") var rules: RuleOptions
    @OptionGroup("Redaction") var redaction: RedactionOptions

    @Argument("[SERVER[/ZONE]=]PATH", completion: .files, help: "Files, or folders to search for them")
    var paths: [String]

    static let exclusive = [["--expect", "--write-expect"]]

    func validate() throws {
        if paths.isEmpty, profileName == nil {
            throw ValidationError("specify a web.config file, or a folder that contains web.config files")
        }
    }

    func run() async throws -> ExitCode {
        let clock = RunClock()
        let outputs = output.outputs(text)
        let expectations = try expected.map { try ConfigExpectations.read($0) }
        let profile = try profileName.map { try LogProfiles.current.profile(named: $0) }
        let named = paths.isEmpty ? profile?.texts(.webConfig) ?? [] : paths
        if named.isEmpty, let profile {
            throw Failure(
                .configuration,
                "the profile '\(profile.name)' has no web.config (\(profile.origin))",
                advice: "add 'web-config' there, or specify the files here"
            )
        }
        let configs = try ConfigFiles(named)
        try outputs.check(inputs: configs.sources.map(\.path), others: [newExpected].compactMap(\.self))
        let onConfig = try rules.ruleSet(else: profile?.texts(.rules).first).rules.filter { $0.needs.webConfig != nil }
        if onConfig.isEmpty {
            throw ArgumentError(
                "none of these rules checks web.config",
                advice: "To check logs with them, use 'fastctl diagnose'; 'fastctl rules list' shows what each needs"
            )
        }
        let diagnosis = Diagnosis(
            rules: try RuleSet(onConfig),
            configs: configs.read,
            refusedConfigs: configs.refused
        )
        var report = diagnosis.report(on: nil as RecordedLog?)
        if let expectations { report.compare(with: expectations) }
        var circumstances = DiagnosisCircumstances()
        circumstances.gate.failOn = failOn.severity
        // This command has no --explain.
        let concluded = ConcludedDiagnosis(
            DiagnosedLogs(report: report),
            try redaction.ofReport(),
            circumstances,
            .full,
            clock,
            outputs
        )
        try concluded.write { WebConfigRenderer($0, $1).append(as: $2, to: &$3) }
        let conclusion = concluded.conclusion
        if let newExpected { try write(configs, to: newExpected) }
        let repairers = Set(onConfig.filter { $0.repair != nil }.map(\.id))
        var advice: [String] = []
        if outputs.showsText {
            if report.findings.contains(where: { !$0.undecided.isEmpty }) {
                advice.append("to look for effects in logs: fastctl diagnose --web-config PATH LOGS")
            }
            if report.findings.contains(where: { repairers.contains($0.rule.id) }) {
                advice.append("to preview a repair: fastctl webconfig fix --dry-run PATH")
            }
        }
        self.output.quiet.say(advice + conclusion.lines, conclusion.status)
        return ExitCode(conclusion.status)
    }

    /// Writes the values of the files, unless one of the files could not be read, because the gap would not be noticed.
    private func write(_ configs: ConfigFiles, to path: String) throws {
        guard configs.refused.isEmpty else {
            return StandardError.say("\(path) was not written, because some files could not be read")
        }
        if let identity = FileIdentity(path), configs.sources.contains(where: { FileIdentity($0.path) == identity }) {
            throw Failure(.usage, "'\(path)' is an input: it would be overwritten", advice: "write to another file")
        }
        let written = try WrittenExpectations(configs.read)
        try AtomicFile.write(Array(written.text.utf8), to: path)
        let rest = Quantity(written.untold, "value is", "values are")
        StandardError.say(
            "\(path) written" + (written.untold > 0 ? "; \(rest) encrypted or in another file, and were left out" : "")
        )
    }
}

/// The command that repairs web.config files and undoes repairs.
struct FixWebConfig: Command {
    static let configuration = CommandConfiguration(
        "fix",
        foreignNames: ["repair", "set", "apply"],
        summary: "Repair values in web.config files, and change nothing else.",
        discussion: """
            Only values that a rule can correct are changed: tracing, debug compilation, custom errors, call stacks. \
            Comments, order, white space, encoding and line endings are preserved. The previous version is kept beside \
            the file, readable only by its owner; --undo restores it, unless the file has changed since. A file \
            without problems, or without a repair to undo, is not touched.

            Saving a web.config restarts its web application.
            """,
        examples: [
            .init("fastctl webconfig fix web.config --dry-run", "Preview the changes"),
            .init("fastctl webconfig fix web.config --only FS0101", "Only ASP.NET tracing"),
            .init("fastctl webconfig fix web.config --undo", "Undo the last repair"),
            .init("fastctl webconfig fix --dry-run -o json configs", "For a script"),
        ]
    )

    @Option(
        "--only",
        value: "ID",
        completion: .rules,
        help: "Only values that this rule checks, such as FS0101; may be repeated"
    )
    var only: [RuleID]

    @Flag("--dry-run", help: "Show the changes without making them")
    var isDryRun

    @Flag("--undo", help: "Restore the files to their state before the last repair")
    var isUndoing

    @Option(output: [.text, .json])
    var form

    @OptionGroup("Rules") var rules: RuleFolderOptions

    @Argument("[SERVER[/ZONE]=]PATH", completion: .files, help: "Files, or folders to search for them")
    var paths: [String]

    func validate() throws {
        if paths.isEmpty {
            throw ValidationError("specify a web.config file, or a folder that contains web.config files")
        }
        if isUndoing, isDryRun || !only.isEmpty {
            throw ValidationError("--undo reverts a whole repair; leave out --dry-run and --only")
        }
    }

    func run() async throws -> ExitCode {
        let repairers = try repairers()
        let output = StandardOutput()
        var (statuses, fixes): ([ExitStatus], [ConfigFix]) = ([], [])
        for source in try WebConfigInputs.find(paths) {
            var fix = ConfigFix(source)
            do {
                if isUndoing { try undo(&fix) } else { try repair(&fix, by: repairers, output) }
            } catch {
                // The files of the other servers are still repaired.
                let failure = Failure(error)
                StandardError.say(failure.message)
                (fix.outcome, fix.reason) = (.failed, failure.message)
                statuses.append(failure.status)
            }
            fixes.append(fix)
        }
        let status = ExitStatus.first(of: statuses)
        if form == .json {
            var bytes: [UInt8] = []
            ConfigFix.append(fixes, status, to: &bytes)
            output.drain(&bytes)
        }
        if let failure = output.failure { throw Failure(.inputOutput, failure, advice: nil) }
        say(fixes, areAllRead: statuses.isEmpty)
        return ExitCode(status)
    }

    /// Returns the rules that can repair a file.
    private func repairers() throws -> [Rule] {
        let library = try rules.library()
        guard !only.isEmpty else { return library.rules.filter { $0.repair != nil } }
        return try only.map { id in
            let rule = try library.entry(id).rule
            guard rule.repair == nil else { return rule }
            let known = library.rules.filter { $0.repair != nil }.map(\.id.text).joined(separator: ", ")
            throw Failure(
                .usage,
                "\(id) repairs nothing: its findings are not single values in a web.config",
                advice: "rules that repair: \(known)"
            )
        }
    }

    private func repair(_ fix: inout ConfigFix, by rules: [Rule], _ output: StandardOutput) throws {
        let source = fix.source
        var authors: [ConfigChange: RuleID] = [:]
        let repair = try ConfigRepair(source) { file throws(WebConfigError) in
            var changes: [ConfigChange] = []
            for rule in rules {
                for change in try rule.changes(in: file) where authors[change] == nil {
                    if let other = changes.first(where: { $0.attribute == change.attribute }) {
                        throw disagreement(about: change, rule.id, authors[other], source)
                    }
                    authors[change] = rule.id
                    changes.append(change)
                }
            }
            return changes
        }
        let changes = repair.changes.compactMap { planned in
            authors[planned.change].map { ConfigFix.Change(planned, rule: $0) }
        }
        guard !changes.isEmpty else { return }
        if form == .text { show(changes, in: source, output) }
        let others = ConfigBackup.otherNames(of: source)
        guard !isDryRun else {
            (fix.outcome, fix.changes, fix.otherNames) = (.planned, changes, others)
            return
        }
        let kept = try ConfigBackup.write(repair)
        (fix.outcome, fix.changes, fix.otherNames, fix.previous) = (.repaired, changes, others, kept)
        StandardError.say("\(SafeText.escaping(source.path)): repaired; previous version: \(SafeText.escaping(kept))")
        if others > 0 {
            let names = Quantity(
                others,
                "other name (hard link) of the file still has",
                "other names (hard links) of the file still have"
            )
            StandardError.say("\(SafeText.escaping(source.path)): \(names) the old content; repair each")
        }
    }

    private func show(_ changes: [ConfigFix.Change], in source: WebConfigSource, _ output: StandardOutput) {
        var text = "--- \(SafeText.escaping(source.path))\n+++ \(SafeText.escaping(source.path))\n"
        for change in changes {
            let (planned, value) = (change.planned, change.planned.change)
            text += "@@ line \(value.attribute.line), \(SafeText.escaping(value.element.path)) (\(change.rule)) @@\n"
            text += "-\(SafeText.escaping(planned.before))\n+\(SafeText.escaping(planned.after))\n"
        }
        var bytes = Array(text.utf8)
        output.drain(&bytes)
    }

    private func disagreement(
        about change: ConfigChange,
        _ rule: RuleID,
        _ other: RuleID?,
        _ source: WebConfigSource
    ) -> WebConfigError {
        WebConfigError(
            code: .refused,
            source: source,
            line: change.attribute.line,
            column: change.attribute.column,
            message: "\(rule) and \(other?.text ?? "another rule") require different values here; nothing was written",
            advice: "select one of them with --only"
        )
    }

    private func undo(_ fix: inout ConfigFix) throws {
        do throws(WebConfigError) {
            fix.previous = try ConfigBackup.undo(fix.source)
            fix.outcome = .restored
            StandardError.say("\(SafeText.escaping(fix.source.path)): restored to its state before the last repair")
        } catch {
            guard error.code == .nothingToUndo else { throw error }
            // Some of the files in a folder may not have been repaired.
            fix.reason = Failure(error).message
            StandardError.say(Failure(error).message)
        }
    }

    private func say(_ fixes: [ConfigFix], areAllRead: Bool) {
        let values = fixes.reduce(0) { $0 + $1.changes.count }
        let files = fixes.count { $0.outcome != .unchanged && $0.outcome != .failed }
        guard files > 0 else {
            let verb = isUndoing ? "undo" : "repair"
            if areAllRead { StandardError.say("nothing to \(verb); nothing was changed") }
            return
        }
        guard !isUndoing else { return StandardError.say("\(Quantity(files, "file", "files")) restored") }
        let what = "\(Quantity(values, "value", "values")) in \(Quantity(files, "file", "files"))"
        guard isDryRun else {
            return StandardError.say("\(what) repaired; to undo: fastctl webconfig fix --undo PATH")
        }
        StandardError.say("dry run: \(what) would be changed; their web applications would restart")
    }
}
