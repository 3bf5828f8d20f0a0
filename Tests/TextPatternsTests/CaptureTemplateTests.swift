import TestSupport
import Testing
import TextPatterns

struct CaptureTemplateTests {
    private func captures(_ template: String, _ text: String) throws -> [String: String]? {
        try CaptureTemplate(parsing: template).captures(in: Array(text.utf8).span)
    }

    @Test func `A hole captures the text between the literal parts around it`() throws {
        let template = "same ID '{control}' were found on {page}. Trace"
        let text = "with the SAME id 'ctl00' were found on a.aspx. Trace"
        #expect(try captures(template, text) == ["control": "ctl00", "page": "a.aspx"])
    }

    @Test(arguments: [
        ("a{x}", "za bc", ["x": " bc"]), ("{x}b", "aab", ["x": "aa"]), ("{x}", "abc", ["x": "abc"]),
        ("{x}", "", ["x": ""]),
        ("a{x}b", "aab", ["x": "a"]), ("a{x}b", "ab", ["x": ""]), ("a{x}bc", "abbcbc", ["x": "b"]),
        ("{x}-{y}", "1-2-3", ["x": "1", "y": "2-3"]),
        ("{{{id}}", "x {0-1}", ["id": "0-1"]), ("é{x}É", "éaÉ", ["x": "a"]), ("a{x}}", "ab}", ["x": "b"]),
        ("no name", "There is NO name.", [:]), ("{{a}", "x {a}", [:]), ("é", "é", [:]),
    ])
    func `A hole captures the shortest possible text`(template: String, text: String, expected: [String: String]) throws
    {
        #expect(try captures(template, text) == expected)
    }

    @Test(arguments: [
        ("no name", "no"), ("a{x}b", "a"), ("a{x}b", "ba"), ("a{x}", ""), ("É{x}", "éa"), ("a{x}b{y}c", "abxa"),
    ])
    func `Text that does not match has no captures`(template: String, text: String) throws {
        #expect(try captures(template, text) == nil)
    }

    @Test func `The names of holes are listed in order of appearance`() throws {
        #expect(try CaptureTemplate(parsing: "{b}1{a_2}3{c}").names == ["b", "a_2", "c"])
    }

    @Test(arguments: [
        ("", CaptureTemplateError.Code.empty, "it is empty"),
        ("{a}{b}", .touching, "no text follows '{a}' to mark where it ends"),
        ("{a", .open, "a '{' is not closed; write '{{' for a brace"),
        ("x {", .open, "a '{' is not closed; write '{{' for a brace"),
        ("{}", .badName, "'' is not a valid name; use lowercase letters, digits and '_', or write '{{' for a brace"),
        ("{A}", .badName, "'A' is not a valid name; use lowercase letters, digits and '_', or write '{{' for a brace"),
        (
            "{1a}", .badName,
            "'1a' is not a valid name; use lowercase letters, digits and '_', or write '{{' for a brace"
        ),
        (
            "{a b}", .badName,
            "'a b' is not a valid name; use lowercase letters, digits and '_', or write '{{' for a brace"
        ),
        (
            "{\u{301}a}", .badName,
            "'\u{301}a' is not a valid name; use lowercase letters, digits and '_', or write '{{' for a brace"
        ),
        ("{a} {a}", .badName, "two holes are called 'a'"),
        (String(repeating: "a", count: 4097), .tooLong, "longer than 4096 bytes"),
    ])
    func `An invalid template is refused`(text: String, code: CaptureTemplateError.Code, message: String) {
        let error = #expect(throws: CaptureTemplateError.self) { try CaptureTemplate(parsing: text) }
        #expect(error == CaptureTemplateError(code: code, message: message))
        #expect(CaptureTemplate(text) == nil)
    }

    @Test func `The amount of text that a hole captures is limited`() throws {
        let maximum = CaptureTemplate.maximumCapturedBytes
        let long = String(repeating: "x", count: maximum)
        #expect(try captures("a{x}b", "a\(long)b") == ["x": long])
        #expect(try captures("a{x}b", "a\(long)xb") == nil)
        #expect(try captures("a{x}", "a\(long)xx") == ["x": long])
        #expect(try captures("a{x}", "a\(long.dropLast())é") == ["x": String(long.dropLast())])
    }

    @Test func `Bytes that are not UTF-8 are replaced`() throws {
        let template = try CaptureTemplate(parsing: "a{x}b{y}")
        #expect(
            template.captures(in: ([0xFF, 0x61, 0xC3, 0x62, 0x80, 0x80] as [UInt8]).span) == [
                "x": "\u{FFFD}", "y": "\u{FFFD}\u{FFFD}",
            ]
        )
        let bytes = [0x61, 0x62] + [UInt8](repeating: 0x80, count: 3000)
        #expect(template.captures(in: bytes.span)?["x"] == "")
    }

    @Test(.timeLimit(.minutes(10))) func `Hostile text is searched in linear time`() throws {
        let text = Array(String(repeating: "a", count: 1 << 18).utf8)
        let template = try CaptureTemplate(parsing: String(repeating: "a", count: 4000) + "b{x}c")
        #expect(template.captures(in: text.span) == nil)
    }

    @Test(arguments: 1...100)
    func `Captures are the same as in a naive search`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let (before, after) = (random.text("aAb", 0...4), random.text("aAb", 1...4))
            let text = Array(random.text("aAbB", 0...30).utf8)
            let start = naiveEnd(of: Array(before.utf8), in: text, isCaseSensitive: false)
            let end = start.flatMap { start in
                naiveEnd(of: Array(after.utf8), in: Array(text[start...]), isCaseSensitive: false)
                    .map { String(decoding: text[start..<(start + $0 - after.utf8.count)], as: UTF8.self) }
            }
            let found = try CaptureTemplate(parsing: "\(before){x}\(after)").captures(in: text.span)
            #expect(found == end.map { ["x": $0] })
        }
    }
}
