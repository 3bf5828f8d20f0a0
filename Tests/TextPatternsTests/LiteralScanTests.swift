import Testing
import TextKit
import TextPatterns

@Suite struct LiteralScanTests {
    private static let short = ["-2147", "rrorCode", "Exception"]
    private static let long = ["access is denied", "has timed out", "could not be found", "ist ungültig", "deadlock"]

    @Test(arguments: [true, false])
    func `A scan finds the same strings as a naive search, at every position`(isCaseSensitive: Bool) {
        var random = Steps()
        let short = LiteralScan(groups: [Self.short.map { Array($0.utf8) }], isCaseSensitive: isCaseSensitive)
        let long = LiteralScan(groups: [Self.long.map { Array($0.utf8) }], isCaseSensitive: isCaseSensitive)
        var found = 0
        for _ in 0..<20_000 {
            let message = random.message(of: Self.short + Self.long)
            for (texts, isFound) in [
                (Self.short, short.isIn(message.utf8.span)), (Self.long, long.isIn(message.utf8.span)),
            ] {
                let plain = texts.contains { Self.isIn(message, $0, isCaseSensitive: isCaseSensitive) }
                #expect(isFound == plain, "\(message)")
                if plain { found += 1 }
            }
        }
        #expect(found > 1000)
        #expect(found < 39_000)
    }

    @Test(arguments: [true, false])
    func `A scan returns the groups that have a string in the message`(isCaseSensitive: Bool) {
        var random = Steps()
        let groups = [Self.short, Self.long, ["access is denied to", "Exception"]]
        let scan = LiteralScan(groups: groups.map { $0.map { Array($0.utf8) } }, isCaseSensitive: isCaseSensitive)
        var counts = [0, 0, 0]
        for _ in 0..<20_000 {
            let message = random.message(of: groups.flatMap(\.self))
            let found = scan.groups(in: message.utf8.span)
            for (number, texts) in groups.enumerated() {
                let plain = texts.contains { Self.isIn(message, $0, isCaseSensitive: isCaseSensitive) }
                #expect((found & 1 << UInt8(number) != 0) == plain, "\(message)")
                if plain { counts[number] += 1 }
            }
        }
        #expect(counts.allSatisfy { $0 > 1000 && $0 < 19_000 })
    }

    private static func isIn(_ message: String, _ text: String, isCaseSensitive: Bool) -> Bool {
        let bytes = isCaseSensitive ? Array(message.utf8) : message.utf8.map(\.lowercased)
        let wanted = isCaseSensitive ? Array(text.utf8) : text.utf8.map(\.lowercased)
        guard bytes.count >= wanted.count else { return false }
        return (0...(bytes.count - wanted.count)).contains { bytes[$0..<($0 + wanted.count)].elementsEqual(wanted) }
    }

    /// Messages generated from a fixed seed, with texts that are complete, truncated, or in capitals.
    private struct Steps {
        private var state: UInt64 = 42

        private mutating func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }

        mutating func message(of texts: [String]) -> String {
            var message = ""
            for _ in 0..<next(5) {
                var text = texts[next(texts.count)]
                if next(2) == 0 { text = String(text.dropFirst(next(4)).dropLast(next(3))) }
                if next(4) == 0 { text = text.uppercased() }
                message += String(repeating: "x0-2 ", count: next(3)).prefix(next(9)) + text
            }
            return message
        }
    }
}
