import Testing

@testable import ULSLog

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
            (1, "header"), (2, "row, native layout"), (3, "line of the record that begins in line 2"),
            (4, "blank line"),
            (5, "row, layout with TimestampUtc"), (6, "row, native layout"), (8, "not understood"),
        ]
    )
    func `a line is explained`(line: Int, kind: String) throws {
        #expect(try Self.explain(line).kind == kind)
    }

    @Test func `columns are named with the place where they stand`() throws {
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

    @Test func `parts of a message say so`() throws {
        #expect(try Self.explain(6).notes.contains { $0.contains("ends in three dots") })
        #expect(try Self.explain(7).notes.contains { $0.contains("goes on with the message of a row above") })
    }

    @Test func `a line that is not there is an error`() throws {
        #expect(throws: LogError.self) { try Self.explain(9) }
        #expect(throws: LogError.self) { try Self.explain(0) }
    }
}
