import Testing

@testable import ULSPaste
@testable import ULSRows

/// Marks that surround pasted rows are not part of the rows.
struct LineMarkTests {
    static let rows = [
        "03/11/2024 11:03:00.15 w3wp.exe (0x1A2C) 0x0A10 SharePoint Foundation Runtime tkau Unexpected System.Exception: no",
        "   at Contoso.Web.Part.OnLoad(EventArgs e)",
        "11:03:01.15 w3wp.exe (0x1A2C) 0x0A10 SharePoint Foundation General 8nca Medium Ended",
        "SharePoint Foundation   Topology   8xqz   Medium   Updating",
    ]
    static let messages = ["System.Exception: no\n   at Contoso.Web.Part.OnLoad(EventArgs e)", "Ended", "Updating"]

    @Test(arguments: [
        "- ", "* ", "+ ", "  - ", "1. ", "12) ", "\u{2022} ", "| ", "Line 38348: ", "\tLine 12: ", "  Zeile 7: ", "12:",
        "7-", "12:5:",
        "WFE1-20240311-1103.log:12:", "WFE1-20240311-1103.log-13-", "C:\\Program Files\\x\\LOGS\\a.log:4:", "./a.log:",
        "     4\t", "     17 ", "4\t", "[10:30 AM] Joe Doe: ", "10:30 AM ", "10:30 ", "[11.03.24, 11:03:00] Joe: ",
        "> ", "> - ",
        "- a.log:12:", "> 3. Line 4: ",
    ])
    func `A prefix common to all lines is removed`(prefix: String) {
        let paste = ReadPaste(Self.rows.map { prefix + $0 }.joined(separator: "\n"))
        #expect(paste.records.map(\.messageText) == Self.messages)
        #expect(paste.records.allSatisfy { $0.shape == .row })
        #expect(paste.records.map(\.summary) == ["tkau Unexpected", "8nca Medium", "8xqz Medium"])
        #expect(paste.quality.notUnderstood == 0)
    }

    @Test func `A prefix is removed even if only rows have it`() {
        let paste = ReadPaste("1. \(Self.rows[0])\n\(Self.rows[1])\n2. \(Self.rows[2])\n\n3. Nothing else was seen.")
        #expect(paste.records.first?.messageText == Self.messages[0])
        #expect(paste.records.count == 2)
    }

    @Test func `File names separate search results from several files`() {
        let paste = ReadPaste(
            """
            Search "8nca" (2 hits in 2 files of 3 searched)
              D:\\logs\\a.log (1 hit)
            \tLine 12: \(Self.rows[2])
              D:\\logs\\b.log (1 hit)
            \tLine 99: \(Self.rows[3])
            """
        )
        #expect(paste.records.map(\.messageText) == ["Ended", "Updating"])
        #expect(paste.quality.notUnderstood == 2)
        #expect(paste.quality.headers == 1)
    }

    @Test func `Context lines of search results belong to the preceding rows`() {
        let paste = ReadPaste("a.log:1:\(Self.rows[0])\na.log-2-\(Self.rows[1])\n--\na.log:9:\(Self.rows[2])")
        #expect(paste.records.map(\.messageText) == Array(Self.messages[..<2]))
        #expect(paste.quality.headers == 1)
    }

    @Test func `The time of a row is not mistaken for a line number`() {
        let row = "08:01:02.03 w3wp.exe (0x1A2C) 0x0A10 SharePoint Foundation General 8nca Medium"
        let paste = ReadPaste("12:\(row) A\n13:\(row) B\n\(row) C")
        #expect(paste.records.map { $0.columns[0] } == ["08:01:02.03", "08:01:02.03", "08:01:02.03"])
    }

    @Test(arguments: [
        "- It failed", "1. Access is denied", "Line 12: error CS1002", "file.log:12:it failed", "12: Error",
        "| Error | 12 |",
        "- 8nca Medium failed", "[10:30 AM] Joe Doe: it failed", "* Another Entry 8nca High failed",
    ])
    func `A prefix of a line that is not a row is kept`(line: String) {
        #expect(ReadPaste(line).only.messageText == line)
        #expect(
            ReadPaste("The job failed:\n\(line)").only.messageText
                == "The job failed:\n\(line)".replacing("\n", with: " ")
        )
    }

    @Test func `The columns of a Markdown table are read according to its header`() {
        let paste = ReadPaste(
            """
            | Timestamp | Process | EventID | Level | Message |
            |:----------|---------|--------:|-------|---------|
            | 03/11/2024 11:03:00.15 | w3wp.exe (0x1A2C) | tkau | Unexpected | a | b |
            | 03/11/2024 11:03:01.15 | w3wp.exe (0x1A2C) | 8nca | Medium | c - d |
            """
        )
        #expect(paste.records.map(\.summary) == ["tkau Unexpected", "8nca Medium"])
        #expect(paste.records.map(\.messageText) == ["a | b", "c - d"])
        #expect(paste.quality.headers == 2)
        #expect(paste.quality.notUnderstood == 0)
    }

    @Test func `The quotes around spreadsheet cells are removed`() {
        let paste = ReadPaste(
            "\"\(Self.rows[2]): no \"\"x\"\"\"\n\"\(Self.rows[0])\n\(Self.rows[1])\"\n\(Self.rows[3]) \"\"y\"\""
        )
        #expect(paste.records.map(\.messageText) == ["Ended: no \"x\"", Self.messages[0], "Updating \"\"y\"\""])
    }

    @Test(arguments: ["```text\n", "~~~\n", "{code:java}\n", "{noformat}\n", "`"])
    func `Code markup is not part of the text`(mark: String) {
        let closing = mark == "`" ? "`" : "\n" + mark.replacing("text", with: "").replacing(":java", with: "")
        let paste = ReadPaste(mark + Self.rows[2] + closing)
        #expect(paste.only.messageText == "Ended")
        #expect(paste.quality.notUnderstood == 0)
    }

    @Test func `Text after a block of code does not belong to its last row`() {
        let paste = ReadPaste("It is broken:\n\n```\n\(Self.rows[2])\n```\n\nThank you.")
        #expect(paste.only.messageText == "Ended")
        #expect(paste.quality.notUnderstood == 2)
    }
}

/// Rows whose columns are separated by bars.
struct BarredRowTests {
    @Test(arguments: [
        ("General|8nca|High|It failed", ["", "", "", "", "General", "8nca", "High", "It failed", ""]),
        (
            "Claims Authentication | 8nca | High | a | b",
            ["", "", "", "", "Claims Authentication", "8nca", "High", "a | b", ""]
        ),
        (
            "Our Area|Our Category|ab1cd|Medium|It failed",
            ["", "", "", "Our Area", "Our Category", "ab1cd", "Medium", "It failed", ""]
        ),
        (
            "03/11/2024 11:03:00.15|w3wp.exe (0x1A2C)|0x0A10|SharePoint Foundation|Runtime|tkau|Unexpected|No "
                + "|\(PastedRowTests.correlation)",
            [
                "03/11/2024 11:03:00.15", "w3wp.exe (0x1A2C)", "0x0A10", "SharePoint Foundation", "Runtime", "tkau",
                "Unexpected",
                "No", PastedRowTests.correlation,
            ]
        ),
        ("Category\ttkau\tHigh\tIt failed", ["", "", "", "", "Category", "tkau", "High", "It failed", ""]),
    ])
    func `Bars are read as tabs`(line: String, columns: [String]) {
        let paste = ReadPaste(line)
        #expect(paste.only.columns == columns)
        #expect(paste.only.shape == .row)
    }

    @Test(arguments: [
        "type a.log | findstr 8nca | find High | more failed", "a|b|c|High|it failed", "8nca|High|it failed",
        "General|8nca|high|it failed", "general|8nca|High|it failed",
    ])
    func `Text that merely contains bars is not a row`(line: String) {
        #expect(ReadPaste(line).only.shape == .message)
    }
}
