import ContentFeeding
import JSONText
import TestSupport
import Testing

@testable import EngineSolr

struct UpdateBodyTests {
    private func fed(_ id: DocumentID, _ json: String) throws -> UpdateDocument {
        try UpdateDocument(Document(id: id, json: Array(json.utf8)), uniqueKey: "id")
    }

    @Test func `Commands keep the order of the batch`() throws {
        var body = UpdateBody(uniqueKey: "id")
        body.remove("a")
        body.remove("b")
        body.add(try fed("c", #"{"t":"x","gone":null}"#))
        body.change(try fed("d", #"{"t":"y","gone":null}"#), version: 7)
        body.remove("e")
        let expected = """
            {"delete":["a","b"],"add":{"doc":{"id":"c","t":"x"}},\
            "add":{"doc":{"id":"d","_version_":7,"t":{"set":"y"},"gone":{"set":null}}},"delete":["e"]}
            """
        #expect(body.commands == 5)
        #expect(String(decoding: body.finish(), as: UTF8.self) == expected)
    }

    @Test func `Hostile IDs are preserved byte for byte`() throws {
        var body = UpdateBody(uniqueKey: "id")
        for text in HurtfulText.all { body.remove(try DocumentID(text)) }
        let ids = try JSONValue(body.finish())["delete"].elements
        #expect(ids.count == HurtfulText.all.count)
        for (id, text) in zip(ids, HurtfulText.all) { #expect(id.text?.utf8.elementsEqual(text.utf8) == true) }
    }

    @Test func `The operation's own ID replaces the document's`() throws {
        for json in [#"{"id":"other","t":1}"#, #"{"t":1}"#, #"{"\u0069d":5,"t":1}"#] {
            var body = UpdateBody(uniqueKey: "id")
            body.add(try fed("a", json))
            #expect(String(decoding: body.finish(), as: UTF8.self) == #"{"add":{"doc":{"id":"a","t":1}}}"#)
        }
    }
}

struct FedDocumentTests {
    private func fed(_ json: String) throws -> UpdateDocument {
        try UpdateDocument(Document(id: "a", json: Array(json.utf8)), uniqueKey: "id")
    }

    @Test(arguments: [
        #"{"deep":{"x":1}}"#, #"{"deep":{"set":"x"}}"#, #"{"deep":[{"x":1}]}"#, #"{"deep":[[1]]}"#, #"{"deep":{}}"#,
    ])
    func `Nested values are refused, with the field's name`(json: String) {
        let refusal = #expect(throws: DocumentRefusal.self) { try fed(json) }
        #expect(refusal?.failure.code == .rejectedByEngine)
        #expect(refusal?.failure.message.contains("'deep'") == true)
    }

    @Test(arguments: ["", "[]", "1", "{", #"{"a":}"#, "null"])
    func `Anything but an object is refused`(json: String) {
        #expect(throws: DocumentRefusal.self) { try fed(json) }
    }

    @Test func `For a key that occurs twice, the last value is used`() throws {
        let fields = try fed(#"{"t":"old","n":1,"\u0074":"new"}"#).fields
        #expect(fields.map(\.name) == ["n", "t"])
        #expect(fields.map(\.json) == [Array("1".utf8), Array(#""new""#.utf8)])
    }

    @Test func `Solr's internal fields are omitted`() throws {
        #expect(try fed(#"{"_version_":5,"_root_":"r","t":1}"#).fields.map(\.name) == ["t"])
    }

    @Test func `Lists of plain values are accepted`() throws {
        #expect(try fed(#"{"t":[1,"x",null,true]}"#).fields.map(\.json) == [Array(#"[1,"x",null,true]"#.utf8)])
    }
}

extension UpdateBody {
    fileprivate mutating func remove(_ id: DocumentID) { remove(utf8: id.utf8) }
}
