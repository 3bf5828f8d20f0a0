import Testing
import ULSLog

@testable import LogDiagnosis

/// The logs that tests describe, as the reader reads them.
struct TestLogTests {
    private static func log(_ rows: String) throws -> TestLog {
        let head = "schema: fastctl.rule-tests/1\nrule: FS0101\ntests:\n- {name: n, expect: [], uls: ["
        return try #require(try RuleTestFile(yaml: head + rows + "]}", file: "t").tests.first?.log)
    }

    private static func events(_ log: TestLog) throws -> [ULSEvent] {
        var events: [ULSEvent] = []
        _ = try log.reader.forEachEvent(in: .files) { events.append(copy $0) }
        return events
    }

    @Test func aRowReadsAsItWasDescribed() throws {
        let events = try Self.events(
            try Self.log(
                "{t: '2025-11-30 09:08:07.06', id: 8e26, level: VerboseEx, area: Area, category: Some Category, corr: A, "
                    + "msg: the message, process: OWSTIMER.EXE, pid: \"0x2\", thread: \"0x3\", server: WFE1}"
            )
        )
        let event = try #require(events.first)
        #expect(events.count == 1 && event.time.iso8601 == "2025-11-30T09:08:07.06" && event.server == "WFE1")
        let columns = ULSEvent.Column.allCases.map { event.text($0) }
        #expect(
            columns == [
                "OWSTIMER.EXE", "0x2", "0x3", "Area", "Some Category", "8e26", "VerboseEx", "the message",
                TestCorrelation.guid("A"),
            ]
        )
    }

    @Test func rowsWithoutAServerAreOfTheServerOfTheFile() throws {
        let events = try Self.events(try Self.log("{msg: a}, {msg: b}"))
        #expect(events.map(\.server) == ["TEST", "TEST"])
        #expect(events.map { $0.text(.correlation) } == ["", ""])
    }

    @Test(arguments: [1, 7, 60, 689])
    func aSplitMessageIsJoinedAgain(split: Int) throws {
        let message = String(repeating: "at Microsoft.Contoso.Run() ends... ", count: 20) + "Microsoft."
        let log = try Self.log("{id: b9y3, corr: A, msg: '\(message)', split: \(split)}, {id: next, msg: behind}")
        let events = try Self.events(log).filter { $0.text(.eventID) != "zzzz" }
        #expect(events.map { $0.text(.message) } == [message, "behind"])
        #expect(events.first?.parts == (message.count + split - 1) / split)
    }

    @Test func aMessageIsSplitWhereTheServiceSplitsIt() throws {
        let long = try Self.log("{id: b9y3, msg: '\(String(repeating: "x", count: 801))'}")
        #expect(try Self.events(long).first?.parts == 2)
        let short = try Self.log("{id: b9y3, msg: '\(String(repeating: "x", count: 800))'}")
        #expect(try Self.events(short).first?.parts == 1)
    }

    @Test func aCorrelationDependsOnItsWordAlone() {
        #expect(TestCorrelation.guid("A") == TestCorrelation.guid("A"))
        #expect(TestCorrelation.guid("A") != TestCorrelation.guid("B"))
        let own = "d5512f59-0000-4000-8000-00155d0a0640"
        #expect(TestCorrelation.guid(own) == own)
    }

    @Test func aPasteIsTakenAsItStands() throws {
        let log = TestLog.paste("8e26 High Failed to look up something\n")
        #expect(log.text == "8e26 High Failed to look up something\n")
        #expect(try Self.events(log).map(\.server) == [nil])
    }
}
