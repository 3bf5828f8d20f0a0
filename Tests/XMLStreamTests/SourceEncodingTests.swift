import TestSupport
import Testing
import XMLStream

struct EncodingTests {
    @Test(arguments: ["shift_jis", "utf-7", "utf-32", "gb18030", "iso-2022-jp", "utf-8 ", "UTF-16", ""])
    func `Other encodings are refused`(name: String) {
        #expect(refusal("<?xml version=\"1.0\" encoding=\"\(name)\"?><a/>")?.code == .unsupportedEncoding)
    }

    @Test(arguments: ["utf-8", "UTF-8", "Utf-8", "us-ascii", "ISO-8859-1", "Windows-1252"])
    func `Names of encodings are compared ignoring case`(name: String) {
        #expect(refusal("<?xml version=\"1.0\" encoding=\"\(name)\" standalone='yes'?><a/>") == nil)
    }

    @Test func `A byte-order mark and a declaration must not contradict each other`() {
        #expect(refusal("\u{FEFF}<?xml version='1.0' encoding='iso-8859-1'?><a/>")?.code == .unsupportedEncoding)
        let text = "<?xml version='1.0' encoding='utf-8'?><a/>"
        #expect(
            refusal(Writing.utf16LittleEndian.bytes(text))?.message.hasSuffix("its first bytes indicate UTF-16")
                == true
        )
    }

    @Test(arguments: [
        "<?xml encoding='shift_jis'", "<?xml version='1.0' encoding='utf-8\"?><a/>",
        "<?xml version='1.0' encoding=utf-8?><a/>",
        "<?xml version='1.0'" + String(repeating: " ", count: 1000) + "encoding='shift_jis'?><a/>",
        "<?xml version='1.0' x?><a/>", "<?xml version='1.0'><a/>",
    ])
    func `A declaration that can't be parsed is refused`(text: String) {
        #expect(refusal(text)?.message == "the XML declaration cannot be parsed")
    }

    @Test(
        arguments: [
            [], [0], [0x20], [0x0A], [0xFF], [0xFE, 0xFF], [0xFF, 0xFE], [0xEF, 0xBB], [0xEF, 0xBB, 0xBF], [0x3C, 0],
            [0, 0x3C],
            [0, 0, 0, 0x3C, 0, 0, 0, 0x61], [0x3C, 0, 0, 0, 0x61, 0, 0, 0], [0xFF, 0xFE, 0, 0, 0x3C, 0, 0, 0],
        ] as [[UInt8]]
    )
    func `Text that does not start like XML is refused`(bytes: [UInt8]) {
        let code = refusal(bytes)?.code
        #expect(code == .unsupportedEncoding || code == .malformed)
    }

    @Test(arguments: [[0xE9], [0xC3], [0xC0, 0xBC], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]])
    func `Bytes that are not UTF-8 are refused with their position`(bytes: [UInt8]) throws {
        let error = try #require(refusal(Array("<a>\né ".utf8) + bytes + Array("</a>".utf8)))
        #expect(error.code == .unsupportedEncoding)
        #expect([error.line, error.column] == [2, 3])
    }

    @Test func `A byte that Windows-1252 does not define is refused`() {
        let head = Array("<?xml version='1.0' encoding='windows-1252'?>\n<a b='".utf8)
        let message = "a byte that Windows-1252 does not define"
        #expect(
            refusal(head + [0xE9, 0x81] + Array("'/>".utf8))
                == XMLError(code: .unsupportedEncoding, message: message, line: 2, column: 8)
        )
    }

    @Test(arguments: [
        [0x20] as [UInt8], [0x00, 0xD8], [0x00, 0xDC], [0x00, 0xD8, 0x20, 0x00], [0x00, 0xDC, 0x00, 0xD8],
        [0x00, 0xD8, 0x00],
    ])
    func `An incomplete character is refused with its position`(bytes: [UInt8]) {
        let message = "half of a UTF-16 surrogate pair"
        #expect(
            refusal(Writing.utf16LittleEndian.bytes("<!--\u{1F600}--><a/>\n") + bytes)
                == XMLError(code: .unsupportedEncoding, message: message, line: 2, column: 1)
        )
    }

    @Test func `The library and the scanner read the same values in every encoding`() throws {
        let text = "<?xml version='1.0' encoding='ENCODING'?><a b='\u{E9}\u{FF}\u{A0}' é=''>é</a>"
        for writing in Writing.allCases {
            let attributes = try SourceMap(writing.bytes(text)).elements[0].attributes
            #expect(attributes.map(\.text) == ["\u{E9}\u{FF}\u{A0}", ""])
            #expect(attributes.map(\.name) == ["b", "é"])
        }
    }
}

struct MutationTests {
    private static let document = """
        <?xml version="1.0" encoding="ENCODING" standalone="yes"?>\r
        <!-- é --><?p x?>
        <a:b xmlns:a='u' c="1 &amp; 2" d='&#x41;"'>
          <![CDATA[<x>]]> text &lt; <e
            f = "\t\u{FC}"/></a:b>
        """

    private static let tags = [
        "<!DOCTYPE a [", "]>", "<!--", "-->", "<a>", "</a:b>", "&", "'", "\"", "<![CDATA[", "]]>", "?>", "/>", "=",
    ]

    @Test(arguments: 1...60)
    func `A damaged document is mapped correctly or refused`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var mutation = ByteMutation(seed: seed)
        for writing in Writing.allCases {
            var pieces = [writing.bytes(Self.document)]
            for tag in Self.tags.shuffled(using: &random).prefix(3) {
                var bytes = pieces[0]
                bytes.insert(
                    contentsOf: writing.bytes(tag).suffix(tag.count * writing.step),
                    at: .random(in: 0...bytes.count, using: &random)
                )
                pieces.append(bytes)
            }
            for bytes in pieces + [mutation.mutated(pieces)] { check(bytes) }
        }
    }

    private func check(_ bytes: [UInt8]) {
        guard let map = try? SourceMap(bytes) else { return }
        for element in map.elements {
            #expect(element.tag.lowerBound >= 0 && element.tag.upperBound <= bytes.count)
            let (first, last) = (map.place(of: element.tag.lowerBound), map.lastPlace(of: element))
            #expect(first <= last && last.line <= bytes.count && last.column <= bytes.count)
            for attribute in element.attributes {
                #expect(
                    element.tag.contains(attribute.value.lowerBound)
                        && attribute.value.upperBound < element.tag.upperBound
                )
                let changed = map.replacingValues([(attribute, attribute.text)])
                #expect((try? SourceMap(changed))?.elements.map(\.name) == map.elements.map(\.name))
            }
        }
    }
}
