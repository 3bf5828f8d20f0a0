import JSONText
import Testing

/// A small text as a tree.
@Suite struct JSONValueTests {
    @Test func pathsGoThroughWhatIsNotThere() throws {
        let value = try JSONValue(Array(#"{"a":{"b":[1,{"c":"x"}]},"n":null}"#.utf8))
        #expect(value["a"]["b"].elements.last?["c"].text == "x")
        #expect(value["n"] == .null)
        #expect(value["a"]["z"]["c"] == .null)
        #expect(value["a"].text == nil)
        #expect(value["a"]["b"]["c"] == .null)
    }

    @Test func membersKeepTheirOrder() throws {
        let value = try JSONValue(Array(#"{"b":1,"a":2,"b":3}"#.utf8))
        #expect(value.members.map(\.key) == ["b", "a", "b"])
        #expect(value["b"].int == 1)
    }

    @Test(arguments: [("7", 7), (#""7""#, 7), ("-7", -7), ("7.5", nil), ("99999999999999999999", nil), ("true", nil)])
    func wholeNumbers(json: String, number: Int?) throws {
        #expect(try JSONValue(Array(json.utf8)).int == number)
    }

    @Test(arguments: [("7", 7), ("-1", 0), (#""-1""#, 0), (#""many""#, nil)])
    func counts(json: String, count: Int?) throws {
        #expect(try JSONValue(Array(json.utf8)).amount == count)
    }

    @Test(arguments: [("true", true), (#""false""#, false), (#""yes""#, nil), ("1", nil), ("null", nil)])
    func trueAndFalse(json: String, isTrue: Bool?) throws {
        #expect(try JSONValue(Array(json.utf8)).bool == isTrue)
    }

    @Test(arguments: ["", "{", "[1,]", "{} {}", #"{"a"}"#, String(repeating: "[", count: 5_000)])
    func textThatIsNoneIsRefused(json: String) {
        #expect(throws: JSONError.self) { try JSONValue(Array(json.utf8)) }
    }
}
