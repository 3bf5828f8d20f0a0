import ArgumentParsing
import CommandKit
import Files
import Glibc
import LogDiagnosis
import LogReports
import ReportKit
import RuleAuthoring
import TextKit
import Threads
import ULSLog

struct Rules: CommandGroup {
    static let configuration = CommandConfiguration(
        "rules",
        group: "Logs",
        summary: "List, show, lint, test and write rules for diagnose.",
        examples: [
            .init("fastctl rules list", "All rules that diagnose uses"),
            .init("fastctl rules show FS0101", "A rule's logic and advice"),
            .init("fastctl rules new --from WFE1-20240311-1003.log:12", "Start your own rule from a log row"),
        ],
        subcommands: [ListRules.self, ShowRule.self, LintRules.self, TestRules.self, NewRule.self]
    )
}

private struct ListRules: Command {
    static let configuration = CommandConfiguration(
        "list",
        summary: "List the rules.",
        examples: [
            .init("fastctl rules list -o json", "For a script"),
            .init("fastctl rules list -o name", "Only their IDs"),
        ]
    )

    @OptionGroup("Output") var output = ReportOutputOptions(ListRenderer.forms)

    @Flag("--print0", help: "With -o name: end each name with a NUL byte")
    var isNullTerminated

    @OptionGroup("Text") var text: TextOptions

    @OptionGroup("Rules") var options: RuleOptions

    func validate() throws {
        if isNullTerminated, !output.requested.contains(where: { $0.form == .name }) {
            throw ValidationError("--print0 needs -o name")
        }
    }

    func run() async throws -> ExitCode {
        let outputs = output.outputs(text)
        try outputs.check(inputs: [])
        let entries = try options.entries()
        try outputs.write { output, bytes in
            RuleListRenderer.append(
                entries,
                as: output.form,
                nameEnd: isNullTerminated ? .nul : .line,
                csv: output.csv,
                output.layout,
                to: &bytes
            )
        }
        return .success
    }
}

private struct ShowRule: Command {
    static let configuration = CommandConfiguration(
        "show",
        summary: "Show a rule's logic, meaning and advice, with its tests as examples.",
        examples: [.init("fastctl rules show FS0101", "ASP.NET tracing")]
    )

    @Option(output: [.text, .yaml], help: "The format of the results; yaml is the rule's file itself")
    var form

    @OptionGroup("Text") var text: TextOptions

    @OptionGroup("Rules") var options: RuleFolderOptions

    @Argument("ID", completion: .allRules, help: "The rule, such as FS0101")
    var id: RuleID

    func run() async throws -> ExitCode {
        let library = try options.library()
        let own = ProgramRule.all.first { $0.id == id }
        var bytes: [UInt8] = []
        if form == .yaml {
            if own != nil {
                throw Failure(
                    .usage,
                    "\(id) is built into the program itself; no file defines it",
                    advice: "leave out -o yaml"
                )
            }
            bytes.append(contentsOf: try library.entry(id).source.text.utf8)
        } else {
            let description = try own.map { RuleDescription($0) } ?? library.description(of: id)
            RuleRenderer.append(description, text.layout, to: &bytes)
        }
        try StandardOutput.print(&bytes, through: text.pager(for: form == .text))
        return .success
    }
}

extension RuleLibrary {
    /// Returns the description of a rule, with its tests as examples if they are known.
    fileprivate func description(of id: RuleID) throws -> RuleDescription {
        let entry = try entry(id)
        return RuleDescription(entry.rule, tests: try tests(of: id), testsAreKnown: entry.testsAreKnown)
    }
}

private struct NewRule: Command {
    static let configuration = CommandConfiguration(
        "new",
        foreignNames: ["create", "add", "init"],
        summary: "Start a rule from a log row: writes FSnnnn.yaml and FSnnnn.tests.yaml.",
        discussion: """
            The row becomes the rule's first test. Comments in the files mark what to fill in. Existing files are \
            never overwritten.
            """,
        examples: [
            .init(
                "fastctl rules new --from WFE1-20240311-1003.log:12 --id FS5001 --dir my-rules",
                "A rule of your own"
            ),
            .init("fastctl rules test --rules my-rules --rule FS5001 --mutate", "Test it, and find gaps in its tests"),
        ]
    )

    @Option("--from", value: "FILE:LINE", completion: .files, help: "The row that shows the failure")
    var place: LogPlace

    @Option(
        "--id",
        value: "ID",
        completion: ArgumentCompletion.none,
        help: "The rule's ID; FS5001 to FS8999 are for your own rules"
    )
    var id: RuleID?

    @Option(
        "--dir",
        value: "DIR",
        completion: .files,
        help: "The folder to write the files to; it is created if necessary"
    )
    var folder = "."

    @OptionGroup("Reading") var reading: LogReadingOptions

    func run() async throws -> ExitCode {
        let reader = try reading.reader(of: [place.file], LogSelectionOptions(), example: "")
        let line = place.line
        let explanation = try await onOwnThread { Result { try reader.explanation(ofLine: line) } }.get()
        guard let event = explanation.event else {
            throw Failure(
                .inputRejected,
                "\(place.argumentText) is not a log row: \(explanation.kind)",
                advice: "see how lines are read: fastctl logs --explain-parse \(place.argumentText)"
            )
        }
        let id = try id ?? freeID()
        let skeleton = RuleSkeleton(event: event, id: id)
        try write([skeleton.rule, skeleton.tests])
        var bytes = Array("\(folder)/\(id).yaml\n\(folder)/\(id).tests.yaml\n".utf8)
        try StandardOutput().drainOrStop(&bytes)
        StandardError.say("fill them in, then: fastctl rules test --rules \(folder) --rule \(id) --mutate")
        return .success
    }

    private func write(_ files: [RuleFile]) throws {
        makeFolder()
        do throws(FileError) {
            try NewFile.writeAll(files.map { ("\(folder)/\($0.name)", Array($0.text.utf8)) })
        } catch {
            guard error.operation == .create else { throw error }
            throw Failure(
                .outputNotCreated,
                "cannot create '\(error.path)': \(error.reason)",
                advice: "use another ID with --id, or another folder with --dir"
            )
        }
    }

    /// Creates the folder; any obstacle is reported when the files are created.
    private func makeFolder() {
        var path = folder.hasPrefix("/") ? "/" : ""
        for part in folder.split(separator: "/") {
            path += part + "/"
            _ = mkdir(path, 0o777)
        }
    }

    /// Returns the first number in the range reserved for users that is not yet used in the folder.
    private func freeID() throws -> RuleID {
        for number in 5001...8999 {
            guard let id = RuleID("FS\(number)") else { continue }
            if !NewFile.exists("\(folder)/\(id).yaml"), !NewFile.exists("\(folder)/\(id).tests.yaml") { return id }
        }
        throw Failure(.refused, "all IDs from FS5001 to FS8999 are taken", advice: "use --id to choose one")
    }
}

private struct LintRules: Command {
    static let configuration = CommandConfiguration(
        "lint",
        foreignNames: ["check", "validate"],
        summary: "Report problems in rules, file by file, with line and column.",
        discussion:
            """
            The exit code is 1 if a rule has an error; warnings are advice. Without --rules, the built-in rules are \
            checked, but not their tests, which are not part of the program.
            """,
        examples: [.init("fastctl rules lint --rules my-rules", "Check your own rules")]
    )

    @OptionGroup("Output") var output = ReportOutputOptions(ComplaintRenderer.forms)
    @OptionGroup("Rules") var options: RuleOptions

    func run() async throws -> ExitCode {
        let outputs = output.outputs()
        try outputs.check(inputs: [])
        let (complaints, unknown) = try options.complaints()
        try outputs.write { output, bytes in
            ComplaintRenderer.append(complaints, as: output.form, csv: output.csv, to: &bytes)
        }
        let errors = complaints.count { $0.severity == .error }
        let status: ExitStatus = errors == 0 ? .done : .documentsFailed
        let tests = RuleFolderOptions.sentences("not checked: the tests of ", withoutTests: unknown)
        output.quiet.say(["errors: \(errors), warnings: \(complaints.count - errors)"] + tests, status)
        return ExitCode(status)
    }
}

extension RuleOptions {
    /// Returns lint's complaints about the selected rules, from the given folder or, by default, the built-in rules,
    /// and the number of rules whose tests could not be checked.
    fileprivate func complaints() throws -> ([RuleComplaint], unknown: Int) {
        let builtIn = try RuleLibrary.builtIn()
        if let folder = source.folder {
            let all = try RuleLint.complaints(folder: folder, besides: builtIn)
            return (ids.isEmpty ? all : all.filter { one in ids.contains { one.file.contains($0.text) } }, 0)
        }
        let (lint, entries) = (RuleLint(builtIn), try entries())
        return (entries.flatMap { lint.complaints(about: $0.rule.id) }, entries.count { !$0.testsAreKnown })
    }
}

private struct TestRules: Command {
    static let configuration = CommandConfiguration(
        "test",
        summary: "Run the tests of rules; with --mutate, also find changes that no test would catch.",
        discussion: """
            Each test's rows become a real log, which is read like any other. With '--mutate', the parts of the rule \
            are changed one at a time, and each change must make a test fail. The exit code is 1 if a test fails or a \
            change goes unnoticed.

            The built-in rules' tests are not part of the program; they are in the Rules folder of its source \
            repository. If the current folder contains that folder, its rules are tested, unless '--rules' specifies \
            another.
            """,
        examples: [
            .init("fastctl rules test --rules fastctl/Rules", "All rules"),
            .init("fastctl rules test --rules my-rules --rule FS5001 --mutate", "Your own rule, thoroughly"),
        ]
    )

    @Flag("--mutate", help: "Change each part of a rule, and check whether a test notices")
    var mutates

    @OptionGroup("Output") var output = ReportOutputOptions(RuleTestPrinter.forms)
    @OptionGroup("Rules") var options: RuleOptions

    func run() async throws -> ExitCode {
        let outputs = output.outputs()
        try outputs.check(inputs: [])
        Interruption.leaveAtOnce(saying: "interrupted")
        let sourceTree = RuleFolderOptions.sourceTree
        let library = try options.library(else: sourceTree)
        let entries = try options.entries(else: sourceTree)
        let known = entries.filter(\.testsAreKnown)
        if known.isEmpty || (!options.ids.isEmpty && known.count < entries.count) {
            let unknown = entries.filter { !$0.testsAreKnown }.map(\.rule.id.text)
            let whose = options.ids.isEmpty ? "the built-in rules" : unknown.joined(separator: ", ")
            throw Failure(
                .usage,
                "the tests of \(whose) are not part of the program; they are in \(RuleFolderOptions.testsPlace)",
                advice: "specify that folder with --rules"
            )
        }
        if options.source.folder == nil, let sourceTree {
            output.quiet.say(["testing the rules in the folder \(sourceTree)"])
        }
        let printer = RuleTestPrinter(
            library: library,
            mutates: mutates,
            outputs: outputs,
            quiet: output.quiet,
            untested: entries.count - known.count
        )
        return try await onOwnThread { Result { try printer.run(known.map(\.rule.id)) } }.get()
    }
}

/// A run of rules' tests that prints each rule's result as soon as it is known, and everything else at the end.
private struct RuleTestPrinter {
    static let forms: [OutputForm] = [.text, .json, .ndjson, .junit]

    let library: RuleLibrary
    let mutates: Bool
    let outputs: ReportOutputs
    let quiet: QuietOptions
    /// The number of additional rules whose tests are unavailable.
    let untested: Int

    func run(_ ids: [RuleID]) throws -> ExitCode {
        let (output, clock) = (StandardOutput(), RunClock())
        var totals = RuleTestTotals(mutates: mutates)
        var outcomes: [(id: RuleID, outcome: RuleTestOutcome?)] = []
        for id in ids {
            let outcome = try outcome(of: id)
            if let outcome { totals.add(outcome) } else { totals.addWithoutTests() }
            outcomes.append((id, outcome))
            guard outputs.showsText else { continue }
            var bytes: [UInt8] = []
            Self.append(outcome, of: id, to: &bytes)
            try output.drainOrStop(&bytes)
        }
        let moment = clock.moment
        try outputs.write { output, bytes in
            switch output.form {
            case .text where output.path == nil: break
            case .text: for (id, outcome) in outcomes { Self.append(outcome, of: id, to: &bytes) }
            case .json, .ndjson:
                var list = JSONList(isArray: output.form == .json)
                for (id, outcome) in outcomes {
                    list.append(to: &bytes) { RuleTestObject.append(outcome, of: id, to: &$0) }
                }
                list.end(in: &bytes)
            case .junit: RuleTestSuite.append(outcomes, moment, to: &bytes)
            default: output.form.failAsUndeclared()
            }
        }
        let status: ExitStatus = totals.passed ? .done : .documentsFailed
        quiet.say([totals.sentence] + RuleFolderOptions.sentences("not tested: ", withoutTests: untested), status)
        return ExitCode(status)
    }

    private static func append(_ outcome: RuleTestOutcome?, of id: RuleID, to bytes: inout [UInt8]) {
        if let outcome {
            RuleTestRenderer.append(outcome, to: &bytes)
        } else {
            RuleTestRenderer.append(withoutTests: id, to: &bytes)
        }
    }

    /// Returns the outcome of a rule's tests; `nil` for a rule without tests.
    private func outcome(of id: RuleID) throws -> RuleTestOutcome? {
        guard let run = try library.testRun(of: id), let entry = library[id] else { return nil }
        let results = try run.results()
        // If tests fail, unnoticed changes are meaningless.
        let isMutated = mutates && results.allSatisfy(\.passed)
        let mutation = isMutated ? run.mutate(yaml: entry.source.text) : nil
        return RuleTestOutcome(entry: entry, results: results, mutation: mutation)
    }
}
