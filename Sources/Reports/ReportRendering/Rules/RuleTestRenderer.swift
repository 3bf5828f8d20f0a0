public import LogDiagnosis
import TextSafety

/// How the tests of a rule went.
public struct RuleTestOutcome: Sendable {
    public var entry: RuleLibrary.Entry
    public var results: [RuleTestResult]
    /// What its tests do not see, where that was looked for.
    public var mutation: MutationReport?

    public init(entry: RuleLibrary.Entry, results: [RuleTestResult], mutation: MutationReport?) {
        self.entry = entry
        self.results = results
        self.mutation = mutation
    }

    var failures: [RuleTestResult] { results.filter { !$0.passed } }
}

/// Says how tests of rules went: a line for each rule, and below it what is wrong.
public enum RuleTestRenderer {
    public static func append(_ outcome: RuleTestOutcome, to bytes: inout [UInt8]) {
        let (entry, results, failures) = (outcome.entry, outcome.results, outcome.failures)
        var line = "\(entry.rule.id)  \(results.count - failures.count) of \(results.count) tests pass"
        if let mutation = outcome.mutation { line += "  \(mutation.killed) of \(mutation.mutants) mutants killed" }
        bytes.append(contentsOf: "\(line)\n".utf8)
        for failure in failures {
            append("\(entry.tests?.name ?? "\(entry.rule.id)"):\(failure.place): \(failure.name)", to: &bytes)
            for difference in failure.differences { append("  \(difference)", to: &bytes) }
        }
        for survivor in outcome.mutation?.survivors ?? [] {
            let place = survivor.place.map { ":\($0)" } ?? ""
            let hint = survivor.isRedundant ? " (no test can: write it more simply)" : ""
            append("\(entry.source.name)\(place): no test notices: \(survivor.change)\(hint)", to: &bytes)
        }
    }

    /// Says that a rule has no tests.
    public static func append(withoutTests id: RuleID, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: "\(id)  has no tests\n".utf8)
    }

    /// Appends a line below a rule's own.
    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: "    ".utf8)
        SafeText.append(text, to: &bytes)
        bytes.append(0x0A)
    }
}
