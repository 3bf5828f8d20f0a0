import Foundation
import JSONText
import Testing

struct JSONWriterTests {
    private func write(_ writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("schema", "x/1")
            writer.member("n", nil as Int?)
            writer.member("list", [1, 2])
            writer.array("none") { _ in }
            writer.object("o") { writer in
                writer.member("raw", raw: Array(#"{"a": 1}"#.utf8))
                writer.member("d", 1.5)
                writer.member("b", true)
            }
        }
    }

    @Test func `Compact output has no whitespace between values`() {
        var writer = JSONWriter()
        write(&writer)
        #expect(
            writer.text == #"{"schema":"x/1","n":null,"list":[1,2],"none":[],"o":{"raw":{"a": 1},"d":1.5,"b":true}}"#
        )
    }

    @Test func `Indented output has one member per line`() {
        var writer = JSONWriter(.indented)
        write(&writer)
        let expected = """
            {
              "schema": "x/1",
              "n": null,
              "list": [
                1,
                2
              ],
              "none": [],
              "o": {
                "raw": {"a": 1},
                "d": 1.5,
                "b": true
              }
            }
            """
        #expect(writer.text == expected)
    }

    @Test func `Values are written one per line`() {
        var writer = JSONWriter()
        for number in 1...2 {
            writer.object { $0.member("n", number) }
            writer.endLine()
        }
        #expect(writer.text == "{\"n\":1}\n{\"n\":2}\n")
        writer.reset()
        writer.value("a")
        #expect(writer.text == "\"a\"")
    }

    @Test(arguments: [
        (1.0, "1"), (0.1, "0.1"), (-0.0, "-0"), (1e20, "1e+20"), (.infinity, "null"), (.nan, "null"),
        (.leastNonzeroMagnitude, "5e-324"),
    ])
    func `Numbers are written in their shortest form, and infinity and NaN as null`(value: Double, text: String) throws
    {
        var writer = JSONWriter()
        writer.value(value)
        #expect(writer.text == text)
        try check(writer.bytes)
    }

    @Test func `Every code point is preserved`() throws {
        let all: [Unicode.Scalar] = (UInt32(0)...0x10FFFF).compactMap { Unicode.Scalar($0) }
        let scalars = all.filter { $0.value < 0x3000 || $0.value % 97 == 0 }
        let text = String(String.UnicodeScalarView(scalars))
        var writer = JSONWriter()
        writer.value(text)
        var scanner = JSONScanner(writer.bytes.span)
        let read = try scanner.stringText()
        #expect(read.utf8.elementsEqual(text.utf8))
        let foreign = try JSONDecoder().decode([String].self, from: Data("[".utf8 + writer.bytes + "]".utf8))
        #expect(foreign.first.map { Array($0.utf8) } == Array(text.utf8))
    }

    /// Code points that JSON allows, but that a terminal interprets or a reader can't see.
    private static let hidden: [UInt32] =
        Array(0x80...0x9F) + [0x61C, 0x200E, 0x200F] + Array(0x2028...0x202E) + Array(0x2066...0x2069)

    @Test func `Characters that a terminal would interpret are escaped at every position, and no others`() throws {
        let hidden = Set(Self.hidden)
        for value in (0x7F...0x3000 as ClosedRange<UInt32>) {
            let scalar = try #require(Unicode.Scalar(value))
            let digits = String(value, radix: 16)
            let zeros = String(repeating: "0", count: 4 - digits.count)
            let written = hidden.contains(value) ? "\\u" + zeros + digits : "\(scalar)"
            // Other characters appear at only one of the positions each.
            let isNear = (value - 2...value + 2).contains { hidden.contains($0) }
            for length in isNear ? 0..<18 : Int(value % 18)..<Int(value % 18) + 1 {
                let before = String(repeating: "a", count: length)
                for text in [before + "\(scalar)", before + "\(scalar)“é”" + before] {
                    let json = "\"" + text.replacing("\(scalar)", with: written) + "\""
                    var writer = JSONWriter()
                    writer.value(text)
                    #expect(Array(writer.bytes) == Array(json.utf8), "U+\(digits) after \(length)")
                    var foreign: [UInt8] = []
                    foreign.append(escapingJSON: Array("\"\(text)\"".utf8).span)
                    #expect(foreign == Array(json.utf8), "U+\(digits) after \(length)")
                }
            }
        }
    }

    @Test func `External JSON keeps its whitespace, escapes and order`() {
        let json = Array(#"{ "b" : "\u0041\n\\" , "a":[1.50,"é"]}"#.utf8)
        let object = JSONWriter.object { $0.member("document", foreign: json) }
        #expect(object == Array(#"{"document":"#.utf8) + json + Array("}".utf8))
    }

    @Test(arguments: [[0xC2], [0xE2], [0xE2, 0x80], [0xD8], [0x61, 0xE2]] as [[UInt8]])
    func `Text that is truncated within a code point is not read beyond its end`(bytes: [UInt8]) {
        var writer = JSONWriter()
        writer.value(utf8: bytes.span)
        #expect(writer.bytes == [0x22] + bytes + [0x22])
    }
}
