import Foundation
import TestSupport
import Testing

@testable import ULSLog
@testable import ULSPaste
@testable import ULSRows

/// Text that is not a log has no events, and the error describes the kind of text.
struct PlainTextTests {
    @Test(
        arguments: [
            ("hello world\n", "text of another kind"),
            ("Dear all,\nthe portal is slow again.\n", "text of another kind"),
            ("It is not here. We met at the.old.place (again) and did not like it.\n", "text of another kind"),
            ("You do not have the time. Permission is not what we need to have.\n", "text of another kind"),
            ("found not far away: could be, can do, at C:\\a.b.c(1).txt\n", "text of another kind"),
            (
                "#Software: Microsoft Internet Information Services 10.0\n#Fields: date time s-ip cs-method cs-uri-stem\n"
                    + "2024-03-11 10:03:04 10.0.0.1 GET /error.aspx failed=1 80 - 10.0.0.2 Mozilla/5.0 500 0 64 3\n",
                "an IIS log"
            ),
            ("https://a.example/failed\nhttps://b.example/x?error=1\n", "a list of addresses"),
            ("<html><body>Welcome</body></html>\n", "XML or HTML"),
            ("{\"id\": 1}\n", "JSON"),
        ] as [(String, String)]
    )
    func `Text that is not a log yields no events`(text: String, kind: String) throws {
        for name in ["a.log", "b.txt"] {
            let log = try ReadLog(text, as: name)
            #expect(log.events.isEmpty)
            #expect(log.quality.records == 0)
            #expect(log.report.files.first?.notes.count == 1)
            #expect(log.report.files.first?.notes.first?.contains("it looks like \(kind)") == true)
        }
    }

    @Test(arguments: [
        "System.IO.FileNotFoundException: Could not load file",
        "The SELECT permission was denied on the object 'MSP_PROJECTS'.",
        "Retrieving the COM class factory for component with CLSID {BDEADF26} is over: 800703fa",
        "Result 0x8007203B", "Verbose\tGetting SID for windows user from AD.", "Sign-in: unable to connect.",
        "The counter 'Memory' could not be read.", "Column 'Title' does not exist.",
        "The list was not found, or moved.",
        "Schema 3 of the database is not consistent with 4.", "An update conflict has occurred.",
        "'Could not find the provider'", "The account of the service is not set.", "The sender is not configured.",
        "The column is gone.<nativehr>0x00000001</nativehr><nativestack>a/b</nativestack>",
        "The account doesn't exist here.", "The field doesn\u{2019}t exist.", "The crawler couldn't open the folder.",
        "The app does not have the required permission Read.", "The account did not have sufficient privileges.",
        "Calling the service is not allowed.", "The user has insufficient rights.", "The item could not be crawled.",
        "Some names are unknown.   at Contoso.Sync.Users.Read(String name)",
    ])
    func `Text with an exception, an error code or words that indicate a failure is a message`(text: String) throws {
        #expect(try ReadLog(text + "\n", as: "a.txt").messages.count == 1)
    }

    @Test(arguments: [
        ("EventID: 6875\nError of a receiver.\n: No column.", "6875", "Error of a receiver. : No column."),
        ("Event ID: ab1cd\nA list is missing", "ab1cd", "A list is missing"),
    ])
    func `An event ID and the text below it form an event`(text: String, id: String, message: String) throws {
        let log = try ReadLog(text + "\n", as: "a.txt")
        #expect(log.messages == [message])
        #expect(log.events.first?.text(.eventID) == id)
        #expect(log.quality.notUnderstood == 0)
    }

    @Test(arguments: [
        "EventID: see below\nError loading the receiver.", "EventID: 6875\n\nError loading the receiver.",
        "Level: 6875\nError loading the receiver.", "EventID: 6875 again\nError loading the receiver.",
        "EventID: 123456\nError loading the receiver.",
    ])
    func `A line that only looks like an event ID is text`(text: String) throws {
        let log = try ReadLog(text + "\n", as: "a.txt")
        #expect(log.events.allSatisfy { $0.text(.eventID).isEmpty })
        #expect(log.messages.contains { $0.contains("Error loading the receiver.") })
    }

    @Test func `Markdown marks around a pasted row are not part of the row`() throws {
        let text = "08/06/2020 10:53:02.25 w3wp.exe (0x19BC) 0x1FC8 SharePoint Foundation General 8nca Medium Torn"
        for paste in ["`\(text)", "> `\(text)", "```\n\(text)\n```"] {
            let log = try ReadLog(paste + "\n", as: "a.txt")
            #expect(log.messages == ["Torn"])
            #expect(log.quality.notUnderstood == 0)
        }
    }

    @Test func `One sign of a failure makes the surrounding paragraphs messages`() throws {
        let log = try ReadLog("We have a problem.\n\nSystem.Exception: no\n\nThank you.\n", as: "a.txt")
        #expect(log.messages.count == 3)
    }

    @Test func `Without a sign of a failure, text is not held indefinitely`() throws {
        let text = String(repeating: "nothing to see here\n\n", count: 20_000)
        let log = try ReadLog(text + "Access denied\n", as: "a.txt")
        #expect(log.quality.notUnderstood > 10_000)
        #expect(log.messages.last == "Access denied")
    }

    @Test func `Random bytes are not treated as text`() throws {
        var random = SeededGenerator(seed: 17)
        let bytes = (0..<200_000).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let log = try ReadLog(bytes: bytes, as: "random.log")
        #expect(log.events.isEmpty)
        #expect(log.report.files.first?.isIncomplete == true)
        #expect(log.report.files.first?.notes.first?.contains("not text") == true)
    }

    @Test func `A row with an unknown level is not excluded by a level filter`() throws {
        let text = row("odd") { $0.level = "Odd" } + row("fine") { $0.level = "Medium" } + row("bad")
        let log = try ReadLog(nativeHeader + text) { $0.filter.level = ULSLevel("High") }
        #expect(log.messages == ["odd", "bad"])
    }

    private static let lines = [
        "Level: High", "Message: it broke", "w3wp.exe (0x1620) 0x1988 Search General ab2c4 High It broke", "  at a.b()",
        "Level,Message,EventID", "High,\"broken", "off\",ab2c4", "System.Exception: it broke", "w3wp.exe",
        "Name  Value",
        "----  -----", "11/02/2026 10:00:00  8  ERR  it broke", "[A] [INFO] [11/2/2026 1:00:00 PM]: x",
        "Event code: 3005", "    Process ID: 1", "Server stack trace:",
    ]

    @Test(arguments: 0..<UInt64(40), ["\n", "\r\n"])
    func `Any number of consecutive empty lines has the same effect as one`(seed: UInt64, end: String) throws {
        var random = SeededGenerator(seed: seed)
        let lines = (0..<30).map { _ in
            Bool.random(using: &random) ? "" : Self.lines.randomElement(using: &random) ?? ""
        }
        let folder = try TemporaryFolder()
        func read(blank: String, _ reading: LogReading) throws -> (events: [ModelEvent], quality: ReadQuality) {
            let text = lines.map { $0.isEmpty ? blank : $0 }.joined(separator: end) + end
            try text.write(toFile: folder.path("a.log"), atomically: false, encoding: .utf8)
            let (events, report) = try reading.reader([folder.path("a.log")]).readEvents()
            return (events, report.quality)
        }
        let expected = try read(blank: " ", LogReading(piece: 4096))
        for reading in [LogReading(piece: 4096), LogReading(piece: 5, unit: 40), LogReading(piece: 64, unit: 100)] {
            let found = try read(blank: "", reading)
            #expect(difference(found.events, expected.events) == nil, "\(reading)")
            #expect(found.quality == expected.quality, "\(reading)")
        }
    }

    @Test func `Times with AM and PM are read`() throws {
        for (time, hour) in [("1:00:00 PM", 13), ("12:00:00 AM", 0), ("12:00:00 PM", 12), ("11:00:00 am", 11)] {
            let log = try ReadLog("[A] [ERROR] [11/2/2026 \(time)]: It failed\n", as: "a.txt")
            #expect(log.events.first.map { ($0.time.clock / 3_600_000) % 24 } == Int64(hour), "\(time)")
        }
    }
}
