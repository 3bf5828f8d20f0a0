import Testing
import YAML

@testable import LogDiagnosis

/// Each rule of the folder `Rules` does what its tests say, and its tests see what it does.
///
/// `FASTCTL_RULE=FS0101 swift test --skip-build --filter RulesTests` looks at one rule; it is read when the test runs.
struct RulesTests {
    @Test(arguments: RuleFiles.ids)
    func aRulePassesItsTests(id: String) throws {
        let (rule, run) = try Self.run(id)
        for result in try run.results() where !result.passed {
            let lines = result.differences.map { "\n  " + $0 }.joined()
            Issue.record("Rules/\(rule).tests.yaml:\(result.place): \(result.name)\(lines)")
        }
    }

    @Test(arguments: RuleFiles.ids)
    func theTestsOfARuleNoticeEveryChangeOfIt(id: String) throws {
        let (rule, run) = try Self.run(id)
        let report = run.mutate(yaml: try RuleFiles.library.get()[rule]?.source.text)
        for survivor in report.survivors {
            let place = survivor.place.map { ":\($0)" } ?? ""
            let advice = survivor.isRedundant ? " (it changes nothing: write the rule more simply)" : ""
            Issue.record("Rules/\(rule).yaml\(place): no test notices \(survivor.change)\(advice)")
        }
    }

    @Test(arguments: RuleFiles.ids)
    func aRuleHasNothingThatLintRefuses(id: String) throws {
        let lint = RuleLint(try RuleFiles.library.get())
        for complaint in lint.complaints(about: try #require(RuleID(id))) where !complaint.message.contains("prose") {
            Issue.record("\(complaint)")
        }
    }

    private static func run(_ id: String) throws -> (RuleID, RuleTestRun) {
        let rule = try #require(RuleID(id))
        let library = try RuleFiles.library.get()
        return (rule, try #require(try library.testRun(of: rule), "it has no tests"))
    }
}
