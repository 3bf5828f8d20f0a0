import Testing

@testable import ULSLog

/// Exceptions as pages and debuggers show them: in several paragraphs, and one message.
struct ErrorPageTests {
    static let page = [
        "Server Error in '/' Application.",
        "Object reference not set to an instance of an object.",
        "Description: An unhandled exception occurred. Please review the stack trace.",
        "Exception Details: System.NullReferenceException: Object reference not set to an instance of an object.",
        "Source Error:",
        "Line 11:\nLine 12:   part.Load();",
        "Source File: c:\\web\\a.aspx    Line: 12",
        "Stack Trace:",
        "[NullReferenceException: Object reference not set to an instance of an object.]\n   Contoso.Part.Load() +258",
        "[HttpUnhandledException (0x80004005): Exception of type 'X' was thrown.]\n   System.Web.UI.Page.Process() +71",
        "Version Information: Microsoft .NET Framework Version:4.0.30319; ASP.NET Version:4.7.3282.0",
    ]

    @Test(arguments: [0..<11, 1..<11, 1..<9, 3..<11, 0..<4])
    func `An error page is one message, wherever it is cut`(part: Range<Int>) {
        let paste = ReadPaste(Self.page[part].joined(separator: "\n\n"))
        #expect(paste.only.messageText == Self.page[part].joined(separator: "\n").replacing("11:\n", with: "11: "))
        #expect(paste.only.firstLine == 1)
        #expect(paste.quality.notUnderstood == 0)
    }

    @Test func `Prose and other pages stay what they are`() {
        let page = Self.page.joined(separator: "\n\n")
        let paste = ReadPaste(
            "We see errors.\n\n\(page)\n\nAnd then.\n\n\(page.replacing("Null", with: "Missing"))\n\nThank you."
        )
        #expect(paste.records.count == 5)
        #expect(paste.records.map(\.messageText.count).filter { $0 > 100 }.count == 2)
    }

    @Test(arguments: [
        "Access is denied.\n\nDescription: It failed.",
        "The first error\n\nDetails: System.Exception: another error\n\nThe last error",
        "Error: Ns.Type: no\n\n[Other: no]",
    ])
    func `Paragraphs that no exception ties stay apart`(text: String) {
        #expect(ReadPaste(text).records.count == text.split(separator: "\n\n").count)
    }

    @Test func `What a debugger shows of an exception is one message`() {
        let text =
            "System.InvalidCastException was caught\n  Message=No cast\n  Source=Contoso.Web\n  ErrorCode=-2147467259\n"
            + "  StackTrace:\n       at Contoso.Web.Part.OnLoad(EventArgs e)\n  InnerException: System.Exception\n       Message=no"
        #expect(ReadPaste(text).only.messageText == text)
        let spaced = ReadPaste(
            text.replacing("\n  Message", with: "\n\n  Message").replacing("\n  Stack", with: "\n\n  Stack")
        )
        #expect(spaced.only.messageText == text)
        let thrown = "An unhandled exception of type 'System.Exception' occurred in a.dll\n\nAdditional information: no"
        #expect(ReadPaste(thrown).only.messageText == thrown.replacing("\n\n", with: "\n"))
    }
}
