import Testing

@testable import ULSPaste
@testable import ULSRows

struct PasteWrappingTests {
    static let head = "08:01:02.03 w3wp.exe (0x0A1C) 0x0B2D SharePoint Foundation General ab1cd High"

    @Test func `Rows wrapped within a column or the correlation are joined`() {
        let paste = ReadPaste(
            """
            08:01:02.03 w3wp.exe (0x0A1C) 0x0B2D SharePoint Foundation Authentication Authorization ab1cd\u{20}\u{20}
            Medium Check failed. asking for 0x1, have 0x2 0f3c9a10-1b2c-4d5e-8f90-\u{20}\u{20}
            a1b2c3d4e5f6\u{20}\u{20}

            08:01:02.04 w3wp.exe (0x0A1C) 0x0B2D SharePoint Foundation CSOM ab1ce High\u{20}\u{20}
            Second message
            """
        )
        #expect(paste.records.map(\.summary) == ["ab1cd Medium", "ab1ce High"])
        #expect(paste.records.first?.messageText == "Check failed. asking for 0x1, have 0x2")
        #expect(paste.records.first?.correlationText == "0f3c9a10-1b2c-4d5e-8f90-a1b2c3d4e5f6")
        #expect(paste.records.map { [$0.firstLine, $0.lastLine] } == [[1, 3], [5, 6]])
        #expect(paste.quality.records == 2)
        #expect(paste.quality.continuations == 3)
        #expect(paste.quality.blank == 1)
    }

    @Test func `A GUID broken within a group is joined`() {
        let paste = ReadPaste("\(Self.head) Lost 0f3c9a10-1b2c-4d5e-8f90-a1b2\nc3d4e5f6")
        #expect(paste.only.correlationText == "0f3c9a10-1b2c-4d5e-8f90-a1b2c3d4e5f6")
    }

    @Test func `The lines of a wrapped message are joined with one blank`() {
        let paste = ReadPaste("\(Self.head) First half of a   \n   sentence and its end.")
        #expect(paste.only.messageText == "First half of a sentence and its end.")
    }

    @Test func `Line breaks in a stack trace are kept`() {
        let paste = ReadPaste(
            "\(Self.head) Failed: System.Exception: no\n   at Our.Type.Do(String a)   \nat Our.Main()\nErrorNumber:1468"
        )
        #expect(
            paste.only.messageText
                == "Failed: System.Exception: no\n   at Our.Type.Do(String a)\nat Our.Main()\nErrorNumber:1468"
        )
    }

    @Test func `A wrapped line that begins with "at" is not mistaken for a stack frame`() {
        let paste = ReadPaste("\(Self.head) We looked\nat C:\\a\\b.log and\nat the end.")
        #expect(paste.only.messageText == "We looked at C:\\a\\b.log and at the end.")
    }

    @Test func `The correlation of a multiline message is read from its last line`() {
        let paste = ReadPaste("\(Self.head) Failed\n   at Our.Main()\n  0f3c9a10-1b2c-4d5e-8f90-a1b2c3d4e5f6")
        #expect(paste.only.messageText == "Failed\n   at Our.Main()")
        #expect(paste.only.correlationText == "0f3c9a10-1b2c-4d5e-8f90-a1b2c3d4e5f6")
    }

    @Test func `A time at the beginning of a wrapped line does not begin a row`() {
        let paste = ReadPaste("\(Self.head) [cached @\n02/12/2021 11:17:30.82, Original Level: Verbose] Entering")
        #expect(paste.only.messageText == "[cached @ 02/12/2021 11:17:30.82, Original Level: Verbose] Entering")
    }

    @Test func `A line that only resembles a row stays in the message of the actual row`() {
        let paste = ReadPaste("\(Self.head) We found\nAnother Entry 8nca High here")
        #expect(paste.only.messageText == "We found Another Entry 8nca High here")
    }

    @Test func `Prose before and between rows is counted, and not mistaken for a record`() {
        let paste = ReadPaste(
            """
            Hello, we see this since Monday:

            \(Self.head) Lost 0f3c9a10-1b2c-4d5e-8f90-a1b2c3d4e5f6

            And on the other server:
            \(Self.head) Found
            """
        )
        #expect(paste.records.map(\.messageText) == ["Lost", "Found"])
        #expect(paste.quality.notUnderstood == 2)
        #expect(paste.quality.blank == 2)
    }

    @Test func `A blank line within a message is part of it`() {
        let paste = ReadPaste("\(Self.head) First\n\nSecond 0f3c9a10-1b2c-4d5e-8f90-a1b2c3d4e5f6")
        #expect(paste.only.messageText == "First\nSecond")
        #expect(paste.only.correlationText == "0f3c9a10-1b2c-4d5e-8f90-a1b2c3d4e5f6")
    }

    @Test func `A header without its tabs is still recognized`() {
        let paste = ReadPaste(
            "Timestamp   Process  TID  Area  Category  EventID  Level  Message  Correlation\n\(Self.head) A"
        )
        #expect(paste.quality.headers == 1)
        #expect(paste.only.messageText == "A")
    }

    @Test func `Lines that only begin like a row become part of the surrounding text`() {
        let paste = ReadPaste("\(Self.head) Restarted at\n10:39:40\nand stopped\n\(Self.head) B")
        #expect(paste.records.map(\.messageText) == ["Restarted at 10:39:40 and stopped", "B"])
    }
}

struct PastedMessageTests {
    @Test func `Each paragraph is a message of unknown level, not an unreadable row`() {
        let paste = ReadPaste("The first\nof two\n\n\nThe second failure")
        #expect(paste.records.map(\.messageText) == ["The first of two", "The second failure"])
        #expect(paste.records.allSatisfy { $0.shape == .message && $0.isInferred && $0.level.isEmpty })
        #expect(paste.records.map { [$0.firstLine, $0.lastLine] } == [[1, 2], [5, 5]])
        #expect(paste.quality.notUnderstood == 0)
        #expect(paste.quality.records == 2)
        #expect(paste.quality.continuations == 1)
        #expect(paste.quality.blank == 2)
    }

    @Test func `Stack trace lines are joined to the text above, even after a blank line`() {
        let paste = ReadPaste("System.Exception: no\n\n   at Our.Main()\n   at Their.Main()")
        #expect(paste.only.messageText == "System.Exception: no\n   at Our.Main()\n   at Their.Main()")
    }

    @Test func `A heading and the text after it form one message`() {
        #expect(ReadPaste("Error details:\n\nIt failed").only.messageText == "Error details:\nIt failed")
    }

    @Test func `Empty text has no records`() {
        for text in ["", "\n", " \n\t\n\u{A0}\n"] {
            let paste = ReadPaste(text)
            #expect(paste.records.isEmpty)
            #expect(paste.quality.blank == paste.quality.lines)
        }
    }

    @Test func `A byte-order mark is not part of the text`() {
        #expect(ReadPaste("\u{FEFF}Failed\r\n").only.messageText == "Failed")
    }

    /// Wraps a text at a column, as a console does.
    private static func broken(_ text: String, at width: Int) -> String {
        var lines: [String] = []
        var rest = Substring(text)
        while !rest.isEmpty {
            lines.append(String(rest.prefix(width)))
            rest = rest.dropFirst(width)
        }
        return lines.joined(separator: "\n")
    }

    @Test(arguments: 40...120)
    func `A row broken at a fixed column, even within words, is joined`(width: Int) {
        let message =
            "System.UnauthorizedAccessException: Access is denied. (Exception from HRESULT: 0x80070005 (E_ACCESSDENIED)) "
            + "in the store of the second server, as the account of the service has no right to the folder of its files "
            + "and none to those below"
        let row =
            "03/11/2024 11:03:00.15 w3wp.exe (0x1A2C) 0x0A10 SharePoint Foundation Runtime tkau Unexpected \(message) "
            + "0f3c9a10-1b2c-4d5e-8f90-a1b2c3d4e5f6"
        let next = "03/11/2024 11:03:01.15 w3wp.exe (0x1A2C) 0x0A10 SharePoint Foundation Runtime tkau Unexpected Short"
        let paste = ReadPaste(Self.broken(row, at: width) + "\n" + next)
        #expect(paste.records.map(\.summary) == ["tkau Unexpected", "tkau Unexpected"])
        #expect(paste.records.first?.messageText == message)
        #expect(paste.records.first?.correlationText == "0f3c9a10-1b2c-4d5e-8f90-a1b2c3d4e5f6")
        #expect(paste.records.last?.messageText == "Short")
        #expect(paste.quality.accounted == paste.quality.lines)
    }

    @Test func `Lines wrapped between words keep their blanks`() {
        let text = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
        let lines = "\(PasteWrappingTests.head) Lost \(text)".split(separator: " ").reduce(into: [""]) { lines, word in
            if lines[lines.count - 1].count + word.count >= 44 { lines.append("") }
            lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
        }
        #expect(ReadPaste(lines.joined(separator: "\n")).only.messageText == "Lost \(text)")
    }

    @Test func `Events copied from the Windows event log are read with all their paragraphs`() {
        let paste = ReadPaste(
            """
            Log Name:      Application
            Source:        Microsoft-SharePoint Products-SharePoint Foundation
            Date:          3/11/2024 11:03:00 AM
            Event ID:      5586
            Task Category: Database
            Level:         Error
            Keywords:      \u{20}
            User:          CONTOSO\\farm
            Computer:      WFE1.contoso.local
            Description:
            Unknown SQL Exception 53 occurred.

            Server: a network-related error occurred.
            Event Xml:
            <Event xmlns="http://schemas.microsoft.com/win/2004/08/events/event">
              <System><EventID>5586</EventID></System>
            </Event>

            Log Name:      System
            Source:        Disk
            Date:          3/11/2024 11:04:00 AM
            Event ID:      7
            Level:         Warning
            Description:
            A block is bad.
            """
        )
        #expect(paste.records.map(\.summary) == ["5586 Error", "7 Warning"])
        #expect(
            paste.records.first?.messageText
                == "Unknown SQL Exception 53 occurred.\nServer: a network-related error occurred."
        )
        #expect(paste.records.last?.messageText == "A block is bad.")
        #expect(paste.quality.notUnderstood == 0)
    }
}
