import ArgumentParsing
import LogDiagnosis
import ReportRendering

/// Runs the tests of rules, and prints how each rule's went as soon as that is known.
struct RuleTestPrinter {
    let library: RuleLibrary
    let mutates: Bool

    func run(_ ids: [RuleID]) throws -> ExitCode {
        let output = StandardOutput()
        var totals = RuleTestTotals(mutates: mutates)
        for id in ids {
            var bytes: [UInt8] = []
            if let outcome = try outcome(of: id) {
                totals.add(outcome)
                RuleTestRenderer.append(outcome, to: &bytes)
            } else {
                totals.addWithoutTests()
                RuleTestRenderer.append(withoutTests: id, to: &bytes)
            }
            try output.drainOrStop(&bytes)
        }
        StandardError.say(totals.sentence)
        return totals.passed ? .success : ExitCode(.documentsFailed)
    }

    /// `nil` for a rule without tests.
    private func outcome(of id: RuleID) throws -> RuleTestOutcome? {
        guard let run = try library.testRun(of: id), let entry = library[id] else { return nil }
        let results = try run.results()
        // What a failing test does not see says nothing.
        let isMutated = mutates && results.allSatisfy(\.passed)
        let mutation = isMutated ? run.mutate(yaml: entry.source.text) : nil
        return RuleTestOutcome(entry: entry, results: results, mutation: mutation)
    }
}
