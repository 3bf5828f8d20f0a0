import Foundation
import Testing

@testable import ULSLog

@Suite struct EncodingTests {
    private static let message = "Größe „5 €“ – naïve"

    @Test func `places that are no text in the encoding are told of`() throws {
        let unpaired: [UInt8] = [0x00, 0xD8, 0x41, 0x00]
        for text in [row("said"), "only said\n"] {
            let bytes = [0xFF, 0xFE] + text.utf8.flatMap { [$0, 0] } + unpaired
            let log = try ReadLog(bytes: bytes)
            #expect(log.report.files.first?.notes.first?.hasPrefix("1 place is no text in its encoding") == true)
        }
    }

    @Test func `UTF-8 is read with a byte-order mark or without`() throws {
        for mark in ["", "\u{FEFF}"] {
            let log = try ReadLog(mark + nativeHeader + row(Self.message))
            #expect(log.messages == [Self.message])
            #expect(log.quality.headers == 1)
        }
    }

    @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian])
    func `UTF-16 with a byte-order mark is read`(encoding: String.Encoding) throws {
        let data = try #require(("\u{FEFF}" + nativeHeader + row(Self.message)).data(using: encoding))
        let log = try ReadLog(bytes: Array(data))
        #expect(log.messages == [Self.message])
        #expect(log.lines == [2])
        #expect(log.quality.headers == 1)
    }

    @Test(arguments: [(String.Encoding.utf16LittleEndian, "utf-16le"), (.utf16BigEndian, "utf-16be")])
    func `UTF-16 without a mark is read when it is named`(encoding: String.Encoding, name: String) throws {
        let data = try #require((nativeHeader + row(Self.message)).data(using: encoding))
        let log = try ReadLog(bytes: Array(data)) { $0.encoding = try TextEncoding(named: name) }
        #expect(log.messages == [Self.message])
    }

    @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian])
    func `UTF-16 without a mark and without a name has no columns`(encoding: String.Encoding) throws {
        let data = try #require((nativeHeader + row(Self.message)).data(using: encoding))
        let log = try ReadLog(bytes: Array(data))
        #expect(log.texts(.eventID).allSatisfy { $0.isEmpty })
        #expect(log.quality.inferred == log.events.count)
    }

    @Test func `a mark says more than the name of an encoding`() throws {
        let log = try ReadLog("\u{FEFF}" + row(Self.message)) { $0.encoding = try TextEncoding(named: "utf-16le") }
        #expect(log.messages == [Self.message])
    }

    @Test func `bytes that are no UTF-8 are read as Windows-1252, each by itself`() throws {
        var bytes = Array(row("pre Ä ").utf8)
        let place = try #require(bytes.firstRange(of: Array(" \t\(NativeRow.correlation)".utf8))).lowerBound
        bytes.replaceSubrange(place..<place, with: [0x20, 0x47, 0x72, 0xF6, 0xDF, 0x65, 0x20, 0x80, 0x93, 0x81])
        let log = try ReadLog(bytes: bytes + Array(row("next").utf8))
        #expect(log.messages == ["pre Ä Größe €“\u{FFFD}", "next"])
        #expect(log.texts(.correlation) == [NativeRow.correlation, NativeRow.correlation])
    }

    @Test(arguments: [("windows-1250", "Příliš žluťoučký"), ("windows-1251", "Ошибка доступа"), ("cp932", "失敗しました")])
    func `another code page is read when it is named`(name: String, message: String) throws {
        let folder = try SourceFolder()
        try folder.write("utf8.log", row(message))
        let page = name.replacing("windows-", with: "CP")
        let path = try folder.make("a.log", "iconv -f UTF-8 -t \(page) utf8.log > a.log")
        let log = try ReadLog([path]) { $0.encoding = try TextEncoding(named: name) }
        #expect(log.messages == [message])
    }

    @Test func `one bad byte anywhere spoils no row`() throws {
        let good = Array(row("x").utf8)
        for place in good.indices where good[place] != 0x09 && good[place] != 0x0A && place > 24 {
            var bytes = good
            bytes[place] = 0xFF
            let log = try ReadLog(bytes: bytes + good)
            #expect(log.events.count == 2, "byte \(place)")
        }
    }
}
