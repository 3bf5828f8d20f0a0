import ContentFeeding
import Testing

struct ContentDigestTests {
    private static let exact = EngineCapabilities()
    private static let lax: EngineCapabilities = {
        var capabilities = EngineCapabilities()
        capabilities.keepsDocumentBytes = false
        capabilities.mayChangeIDKey = true
        return capabilities
    }()

    private func digest(_ json: String, _ capabilities: EngineCapabilities = exact) -> ContentDigest? {
        ContentDigest(of: Array(json.utf8), "A", in: capabilities)
    }

    @Test(arguments: [
        (#"{"a":1,"b":[1,"x"]}"#, #"{ "b" : [ 1, "x" ], "a":1 }"#), (#"{"a":"\u0041"}"#, #"{"a":"A"}"#),
        (#"{"a":1,"a":2}"#, #"{"a":2}"#), (#"{"a":{"b":null}}"#, #"{"a": {"b": null}}"#),
    ])
    func `Documents in different notations have the same digest`(left: String, right: String) {
        #expect(digest(left) == digest(right))
        #expect(digest(left) != nil)
    }

    @Test(arguments: [
        (#"{"a":1}"#, #"{"a":"1"}"#), (#"{"a":1}"#, #"{"a":1.0}"#), (#"{"a":["x"]}"#, #"{"a":"x"}"#),
        (#"{"a":null}"#, "{}"), (#"{"a":["x","y"]}"#, #"{"a":["xy"]}"#), (#"{"ab":"c"}"#, #"{"a":"bc"}"#),
        (#"{"a":[["x"],"y"]}"#, #"{"a":["x",["y"]]}"#), (#"{"a":true}"#, #"{"a":"true"}"#), (#"{"id":"A"}"#, "{}"),
        (#"{"a":[]}"#, #"{"a":{}}"#), (#"{"a":{"b":1}}"#, #"{"a":{},"b":1}"#), (#"{"a":"-"}"#, #"{"a":null}"#),
    ])
    func `Different contents have different digests`(left: String, right: String) {
        #expect(digest(left) != digest(right))
    }

    @Test(arguments: [
        (#"{"a":1}"#, #"{"a":"1"}"#), (#"{"a":2}"#, #"{"a":2.0}"#), (#"{"a":1.50}"#, #"{"a":1.5}"#),
        (#"{"a":["x"]}"#, #"{"a":"x"}"#), (#"{"a":null,"b":[]}"#, "{}"), (#"{"id":"A","v":1}"#, #"{"v":1}"#),
        (#"{"a":[null,"x"]}"#, #"{"a":"x"}"#), (#"{"a":true}"#, #"{"a":"true"}"#),
    ])
    func `For an engine that keeps only the meaning of values, different notations have the same digest`(
        left: String,
        right: String
    ) {
        #expect(digest(left, Self.lax) == digest(right, Self.lax))
    }

    @Test(arguments: [
        (#"{"a":1}"#, #"{"a":2}"#), (#"{"a":["x","y"]}"#, #"{"a":["y","x"]}"#), (#"{"id":"B"}"#, "{}"),
        (#"{"a":"007"}"#, #"{"a":"7"}"#), (#"{"a":["x","y"]}"#, #"{"a":"x"}"#),
    ])
    func `Different values have different digests, even for an engine that keeps only their meaning`(
        left: String,
        right: String
    ) {
        #expect(digest(left, Self.lax) != digest(right, Self.lax))
    }

    @Test func `Only objects have a digest, and a stored digest can be read back`() throws {
        #expect(digest("[1]") == nil)
        #expect(digest("{") == nil)
        let empty = try #require(digest("{}"))
        #expect(ContentDigest(rawValue: empty.rawValue) == empty)
        #expect(ContentDigest(rawValue: "none") == ContentDigest.none)
        for text in ["", "None", String(empty.rawValue.dropLast()), empty.rawValue + "a"] {
            #expect(ContentDigest(rawValue: text) == nil)
        }
    }
}
