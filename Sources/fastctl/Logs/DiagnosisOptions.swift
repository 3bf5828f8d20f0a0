public import ArgumentParsing
public import LogDiagnosis
import ReportRendering
import Spelling

/// A form of a diagnosis, and where it goes: `text`, `sarif=fastctl.sarif`.
struct DiagnosisOutput: Hashable, ArgumentValue {
    var format: DiagnosisFormat
    /// `nil` is standard output.
    var path: String?

    static let candidates = DiagnosisFormat.allCases.map(\.rawValue)

    init(format: DiagnosisFormat, path: String? = nil) {
        self.format = format
        self.path = path
    }

    init(argument word: String) throws(ArgumentExpectation) {
        let name = word.prefix { $0 != "=" }
        let path = word.dropFirst(name.count + 1)
        guard let format = DiagnosisFormat(rawValue: String(name)), name.count == word.count || !path.isEmpty else {
            let forms = Self.candidates.joined(separator: ", ")
            throw ArgumentExpectation("one of \(forms), or one of them with a file, as sarif=fastctl.sarif")
        }
        self.init(format: format, path: name.count == word.count || path == "-" ? nil : String(path))
    }

    var argumentText: String { format.rawValue + (path.map { "=\($0)" } ?? "") }
}

/// From which severity on a finding makes the exit code 1.
struct FailureThreshold: Hashable, ArgumentValue {
    /// `nil`: none does.
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
    /// From 0 to 1.
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
        guard let id = RuleID(word) else { throw ArgumentExpectation("a rule's ID, as FS0101") }
        self = id
    }

    public var argumentText: String { text }
}

/// Where rules come from.
struct RuleFolderOptions: OptionSetting {
    @Option(
        "--rules",
        value: "DIR",
        completion: .files,
        help: "Rules of your own: FSnnnn.yaml files, which are added or take the place of those of the same ID"
    )
    var folder: String?

    /// All rules there are.
    func library() throws -> RuleLibrary {
        var library = try RuleLibrary.builtIn()
        if let folder { try library.add(folder: folder) }
        return library
    }
}

/// Which rules are run.
struct RuleOptions: OptionSetting {
    @Option(
        "--rule",
        value: "ID",
        completion: ArgumentCompletion.none,
        help: "Only this rule, as FS0101; may be repeated"
    )
    var ids: [RuleID]

    @OptionGroup("Rules") var source: RuleFolderOptions

    /// All rules there are.
    func library() throws -> RuleLibrary { try source.library() }

    /// The rules that are wanted.
    func entries() throws -> [RuleLibrary.Entry] {
        let library = try library()
        return ids.isEmpty ? library.entries : try ids.map { try library.entry($0) }
    }

    /// The rules that are wanted, ready to run.
    // Inlined into an async function, its error makes the optimizer crash (Swift 6.3).
    @inline(never)
    func ruleSet() throws -> RuleSet { try RuleLibrary.ruleSet(entries()) }
}

extension RuleLibrary {
    /// The rule with an ID, or an error that says which one was perhaps meant.
    func entry(_ id: RuleID) throws -> Entry {
        if let entry = self[id] { return entry }
        let near = id.text.nearest(in: rules.map(\.id.text)).map { "; did you mean \($0)?" } ?? ""
        throw CommandFailure(.usage, "there is no rule \(id)\(near)", advice: "see what there is: fastctl rules list")
    }
}

/// What fails a diagnosis.
struct DiagnosisGates: OptionSetting {
    @Option("--fail-on", value: "SEVERITY", help: "From this severity on a finding makes the exit code 1")
    var failOn = FailureThreshold(.error)

    @Flag("--require-complete", help: "Exit with code 4 when a rule could not be evaluated or a verdict is undecided")
    var requiresComplete

    @Option(
        "--max-parse-errors",
        value: "SHARE",
        completion: ArgumentCompletion.none,
        help: "With more lines that are not understood the exit code is 65"
    )
    var maximumParseErrors = LineShare(0.01)
}

/// The configuration that logs are cross-checked with.
struct WebConfigOptions: OptionSetting {
    @Option(
        "--web-config",
        value: "[SERVER[/ZONE]=]PATH",
        completion: .files,
        help: "A web.config, or a folder that is searched for some; may be repeated"
    )
    var paths: [String]
}
