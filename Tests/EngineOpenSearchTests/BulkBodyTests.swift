import ContentFeeding
import Foundation
import JSONText
import TestSupport
import Testing

@testable import EngineOpenSearch

struct BulkBodyTests {
    private func lines(_ actions: [BulkAction]) throws -> [[String: Any]] {
        let body = BulkBody(actions).bytes
        #expect(actions.isEmpty || body.last == UInt8(ascii: "\n"))
        return try body.split(separator: UInt8(ascii: "\n")).map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
        }
    }

    @Test(arguments: HurtfulText.all)
    func anIDArrivesByteByByte(text: String) throws {
        let id = try DocumentID(text)
        // Not Foundation's reader: it drops a byte-order mark at a string's beginning.
        let read = try #require(try JSONValue(BulkBody([.delete(id)]).bytes)["delete"]["_id"].text)
        #expect(read.utf8.elementsEqual(text.utf8))
    }

    @Test func onlyWhatJSONDemandsIsEscaped() {
        let body = BulkBody([.delete("é/\"\\\u{1}\t😀")]).bytes
        #expect(String(decoding: body, as: UTF8.self) == "{\"delete\":{\"_id\":\"é/\\\"\\\\\\u0001\\t😀\"}}\n")
    }

    @Test func aDocumentGoesAsItIs() {
        let json = #"{ "n" : 1.0,"s":"\u00e9é" }"#
        let body = BulkBody([.index("a", json: Array(json.utf8), since: nil)]).bytes
        #expect(String(decoding: body, as: UTF8.self) == "{\"index\":{\"_id\":\"a\"}}\n\(json)\n")
    }

    @Test func aLineEndInADocumentDoesNotEndIt() throws {
        let json = "{\r\n\"n\":\n1}"
        let found = try lines([.index("a", json: Array(json.utf8), since: nil), .delete("b")])
        #expect(found.count == 3)
        #expect(found[1]["n"] as? Int == 1)
    }

    @Test func aConditionNamesTheState() throws {
        let revision = Revision(sequenceNumber: 17, primaryTerm: 3)
        let action = try #require(try lines([.index("a", json: Array("{}".utf8), since: revision)]).first?["index"])
        let members = try #require(action as? [String: Any])
        #expect(members["if_seq_no"] as? Int == 17)
        #expect(members["if_primary_term"] as? Int == 3)
        #expect(members["_id"] as? String == "a")
    }

    @Test func anEmptyBatchHasNoBody() {
        #expect(BulkBody([]).bytes.isEmpty)
    }

    @Test(arguments: 0..<24)
    func whatMustBeEscapedIsFoundAtEveryPlace(place: Int) throws {
        for special in ["\"", "\\", "\u{1}", "\u{1F}", "\n"] {
            for filler in ["x", "é", "!", " ", "]", "\u{7F}"] {
                let text =
                    String(repeating: filler, count: place) + special + String(repeating: filler, count: 24 - place)
                let body = BulkBody([.delete(try DocumentID(text))])
                let read = try #require(try JSONValue(body.bytes)["delete"]["_id"].text)
                #expect(read.utf8.elementsEqual(text.utf8))
                #expect(!body.isPlain)
            }
        }
        let plain = BulkBody([.delete(try DocumentID(String(repeating: "é ", count: place + 1)))])
        #expect(plain.isPlain)
    }
}
