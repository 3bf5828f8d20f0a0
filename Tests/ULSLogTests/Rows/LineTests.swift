import Testing

@testable import ULSLog
@testable import ULSRows

@Suite struct LineTests {
    @Test func `Lines end in CRLF or LF`() throws {
        let lf = String(row("one").dropLast()) + "\n"
        let log = try ReadLog(lf + row("two") + lf)
        #expect(log.messages == ["one", "two", "one"])
        #expect(log.texts(.correlation).allSatisfy { $0 == NativeRow.correlation })
    }

    @Test func `The last line can lack a line end`() throws {
        for text in [row("one") + row("two").dropLast(), row("one") + row("two").dropLast() + "\r"] {
            let log = try ReadLog(String(text))
            #expect(log.messages == ["one", "two"])
            #expect(log.texts(.correlation) == [NativeRow.correlation, NativeRow.correlation])
            #expect(log.quality.lines == 2)
        }
    }

    @Test func `A row that is still being written counts as not understood while columns are missing`() throws {
        let log = try ReadLog(row("one") + "09/26/2011 10:39:41.00 \tw3wp.exe (0x17")
        #expect(log.messages == ["one"])
        #expect(log.quality.notUnderstood == 1)
    }

    @Test func `Blank lines between rows are counted, and are not part of a row`() throws {
        let log = try ReadLog("\r\n" + nativeHeader + "\r\n" + row("one") + "\r\n  \t\r\n" + row("two") + "\n\n\n")
        #expect(log.messages == ["one", "two"])
        #expect(log.quality.blank == 7)
        #expect(log.quality.continuations == 0)
        #expect(log.lines == [4, 7])
        #expect(log.events.map(\.place.lineEnd) == [4, 7])
    }

    @Test func `A line without a time is part of the row above it`() throws {
        let log = try ReadLog(row("first\r\n   at A.B()\r\n\r\n   at C.D()") + row("next"))
        #expect(log.messages == ["first\r\n   at A.B()\r\n\r\n   at C.D()", "next"])
        #expect(log.quality.continuations == 3)
        #expect(log.quality.blank == 0)
        #expect(log.events.map { [$0.place.line, $0.place.lineEnd] } == [[1, 4], [5, 5]])
    }

    @Test func `The correlation is read from the end of a record's last line`() throws {
        let log = try ReadLog(row("one\ntwo\ttabbed\nthree") + row("a\nb") { $0.correlation = nil })
        #expect(log.texts(.correlation) == [NativeRow.correlation, ""])
        #expect(log.messages == ["one\ntwo\ttabbed\nthree", "a\nb"])
    }

    @Test func `A complete row keeps its correlation, whatever lines follow it`() throws {
        let log = try ReadLog(row("one") + "PS C:\\> type more.log\n" + row("two") + "a\tb\n" + row("three"))
        #expect(log.texts(.correlation) == Array(repeating: NativeRow.correlation, count: 3))
        #expect(log.messages[0].hasPrefix("one"))
        #expect(log.quality.continuations == 2)
    }

    @Test func `A line above the first row counts as not understood`() throws {
        let log = try ReadLog("at X.Y()\n\n" + row("one"))
        #expect(log.messages == ["one"])
        #expect(log.quality.notUnderstood == 1)
        #expect(log.quality.blank == 1)
        #expect(log.lines == [3])
    }

    @Test func `A row longer than the limit is cut, and the rows after it are read`() throws {
        let long = row(String(repeating: "x", count: 5000))
        let log = try ReadLog(long + row("two") + long + row("four")) { $0.sizes.maximumRecord = 2000 }
        #expect(log.events.count == 4)
        #expect(log.messages[1] == "two")
        #expect(log.messages[3] == "four")
        #expect(log.quality.limits == [LimitReached(limit: .rowBytes, count: 2)])
    }

    @Test func `Zero bytes at the end of a file that was not closed are part of its last row`() throws {
        let log = try ReadLog(bytes: Array(row("one").utf8) + [UInt8](repeating: 0, count: 3000))
        #expect(log.events.count == 1)
        #expect(log.texts(.correlation) == [NativeRow.correlation])
    }

    @Test func `Reading continues after an invalid line`() throws {
        let bad = "\u{1}\u{2}###\n"
        let log = try ReadLog(bad + row("one") + bad + row("two") + bad)
        #expect(log.events.map(\.place.line) == [2, 4])
        #expect(log.quality.notUnderstood == 1)
    }

    @Test func `A message that quotes a whole row is not split`() throws {
        let quoted = row("inner").dropLast()
        let log = try ReadLog(row("Upgrade says: \(quoted)") + row(String(quoted)) { $0.eventID = "ajyxy" })
        #expect(log.events.count == 2)
        #expect(log.messages[1].hasPrefix("09/26/2011 10:39:40.52 \tw3wp.exe (0x1790)"))
        #expect(log.messages[1].hasSuffix("inner\t\(NativeRow.correlation)"))
        #expect(log.texts(.correlation) == [NativeRow.correlation, NativeRow.correlation])
    }

    @Test func `A quoted row without tabs at the beginning of a line is part of the message`() throws {
        let text = row(
            "Upgrade says:\r\n09/26/2011 10:39:40.52 powershell (0x2190) 0x49A0 SharePoint Foundation Upgrade"
        )
        #expect(try ReadLog(text).events.count == 1)
    }
}

@Suite struct HeaderTests {
    @Test func `The header of a native file is not a row`() throws {
        let log = try ReadLog(nativeHeader + row())
        #expect(log.messages == ["said"])
        #expect(log.quality.headers == 1)
        #expect(log.lines == [2])
    }

    @Test func `A header can be missing`() throws {
        let log = try ReadLog(row())
        #expect(log.messages == ["said"])
        #expect(log.quality.headers == 0)
    }

    @Test func `Headers of concatenated files are skipped wherever they occur`() throws {
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
    func `A header can have different names, padding and case`(header: String) throws {
        let log = try ReadLog(header + row("one") + header + row("two"))
        #expect(log.messages == ["one", "two"])
        #expect(log.quality.headers == 2)
    }

    @Test func `Concatenated files with byte-order marks are read`() throws {
        let log = try ReadLog("\u{FEFF}" + nativeHeader + row("one") + "\u{FEFF}" + nativeHeader + row("two"))
        #expect(log.messages == ["one", "two"])
        #expect(log.quality.headers == 2)
    }

    @Test func `A byte-order mark can precede a row, both at the beginning of the text and later`() throws {
        let log = try ReadLog("\u{FEFF}" + row("one") + "\u{FEFF}" + row("two") + row("three"))
        #expect(log.messages == ["one", "two", "three"])
        #expect(log.quality.records == 3)
    }

    @Test func `A message that begins like a header is not mistaken for one`() throws {
        let log = try ReadLog(row("Timestamp\tProcess") + row("wrapped\r\nTimestamp of the event: 5"))
        #expect(log.messages == ["Timestamp\tProcess", "wrapped\r\nTimestamp of the event: 5"])
        #expect(log.quality.headers == 0)
    }

    @Test(arguments: ["", "\r\n", "\n\n\n"]) func `A file without rows yields no events`(text: String) throws {
        let log = try ReadLog(text)
        #expect(log.events.isEmpty)
        #expect(log.quality.blank == log.quality.lines)
    }

    @Test func `A file that consists only of a header yields no events`() throws {
        let log = try ReadLog(nativeHeader)
        #expect(log.events.isEmpty)
        #expect(log.quality.headers == 1)
        #expect(log.quality.lines == 1)
    }
}
