import Testing
import ULSLog

struct ULSLevelTests {
    @Test func worstFirst() {
        let words = ["Critical", "Unexpected", "Monitorable", "Warning", "High", "Medium", "Information", "Verbose"]
        let ranks = words.map { ULSLevel($0).rank }
        #expect(ranks == ranks.sorted())
        #expect(Set(ranks).count == ranks.count)
        #expect(ULSLevel.knownWords.map { ULSLevel($0).rank } == ULSLevel.knownWords.map { ULSLevel($0).rank }.sorted())
    }

    @Test(arguments: ["Exception", "Assert", "Error", "unexpected", "Monitorable"])
    func problems(word: String) {
        #expect(ULSLevel(word).isAbnormal)
    }

    @Test func anUnknownWordIsKeptAndRanksInTheMiddle() {
        let level = ULSLevel("Wichtig")
        #expect(level.word == "Wichtig")
        #expect(!level.isKnown)
        #expect(level.rank == ULSLevel("Medium").rank)
    }
}
