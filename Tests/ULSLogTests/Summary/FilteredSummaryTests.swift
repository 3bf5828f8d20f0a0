import Foundation
import TestSupport
import Testing

@testable import ULSLog

@Suite struct FilteredSummaryTests {
    private static let one = "11111111-1000-20c1-aeeb-265f213c0068"
    private static let other = "22222222-1000-20c1-aeeb-265f213c0068"

    private func summary(_ rows: [String], filter: EventFilter = EventFilter()) throws -> LogSummary {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("WFE1-20240607-0800.log")
        try (PaddedText.header + rows.joined()).write(toFile: path, atomically: true, encoding: .utf8)
        var reader = LogReader(inputs: [path])
        reader.filter = filter
        return try reader.summary()
    }

    @Test func `a correlation whose first rows are not wanted keeps its id and its times`() throws {
        var filter = EventFilter()
        filter.level = ULSLevel("High")
        let rows = [
            PaddedText.row(second: 1, level: "Medium", correlation: Self.one),
            PaddedText.row(second: 2, level: "High", correlation: Self.other),
            PaddedText.row(second: 3, level: "High", correlation: Self.one),
        ]
        let correlations = try summary(rows, filter: filter).correlations
        #expect(correlations.map(\.id.description) == [Self.one, Self.other])
        #expect(correlations.map { $0.firstTime.clock % 60_000 } == [3000, 2000])
        #expect(correlations.map { $0.lastTime.clock % 60_000 } == [3000, 2000])
    }

    @Test(arguments: [1, 63, 64, 65, 129]) func `every row is counted, however many there are`(count: Int) throws {
        let rows = (0..<count).map {
            PaddedText.row(second: $0 % 60, level: "High", correlation: $0 % 3 == 0 ? Self.one : Self.other)
        }
        let summary = try summary(rows)
        #expect(summary.events == count)
        #expect(summary.levels.map(\.count) == [count])
        #expect(summary.correlations.map(\.count).reduce(0, +) == count)
    }
}
