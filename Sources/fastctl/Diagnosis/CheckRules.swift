import ArgumentParsing
import LogDiagnosis
import ReportRendering
import Threads

struct LintRules: Command {
    static let configuration = CommandConfiguration(
        "lint",
        summary: "Say what rules do not follow, file by file, with line and column.",
        discussion: "The exit code is 1 when a rule has an error; warnings are advice.",
        examples: [.init("fastctl rules lint --rules my-rules", "Rules of your own, and those that come with it")]
    )

    @OptionGroup("Rules") var options: RuleOptions

    func run() async throws -> ExitCode {
        let library = try options.library()
        var bytes: [UInt8] = []
        var counts = (errors: 0, warnings: 0, rules: 0)
        for entry in try options.entries() {
            counts.rules += 1
            for complaint in RuleLint.complaints(on: entry, in: library) {
                if complaint.isError { counts.errors += 1 } else { counts.warnings += 1 }
                bytes.append(contentsOf: "\(complaint)\n".utf8)
            }
        }
        try StandardOutput().drainOrStop(&bytes)
        StandardError.say("\(counts.errors) errors, \(counts.warnings) warnings in \(counts.rules) rules")
        return counts.errors == 0 ? .success : ExitCode(.documentsFailed)
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
