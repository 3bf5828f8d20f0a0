import Testing

@testable import ULSLog
@testable import ULSRows

/// Limits take effect at the same places regardless of how a text is divided; they are counted, and the text after them
/// is read.
struct ReadingLimitsTests {
    private static func row(
        _ message: String,
        second: Int = 10,
        columns: String = "Area\tCategory\tb4ly\tHigh"
    ) -> String {
        "03/04/2021 10:00:\(second).00 \tw3wp.exe (0x1790)\t0x0EB8\t\(columns)\t\(message)"
    }

    private static let readings: [LogReading] = [(4096, 1 << 20), (7, 1000), (64, 1 << 20), (64, 300), (500, 1000)]
        .map { LogReading(piece: $0, unit: $1, jobs: 2, maximumRecord: 400) }

    private static func check(
        _ text: String,
        readings: [LogReading] = readings,
        _ verify: ([ModelEvent], ReadReport) -> Void
    ) throws {
        let folder = try SourceFolder()
        let plain = try folder.write("a.log", text)
        let packed = try folder.write("a.log.gz", StoredGzip.pack(Array(text.utf8)))
        var first: [String]?
        var quality: ReadQuality?
        for path in [plain, packed] {
            for reading in readings {
                let (events, report) = try reading.reader([path]).readEvents()
                let texts = events.map { "\($0.line)-\($0.lineEnd) \($0.columns)" }
                #expect(texts == first ?? texts, "\(reading)")
                #expect(report.quality == quality ?? report.quality, "\(reading)")
                #expect(report.quality.balances)
                if first == nil { verify(events, report) }
                first = texts
                quality = report.quality
            }
        }
    }

    private static func times(_ limit: LogLimit, _ report: ReadReport) -> Int {
        report.quality.limits.first { $0.limit == limit }?.count ?? 0
    }

    @Test(arguments: [380, 390, 395, 400, 401, 402, 450, 900, 3000])
    func `A line longer than a record is cut, and the next row is read`(length: Int) throws {
        let long = Self.row(String(repeating: "x", count: length - Self.row("").utf8.count))
        try Self.check(long + "\r\n" + Self.row("next", second: 11) + "\r\n") { events, report in
            #expect(events.count == 2)
            #expect(events.last?[.message] == "next")
            #expect(events.first?[.message].utf8.count == min(length, 400) - Self.row("").utf8.count)
            #expect(events.last?.line == 2)
            #expect(report.quality.lines == 2)
            // The line end is included.
            #expect(Self.times(.rowBytes, report) == (length + 1 > 400 ? 1 : 0))
        }
    }

    @Test(arguments: [3, 10, 12, 13, 14, 30])
    func `A record with too many lines is cut at a line end, and the rest is counted as not understood`(
        count: Int
    ) throws {
        let lines = (0..<count).map { "continued line number \($0 + 10)" }
        let text = ([Self.row("begin")] + lines + [Self.row("next", second: 11), ""]).joined(separator: "\n")
        try Self.check(text) { events, report in
            #expect(events.count == 2)
            #expect(events.last?[.message] == "next")
            #expect(events.last?.line == count + 2)
            #expect((report.quality.notUnderstood > 0) == (Self.times(.rowBytes, report) > 0))
            #expect(report.quality.continuations + report.quality.notUnderstood == count)
        }
    }

    @Test(arguments: [330, 340, 345, 350, 355, 360])
    func `A record that just fits is not cut when the next row begins`(length: Int) throws {
        let text = (0..<6).map { Self.row(String(repeating: "x", count: length), second: 10 + $0) + "\n" }.joined()
        try Self.check(text) { events, report in
            #expect(events.count == 6)
            #expect(report.quality.notUnderstood == 0)
        }
    }

    @Test func `A long line that is not a row counts as one line, either not understood or blank`() throws {
        let junk = String(repeating: "junk ", count: 300)
        let blank = String(repeating: " ", count: 1500)
        let text = [
            junk, blank, Self.row("one"), "Timestamp\t" + junk, junk, blank + "x", Self.row("two", second: 12), "",
        ]
        try Self.check(text.joined(separator: "\n")) { events, report in
            #expect(events.map { $0[.message] } == ["one", "two"])
            #expect(events.map(\.line) == [3, 7])
            #expect(report.quality.headers == 1)
            #expect(report.quality.lines == 7)
        }
    }

    @Test func `A joined message that is too long is cut once, and later parts are ignored`() throws {
        var text = Self.row("head" + String(repeating: "a", count: 90_000) + "...") + "\n"
        for number in 0..<4 {
            text +=
                Self.row("...\(number)" + String(repeating: "é", count: 45_000) + (number < 3 ? "..." : ""))
                .replacing("00 \tw3wp", with: "00*\tw3wp") + "\n"
        }
        text += Self.row("next", second: 12) + "\n"
        try Self.check(text, readings: [LogReading(), LogReading(piece: 4096, unit: 100_000, jobs: 2)]) {
            events,
            report in
            #expect(events.count == 2)
            #expect(events.first?.parts == 5)
            #expect(events.first?.lineEnd == 5)
            let message = events.first?[.message] ?? ""
            #expect((LogLimit.messageBytes.maximum - 1...LogLimit.messageBytes.maximum).contains(message.utf8.count))
            #expect(message.hasPrefix("headaaa") && message.hasSuffix("éé") && !message.contains("..."))
            #expect(!message.contains("3é"))
            #expect(Self.times(.messageBytes, report) == 1)
        }
    }

    @Test func `The last part of a message can consist of only a full stop`() throws {
        let star = { (text: String) in Self.row(text).replacing("00 \tw3wp", with: "00*\tw3wp") }
        let text = [Self.row("abc..."), star("...."), star("...late"), ""].joined(separator: "\n")
        try Self.check(text) { events, _ in
            #expect(events.map { $0[.message] } == ["abc.", "...late"])
            #expect(events.map(\.isOrphan) == [false, true])
        }
    }

    @Test func `Incomplete messages beyond the limit are closed in order, and counted in the report`() throws {
        var joiner = EventJoiner(filter: RecordFilter(EventFilter()))
        var released: [Int] = []
        let count = LogLimit.openParts.maximum + 5000
        for number in 0..<count {
            joiner.take(Self.item(number, .head), lines: 0, server: nil)
            // The time at which events are released makes no difference.
            if number % 7 == 0 { joiner.release { released.append($0.place.line) } }
        }
        joiner.take(Self.item(count, .part(isMarked: true, hasMore: false), key: 0), lines: 0, server: nil)
        joiner.take(Self.item(count + 1, .part(isMarked: true, hasMore: false), key: count - 1), lines: 0, server: nil)
        joiner.finish { released.append($0.place.line) }
        #expect(released == Array(1...count + 1))
        #expect(joiner.quality.orphans == 1)
        #expect(joiner.quality.parts == 1)
        #expect(joiner.quality.limits.contains { $0.limit == .openParts && $0.count > 0 })
    }

    @Test(arguments: [1, 10, 1000, 20_000])
    func `Complete events that wait for another server are not subject to the limit`(step: Int) {
        var joiner = EventJoiner(filter: RecordFilter(EventFilter()))
        joiner.take(Self.item(0, .head), lines: 0, server: "A")
        var released = 0
        for number in 1...15_000 {
            joiner.take(Self.item(number, nil), lines: 0, server: "B")
            if number % step == 0 { joiner.release { _ in released += 1 } }
        }
        joiner.finish { _ in released += 1 }
        #expect(released == 15_001)
        #expect(joiner.quality.limits.isEmpty)
    }

    private static func item(_ number: Int, _ split: SplitMessage?, key: Int? = nil) -> EventItem {
        let event = ULSEvent(
            time: LogTime(clock: 0, quality: .local),
            place: .init(file: "a", line: number + 1, lineEnd: number + 1),
            columns: [.message: "...x..."]
        )
        let keys = PartKeys(key: UInt64(key ?? number))
        return EventItem(event: event, split: split, keys: keys, position: Int64(number))
    }

    @Test func `A pasted line that is longer than a record is cut, and counted in the report`() throws {
        let folder = try SourceFolder()
        let long = String(repeating: "x", count: LogLimit.rowBytes.maximum + 5)
        let path = try folder.write("a.txt", "w3wp.exe (0x1620) 0x1988 Search General ab2c4 High " + long + "\n")
        let (events, report) = try LogReading().reader([path]).readEvents()
        #expect(events.count == 1)
        #expect(Self.times(.rowBytes, report) == 1)
    }

    @Test(arguments: [1, 60, 200, 100_000] as [Int64])
    func `Pasted text is also read in units, with correct line numbers`(unitBytes: Int64) throws {
        let row = "09/26/2011 10:39:40.52 w3wp.exe (0x1790) 0x0EB8 SharePoint Foundation Runtime b9y3 High "
        let text = (0..<20).map { "\(row)number \($0)\nand more\n" }.joined()
        let folder = try SourceFolder()
        var reader = LogReader(inputs: [try folder.write("a.txt", text)])
        reader.sizes.unitBytes = unitBytes
        let (events, report) = try reader.readEvents()
        #expect(events.map { $0[.message] } == (0..<20).map { "number \($0) and more" })
        #expect(events.map(\.line) == (0..<20).map { $0 * 2 + 1 })
        #expect(report.quality.balances)
        #expect(report.quality.lines == 40)
        #expect(try reader.summary().events == 20)
    }

    @Test func `Column values that exceed the table are included in totals, and filters remain exact`() throws {
        let count = LogLimit.columns.maximum + 500
        var text = ""
        for number in 0..<count { text += Self.row("m", columns: "A\(number)\tC\tb4ly\tHigh") + "\n" }
        for number in count - 3..<count { text += Self.row("again", columns: "A\(number)\tC\tb4ly\tHigh") + "\n" }
        let folder = try SourceFolder()
        let path = try folder.write("a.log", text)
        for reading in [LogReading(piece: 256 << 10, unit: 32 << 20), LogReading(piece: 64 << 10, unit: 400_000)] {
            let reader = reading.reader([path])
            let summary = try reader.summary()
            #expect(summary.events == count + 3)
            #expect(summary.areas.reduce(0) { $0 + $1.count } == count + 3)
            #expect(summary.quality.limits.contains { $0.limit == .columns && $0.count == 503 })
            let (events, _) = try reader.with { $0.filter.categories = ["A\(count - 1)/C"] }.readEvents()
            #expect(events.map(\.line) == [count, count + 3])
        }
    }
}
