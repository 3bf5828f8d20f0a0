import TestSupport
import Testing
import XMLStream

/// Damaged XML and HTML are either refused, or each start event has an end event.
struct XMLFuzzTests {
    private static let texts = [
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<configuration><system.web><trace enabled=\"true\" pageOutput='x'/>"
            + "<!-- c --><customErrors mode=\"Off\">a &amp; b &#x41;</customErrors></system.web></configuration>",
        "<add overwrite=\"true\"><doc><field name=\"id\">ID1</field><field name=\"t\"><![CDATA[<x>]]></field></doc></add>",
        "<!DOCTYPE a [<!ENTITY x \"y\"><!ENTITY z SYSTEM \"file:///etc/passwd\">]><a>&x;&z;</a>",
        "<html><title>One</title><script>if (a < b) { c(\"</x>\") }</script><p>text<br>more<a href=b>c</a></html>",
    ].map { Array($0.utf8) }

    @Test func `Damaged XML is either refused, or every start event has an end event`() {
        let problem = FuzzRun.problem("XML", few: 1_000) { seed in
            var mutation = ByteMutation(seed: seed)
            return Self.problem(mutation.mutated(Self.texts, maximumBytes: 600))
        }
        #expect(problem == nil)
    }

    @Test func `Documents with a document type are refused, so their entities are never resolved`() {
        for text in Self.texts where text.starts(with: Array("<!DOCTYPE".utf8)) {
            #expect(throws: XMLError.self) { _ = try XMLReader(text) }
        }
    }

    private static func problem(_ bytes: [UInt8]) -> String? {
        var open: [String] = []
        do {
            var reader = try XMLReader(bytes)
            while let event = try reader.next() {
                switch event {
                case .startElement(let name, _): open.append(name)
                case .endElement(let name):
                    guard open.popLast() == name else { return "</\(name)> ends another element" }
                case .text(let text): guard !text.unicodeScalars.contains("\0") else { return "a NUL in a text" }
                }
            }
            guard open.isEmpty else { return "no end of \(open)" }
        } catch {
            guard error.line >= 0, !error.message.isEmpty else { return "refused with \(error)" }
        }
        if let map = try? SourceMap(bytes) {
            for element in map.elements where element.tag.lowerBound < 0 || element.tag.upperBound > bytes.count {
                return "\(element.name) is outside the document"
            }
        }
        return nil
    }
}
