import JSONText
import Testing

@testable import ReportKit

/// The progress of a running command, at simulated times.
struct ProgressLineTests {
    private static func logs(_ bytes: Int, of total: Int?, events: Int = 0) -> ProgressCount {
        var count = ProgressCount(of: .events)
        (count.bytes, count.totalBytes, count.items) = (bytes, total, events)
        return count
    }

    private static func feed(_ done: Int, bytes: Int = 0, of total: Int? = nil) -> ProgressCount {
        var count = ProgressCount(of: .done)
        (count.items, count.bytes, count.totalBytes) = (done, bytes, total)
        return count
    }

    @Test func `Reading shows the share, rate, events and remaining time`() {
        var meter = ProgressMeter()
        _ = meter.reading(of: Self.logs(0, of: 1 << 30), at: .zero)
        let reading = meter.reading(of: Self.logs(256 << 20, of: 1 << 30, events: 1_234_567), at: .seconds(2))
        #expect(reading.words == "25% of 1.0 GiB, 128 MiB/s, 1,234,567 events, ETA 6 s")
    }

    @Test func `A pipe has neither a share nor a remaining time`() {
        var meter = ProgressMeter()
        _ = meter.reading(of: Self.logs(0, of: nil), at: .zero)
        let reading = meter.reading(of: Self.logs(10 << 20, of: nil, events: 1), at: .seconds(65))
        #expect(reading.words == "10.0 MiB, 157 KiB/s, 1 event, 1 min 5 s")
    }

    @Test func `The rate is that of the last few seconds, not of the whole run`() {
        var meter = ProgressMeter()
        // A thousand per second for a minute, then a hundred.
        for second in 0...60 { _ = meter.reading(of: Self.feed(second * 1000), at: .seconds(second)) }
        var reading = meter.reading(of: Self.feed(60_100), at: .seconds(61))
        for second in 2...6 { reading = meter.reading(of: Self.feed(60_000 + second * 100), at: .seconds(60 + second)) }
        #expect(reading.itemsPerSecond == 100)
        #expect(reading.words == "60,600 done, 100/s, 1 min 6 s")
    }

    @Test func `The rate covers the same time span however often it is updated`() {
        var rate = RecentRate()
        for tick in 0...200 { rate.note(tick * 10, at: .milliseconds(tick * 100)) }
        #expect(rate.perSecond.map { abs($0 - 100) < 1 } == true)
        for tick in 1...60 { rate.note(2000, at: .milliseconds(20_000 + tick * 100)) }
        #expect(rate.perSecond == 0)
    }

    @Test func `No rate is shown before one can be computed`() {
        var meter = ProgressMeter()
        let reading = meter.reading(of: Self.feed(0, of: 100), at: .milliseconds(100))
        #expect(reading.words == "0% of 100 B, 0 done, 0 s")
    }

    @Test func `A feed's progress includes the share of its input, its rate and its errors`() {
        var meter = ProgressMeter()
        _ = meter.reading(of: Self.feed(0, of: 1 << 20), at: .zero)
        var count = Self.feed(18_000, bytes: 512 << 10, of: 1 << 20)
        count.errors = 2
        let reading = meter.reading(of: count, at: .seconds(4))
        #expect(reading.words == "50% of 1.0 MiB, 18,000 done, 4,500/s, 2 errors, ETA 4 s")
    }

    @Test func `The share is computed from operations if the number of bytes is unknown`() {
        var meter = ProgressMeter()
        var count = Self.feed(0)
        count.totalItems = 1_000
        _ = meter.reading(of: count, at: .zero)
        count.items = 100
        #expect(meter.reading(of: count, at: .seconds(1)).words == "10% of 1,000, 100 done, 100/s, ETA 9 s")
    }

    @Test func `The items read from the source and from the collection are shown, with the collection's total`() {
        var meter = ProgressMeter()
        var count = ProgressCount(of: .read)
        count.sides = .init(source: 0, collection: 0)
        _ = meter.reading(of: count, at: .zero)
        count.items = 6_000
        count.sides = .init(source: 2_000, collection: 4_000, collectionTotal: 5_000)
        count.errors = 1
        let reading = meter.reading(of: count, at: .seconds(2))
        #expect(reading.words == "source 2,000, collection 4,000 of 5,000 read, 3,000/s, 1 error, 2 s")
        var bytes: [UInt8] = []
        reading.append(to: &bytes)
        let object = String(decoding: bytes, as: UTF8.self)
        #expect(object.contains(#""sourceItems":2000,"collectionItems":4000,"collectionTotal":5000,"#))
    }

    @Test func `The rate of a command's next task is computed separately`() {
        var meter = ProgressMeter()
        _ = meter.reading(of: Self.feed(0), at: .zero)
        _ = meter.reading(of: Self.feed(400_000), at: .seconds(4))
        var next = ProgressCount(of: .compared)
        next.totalItems = 1_000
        #expect(meter.reading(of: next, at: .seconds(4)).words == "0% of 1,000, 0 compared, 4 s")
        next.items = 500
        #expect(meter.reading(of: next, at: .seconds(5)).words == "50% of 1,000, 500 compared, 500/s, ETA 1 s")
    }

    @Test func `An engine that does not respond is reported with the duration and, if known, the reason`() {
        var meter = ProgressMeter()
        var count = Self.feed(9_000, bytes: 37, of: 100)
        count.wait = .init(since: .seconds(5))
        #expect(meter.reading(of: count, at: .seconds(7)).waiting == nil)
        let silent = meter.reading(of: count, at: .seconds(19)).words
        #expect(silent == "37% of 100 B, 9,000 done, 0/s, no answer from the engine for 14 s")
        count.wait?.reason = "connection refused"
        let failing = meter.reading(of: count, at: .seconds(95)).words
        #expect(failing.hasSuffix(", no progress for 1 min 30 s: connection refused"))
        count.wait?.givesUpAt = .seconds(965)
        count.inFlight = 8_000
        let end = meter.reading(of: count, at: .seconds(95)).words
        #expect(end.contains(", 8,000 in flight, no progress for 1 min 30 s, "))
        #expect(end.hasSuffix(", giving up in 14 min 30 s: connection refused"))
    }

    @Test(arguments: [1, 10, 44, 80, 200])
    func `A line is shorter than the terminal's width, whatever the engine's message contains`(columns: Int) {
        var meter = ProgressMeter()
        var count = Self.feed(1, bytes: 1, of: 2)
        count.wait = .init(since: .zero, reason: "\u{1B}]0;title\u{07}\n漢字漢字 " + String(repeating: "x", count: 300))
        let line = meter.reading(of: count, at: .seconds(9)).line(columns: columns, TextLayout(isUnicode: false))
        #expect(line.count <= 4 * columns && !line.contains(0x1B) && !line.contains(0x0A))
        let width = String(decoding: line, as: UTF8.self).reduce(0) { $0 + ($1.isASCII || $1 == "…" ? 1 : 2) }
        #expect(width <= max(1, columns - 1))
    }

    @Test func `On a narrow terminal, the rate is omitted first, and the share is kept`() {
        var meter = ProgressMeter()
        _ = meter.reading(of: Self.logs(0, of: 1 << 30), at: .zero)
        let reading = meter.reading(of: Self.logs(256 << 20, of: 1 << 30, events: 1_234_567), at: .seconds(2))
        func line(_ columns: Int) -> String {
            String(decoding: reading.line(columns: columns, TextLayout(isUnicode: false)), as: UTF8.self)
        }
        #expect(line(80) == "25% of 1.0 GiB, 128 MiB/s, 1,234,567 events, ETA 6 s")
        #expect(line(44) == "25% of 1.0 GiB, 1,234,567 events, ETA 6 s")
        #expect(line(40) == "25% of 1.0 GiB, ETA 6 s")
    }

    @Test func `The percentage reaches 100 only at the end`() {
        #expect(Self.logs(999, of: 1000).percent == 99)
        #expect(Self.logs(1000, of: 1000).percent == 100)
        // A file that grows while it is read.
        #expect(Self.logs(1200, of: 1000).percent == 100)
        #expect(Self.logs(0, of: 0).percent == nil)
    }

    @Test func `The JSON object for programs contains the same values`() throws {
        var meter = ProgressMeter()
        _ = meter.reading(of: Self.logs(0, of: 4000), at: .zero)
        var bytes: [UInt8] = []
        meter.reading(of: Self.logs(1000, of: 4000, events: 7), at: .seconds(1)).append(to: &bytes)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"schema":"fastctl.progress/1","seconds":1,"bytes":1000,"totalBytes":4000,"bytesPerSecond":1000,"#
                + #""items":7,"itemKind":"events","totalItems":null,"sourceItems":null,"collectionItems":null,"#
                + #""collectionTotal":null,"itemsPerSecond":7,"errors":0,"inFlight":0,"#
                + #""percent":25,"secondsLeft":3,"waitingSeconds":null,"waitingFor":null,"givesUpInSeconds":null,"#
                + #""isLast":false}"# + "\n"
        )
    }

    @Test func `A diagnosis shows the findings so far, and its JSON object lists the first twenty`() {
        var meter = ProgressMeter()
        var count = ProgressCount(of: .events)
        count.items = 7
        count.findings = []
        #expect(meter.reading(of: count, at: .seconds(1)).words == "7 events, 1 s")
        count.findings = (1...21).map {
            ProgressCount.Finding(rule: "FS\($0)", severity: "error", title: "Broken", occurrences: 3)
        }
        let reading = meter.reading(of: count, at: .seconds(1))
        #expect(reading.words == "7 events, 21 findings so far, 1 s")
        var bytes: [UInt8] = []
        reading.append(to: &bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains(#""findings":[{"rule":"FS1","severity":"error","title":"Broken","occurrences":3},{"#))
        #expect(text.contains("FS20") && !text.contains("FS21"))
    }

    @Test func `Progress is shown on a terminal and in CI`() {
        func manner(
            _ choice: ProgressChoice,
            isTerminal: Bool = false,
            _ environment: [String: String] = [:]
        ) -> ProgressChoice.Manner? {
            choice.manner(isTerminal: isTerminal) { environment[$0] }
        }
        #expect(manner(.auto) == nil)
        #expect(manner(.auto, isTerminal: true) == .live)
        #expect(manner(.auto, isTerminal: true, ["CI": "true"]) == .live)
        #expect(manner(.auto, isTerminal: true, ["TERM": "dumb"]) == nil)
        #expect(manner(.auto, ["CI": "true"]) == .plain)
        #expect(manner(.auto, ["GITHUB_ACTIONS": "true"]) == .plain)
        #expect(manner(.auto, ["CI": "false"]) == nil)
        #expect(manner(.never, isTerminal: true) == nil)
        #expect(manner(.json, isTerminal: true) == .json)
        #expect(manner(.plain) == .plain)
    }
}
