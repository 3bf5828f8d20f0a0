import Foundation
import LogTestSupport
import TestSupport
import Testing

@testable import LogDiagnosis
@testable import ULSLog
@testable import ULSRows

/// Differences between two logs, and differences that may be due to chance.
struct LogComparisonTests {
    private static func kind(_ id: String, _ events: Int, on server: String = "wfe1") -> LogPortrait.Kind {
        LogPortrait.Kind(
            id: id,
            eventID: id,
            template: "It failed",
            exception: nil,
            rows: events,
            events: events,
            servers: [server: events]
        )
    }

    private static func log(
        _ kinds: [LogPortrait.Kind],
        _ servers: [LogPortrait.Server] = [LogPortrait.Server(name: "WFE1", hours: 1)]
    ) -> LogPortrait {
        LogPortrait(kinds: kinds, servers: servers)
    }

    private static func changes(_ a: LogPortrait, _ b: LogPortrait) -> [String: LogComparison.Change] {
        Dictionary(LogComparison(a, b).failures.map { ($0.id, $0.change) }) { one, _ in one }
    }

    @Test(arguments: [
        (0, 14, LogComparison.Change.new), (0, 13, .onlyB), (14, 0, .gone), (13, 0, .onlyA), (3, 4, nil), (10, 18, nil),
        (10, 60, .more), (100, 205, .more), (60, 10, .fewer), (1000, 1900, nil),
    ])
    func `A change in a kind is reported only if chance does not explain it`(
        a: Int,
        b: Int,
        expected: LogComparison.Change?
    ) {
        let (first, second) = (a > 0 ? [Self.kind("x", a)] : [], b > 0 ? [Self.kind("x", b)] : [])
        #expect(Self.changes(Self.log(first), Self.log(second))["x"] == expected)
    }

    @Test func `Logs of different lengths are compared by rate`() {
        let hour = Self.log([Self.kind("x", 10)])
        let day = Self.log([Self.kind("x", 240)], [LogPortrait.Server(name: "wfe1", hours: 24)])
        #expect(Self.changes(hour, day).isEmpty)
        // An event that occurs ten times a day would rarely be seen in an hour.
        #expect(
            Self.changes(Self.log([]), Self.log([Self.kind("y", 10)], [.init(name: "WFE1", hours: 24)])) == [
                "y": .onlyB
            ]
        )
    }

    @Test func `Failures are counted per request if there are enough requests`() {
        let quiet = Self.log([Self.kind("x", 10)], [.init(name: "WFE1", hours: 1, requests: 1000)])
        let busy = Self.log([Self.kind("x", 100)], [.init(name: "WFE1", hours: 1, requests: 10_000)])
        let comparison = LogComparison(quiet, busy)
        #expect(comparison.basis == .requests)
        #expect(comparison.failures.isEmpty)
        #expect(comparison.unchanged == 1)
    }

    @Test func `Kinds that occur only on a missing server are neither new nor gone`() {
        let both = [LogPortrait.Server(name: "WFE1", hours: 1), LogPortrait.Server(name: "WFE2", hours: 1)]
        let a = Self.log([Self.kind("x", 50, on: "wfe2"), Self.kind("y", 50)], both)
        let b = Self.log([Self.kind("y", 50)])
        let comparison = LogComparison(a, b)
        #expect(comparison.missing.b == ["WFE2"])
        #expect(comparison.failures.map(\.change) == [.onlyA])
        #expect(!comparison.isWorse)
        #expect(Self.changes(b, a) == ["x": .onlyB])
    }

    @Test func `A severe kind must pass the same test for chance as other kinds`() {
        let changes = { (count: Int) in
            var outage = Self.kind("x", count)
            outage.level = .critical
            outage.exception = "System.TimeoutException"
            var elsewhere = Self.kind("w", 100, on: "wfe9")
            elsewhere.level = .critical
            let servers = [LogPortrait.Server(name: "WFE1", hours: 1), .init(name: "WFE9", hours: 24)]
            return Self.changes(Self.log([]), Self.log([outage, elsewhere], servers))
        }
        #expect(changes(1) == ["x": .onlyB, "w": .onlyB])
        #expect(changes(14) == ["x": .new, "w": .onlyB])
    }

    @Test(arguments: [(400, 0.004), (100, 0.02), (1000, 0.02), (3000, 0.08)], [1, 2] as [UInt64])
    func `Two logs with the same rates of rare failures show nothing new`(
        shape: (requests: Int, share: Double),
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        let portrait = { () -> LogPortrait in
            var counts: [Int: Int] = [:]
            // Half of the failures are of one of ten kinds, and the others of one of 200, each of which is rare.
            for _ in 0..<shape.requests where Double.random(in: 0..<1, using: &random) < shape.share {
                counts[
                    Bool.random(using: &random)
                        ? Int.random(in: 0..<10, using: &random) : .random(in: 10..<210, using: &random),
                    default: 0
                ] += 1
            }
            let kinds = counts.map { number, count in
                var kind = Self.kind("k\(number)", count)
                kind.level = .critical
                return kind
            }
            return Self.log(kinds, [.init(name: "WFE1", hours: 1, requests: shape.requests)])
        }
        for _ in 0..<20 {
            let changes = LogComparison(portrait(), portrait()).failures.map(\.change)
            #expect(changes.allSatisfy { $0 == .onlyA || $0 == .onlyB })
        }
    }

    @Test func `An increase on one server names that server, even if it is a small part of the total`() throws {
        let servers = (1...4).map { LogPortrait.Server(name: "WFE\($0)", hours: 1) }
        let spread = { (rows: [Int]) in
            var kind = Self.kind("x", rows.reduce(0, +))
            kind.servers = Dictionary(uniqueKeysWithValues: rows.enumerated().map { ("wfe\($0 + 1)", $1) })
            return Self.log([kind], servers)
        }
        let grown = try #require(
            LogComparison(spread([10, 10, 10, 10]), spread([10, 10, 10, 120])).failures.first
        )
        #expect(grown.change == .more)
        #expect(grown.growth?.server == "WFE4")
        #expect(grown.growth?.rates == LogComparison.Pair(a: 10, b: 120))
        let little = LogComparison(spread([100, 100, 100, 10]), spread([100, 100, 100, 60])).failures
        #expect(little.map(\.growth?.server) == ["WFE4"])
        let all = LogComparison(spread([10, 10, 10, 10]), spread([40, 40, 40, 40])).failures
        #expect(all.map(\.change) == [.more] && all.first?.growth == nil)
    }

    @Test func `Rows and rates cover the same servers`() throws {
        let both = [LogPortrait.Server(name: "WFE1", hours: 1), LogPortrait.Server(name: "WFE2", hours: 1)]
        var kind = Self.kind("x", 20)
        kind.servers = ["wfe1": 15, "wfe2": 5]
        let gone = try #require(LogComparison(Self.log([kind], both), Self.log([])).failures.first)
        #expect(gone.change == .gone)
        #expect(gone.rows.a == 15 && gone.rates.a == 15)
    }

    @Test func `If one event has too many templates, they become one kind in both logs`() {
        var kinds = (0..<20).map { Self.kind("k\($0)", 1) }
        for index in kinds.indices { kinds[index].eventID = "tkau" }
        #expect(Self.changes(Self.log(Array(kinds[..<10])), Self.log(Array(kinds[10...]))).isEmpty)
    }

    @Test func `Requests are reported as slower only if chance does not explain it`() throws {
        let portrait = { (factor: Int64, count: Int) -> LogPortrait in
            var histogram = DurationHistogram()
            for number in 0..<count { histogram.add(factor * Int64(100_000 + number * 1000)) }
            var log = Self.log([])
            log.durations = ["GET /": histogram]
            return log
        }
        let slower = LogComparison(portrait(1, 100), portrait(2, 100))
        #expect(slower.speeds?.map(\.isSlower) == [true])
        #expect(slower.isWorse)
        #expect(LogComparison(portrait(2, 100), portrait(1, 100)).speeds?.map(\.isSlower) == [false])
        #expect(LogComparison(portrait(1, 100), portrait(1, 90)).speeds == [])
        #expect(LogComparison(portrait(1, 10), portrait(3, 10)).speeds == [])
        #expect(LogComparison(Self.log([]), portrait(1, 100)).speeds == nil)
    }

    @Test func `A log does not differ from itself, whatever the number of threads`() throws {
        let rows = (0..<300).map { number in
            Row(
                Double(number),
                "tkau",
                number % 3 == 0 ? "Unexpected" : "Medium",
                "It failed",
                "abcdefgh".randomElement()
            )
        }
        let folder = try TemporaryFolder()
        let path = folder.path("WFE1-20260302-1000.log")
        try Data(LogText(rows).bytes).write(to: URL(filePath: path))
        let survey = try RequestSurvey(rules: .builtIn())
        var reader = LogReader(inputs: [path])
        let one = try survey.portrait(of: reader).portrait
        reader.jobs = 3
        reader.sizes.unitBytes = 1000
        let other = try survey.portrait(of: reader).portrait
        #expect(one == other)
        #expect(one.kinds.map(\.rows) == [100])
        #expect(one.requests == 8)
        let comparison = LogComparison(one, other)
        #expect(comparison.failures.isEmpty)
        #expect(comparison.speeds == [])
    }
}
