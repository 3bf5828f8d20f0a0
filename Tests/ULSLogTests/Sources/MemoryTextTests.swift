import Testing

@testable import ULSLog

@Suite(.serialized) struct MemoryTextTests {
    @Test func `a text in memory reads as the same bytes in a file`() throws {
        try LogTrials.run(6, "memory") { seed in
            let log = GeneratedLog(seed: seed, events: 15, server: "WFE-9")
            let name = "WFE-9-20210304-1000.log"
            let folder = try SourceFolder()
            let path = try folder.write(name, log.bytes)
            for reading in LogReading.all {
                var (file, memory) = (reading.reader([path]), reading.reader([]))
                file.window = TimeWindow(lower: .init(scale: .clock, value: GeneratedLog.start + 1000), upper: nil)
                memory.window = file.window
                memory.text = MemoryText(name: path, bytes: log.bytes)
                let expected = try file.events()
                let (events, report) = try memory.events()
                if let problem = difference(events, expected.events) { return "\(reading): \(problem)" }
                if report.files.map(\.server) != ["WFE-9"] || report.quality.lines != log.quality.lines {
                    return "\(reading): \(report)"
                }
            }
            return nil
        }
    }

    @Test func `an empty text has no events`() throws {
        #expect(try LogReader(text: [], name: "").events().events.isEmpty)
    }

    @Test func `a mark says how a text is written`() throws {
        var bytes: [UInt8] = [0xFF, 0xFE]
        for unit in row("é").utf16 { bytes += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        #expect(try LogReader(text: bytes, name: "a.log").events().events.map { $0[.message] } == ["é"])
    }

    @Test func `a packed text is refused, with a word about what to do`() throws {
        let reader = LogReader(text: StoredGzip.pack(Array(row().utf8)), name: "a.log.gz")
        let report = try reader.events().report
        #expect(report.files.map(\.isIncomplete) == [true])
        #expect(
            report.files.flatMap(\.notes) == [
                "cannot read 'a.log.gz': it is packed, and only texts are read from memory; unpack it first"
            ]
        )
    }

    @Test func `a line of it can be explained`() throws {
        let reader = LogReader(text: Array((nativeHeader + row("said")).utf8), name: "a.log")
        #expect(try reader.explanation(ofLine: 2).event?.text(.message) == "said")
        #expect(try reader.explanation(ofLine: 1).kind.contains("header"))
    }
}
