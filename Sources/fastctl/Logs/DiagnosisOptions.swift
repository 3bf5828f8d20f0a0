public import ArgumentParsing
public import LogDiagnosis
import ReportRendering
import Spelling

/// The lowest severity at which a finding makes the exit code 1.
struct FailureThreshold: Hashable, ArgumentValue {
    /// The severity; `nil` if no finding does.
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
    public init(argument word: String) throws(ArgumentExpectation) {
        guard let id = RuleID(word) else { throw ArgumentExpectation("a rule's ID, such as FS0101") }
        self = id
    }

    public var argumentText: String { text }
}

/// Options for where rules come from.
struct RuleFolderOptions: OptionSetting {
    @Option(
        "--rules",
        value: "DIR",
        environment: "FASTCTL_RULES",
        completion: .files,
        help: "Your own rules: FSnnnn.yaml files, which are added, or replace those with the same ID"
    )
    var folder: String?

    /// Returns all available rules; `other` is the folder if none was given.
    func library(else other: String? = nil) throws -> RuleLibrary {
        var library = try RuleLibrary.builtIn()
        if let folder = folder ?? other { try library.add(folder: folder) }
        return library
    }
}

/// Options for which rules run.
struct RuleOptions: OptionSetting {
    @Option(
        "--rule",
        value: "ID",
        completion: ArgumentCompletion.none,
        help: "Only this rule, such as FS0101; may be repeated"
    )
    var ids: [RuleID]

    @OptionGroup("Rules") var source: RuleFolderOptions

    /// Returns all available rules; `other` is their folder if none was given.
    func library(else other: String? = nil) throws -> RuleLibrary { try source.library(else: other) }

    /// Returns the selected rules.
    func entries(else other: String? = nil) throws -> [RuleLibrary.Entry] {
        let library = try library(else: other)
        return ids.isEmpty ? library.entries : try ids.map { try library.entry($0) }
    }

    /// Returns the selected rules, ready to run, with those that say what is noise.
    // Inlined into an async function, its error makes the optimizer crash (Swift 6.3).
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
        throw CommandFailure(.usage, "there is no rule \(id)\(near)", advice: "list the rules: fastctl rules list")
    }
}

/// Options for what makes a diagnosis fail.
struct DiagnosisGates: OptionSetting {
    @Option("--fail-on", value: "SEVERITY", help: "Exit with code 1 on a finding of this severity or worse")
    var failOn = FailureThreshold(.error)

    @Flag("--fail-on-unexplained", help: "Exit with code 1 if rows show a problem that no rule explains")
    var failsOnUnexplained

    @Flag("--require-complete", help: "Exit with code 4 if a rule could not be evaluated or a verdict is undecided")
    var requiresComplete

    @Option(
        "--max-parse-errors",
        value: "SHARE",
        completion: ArgumentCompletion.none,
        help: "Exit with code 65 if more lines than this are not understood"
    )
    var maximumParseErrors = LineShare(0.01)
}

/// Options for what the farm is made of.
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

/// Options for the configuration that logs are cross-checked with.
struct WebConfigOptions: OptionSetting {
    @Option(
        "--web-config",
        value: "[SERVER[/ZONE]=]PATH",
        completion: .files,
        help: "A web.config file, or a folder to search for them; may be repeated"
    )
    var paths: [String]
}
