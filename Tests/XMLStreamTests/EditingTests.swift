import Testing
import XMLStream

/// A web.config with everything that makes editing in place hard.
private let document = """
    <?xml version="1.0" encoding="ENCODING"?>\r
    <!-- <trace enabled="true"/> é -->\r
    <configuration note="" xmlns="http://schemas.microsoft.com/.NetConfiguration/v2.0">\r
      <location path="a>b" note='x "quoted" &amp; y'>\r
        <system.web>\r
          <trace\r
             enabled = "true"\r
             pageOutput='false' />\r
          <![CDATA[ <trace enabled="true"/> ]]>\r
        </system.web>\r
      </location>\r
      <system.web><trace enabled="true" localOnly="tr&#117;e"/></system.web>\r
    </configuration>\r

    """

struct EditingTests {
    @Test(arguments: Writing.allCases)
    func oneValueChangesAndNoOtherByte(writing: Writing) throws {
        let original = writing.bytes(document)
        let map = try SourceMap(original)
        let traces = map.elements.filter { $0.name == "trace" }
        let enabled = try #require(traces.first?.attributes.first)
        #expect(enabled.value.count == 4 * writing.step)
        let changed = map.replacingValue(of: enabled, with: "false")
        #expect(changed.prefix(enabled.value.lowerBound) == original.prefix(enabled.value.lowerBound))
        #expect(changed.dropFirst(enabled.value.lowerBound).starts(with: bytes("false", writing)))
        let rest = original.count - enabled.value.upperBound
        #expect(changed.suffix(rest) == original.suffix(rest))
        #expect(changed.count == original.count + writing.step)
        #expect(try SourceMap(changed).elements.map(\.name) == map.elements.map(\.name))
    }

    private func bytes(_ text: String, _ writing: Writing) -> [UInt8] {
        writing.bytes(text).dropFirst(writing.bytes("").count).map(\.self)
    }

    @Test(arguments: [
        ("<\"'&", #"<a b="&lt;&quot;'&amp;" c='2'/>"#, #"<a b="1" c='&lt;"&apos;&amp;'/>"#),
        ("\t\r\n", #"<a b="&#9;&#13;&#10;" c='2'/>"#, #"<a b="1" c='&#9;&#13;&#10;'/>"#),
        ("", #"<a b="" c='2'/>"#, #"<a b="1" c=''/>"#),
    ])
    func whatAValueMayNotHoldIsEscaped(text: String, double: String, single: String) throws {
        let map = try SourceMap(Array(#"<a b="1" c='2'/>"#.utf8))
        let attributes = map.elements[0].attributes
        #expect(String(decoding: map.replacingValue(of: attributes[0], with: text), as: UTF8.self) == double)
        #expect(String(decoding: map.replacingValue(of: attributes[1], with: text), as: UTF8.self) == single)
    }

    @Test(arguments: [("iso-8859-1", [0xE9] + Array("&#8364;".utf8)), ("windows-1252", [0xE9, 0x80])])
    func whatAnEncodingLacksBecomesAReference(encoding: String, expected: [UInt8]) throws {
        let map = try SourceMap(Array("<?xml version='1.0' encoding='\(encoding)'?><a b='x'/>".utf8))
        let changed = map.replacingValue(of: map.elements[0].attributes[0], with: "é€")
        #expect(changed.dropLast(3).suffix(expected.count) == expected[...])
        #expect(try SourceMap(changed).elements[0].attributes[0].text == "é€")
    }

    @Test func anAttributeOfAnotherDocumentDoesNoHarm() throws {
        let map = try SourceMap(Array("<a/>".utf8))
        let foreign = SourceAttribute(name: "a", text: "b", value: 90..<100, isDoubleQuoted: true)
        #expect(map.replacingValue(of: foreign, with: "").count == 4)
    }
}
