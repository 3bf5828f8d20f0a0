import Testing

@testable import ULSLog

@Suite struct LevelTests {
    static let words = [
        "Critical", "Unexpected", "Exception", "Assert", "Error", "Monitorable", "Warning", "High", "Medium",
        "Information", "Verbose", "VerboseEx",
    ]

    @Test func `levels are words, padded or longer than their padding`() throws {
        let log = try ReadLog(Self.words.map { word in row { $0.level = word } }.joined())
        #expect(log.texts(.level) == Self.words)
    }

    @Test func `a summary names the worst level first`() throws {
        let log = try ReadLog(Self.words.reversed().map { word in row { $0.level = word } }.joined())
        let ranks = log.summary.levels.map { ULSLevel($0.value).rank }
        #expect(ranks == ranks.sorted())
        #expect(log.summary.levels.first?.value == "Critical")
        #expect(log.summary.levels.last?.value == "VerboseEx")
    }

    @Test(
        arguments: [
            ("Critical", 1), ("Unexpected", 5), ("Monitorable", 6), ("Warning", 7), ("High", 8), ("Medium", 9),
            ("Information", 10), ("Verbose", 11), ("VerboseEx", 12),
        ]
    )
    func `a level wants itself and all that is worse`(word: String, count: Int) throws {
        let text = Self.words.map { word in row { $0.level = word } }.joined()
        #expect(try ReadLog(text) { $0.filter.level = ULSLevel(word) }.events.count == count)
    }

    @Test func `a word that nobody knows is kept, and ranks with Medium`() throws {
        let text = row { $0.level = "Unerwartet" } + row { $0.level = "" }
        let log = try ReadLog(text)
        #expect(log.texts(.level) == ["Unerwartet", ""])
        #expect(log.events.allSatisfy { $0.level.rank == ULSLevel("Medium").rank && !$0.level.isKnown })
        #expect(try ReadLog(text) { $0.filter.level = ULSLevel("Medium") }.events.count == 2)
        #expect(try ReadLog(text) { $0.filter.level = ULSLevel("High") }.events.isEmpty)
    }

    @Test func `levels are compared without regard to case`() throws {
        let text = row { $0.level = "CRITICAL" } + row { $0.level = "verboseex" }
        #expect(try ReadLog(text) { $0.filter.level = ULSLevel("High") }.texts(.level) == ["CRITICAL"])
    }
}
