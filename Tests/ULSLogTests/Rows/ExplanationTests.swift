import Testing

@testable import ULSLog
@testable import ULSRows

@Suite struct ExplanationTests {
    private static let text =
        nativeHeader + row("one\r\n  at A.B()") + "\r\n" + utcRow("two") + row("thr...")
        + row("...ee") { $0.mark = "*" }
        + "02/03/2011 10:00:00.00 \tshort\r\n"

    private static func explain(_ line: Int) throws -> ParseExplanation {
        let folder = try SourceFolder()
        return try LogReader(inputs: [folder.write("a.log", text)]).explanation(ofLine: line)
    }

    @Test(
        arguments: [
            (1, "header"), (2, "row, native layout"), (3, "line of the record that begins on line 2"),
            (4, "blank line"),
            (5, "row, layout with TimestampUtc"), (6, "row, native layout"), (8, "not understood"),
        ]
    )
    func `An explanation states how a line was read`(line: Int, kind: String) throws {
        #expect(try Self.explain(line).kind == kind)
    }

    @Test func `An explanation lists the columns with their positions`() throws {
        let fields = try Self.explain(5).fields
        #expect(
            fields.map(\.column) == [
                "time", "process", "thread", "area", "category", "event ID", "level", "message", "correlation",
            ]
        )
        let first = try #require(fields.first)
        #expect([first.first, first.last] == [1, 22])
        #expect(fields.map(\.text)[5...] == ["b2xyz", "Medium", "two", NativeRow.correlation])
    }

    @Test func `An explanation marks the parts of a split message`() throws {
        #expect(try Self.explain(6).notes.contains { $0.contains("ends in three dots") })
        #expect(try Self.explain(7).notes.contains { $0.contains("continues the message of a row above") })
    }

    @Test func `An explanation does not call the announcement of an exception a part of one`() throws {
        let folder = try SourceFolder()
        let text = nativeHeader + row("Task a failed with an exception") + row("Exception: A.B: old")
        let reader = try LogReader(inputs: [folder.write("a.log", text)])
        let isPart = try [2, 3].map { try reader.explanation(ofLine: $0).notes.contains { $0.contains("is part of") } }
        #expect(isPart == [false, true])
    }

    @Test func `Explaining a line that does not exist is an error`() throws {
        #expect(throws: LogError.self) { try Self.explain(9) }
        #expect(throws: LogError.self) { try Self.explain(0) }
    }
}

/// The output of Merge-SPLogFile and Get-SPLogEvent, unchanged and edited by hand.
@Suite struct ExportTests {
    @Test func `A merged log with servers in the process column, unpadded levels and continuation rows is read`() throws
    {
        let text =
            nativeHeader
            + row("A text that goes on...") { $0.process = "w3wp.exe (WFE1:0x1790)" }
            + row("said") { $0.process = "w3wp.exe (WFE2:0x1790)" }
            + row("... for long") { ($0.process, $0.mark) = ("w3wp.exe (WFE1:0x1790)", "*") }
        let log = try ReadLog(text.replacing("High    ", with: "High"))
        #expect(log.messages == ["A text that goes on for long", "said"])
        #expect(log.events.map(\.server) == ["WFE1", "WFE2"])
        #expect(log.texts(.level) == ["High", "High"])
        #expect(log.summary.files.map(\.server) == [nil])
    }

    @Test func `Each block of a list is read as a record`() throws {
        let text = """
            Timestamp    : 9/26/2011 10:39:40 AM
            Continuation : False
            Process      : w3wp.exe (0x1790)
            ThreadID     : 3768
            Area         : SharePoint Foundation
            Category     : Runtime
            EventID      : tkau
            Level        : Unexpected
            Message      : System.NullReferenceException: Object reference not set
                           to an instance of an object.
            Correlation  : 3ad81d9b-c01d-4000-8000-cc75daffbf63
            Context      : {}

            """
        let event = try ReadLog(text).only()
        // The block contains the names of its columns.
        #expect(!event.isInferred)
        #expect(event.text(.eventID) == "tkau")
        #expect(event.text(.area) == "SharePoint Foundation")
        #expect(event.text(.level) == "Unexpected")
        #expect(event.text(.correlation) == NativeRow.correlation)
        #expect(event.text(.message).hasPrefix("System.NullReferenceException: Object reference not set"))
        #expect(event.text(.message).hasSuffix("to an instance of an object."))
    }

    @Test func `A comma-separated export with a header and quoted columns is read`() throws {
        let header = "Timestamp,Process,ThreadID,Area,Category,EventID,Level,Message,Correlation"
        let columns = [
            "09/26/2011 10:39:40.52", "w3wp.exe (0x1790)", "0x0EB8", "SharePoint Foundation", "Runtime", "tkau", "High",
            #"a, ""b"""#, NativeRow.correlation,
        ]
        let text = header + "\n" + columns.map { "\"\($0)\"" }.joined(separator: ",") + "\n"
        let event = try ReadLog(text, as: "a.csv").only()
        #expect(event.text(.message) == #"a, "b""#)
        #expect(event.text(.eventID) == "tkau")
        #expect(event.text(.processID) == "0x1790")
        #expect(event.text(.correlation) == NativeRow.correlation)
        #expect(event.time.iso8601 == "2011-09-26T10:39:40.52")
    }

    @Test func `If a row's tabs have become spaces, its columns are inferred`() throws {
        let text =
            "09/26/2011 10:39:40.52 w3wp.exe (0x1790) 0x0EB8 SharePoint Foundation Runtime tkau Unexpected Failed.  3ad81d9b-c01d-4000-8000-cc75daffbf63\n"
        let log = try ReadLog(text)
        let event = try log.only()
        #expect(event.isInferred)
        #expect(event.text(.area) == "SharePoint Foundation")
        #expect(event.text(.category) == "Runtime")
        #expect(event.text(.message) == "Failed.")
        #expect(event.text(.correlation) == NativeRow.correlation)
        #expect(log.quality.inferred == 1)
    }

    @Test func `A row without a date has only a time of day, and a row without a time has no time`() throws {
        let rest = "w3wp.exe (0x1790) 0x0EB8 SharePoint Foundation Runtime tkau Unexpected Failed.\n"
        let log = try ReadLog("10:39:40.52 " + rest + rest)
        #expect(log.events.map(\.time.quality) == [.timeOnly, .none])
        #expect(log.times == ["10:39:40.52", ""])
        let windowed = try ReadLog("10:39:40.52 " + rest + rest) { $0.window = try TimeWindow(since: "2011-09-26") }
        #expect(windowed.events.isEmpty)
        #expect(windowed.report.incomparable == 2)
    }
}
