import Foundation
import LogDiagnosis
import LogTestSupport
import TestSupport
import Testing

@testable import ULSLog
@testable import ULSRows

/// Rows that no rule selects have the same counts, whether they are counted by the reading threads or by the thread
/// that runs the rules.
struct CountingPropertyTests {
    private static func rules() throws -> [Rule] {
        [
            try RuleText.rule(
                "FS1001",
                select: "  s: {event_id: [fail, tkau], message|contains: [ann, quite]}",
                check: "  c: {count: {of: s, gte: 1, by: request}}",
                more: "lead: first-abnormal"
            ),
            try RuleText.rule(
                "FS1002",
                select: "  s: {level: [Unexpected, Critical], message|contains: denied}",
                check: "  c: {count: {of: s, gte: 3}}",
                more: "supersedes: [FS1001]"
            ),
        ]
    }

    private static func rows(_ random: inout SeededGenerator) -> [Row] {
        let levels = ["Medium", "High", "Monitorable", "Unexpected", "Critical"]
        let words = [
            "user ann failed", "access 0x8007 denied", "quite 'odd' 17", "nothing", "ends in dots...",
            "Error=No   at Contoso.Store.Open(String name)", "0 errors, 0x80070005", "hr=0x80070005 at http://x/y?z",
            "System.InvalidOperationException: no   at Contoso.Store.Open()",
        ]
        return (0..<Int.random(in: 1...80, using: &random)).map { number in
            Row(
                Double(number) / 4,
                ["fail", "tkau", "aaaa", "7v48", "xmnv"].randomElement(using: &random) ?? "",
                levels.randomElement(using: &random) ?? "",
                words.randomElement(using: &random) ?? "",
                ["A", "B", "C", nil].randomElement(using: &random) ?? nil,
                thread: ["0x0A10", "0x0B20"].randomElement(using: &random) ?? ""
            )
        }
    }

    @Test func `Log files and the same text in memory produce the same counts`() throws {
        let folder = try TemporaryFolder()
        for seed in 0..<UInt64(60) {
            var random = SeededGenerator(seed: seed)
            let text = LogText(Self.rows(&random))
            let path = folder.path("TEST-20260302-1000-\(seed).log")
            try Data(text.bytes).write(to: URL(filePath: path))
            var diagnosis = Diagnosis(rules: try RuleSet(Self.rules()))
            diagnosis.describesNormal = true
            let expected = diagnosis.report(on: try RecordedLog.record(LogReader(text: text.bytes, name: path)))
            for jobs in [1, 2, 5] {
                var file = LogReader(inputs: [path])
                var memory = LogReader(text: text.bytes, name: path)
                file.jobs = jobs
                file.sizes.unitBytes = [300, 1000, 1 << 20].randomElement(using: &random) ?? 300
                memory.sizes.unitBytes = file.sizes.unitBytes
                for reader in [file, memory] {
                    let report = try diagnosis.report(on: reader)
                    #expect(report.findings.map(\.message) == expected.findings.map(\.message), "seed \(seed)")
                    #expect(report.findings.map(\.occurrences) == expected.findings.map(\.occurrences), "seed \(seed)")
                    #expect(report.findings.map(\.evidence) == expected.findings.map(\.evidence), "seed \(seed)")
                    #expect(report.unexplained == expected.unexplained, "seed \(seed)")
                    #expect(report.unexplainedEvents == expected.unexplainedEvents, "seed \(seed)")
                    #expect(report.described?.kinds == expected.described?.kinds, "seed \(seed)")
                }
            }
        }
    }
}
