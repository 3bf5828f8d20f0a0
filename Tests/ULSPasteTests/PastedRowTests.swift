import Testing

@testable import ULSPaste
@testable import ULSRows

struct PastedRowTests {
    @Test func `Text below a row with its correlation is not part of the row`() {
        let row =
            "02/14/2024 11:20:01.55\tw3wp.exe (0x1A2C)\t0x2210\tSharePoint Foundation\tGeneral\tai1wu\tMedium\tTorn\t"
            + "7f0e1122-0000-4a4b-9c9c-000000000001"
        let paste = ReadPaste(
            "\(row)\nSystem.IO.IOException: Lost\n   at A.B.C(String d)"
        )
        #expect(paste.records.map(\.messageText) == ["Torn", "System.IO.IOException: Lost\n   at A.B.C(String d)"])
        #expect(paste.records.first?.correlation.isEmpty == false)
        #expect(ReadPaste("\(row)\n   at A.B.C(String d)").only.messageText.hasSuffix("at A.B.C(String d)"))
    }

    static let correlation = "0f3c9a10-1b2c-4d5e-8f90-a1b2c3d4e5f6"

    @Test(arguments: ["owssvr-aspnet-tracing.log", "owssvr-aspnet-tracing-backslashes-lost.log"])
    func `Rows with blanks instead of tabs have the same columns as the native file`(name: String) throws {
        let native = try PasteFixtures.bytes("owssvr-aspnet-tracing-native.log").split(separator: 0x0A).dropFirst()
        let expected = native.map { line in
            Array(line).split(separator: 0x09, omittingEmptySubsequences: false).map { cell in
                let cell = Array(cell)
                return String(decoding: cell[cell.trimmed], as: UTF8.self)
            }
        }
        let paste = ReadPaste(bytes: try PasteFixtures.bytes(name))
        #expect(paste.records.count == 17)
        for (record, columns) in zip(paste.records, expected) {
            let areBackslashesLost = record.messageText.contains("C:Program")
            let message = areBackslashesLost ? columns[7].filter { $0 != "\\" } : columns[7]
            #expect(record.columns == columns[..<7] + [message, columns[8]])
            #expect(record.isInferred)
        }
        #expect(paste.records.count { $0.messageText.contains("C:Program") } == (name.contains("lost") ? 4 : 0))
    }

    @Test func `A native file read as a table has the same columns`() throws {
        let table = ReadPaste(bytes: try PasteFixtures.bytes("owssvr-aspnet-tracing-native.log"))
        let rows = ReadPaste(bytes: try PasteFixtures.bytes("owssvr-aspnet-tracing.log"))
        #expect(table.records.map(\.columns) == rows.records.map(\.columns))
        #expect(table.quality.headers == 1)
        #expect(table.records.allSatisfy { $0.shape == .delimited && !$0.isInferred })
    }

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let line: String
        let columns: [String]

        init(_ description: String, _ line: String, _ columns: [String]) {
            testDescription = description
            self.line = line
            self.columns = columns
        }
    }

    static let rows = [
        Row(
            "one blank between columns",
            "03/04/2014 08:01:02.03 w3wp.exe (0xA1C) 0xB2D SSAS Mid-Tier Service Data Refresh 99 High Lost \(correlation)",
            [
                "03/04/2014 08:01:02.03", "w3wp.exe (0xA1C)", "0xB2D", "SSAS Mid-Tier Service", "Data Refresh", "99",
                "High", "Lost", correlation,
            ]
        ),
        Row(
            "time only",
            "08:01:02.03 OWSTIMER.EXE (0x0A1C) 0x0B2D SharePoint Server Search Crawler:Common ab1c2 Verbose Going on",
            [
                "08:01:02.03", "OWSTIMER.EXE (0x0A1C)", "0x0B2D", "SharePoint Server Search", "Crawler:Common", "ab1c2",
                "Verbose", "Going on", "",
            ]
        ),
        Row(
            "ISO time and a service behind the process",
            "2021-02-02 07:27:58.07 w3wp.exe#DiskCache (0x2688) 0x1 Office Online   Disk Cache   b1c2d   Medium   Kept",
            [
                "2021-02-02 07:27:58.07", "w3wp.exe#DiskCache (0x2688)", "0x1", "Office Online", "Disk Cache", "b1c2d",
                "Medium", "Kept", "",
            ]
        ),
        Row(
            "placeholders for the time",
            "<Date> <Time> w3wp.exe (0x0A1C) 0x0B2D SharePoint Foundation Topology 8xqz Medium Updating",
            ["", "w3wp.exe (0x0A1C)", "0x0B2D", "SharePoint Foundation", "Topology", "8xqz", "Medium", "Updating", ""]
        ),
        Row(
            "the form of a time in its place",
            "<mm/dd/yyyy> <hh:min:sec.msec> w3wp.exe (0x0A1C) 0x0B2D SharePoint Foundation Topology 8xqz Medium Updating",
            ["", "w3wp.exe (0x0A1C)", "0x0B2D", "SharePoint Foundation", "Topology", "8xqz", "Medium", "Updating", ""]
        ),
        Row(
            "a masked time",
            "XX/XX/XXXX XX:XX:XX.XX w3wp.exe (0x0A1C) 0x0B2D SharePoint Foundation Topology 8xqz Medium Updating",
            ["", "w3wp.exe (0x0A1C)", "0x0B2D", "SharePoint Foundation", "Topology", "8xqz", "Medium", "Updating", ""]
        ),
        Row(
            "placeholders for the ids and the correlation",
            "DateTime w3wp.exe (0xXXXX) 0x0000 PowerPivot Service Data Refresh 99 High It failed <<CORRELATION ID>>",
            ["", "w3wp.exe", "", "PowerPivot Service", "Data Refresh", "99", "High", "It failed", ""]
        ),
        Row(
            "a server before the process id",
            "03/04/2014 08:01:02.03 w3wp.exe (WFE1: 0x0A1C) 0x0B2D Search Content Processing ab1cd Monitorable Slow",
            [
                "03/04/2014 08:01:02.03", "w3wp.exe (WFE1: 0x0A1C)", "0x0B2D", "Search", "Content Processing", "ab1cd",
                "Monitorable", "Slow", "",
            ]
        ),
        Row(
            "a process without .exe",
            "Date Time   IndexComponent2-0f3c9a10-1b2 (0x1180)   0x3850 Search Index Lookup   ab1c0  Assert  Torn",
            [
                "", "IndexComponent2-0f3c9a10-1b2 (0x1180)", "0x3850", "Search", "Index Lookup", "ab1c0", "Assert",
                "Torn", "",
            ]
        ),
        Row(
            "a process of two words",
            "03/04/2014 08:01:02.03 Our Service (0x1180) 0x3850 SharePoint Foundation General 8nca High Down",
            [
                "03/04/2014 08:01:02.03", "Our Service (0x1180)", "0x3850", "SharePoint Foundation", "General", "8nca",
                "High", "Down", "",
            ]
        ),
        Row(
            "a process without id",
            "<Date and Time> w3wp.exe SharePoint Foundation Runtime ab7n Medium Cannot find it (0x12)",
            ["", "w3wp.exe", "", "SharePoint Foundation", "Runtime", "ab7n", "Medium", "Cannot find it (0x12)", ""]
        ),
        Row(
            "hyphens between the columns",
            "w3wp.exe (0x0A1C) - SharePoint Foundation - Topology - 8xqz - Medium - Updating a - b",
            [
                "", "w3wp.exe (0x0A1C)", "", "SharePoint Foundation", "Topology", "8xqz", "Medium", "Updating a - b",
                "",
            ]
        ),
        Row(
            "the level of an upgrade log",
            "03/04/2014 08:01:02.03 PSCONFIG (0x0A1C) 0x0B2D SharePoint Foundation Upgrade SPUpgradeSession ajxkz ERROR It failed",
            [
                "03/04/2014 08:01:02.03", "PSCONFIG (0x0A1C)", "0x0B2D", "SharePoint Foundation Upgrade",
                "SPUpgradeSession", "ajxkz", "ERROR", "It failed", "",
            ]
        ),
        Row(
            "a mark of quotation",
            "> > 08:01:02.03 w3wp.exe (0x0A1C) 0x0B2D SharePoint Foundation Topology 8xqz Medium Updating",
            [
                "08:01:02.03", "w3wp.exe (0x0A1C)", "0x0B2D", "SharePoint Foundation", "Topology", "8xqz", "Medium",
                "Updating", "",
            ]
        ),
        Row(
            "glued columns",
            "Date Time w3wp.exe (0x1620) 0x1988Windows SharePoint Services Topology 75bdHigh Lost",
            ["", "w3wp.exe (0x1620)", "0x1988", "Windows SharePoint Services", "Topology", "75bd", "High", "Lost", ""]
        ),
        Row(
            "an area glued to a thread id that begins like one",
            "w3wp.exe (0x1620) 0x12C4Excel Services Application Session ab2c4 High Lost",
            ["", "w3wp.exe (0x1620)", "0x12C4", "Excel Services Application", "Session", "ab2c4", "High", "Lost", ""]
        ),
        Row(
            "the first columns missing, tabs kept",
            "Our Product\tQueue work\tabcd\tUnexpected\tBroken\t\(correlation)",
            ["", "", "", "Our Product", "Queue work", "abcd", "Unexpected", "Broken", correlation]
        ),
        Row(
            "the first columns missing, blanks for tabs",
            "SharePoint Foundation Legacy Workflow Infrastructure ahk8y Verbose For \(correlation)      \(correlation)",
            [
                "", "", "", "SharePoint Foundation", "Legacy Workflow Infrastructure", "ahk8y", "Verbose",
                "For \(correlation)", correlation,
            ]
        ),
        Row(
            "an area of which a word was lost",
            "Foundation General 8nca Medium Application error",
            ["", "", "", "Foundation", "General", "8nca", "Medium", "Application error", ""]
        ),
        Row(
            "no-break spaces as padding",
            "03/04/2014 08:01:02.03~ ~ w3wp.exe (0x0A1C)~ ~ 0x0B2D~ Our Area~ ~ Our Category~ abc1~ High~ ~ At~80%~"
                .replacing("~", with: "\u{A0}"),
            [
                "03/04/2014 08:01:02.03", "w3wp.exe (0x0A1C)", "0x0B2D", "Our Area", "Our Category", "abc1", "High",
                "At\u{A0}80%", "",
            ]
        ),
        Row(
            "an empty area between tabs",
            "03/04/2014 08:01:02.03\tw3wp.exe (0x0A1C)\t0x0B2D\t\t0xEB2D003\t2j9b\tHigh\tOdd\t ",
            ["03/04/2014 08:01:02.03", "w3wp.exe (0x0A1C)", "0x0B2D", "", "0xEB2D003", "2j9b", "High", "Odd", ""]
        ),
        Row(
            "an area that is longer than another, and a category that makes it look so",
            "w3wp.exe (0x1620) 0x1988 SharePoint Foundation Search ab2c4 High Lost",
            ["", "w3wp.exe (0x1620)", "0x1988", "SharePoint Foundation", "Search", "ab2c4", "High", "Lost", ""]
        ),
        Row(
            "no process between time and area",
            "03/04/2014 08:01:02.03\tContoso\tData Layer\tabcd\tHigh\tLost\t\(correlation)",
            ["03/04/2014 08:01:02.03", "", "", "Contoso", "Data Layer", "abcd", "High", "Lost", correlation]
        ),
        Row(
            "no ids, and an area nobody knows",
            "03/04/2014 08:01:02.03  w3wp.exe   Contoso   Data Layer   abcd   High   Lost",
            ["03/04/2014 08:01:02.03", "w3wp.exe", "", "Contoso", "Data Layer", "abcd", "High", "Lost", ""]
        ),
        Row(
            "an area nobody knows",
            "w3wp.exe (0x1620) 0x1988 Contoso Data Layer 00000 High Lost",
            ["", "w3wp.exe (0x1620)", "0x1988", "Contoso", "Data Layer", "00000", "High", "Lost", ""]
        ),
        Row(
            "a GUID that wide columns leave in the message",
            "w3wp.exe (0x1620)   0x1988   Search   General   ab2c4   High   Lost \(correlation)",
            ["", "w3wp.exe (0x1620)", "0x1988", "Search", "General", "ab2c4", "High", "Lost \(correlation)", ""]
        ),
        Row(
            "entities stay, typographic quotes become straight",
            "w3wp.exe (0x1620) 0x1988 Search General ab2c4 High \u{201C}a&lt;b\u{201D}",
            ["", "w3wp.exe (0x1620)", "0x1988", "Search", "General", "ab2c4", "High", "\"a&lt;b\"", ""]
        ),
    ]

    @Test(arguments: rows)
    func `A row is recognized by the content of its columns`(row: Row) {
        let paste = ReadPaste(row.line)
        #expect(paste.only.shape == .row)
        #expect(paste.only.columns == row.columns)
    }

    @Test(arguments: [
        "SharePoint Server shows Error after Error",
        "We saw 8nca Medium in the log",
        "System.Runtime.InteropServices.COMException (0x80070005): Access is denied. nasq High",
        "10:39:40 we restarted the farm and this High came back",
        "10:39:40 w3wp.exe ended with High load",
        "10:39:40   we saw it end with High load",
        "The type 9004 Warning is harmless",
        "w3wp.exe",
        "03/04/2014 08:01:02.03 w3wp.exe (0x0A1C) 0x0B2D",
        "<Date> <Time>",
    ])
    func `A line that only resembles a row is ignored or read as a message`(line: String) {
        let paste = ReadPaste(line)
        #expect(paste.records.allSatisfy { $0.shape == .message && $0.messageText == line })
        #expect(ReadPaste(line + "\n\nIt failed").records.first?.messageText == line)
    }

    @Test func `An asterisk after the time marks a continuation`() {
        let paste = ReadPaste(
            "03/04/2014 08:01:02.03* w3wp.exe (0x0A1C)  0x0B2D  SharePoint Foundation  General  8nca  Medium  ...rest"
        )
        #expect(paste.only.isContinuation)
        #expect(paste.only.columns[0] == "03/04/2014 08:01:02.03")
        #expect(paste.only.messageText == "...rest")
    }

    @Test func `A row quoted in a message is part of the message`() {
        let quoted =
            "03/04/2014 08:01:02.03 powershell (0x2190) 0x49A0 SharePoint Foundation Upgrade ab1cd ERROR Failed"
        let paste = ReadPaste("powershell.exe (0x2190) 0x49A0 SharePoint Foundation Upgrade ajyxy High \(quoted)")
        #expect(paste.only.messageText == quoted)
    }

    /// People often paste the output of the page or cmdlet above the rows.
    @Test(arguments: [
        "A.B.CException: not here", "Exception: not here", "It failed: [A.CException: not here",
        "> A.CException: not here",
    ])
    func `Exception text next to rows is a message`(text: String) {
        let row =
            "08/06/2020 10:53:02.25 w3wp.exe (0x19BC) 0x1FC8 SharePoint Foundation General 8nca Medium Torn \(Self.correlation)"
        for (paste, lines) in [
            ("\(text)\n   at D.E()\n\n\(row)", [1, 4]), ("\(row)\n\n\(text)\n   at D.E()\n\nBye.", [1, 3]),
        ] {
            let read = ReadPaste(paste)
            #expect(read.records.map(\.firstLine) == lines, "\(paste)")
            let message = read.records.first { $0.shape == .message }
            #expect(message?.messageText.hasSuffix("Exception: not here\n   at D.E()") == true, "\(paste)")
            #expect(read.quality.notUnderstood == (paste.hasSuffix("Bye.") ? 1 : 0))
        }
    }

    @Test(arguments: [
        "There was an exception: it is below", "https://host/System.Exception: x", "See the Exception: below",
        "The exception System.IO.IOException is known",
        "https://host/Exception:", "We think that AException: is one",
    ])
    func `Remarks about an exception next to rows are not exceptions`(text: String) {
        let row =
            "08/06/2020 10:53:02.25 w3wp.exe (0x19BC) 0x1FC8 SharePoint Foundation General 8nca Medium Torn \(Self.correlation)"
        for paste in ["\(text)\n\n\(row)", "\(row)\n\n\(text)"] {
            let read = ReadPaste(paste)
            #expect(read.records.map(\.messageText) == ["Torn"])
            #expect(read.quality.notUnderstood == 1)
        }
    }

    @Test func `An exception above rows with a level and a message is a message`() {
        let read = ReadPaste("A.BException: x\n   at D.E()\n\nHigh\t[P] one\nHigh\t[P] two")
        #expect(read.records.map(\.messageText) == ["A.BException: x\n   at D.E()", "[P] one", "[P] two"])
        #expect(read.quality.notUnderstood == 0)
    }

    @Test(arguments: [true, false])
    func `An error page next to rows is one message`(isAbove: Bool) {
        let row =
            "08/06/2020 10:53:02.25 w3wp.exe (0x19BC) 0x1FC8 SharePoint Foundation General 8nca Medium Torn "
            + Self.correlation
        let page = ErrorPageTests.page.joined(separator: "\n\n")
        let read = ReadPaste(isAbove ? "\(page)\n\n\(row)" : "\(row)\n\n\(page)")
        #expect(read.records.map(\.shape) == (isAbove ? [.message, .row] : [.row, .message]))
        let message = read.records.first { $0.shape == .message }
        #expect(message?.messageText.contains("Contoso.Part.Load()") == true)
        #expect(read.quality.notUnderstood == 0)
    }
}
