import TestSupport
import Testing
import XMLStream

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
    func aDamagedDocumentIsMappedRightOrRefused(seed: UInt64) {
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
                let changed = map.replacingValue(of: attribute, with: attribute.text)
                #expect((try? SourceMap(changed))?.elements.map(\.name) == map.elements.map(\.name))
            }
        }
    }
}
