import ArgumentParsing
import LogDiagnosis
import ReportRendering
import Threads

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
