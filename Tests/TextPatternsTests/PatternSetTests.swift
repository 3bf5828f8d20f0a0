import Testing
import TextPatterns

@Suite(.timeLimit(.minutes(1)))
struct PatternSetTests {
    @Test func aSetWithoutPatternsFindsNothing() throws {
        #expect(try matches([], "abc") == [])
        #expect(try matches([], "") == [])
    }

    @Test func anEmptyTextHasNoMatches() throws {
        #expect(try matches([Pattern("a"), Pattern("^$", .regularExpression)], "") == [])
    }

    @Test func anEmptyLiteralIsRefused() {
        let error = #expect(throws: PatternError.self) { try PatternSet([Pattern("")]) }
        #expect(error?.description == "pattern 0: it is empty, so it would match everything")
    }

    @Test func onePatternMayStandInASetTwice() throws {
        #expect(try matches([Pattern("a"), Pattern("a"), Pattern("A")], "xax") == [0, 1, 2])
    }

    @Test func bytesThatAreNoUTF8AreSearchedLikeOthers() throws {
        let text: [UInt8] = [0xFF, 0xC3, 0x61, 0x00, 0x80, 0x62, 0xED, 0xA0, 0x80]
        #expect(
            try matches([Pattern("a\0"), Pattern("b"), Pattern("é"), Pattern("a..b", .regularExpression)], text) == [
                0, 1, 3,
            ]
        )
    }

    @Test func aMatchTellsWhereItEndsFirst() throws {
        var scanner = PatternScanner(try PatternSet([Pattern("b"), Pattern("ab"), Pattern("abc")]))
        let found = scanner.matches(in: Array("xabcabc".utf8).span)
        #expect(Set(found) == [.init(pattern: 0, end: 3), .init(pattern: 1, end: 3), .init(pattern: 2, end: 4)])
        #expect(found.last?.pattern == 2)
    }

    @Test func aScannerForgetsTheTextBefore() throws {
        var scanner = PatternScanner(try PatternSet([Pattern("ab")]))
        let first = scanner.matches(in: Array("ab".utf8).span)
        #expect(scanner.matches(in: Array("a".utf8).span).isEmpty)
        #expect(scanner.matches(in: Array("b".utf8).span).isEmpty)
        #expect(first.count == 1)
    }

    /// Why a log is scanned message by message.
    @Test func twoMessagesAtOnceMatchTooMuch() throws {
        let patterns = [Pattern("ID '[^']+' found", .regularExpression), Pattern("page")]
        #expect(try matches(patterns, "page: ID 'a") == [1])
        #expect(try matches(patterns, "page: b' found") == [1])
        #expect(try matches(patterns, "page: ID 'a\npage: b' found") == [0, 1])
    }

    @Test func manyScannersShareOneSet() async throws {
        let set = try PatternSet((0..<100).map { Pattern("word\($0) ") })
        let counts = await withTaskGroup(of: Int.self, returning: [Int].self) { group in
            for task in 0..<8 {
                group.addTask {
                    var scanner = PatternScanner(set)
                    return (0..<200).count { scanner.matches(in: Array("word\($0) \(task)".utf8).span).count == 1 }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == [Int](repeating: 100, count: 8))
    }

    @Test func tooManyPatternsAreRefused() {
        let patterns = [Pattern](repeating: Pattern("a"), count: PatternSet.maximumPatterns + 1)
        let error = #expect(throws: PatternError.self) { try PatternSet(patterns) }
        #expect(error?.code == .tooMany)
        let long = [Pattern](repeating: Pattern(String(repeating: "a", count: 4096)), count: 1025)
        #expect(throws: PatternError(code: .tooMany, message: "more than 4194304 bytes of patterns")) {
            try PatternSet(long)
        }
    }

    @Test(arguments: [("(a+)+$", "a"), ("(a|aa)*b", "a"), ("(.*,){11}p", ","), ("a.{500}b", "a"), ("([a-z]+)*=", "x")])
    func hostileTextIsScannedInLinearTime(expression: String, character: Character) throws {
        let text = String(repeating: character, count: 1 << 20) + "!"
        #expect(try matches([Pattern(expression, .regularExpression)], text) == [])
    }
}
