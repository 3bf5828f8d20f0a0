import ArgumentParsing
import LogDiagnosis
import ReportRendering
import TextSafety

/// Runs the tests of rules and prints what differs, a rule a line.
struct RuleTestPrinter {
    let library: RuleLibrary
    let mutates: Bool

    func run(_ ids: [RuleID]) throws -> ExitCode {
        let output = StandardOutput()
        var sums = (tests: 0, failures: 0, mutants: 0, survivors: 0)
        for id in ids {
            var bytes: [UInt8] = []
            guard let run = try library.testRun(of: id), let entry = library[id] else {
                bytes.append(contentsOf: "\(id)  has no tests\n".utf8)
                try output.drainOrStop(&bytes)
                sums.failures += 1
                continue
            }
            let results = try run.results()
            let failures = results.filter { !$0.passed }
            var line = "\(id)  \(results.count - failures.count) of \(results.count) tests pass"
            let mutation = mutates && failures.isEmpty ? run.mutate(yaml: entry.source.text) : nil
            if let mutation { line += "  \(mutation.killed) of \(mutation.mutants) mutants killed" }
            bytes.append(contentsOf: "\(line)\n".utf8)
            for failure in failures {
                append("\(entry.tests?.name ?? "\(id)"):\(failure.place): \(failure.name)", to: &bytes)
                for difference in failure.differences { append("  \(difference)", to: &bytes) }
            }
            for survivor in mutation?.survivors ?? [] {
                let place = survivor.place.map { ":\($0)" } ?? ""
                let hint = survivor.isRedundant ? " (no test can: write it more simply)" : ""
                append("\(entry.source.name)\(place): no test notices: \(survivor.change)\(hint)", to: &bytes)
            }
            try output.drainOrStop(&bytes)
            sums.tests += results.count
            sums.failures += failures.count
            sums.mutants += mutation?.mutants ?? 0
            sums.survivors += mutation?.survivors.count ?? 0
        }
        var sentence = "rules: \(ids.count), tests: \(sums.tests), failed: \(sums.failures)"
        if mutates { sentence += "; mutants: \(sums.mutants), not noticed: \(sums.survivors)" }
        StandardError.say(sentence)
        return sums.failures + sums.survivors == 0 ? .success : ExitCode(.documentsFailed)
    }

    private func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: "    ".utf8)
        SafeText.append(text, to: &bytes)
        bytes.append(0x0A)
    }
}
