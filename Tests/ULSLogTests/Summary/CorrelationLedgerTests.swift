import Testing

@testable import ULSLog

/// Correlations over all units.
struct CorrelationLedgerTests {
    /// A text without times, as an empty file or a paste, has the least of all horizons.
    @Test("Any horizon is taken when many correlations are open", arguments: [Int64.min, Int64.min + 1, 0] as [Int64])
    func anyHorizonIsTaken(horizon: Int64) {
        let time = PackedTime(clock: 1_717_747_200_000, offset: 0, quality: .local)
        let counts = (1...30_000).map { number in
            CorrelationCount(id: CorrelationID(high: 1, low: number), first: time, last: time, count: 1, rank: 5)
        }
        var ledger = CorrelationLedger()
        ledger.add(counts, horizon: horizon)
        #expect(ledger.count == 30_000)
        #expect(ledger.list().count == CorrelationLedger.listed)
    }
}
