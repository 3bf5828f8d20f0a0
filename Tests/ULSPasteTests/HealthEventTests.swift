import Testing

@testable import ULSPaste
@testable import ULSRows

/// Events of ASP.NET health monitoring, without the Windows event record around them.
struct HealthEventTests {
    static let event = """
        Event code: 3005
        Event message: An unhandled exception has occurred.
        Event time: 11/2/2026 10:00:00 AM
        Event time (UTC): 11/2/2026 9:00:00 AM
        Event ID: 0f3c9a101b2c4d5e8f90a1b2c3d4e5f6

        Application information:
            Application domain: /LM/W3SVC/1/ROOT
            Machine name: WFE1

        Process information:
            Process ID: 4711
            Process name: w3wp.exe
            Account name: CONTOSO\\svc_pool

        Exception information:
            Exception type: ConfigurationErrorsException
            Exception message: An element is not closed.
           at Contoso.Config.Load(String path)

        Request information:
            Request URL: https://portal.contoso.example/a.aspx
            User:

        Thread information:
            Thread ID: 17
            Is impersonating: False
            Stack trace:    at Contoso.Config.Load(String path)

        Custom event details:

        """

    @Test func `All sections of an event form one message`() throws {
        let record = ReadPaste(Self.event).only
        #expect(record.shape == .message && record.columns.first == "11/2/2026 10:00:00 AM")
        for line in Self.event.split(separator: "\n") {
            #expect(record.messageText.contains(line.trimmingPrefix { $0 == " " }))
        }
        #expect(ReadPaste(Self.event.replacing("\n\n", with: "\n")).only.messageText.hasSuffix("details:"))
    }

    @Test func `An event has the same text with or without its Windows event record`() {
        let record = "Log Name: Application\nSource: ASP.NET\nEvent ID: 1309\nLevel: Warning\nDescription:\n"
        #expect(ReadPaste(record + Self.event).only.messageText == ReadPaste(Self.event).only.messageText)
    }

    @Test func `An event ends before the next event or prose`() {
        let paste = ReadPaste("It failed.\n\n\(Self.event)\n\(Self.event)\nThank you: all of you.\n\nBye.")
        #expect(paste.records.count == 5)
        #expect(paste.records.map(\.messageText).filter { $0.hasPrefix("Event code: 3005") }.count == 2)
    }

    @Test func `An event that reports no failure is also recognized`() {
        let paste = ReadPaste(
            "Event code:  1001\nEvent message:  Application starts.\nEvent time:  [Date]\n\n\nEvent code: 1003\n"
        )
        #expect(paste.records.map(\.firstLine) == [1, 6])
        #expect(paste.records.allSatisfy { $0.time.isEmpty })
    }

    @Test(arguments: [
        "Event code: green\nAll is well.", "Event code: 12\nAll is well.", "The Event code: 3005\nAll is well.",
    ])
    func `Lines with other codes are not events`(text: String) {
        #expect(ReadPaste(text).records.isEmpty)
    }
}
