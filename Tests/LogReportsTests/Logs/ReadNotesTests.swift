import Foundation
import LogReports
import ReportKit
import Testing

@testable import ULSLog
@testable import ULSRows

struct AnswerTests {
    @Test func `The slow report has tables of names, then the slowest requests with their locations`() {
        let text = rendered { SlowRenderer.append(LogFixtures.slow, layout: TextLayout(width: 120), to: &$0) }
        #expect(
            text == """
                3 requests in 1,234 events

                Requests
                COUNT     P50     P95     MAX   TOTAL  OPEN  REQUEST
                    3  145 ms  2.40 s  2.40 s  2.70 s     1  POST /_vti_bin/owssvr.dll
                    0       -       -       -       -     2  Timer Job

                Scopes within them
                COUNT      P50      P95      MAX    TOTAL  OPEN  SCOPE
                    1  0.40 ms  0.40 ms  0.40 ms  0.40 ms     0  Render Page

                Slowest
                  TOOK  TIME                    SERVER  CORRELATION                           NAME                  WHERE
                2.40 s  2011-09-26T10:39:43.44  WFE1    9446a0f0-1577-472e-a8af-a552b1b4cc39  Request (POST:http:…  WFE1-20110926-1030.…

                """
        )
    }

    @Test func `Machine-readable formats of slow requests contain seconds and locations`() throws {
        let text = rendered { SlowRenderer.append(LogFixtures.slow, as: .json, to: &$0) }
        _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
        #expect(
            text.hasPrefix(
                #"{"schema":"fastctl.slow/1","files":[],"events":1234,"requests":[{"key":"POST /_vti_bin/owssvr.dll","#
            )
        )
        #expect(text.contains(#""seconds":2.4001,"time":"2011-09-26T10:39:43.44","server":"WFE1","#))
    }

    @Test func `Without scopes, the slow report is one explanatory sentence`() {
        let text = rendered { SlowRenderer.append(SlowReport(), to: &$0) }
        #expect(text == "No scope was entered or left in 0 events; the log level may be too high.\n")
    }

    @Test func `The explanation of a line lists columns, bytes and remarks`() {
        let explanation = ParseExplanation(
            file: "a.log",
            line: 3,
            kind: "row, native layout",
            fields: [
                .init(column: "Timestamp", first: 1, last: 22, text: "09/26/2011 10:39:40.52"),
                .init(column: "Area", first: 60, last: 59, text: ""),
                .init(column: "Message", first: 130, last: 140, text: "a\u{1B}[2J\nb"),
            ],
            notes: ["the area is empty"],
            event: LogFixtures.event("x", line: 3)
        )
        #expect(
            rendered { ExplanationRenderer.append(explanation, layout: TextLayout(width: 80), to: &$0) } == """
                a.log:3: row, native layout
                COLUMN       BYTES  TEXT
                Timestamp     1-22  09/26/2011 10:39:40.52
                Area             -  -
                Message    130-140  a\\u{1B}[2J ↵ b
                Note: the area is empty
                Its event is on line 3, in 1 part.

                """
        )
    }

    @Test func `Notes about files are sentences that are safe to print`() {
        var files = (1...22).map { SourceReport(name: "f\($0)") }
        for index in files.indices { files[index].notes = ["\u{1B}x"] }
        files[0].isIncomplete = true
        files[1].isSkipped = true
        let lines = ReadNotes.lines(files: files, quality: ReadQuality())
        #expect(lines.count == 23)
        #expect(lines.first == "f1: \\u{1B}x")
        #expect(
            lines.suffix(3) == [
                "2 more files have notes; -o json lists them all", "1 file was not read to the end",
                "1 file was not opened, because its name shows that it is outside the window",
            ]
        )
        #expect(ReadNotes.lines(files: [], quality: ReadQuality()).isEmpty)
    }

    @Test func `Every limit that was reached is described in its own sentence`() {
        var quality = ReadQuality()
        quality.clockSteps = 2
        quality.inferred = 1
        for limit in LogLimit.allCases { quality.limits.append(.init(limit: limit, count: 2)) }
        let lines = ReadNotes.lines(files: [], quality: quality)
        #expect(lines.count == 2 + LogLimit.allCases.count)
        #expect(Set(lines).count == lines.count)
    }
}
