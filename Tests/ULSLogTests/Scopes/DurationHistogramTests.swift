import Testing

@testable import ULSLog

struct DurationHistogramTests {
    private func histogram(_ durations: some Sequence<Int64>) -> DurationHistogram {
        var histogram = DurationHistogram()
        for duration in durations { histogram.add(duration) }
        return histogram
    }

    private func random(_ count: Int) -> [Int64] {
        (0..<count).map { _ in Int64.random(in: 0...(.max >> Int.random(in: 0...62))) }
    }

    @Test func emptyHasNoQuantiles() {
        #expect(DurationHistogram().quantile(0.5) == nil)
        #expect(DurationHistogram().max == 0)
    }

    @Test func durationsReadBackWithinTheRelativeError() {
        for duration in random(20_000) + [0, 1, 63, 64, 127, 128, 129, 255, 256, .max] {
            var histogram = histogram([duration, duration])
            // Without this the maximum would hide the error.
            histogram.add(.max)
            let read = histogram.quantile(0.5) ?? -1
            #expect(Double((read - duration).magnitude) <= Double(duration) * DurationHistogram.relativeError)
        }
    }

    @Test func quantilesOfAThousand() throws {
        let histogram = histogram((1...1000).map { $0 * 1000 })
        let median = try #require(histogram.quantile(0.5))
        let late = try #require(histogram.quantile(0.95))
        #expect(abs(Double(median) - 500_000) <= 5000)
        #expect(abs(Double(late) - 950_000) <= 9500)
        #expect(histogram.quantile(1) == 1_000_000)
        #expect(histogram.quantile(.nan) == histogram.quantile(0))
        #expect(histogram.quantile(7) == 1_000_000)
        #expect(histogram.count == 1000)
        #expect(histogram.total == 500_500_000)
    }

    @Test func aMergeOfPartsEqualsTheWhole() {
        for _ in 0..<200 {
            let durations = random(Int.random(in: 0...60))
            var parts = Array(repeating: DurationHistogram(), count: 4)
            for duration in durations { parts[Int.random(in: 0..<4)].add(duration) }
            var merged = DurationHistogram()
            for part in parts.shuffled() { merged.merge(part) }
            #expect(merged == histogram(durations))
            #expect(merged == histogram(durations.shuffled()))
        }
    }

    @Test func negativeDurationsCountAsZero() {
        let histogram = histogram([-5, .min])
        #expect(histogram.quantile(0.5) == 0)
        #expect(histogram.total == 0)
    }
}
