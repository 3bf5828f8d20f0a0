import ContentFeeding
import Foundation
import Testing

struct DocumentBuildingTests {
    private struct Page: Encodable {
        struct Author: Encodable {
            var name: String
            var age: Int?
        }

        var title: String
        var year: UInt64
        var rating: Float
        var share: Double
        var isLive: Bool
        var tags: [String]
        var authors: [Author]
        var sizes: [String: Int]
        var note: String?
        var kind: Kind
    }

    private enum Kind: String, Encodable { case article }

    private func text(_ document: Document) -> String { String(decoding: document.json, as: UTF8.self) }

    @Test func `A value becomes an object in the order of its properties`() throws {
        let page = Page(
            title: "Café \"x\"\n",
            year: .max,
            rating: 0.1,
            share: 2,
            isLive: true,
            tags: ["a", "b"],
            authors: [Page.Author(name: "N"), Page.Author(name: "M", age: 3)],
            sizes: ["k": -1],
            note: nil,
            kind: .article
        )
        let document = try Document(id: "ID1", page)
        #expect(document.id == "ID1")
        #expect(
            text(document)
                == #"{"title":"Café \"x\"\n","year":18446744073709551615,"rating":0.1,"share":2,"isLive":true,"#
                + #""tags":["a","b"],"authors":[{"name":"N"},{"name":"M","age":3}],"sizes":{"k":-1},"kind":"article"}"#
        )
    }

    @Test func `Foundation decodes the same value from our encoding as from its own`() throws {
        let page = Page(
            title: "\u{1}\u{2028}😀/",
            year: 1,
            rating: 1.5,
            share: -1e300,
            isLive: false,
            tags: [],
            authors: [],
            sizes: [:],
            note: "",
            kind: .article
        )
        let ours = try JSONSerialization.jsonObject(with: Data(Document(id: "a", page).json)) as? NSDictionary
        let theirs = try JSONSerialization.jsonObject(with: JSONEncoder().encode(page)) as? NSDictionary
        #expect(ours != nil && ours == theirs)
    }

    @Test func `A dictionary is a valid document, even an empty one`() throws {
        #expect(try text(Document(id: "a", ["x": 1])) == #"{"x":1}"#)
        #expect(try text(Document(id: "a", [String: Int]())) == "{}")
    }

    @Test func `Anything but an object is refused with a reason`() {
        func code(_ value: some Encodable) -> DocumentEncodingError.Code? {
            #expect(throws: DocumentEncodingError.self) { try Document(id: "a", value) }?.code
        }
        #expect(code([1, 2]) == .noObject)
        #expect(code("text") == .noObject)
        #expect(code(["x": Double.nan]) == .notRepresentable)
        #expect(code(["x": Float.infinity]) == .notRepresentable)
        #expect(code(["x": String(repeating: "x", count: Document.maximumByteCount)]) == .tooLarge)
        #expect(code(Nested(depth: 100)) == .tooDeep)
        let error = #expect(throws: DocumentEncodingError.self) {
            try Document(id: "a", ["pages": [["share": 1.0], ["share": .nan]]])
        }
        #expect(error?.description == "pages.1.share: JSON has no notation for nan")
    }

    private struct Nested: Encodable {
        var depth: Int

        private enum CodingKeys: CodingKey { case inner }

        func encode(to encoder: any Encoder) throws {
            guard depth > 0 else { return }
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(Nested(depth: depth - 1), forKey: .inner)
        }
    }

    @Test func `A document can be built from elements, as in FAST`() throws {
        var page = DocumentBuilder(id: "ID1")
        #expect(text(page.document) == "{}")
        try page.addElement(.newString("title", "A \"page\""))
        try page.addElement(.newInteger("year", -3))
        try page.addElement(.newByteArray("data", Array("any carnal pleas".utf8)))
        try page.addElement(try #require(.newDate("modified", secondsSince1970: 1_317_045_787.25)))
        try page.addElement(DocumentElement("tags", ["a", "b"]))
        try page.addElement(DocumentElement("note", String?.none))
        #expect(
            text(page.document)
                == #"{"title":"A \"page\"","year":-3,"data":"YW55IGNhcm5hbCBwbGVhcw==","#
                + #""modified":"2011-09-26T14:03:07.250Z","tags":["a","b"],"note":null}"#
        )
    }

    @Test func `An element with an existing name is refused, and the document is unchanged`() throws {
        var page = DocumentBuilder(id: "ID1")
        try page.addElement(.newString("title", "one"))
        let error = #expect(throws: DocumentEncodingError.self) { try page.addElement(.newString("title", "two")) }
        #expect(error?.code == .duplicateElement)
        #expect(error?.description == "title: the document 'ID1' already has an element of this name")
        let large = DocumentElement.newString("body", String(repeating: "x", count: Document.maximumByteCount))
        let size = #expect(throws: DocumentEncodingError.self) { try page.addElement(large) }
        #expect(size?.code == .tooLarge)
        try page.addElement(.newInteger("body", 1))
        #expect(text(page.document) == #"{"title":"one","body":1}"#)
    }

    @Test(arguments: [0, 1, 2, 3, 4, 255]) func `Bytes are encoded as Base64`(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37) }
        #expect(DocumentElement.newByteArray("x", bytes) == .newString("x", Data(bytes).base64EncodedString()))
    }

    @Test func `Dates are converted according to the calendar`() {
        // Foundation uses the Julian calendar before 1582, so compare with it only for later years.
        for seconds in stride(from: -12_219_292_800.0, to: 253_402_300_799, by: 86_399_999.125) {
            let text = Date(timeIntervalSince1970: seconds).formatted(
                Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            )
            #expect(DocumentElement.newDate("x", secondsSince1970: seconds) == .newString("x", text), "\(seconds)")
        }
        let first = DocumentElement.newDate("x", secondsSince1970: -62_135_596_800)
        #expect(first == .newString("x", "0001-01-01T00:00:00.000Z"))
        for seconds in [Double.nan, .infinity, -62_135_596_800.001, 253_402_300_799.9996] {
            #expect(DocumentElement.newDate("x", secondsSince1970: seconds) == nil)
        }
    }
}
