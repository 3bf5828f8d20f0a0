import Foundation
import Testing
import TextKit

@testable import ULSLog
@testable import ULSRows

struct TextEncodingTests {
    @Test(arguments: [
        ("UTF-8", "utf-8"), ("utf8", "utf-8"), ("cp65001", "utf-8"), ("UTF-16LE", "utf-16le"), ("unicode", "utf-16le"),
        ("utf-16be", "utf-16be"), ("Windows-1252", "windows-1252"), ("cp1250", "windows-1250"),
        ("1251", "windows-1251"),
        ("win1252", "windows-1252"), ("ISO-8859-1", "iso-8859-1"), ("latin1", "latin1"), ("CP932", "cp932"),
        ("936", "cp936"), ("shift_jis", "shift_jis"), ("gb18030", "gb18030"),
    ])
    func `An encoding is recognized by all its names`(name: String, shown: String) throws {
        #expect(try TextEncoding(named: name).name == shown)
    }

    @Test(arguments: TextEncoding.wellKnownNames)
    func `Well-known names are recognized`(name: String) throws {
        #expect(try TextEncoding(named: name).name == name)
    }

    @Test(arguments: [
        "", "x", "utf-8//IGNORE", "//", "cp99999", "windows-12522", "../../etc/passwd", "utf 8", "ä",
        String(repeating: "9", count: 1000),
    ])
    func `Other names are refused`(name: String) {
        let error = #expect(throws: LogSourceError.self) { try TextEncoding(named: name) }
        #expect(error?.code == .unknownEncoding)
        #expect(error?.advice != nil)
    }

    @Test func `A misspelled name is detected`() {
        let error = #expect(throws: LogSourceError.self) { try TextEncoding(named: "widnows-1252") }
        #expect(error?.advice == "did you mean windows-1252?")
    }

    /// Texts with their bytes in an encoding.
    private static let samples: [(encoding: String, bytes: [UInt8], text: String, undecodable: Int)] = [
        ("windows-1250", [0xE8, 0xBE, 0x8A, 0x41], "čľŠA", 0),
        ("windows-1251", [0xCF, 0xF0, 0xE8], "При", 0),
        ("windows-1252", [0x80, 0xE4, 0x81, 0x41], "€ä\u{FFFD}A", 1),
        ("iso-8859-1", [0xE4, 0xFF, 0x41], "äÿA", 0),
        ("cp932", [0x93, 0xFA, 0x96, 0x7B, 0x41, 0x93], "日本A\u{FFFD}", 1),
        ("cp936", [0xD6, 0xD0, 0xCE, 0xC4, 0xFF, 0x41], "中文\u{FFFD}A", 1),
        ("gb18030", [0x81, 0x30, 0x81, 0x30, 0x94, 0x39, 0xDA, 0x33], "\u{80}💩", 0),
        ("utf-16le", [0x41, 0, 0xE4, 0, 0xAC, 0x20, 0x3D, 0xD8, 0xA9, 0xDC], "Aä€💩", 0),
        ("utf-16be", [0, 0x41, 0, 0xE4, 0x20, 0xAC, 0xD8, 0x3D, 0xDC, 0xA9], "Aä€💩", 0),
        ("utf-16le", [0x3D, 0xD8, 0x41, 0, 0xA9, 0xDC, 0x3D, 0xD8], "\u{FFFD}A\u{FFFD}\u{FFFD}", 3),
        ("utf-16le", [0x41, 0, 0x42], "A\u{FFFD}", 1),
        ("utf-16le", [0x3D, 0xD8, 0x3D, 0xD8, 0xA9, 0xDC], "\u{FFFD}💩", 1),
    ]

    @Test(arguments: samples.indices, [1, 2, 3, 5, 100])
    func `The decoded text is the same however the input is divided`(index: Int, piece: Int) throws {
        let sample = Self.samples[index]
        var transcoder = try #require(try TextEncoding(named: sample.encoding).makeTranscoder())
        var output: [UInt8] = []
        for start in stride(from: 0, to: sample.bytes.count, by: piece) {
            let part = Array(sample.bytes[start..<min(start + piece, sample.bytes.count)])
            transcoder.transcode(part.span, into: &output)
        }
        transcoder.finish(into: &output)
        #expect(String(validating: output, as: UTF8.self) == sample.text)
        #expect(transcoder.undecodable == sample.undecodable)
    }

    @Test(arguments: [
        "cp932", "cp936", "gb18030", "windows-1252", "iso-2022-jp", "utf-7", "utf-16le", "big5", "utf-32",
    ])
    func `Any sequence of bytes becomes valid UTF-8`(name: String) throws {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        var transcoder = try #require(try TextEncoding(named: name).makeTranscoder())
        var output: [UInt8] = []
        transcoder.transcode(bytes.span, into: &output)
        transcoder.finish(into: &output)
        #expect(String(validating: output, as: UTF8.self) != nil)
        #expect(output.count <= 3 * bytes.count)
    }

    @Test func `UTF-8 is unchanged`() {
        #expect(TextEncoding.utf8.makeTranscoder() == nil)
    }
}

@Suite struct EncodingTests {
    private static let message = "Größe „5 €“ – naïve"

    @Test func `Places that are invalid in an encoding are reported`() throws {
        let unpaired: [UInt8] = [0x00, 0xD8, 0x41, 0x00]
        for text in [row("said"), "only said\n"] {
            let bytes = [0xFF, 0xFE] + text.utf8.flatMap { [$0, 0] } + unpaired
            let log = try ReadLog(bytes: bytes)
            #expect(log.report.files.first?.notes.first?.hasPrefix("1 place could not be decoded") == true)
        }
    }

    @Test func `UTF-8 is read with or without a byte-order mark`() throws {
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
    func `UTF-16 without a mark is read if the encoding is specified`(encoding: String.Encoding, name: String) throws {
        let data = try #require((nativeHeader + row(Self.message)).data(using: encoding))
        let log = try ReadLog(bytes: Array(data)) { $0.encoding = try TextEncoding(named: name) }
        #expect(log.messages == [Self.message])
    }

    @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian])
    func `In UTF-16 without a mark or a specified encoding, no columns are recognized`(encoding: String.Encoding) throws
    {
        let data = try #require((nativeHeader + row(Self.message)).data(using: encoding))
        let log = try ReadLog(bytes: Array(data))
        #expect(log.texts(.eventID).allSatisfy { $0.isEmpty })
        #expect(log.quality.inferred == log.events.count)
    }

    @Test func `A byte-order mark takes precedence over a specified encoding`() throws {
        let log = try ReadLog("\u{FEFF}" + row(Self.message)) { $0.encoding = try TextEncoding(named: "utf-16le") }
        #expect(log.messages == [Self.message])
    }

    @Test func `Each byte that is not UTF-8 is read as Windows-1252`() throws {
        var bytes = Array(row("pre Ä ").utf8)
        let place = try #require(bytes.firstRange(of: Array(" \t\(NativeRow.correlation)".utf8))).lowerBound
        bytes.replaceSubrange(place..<place, with: [0x20, 0x47, 0x72, 0xF6, 0xDF, 0x65, 0x20, 0x80, 0x93, 0x81])
        let log = try ReadLog(bytes: bytes + Array(row("next").utf8))
        #expect(log.messages == ["pre Ä Größe €“\u{FFFD}", "next"])
        #expect(log.texts(.correlation) == [NativeRow.correlation, NativeRow.correlation])
    }

    @Test(arguments: [("windows-1250", "Příliš žluťoučký"), ("windows-1251", "Ошибка доступа"), ("cp932", "失敗しました")])
    func `Another code page is read if it is specified`(name: String, message: String) throws {
        let folder = try SourceFolder()
        try folder.write("utf8.log", row(message))
        let page = name.replacing("windows-", with: "CP")
        let path = try folder.make("a.log", "iconv -f UTF-8 -t \(page) utf8.log > a.log")
        let log = try ReadLog([path]) { $0.encoding = try TextEncoding(named: name) }
        #expect(log.messages == [message])
    }

    @Test func `An invalid byte at any position of a row loses no row`() throws {
        let good = Array(row("x").utf8)
        for place in good.indices where good[place] != 0x09 && good[place] != 0x0A && place > 24 {
            var bytes = good
            bytes[place] = 0xFF
            let log = try ReadLog(bytes: bytes + good)
            #expect(log.events.count == 2, "byte \(place)")
        }
    }
}
