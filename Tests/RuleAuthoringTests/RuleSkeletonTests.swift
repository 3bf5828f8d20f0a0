import RuleAuthoring
import TestSupport
import Testing
import ULSLog
import YAML

@testable import LogDiagnosis

struct RuleSkeletonTests {
    private static func event(_ log: TestLog) throws -> ULSEvent {
        var events: [ULSEvent] = []
        _ = try log.reader.forEachEvent(in: .files) { events.append(copy $0) }
        return try #require(events.first)
    }

    private static func event(_ row: String) throws -> ULSEvent {
        let head = "schema: fastctl.rule-tests/1\nrule: FS1999\ntests:\n- {name: n, expect: [], uls: [{"
        return try event(try #require(try RuleTestFile(yaml: head + row + "}]}", file: "t").tests.first?.log))
    }

    private static func library(_ event: ULSEvent) throws -> RuleLibrary {
        let skeleton = RuleSkeleton(event: event, id: try #require(RuleID("FS1999")))
        var library = RuleLibrary()
        try library.add([skeleton.rule, skeleton.tests])
        return library
    }

    @Test(arguments: ["ab\u{1}", "\u{7}", "a\u{1B}[31mb", "8nca\u{85}"])
    func `A new rule from a row with control characters in its event ID passes its tests`(eventID: String) throws {
        let columns = "w3wp.exe (0x1A2C)\t0x0A10\tArea\tCategory\t\(eventID)\tHigh\tIt has failed here.\t"
        let row = "06/07/2024 08:00:00.00 \t\(columns)\r\n"
        var events: [ULSEvent] = []
        let reader = LogReader(text: Array((row + row).utf8), name: "TEST-20240607-0800.log")
        _ = try reader.forEachEvent(in: .files) { events.append(copy $0) }
        let library = try Self.library(try #require(events.first))
        let id = try #require(RuleID("FS1999"))
        let results = try #require(try library.testRun(of: id)).results()
        #expect(results.filter { !$0.passed }.map { "\($0.name): \($0.differences)" } == [])
    }

    /// Events of many kinds.
    private static let rows = [
        "id: 8e26, corr: A, msg: 'Failed to look up string with key \"x\", keyfile wss.'",
        "id: tkau, level: Unexpected, msg: 'System.IO.FileNotFoundException: no C:\\\\a b\\\\{c}.resx at Contoso.Run()'",
        "id: \"0\", level: High, area: \"\", category: \"0xEB2D003\", msg: \"#42\"",
        "id: ab1cz, msg: \"\"",
        "id: zzz1, level: \"\", msg: \"A message with a \\u0007 bell and\\n another line of text\"",
        "id: \"\", level: Assert, msg: \"Größe 1,5 überschritten in der Datenbank für das Team\"",
        "id: aaaa, t: '2024-02-29 23:59:59.99', process: OWSTIMER.EXE, pid: \"0x1\", thread: \"0x2\", msg: end...",
        "id: b4ly, msg: \"Leaving Monitored Scope (Timer Job x). Execution Time=1,9\", server: WFE1",
    ]

    @Test(arguments: rows)
    func `A new rule passes its own tests`(row: String) throws {
        let id = try #require(RuleID("FS1999"))
        let results = try #require(try Self.library(try Self.event(row)).testRun(of: id)).results()
        #expect(results.count >= 3)
        #expect(results.filter { !$0.passed }.map { "\($0.name): \($0.differences)" } == [])
    }

    @Test func `Lint complains about a new rule only where text must still be filled in`() throws {
        let complaints = RuleLint(try Self.library(try Self.event(Self.rows[0]))).complaints()
        #expect(complaints.allSatisfy { $0.severity == .warning && $0.message == "this still has to be filled in" })
        #expect(complaints.count == 13)
    }

    @Test func `A new rule's tests detect every mutation of the rule`() throws {
        let library = try Self.library(try Self.event(Self.rows[0]))
        let entry = try #require(library.entries.first)
        let run = try #require(try library.testRun(of: entry.rule.id))
        #expect(run.mutate(yaml: entry.source.text).survivors.map(\.change) == [])
    }

    @Test func `A message without columns becomes a test with a paste`() throws {
        let text = "System.Data.SqlClient.SqlException: Timeout expired. Connection to CONTOSO\\sql lost"
        let library = try Self.library(try Self.event(.paste(text)))
        let entry = try #require(library.entries.first)
        #expect(entry.tests?.text.contains("paste: \"System.Data") == true)
        let results = try #require(try library.testRun(of: entry.rule.id)).results()
        #expect(results.flatMap { $0.passed ? [] : $0.differences } == [])
    }

    @Test func `A new rule prefers text that is never translated`() {
        #expect(DistinctivePhrase.of("Error 5: System.IO.IOException: x") == "System.IO.IOException")
        #expect(
            DistinctivePhrase.of("User 'x' has 17 items, cannot open the list of them")
                == "items, cannot open the list of them"
        )
        #expect(DistinctivePhrase.of("12 34 'x'") == nil && DistinctivePhrase.of("") == nil)
        let long = DistinctivePhrase.of(String(repeating: "word ", count: 100))
        #expect(long == "word word word word word word word word word word word word")
    }

    @Test func `A rule generated from any event can be loaded`() throws {
        let log = TestLog.rows(
            try Self.rows.flatMap { row -> [TestRow] in
                let head = "schema: fastctl.rule-tests/1\nrule: FS1999\ntests:\n- {name: n, expect: [], uls: [{"
                let file = try RuleTestFile(yaml: head + row + "}]}", file: "t")
                guard case .rows(let rows) = file.tests[0].log else { return [] }
                return rows
            }
        )
        var mutation = ByteMutation(seed: 11)
        var events = 0
        for _ in 0..<60 {
            let bytes = mutation.mutated([Array(log.text.utf8)])
            _ = try? LogReader(text: bytes, name: TestLog.fileName).forEachEvent(in: .files) { event in
                events += 1
                let library = try Self.library(copy event)
                for complaint in RuleLint(library).complaints() { #expect(complaint.severity == .warning) }
            }
        }
        #expect(events > 60)
    }

    @Test func `Any text is quoted in YAML so that it can be read back unchanged`() throws {
        for text in HurtfulText.all {
            let rule = "schema: fastctl.rule-tests/1\nrule: FS1999\ntests:\n- {name: n, expect: [], paste: "
            let file = try RuleTestFile(yaml: rule + text.yamlQuoted + "}", file: "t")
            #expect(file.tests.first?.log == .paste(text))
        }
    }
}
