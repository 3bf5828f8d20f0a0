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

    @Test func `Compact`() {
        var writer = JSONWriter()
        write(&writer)
        #expect(
            writer.text == #"{"schema":"x/1","n":null,"list":[1,2],"none":[],"o":{"raw":{"a": 1},"d":1.5,"b":true}}"#
        )
    }

    @Test func `Indented`() {
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

    @Test func `Lines stand alone`() {
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
    func `Numbers`(value: Double, text: String) throws {
        var writer = JSONWriter()
        writer.value(value)
        #expect(writer.text == text)
        try check(writer.bytes)
    }

    @Test func `Every code point survives`() throws {
        let scalars = (0...0x10FFFF).compactMap(Unicode.Scalar.init).filter { $0.value < 0x3000 || $0.value % 97 == 0 }
        let text = String(String.UnicodeScalarView(scalars))
        var writer = JSONWriter()
        writer.value(text)
        var scanner = JSONScanner(writer.bytes.span)
        let read = try scanner.stringText()
        #expect(read.utf8.elementsEqual(text.utf8))
        let foreign = try JSONDecoder().decode([String].self, from: Data("[".utf8 + writer.bytes + "]".utf8))
        #expect(foreign.first.map { Array($0.utf8) } == Array(text.utf8))
    }
}
