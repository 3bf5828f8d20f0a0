import Testing
import XMLStream

struct PlaceTests {
    @Test(arguments: Writing.allCases)
    func linesAndColumnsAreThoseOfAnEditor(writing: Writing) throws {
        let text = "<?xml version='1.0' encoding='ENCODING'?>\r\n<!-- é --><a\r\n\tb='é' c='1'\r\n>\n\n<d/></a>"
        let map = try SourceMap(writing.bytes(text))
        let (a, d) = (map.elements[0], map.elements[1])
        #expect(map.place(of: a.tag.lowerBound) == (2, 11))
        #expect(map.lastPlace(of: a) == (4, 1))
        #expect(a.attributes.map { map.place(of: $0.value.lowerBound).line } == [3, 3])
        #expect(a.attributes.map { map.place(of: $0.value.lowerBound).column } == [5, 11])
        #expect(map.place(of: d.tag.lowerBound) == (6, 1))
        #expect(map.lastPlace(of: d) == (6, 4))
    }

    @Test func aCharacterIsAUnicodeScalar() throws {
        let text = "<a b='e\u{301}😀' c=''/>"
        for bytes in [Array(text.utf8), Writing.utf16BigEndian.bytes(text)] {
            let map = try SourceMap(bytes)
            #expect(map.place(of: map.elements[0].attributes[1].value.lowerBound) == (1, 15))
        }
    }

    @Test func farPlacesAreThoseOfAWalk() throws {
        let text = "<a>" + String(repeating: "é<b/>\n é é\r\n", count: 500) + "</a>"
        let map = try SourceMap(Array(text.utf8))
        for (index, element) in map.elements.dropFirst().enumerated() {
            let place = map.place(of: element.tag.lowerBound)
            #expect(place == (2 * index + 1, index == 0 ? 5 : 2))
        }
    }

    @Test(arguments: [Int.min, -1, 0, 3, 4, 5, .max])
    func noPlaceIsOutsideOfTheDocument(offset: Int) throws {
        let place = try SourceMap(Array("<a/>".utf8)).place(of: offset)
        #expect(place == (1, min(max(0, offset), 4) + 1))
    }
}
