import ContentFeeding
import TestSupport
import Testing

@testable import EngineSolr

struct SolrQueryTests {
    private func parameters(_ query: SearchQuery, _ conditions: [FieldEquality] = []) -> [String: [String]] {
        let search = SolrQuery(
            query,
            textFields: ["title", "body_t"],
            conditions: conditions,
            uniqueKey: "id",
            .after(nil)
        )
        return Dictionary(grouping: search?.parameters ?? []) { $0.name }.mapValues { $0.map(\.value) }
    }

    /// Returns the text that Solr reads between quotes, where a backslash escapes the next character.
    private func unquoted(_ quoted: String, _ quote: Unicode.Scalar) -> String? {
        var scalars = Array(quoted.unicodeScalars)[...]
        guard scalars.popFirst() == quote, scalars.popLast() == quote else { return nil }
        var text = String.UnicodeScalarView()
        while let scalar = scalars.popFirst() {
            if scalar == quote { return nil }
            if scalar == "\\" {
                guard let next = scalars.popFirst() else { return nil }
                text.append(next)
            } else {
                text.append(scalar)
            }
        }
        return String(text)
    }

    @Test(arguments: HurtfulText.all)
    func `Text can't break out of its quotes`(text: String) {
        #expect(unquoted(SolrQuery.quoted(text), "\"").map { Array($0.utf8) } == Array(text.utf8))
        #expect(unquoted(SolrQuery.localParameter(text), "'").map { Array($0.utf8) } == Array(text.utf8))
    }

    @Test func `Random text never breaks out of its quotes`() {
        var random = SeededGenerator(seed: 8)
        let alphabet = Array("\"'\\ab {}!$:()*\u{301}é\n".unicodeScalars)
        for _ in 0..<2_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                text.append(alphabet[Int.random(in: 0..<alphabet.count, using: &random)])
            }
            let string = String(text)
            #expect(unquoted(SolrQuery.quoted(string), "\"").map { Array($0.utf8) } == Array(string.utf8))
        }
    }

    @Test func `Every word and phrase is a separate condition`() {
        let filters = parameters(SearchQuery(words: ["a b"], phrases: [#"say "x""#]))["fq"]
        #expect(
            filters == [
                #"{!lucene q.op=OR cache=false}title:"a b" body_t:"a b" (*:* -*:*)"#,
                #"{!lucene q.op=OR cache=false}title:"say \"x\"" body_t:"say \"x\"" (*:* -*:*)"#,
            ]
        )
    }

    @Test func `Values of fields are in separate parameters`() {
        let condition = FieldEquality(name: "o'x", value: "} OR *:*", isTokenized: false)
        let parameters = parameters(SearchQuery(), [condition])
        #expect(parameters["fq"] == [#"{!term f='o\'x' cache=false v=$fastctl.field0}"#])
        #expect(parameters["fastctl.field0"] == ["} OR *:*"])
        #expect(parameters["expandMacros"] == ["false"])
    }

    @Test func `An expression is the whole query, unchanged`() {
        var query = SearchQuery()
        query.expression = "title:(a OR b)"
        #expect(parameters(query)["q"] == ["title:(a OR b)"])
        #expect(parameters(SearchQuery())["q"] == ["*:*"])
    }

    @Test func `Only IDs are requested if documents are not wanted`() {
        var query = SearchQuery()
        query.includesDocuments = false
        #expect(parameters(query)["fl"] == ["id"])
        #expect(parameters(query, [FieldEquality(name: "t", value: "v", isTokenized: true)])["fl"] == ["*"])
    }

    @Test func `Without text fields, a search for words finds nothing`() {
        let query = SearchQuery(words: ["a"])
        #expect(SolrQuery(query, textFields: [], conditions: [], uniqueKey: "id", .after(nil)) == nil)
    }

    @Test(arguments: [
        (#"{"t":"brown"}"#, true), (#"{"t":["red","br\u006fwn"]}"#, true), (#"{"t":"brown fox"}"#, false),
        (#"{"u":"brown"}"#, false), (#"{"t":{"t":"brown"}}"#, false), ("[]", false), ("", false),
    ])
    func `A text field is compared as a whole value`(json: String, holds: Bool) {
        let condition = FieldEquality(name: "t", value: "brown", isTokenized: true)
        #expect(condition.holds(in: Array(json.utf8)) == holds)
    }
}

struct FormBodyTests {
    @Test(arguments: HurtfulText.all)
    func `Any text is preserved byte for byte`(text: String) {
        let form = FormBody([("id", text)]).bytes
        #expect(decoded(form.dropFirst("id=".utf8.count)) == Array(text.utf8))
        #expect(form.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "#") })
    }

    /// Returns the parameters as read by a server; Foundation's own decoding would drop a byte-order mark.
    private func decoded(_ form: ArraySlice<UInt8>) -> [UInt8] {
        var rest = form
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    @Test func `Repeated parameters keep their order`() {
        #expect(FormBody([("id", "a,b"), ("id", "c&d=e")]).bytes == Array("id=a%2Cb&id=c%26d%3De".utf8))
    }
}
