import Testing

@testable import ULSPaste
@testable import ULSRows

/// Exceptions as shown by pages and debuggers, in several paragraphs that form one message.
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
    func `An error page is one message, wherever it is truncated`(part: Range<Int>) {
        let paste = ReadPaste(Self.page[part].joined(separator: "\n\n"))
        #expect(paste.only.messageText == Self.page[part].joined(separator: "\n").replacing("11:\n", with: "11: "))
        #expect(paste.only.firstLine == 1)
        #expect(paste.quality.notUnderstood == 0)
    }

    static let pageOfSharePoint = [
        "Sorry, something went wrong", "Cannot complete this action.", "Please try again.", "Technical Details",
        "Troubleshoot issues with Microsoft SharePoint Foundation.",
        "Correlation ID: 3d8a619f-1234-00aa-9b9b-0123456789ab", "Date and Time: 5/14/2024 9:12:31 AM",
        "Go back to site",
    ]

    @Test(arguments: ["\n", "\n\n", "\r\n\r\n\r\n"], [0..<8, 0..<7, 1..<7, 4..<8, 4..<7])
    func `An error page of SharePoint is one message of its request, wherever it is truncated`(
        separator: String,
        part: Range<Int>
    ) {
        let paste = ReadPaste(
            "A user sent this to me, on the phone.\n\n" + Self.pageOfSharePoint[part].joined(separator: separator)
        )
        let page = paste.records.last
        let text = page.map { String(decoding: $0.message, as: UTF8.self) } ?? ""
        #expect(text.contains("Correlation ID") && text.contains("Troubleshoot"))
        #expect(part.lowerBound > 1 || !text.contains("phone"))
        #expect(page.map { String(decoding: $0.correlation, as: UTF8.self) } == "3d8a619f-1234-00aa-9b9b-0123456789ab")
        #expect(page.map { String(decoding: $0.time, as: UTF8.self) } == "5/14/2024 9:12:31 AM")
        #expect(paste.records.count <= (part.lowerBound == 0 ? 2 : 3) && paste.quality.accounted == paste.quality.lines)
    }

    @Test func `An error page of SharePoint above the rows of a log is a message, and other text there is none`() {
        let page = Self.pageOfSharePoint.joined(separator: "\n\n")
        let paste = ReadPaste("Help!\n\n\(page)\n\nThe log has:\n\n\(PasteLimitsTests.row) Torn")
        #expect(paste.records.count == 2)
        #expect(paste.records.first?.correlation.isEmpty == false && paste.records.last?.messageText == "Torn")
        // An ID alone is no page.
        let only = ReadPaste("Correlation ID: 3d8a619f-1234-00aa-9b9b-0123456789ab\n\n\(PasteLimitsTests.row) Torn")
        #expect(only.only.messageText == "Torn")
    }

    @Test func `The sections of an error page of IIS are one message`() throws {
        let page = [
            "HTTP Error 500.19 - Internal Server Error\nThe configuration data is invalid.",
            "Detailed Error Information\nModule\tIIS Web Core\nError Code 0x800700b7",
            "Config Source\n   26:   <section />",
            "   27:   <section />",
        ]
        for count in 1...page.count {
            let part = page.prefix(count).joined(separator: "\n\n")
            let records = ReadPaste("We see this.\n\n\(part)\n\nWhat is it?").records.map(\.messageText)
            try #require(records.count == 3)
            #expect(records[1].hasPrefix("HTTP Error") && records[1].hasSuffix(page[count - 1].suffix(10)))
        }
    }

    @Test func `An error page is not joined with prose or with another page`() {
        let page = Self.page.joined(separator: "\n\n")
        let paste = ReadPaste(
            "We see errors.\n\n\(page)\n\nAnd then.\n\n\(page.replacing("Null", with: "Missing"))\n\nThank you."
        )
        #expect(paste.records.count == 5)
        let long: Int = paste.records.count { $0.messageText.count > 100 }
        #expect(long == 2)
    }

    @Test(arguments: [
        "Access is denied.\n\nDescription: It failed.",
        "The first error\n\nDetails: System.Exception: another error\n\nThe last error",
        "Error: Ns.Type: no\n\n[Other: no]",
    ])
    func `Paragraphs not connected by an exception stay separate`(text: String) {
        #expect(ReadPaste(text).records.count == text.split(separator: "\n\n").count)
    }

    @Test func `The correlation and the date below the message of a page are not a record of their own`() {
        let end = "Correlation ID: 7c1e3a9d-f0b2-3059-4f1a-a2d1c0b5e7f8\nDate and Time: 10/14/2013 3:12:44 PM"
        let paste = ReadPaste("Unable to obtain the key: access is denied.\n\n\(end)")
        #expect(paste.records.first?.messageText == "Unable to obtain the key: access is denied.")
        #expect(ReadPaste(end).only.messageText == "")
    }

    @Test(arguments: [
        "12:30 it stopped: access denied.", "Error Code 5 was seen.", "Handler timed out: no", "Module load failed.",
    ])
    func `Another paragraph is not part of an error page of IIS`(text: String) {
        #expect(ReadPaste("HTTP Error 503. The service is unavailable.\n\n\(text)").records.count == 2)
    }

    @Test(arguments: [
        ("[6/2/2013 2:14:51 AM] Finished.", "text of another kind"), ("[ {\"a\": 1} ]", "JSON"), ("{\"a\": 1}", "JSON"),
        ("[\"a\"]", "JSON"), ("<a/>", "XML or HTML"), ("http://a\nhttps://b", "a list of addresses"),
    ])
    func `A text without events is described by its beginning`(text: String, description: String) {
        #expect(ForeignText(startOf: Array(text.utf8)).description == description)
    }

    @Test func `A debugger's output about an exception is one message`() {
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

    @Test(arguments: [
        "The call ended. ---> System.ServiceModel.A.FaultException: The action is not known\n\nat the dispatcher. Server stack trace:"
            + "\n\nat A.B.C()\n\nat A.B.D(String a) Exception rethrown\n\nat [0]:\n\n   at A.B.E()",
        "System.Exception: no\n\nServer stack trace:\n   at A.B.C()\n\nException rethrown at [0]:\n   at A.B.D()",
        "System.Exception: no\n\n---> System.Exception: never\n\n   at A.B.C()",
    ])
    func `Blank lines within an exception do not end it`(text: String) {
        let paste = ReadPaste(text)
        #expect(paste.records.count == 1)
        #expect(paste.only.messageText == text.replacing("\n\n", with: "\n"))
        let row = "w3wp.exe (0x1620) 0x1988 Search General ab2c4 High "
        let after = text.drop { $0 != "\n" }.replacing("at the dispatcher. ", with: "")
        #expect(ReadPaste(row + "Torn" + after).records.count == 1)
    }

    @Test(arguments: [
        "System.Exception: It ended.\n\nat last we saw an error", "It is gone\n\nat last we saw an error",
        "System.Exception: no\n   at A.B.C()\n\nat last we saw an error",
    ])
    func `A sentence below an exception does not belong to it`(text: String) {
        #expect(ReadPaste(text).records.last?.messageText == "at last we saw an error")
    }
}
