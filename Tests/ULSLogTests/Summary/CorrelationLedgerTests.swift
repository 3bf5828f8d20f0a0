import Testing

@testable import ULSLog

struct CorrelationLedgerTests {
    private static func counts(_ numbers: Range<Int>, at clock: Int64) -> [CorrelationCount] {
        numbers.map { number in
            let time = PackedTime(clock: clock, offset: 0, quality: .local)
            return CorrelationCount(
                id: CorrelationID(high: UInt64(number), low: 1),
                first: time,
                last: time,
                count: 1,
                rank: 6
            )
        }
    }

    @Test func `Many correlations stay open where nothing is known of what follows`() {
        var ledger = CorrelationLedger()
        ledger.add(Self.counts(1..<30_000, at: 1_300_000_000_000), horizon: .min)
        #expect(ledger.count == 29_999)
        #expect(ledger.ended == 0)
    }

    @Test func `Those that were silent for ten minutes have ended`() {
        var ledger = CorrelationLedger()
        let clock: Int64 = 1_300_000_000_000
        ledger.add(Self.counts(1..<30_000, at: clock), horizon: clock + CorrelationLedger.silence + 1)
        #expect(ledger.count == 29_999)
        #expect(ledger.ended == 29_999)
    }
}
