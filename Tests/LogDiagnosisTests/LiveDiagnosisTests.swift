import Foundation
import LogDiagnosis
import LogTestSupport
import TestSupport
import Testing
import ULSLog

/// A log that is diagnosed while it is being written has the same report as the finished log.
struct LiveDiagnosisTests {
    private static let header =
        "Timestamp\tProcess\tTID\tArea\tCategory\tEventID\tLevel\tMessage\tCorrelation\r\n"

    private static let sample = URL(filePath: #filePath)
        .appending(path: "../../../Samples/owssvr-aspnet-tracing/TEST-SP-20110926-1039.log").standardized

    /// Problems visible only in the text, in rows of every level, with and without a correlation.
    private static func problems(_ random: inout SeededGenerator) -> String {
        let texts = [
            "System.AlphaException: broken", "Access is denied. (Exception from HRESULT: 0x80070005)", "All is well",
            "The operation failed with 0x80040154", "Login failed for user 'CONTOSO\\ann'.", "Entering step 7",
            "System.InvalidOperationException: late\r\n   at Contoso.Parts.Read(String name)\r\n   at Contoso.Main()",
        ]
        let levels = ["Critical", "Unexpected", "Monitorable", "High", "Medium", "Verbose"]
        let rows = (0..<80).map { number in
            Row(
                Double(number) / 4,
                ["aaaa", "bbbb", "cccc"].randomElement(using: &random) ?? "aaaa",
                levels.randomElement(using: &random) ?? "High",
                texts.randomElement(using: &random) ?? "",
                "ABCDE-".randomElement(using: &random).flatMap { $0 == "-" ? nil : $0 }
            )
        }
        return LogText(rows).text
    }

    /// Returns the statements of a report, line by line.
    private static func claims(_ report: DiagnosisReport) -> [String] {
        var claims: [String] = []
        for one in report.findings { claims.append("\(one.fingerprint) \(one.severity) \(one.verdict) \(one.message)") }
        for one in report.unexplained { claims.append("\(one.id) \(one.count) \(one.level) \(one.example.text)") }
        for rule in report.passed { claims.append("passed \(rule.id)") }
        for one in report.notEvaluated { claims.append("\(one.rule.id) \(one.reason)") }
        claims.append("\(report.unexplainedEvents) events of \(report.unexplainedKinds) kinds")
        claims.append("\(report.unexplainedFollowing) following, \(report.logs?.lookedAt ?? -1) rows")
        return claims
    }

    @Test func `Findings can be read while a log is processed, without changing the final report`() throws {
        let diagnosis = Diagnosis(rules: try .builtIn())
        let reader = LogReader(inputs: [Self.sample.path])
        let soFar = FindingsSoFar(isAlwaysWanted: true)
        let report = try diagnosis.report(on: reader, soFar: soFar)
        #expect(Self.claims(report) == Self.claims(try diagnosis.report(on: reader)))
        let found = soFar.findings().map(\.rule.id.text)
        #expect(found.contains("FS0101") && Set(found).isSubset(of: report.findings.map(\.rule.id.text)))
    }

    @Test(arguments: 0..<12) func `A log that arrives in pieces produces the same report as the whole log`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let path = folder.path("TEST-SP-20110926-1039.log")
        let isOwn = seed % 3 != 0
        let rows =
            isOwn
            ? Array(Self.problems(&random).utf8)
            : Array(try Data(contentsOf: Self.sample).drop { $0 != UInt8(ascii: "\n") }.dropFirst())
        try Data(Self.header.utf8).write(to: URL(filePath: path))

        let diagnosis = Diagnosis(rules: try .builtIn())
        var live = try LiveDiagnosis(diagnosis, following: LogReader(inputs: [folder.path("")]))
        var now = Duration.zero
        _ = try live.look(at: now, relists: true)
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        defer { try? file.close() }
        var news = 0
        var place = 0
        while place < rows.count {
            let end = min(rows.count, place + Int.random(in: 1...900, using: &random))
            try file.seekToEnd()
            try file.write(contentsOf: Data(rows[place..<end]))
            place = end
            // The lines of a row arrive within the time for which the row is held back.
            now += .milliseconds(Int.random(in: 0...25, using: &random))
            while try live.look(at: now, relists: false) {}
            news += live.news().count
        }
        let claims = Self.claims(try live.finish())

        let whole = try diagnosis.report(on: LogReader(inputs: [path]))
        #expect(claims == Self.claims(whole))
        #expect(!whole.unexplained.isEmpty || !isOwn)
        #expect(news > 0)
    }
}
