import Foundation
import LogReports
import ReportKit
import TestSupport
import Testing
import ULSLog

/// Events written as native rows are read back as the same events, and human-readable text is harmless.
///
/// Not preserved: times finer than milliseconds, padding, the notation of the correlation, the division of a message
/// into parts, line ends and tabs in columns other than the message, and lines of a message that look like rows or
/// headers.
@Suite(.serialized) struct LogRoundTripTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seconds = environment["FASTCTL_FUZZ_SECONDS"].flatMap(Double.init)
    private static let seed = environment["FASTCTL_SEED"].flatMap(UInt64.init) ?? .random(in: 0...UInt64.max)

    @Test func `Events written as native rows are read back unchanged`() throws {
        let folder = try TemporaryFolder()
        for number in 0..<UInt64(30) {
            var random = SeededGenerator(seed: Self.seed &+ number)
            let events = (0..<Int.random(in: 1...12, using: &random)).map { Self.event($0, &random) }
            let path = folder.path("a.log")
            try Data(Self.written(.uls, events)).write(to: URL(filePath: path))
            var found: [[String]] = []
            let report = try LogReader(inputs: [path]).forEachEvent(in: .files) { found.append(Self.texts($0)) }
            #expect(found == events.map { Self.texts($0) }, "FASTCTL_SEED=\(Self.seed &+ number)")
            #expect(report.quality.notUnderstood == 0 && report.quality.balances)
        }
    }

    @Test func `Damaged logs written as rows keep the number of events, and are harmless as text`() throws {
        try Self.fuzz { $0 >= 25 }
    }

    @Test(.enabled(if: seconds != nil, "set FASTCTL_FUZZ_SECONDS, or run make fuzz"))
    func `Fuzz: damaged logs are harmless in every format`() throws {
        let end = Date(timeIntervalSinceNow: Self.seconds ?? 0)
        print("fuzz: writing logs begins, FASTCTL_SEED=\(Self.seed)")
        let count = try Self.fuzz { _ in Date() > end }
        print("fuzz: writing logs: \(count) cases, FASTCTL_SEED=\(Self.seed) repeats")
    }

    @discardableResult
    private static func fuzz(isOver: (Int) -> Bool) throws -> Int {
        let folder = try TemporaryFolder()
        var random = SeededGenerator(seed: 1)
        let texts = try [written(.uls, (0..<30).map { event($0, &random) })] + fixtures()
        var count = 0
        while !isOver(count) {
            let number = seed &+ UInt64(count)
            count += 1
            var mutation = ByteMutation(seed: number)
            let path = folder.path("a.log")
            try Data(mutation.mutated(texts)).write(to: URL(filePath: path))
            var events: [ULSEvent] = []
            let reader = LogReader(inputs: [path])
            _ = try reader.forEachEvent(in: .files) { events.append(copy $0) }
            for event in events {
                for column in ULSEvent.Column.allCases {
                    let isValid = event[column].withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) } != nil
                    #expect(isValid, "FASTCTL_SEED=\(number)")
                }
            }
            for format in LogEventWriter.forms { _ = written(format, events) }
            #expect(isHarmless(written(.text, events)), "FASTCTL_SEED=\(number)")
            _ = try reader.summary()
        }
        return count
    }

    /// Whether text contains no control characters except line ends.
    private static func isHarmless(_ bytes: [UInt8]) -> Bool {
        guard let text = String(validating: bytes, as: UTF8.self) else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            scalar == "\n"
                || scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
                    && !(0x202A...0x202E).contains(scalar.value) && !(0x2066...0x2069).contains(scalar.value)
        }
    }

    private static func fixtures() throws -> [[UInt8]] {
        var folders = [
            URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../ULSLogTests/Fixtures").path
        ]
        if let samples = environment["FASTCTL_SAMPLES"] { folders.append(samples) }
        return try folders.flatMap { folder in
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted().compactMap {
                FileManager.default.contents(atPath: folder + "/" + $0).map { Array($0.prefix(200_000)) }
            }
        }
    }

    private static func written(_ format: OutputForm, _ events: [ULSEvent]) -> [UInt8] {
        var bytes: [UInt8] = []
        var writer = LogEventWriter(format)
        writer.begin(in: &bytes)
        for event in events { writer.append(event, to: &bytes) }
        writer.end(in: &bytes)
        return bytes
    }

    private static func texts(_ event: borrowing ULSEvent) -> [String] {
        var texts: [String] = []
        for column in ULSEvent.Column.allCases { texts.append(event.text(column)) }
        return texts + [event.server ?? "-", "\(event.time.clock)", "\(event.isUTCLayout)", "\(event.isOrphan)"]
    }

    private static func event(_ number: Int, _ random: inout SeededGenerator) -> ULSEvent {
        func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
        let isUTC = Bool.random(using: &random)
        let isOrphan = Int.random(in: 0..<6, using: &random) == 0
        let messages = [
            "plain", "a\tb", "one\r\ntwo\n\nthree", "ends...", "日本 é", "at 03/04/2021 10:00:00.00 \tx", "", "....",
            "\"q\"",
            "Timestamp of what", "x\u{1B}[2J", "tab and id\tb", String(repeating: "long ", count: 400) + "end",
        ]
        var event = ULSEvent(
            time: LogTime(
                clock: 1_614_852_000_000 + Int64(number) * pick([10, 15, 1234]),
                quality: isUTC ? .exact : .local
            ),
            place: .init(file: "a", line: 1, lineEnd: 1),
            server: pick([nil, "WFE1", "APP-2"]),
            columns: [
                .process: pick(["w3wp.exe", "OWSTIMER.EXE", "Microsoft.Office.Web.WebOneNoteWatchdog.exe"]),
                .processID: "0x1790",
                // Each event has its own thread, so dots join no events.
                .threadID: "0x\(1000 + number)",
                .area: pick(["SharePoint Foundation", "", "Área"]), .category: pick(["General", "0xEB2D003"]),
                .eventID: pick(["b4ly", "8nca", "0000"]), .level: pick(["High", "Unexpected", "VerboseEx", ""]),
                .message: isOrphan ? "...rest" : pick(messages),
                .correlation: pick(["", "ab9f0000-0000-0001-dead-beef00000001"]),
            ]
        )
        event.isUTCLayout = isUTC
        event.isOrphan = isOrphan
        return event
    }
}

struct NativeRowTests {
    private func rows(_ event: ULSEvent) -> String {
        rendered { bytes in
            var writer = LogEventWriter(.uls)
            #expect(writer.append(event, to: &bytes))
        }
    }

    @Test func `The header is padded in the same way as by the logging service`() {
        let header = rendered { LogEventWriter(.uls).begin(in: &$0) }
        let cells = header.split(separator: "\t").map(String.init)
        #expect(cells.map(\.count) == [23, 40, 6, 30, 30, 7, 10, 8, 12])
        #expect(cells.last == "Correlation\r\n")
    }

    @Test func `A row is padded in the same way as by the logging service`() {
        #expect(
            rows(LogFixtures.event("a\tb\r\nc", level: "High"))
                == "09/26/2011 10:39:40.52 \tw3wp.exe (0x1790)                       \t0x0EB8\t"
                + "SharePoint Foundation         \tGeneral                       \tb9y3\tHigh    \ta\tb\r\nc\t"
                + "9446a0f0-1577-472e-a8af-a552b1b4cc39\r\n"
        )
    }

    @Test func `The server precedes the process ID, and a missing correlation is written as a single blank`() {
        let row = rows(LogFixtures.event("x", server: "WFE1", correlation: ""))
        #expect(row.contains("\tw3wp.exe (WFE1:0x1790)                  \t"))
        #expect(row.hasSuffix("\tx\t \r\n"))
    }

    @Test func `A continuation without its beginning keeps its asterisk`() {
        var event = LogFixtures.event("...rest")
        event.isOrphan = true
        #expect(rows(event).hasPrefix("09/26/2011 10:39:40.52*\tw3wp.exe"))
    }

    @Test func `A UTC layout keeps its times, and a local time with a known offset stays local`() {
        var event = LogFixtures.event("x")
        event.isUTCLayout = true
        event.time = LogTime(clock: LogFixtures.start, quality: .exact)
        #expect(rows(event).hasPrefix("2011-09-26 10:39:40.52 \t"))
        event.isUTCLayout = false
        event.time = LogTime(clock: LogFixtures.start + 5, offset: 7200, quality: .exact)
        #expect(rows(event).hasPrefix("09/26/2011 10:39:40.525 \t"))
    }

    @Test(arguments: [LogTime.Quality.none, .timeOnly])
    func `Events without a date are omitted and counted`(quality: LogTime.Quality) {
        var writer = LogEventWriter(.uls)
        var bytes: [UInt8] = []
        #expect(writer.note == nil)
        #expect(!writer.append(LogFixtures.event("x", quality: quality), to: &bytes))
        #expect(bytes.isEmpty)
        #expect(writer.omitted == 1)
        #expect(
            writer.note
                == "1 event has no date and cannot be written as native rows; use -o ndjson or -o csv to get all events"
        )
    }

    @Test func `A tab or line ending outside the message does not end a column`() {
        let row = rows(LogFixtures.event("x", level: "a\tb", eventID: "c\r\nd", area: "e\tf"))
        #expect(row.split(separator: "\t", omittingEmptySubsequences: false).count == 9)
        #expect(row.utf8.count { $0 == 0x0A } == 1)
    }
}
