import Foundation
import TestSupport
import Testing

@testable import ULSLog
@testable import ULSRows

/// Damaged logs cause no crash, every line is accounted for, and the result does not depend on how a text is divided.
///
/// `FASTCTL_FUZZ_SECONDS` makes the run longer; `FASTCTL_SEED` repeats one. The seed is printed before a case is read,
/// so it is known even if the process dies.
@Suite(.serialized) struct ReadingFuzzTests {
    static let seconds = ProcessInfo.processInfo.environment["FASTCTL_FUZZ_SECONDS"].flatMap(Double.init)

    @Test func `A fixed set of damaged logs is read identically in all ways`() throws {
        try Self.run(first: 1, isOver: { $0 > LogTrials.count(50) })
    }

    @Test(.enabled(if: seconds != nil, "set FASTCTL_FUZZ_SECONDS, or run make fuzz"))
    func `Randomly damaged logs are read identically in all ways`() throws {
        let end = Date(timeIntervalSinceNow: Self.seconds ?? 0)
        print("fuzz: reading logs begins, FASTCTL_SEED=\(LogTrials.seed)")
        let count = try Self.run(first: LogTrials.seed) { _ in Date() > end }
        print("fuzz: reading logs: \(count) cases, FASTCTL_SEED=\(LogTrials.seed) repeats")
    }

    @discardableResult
    private static func run(first: UInt64, isOver: (Int) -> Bool) throws -> Int {
        let texts = try FuzzTexts.load()
        let folder = try SourceFolder()
        var count = 0
        while !isOver(count) {
            let seed = first &+ UInt64(count)
            // The seed is recorded first, because a trap ends the process immediately.
            try folder.write("seed", "\(seed)")
            if count % 500 == 0 { print("fuzz: at seed \(seed)") }
            if let problem = try check(seed, texts, folder) {
                Issue.record("FASTCTL_SEED=\(seed): \(problem)")
                return count
            }
            count += 1
        }
        return count
    }

    private static func check(_ seed: UInt64, _ texts: [[UInt8]], _ folder: SourceFolder) throws -> String? {
        var mutation = ByteMutation(seed: seed)
        var bytes = mutation.mutated(texts)
        // Text in UTF-16 is read only as a stream.
        let plain = try folder.write("a.log", bytes)
        let packed = try folder.write("b.log.gz", StoredGzip.pack(bytes))
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        var random = SeededGenerator(seed: seed)
        let maximum = [200, 1000, LogLimit.rowBytes.maximum].randomElement(using: &random) ?? 0
        var results: [Result] = []
        for reading in [LogReading()] + LogReading.some(seed, 1) {
            var reading = reading
            reading.maximumRecord = maximum
            for path in [plain, packed] {
                let (result, problem) = try read(reading.reader([path]))
                if let problem { return "\(reading), \(path == plain ? "plain" : "packed"): \(problem)" }
                if let first = results.first, let problem = result.difference(from: first) {
                    return "\(reading), \(path == plain ? "plain" : "packed"): \(problem)"
                }
                results.append(result)
            }
        }
        let lines = bytes.count { $0 == 0x0A } + (bytes.isEmpty || bytes.last == 0x0A ? 0 : 1)
        let isUnicode16 = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
        // Text that begins with many zeros is refused, unless it contains a row.
        let beginning = bytes.prefix(4096)
        let mayBeRefused = beginning.count { $0 == 0 } > beginning.count / 32
        if let found = results.first?.quality.lines, found != lines, !isUnicode16, found > 0 || !mayBeRefused {
            return "\(found) lines, expected \(lines)"
        }
        return nil
    }

    private struct Result {
        var events: [ModelEvent]
        var quality: ReadQuality
        var summary: CountedSummary
        var edges: [RequestEdge]

        func difference(from other: Result) -> String? {
            if let problem = ULSLogTests.difference(events, other.events) { return problem }
            if edges != other.edges { return "edges \(edges), expected \(other.edges)" }
            if quality != other.quality { return "\(quality), expected \(other.quality)" }
            return summary.difference(from: other.summary)
        }
    }

    private static func read(_ reader: LogReader) throws -> (Result, String?) {
        var (events, report) = try reader.readEvents()
        let summary = try reader.summary()
        let prefilter = TestPrefilter(seed: UInt64(events.count))
        let chosen = try ChosenReading(reader, prefilter)
        let chosenProblem = difference(chosen.events, events.filter(prefilter.wants))
        for index in events.indices { events[index].file = "" }
        let result = Result(
            events: events,
            quality: report.quality,
            summary: CountedSummary(summary).withoutTimes,
            edges: chosen.edges
        )
        if let chosenProblem { return (result, "chosen: \(chosenProblem)") }
        if !report.quality.balances { return (result, "\(report.quality)") }
        if report.events != events.count || events.count != report.quality.records - report.quality.parts {
            return (result, "\(events.count) events, \(report.quality)")
        }
        if summary.events != events.count { return (result, "\(summary.events) counted, \(events.count) read") }
        if summary.histogram.events.reduce(0, +) != events.count(where: \.hasDate) {
            return (result, "histogram: \(summary.histogram)")
        }
        return (result, nil)
    }
}

extension CountedSummary {
    /// The counts without correlations: a correlation that is silent for ten minutes is counted again, and where that
    /// happens depends on the units.
    fileprivate var withoutTimes: CountedSummary {
        var counts = self
        counts.correlations = [:]
        return counts
    }
}

/// The texts to damage: generated logs, the fixtures, and the samples if present.
enum FuzzTexts {
    static func load() throws -> [[UInt8]] {
        var texts = (1...6).map { GeneratedLog(seed: $0, events: 12, cut: 100).bytes }
        var folders = [URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fixtures").path]
        if let samples = SampleLogs.folder { folders.append(samples) }
        for folder in folders {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
                guard let data = FileManager.default.contents(atPath: folder + "/" + name) else { continue }
                texts.append(Array(data.prefix(200_000)))
            }
        }
        return texts
    }
}
