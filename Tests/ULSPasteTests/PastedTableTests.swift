import Testing

@testable import ULSPaste
@testable import ULSRows

struct PastedTableTests {
    @Test(arguments: [",", ";", "\t"])
    func `Columns can be in any order and have any of their known names`(separator: String) {
        let paste = ReadPaste(
            ["level;Message;EVENTID;TimestampUtc;ThreadId;Extra", "High;Torn;ab1cd;2021-02-02 07:27:58.07*;0x12;x"]
                .joined(separator: "\n").replacing(";", with: separator)
        )
        #expect(paste.only.columns == ["2021-02-02 07:27:58.07", "", "0x12", "", "", "ab1cd", "High", "Torn", ""])
        #expect(paste.only.isContinuation)
        #expect(paste.only.shape == .delimited)
        #expect(paste.quality.headers == 1)
    }

    @Test func `The computer in an export of events is the server of each row`() {
        let paste = ReadPaste("Level,Date and Time,Computer,Event ID,Message\nError,10/04/2026 10:00:00,WFE1,7,Torn\n")
        #expect(String(decoding: paste.only.server, as: UTF8.self) == "WFE1")
        #expect(paste.only.messageText == "Torn")
    }

    @Test func `A PowerShell export with a type line, quotes and multiline cells is read`() {
        let paste = ReadPaste(
            """
            #TYPE Microsoft.SharePoint.Diagnostics.LogFileEntry\r
            "Area","Continuation","Level","Message","EventID"\r
            "Search","False","High","It said ""no"",\r
               at Our.Main()\r

            end","ab1cd"\r
            "Search","True","Medium","Next","ab1ce"\r
            """
        )
        #expect(paste.records.map(\.summary) == ["ab1cd High", "ab1ce Medium"])
        #expect(paste.records.first?.messageText == "It said \"no\",\n   at Our.Main()\n\nend")
        #expect(paste.records.map(\.isContinuation) == [false, true])
        #expect(paste.quality.headers == 2)
        #expect(paste.quality.continuations == 2)
        #expect(paste.quality.blank == 1)
        #expect(paste.quality.accounted == 7)
    }

    @Test func `Unquoted commas belong to the message`() {
        let paste = ReadPaste("Level,Message,EventID\nHigh,one, two, three,ab1cd")
        #expect(paste.only.columns[5...7] == ["ab1cd", "High", "one, two, three"])
    }

    @Test func `A line that is not a row belongs to the preceding message`() {
        let paste = ReadPaste(
            "Timestamp\tLevel\tEventID\tMessage\n1\tHigh\tab1cd\tTorn\n   at Our.Main()\n2\tHigh\tab1ce\tSewn"
        )
        #expect(paste.records.map(\.messageText) == ["Torn\n   at Our.Main()", "Sewn"])
    }

    @Test func `An unclosed quote ends at the next row that begins with a time`() {
        let paste = ReadPaste(
            "Timestamp\tLevel\tMessage\n01/02/2014 03:04:05.06\tHigh\t\"torn\n01/02/2014 03:04:05.07\tHigh\tsewn"
        )
        #expect(paste.records.map(\.messageText) == ["\"torn", "sewn"])
    }

    @Test func `A header in the middle of a table begins a new table`() {
        let paste = ReadPaste("Level,Message,EventID\nHigh,a,ab1cd\nMessage,Level,EventID\nb,Medium,ab1ce")
        #expect(paste.records.map(\.messageText) == ["a", "b"])
        #expect(paste.quality.headers == 2)
    }

    @Test func `Truncated cells of a console table are kept as they are`() {
        let paste = ReadPaste(
            """
            Timestamp            Area       Level  EventID Message
            ---------            ----       -----  ------- -------
            26/09/2011 10:39:40  ShareP...  High   b9y3    Failed to open...
            26/09/2011 10:39:41  Se\u{E4}rch     Medium 99
                                                           and more

            That was all.
            """
        )
        #expect(paste.records.map(\.columns[3]) == ["ShareP...", "Se\u{E4}rch"])
        #expect(paste.records.map(\.summary) == ["b9y3 High", "99 Medium"])
        #expect(paste.records.map(\.columns[0]) == ["26/09/2011 10:39:40", "26/09/2011 10:39:41"])
        #expect(paste.records.first?.messageText == "Failed to open...")
        #expect(paste.quality.headers == 2)
        #expect(paste.quality.notUnderstood == 1)
    }

    @Test func `Prose with commas is not mistaken for a header`() {
        #expect(ReadPaste("The area, category, level of a message, and so on").only.shape == .message)
    }

    @Test func `Rows without tabs can follow a header with tabs`() {
        let paste = ReadPaste(
            "Timestamp\tProcess\tTID\tArea\tCategory\tEventID\tLevel\tMessage\tCorrelation\n"
                + "w3wp.exe (0x1620) 0x1988 Search General ab2c4 High Lost"
        )
        #expect(paste.only.shape == .row)
        #expect(paste.only.messageText == "Lost")
    }
}

struct PastedBlockTests {
    @Test func `Each object in Format-List output becomes a record`() {
        let paste = ReadPaste(
            """
            Timestamp    : 26/09/2011 10:39:40
            Continuation : False
            Process      : w3wp.exe (0x1790)
            ThreadID     : 3768
            Area         : SharePoint Foundation
            Category     : General
            EventID      : b9y3
            Level        : High
            Message      : Failed to open the file
                           'C:\\wss.resx': it is
                           gone.
            Correlation  : 0f3c9a10-1b2c-4d5e-8f90-
                           a1b2c3d4e5f6
            Context      : {}

            Timestamp    : 26/09/2011 10:39:41
            Continuation : True
            Level        : Medium
            Unheard      : of
            Message      : Second
            """
        )
        #expect(paste.records.count == 2)
        #expect(
            paste.records.first?.columns == [
                "26/09/2011 10:39:40", "w3wp.exe (0x1790)", "3768", "SharePoint Foundation", "General", "b9y3", "High",
                "Failed to open the file 'C:\\wss.resx': it is gone.", "0f3c9a10-1b2c-4d5e-8f90-a1b2c3d4e5f6",
            ]
        )
        #expect(paste.records.map(\.isContinuation) == [false, true])
        #expect(paste.records.last?.columns[6...] == ["Medium", "Second", ""])
        #expect(paste.records.allSatisfy { $0.shape == .block && !$0.isInferred })
        #expect(paste.quality.notUnderstood == 0)
        #expect(paste.records.map(\.firstLine) == [1, 16])
    }

    @Test func `A handwritten block can label the area as the product`() {
        let paste = ReadPaste(
            "Process: a.exe\nProduce: Our Area\nCategory: Ours\nEventID: ab1cd\nLevel: High\nMessage: Torn: a"
        )
        #expect(paste.only.columns == ["", "a.exe", "", "Our Area", "Ours", "ab1cd", "High", "Torn: a", ""])
    }

    @Test func `Blank lines can separate a message from its key`() {
        let paste = ReadPaste(
            "Product: Our Area\n\nLevel: High\n\nMessage:\n\nTorn in two\n   at Our.Main()\n\nThanks!"
        )
        #expect(paste.only.columns == ["", "", "", "Our Area", "", "", "High", "Torn in two\n   at Our.Main()", ""])
        #expect(paste.quality.notUnderstood == 1)
    }

    @Test func `A repeated key begins the next block`() {
        let paste = ReadPaste("Level: High\nMessage: One\nLevel: Medium\nMessage: Two")
        #expect(paste.records.map(\.messageText) == ["One", "Two"])
    }

    @Test func `A block ends at a blank line after its message`() {
        let paste = ReadPaste("Level: High\nMessage: One\n\nEventID: ab1cd\nMessage: Two")
        #expect(paste.records.map(\.summary) == [" High", "ab1cd "])
    }

    @Test func `Text copied from Event Viewer is a block`() {
        let paste = ReadPaste(
            """
            Log Name:      Application
            Date:          3/4/2014 8:01:02 AM
            Event ID:      6398
            Task Category: Timer
            Level:         Critical
            Keywords:
            User:          CONTOSO\\farm
            Description:
            The Execute method threw an exception.
            """
        )
        #expect(paste.only.columns[0] == "3/4/2014 8:01:02 AM")
        #expect(paste.only.columns[4...7] == ["Timer", "6398", "Critical", "The Execute method threw an exception."])
        #expect(paste.quality.notUnderstood == 0)
    }

    @Test func `A line with a single key is a message`() {
        #expect(ReadPaste("Message: it is broken").only.shape == .message)
    }

    @Test func `Keys in a row's message are text`() {
        let row = "w3wp.exe (0x1620) 0x1988 Search General ab2c4 High Lost"
        #expect(ReadPaste("\(row)\nProcess: w3wp\nLevel: 3").only.messageText == "Lost Process: w3wp Level: 3")
    }
}
