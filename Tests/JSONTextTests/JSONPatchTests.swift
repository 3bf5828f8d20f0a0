import JSONText
import Testing

struct JSONPatchTests {
    private func merged(_ base: String, _ patch: String) throws -> String? {
        try JSONPatch.merged(base: Array(base.utf8), patch: Array(patch.utf8)).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    private func reason(_ base: String, _ patch: String) throws -> String {
        let error = #expect(throws: JSONPatchError.self) { try merged(base, patch) }
        return try #require(error).description
    }

    @Test(arguments: [
        (#"{"n":1}"#, #"{"n":{"$inc":2}}"#, #"{"n":3}"#),
        (#"{}"#, #"{"n":{"$inc":2}}"#, #"{"n":2}"#),
        (#"{"n":null}"#, #"{"n":{"$inc":2}}"#, #"{"n":2}"#),
        (#"{"n":1}"#, #"{"n": { "$inc" : -1 } }"#, #"{"n":0}"#),
        (#"{"n":0.1}"#, #"{"n":{"$inc":0.2}}"#, #"{"n":0.3}"#),
        (#"{"n":-0.05}"#, #"{"n":{"$inc":0.01}}"#, #"{"n":-0.04}"#),
        (#"{"n":1.50}"#, #"{"n":{"$inc":1}}"#, #"{"n":2.50}"#),
        (#"{"n":1e3}"#, #"{"n":{"$inc":1}}"#, #"{"n":1001}"#),
        (#"{"n":1}"#, #"{"n":{"$inc":25E-1}}"#, #"{"n":3.5}"#),
        (#"{"n":9007199254740993}"#, #"{"n":{"$inc":1}}"#, #"{"n":9007199254740994}"#),
        (#"{"n":18446744073709551615}"#, #"{"n":{"$inc":1}}"#, #"{"n":18446744073709551616}"#),
    ])
    func `Numbers are added exactly`(base: String, patch: String, result: String) throws {
        #expect(try merged(base, patch) == result)
    }

    @Test func `An operator that would be stored is found`() {
        let rows: [(json: String, isPatch: Bool, reason: String?)] = [
            (#"{"p":{"net":{"$inc":1}}}"#, true, #"{"p.net":{"$inc":…}}"#),
            (#"{"p":{"a":1,"b":{"c":{"$remove":["x"]}}}}"#, true, #"{"p.b.c":{"$remove":…}}"#),
            (#"{"p":[1,{"a":{"$inc":1}}]}"#, true, "has $inc within the list 'p.a'"),
            (#"{"n":{"$inc":1},"p.net":{"$add":["a"]}}"#, true, nil),
            (#"{"n":{"$set":{"p":{"$inc":1}}}}"#, true, nil),
            (#"{"n":{"$inc":1}}"#, false, "has $inc in 'n', but only an update applies operators"),
            (#"{"p":{"net":{ "$set" : 1 }}}"#, false, "has $set in 'p.net'"),
            (#"{"n":1,"$inc":{"m":1}}"#, true, #"has $inc in the place of a key; write {"KEY":{"$inc":…}}"#),
            (#"{"$inc":{"$set":{"m":1}},"$set":1}"#, true, nil),
            // An escaped dollar sign does not make an operator.
            (#"{"n":{"\u0024inc":1}}"#, true, #"write {"n":{"$inc":…}}"#),
            (#"{"n":{"\u0024inc":1}}"#, false, "has $inc in 'n', but only an update applies operators"),
            (#"{"t":"\"\\","p":[{"\u0024\u0069nc":1}]}"#, true, "has $inc within the list 'p'"),
            (#"{"\u0024set":{"n":1}}"#, true, "has $set in the place of a key"),
            (#"{"t":"\\u0024inc costs \u0024","n":{"\\u0024inc":1}}"#, true, nil),
            // Data of other systems.
            (#"{"at":{"$date":"2026-11-29"},"p":{"$ref":1,"b":2},"$inc":3}"#, false, nil),
            (#"{"p":{"at":{"$date":1},"q":{"b":2,"$in":[1]}}}"#, true, nil),
            // Operators beside other keys.
            (#"{"p":{"at":{"$date":1},"q":{"b":2,"$inc":1}}}"#, true, "has $inc beside other keys in 'p.q'"),
            (#"{"z":{"z":2,"$inc":1}}"#, true, #"{"z.KEY":{"$inc":…}}"#),
            (#"{"y":{"a":1,"$set":1}}"#, false, "has $set in 'y', but only an update applies operators"),
            (#"{"y":{"$inc":1,"$add":[1]}}"#, false, "has $inc in 'y'"),
        ]
        for row in rows {
            let found = JSONPatch.misplacedOperator(in: Array(row.json.utf8), isPatch: row.isPatch)
            let reason = found?.reason
            let isRight = row.reason.map { reason?.contains($0) == true } ?? (reason == nil)
            #expect(isRight, "\(row.json): \(reason ?? "none")")
        }
    }

    @Test(arguments: [
        (#"{"a":1,"b":1}"#, #"{"b":2,"c":null}"#, #"{"a":1,"b":2,"c":null}"#),
        (#"{"n":1,"t":["a"]}"#, #"{"n":{"$inc":2},"t":{"$add":["b"]}}"#, #"{"n":3,"t":["a","b"]}"#),
        (#"{"n":null}"#, #"{"n":{"$inc":2}}"#, #"{"n":2}"#), (#"{"n":1}"#, #"{"n":{"$set":null}}"#, #"{"n":null}"#),
        // Without the object, the value is not known.
        (#"{"n":{"$inc":1},"a":1}"#, #"{"n":{"$inc":2}}"#, #"{"a":1,"n":{"$inc":2}}"#),
        (#"{"n":{"$inc":1},"p.m":{"$inc":1}}"#, #"{"n":7,"p":{"m":0}}"#, #"{"n":7,"p":{"m":0}}"#),
        (#"{"p.m":1,"p":2}"#, #"{"p.m":3}"#, #"{"p":2,"p.m":3}"#),
    ])
    func `Two patches are combined as far as the values are known`(first: String, second: String, both: String) throws {
        let combined = JSONPatch.combined(Array(first.utf8), then: Array(second.utf8))
        #expect(combined.map { String(decoding: $0, as: UTF8.self) } == both)
        // Whatever the object, the combination describes its final state.
        for base in ["{}", #"{"a":0,"n":5,"p":{"m":4},"t":["b"]}"#] {
            let once = try merged(base, first) ?? base
            let end = try merged(once, second) ?? once
            let rest = JSONPatch.withoutCounters(try #require(combined))
            #expect(try JSONPatch.merged(base: Array(end.utf8), patch: rest) == nil, "\(end)")
        }
    }

    @Test(arguments: [
        (#"{"n":"x"}"#, #"{"n":{"$inc":1}}"#), (#"{"n":1,"n":2}"#, "{}"), ("{}", #"{"n":1,"n":2}"#), ("[]", "{}"),
    ])
    func `Patches that have no known combination are not combined`(first: String, second: String) {
        #expect(JSONPatch.combined(Array(first.utf8), then: Array(second.utf8)) == nil)
    }

    @Test(arguments: [
        (#"{"t":["a"]}"#, #"{"t":{"$add":["b","a","b"]}}"#, #"{"t":["a","b"]}"#),
        (#"{}"#, #"{"t":{"$add":["a"]}}"#, #"{"t":["a"]}"#),
        (#"{"t":"a"}"#, #"{"t":{"$add":"b"}}"#, #"{"t":["a","b"]}"#),
        (#"{"t":[1,{"k":[2]}]}"#, #"{"t":{"$add":[{ "k": [2] },3]}}"#, #"{"t":[1,{"k":[2]},3]}"#),
        (#"{"t":["a","b","a"]}"#, #"{"t":{"$remove":["a"]}}"#, #"{"t":["b"]}"#),
        (#"{"t":["a"]}"#, #"{"t":{"$remove":"a"}}"#, #"{"t":[]}"#),
        (#"{"t":"a","u":1}"#, #"{"t":{"$remove":"a"}}"#, #"{"u":1}"#),
        (#"{"t":["a","b"]}"#, #"{"t":{"$remove":["a"],"$add":["c"]}}"#, #"{"t":["b","c"]}"#),
    ])
    func `A patch adds values to lists, and removes values from them`(
        base: String,
        patch: String,
        result: String
    ) throws {
        #expect(try merged(base, patch) == result)
    }

    @Test(arguments: [
        (#"{"p":{"net":1,"x":2}}"#, #"{"p.net":{"$inc":4}}"#, #"{"p":{"net":5,"x":2}}"#),
        (#"{"p":{"a":{"b":1}}}"#, #"{"p.a.b":{"$set":"x"},"p.c":{"$set":[1]}}"#, #"{"p":{"a":{"b":"x"},"c":[1]}}"#),
        (#"{}"#, #"{"p.a.b":{"$inc":1}}"#, #"{"p":{"a":{"b":1}}}"#),
        (#"{"p":{"a":1,"b":2}}"#, #"{"p.a":{"$set":null}}"#, #"{"p":{"b":2}}"#),
        (#"{"p.net":1,"p":{"net":7}}"#, #"{"p.net":{"$inc":1}}"#, #"{"p.net":2,"p":{"net":7}}"#),
        (#"{"p":{"net":7}}"#, #"{"p.net":8}"#, #"{"p":{"net":7},"p.net":8}"#),
        (#"{"p":1}"#, #"{"p":{"a":1},"p.a":{"$inc":1}}"#, #"{"p":{"a":2}}"#),
        (#"{"a..b":1}"#, #"{"a..b":{"$inc":1}}"#, #"{"a..b":2}"#),
    ])
    func `An operator's key is a path unless the object contains that key`(
        base: String,
        patch: String,
        result: String
    ) throws {
        #expect(try merged(base, patch) == result)
    }

    @Test(arguments: [
        (#"{"n":1}"#, #"{"n":{"$inc":0}}"#), (#"{"t":["a"]}"#, #"{"t":{"$add":["a"]}}"#),
        (#"{"t":"a"}"#, #"{"t":{"$add":"a"}}"#), (#"{"t":["a"]}"#, #"{"t":{"$remove":["b"]}}"#),
        (#"{}"#, #"{"t":{"$remove":["b"]}}"#), (#"{}"#, #"{"p.a":{"$set":null}}"#),
        (#"{"p":{"a":1}}"#, #"{"p.b":{"$remove":["x"]}}"#), (#"{"n":{"$inc":1}}"#, #"{"n":{"$set":{"$inc":1}}}"#),
    ])
    func `Operators that change no value leave every byte unchanged`(base: String, patch: String) throws {
        #expect(try merged(base, patch) == nil)
    }

    @Test(arguments: [
        (#"{"n":"1"}"#, #"{"n":{"$inc":1}}"#, "'n' is \"1\""), (#"{}"#, #"{"n":{"$inc":"1"}}"#, "must have a number"),
        (#"{"n":1e99}"#, #"{"n":{"$inc":1}}"#, "exactly"),
        (#"{}"#, #"{"n":{"$inc":1e400}}"#, "can't add 1e400 exactly"),
        (#"{}"#, #"{"n":{"$push":1}}"#, "'$push' in 'n' is not an update operator"),
        (#"{}"#, #"{"n":{"$inc":1,"x":2}}"#, "'x' in 'n' is not an update operator"),
        (#"{"p":3}"#, #"{"p.a":{"$inc":1}}"#, "'p' is 3, not an object"),
        ("[]", #"{"n":{"$inc":1}}"#, "single JSON object"),
        ("{}", "[]", "single JSON object"),
    ])
    func `A patch that can't be applied is refused with the reason`(base: String, patch: String, words: String) throws {
        #expect(try reason(base, patch).contains(words))
    }

    @Test func `A sum that cannot be represented exactly is refused`() throws {
        let nines = String(repeating: "9", count: 38)
        #expect(
            try merged(#"{"n":\#(nines)}"#, #"{"n":{"$inc":1}}"#) == #"{"n":1\#(String(repeating: "0", count: 38))}"#
        )
        #expect(try reason(#"{"n":\#(nines)99}"#, #"{"n":{"$inc":1}}"#).contains("exactly"))
    }

    @Test(arguments: [
        #"{"a":1}"#, #"{"a":{"$inc":1},"b":2}"#, #"{"a":{ "$x":1}}"#, #"{"a":{"b":{"$inc":1}}}"#, #"{"a":"$inc"}"#,
        #"{"a.b":{"$set":null}}"#, #"{"a":{"\u0024inc":1}}"#,
    ])
    func `A literal patch sets each value as written`(patch: String) throws {
        let literal = JSONPatch.literal(Array(patch.utf8))
        let result = try JSONPatch.merged(base: Array("{}".utf8), patch: literal)
        #expect(try JSONDifference(from: Array(patch.utf8), to: result ?? []).isEmpty)
        #expect(!JSONPatch.isCounting(literal))
    }

    @Test func `Only a patch that increments a number has a different result when it is applied again`() {
        #expect(JSONPatch.isCounting(Array(#"{"a":{"$add":["x"]},"b":{"$inc":1}}"#.utf8)))
        #expect(!JSONPatch.isCounting(Array(#"{"a":{"$add":["$inc"]},"b":{"c":{"$inc":1}}}"#.utf8)))
        #expect(!JSONPatch.isCounting(Array(#"{"a":{"$set":{"$inc":1}}}"#.utf8)))
        let counting = Array(#"{"n":5,"n":{"$inc":1},"a":{"$add":["x"]},"b":null}"#.utf8)
        #expect(JSONPatch.withoutCounters(counting) == Array(#"{"a":{"$add":["x"]},"b":null}"#.utf8))
    }

    @Test func `Without paths, a dot is part of the key`() throws {
        let patch = Array(#"{"a.b":{"$inc":1},"c":2}"#.utf8)
        let resolved = try JSONPatch.resolved(patch, on: Array(#"{"a.b":4,"a":"x"}"#.utf8), hasPaths: false)
        #expect(String(decoding: resolved, as: UTF8.self) == #"{"a.b":5,"c":2}"#)
    }
}
