import Testing

@testable import ULSLog

/// Random logs in all forms, read in all ways: always the events they were made of.
@Suite(.serialized) struct ReadingPropertyTests {
    @Test func `Events come out as they went in, however a file is cut`() throws {
        try LogTrials.run(10, "file") { seed in
            try Self.check(seed, events: 15, readings: LogReading.some(seed, 2))
        }
    }

    @Test func `Reading byte by byte gives the same`() throws {
        try LogTrials.run(2, "bytes") { seed in
            try Self.check(seed, events: 5, cut: 60, readings: LogReading.byteByByte)
        }
    }

    private static func check(
        _ seed: UInt64,
        events: Int,
        cut: Int = 800,
        readings: [LogReading]
    ) throws -> String? {
        let server = seed % 2 == 0 ? nil : "WFE-9"
        let log = GeneratedLog(seed: seed, events: events, server: server, cut: cut)
        let folder = try SourceFolder()
        let name = server.map { "\($0)-20210304-1000.log" } ?? "some.log"
        let plain = try folder.write(name, log.bytes)
        let packed = try folder.write(name + ".gz", StoredGzip.pack(log.bytes))
        var summaries: Set<CountedSummary> = []
        for path in [plain, packed] {
            for reading in readings {
                let reader = reading.reader([path])
                let (events, report) = try reader.events()
                // In a packed file the text has the name of the file without its suffix, or the file's.
                let expected = log.events(file: events.first?.file ?? path)
                let summary = CountedSummary(try reader.summary())
                if let problem = difference(events, expected) ?? missing(log, events)
                    ?? wrong(report, log, events) ?? summary.difference(from: CountedSummary(events, log))
                {
                    return "\(path == plain ? "plain" : "packed"), \(reading): \(problem)"
                }
                summaries.insert(summary)
                let bytes = report.files.first?.bytes ?? 0
                let marked = log.bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
                if bytes != log.bytes.count - marked {
                    return "\(path), \(reading): \(bytes) bytes read of \(log.bytes.count), mark of \(marked)"
                }
            }
        }
        return summaries.count == 1 ? nil : "summaries differ"
    }

    private static func missing(_ log: GeneratedLog, _ events: [ModelEvent]) -> String? {
        let found = Set(events.map { $0[.message] })
        return log.wholeMessages.first { !found.contains($0) }.map { "not whole: \($0)" }
    }

    private static func wrong(_ report: ReadReport, _ log: GeneratedLog, _ events: [ModelEvent]) -> String? {
        let quality = report.quality
        var expected = log.quality
        expected.parts = log.rows.count - events.count
        expected.orphans = events.count { $0.isOrphan }
        if !quality.balances { return "lines do not balance: \(quality)" }
        if quality != expected { return "quality is \(quality), expected \(expected)" }
        if report.events != quality.records - quality.parts { return "\(report.events) events of \(quality)" }
        return nil
    }
}
