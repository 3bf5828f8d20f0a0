import Testing
import TextKit

/// Searches that replace the standard library's own, which this target does not import either.
struct TextSearchTests {
    @Test(arguments: [
        ("", "", true), ("a", "", true), ("", "a", false), ("banana", "nan", true), ("banana", "nab", false),
        ("aaab", "aab", true), ("aabaabaaa", "aabaaa", true), ("a", "ab", false), ("ä", "a", false),
        // A letter with a combining accent has different bytes from the precomposed letter.
        ("e\u{301}", "é", false), ("e\u{301}", "e", true),
    ])
    func `Text is found in other text if its bytes occur there`(text: String, part: String, isFound: Bool) {
        #expect(text.contains(part) == isFound)
        #expect((text.firstRange(of: part) != nil) == isFound)
    }

    @Test func `The first of several occurrences is found`() {
        let text = "one two one"
        #expect(text.firstRange(of: "one") == text.startIndex..<text.index(text.startIndex, offsetBy: 3))
        #expect(text.dropFirst().firstRange(of: "one").map { text[$0.lowerBound...] } == "one")
        #expect("abc".firstRange(of: "") == text.startIndex..<text.startIndex)
    }

    @Test(arguments: [
        ("a-b-c", "-", "+", "a+b+c"), ("aaaa", "aa", "a", "aa"), ("abc", "x", "y", "abc"), ("", "x", "y", ""),
        ("xx", "x", "", ""), ("xax", "x", "xx", "xxaxx"), ("abc", "", "-", "abc"),
    ])
    func `Each occurrence is replaced, and the replacement is not searched`(
        text: String,
        old: String,
        new: String,
        result: String
    ) {
        #expect(text.replacing(old, with: new) == result)
    }

    @Test(arguments: [
        ("a::b::c", Int.max, true, ["a", "b", "c"]), ("a::b::c", 1, true, ["a", "b::c"]),
        ("::a::::b::", Int.max, true, ["a", "b"]), ("::a::::b::", Int.max, false, ["", "a", "", "b", ""]),
        ("", Int.max, true, []), ("", Int.max, false, [""]), ("a:b", Int.max, false, ["a:b"]),
        ("a::", 1, false, ["a", ""]), ("a::b", 0, true, ["a::b"]),
    ])
    func `Text is split at a separator of several characters`(
        text: String,
        maxSplits: Int,
        omitsEmpty: Bool,
        parts: [String]
    ) {
        let split = text.split(by: "::", maxSplits: maxSplits, omittingEmptySubsequences: omitsEmpty)
        #expect(split.map { String($0) } == parts)
    }

    @Test(arguments: [
        ("de « Add » avec", "de   \"Add\"   avec"), ("«Add»", " \"Add\" "), ("\u{A0}», «", "\"   ,  \""),
        ("é «", "é  \""), ("l\u{202F}: ä", "l   : ä"), ("plain", "plain"), ("\u{A0}", "  "),
    ])
    func `French marks are replaced in their places`(text: String, expected: String) {
        let plain = Array(text.utf8).withPlainMarks
        #expect(String(decoding: plain, as: UTF8.self).replacing(" ", with: "_") == expected.replacing(" ", with: "_"))
        #expect(plain.count == text.utf8.count)
    }

    @Test func `A word in any case is found, and a prefix ends at a character`() {
        let page = Array("a <HTML> <html>".utf8)
        #expect(page.firstIndex(ofLowercase: "<html") == 2 && page.firstIndex(ofLowercase: "<html", from: 3) == 9)
        #expect(page.firstIndex(ofLowercase: "</html>") == nil && [UInt8]().firstIndex(ofLowercase: "a") == nil)
        #expect("aé".prefix(utf8Bytes: 2) == "a" && "aé".prefix(utf8Bytes: 3) == "aé")
    }

    @Test func `Search results agree with a naive search at every position`() {
        var random = SplitMix(state: 20_261_128)
        for _ in 0..<5_000 {
            let text = (0..<Int(random.next() % 12)).map { _ in "ab"[random.next() % 2] }
            let part = (0..<Int(random.next() % 4)).map { _ in "ab"[random.next() % 2] }
            let starts = (0...max(0, text.count - part.count)).filter {
                Array(text.dropFirst($0).prefix(part.count)) == part
            }
            let range = text.firstRange(of: part)
            #expect(range?.lowerBound == starts.first, "\(part) in \(text)")
            #expect(range.map { $0.count == part.count } ?? true)
        }
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension String {
    fileprivate subscript(place: UInt64) -> UInt8 { utf8[utf8.index(startIndex, offsetBy: Int(place))] }
}
