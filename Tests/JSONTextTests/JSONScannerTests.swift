import JSONText
import Testing

struct JSONScannerTests {
    @Test func valuesAreRead() throws {
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
    func aWholeNumberMustFit(text: String) {
        #expect(throws: JSONError.self) {
            let json = Array(text.utf8)
            var scanner = JSONScanner(json.span)
            _ = try scanner.int()
        }
    }

    @Test func aDoubleMustBeFinite() {
        #expect(throws: JSONError.self) {
            let json = Array("1e999".utf8)
            var scanner = JSONScanner(json.span)
            _ = try scanner.double()
        }
    }

    @Test func keysAreComparedByBytes() throws {
        let json = Array("{\"e\u{301}\":1,\"\u{E9}\":2}".utf8)
        let members = try JSONMembers(of: json.span)
        #expect(members["é"]?.value == json.count - 2..<json.count - 1)
        #expect(members.duplicateKey == nil)
        #expect(members["x"] == nil)
    }

    @Test func membersHavePlaces() throws {
        let json = Array(#" { "a" : [1] , "\u0061" : "x" } "#.utf8)
        let members = try JSONMembers(of: json.span)
        #expect(members.all.map(\.key) == ["a", "a"])
        #expect(members.all.map(\.kind) == [.array, .string])
        #expect(members.all.map { String(decoding: json[$0.value], as: UTF8.self) } == ["[1]", "\"x\""])
        #expect(members.all.map { String(decoding: json[$0.keyRange], as: UTF8.self) } == ["\"a\"", "\"\\u0061\""])
        #expect(members.duplicateKey == "a")
        #expect(members.range == 1..<json.count - 1)
    }

    @Test func stringsAreVisitedInOrder() throws {
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
    func aFieldEqualsText(name: String, text: String, isEqual: Bool) throws {
        let json = Array(#"{"s":"a\"b","n":1.50,"b":true,"z":null,"o":{"x":"y"},"s2":"\u00e9"}"#.utf8)
        let result = try JSONStrings.field(name, of: json.span, equals: text)
        #expect(result == isEqual)
    }

    @Test(arguments: [
        (#""abc""#, "abc", true), (#""abc""#, "ab", false), (#""ab""#, "abc", false), (#""""#, "", true),
        (#""\u0061bc""#, "abc", true), (#""\u0061b""#, "abc", false), (#""a\/b""#, "a/b", true), (#""\n""#, "n", false),
        (#""é""#, "é", true), (#""\u00e9""#, "é", true), (#""é""#, "e\u{301}", false), (#""😀""#, "😀", true),
        (#""\ud83d\ude00""#, "😀", true), (#""\ud83d\ude00""#, "😁", false),
    ])
    func aStringEqualsBytes(json: String, text: String, isEqual: Bool) throws {
        let bytes = Array(json.utf8)
        var scanner = JSONScanner(bytes.span)
        let token = try scanner.string()
        #expect(scanner.isEqual(token, utf8: text.utf8.span) == isEqual)
        #expect(scanner.isEqual(token, text) == isEqual)
    }
}
