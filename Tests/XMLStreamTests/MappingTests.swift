import Testing
import XMLStream

struct MappingTests {
    @Test func elementsKnowHowDeepTheyAre() throws {
        let map = try SourceMap(Array("<a><b/><c><d/></c></a>".utf8))
        #expect(map.elements.map(\.name) == ["a", "b", "c", "d"])
        #expect(map.elements.map(\.depth) == [0, 1, 1, 2])
        #expect(map.elements.map(\.tag) == [0..<3, 3..<7, 7..<10, 10..<14])
    }

    @Test func whatLooksLikeATagIsNone() throws {
        let text = "<!-- <b/> --><?p <c/> ?><a d='>' e=\"</a>\" f='<g/>'><![CDATA[<h/>]]>&lt;i/&gt;</a>"
        #expect(refusal(text)?.code == .malformed)
        let map = try SourceMap(Array(text.replacing("<g/>", with: "&lt;").replacing("</a>\"", with: "\"").utf8))
        #expect(map.elements.map(\.name) == ["a"])
        #expect(map.elements[0].attributes.map(\.text) == [">", "", "<"])
    }

    @Test(arguments: [
        #"<a b="1" xmlns="u"/>"#, #"<p:a xmlns:q="v" p:b="1" xmlns:p="u"/>"#,
        #"<a xmlns:xml="http://www.w3.org/XML/1998/namespace"/>"#,
        #"<a xml:space="preserve" xmlns:b="u" b:c='2' c='3'/>"#,
    ])
    func namespacesMayStandAnywhere(text: String) {
        #expect(refusal(text) == nil)
    }

    @Test(arguments: [
        ("a&#x20;&#9;b", "a \tb"), ("a\r\nb\rc\nd\te", "a b c d e"), ("&amp;amp;", "&amp;"), ("&#0000000000065;", "A"),
        ("&#x1F600;é", "😀é"), ("&apos;&quot;&gt;", "'\">"), ("&#13;\n", "\r "),
    ])
    func aValueIsWhatItsReferencesStandFor(raw: String, text: String) throws {
        #expect(try SourceMap(Array("<a b=\"\(raw)\"/>".utf8)).elements[0].attributes[0].text == text)
    }

    @Test func eventsComeInOrder() throws {
        var reader = try XMLReader(Array("<a b='1'>x<c/><![CDATA[y]]></a>".utf8))
        var events: [XMLReader.Event] = []
        while let event = try reader.next() { events.append(event) }
        #expect(
            events == [
                .startElement(name: "a", attributes: [XMLReader.Attribute(name: "b", value: "1")]), .text("x"),
                .startElement(name: "c", attributes: []), .endElement(name: "c"), .text("y"), .endElement(name: "a"),
            ]
        )
    }

    @Test func readersOnOneThreadKeepTheirErrorsApart() throws {
        var first = try XMLReader(Array("<a>\n<b></a>".utf8))
        var second = try XMLReader(Array("<x y='1' y='2'/>".utf8))
        #expect(throws: XMLError.self) { try second.next() }
        let error = #expect(throws: XMLError.self) { while try first.next() != nil {} }
        #expect(error?.message == "Opening and ending tag mismatch: b line 2 and a")
    }
}
