package import ArgumentParsing
import CommandKit
import Files
import Glibc
package import LogDiagnosis
import LogReports
import ReportKit
import TextKit
import ULSLog

/// The lowest severity at which a finding makes the exit code 1.
struct FailureThreshold: Hashable, ArgumentValue {
    /// The severity; `nil` if findings do not affect the exit code.
    var severity: Severity?

    static let candidates = Severity.allCases.reversed().map(\.rawValue) + ["never"]

    init(_ severity: Severity?) { self.severity = severity }

    init(argument word: String) throws(ArgumentExpectation) {
        if word == "never" {
            severity = nil
        } else if let known = Severity(rawValue: word) {
            severity = known
        } else {
            throw ArgumentExpectation("one of " + Self.candidates.joined(separator: ", "))
        }
    }

    var argumentText: String { severity?.rawValue ?? "never" }
}

/// A share of all lines: `1%`.
struct LineShare: Hashable, ArgumentValue {
    /// The share, from 0 to 1.
    var value: Double

    init(_ value: Double) { self.value = value }

    init(argument word: String) throws(ArgumentExpectation) {
        let digits = word.hasSuffix("%") ? word.dropLast() : word[...]
        guard let percent = Double(digits), (0...100).contains(percent) else {
            throw ArgumentExpectation("a share such as 1% or 0.5%")
        }
        value = percent / 100
    }

    var argumentText: String {
        let percent = value * 100
        return percent == percent.rounded() ? "\(Int(percent))%" : "\(percent)%"
    }
}

extension RuleID: ArgumentValue {
    package init(argument word: String) throws(ArgumentExpectation) {
        guard let id = RuleID(word) else { throw ArgumentExpectation("a rule's ID, such as FS0101") }
        self = id
    }

    package var argumentText: String { text }
}

/// Options that specify the source of rules.
struct RuleFolderOptions: OptionSetting {
    @Option(
        "--rules",
        value: "DIR",
        environment: "FASTCTL_RULES",
        completion: .files,
        help: "Your own rules: FSnnnn.yaml files that extend the built-in rules, or replace those with the same ID"
    )
    var folder: String?

    /// Returns all available rules; `other` is the folder if none was given.
    func library(else other: String? = nil) throws -> RuleLibrary {
        var library = try RuleLibrary.builtIn()
        if let folder = folder ?? other { try library.add(folder: folder) }
        return library
    }

    /// The folder with the rules of a source tree, if the current folder is its root; otherwise `nil`.
    static var sourceTree: String? {
        let names = (try? Folder.names("Rules", maximum: 1000)) ?? []
        return names.contains { $0.hasPrefix("FS") && $0.hasSuffix(".tests.yaml") } ? "Rules" : nil
    }

    /// The location of the tests that are not part of the program.
    static let testsPlace = "the Rules folder of the program's source repository"

    /// Returns a sentence, beginning with the given words, about built-in rules whose tests are unavailable; `nil` if
    /// there are none.
    static func sentences(_ words: String, withoutTests count: Int) -> [String] {
        if count == 0 { return [] }
        return ["\(words)\(Quantity(count, "built-in rule", "built-in rules")) (their tests are in \(testsPlace))"]
    }
}

/// Options for selecting the rules to run.
struct RuleOptions: OptionSetting {
    @Option("--rule", value: "ID", completion: .rules, help: "Only this rule, such as FS0101; may be repeated")
    var ids: [RuleID]

    @OptionGroup("Rules") var source: RuleFolderOptions

    /// Returns all available rules; `other` is their folder if none was given.
    func library(else other: String? = nil) throws -> RuleLibrary { try source.library(else: other) }

    /// Returns the selected rules.
    func entries(else other: String? = nil) throws -> [RuleLibrary.Entry] {
        let library = try library(else: other)
        return ids.isEmpty ? library.entries : try ids.map { try library.entry($0) }
    }

    /// Returns the selected rules, ready to run, with those that define noise.
    // If this is inlined into an async function, the error that it throws makes the optimizer crash (Swift 6.3).
    @inline(never)
    func ruleSet(else other: String? = nil) throws -> RuleSet {
        let entries = try entries(else: other)
        let noise =
            ids.isEmpty
            ? [] : try library(else: other).entries.filter { $0.rule.kind == .noise && !ids.contains($0.rule.id) }
        return try RuleLibrary.ruleSet(entries + noise)
    }
}

extension RuleLibrary {
    /// Returns the rule with an ID, or throws an error that suggests a similar ID.
    func entry(_ id: RuleID) throws -> Entry {
        if let entry = self[id] { return entry }
        let near = id.text.nearest(in: rules.map(\.id.text)).map { "; did you mean \($0)?" } ?? ""
        throw Failure(.usage, "there is no rule \(id)\(near)", advice: "list the rules: fastctl rules list")
    }
}

/// Options for the conditions under which a diagnosis fails.
struct DiagnosisGates: OptionSetting {
    @Option("--fail-on", value: "SEVERITY", help: "Exit with code 1 on a finding of this severity or worse")
    var failOn = FailureThreshold(.error)

    @Flag("--fail-on-unexplained", help: "Exit with code 1 if rows show a problem that no rule explains")
    var failsOnUnexplained

    @Flag(
        "--require-complete",
        help: "Exit with code 4 if the inputs are not enough to evaluate each rule and decide each verdict"
    )
    var requiresComplete

    @Flag(
        "--fail-if-none",
        inverse: "--no-fail-if-none",
        help:
            """
            Exit with code 65 if no row, or no row for a requested value, was examined, or no rule could be evaluated \
            (default, except with --follow)
            """
    )
    var failsIfNone: Bool?

    @Option(
        "--max-parse-errors",
        value: "SHARE",
        completion: ArgumentCompletion.none,
        help: "Exit with code 65 if more lines than this are not understood"
    )
    var maximumParseErrors = LineShare(0.01)
}

/// Options for the facts about the farm.
struct FarmOptions: OptionSetting {
    @Option(
        "--farm",
        value: "FILE",
        completion: .files,
        help: "Servers, builds, services and addresses of the farm, as Get-FarmFacts.ps1 writes them (farm.json)"
    )
    var path: String?

    /// Reads the file, if one was given; `other` is the file if none was.
    func facts(else other: String? = nil) throws -> FarmFacts? { try (path ?? other).map { try FarmFacts.read($0) } }
}

/// Options for the configuration against which logs are checked.
struct WebConfigOptions: OptionSetting {
    @Option(
        "--web-config",
        value: "[SERVER[/ZONE]=]PATH",
        completion: .files,
        help: "A web.config file, or a folder to search for them; may be repeated"
    )
    var paths: [String]
}

/// The input of a diagnosis: logs, web.config files and the farm's facts, with the rules for them.
struct DiagnosisSubject {
    /// The reader of the logs; `nil` if there are only web.config files, which can be examined without logs.
    let reader: LogReader?
    let configPaths: [String]
    let rules: RuleSet
    /// The folder of the profile's own rules.
    let ruleFolder: String?
    let farm: FarmFacts?
}

extension LogReadingOptions {
    /// Returns the input of a diagnosis that the command line names, or else the profile.
    func subject(
        of inputs: [String],
        _ events: LogEventOptions,
        _ configs: WebConfigOptions,
        _ rules: RuleOptions,
        _ farm: FarmOptions,
        _ profile: LogProfile?,
        example: String
    ) throws -> DiagnosisSubject {
        let configPaths = configs.paths.isEmpty ? profile?.texts(.webConfig) ?? [] : configs.paths
        let hasLogs = !inputs.isEmpty || configPaths.isEmpty || profile?.texts(.logs).isEmpty == false
        let ruleFolder = profile?.texts(.rules).first
        return DiagnosisSubject(
            reader: hasLogs
                ? try reader(
                    of: inputs,
                    events.selection,
                    correlations: events.correlations,
                    profile: profile,
                    example: example
                ) : nil,
            configPaths: configPaths,
            rules: try rules.ruleSet(else: ruleFolder),
            ruleFolder: ruleFolder,
            farm: try farm.facts(else: profile?.texts(.farm).first)
        )
    }
}

/// Options for earlier decisions about findings.
struct TriageOptions: OptionSetting {
    @Option(
        "--suppress",
        value: "FILE",
        completion: .files,
        help:
            "A file of findings to suppress, with reasons (default: \(SuppressionFile.standardName), if it exists here)"
    )
    var suppressions: String?

    @Flag("--no-suppress", help: "Ignore suppressions")
    var ignoresSuppressions

    @Option(
        "--baseline",
        value: "FILE",
        completion: .files,
        help: "Known findings, from --write-baseline; report, and fail on, only new or worse ones"
    )
    var baseline: String?

    @Option(
        "--write-baseline",
        value: "FILE",
        completion: .files,
        help:
            "Write all findings that are not suppressed, as the baseline for later runs; unexplained rows need --usual"
    )
    var newBaseline: String?

    static let exclusive = [["--suppress", "--no-suppress"]]

    /// Reads the decisions given here, or else those in a profile.
    func triage(of library: RuleLibrary, _ profile: LogProfile?) throws -> FindingTriage {
        var triage = FindingTriage()
        if !ignoresSuppressions, let path = try suppressions ?? profile?.texts(.suppress).first ?? standardFile() {
            triage.suppressions = try SuppressionFile.read(path)
        }
        let known = baseline ?? profile?.texts(.baseline).first
        triage.baseline = try known.map { try FindingBaseline.read($0) }
        triage.today = CalendarDay.today
        triage.rules = Set(library.rules.map(\.id))
        return triage
    }

    /// Returns the file with the usual name in this folder, if it exists.
    ///
    /// The file is read even if the command line does not name it, and error messages quote it, so a link to another
    /// file is refused.
    private func standardFile() throws -> String? {
        let name = SuppressionFile.standardName
        guard !FileLink.isOne(name) else {
            throw RuleError(file: name, message: "it is a link; use --suppress \(name) to follow it, or --no-suppress")
        }
        return access(name, F_OK) == 0 ? name : nil
    }
}

extension CalendarDay {
    /// The day on this machine's clock.
    static var today: CalendarDay? {
        var (seconds, parts) = (time_t(), tm())
        time(&seconds)
        guard localtime_r(&seconds, &parts) != nil else { return nil }
        return CalendarDay(year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday))
    }
}

struct Suppress: CommandGroup {
    static let configuration = CommandConfiguration(
        "suppress",
        group: "Logs",
        summary: "Manage known findings that diagnose should not report.",
        discussion: """
            Suppressions are in \(SuppressionFile.standardName) in the folder where 'fastctl diagnose' runs, or in the \
            '--suppress' file. Each specifies a rule, or a kind of unexplained row by its ID, and a reason; it may \
            specify an owner, and the last day on which it applies: from the next day, the findings are reported \
            again. 'diagnose' reports an entry as a finding if it has expired, or if it suppresses nothing. A kind of \
            row can be absent for weeks, so its entry is not reported before the last day.
            """,
        examples: [
            .init(
                "fastctl suppress add FS1003 --reason 'ticket 4711' --until 2027-01-31 --owner Operations",
                "Suppress a rule until February"
            ),
            .init("fastctl suppress list", "List what is suppressed in this folder"),
        ],
        subcommands: [AddSuppression.self, ListSuppressions.self]
    ).advising([
        "remove": "Delete the entry in \(SuppressionFile.standardName)",
        "delete": "Delete the entry in \(SuppressionFile.standardName)",
        "rm": "Delete the entry in \(SuppressionFile.standardName)",
    ])
}

/// Options for the file of suppressions.
private struct SuppressionFileOptions: OptionSetting {
    @Option("--suppress", value: "FILE", completion: .files, help: "The file")
    var path = SuppressionFile.standardName
}

private struct AddSuppression: Command {
    static let configuration = CommandConfiguration(
        "add",
        summary: "Add a suppression.",
        discussion: """
            The rest of the file is not changed. A missing file is created. Entries for the same rule or kind are \
            combined: a finding is hidden if any of them hides it. If an earlier entry hides the same findings for at \
            least as long, nothing is added; if it ends earlier, its location is shown, so that you can remove it.
            """,
        examples: [
            .init("fastctl suppress add FS1003 --reason 'ticket 4711' --until 2027-01-31", "A rule"),
            .init("fastctl suppress add FS1003 --server WFE3 --reason 'being replaced'", "On one server only"),
            .init(
                "fastctl suppress add 59cf118ae9342bd9 --reason harmless",
                "A kind of unexplained row, by its ID from -o json"
            ),
        ]
    )

    @Option("--reason", value: "TEXT", completion: ArgumentCompletion.none, help: "The reason for suppressing it")
    var reason: String

    @Option(
        "--until",
        value: "DAY",
        completion: ArgumentCompletion.none,
        help: "The last day on which it applies, such as 2027-01-31 (default: no end)"
    )
    var until: CalendarDay?

    @Option("--owner", value: "NAME", completion: ArgumentCompletion.none, help: "The owner of this decision")
    var owner: String?

    @Option(
        "--server",
        value: "NAME",
        completion: ArgumentCompletion.none,
        help: "Only findings on this server; may be repeated"
    )
    var servers: [String]

    @Option(
        "--text",
        value: "TEXT",
        completion: ArgumentCompletion.none,
        help: "Only findings whose message contains this text"
    )
    var text: String?

    @OptionGroup("File") var file: SuppressionFileOptions
    @OptionGroup("Rules") var rules: RuleFolderOptions
    @OptionGroup("Output") var quiet: QuietOptions

    @Argument("RULE|KIND", completion: .allRules, help: "The ID of a rule, or of a kind of unexplained row")
    var subject: String

    private static let maximumBytes = 1 << 20

    func run() async throws -> ExitCode {
        if let until, let today = CalendarDay.today, until < today {
            throw ArgumentError(
                "--until \(until) is in the past; the entry would suppress nothing",
                advice: "Use today or a later day"
            )
        }
        guard RuleID(subject) != nil || Suppression.isKind(subject) else {
            throw ArgumentError(
                "'\(subject)' is neither a rule's ID, such as FS1003, nor the ID of a kind of row, which has 16 digits",
                advice: "'fastctl diagnose -o json' shows the IDs of both"
            )
        }
        // The program's own rules are not in the library.
        if let id = RuleID(subject), !["FS9001", "FS9002"].contains(id.text) { _ = try rules.library().entry(id) }
        let path = file.path
        let old = try text(of: path)
        var draft = SuppressionDraft(RuleID(subject).map { .rule($0) } ?? .cluster(subject), reason: reason)
        (draft.owner, draft.until, draft.servers, draft.text) = (owner, until, servers, text)
        let text = try SuppressionFile.adding(draft, to: old, path: path)
        let earlier = try old.map { try SuppressionFile($0, path: path).entries(like: draft) } ?? []
        if let entry = earlier.first(where: { hides($0, untilTheEndOf: draft) }) {
            throw Failure(
                .refused,
                "\(path):\(entry.place.line): an earlier entry hides the same findings, \(end(of: entry))",
                advice: "nothing was added; to change the reason or the last day, edit that entry"
            )
        }
        try AtomicFile.write(Array(text.utf8), to: path)
        quiet.say(["\(path): \(subject) suppressed" + (until.map { " until \($0)" } ?? "")])
        for entry in earlier {
            quiet.say([
                "\(path):\(entry.place.line): an earlier entry hides the same findings, \(end(of: entry)); remove it"
            ])
        }
        return .success
    }

    /// Returns whether an entry applies at least as long as a draft.
    private func hides(_ entry: Suppression, untilTheEndOf draft: SuppressionDraft) -> Bool {
        guard let last = entry.until else { return true }
        return draft.until.map { $0 <= last } ?? false
    }

    private func end(of entry: Suppression) -> String {
        entry.until.map { "until \($0)" } ?? "without a last day"
    }

    /// Returns the file's text; `nil` if it does not exist.
    private func text(of path: String) throws -> String? {
        do throws(FileError) {
            let bytes = try SmallFile.read(path, maximum: Self.maximumBytes)
            if let text = String(validating: bytes, as: UTF8.self) { return text }
        } catch {
            if error.isMissing { return nil }
            throw Failure(.configuration, "cannot read '\(path)': \(error.reason)", advice: "name another file")
        }
        throw Failure(.configuration, "'\(path)' is not UTF-8", advice: "save it as UTF-8")
    }
}

extension CalendarDay: ArgumentValue {
    package init(argument word: String) throws(ArgumentExpectation) {
        guard let day = CalendarDay(word) else { throw ArgumentExpectation("a day, such as 2027-01-31") }
        self = day
    }

    package var argumentText: String { description }
}

private struct ListSuppressions: Command {
    static let configuration = CommandConfiguration(
        "list",
        foreignNames: ["ls"],
        summary: "List the suppressions.",
        examples: [.init("fastctl suppress list -o json", "For a script")]
    )

    @OptionGroup("Output") var output: ListOptions
    @OptionGroup("File") var file: SuppressionFileOptions

    func run() async throws -> ExitCode {
        try output.check()
        guard access(file.path, F_OK) == 0 || file.path != SuppressionFile.standardName else {
            try output.print([] as [SuppressionObject])
            output.note("nothing is suppressed here; add an entry: fastctl suppress add RULE --reason TEXT")
            return .success
        }
        let suppressions = try SuppressionFile.read(file.path)
        let today = CalendarDay.today
        try output.print(suppressions.entries.map { SuppressionObject($0, on: today) })
        if suppressions.entries.isEmpty { output.note("'\(file.path)' suppresses nothing") }
        return .success
    }
}
