import TestSupport
import Testing
import TextPatterns

struct LiteralTests {
    @Test(arguments: UInt8(0)...127)
    func everyCharacterOfASCIIIsTakenLiterally(byte: UInt8) throws {
        let character = String(Unicode.Scalar(byte))
        let patterns = [Pattern("a\(character)b", isCaseSensitive: true), Pattern("a\(character)b")]
        #expect(try matches(patterns, "x a\(character)b y") == [0, 1])
        #expect(try matches(patterns, "axxb ab") == [])
    }

    @Test func charactersOutsideASCIIAreTakenByteByByte() throws {
        for value in UInt32(0x80)...0x7FF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            #expect(try matches([Pattern("\(scalar)")], "x\(scalar)x") == [0])
        }
        #expect(try matches([Pattern("日本"), Pattern("😀")], "日本 😀") == [0, 1])
    }

    @Test func onlyASCIIHasNoCase() throws {
        #expect(try matches([Pattern("tRaCe")], "TrAcE") == [0])
        #expect(try matches([Pattern("tRaCe", isCaseSensitive: true)], "TrAcE") == [])
        #expect(try matches([Pattern("Übung"), Pattern("übung")], "ÜBUNG") == [0])
        #expect(try matches([Pattern("k"), Pattern("s")], "\u{212A} \u{17F}") == [])
        #expect(try matches([Pattern("[]^_`{|}~@")], "{}^_`[|]~`") == [])
    }

    @Test(arguments: 1...200)
    func aSearchFindsWhatANaiveOneFinds(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let alphabet = ["aAbB", "a.*{}", "ab\u{0}\n", "éÉaÃ", "\\x41^$"][Int(seed % 5)]
        let patterns = (0..<20).map { _ in
            Pattern(random.text(alphabet, 1...5), isCaseSensitive: .random(using: &random))
        }
        var scanner = PatternScanner(try PatternSet(patterns))
        for _ in 0..<20 {
            let text = Array(random.text(alphabet, 0...40).utf8)
            let found = scanner.matches(in: text.span)
            let expected = patterns.enumerated().compactMap { index, pattern in
                naiveEnd(of: Array(pattern.text.utf8), in: text, isCaseSensitive: pattern.isCaseSensitive)
                    .map { PatternScanner.Match(pattern: index, end: $0) }
            }
            #expect(found.sorted { $0.pattern < $1.pattern } == expected)
            #expect(found.map(\.end) == found.map(\.end).sorted())
        }
    }
}
