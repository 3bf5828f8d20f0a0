import ArgumentParsing
import LogDiagnosis
import ReportRendering
import TextSafety
import Threads

struct LintRules: Command {
    static let configuration = CommandConfiguration(
        "lint",
        summary: "Say what rules do not follow, file by file, with line and column.",
        discussion:
            "The exit code is 1 when a rule has an error; warnings are advice. Without --rules those that come with the program are looked at.",
        examples: [.init("fastctl rules lint --rules my-rules", "Rules of your own")]
    )

    @OptionGroup("Rules") var options: RuleOptions

    func run() async throws -> ExitCode {
        let complaints = try options.complaints()
        var bytes: [UInt8] = []
        for complaint in complaints {
            SafeText.append("\(complaint)", to: &bytes)
            bytes.append(0x0A)
        }
        try StandardOutput().drainOrStop(&bytes)
        let errors = complaints.count { $0.severity == .error }
        StandardError.say("errors: \(errors), warnings: \(complaints.count - errors)")
        return errors == 0 ? .success : ExitCode(.documentsFailed)
    }
}

extension RuleOptions {
    /// What lint says of the rules that are wanted: of a folder if one was given, else of those that are built in.
    fileprivate func complaints() throws -> [RuleComplaint] {
        let builtIn = try RuleLibrary.builtIn()
        if let folder = source.folder {
            let all = try RuleLint.complaints(folder: folder, besides: builtIn)
            return ids.isEmpty ? all : all.filter { one in ids.contains { one.file.contains($0.text) } }
        }
        let lint = RuleLint(builtIn)
        return try ids.isEmpty
            ? lint.complaints() : ids.flatMap { lint.complaints(about: try builtIn.entry($0).rule.id) }
    }
}

struct TestRules: Command {
    static let configuration = CommandConfiguration(
        "test",
        summary: "Run the tests of rules; with --mutate also find out what the tests do not see.",
        discussion: """
            Each test's rows become a real log, which is read as any other. With '--mutate' one thing of the rule is \
            changed after the other, and each change must make a test fail. The exit code is 1 when a test fails or a \
            change goes unnoticed.
            """,
        examples: [
            .init("fastctl rules test", "All rules"),
            .init("fastctl rules test --rules my-rules --rule FS5001 --mutate", "One of your own, thoroughly"),
        ]
    )

    @Flag("--mutate", help: "Change each part of a rule, and look whether a test notices")
    var mutates

    @OptionGroup("Rules") var options: RuleOptions

    func run() async throws -> ExitCode {
        Interruption.leaveAtOnce(saying: "interrupted")
        let library = try options.library()
        let ids = try options.entries().map(\.rule.id)
        let mutates = mutates
        return try await onOwnThread {
            Result { try RuleTestPrinter(library: library, mutates: mutates).run(ids) }
        }.get()
    }
}
