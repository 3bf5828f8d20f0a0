import JSONText
import Testing

struct JSONScannerTests {
    @Test func `Values of every type are read`() throws {
        let json = Array(
            #" {"i": -12, "d": 2.5e1, "b": true, "z": null, "s": "a\n\u00e9\ud83d\ude00", "l": [1, "x"]} "#.utf8
        )
        var scanner = JSONScanner(json.span)
        var keys: [String] = []
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            keys.append(scanner.text(of: key))
            switch keys.last {
            case "i":
                let value = try scanner.int()
                #expect(value == -12)
            case "d":
                let value = try scanner.double()
                #expect(value == 25)
            case "b":
                let value = try scanner.bool()
                #expect(value)
            case "z": try scanner.null()
            case "s":
                let value = try scanner.stringText()
                #expect(value == "a\né😀")
            default:
                let value = try scanner.skipValue()
                #expect(scanner.rawText(value) == #"[1, "x"]"#)
            }
        }
        try scanner.end()
        #expect(keys == ["i", "d", "b", "z", "s", "l"])
    }

    @Test(arguments: ["9223372036854775808", "1.0", "1e2", "-9223372036854775809"])
    func `A whole number must be in range`(text: String) {
        #expect(throws: JSONError.self) {
            let json = Array(text.utf8)
            var scanner = JSONScanner(json.span)
            _ = try scanner.int()
        }
    }

    @Test func `A double must be finite`() {
        #expect(throws: JSONError.self) {
            let json = Array("1e999".utf8)
            var scanner = JSONScanner(json.span)
            _ = try scanner.double()
        }
    }

    @Test func `Keys are compared by bytes`() throws {
        let json = Array("{\"e\u{301}\":1,\"\u{E9}\":2}".utf8)
        let members = try JSONMembers(of: json.span)
        #expect(members["é"]?.value == json.count - 2..<json.count - 1)
        #expect(members.duplicateKey == nil)
        #expect(members["x"] == nil)
    }

    @Test func `Members are returned with their positions`() throws {
        let json = Array(#" { "a" : [1] , "\u0061" : "x" } "#.utf8)
        let members = try JSONMembers(of: json.span)
        #expect(members.all.map(\.key) == ["a", "a"])
        #expect(members.all.map(\.kind) == [.array, .string])
        #expect(members.all.map { String(decoding: json[$0.value], as: UTF8.self) } == ["[1]", "\"x\""])
        #expect(members.all.map { String(decoding: json[$0.keyRange], as: UTF8.self) } == ["\"a\"", "\"\\u0061\""])
        #expect(members.duplicateKey == "a")
        #expect(members.range == 1..<json.count - 1)
    }

    @Test func `Strings are visited in document order`() throws {
        let json = Array(#"{"k":"a","l":["b",1,{"m":"c\n"}],"n":null}"#.utf8)
        var found: [String] = []
        try JSONStrings.visit(json.span) { found.append($0) }
        #expect(found == ["a", "b", "c\n"])
        var bytes: [UInt8] = []
        try JSONStrings.append(json.span, separator: 10, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "a\nb\nc\n\n")
    }

    @Test(arguments: [
        ("s", "a\"b", true), ("s", "a", false), ("n", "1.50", true), ("n", "1.5", false), ("b", "true", true),
        ("z", "null", false), ("o", "{}", false),
        ("x", "y", false), ("s2", "é", true), ("s2", "e\u{301}", false),
    ])
    func `A field's value is compared with text`(name: String, text: String, isEqual: Bool) throws {
        let json = Array(#"{"s":"a\"b","n":1.50,"b":true,"z":null,"o":{"x":"y"},"s2":"\u00e9"}"#.utf8)
        let result = try JSONStrings.field(name, of: json.span, equals: text)
        #expect(result == isEqual)
    }

    @Test(arguments: [("s", true), ("l", true), ("m", false), ("n", false), ("o", false)])
    func `A field matches text if its value is the text, or a list that contains it`(name: String, isEqual: Bool) throws
    {
        let json = Array(#"{"s":"1","l":["2",1,"\u0031",null],"m":[1,["1"]],"n":1,"o":{"s":"1"}}"#.utf8)
        #expect(try JSONStrings.field(name, of: json.span, equals: "1", by: .listed) == isEqual)
    }

    @Test(arguments: [
        (#""abc""#, "abc", true), (#""abc""#, "ab", false), (#""ab""#, "abc", false), (#""""#, "", true),
        (#""\u0061bc""#, "abc", true), (#""\u0061b""#, "abc", false), (#""a\/b""#, "a/b", true), (#""\n""#, "n", false),
        (#""é""#, "é", true), (#""\u00e9""#, "é", true), (#""é""#, "e\u{301}", false), (#""😀""#, "😀", true),
        (#""\ud83d\ude00""#, "😀", true), (#""\ud83d\ude00""#, "😁", false),
    ])
    func `A JSON string is compared with bytes`(json: String, text: String, isEqual: Bool) throws {
        let bytes = Array(json.utf8)
        var scanner = JSONScanner(bytes.span)
        let token = try scanner.string()
        #expect(scanner.isEqual(token, utf8: text.utf8.span) == isEqual)
        #expect(scanner.isEqual(token, text) == isEqual)
    }
}

/// Cases that parsers are known to get wrong, in the categories of JSONTestSuite.
struct ConformanceTests {
    @Test(arguments: [
        "[]", "{}", "\"\"", "0", "-0", "-1", "1.5", "1e5", "1E+5", "1e-5", "0.1e1", "[1,2]", " [ 1 , 2 ] ", "null",
        "true", "false",
        "{\"a\":1}", "{\"a\":{\"b\":[]}}", "{\"a\":1,\"a\":2}", "{\"\":0}", "[[[[]]]]",
        "\"\\u0041\\n\\/\\b\\f\\r\\t\\\\\\\"\"",
        "\"\\uD83D\\uDE00\"", "\"é日😀\"", "\"\u{2028}\u{2029}\u{7F}\"", "\"\\u0000\"", "\"\\uFFFF\"",
        "123456789012345678901234567890",
        "\t\r\n 1 \t\r\n", "[null,true,false,\"x\",1]", "1e999", "\"\\uFEFF\"", "20e1", "[0e1,0E0]",
    ])
    func `Valid JSON is accepted`(text: String) throws(JSONError) {
        try check(Array(text.utf8))
    }

    @Test(arguments: [
        "", " ", "[", "]", "{", "}", "[1", "[1,", "[1,]", "[,1]", "[,]", "[1,,2]", "[1 2]", "{\"a\"}", "{\"a\":}",
        "{\"a\":1,}", "{,}", "{a:1}",
        "{'a':1}", "{1:1}", "{\"a\":1 \"b\":2}", "{\"a\" 1}", "{\"a\"::1}", "{\"a\":1]", "[1}", "01", "-", "-01", "+1",
        ".5", "1.", "1.e1",
        "1e", "1e+", "0x1", "1_0", "NaN", "Infinity", "-Infinity", "nul", "nulll", "True", "tru", "\"", "\"a", "\"\\\"",
        "\"\\x41\"",
        "\"\\u004\"", "\"\\u00G0\"", "\"\\uD800\"", "\"\\uDC00\"", "\"\\uD800\\u0041\"", "\"\\uD800\\uD800\"",
        "\"\\uD800x\"", "\"\\uD83D\\n\"",
        "\"a\nb\"", "\"a\tb\"", "\"\0\"", "1 2", "[]x", "{}{}", "[] // c", "/**/1", "\u{FEFF}1", "\"\\", "\"\\u", "1\0",
        "[1]\0", "\u{A0}1",
        "\u{2028}1", "-a", "1a", "[1a]", "1.2.3", "1ee2", "--1", "\"a\"b", "\"\\U0041\"", "\"\\ \"", "[\"a\",\n4\n,1,",
    ])
    func `Invalid JSON is refused`(text: String) {
        #expect(throws: JSONError.self) { try check(Array(text.utf8)) }
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xC3, 0x22],
            [0xFF, 0xFE, 0x31, 0x00],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22], [0xEF, 0xBB, 0xBF, 0x31],
        ] as [[UInt8]]
    )
    func `Invalid UTF-8 is refused`(bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try check(bytes) }
    }

    @Test func `Nesting is limited`() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        try check(nested(JSONScanner.maximumDepth))
        let error = #expect(throws: JSONError.self) { try check(nested(JSONScanner.maximumDepth + 1)) }
        #expect(error?.description == "nested deeper than 64 levels at byte 65")
        #expect(throws: JSONError.self) { try check(nested(100_000)) }
    }

    @Test(arguments: [
        ("{\"a\":tru}", 5, "expected true"), ("[1 2]", 3, "expected ',' or ']'"),
        ("[1", 2, "ends where ',' or ']' is expected"),
        ("\"\\q\"", 1, "an unknown escape in a string"), ("\"a\\uD800\"", 2, "an unpaired surrogate"),
        ("1 x", 2, "expected the end"),
        ("{\"a\":1,}", 7, "expected a value after ','"), ("\"ab", 3, "a string has no closing quote"),
        ("{\"a\":NaN}", 5, "expected a value other than NaN, Infinity or None"),
        ("[-Infinity]", 2, "expected a value other than NaN, Infinity or None"), ("[-x]", 2, "expected a digit"),
    ])
    func `An error has a position`(text: String, offset: Int, message: String) {
        let error = #expect(throws: JSONError.self) { try check(Array(text.utf8)) }
        #expect(error == JSONError(offset: offset, message: message))
    }

    @Test func `Invalid text is never read beyond its end`() throws {
        let sample = Array(
            #"{"id":"a\u00e9\ud83d\ude00é","n":[1,-2.5e+10,true,false,null,{}],"o":{"x":"\\\"\/"},"u":"日本"} "#.utf8
        )
        try check(sample)
        for count in 0..<sample.count - 1 {
            let part = Array(sample[..<count])
            #expect(throws: JSONError.self) { try check(part) }
        }
        for index in sample.indices {
            for byte in [0, 0x22, 0x5C, 0x7B, 0x5D, 0x2C, 0x80, 0xFF, 0x75, 0x65] as [UInt8] {
                var mutated = sample
                mutated[index] = byte
                // Regardless of the result, the call must return, and every accepted value can be visited.
                try? JSONStrings.visit(mutated.span) { _ in }
                _ = try? JSONMerge.merged(base: mutated, patch: sample)
                _ = try? JSONMerge.merged(base: sample, patch: mutated)
            }
        }
    }
}

func check(_ bytes: [UInt8]) throws(JSONError) {
    var scanner = JSONScanner(bytes.span)
    try scanner.skipValue()
    try scanner.end()
}
