import Testing

@testable import ULSLog

@Suite struct HeaderTests {
    @Test func `the header of a native file is no row`() throws {
        let log = try ReadLog(nativeHeader + row())
        #expect(log.messages == ["said"])
        #expect(log.quality.headers == 1)
        #expect(log.lines == [2])
    }

    @Test func `a header may be missing`() throws {
        let log = try ReadLog(row())
        #expect(log.messages == ["said"])
        #expect(log.quality.headers == 0)
    }

    @Test func `headers of concatenated files are passed over anywhere`() throws {
        let log = try ReadLog(nativeHeader + row("one") + nativeHeader + nativeHeader + row("two") + utcHeader)
        #expect(log.messages == ["one", "two"])
        #expect(log.quality.headers == 4)
        #expect(log.quality.continuations == 0)
    }

    @Test(
        arguments: [
            utcHeader, "Timestamp\tProcess\tTID\tArea\tCategory\tEventID\tLevel\tMessage\tCorrelation\n",
            "TIMESTAMP \tPROCESS\n", "timestamputc\tProcess\n", "Timestamp\u{A0}\tProcess\n",
        ]
    )
    func `a header has other names and paddings, in capitals or not`(header: String) throws {
        let log = try ReadLog(header + row("one") + header + row("two"))
        #expect(log.messages == ["one", "two"])
        #expect(log.quality.headers == 2)
    }

    @Test func `files with byte-order marks were concatenated`() throws {
        let log = try ReadLog("\u{FEFF}" + nativeHeader + row("one") + "\u{FEFF}" + nativeHeader + row("two"))
        #expect(log.messages == ["one", "two"])
        #expect(log.quality.headers == 2)
    }

    @Test func `a byte-order mark may stand in front of a row, at the beginning and further down`() throws {
        let log = try ReadLog("\u{FEFF}" + row("one") + "\u{FEFF}" + row("two") + row("three"))
        #expect(log.messages == ["one", "two", "three"])
        #expect(log.quality.records == 3)
    }

    @Test func `a message that begins like a header is a message`() throws {
        let log = try ReadLog(row("Timestamp\tProcess") + row("wrapped\r\nTimestamp of the event: 5"))
        #expect(log.messages == ["Timestamp\tProcess", "wrapped\r\nTimestamp of the event: 5"])
        #expect(log.quality.headers == 0)
    }

    @Test(arguments: ["", "\r\n", "\n\n\n"]) func `a file without rows has no events`(text: String) throws {
        let log = try ReadLog(text)
        #expect(log.events.isEmpty)
        #expect(log.quality.blank == log.quality.lines)
    }

    @Test func `a file of a header alone has no events`() throws {
        let log = try ReadLog(nativeHeader)
        #expect(log.events.isEmpty)
        #expect(log.quality.headers == 1)
        #expect(log.quality.lines == 1)
    }
}
