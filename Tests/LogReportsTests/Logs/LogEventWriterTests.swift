import Foundation
import LogReports
import ReportKit
import TestSupport
import Testing
import ULSLog

struct EventDataTests {
    private func written(_ format: OutputForm, _ events: [ULSEvent]) -> String {
        rendered { bytes in
            var writer = LogEventWriter(format)
            writer.begin(in: &bytes)
            for event in events { writer.append(event, to: &bytes) }
            writer.end(in: &bytes)
        }
    }

    @Test func `An event is an object with ordered keys, and null for unknown values`() {
        #expect(
            written(.ndjson, [LogFixtures.event("a \"b\"\r\nc", level: "High", correlation: "", area: "")])
                == #"{"schema":"fastctl.logEvent/1","time":"2011-09-26T10:39:40.52","timeQuality":"local","server":null,"#
                + #""process":"w3wp.exe","processID":"0x1790","threadID":"0x0EB8","area":null,"category":"General","#
                + #""eventID":"b9y3","level":"High","message":"a \"b\"\r\nc","correlation":null,"#
                + #""file":"WFE1-20110926-1030.log","line":1,"lineEnd":1,"parts":1,"inferred":false,"context":false}"#
                + "\n"
        )
    }

    @Test(arguments: HurtfulText.all + ["\u{2028}\u{2029}", "\u{1B}[0m", "\"\\\""])
    func `Each object contains the logged values and is on one line`(text: String) throws {
        // Foundation removes a byte-order mark at the start of a string.
        let text = "x" + text
        let event = LogFixtures.event(text, server: text, eventID: text)
        let lines = written(.ndjson, [event, event])
        #expect(!lines.unicodeScalars.contains("\u{2028}"))
        #expect(lines.utf8.count { $0 == 0x0A } == 2)
        let object = try JSONSerialization.jsonObject(with: Data(written(.json, [event]).utf8))
        let first = try #require((object as? [[String: Any]])?.first)
        #expect((first["message"] as? String)?.utf8.elementsEqual(text.utf8) == true)
        #expect((first["server"] as? String)?.utf8.elementsEqual(text.utf8) == true)
    }

    @Test func `Without events, JSON is an empty array`() {
        #expect(written(.json, []) == "[]\n")
        #expect(written(.ndjson, []).isEmpty)
    }

    @Test func `A table has a header and a row for each event`() {
        #expect(
            written(.csv, [LogFixtures.event("a, \"b\"", server: "WFE1")])
                == "time,timeQuality,server,process,processID,threadID,area,category,eventID,level,message,correlation,"
                + "file,line,lineEnd,parts,inferred,context\r\n"
                + "2011-09-26T10:39:40.52,local,WFE1,w3wp.exe,0x1790,0x0EB8,SharePoint Foundation,General,b9y3,Medium,"
                + "\"a, \"\"b\"\"\",9446a0f0-1577-472e-a8af-a552b1b4cc39,WFE1-20110926-1030.log,1,1,1,false,false\r\n"
        )
    }

    @Test(arguments: [
        ("=1+1", "\"\t=1+1\""), ("+cmd|' /C calc'!A0", "\"\t+cmd|' /C calc'!A0\""), ("-x", "\"\t-x\""),
        ("@SUM(A1)", "\"\t@SUM(A1)\""), ("\t=1", "\"\t\t=1\""), ("\r=1", "\"\t\r=1\""), ("＝1", "\"\t＝1\""),
        ("＠x", "\"\t＠x\""), ("-5", "-5"), ("+0.25", "+0.25"), ("-", "\"\t-\""), ("8311", "8311"), ("", ""),
        ("a=1", "a=1"), ("-1.", "\"\t-1.\""), ("-1-1", "\"\t-1-1\""),
    ])
    func `No table cell becomes a formula, and numbers stay numbers`(text: String, cell: String) {
        let table = written(.csv, [LogFixtures.event(text, correlation: "")])
        #expect(table.contains(",Medium,\(cell),,WFE1-"))
    }

    @Test(arguments: HurtfulText.all + ["a\r\nb", ",", "\"", "a\"\r\n,b", "=\"\n\"", ";x"])
    func `A table that is read back contains the logged values`(text: String) throws {
        let rows = CSVRows.parse(written(.csv, [LogFixtures.event(text, server: text), LogFixtures.event("next")]))
        try #require(rows.count == 3)
        #expect(rows.allSatisfy { $0.count == 18 })
        for cell in [rows[1][2], rows[1][10]] {
            // The only change: a tab before text that looks like a formula.
            #expect(cell == Array(text.utf8) || cell == [0x09] + Array(text.utf8))
        }
        #expect(rows[2][10] == Array("next".utf8))
    }
}

/// Reads comma-separated values according to RFC 4180.
private enum CSVRows {
    static func parse(_ text: String) -> [[[UInt8]]] {
        var rows: [[[UInt8]]] = []
        var row: [[UInt8]] = []
        var field: [UInt8] = []
        var isQuoted = false
        let bytes = Array(text.utf8)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            switch byte {
            case UInt8(ascii: "\"") where isQuoted && next == byte:
                field.append(byte)
                index += 1
            case UInt8(ascii: "\"") where isQuoted || field.isEmpty: isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted:
                row.append(field)
                field = []
            case 0x0D where !isQuoted && next == 0x0A:
                rows.append(row + [field])
                (row, field) = ([], [])
                index += 1
            default: field.append(byte)
            }
            index += 1
        }
        return rows
    }
}

struct EventTextTests {
    private func lines(
        _ events: [ULSEvent],
        _ layout: TextLayout = TextLayout(),
        showsServer: Bool = false
    ) -> String {
        rendered { bytes in
            var writer = LogEventWriter(.text, layout: layout, showsServer: showsServer)
            writer.begin(in: &bytes)
            for event in events { writer.append(event, to: &bytes) }
            writer.end(in: &bytes)
        }
    }

    @Test func `In a pipe, each line is complete`() {
        let message = String(repeating: "long ", count: 100)
        #expect(
            lines([LogFixtures.event(message, server: "WFE1", level: "High")], showsServer: true)
                == "2011-09-26T10:39:40.52  WFE1  High         b9y3   SharePoint Foundation/General  \(message)  "
                + "[9446a0f0-1577-472e-a8af-a552b1b4cc39]\n"
        )
    }

    @Test func `On a terminal, the day is shown when it changes, and messages are cut to the width`() {
        let events = [
            LogFixtures.event("HTTP Request method: POST"),
            LogFixtures.event("Cannot open the file 'wss.en-US.resx' that belongs to the language pack", at: 80),
            LogFixtures.event("The next day", at: 86_400_000, level: "", eventID: "", correlation: ""),
        ]
        #expect(
            lines(events, TextLayout(width: 100)) == """
                2011-09-26
                10:39:40.52  Medium       b9y3   HTTP Request method: POST  [9446a0f0]
                10:39:40.60  Medium       b9y3   Cannot open the file 'wss.en-US.resx' that belongs to …  [9446a0f0]
                2011-09-27
                10:39:40.52  -            -      The next day

                """
        )
    }

    @Test(arguments: [40, 80, 100, 120, 160, 240])
    func `No line is wider than the terminal`(width: Int) {
        let wide = String(repeating: "日本語", count: 100)
        let text = lines([LogFixtures.event(wide, server: "WFE1")], TextLayout(width: width), showsServer: true)
        for line in text.split(separator: "\n") {
            let columns = line.unicodeScalars.reduce(0) { $0 + ($1.value > 0x2E80 ? 2 : 1) }
            #expect(columns <= width)
        }
    }

    @Test func `A UTC time is marked as such, and a missing time is shown as dashes`() {
        var event = LogFixtures.event("x", correlation: "")
        event.time = LogTime(clock: LogFixtures.start, offset: 7200, quality: .exact)
        let none = LogFixtures.event("y", quality: .none, correlation: "")
        #expect(
            lines([event, none]) == """
                2011-09-26T08:39:40.52Z  Medium       b9y3   SharePoint Foundation/General  x
                --:--:--.--  Medium       b9y3   SharePoint Foundation/General  y

                """
        )
    }

    @Test(arguments: HurtfulText.all + ["\u{1B}[2J", "a\r\nb", "\u{9B}31m", "\u{7}", "x\u{8}\u{8}"], [nil, 80])
    func `An event is one line without control characters, even if its message contains some`(
        message: String,
        width: Int?
    ) {
        let event = LogFixtures.event(message, server: message, level: message, eventID: message, area: message)
        let text = lines([event], TextLayout(width: width), showsServer: true)
        let hidden = text.unicodeScalars.filter { $0.properties.generalCategory == .control && $0 != "\n" }
        #expect(hidden.isEmpty)
        #expect(text.split(separator: "\n").count == (width == nil ? 1 : 2))
        #expect(!text.unicodeScalars.contains("\u{202E}"))
    }

    @Test func `Line endings in a message are made visible`() {
        let event = LogFixtures.event("one\r\ntwo\nthree\tfour", correlation: "")
        #expect(lines([event]).hasSuffix("  one ↵ two ↵ three four\n"))
        #expect(lines([event], TextLayout(isUnicode: false)).hasSuffix("  one \\n two \\n three four\n"))
    }

    @Test func `Text that a CI runner would execute as a command is broken up`() {
        let layout = TextLayout(neutralizesRunnerCommands: true)
        let group = lines([LogFixtures.event("a ##[group]b ###vso[x]", correlation: "")], layout)
        #expect(group.hasSuffix("  a # #[group]b # # #vso[x]\n"))
        #expect(lines([LogFixtures.event("\n ::set-output x", correlation: "")], layout).hasSuffix(": :set-output x\n"))
        #expect(lines([LogFixtures.event("##[group]")]).contains("##[group]"))
    }

    @Test(arguments: [
        ("Critical", "\u{1B}[1;31mCritical\u{1B}[0m"), ("Monitorable", "\u{1B}[1;35mMonitorable\u{1B}[0m"),
        ("High", "\u{1B}[1mHigh\u{1B}[0m"), ("Medium", "  Medium  "),
    ])
    func `Levels are colored only on request, and worse levels more prominently`(level: String, shown: String) {
        let event = LogFixtures.event("x", level: level)
        #expect(lines([event], TextLayout(isColored: true)).contains(shown))
        #expect(!lines([event]).contains("\u{1B}"))
    }
}
