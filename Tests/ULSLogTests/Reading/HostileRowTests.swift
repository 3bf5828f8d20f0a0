import Testing

@testable import ULSLog
@testable import ULSRows

/// Rows that once misled readers: each case is small, and states the expected result.
struct HostileRowTests {
    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.utf8.count))
    }

    private static func row(
        time: String = "03/04/2021 10:00:10.00 ",
        process: String = pad("w3wp.exe (0x1790)", 40),
        eventID: String = "b4ly",
        level: String = "High    ",
        message: String = "some message that makes the row long enough",
        correlation: String = "ab9f0000-0000-0001-dead-beef00000001"
    ) -> String {
        let columns = [
            time, process, "0x0EB8", pad("SharePoint Foundation", 30), pad("General", 30), eventID, level, message,
            correlation,
        ]
        return columns.joined(separator: "\t") + "\r\n"
    }

    private static func events(_ text: String, _ change: (inout LogReader) -> Void = { _ in }) throws -> [ModelEvent] {
        let folder = try SourceFolder()
        return try LogReading().reader([folder.write("a.log", text)]).with(change).readEvents().events
    }

    private static func summary(_ text: String) throws -> LogSummary {
        let folder = try SourceFolder()
        return try LogReading().reader([folder.write("a.log", text)]).summary()
    }

    @Test func `A process column that starts one byte earlier is not mistaken for a cached one`() throws {
        let odd = Self.row(time: "03/04/2021 10:00:10.00", process: "X" + Self.pad("w3wp.exe (0x1790)", 40))
        let text = odd + odd + Self.row() + Self.row()
        #expect(try Self.events(text).map { $0[.process] } == ["Xw3wp.exe", "Xw3wp.exe", "w3wp.exe", "w3wp.exe"])
        #expect(try Self.events(text) { $0.filter.processes = ["w3wp"] }.count == 2)
    }

    @Test func `A level or an event ID followed by zero bytes is a different value`() throws {
        let rows = [
            Self.row(level: "High"), Self.row(level: "High\0\0\0\0"), Self.row(eventID: "b4l"),
            Self.row(eventID: "b4l\0"),
        ]
        let text = (rows + rows).joined()
        let summary = try Self.summary(text)
        #expect(Set(summary.levels.map(\.value)) == ["High", "High\0\0\0\0"])
        #expect(Set(summary.eventIDs.map(\.value)) == ["b4ly", "b4l", "b4l\0"])
        #expect(summary.eventIDs.allSatisfy { $0.count == ($0.value == "b4ly" ? 4 : 2) })
    }

    @Test func `Columns that consist of zero bytes are kept as columns`() throws {
        let zeros = String(repeating: "\0", count: 40)
        let text = Self.row(process: zeros) + Self.row() + Self.row(process: zeros)
        #expect(try Self.events(text).map { $0[.process] } == [zeros, "w3wp.exe", zeros])
    }

    @Test func `Zero bytes in place of a correlation are part of the message, whatever the previous row contains`()
        throws
    {
        let zeros = String(repeating: "\0", count: 36)
        let messages = try Self.events(Self.row(correlation: zeros) + Self.row() + Self.row(correlation: zeros))
            .map { $0[.message] }
        #expect(messages[0] == messages[2])
        #expect(messages[0].hasSuffix("\t" + zeros))
    }

    @Test func `A line whose time contains a letter does not begin a row`() throws {
        let events = try Self.events(Self.row(correlation: "") + Self.row(time: "03/04/2021 1:00X:10.00 "))
        #expect(events.count == 1)
    }

    @Test func `A question mark in a filter matches one character, even one of several bytes`() throws {
        let text = Self.row().replacing("General ", with: "Gené日al")
        #expect(try Self.events(text) { $0.filter.categories = ["Gen??al*"] }.count == 1)
        #expect(try Self.events(text) { $0.filter.categories = ["Gen?al*"] }.isEmpty)
    }

    @Test func `Windows-1252 texts and columns are found as they are shown`() throws {
        let text = Self.row(message: "caf# au lait").replacing("General", with: "Caf#   ")
        let bytes = text.utf8.map { $0 == UInt8(ascii: "#") ? 0xE9 : $0 }
        let folder = try SourceFolder()
        let path = try folder.write("a.log", bytes)
        for filter in ["café", "AU LAIT"] {
            let reader = LogReading().reader([path]).with { $0.filter.contains = [filter] }
            #expect(try reader.readEvents().events.count == 1, "\(filter)")
            #expect(try reader.summary().events == 1)
        }
        let reader = LogReading().reader([path]).with { $0.filter.categories = ["Café"] }
        #expect(try reader.readEvents().events.count == 1)
    }

    @Test func `A second byte-order mark has the same effect in compressed and plain files`() throws {
        let folder = try SourceFolder()
        let bytes = [0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF] + Array((Self.row() + Self.row()).utf8)
        let plain = try LogReading().reader([folder.write("a.log", bytes)]).readEvents()
        let packed = try LogReading().reader([folder.write("b.log.gz", StoredGzip.pack(bytes))]).readEvents()
        #expect(plain.report.quality == packed.report.quality)
        #expect(plain.events.map(\.columns) == packed.events.map(\.columns))
    }

    @Test func `A very long column is read, but a summary counts it as beyond the limit`() throws {
        let text = (0..<3).map { Self.row().replacing("General", with: String(repeating: "\($0)", count: 9000)) }
            .joined()
        #expect(try Self.events(text).map { $0[.category].utf8.count } == [9023, 9023, 9023].map { $0 - 23 })
        let summary = try Self.summary(text)
        #expect(summary.categories.map(\.count) == [3])
        #expect(summary.quality.limits.contains { $0.limit == .columns && $0.count == 3 })
    }

    @Test func `Even if the text between them is skipped, parts a mebibyte apart are not joined`() throws {
        var text = Self.row(message: "begins here...")
        let other = Self.row(
            message: String(repeating: "x", count: 900),
            correlation: "bbbb0000-0000-0001-dead-beef00000001"
        )
        for _ in 0..<1100 { text += other }
        text += Self.row(message: "...and goes on")
        let folder = try SourceFolder()
        let path = try folder.write("a.log", text)
        for piece in [4096, 256 << 10] {
            let reader = LogReading(piece: piece, unit: 32 << 20).reader([path]).with {
                $0.filter.correlations = [CorrelationPattern("ab9f0000")].compactMap { $0 }
            }
            #expect(try reader.readEvents().events.map(\.line) == [1, 1102])
        }
    }

    @Test func `A search for text does not report gaps caused by the search itself`() throws {
        let text =
            Self.row(message: "wanted one") + Self.row(time: "03/04/2021 10:04:00.00 ")
            + Self.row(time: "03/04/2021 10:08:00.00 ", message: "wanted two")
        let folder = try SourceFolder()
        let reader = try LogReading().reader([folder.write("a.log", text)])
        #expect(try reader.summary().gaps.isEmpty)
        #expect(try reader.with { $0.filter.contains = ["wanted"] }.summary().gaps.isEmpty)
    }

    @Test func `Line numbers are counted from the beginning of the file even if earlier text is skipped`() throws {
        var text = ""
        for number in 0..<600 {
            let time = "03/04/2021 \(10 + number / 60):\(number % 60 / 10)\(number % 10):10.00 "
            text += Self.row(time: time, message: number % 100 == 99 ? "wanted" : "other")
        }
        let folder = try SourceFolder()
        let path = try folder.write("a.log", text)
        let reader = try LogReading(unit: 3000).reader([path]).with {
            $0.window = try TimeWindow(since: "2021-03-04T12:00")
            $0.filter.contains = ["wanted"]
        }
        #expect(try reader.readEvents().events.map(\.line) == [200, 300, 400, 500, 600])
    }
}
