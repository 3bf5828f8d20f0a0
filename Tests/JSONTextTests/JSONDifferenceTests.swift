import JSONText
import Testing

struct JSONDifferenceTests {
    private func difference(
        _ old: String,
        _ new: String,
        ignoring isIgnored: (String, ArraySlice<UInt8>) -> Bool = { _, _ in false }
    ) throws -> JSONDifference {
        try JSONDifference(from: Array(old.utf8), to: Array(new.utf8), ignoring: isIgnored)
    }

    @Test func `Added, changed and removed keys are distinguished`() throws {
        let found = try difference(#"{"a":1,"b":[1,2],"c":"x","d":null}"#, #"{"e":0,"b":[2,1],"a":1,"d":false}"#)
        #expect(found.added == ["e"])
        #expect(found.changed == ["b", "d"])
        #expect(found.removed == ["c"])
    }

    @Test func `Whitespace, escapes and the order of keys are not differences`() throws {
        #expect(try difference(#"{"a":"\u0041","b":{"x":1}}"#, #" { "b" : {"x" :1} , "\u0061":"A"} "#).isEmpty)
    }

    @Test func `Numbers are compared as written, and only the last value of a repeated key is compared`() throws {
        #expect(try difference(#"{"a":1}"#, #"{"a":1.0}"#).changed == ["a"])
        #expect(try difference(#"{"a":1,"a":2}"#, #"{"a":2}"#).isEmpty)
        #expect(try difference(#"{"a":2}"#, #"{"a":2,"a":1}"#).changed == ["a"])
    }

    @Test func `Keys that look alike but differ in bytes are different keys`() throws {
        let found = try difference(#"{"\u00e9":1}"#, #"{"e\u0301":1}"#)
        #expect(found.added.count == 1 && found.removed.count == 1)
    }

    @Test func `A key can be ignored only if one of the two objects lacks it`() throws {
        let found = try difference(#"{"a":1,"b":1}"#, #"{"a":2,"c":1}"#) { _, _ in true }
        #expect(found.added.isEmpty && found.removed.isEmpty)
        #expect(found.changed == ["a"])
    }

    @Test(arguments: ["", "[]", "{", #"{"a":}"#]) func `Anything but an object is an error`(json: String) {
        #expect(throws: JSONError.self) { try difference(json, "{}") }
        #expect(throws: JSONError.self) { try difference("{}", json) }
    }
}
