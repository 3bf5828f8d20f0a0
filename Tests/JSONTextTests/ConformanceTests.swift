import JSONText
import Testing

/// The cases that parsers are known to get wrong, after the categories of JSONTestSuite.
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
    func isJSON(text: String) throws(JSONError) {
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
    func isNotJSON(text: String) {
        #expect(throws: JSONError.self) { try check(Array(text.utf8)) }
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xC3, 0x22],
            [0xFF, 0xFE, 0x31, 0x00],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22], [0xEF, 0xBB, 0xBF, 0x31],
        ] as [[UInt8]]
    )
    func isNotUTF8(bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try check(bytes) }
    }

    @Test func nestingIsBounded() throws {
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
        ("[1", 2, "ends where ',' or ']' should come"),
        ("\"\\q\"", 1, "an unknown escape in a string"), ("\"a\\uD800\"", 2, "half a surrogate pair"),
        ("1 x", 2, "expected the end"),
        ("{\"a\":1,}", 7, "expected a value after ','"), ("\"ab", 3, "a string has no closing quote"),
    ])
    func anErrorHasAPlace(text: String, offset: Int, message: String) {
        let error = #expect(throws: JSONError.self) { try check(Array(text.utf8)) }
        #expect(error == JSONError(offset: offset, message: message))
    }

    @Test func brokenTextIsNeverReadBeyond() throws {
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
                // Whatever it says: it must come back, and what is accepted can be visited.
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
