import ContentFeeding
import Foundation
import TestSupport
import Testing

@testable import FeedFormats

struct SolrXMLTests {
    private static func message(_ elements: String) -> String { "<delete>\n\(elements)\n</delete>\n" }

    @Test func `The result does not depend on how the input is split into chunks`() {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>\r
            <!-- what <id>is</id> gone --><update>
              <delete><id>a</id><id>b &amp; c</id>
                <id><![CDATA[d<e]]>f</id><id>\u{E9}&#x1F600;</id></delete><!-- > -->
              <delete>
                <id> two
            lines </id><x a="</delete>"/></delete>
            </update>

            """
        let whole = Reading(text, as: .solrXML(), piece: 4096)
        #expect(whole.ids == ["a", "b & c", "d<ef", "\u{E9}\u{1F600}", " two\nlines "])
        #expect(whole.rejectedLines == [7])
        #expect(whole.input == InputTally(lines: 6, blank: 0, rejected: 1, bytes: text.utf8.count))
        for piece in 1..<text.utf8.count { #expect(Reading(text, as: .solrXML(), piece: piece) == whole) }
    }

    @Test func `Hostile IDs are preserved byte for byte`() {
        let ids = AnyInputTests.hurtful.filter { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\t" } }
        let elements = ids.map { id in
            let escaped = id.unicodeScalars.map { $0 == "&" ? "&amp;" : $0 == "<" ? "&lt;" : String($0) }.joined()
            return "<id>\(escaped)</id>"
        }
        for piece in [1, 7, 4096] {
            let reading = Reading(Self.message(elements.joined()), as: .solrXML(), piece: piece)
            #expect(reading.ids.map { Array($0.utf8) } == ids.map { Array($0.utf8) })
        }
    }

    @Test(arguments: [
        ("a<![CDATA[x]]> <![CDATA[y]]>", "ax y"), ("a<!--c--> <!--d-->b", "a b"), ("a<?p?> <?q?>b", "a b"),
        (" ", " "), ("&#32;", " "), ("<![CDATA[ ]]>", " "), ("<![CDATA[a]]>\n", "a\n"), ("\r\n<!-- --> x", "\n x"),
    ])
    func `Blanks are part of an ID, wherever markup splits it`(content: String, id: String) {
        for piece in [1, 7, 4096] {
            #expect(Reading(Self.message("<id>\(content)</id>"), as: .solrXML(), piece: piece).ids == [id])
        }
    }

    @Test(arguments: [
        ("<query>a:b</query>", "fastctl find"), ("<commit/>", "<commit> in <delete> is not supported"),
        ("<optimize></optimize>", "<optimize>"), ("<id/>", "empty"), ("<id></id>", "empty"),
        ("<id version='1'>x</id>", "'version' of <id> is not supported"), ("<id>x<b/></id>", "<b> in <id>"),
        ("<id>x & y</id>", "not well-formed"), ("<id>x < y</id>", "not well-formed"),
        ("<id>]]></id>", "not well-formed"),
        ("<id>&unknown;</id>", "not "), ("<id>\u{1}</id>", "not well-formed"),
        ("<id>x</ID></id>", "not well-formed"), ("loose text", "text where"), ("<![CDATA[x]]>", "text where"),
        ("<id>\u{FFFE}</id>", "not"), ("<doc><id>1</id></doc>", "<doc> in <delete>"), ("<a:id>1</a:id>", "<a:id>"),
        ("<id><!DOCTYPE a></id>", "DOCTYPE"),
    ])
    func `An element that is not an ID does not affect the others`(element: String, reason: String) {
        let text = Self.message("<id>a</id>\n\(element)\n<id>b</id>")
        for piece in [1, 5, 4096] {
            let reading = Reading(text, as: .solrXML(), piece: piece)
            #expect(reading.ids == ["a", "b"])
            #expect(reading.rejectedLines.count == 1 && [2, 3].contains(reading.rejectedLines.first))
            #expect(reading.reasons.first?.contains(reason) == true, "\(reading.reasons)")
        }
    }

    @Test(arguments: [
        ("</add>", "closes an element that is not open"), ("<!DOCTYPE a [<!ENTITY b \"c\">]>", "DOCTYPE"),
        ("<1>", "not well-formed"),
        ("</delete></delete>", "closes an element that is not open"), ("</delete><delete>", "after the end"),
        ("</delete>x<", "after the end"),
    ])
    func `Reading ends at markup that can't be parsed`(markup: String, reason: String) {
        let text = "<delete>\n<id>a</id>\n\(markup)\n<id>b</id></delete>"
        for piece in [1, 5, 4096] {
            let reading = Reading(text, as: .solrXML(), piece: piece)
            #expect(reading.ids == ["a"])
            #expect(reading.rejectedLines == [3])
            #expect(reading.reasons.first?.contains(reason) == true, "\(reading.reasons)")
            #expect(reading.input.bytes == text.utf8.count)
        }
    }

    @Test(arguments: [
        ("<delete>\n<id>a</id>\n", "before </delete>"), ("<delete><id>a</id>\n\n<id>b", "before </id>"),
        ("<delete><id>a</id></delete>\n<!-- ", "inside a tag or a comment"),
        ("<delete><id>a</id></delete>\nrest", "after the end"),
        ("<update><delete><id>a</id>\n</delete>", "before </update>"),
    ])
    func `A truncated input is rejected at its end`(text: String, reason: String) {
        for piece in [1, 5, 4096] {
            let reading = Reading(text, as: .solrXML(), piece: piece)
            #expect(reading.ids == ["a"])
            #expect(reading.input.rejected == 1)
            #expect(reading.reasons.first?.contains(reason) == true, "\(reading.reasons)")
        }
    }

    @Test func `A missing end tag affects only the elements that it hides`() {
        let reading = Reading(
            "<update><delete><id>a</id>\n<id>b<x></delete>\n<delete><id>c</id></delete></update>",
            as: .solrXML()
        )
        #expect(reading.ids == ["a", "c"])
        #expect(reading.rejectedLines == [2])
    }

    @Test(arguments: [
        ("a,b\n1,2\n", "does not begin with <add>"), ("<html><id>1</id></html>", "begins with <html>"),
        ("<add><doc/></add>", "use 'fastctl add'"), ("<!DOCTYPE a><delete/>", "DOCTYPE"),
        ("<?xml version='1.0' encoding='Shift_JIS'?><delete/>", "Shift_JIS"), ("{\"id\":1}", "does not begin"),
        ("<commit/>", "begins with <commit>"),
    ])
    func `A different format is refused before anything is sent`(text: String, reason: String) async throws {
        let folder = try TemporaryFolder()
        try Data(text.utf8).write(to: URL(filePath: folder.path("message.xml")))
        let error = await #expect(throws: InputError.self) {
            _ = try await FeedInput.open([.file(folder.path("message.xml"))], for: .remove, format: .solrXML())
        }
        #expect(error?.code == .wrongFormat)
        #expect(error?.reason.contains(reason) == true, "\(String(describing: error))")
    }

    @Test(arguments: ["", "\n \n", "<delete/>", "<update></update>", "<!-- nothing --><delete>\n</delete>\n"])
    func `A message that removes nothing is not an error`(text: String) {
        let reading = Reading(text, as: .solrXML(), piece: 3)
        #expect(reading.operations.isEmpty && reading.input.rejected == 0)
    }

    @Test func `An attribute of a message is rejected, and its elements are read`() {
        let reading = Reading("<delete commitWithin='9'>\n<id>a</id></delete>", as: .solrXML())
        #expect(reading.ids == ["a"])
        #expect(reading.reasons == ["the attribute 'commitWithin' of <delete> is not supported; remove it"])
    }

    @Test(arguments: [1, 64, 4096])
    func `An element that is too long is skipped`(piece: Int) {
        var limits = InputLimits()
        limits.line = 100
        let text = Self.message("<id>a</id>\n<id>\(String(repeating: "x\n", count: 100))</id>\n<id>b</id>")
        let reading = Reading(Array(text.utf8), as: .solrXML(), limits: limits, piece: piece)
        #expect(reading.ids == ["a", "b"])
        #expect(reading.rejectedLines == [3])
    }

    @Test(arguments: [false, true])
    func `Reading can resume at the end of every chunk`(isUTF16: Bool) async throws {
        let folder = try TemporaryFolder()
        let ids = (1...20).map { "<id>\u{E9}\($0)</id><!-- \($0) -->\r\n" }.joined()
        let text = "<?xml version='1.0' encoding='\(isUTF16 ? "UTF-16" : "UTF-8")'?>\n\(Self.message(ids))"
        let bytes =
            isUTF16 ? [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] } : Array(text.utf8)
        let source = InputSource.file(folder.path("message.xml"))
        try Data(bytes).write(to: URL(filePath: folder.path("message.xml")))
        var limits = InputLimits()
        (limits.chunkCount, limits.readBytes) = (3, 64)
        let whole = try await Reading(
            drawing: FeedInput.open([source], for: .remove, format: .solrXML(), limits: limits)
        )
        #expect(whole.ids.count == 20 && whole.input.bytes == bytes.count)
        var before = Reading([], as: .nul)
        for try await chunk in try await FeedInput.open([source], for: .remove, format: .solrXML(), limits: limits) {
            before.add(chunk)
            var both = before
            limits.readBytes = 100
            let rest = try await FeedInput.open(
                [source],
                for: .remove,
                format: .solrXML(),
                limits: limits,
                memory: InputMemory(offset: chunk.end)
            )
            for try await chunk in rest { both.add(chunk) }
            #expect(both == whole)
        }
    }

    @Test(arguments: 1...40)
    func `A damaged message is fully accounted for, however it is split into chunks`(seed: UInt64) {
        var mutation = ByteMutation(seed: seed)
        let texts = [
            Self.message("<id>a</id><!-- x --><id>b</id>\n<id><![CDATA[c]]></id>"),
            "<update><delete><id>a</id></delete><add><doc><field name='id'>1</field></doc></add></update>",
            "<add>\n<doc><field name=\"id\">1 &amp; 2</field><field name='t'/></doc>\n<doc/></add>",
        ].map { Array($0.utf8) }
        var limits = InputLimits()
        limits.chunkCount = 2
        limits.line = 60
        limits.document = 100
        for kind in ContentOperation.Kind.allCases {
            let bytes = mutation.mutated(texts)
            let whole = Reading(bytes, as: .solrXML(), for: kind, limits: limits, piece: max(1, bytes.count))
            #expect(whole.input.lines == whole.operations.count + whole.input.rejected)
            for piece in [1, 3, 64] {
                let reading = Reading(bytes, as: .solrXML(), for: kind, limits: limits, piece: piece)
                #expect(reading.operations == whole.operations)
                if whole.refusal == nil { #expect(reading == whole) }
            }
        }
    }
}

struct SolrDocumentTests {
    private func read(_ text: String, for kind: ContentOperation.Kind = .add, field: String? = nil) -> Reading {
        Reading(text, as: .solrXML(field: field), for: kind, piece: 11)
    }

    @Test func `Fields become keys, and repeated fields become arrays`() {
        let reading = read(
            """
            <add>
              <doc>
                <field name="id">A</field>
                <field name="tag">x</field><field name="title">"T" &lt;1&gt;
            </field>
                <field name="tag">y</field><field name="e\u{301}"/>
              </doc>
              <doc><field name="\u{E9}">1</field><field name="id">B</field></doc>
            </add>
            """
        )
        #expect(
            reading.documents == [
                #"{"id":"A","tag":["x","y"],"title":"\"T\" <1>\n","e\#u{301}":""}"#,
                #"{"é":"1","id":"B"}"#,
            ]
        )
        #expect(reading.ids == ["A", "B"])
    }

    @Test(arguments: [
        (" ", " "), ("&#32;", " "), ("&#10;", "\\n"), ("<![CDATA[x]]> <![CDATA[y]]>", "x y"), ("a<?p?> <?q?>b", "a b"),
        ("<![CDATA[x]]>\n", "x\\n"), ("<!-- -->\t<!-- -->", "\\t"),
    ])
    func `Blanks are part of a field`(content: String, value: String) {
        let reading = read("<add><doc><field name='id'>A</field><field name='t'>\(content)</field></doc></add>")
        #expect(reading.documents == [#"{"id":"A","t":"\#(value)"}"#])
    }

    @Test func `A field may be as long as a document`() {
        let text = String(repeating: "x", count: 15 << 20)
        let message = "<add><doc><field name='id'>A</field><field name='t'>\(text)</field></doc></add>"
        let reading = Reading(message, as: .solrXML(), for: .add, piece: 256 << 10)
        #expect(reading.reasons.isEmpty)
        #expect(reading.documents.first?.utf8.count == text.utf8.count + #"{"id":"A","t":""}"#.utf8.count)
    }

    @Test func `The ID can be read from another field`() {
        let reading = read("<add><doc><field name='url'>u</field></doc></add>", field: "url")
        #expect(reading.ids == ["u"])
    }

    @Test(arguments: [
        ("<doc/>", "no field 'id'"), ("<doc><field name='t'>x</field></doc>", "no field 'id'"),
        ("<doc><field name='id'/></doc>", "empty"),
        ("<doc><field name='id'>1</field><field name='id'>2</field></doc>", "2 values"),
        ("<doc><field>1</field></doc>", "without a name"), ("<doc boost='2'></doc>", "'boost' of <doc>"),
        ("<doc><field name='id' boost='2'>1</field></doc>", "'boost' of <field>"),
        ("<doc><field name='id'>1</field>text</doc>", "text between fields"),
        ("<doc><doc><field name='id'>1</field></doc></doc>", "a document inside a document"),
        ("<doc><field name='id'>1</field><other/></doc>", "<other> in <doc>"),
        ("<doc><field name='id'>1</field><field name='n' update='set'>2</field></doc>", "'fastctl update'"),
        ("<doc>\n<field name='id'>1</fild></doc>", "on line 2 of the element"), ("<id>1</id>", "<id> in <add>"),
    ])
    func `An element that is not a document does not affect the others`(element: String, reason: String) {
        let document = "<doc><field name='id'>B</field></doc>"
        let reading = read("<add>\n\(element)\n\(document)</add>")
        #expect(reading.ids == ["B"])
        #expect(reading.rejectedLines == [2])
        #expect(reading.reasons.first?.contains(reason) == true, "\(reading.reasons)")
    }

    @Test func `An update sets and removes fields`() {
        let fields = [
            "<field name='id'>1</field>", "<field name='a' update='set'>x</field>",
            "<field name='b' update='set' null='true'/>", "<field name='c'>y</field>",
        ]
        let reading = read("<add><doc>\(fields.joined())</doc></add>", for: .update)
        #expect(reading.documents == [#"{"id":"1","a":"x","b":null,"c":"y"}"#])
        #expect(reading.operations.first?.kind == .update)
        let other = read(
            "<add><doc><field name='id'>1</field><field name='n' update='inc'>1</field></doc></add>",
            for: .update
        )
        #expect(other.reasons.first?.hasPrefix("update=\"inc\" on a field") == true)
    }

    @Test func `Each element of an update message is examined`() {
        let text = "<update><add><doc><field name='id'>1</field></doc></add>\n<delete><id>2</id></delete></update>"
        let added = read(text)
        #expect(added.ids == ["1"])
        #expect(added.reasons == ["an ID to remove: use 'fastctl remove'"])
        let removed = read(text, for: .remove)
        #expect(removed.ids == ["2"])
        #expect(removed.reasons == ["a document to add: use 'fastctl add'"])
    }

    @Test func `A document that is too long is skipped`() {
        var limits = InputLimits()
        limits.document = 50
        let text =
            "<add><doc><field name='id'>1</field><field name='t'>\(String(repeating: "x", count: 50))</field></doc></add>"
        let reading = Reading(Array(text.utf8), as: .solrXML(), for: .add, limits: limits)
        #expect(reading.reasons.first?.hasPrefix("longer than the 50 bytes") == true)
    }
}
