import LogTestSupport
import Testing
import ULSLog

@testable import LogDiagnosis

/// Changes in a log as a whole, and the senders of failed requests.
struct LogChangesTests {
    /// Rows of a process, one every half minute within the given minutes.
    private func rows(
        _ minutes: Range<Int>,
        _ process: String = "w3wp.exe (0x1A2C)",
        _ eventID: String = "zq1a",
        category: String = "General"
    ) -> [Row] {
        (minutes.lowerBound * 2..<minutes.upperBound * 2).map {
            Row(Double($0) * 30, eventID, "Medium", "usual", category: category, process: process)
        }
    }

    private func report(_ rows: [Row], jobs: Int = 1) throws -> DiagnosisReport {
        let diagnosis = Diagnosis(rules: try RuleSet([]))
        var reader = LogText(rows.sorted { $0.seconds < $1.seconds }).reader("WFE1-20260302-1000.log")
        reader.jobs = jobs
        return try diagnosis.report(on: reader)
    }

    @Test func `A process that stops logging while others continue is reported as silent`() throws {
        let report = try report(rows(0..<120) + rows(0..<60, "OWSTIMER.EXE (0x0B1C)"))
        #expect(report.changes.map(\.kind) == [.silence])
        #expect(
            report.changes.first?.text
                == "OWSTIMER.EXE (0x0B1C) on WFE1 wrote nothing after 10:59, while others continued until 11:59"
        )
    }

    @Test func `A process that restarts, pauses, rarely writes, or stops near the log's end is not silent`() throws {
        let others = rows(0..<120)
        let replaced = rows(0..<60, "OWSTIMER.EXE (0x0B1C)") + rows(61..<120, "OWSTIMER.EXE (0x0B1D)")
        #expect(try report(others + replaced).changes.isEmpty)
        let pausing = rows(0..<10, "A.exe (0x1)") + rows(40..<80, "A.exe (0x1)")
        #expect(try report(others + pausing).changes.isEmpty)
        #expect(try report(others + rows(0..<15, "A.exe (0x1)")).changes.isEmpty)
        #expect(try report(others + rows(0..<110, "A.exe (0x1)")).changes.isEmpty)
    }

    @Test func `Silence is not reported if a filter is set`() throws {
        let diagnosis = Diagnosis(rules: try RuleSet([]))
        let all = (rows(0..<120) + rows(0..<60, "OWSTIMER.EXE (0x0B1C)")).sorted { $0.seconds < $1.seconds }
        var reader = LogText(all).reader()
        reader.filter.eventIDs = ["zq1a"]
        #expect(try diagnosis.report(on: reader).changes.isEmpty)
    }

    @Test func `A category that stops is reported as silent`() throws {
        let report = try report(rows(0..<120) + rows(0..<50, category: "Search"))
        #expect(report.changes.map(\.text).first?.hasPrefix("the category Search wrote nothing after 10:49") == true)
    }

    @Test func `A server that stops logging is reported as silent`() throws {
        let diagnosis = Diagnosis(rules: try RuleSet([]))
        let one = rows(0..<120, "w3wp.exe (WFE1:0x1A2C)")
        let other = rows(0..<60, "w3wp.exe (WFE2:0x1A2D)")
        let reader = LogText((one + other).sorted { $0.seconds < $1.seconds }).reader("merged.log")
        let changes = try diagnosis.report(on: reader).changes
        #expect(changes.map(\.server) == ["WFE2"])
        #expect(
            changes.first?.text == "WFE2 wrote nothing after 10:59, while others continued until 11:59; "
                + "none of the files that were read has later rows from it"
        )
    }

    @Test func `A kind of row that suddenly fills the log is reported as a flood`() throws {
        let flood = (0..<3000).map { Row(80 * 60 + Double($0) * 0.2, "zq2a", "Medium", "again", category: "Cache") }
        let report = try report(rows(0..<120) + flood)
        #expect(report.changes.map(\.kind) == [.flood])
        #expect(report.changes.first?.text.hasPrefix("zq2a (Cache) fills 99% of the log from 11:20 to 11:30") == true)
        let always = (0..<6000).map { Row(Double($0), "zq2a", "Medium", "again", category: "Cache") }
        #expect(try self.report(rows(0..<100) + always).changes.isEmpty)
    }

    /// Returns a request, with or without its end.
    private func request(_ number: Int, ends: Bool = true) -> [Row] {
        let id = Character(UnicodeScalar(UInt8(65 + number % 7)))
        let name = "Request (GET:http://portal/sites/\(number))"
        let start = Row(Double(number) * 10, "xmnv", "Medium", "Name=\(name)", id)
        let end = Row(
            Double(number) * 10 + 1,
            "b4ly",
            "Medium",
            "Leaving Monitored Scope (\(name)). Execution Time=9",
            id
        )
        return ends ? [start, end] : [start]
    }

    @Test func `A request without an end is reported if all other requests have one`() throws {
        var rows = (0..<400).flatMap { request($0) }
        rows.append(Row(5, "xmnv", "Medium", "Name=Timer Job job-workflow", "z"))
        #expect(
            try report(rows).changes.map(\.text) == [
                "Timer Job job-workflow began at 10:00 on WFE1, and no row shows its end, although the log continues until 11:06"
            ]
        )
        // If the ends of requests are not logged, nothing is reported.
        #expect(try report((0..<400).flatMap { request($0, ends: false) }).changes.isEmpty)
    }

    @Test func `The users and addresses of failing requests are listed`() throws {
        let ids: [Character] = ["A", "B", "C"]
        let users = ["ann", "bob", "ann"]
        let rows = ids.indices.flatMap { number in
            [
                Row(Double(number), "xmnv", "Medium", "Name=Request (GET:http://portal/a\(number)?x=1)", ids[number]),
                Row(
                    Double(number) + 0.1,
                    "agb9s",
                    "Medium",
                    "Non-OAuth request. IsAuthenticated=True, UserIdentityName=0#.w|contoso\\\(users[number]), ClaimsCount=31",
                    ids[number]
                ),
                Row(Double(number) + 0.2, "zq1a", "Unexpected", "Lost: System.FormatException: Lost", ids[number]),
            ]
        }
        let cluster = try #require(try report(rows).unexplained.first)
        #expect(cluster.users == Amount(2))
        #expect(cluster.userNames == ["contoso\\ann", "contoso\\bob"])
        #expect(cluster.addresses == Amount(3))
        #expect(cluster.addressNames == ["http://portal/a0", "http://portal/a1", "http://portal/a2"])
        // The rows of a single request do not identify the sender.
        let more = Row(9, "zq1a", "Unexpected", "Lost: System.FormatException: Lost", "D")
        let unsure = try #require(try report(rows + [more]).unexplained.first)
        #expect(unsure.users == Amount(2, isAtLeast: true))
        #expect(unsure.addresses == Amount(3, isAtLeast: true))
    }

    @Test func `A report notes that a kind began after a build change or a process restart`() throws {
        let bucket = { (build: String) in "Watson bucket parameters: SharePoint, ULSException14, 0 \"\(build).0\"" }
        var rows = rows(0..<120)
        rows.append(Row(60, "c91s", "Monitorable", bucket("16.0.4549.1001")))
        rows.append(Row(80 * 60, "c91s", "Monitorable", bucket("16.0.4600.1000")))
        rows += (0..<5).map { Row(84 * 60 + Double($0), "zq2a", "Unexpected", "Lost \($0) items", "B") }
        let built = try #require(try report(rows).unexplained.first { $0.eventID == "zq2a" })
        #expect(
            built.changes.map(\.text).contains(
                "begins 4 min after the build changed from 16.0.4549.1001 to 16.0.4600.1000 on WFE1 at 11:20"
            )
        )
        let restarted = self.rows(0..<80, "OWSTIMER.EXE (0x0B1C)") + self.rows(81..<120, "OWSTIMER.EXE (0x0B1D)")
        let start = Row(81 * 60 - 5, "b8fx", "High", "ULS Init Completed", process: "OWSTIMER.EXE (0x0B1D)")
        let after = (0..<5).map { Row(84 * 60 + Double($0), "zq2a", "Unexpected", "Lost \($0) items", "B") }
        let cluster = try #require(
            try report(self.rows(0..<120) + restarted + [start] + after).unexplained.first { $0.eventID == "zq2a" }
        )
        #expect(
            cluster.changes.map(\.text).contains("begins 3 min after the timer service restarted on WFE1 at 11:20")
        )
    }

    @Test func `A process that has already logged is not reported as started when logging initializes again`() throws {
        let start = Row(81 * 60 - 5, "b8fx", "High", "ULS Init Completed", process: "OWSTIMER.EXE (0x0B1C)")
        let after = (0..<5).map { Row(84 * 60 + Double($0), "zq2a", "Unexpected", "Lost \($0) items", "B") }
        for (earlier, isStart) in [(rows(0..<120, "OWSTIMER.EXE (0x0B1C)"), false), (rows(0..<120), true)] {
            let cluster = try #require(try report(earlier + [start] + after).unexplained.first { $0.eventID == "zq2a" })
            #expect(cluster.changes.contains { $0.text.contains("the timer service started") } == isStart)
        }
    }

    @Test func `The reported changes do not depend on the number of jobs`() throws {
        let all = rows(0..<120) + rows(0..<60, "OWSTIMER.EXE (0x0B1C)") + (0..<400).flatMap { request($0) }
        let one = try report(all)
        for jobs in [2, 5] { #expect(try report(all, jobs: jobs).changes == one.changes) }
        #expect(!one.changes.isEmpty)
    }
}
