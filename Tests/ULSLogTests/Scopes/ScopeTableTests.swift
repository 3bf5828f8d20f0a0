import TestSupport
import Testing

@testable import ULSLog
@testable import ULSRows

@Suite struct ScopeTableTests {
    @Test func `Calls that differ in host, query and numbers are counted under one key`() throws {
        let table = ScopeTable([
            .leaving("Request (GET:http://wfe1:80/sites/a/Home.aspx?id=1)", 1000),
            .leaving("Request (GET:https://wfe2/sites/a/Home.aspx)", 3000),
        ])
        let durations = table.durations()
        try #require(durations.count == 1)
        #expect(durations[0].key == "GET /sites/a/Home.aspx")
        #expect(durations[0].isRequest)
        #expect(durations[0].count == 2)
        #expect(durations[0].total == 4000)
        #expect(durations[0].max == 3000)
    }

    @Test func `A part whose name is like a request's has a separate entry`() {
        let table = ScopeTable([.leaving("Request (GET:http://wfe1/a)", 1), .leaving("GET /a", 1)])
        #expect(table.durations().map(\.key) == ["GET /a", "GET /a"])
        #expect(table.durations(isRequest: true).count == 1)
        #expect(table.durations(isRequest: false).count == 1)
    }

    @Test func `A scope that was entered more often than left counts as open`() {
        let table = ScopeTable([.entering("A"), .entering("A"), .leaving("A", 1), .entering("B")])
        #expect(table.durations().map(\.open) == [1, 1])
        #expect(table.durations().map(\.count) == [1, 0])
    }

    @Test func `Leaving rows without their Entering rows do not make the number of open scopes negative`() {
        #expect(ScopeTable([.leaving("A", 1), .leaving("A", 1)]).durations().map(\.open) == [0])
    }

    @Test func `A row without a duration is counted, but not included in percentiles`() {
        let table = ScopeTable([.leaving("A", nil), .leaving("A", 8000)])
        #expect(table.durations().map(\.count) == [2])
        #expect(table.durations().map(\.p50) == [8000])
    }

    @Test func `Entries are sorted by total duration in descending order, and ties by key`() {
        let table = ScopeTable([.leaving("C", 5), .leaving("B", 5), .leaving("A", 1), .leaving("A", 9)])
        #expect(table.durations().map(\.key) == ["A", "B", "C"])
        #expect(table.durations(top: 2).map(\.key) == ["A", "B"])
        #expect(table.durations(top: -1).isEmpty)
    }

    @Test func `Keys beyond the limit are counted together, and the number of their rows is reported`() {
        let table = ScopeTable(
            [.leaving("A", 1), .leaving("B", 2), .leaving("C", 30), .entering("D"), .leaving("A", 4)],
            limit: 2
        )
        #expect(table.durations().map(\.key) == ["(other)", "A", "B"])
        #expect(table.durations().map(\.total) == [30, 5, 2])
        #expect(table.rowsBeyondLimit == 2)
        #expect(table.durations(isRequest: true).isEmpty)
    }

    @Test func `A row with an empty name is not counted`() {
        #expect(ScopeTable([.leaving("", 1), .entering("")]).durations().isEmpty)
    }

    @Test(arguments: 0..<20) func `Merging the tables of consecutive parts yields the table of the whole`(seed: UInt64)
    {
        let rows = ScopeRow.random(400, seed: seed)
        let cut = Int(seed) * 20
        var merged = ScopeTable(rows[..<cut])
        merged.merge(ScopeTable(rows[cut...]))
        #expect(merged.durations() == ScopeTable(rows).durations())
    }

    @Test(arguments: 0..<20) func `A merge beyond the limit keeps the same keys and loses no row`(seed: UInt64) {
        let rows = ScopeRow.random(400, seed: seed)
        let whole = ScopeTable(rows, limit: 10)
        var merged = ScopeTable(limit: 10)
        for start in stride(from: 0, to: rows.count, by: 90) {
            merged.merge(ScopeTable(rows[start..<min(start + 90, rows.count)], limit: 10))
        }
        #expect(Set(merged.durations().map(\.key)) == Set(whole.durations().map(\.key)))
        let leaving: Int = rows.count { $0.isLeaving && !$0.name.isEmpty }
        let count: Int = merged.durations().map(\.count).reduce(0, +)
        #expect(count == leaving)
        let total = merged.durations().map(\.total).reduce(0, +)
        let expected = whole.durations().map(\.total).reduce(0, +)
        #expect(total == expected)
    }

    @Test func `Names beyond the size of the cache are counted correctly`() {
        var table = ScopeTable()
        let count = ScopeNameCache.maximumNames * 2 + 10
        for number in 0..<count { table.add(.leaving("Request (GET:http://h/a?n=\(number))", 1)) }
        table.add(.leaving("Request (GET:http://h/a?" + String(repeating: "x", count: 5000) + ")", 1))
        #expect(table.durations().map(\.count) == [count + 1])
    }

    @Test func `Thousands of keys are distinguished`() {
        var table = ScopeTable()
        for round in 1...2 {
            for number in 0..<5000 {
                let word = String(number).map { String(UnicodeScalar(UInt8(97 + ($0.wholeNumberValue ?? 0)))) }
                table.add(.leaving("Scope " + word.joined(), Int64(round)))
            }
        }
        #expect(table.count == 5000)
        #expect(table.durations().allSatisfy { $0.count == 2 && $0.total == 3 })
    }
}

/// A row that enters or leaves a scope, for tables in tests.
struct ScopeRow: Sendable {
    var name: String
    /// `nil` for an Entering row.
    var duration: Int64?
    var isLeaving = true

    static func entering(_ name: String) -> ScopeRow { ScopeRow(name: name, isLeaving: false) }
    static func leaving(_ name: String, _ duration: Int64?) -> ScopeRow { ScopeRow(name: name, duration: duration) }

    /// Rows whose names have about fifty keys, of requests and their parts, with many spellings of each.
    static func random(_ count: Int, keys: Int = 50, seed: UInt64) -> [ScopeRow] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in
            let letter = String(UnicodeScalar(UInt8(97 + Int.random(in: 0..<keys, using: &generator) % 26)))
            let word = String(repeating: letter, count: 1 + Int.random(in: 0..<(keys + 25) / 26, using: &generator))
            let number = Int.random(in: 0..<1000, using: &generator)
            let name = [
                "Request (GET:http://wfe\(number):80/sites/\(word)?id=\(number))", "Timer Job \(word)",
                "Part \(word) \(number)",
            ][Int.random(in: 0..<3, using: &generator)]
            return ScopeRow(
                name: name,
                duration: Bool.random(using: &generator) ? Int64.random(in: 0..<5_000_000, using: &generator) : nil,
                isLeaving: Bool.random(using: &generator)
            )
        }
    }
}

extension ScopeTable {
    init(_ rows: some Sequence<ScopeRow>, limit: Int = LogLimit.scopes.maximum) {
        self.init(limit: limit)
        for row in rows { add(row) }
    }

    mutating func add(_ row: ScopeRow) {
        let name = row.name.utf8.span
        if row.isLeaving { left(name: name, duration: row.duration) } else { entered(name: name) }
    }
}

struct DurationHistogramTests {
    private func histogram(_ durations: some Sequence<Int64>) -> DurationHistogram {
        var histogram = DurationHistogram()
        for duration in durations { histogram.add(duration) }
        return histogram
    }

    private func random(_ count: Int) -> [Int64] {
        (0..<count).map { _ in Int64.random(in: 0...(.max >> Int.random(in: 0...62))) }
    }

    @Test func `An empty histogram has no quantiles`() {
        #expect(DurationHistogram().quantile(0.5) == nil)
        #expect(DurationHistogram().max == 0)
    }

    @Test func `Quantiles are within the relative error of the exact durations`() {
        for duration in random(20_000) + [0, 1, 63, 64, 127, 128, 129, 255, 256, .max] {
            var histogram = histogram([duration, duration])
            // Without this, the maximum would hide the error.
            histogram.add(.max)
            let read = histogram.quantile(0.5) ?? -1
            #expect(Double((read - duration).magnitude) <= Double(duration) * DurationHistogram.relativeError)
        }
    }

    @Test func `Quantiles of a thousand durations are correct`() throws {
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

    @Test func `Merged histograms equal the histogram of all durations`() {
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

    @Test func `Negative durations count as zero`() {
        let histogram = histogram([-5, .min])
        #expect(histogram.quantile(0.5) == 0)
        #expect(histogram.total == 0)
    }
}
