import JSONText
import Testing

/// A small text as a tree.
@Suite struct JSONValueTests {
    @Test func `A path through a missing value leads to null`() throws {
        let value = try JSONValue(Array(#"{"a":{"b":[1,{"c":"x"}]},"n":null}"#.utf8))
        #expect(value["a"]["b"].elements.last?["c"].text == "x")
        #expect(value["n"] == .null)
        #expect(value["a"]["z"]["c"] == .null)
        #expect(value["a"].text == nil)
        #expect(value["a"]["b"]["c"] == .null)
    }

    @Test func `Members keep their order`() throws {
        let value = try JSONValue(Array(#"{"b":1,"a":2,"b":3}"#.utf8))
        #expect(value.members.map(\.key) == ["b", "a", "b"])
        #expect(value["b"].int == 1)
    }

    @Test(arguments: [("7", 7), (#""7""#, 7), ("-7", -7), ("7.5", nil), ("99999999999999999999", nil), ("true", nil)])
    func `Whole numbers are parsed`(json: String, number: Int?) throws {
        #expect(try JSONValue(Array(json.utf8)).int == number)
    }

    @Test(arguments: [("7", 7), ("-1", 0), (#""-1""#, 0), (#""many""#, nil)])
    func `A count is parsed, and a negative one becomes zero`(json: String, count: Int?) throws {
        #expect(try JSONValue(Array(json.utf8)).amount == count)
    }

    @Test(arguments: [("true", true), (#""false""#, false), (#""yes""#, nil), ("1", nil), ("null", nil)])
    func `Booleans are parsed`(json: String, isTrue: Bool?) throws {
        #expect(try JSONValue(Array(json.utf8)).bool == isTrue)
    }

    @Test(arguments: ["", "{", "[1,]", "{} {}", #"{"a"}"#, String(repeating: "[", count: 5_000)])
    func `Invalid text is refused`(json: String) {
        #expect(throws: JSONError.self) { try JSONValue(Array(json.utf8)) }
    }
}

struct JSONMergeTests {
    @Test(arguments: [
        (#"{"a":1}"#, #"{"a":2}"#, #"{"a":2}"#), (#"{"a":1}"#, #"{"b":2}"#, #"{"a":1,"b":2}"#),
        (#"{}"#, #"{"b":2}"#, #"{"b":2}"#),
        (#"{"a":1,"b":2}"#, #"{"a":null}"#, #"{"b":2}"#), (#"{"a":1,"b":2}"#, #"{"b":null}"#, #"{"a":1}"#),
        (#"{"a":1}"#, #"{"a":null}"#, #"{}"#),
        (#"{"a":1,"b":2,"c":3}"#, #"{"b":null,"d":[ 1 ]}"#, #"{"a":1,"c":3,"d":[ 1 ]}"#),
        (#"{"a":1}"#, #"{"a":null,"b":2}"#, #"{"b":2}"#),
        (#" { "a" : 1 , "b" : 2 } "#, #"{"a":9}"#, #" { "a" : 9 , "b" : 2 } "#),
        (#" { "a" : 1 , "b" : 2 } "#, #"{"c":9}"#, #" { "a" : 1 , "b" : 2, "c":9 } "#),
        ("{\n  \"a\": 1\n}", #"{"b":2}"#, "{\n  \"a\": 1,\n  \"b\":2\n}"),
        (#"{"a":1,"x":0,"a":2}"#, #"{"a":3}"#, #"{"x":0,"a":3}"#),
        (#"{"a":1,"x":0,"a":2}"#, #"{"a":null}"#, #"{"x":0}"#), (#"{"a":1}"#, #"{"a":2,"a":3}"#, #"{"a":3}"#),
        (#"{"a":{"x":1,"y":2}}"#, #"{"a":{"x":null}}"#, #"{"a":{"x":null}}"#),
        (#"{"a":1}"#, #"{"a":1.0}"#, #"{"a":1.0}"#),
        (#"{"a":"x y"}"#, #"{"a":"x  y"}"#, #"{"a":"x  y"}"#), (#"{"\u0061":1}"#, #"{"a":2}"#, #"{"\u0061":2}"#),
        ("{\"e\u{301}\":1}", "{\"\u{E9}\":1}", "{\"e\u{301}\":1,\"\u{E9}\":1}"), (#"{"a":null}"#, #"{"a":null}"#, "{}"),
    ])
    func `Top-level keys are merged`(base: String, patch: String, merged: String) throws {
        let result = try JSONMerge.merged(base: Array(base.utf8), patch: Array(patch.utf8))
        #expect(result.map { String(decoding: $0, as: UTF8.self) } == merged)
        try check(result ?? [])
    }

    @Test(arguments: [
        (#"{"a":1}"#, #"{}"#), (#"{"a":1}"#, #"{"a":1}"#), (#"{"a":1}"#, #"{"b":null}"#),
        (#"{"a":[1, {"b": "c"}]}"#, #"{"a":[1,{"b":"c"}]}"#),
        (#"{"a":"\u00e9\/"}"#, #"{"a":"é/"}"#), (#"{"a":1,"a":2}"#, #"{"a":2}"#), (#"{"a":true}"#, " {\"a\"\n:true } "),
    ])
    func `A patch that matches the existing values changes nothing`(base: String, patch: String) throws {
        #expect(try JSONMerge.merged(base: Array(base.utf8), patch: Array(patch.utf8)) == nil)
    }

    @Test(arguments: [("[]", "{}"), ("{}", "1"), ("{", "{}"), ("{}", "{\"a\":}"), ("{} x", "{}")])
    func `The base and the patch must both be objects`(base: String, patch: String) {
        #expect(throws: JSONError.self) { try JSONMerge.merged(base: Array(base.utf8), patch: Array(patch.utf8)) }
    }
}
