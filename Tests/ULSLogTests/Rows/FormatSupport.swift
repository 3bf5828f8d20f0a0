import Testing

@testable import ULSLog
@testable import ULSRows

/// A row as the service writes it: padded columns, tabs between them.
struct NativeRow {
    static let correlation = "3ad81d9b-c01d-4000-8000-cc75daffbf63"
    static let elsewhere = "28662262-e112-4b7b-a55c-fcc0b401f30a"

    var message: String
    var time = "09/26/2011 10:39:40.52"
    var mark = " "
    var process = "w3wp.exe (0x1790)"
    var thread = "0x0EB8"
    var area = "SharePoint Foundation"
    var category = "Runtime"
    var eventID = "b9y3"
    var level = "High"
    /// `nil` if the column is missing.
    var correlation: String? = Self.correlation

    init(_ message: String) { self.message = message }

    var text: String {
        let columns = [
            time + mark, padded(process, 40), padded(thread, 6), padded(area, 30), padded(category, 30), eventID,
            padded(level, 8), message,
        ]
        return (columns + (correlation.map { [$0] } ?? [])).joined(separator: "\t")
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

/// Returns a row of the service's first layout, with a line end.
func row(_ message: String = "said", _ change: (inout NativeRow) -> Void = { _ in }) -> String {
    var row = NativeRow(message)
    change(&row)
    return row.text + "\r\n"
}

/// Returns a row of the layout with `TimestampUtc`, with a line end.
func utcRow(
    _ message: String = "said",
    time: String = "2021-02-02 07:27:58.07",
    process: String = "w3wp.exe#DiskCache (0x2688)"
) -> String {
    [time, process, "0x2804", "Office Web Apps", "Disk Cache", "b2xyz", "Medium", message, NativeRow.correlation]
        .joined(separator: "\t") + "\r\n"
}

let nativeHeader =
    "Timestamp              \tProcess                                 \tTID   \tArea                          \t"
    + "Category                      \tEventID\tLevel     \tMessage \tCorrelation\r\n"

let utcHeader = "TimestampUtc\tProcess\tThreadId\tArea\tCategory\tEventId\tLevel\tMessage\tCorrelation\r\n"

/// The result of reading logs.
///
/// Every line must be accounted for, and a summary must have the same counts.
struct ReadLog {
    private(set) var events: [ULSEvent] = []
    private(set) var report: ReadReport
    let summary: LogSummary

    var quality: ReadQuality { report.quality }
    var messages: [String] { texts(.message) }
    var times: [String] { events.map { $0.time.iso8601 ?? "" } }
    var lines: [Int] { events.map(\.place.line) }

    func texts(_ column: ULSEvent.Column) -> [String] { events.map { $0.text(column) } }

    /// Reads one file.
    init(
        _ text: String,
        as name: String = "a.log",
        _ change: (inout LogReader) throws -> Void = { _ in }
    ) throws {
        try self.init(bytes: Array(text.utf8), as: name, change)
    }

    init(
        bytes: [UInt8],
        as name: String = "a.log",
        _ change: (inout LogReader) throws -> Void = { _ in }
    ) throws {
        let folder = try SourceFolder()
        try self.init([folder.write(name, bytes)], change)
    }

    /// Reads several existing files.
    init(
        _ paths: [String],
        in order: LogReader.Order = .files,
        _ change: (inout LogReader) throws -> Void = { _ in }
    ) throws {
        var reader = LogReader(inputs: paths)
        try change(&reader)
        var found: [ULSEvent] = []
        report = try reader.forEachEvent(in: order) { found.append(copy $0) }
        events = found
        summary = try reader.summary()
        #expect(report.quality.balances)
        #expect(report.events == events.count)
        #expect(summary.quality.balances)
        #expect(summary.events == events.count)
        #expect(summary.records == events.reduce(0) { $0 + $1.parts })
        #expect(summary.quality.parts == quality.parts)
        #expect(summary.quality.orphans == quality.orphans)
        if reader.filter.isEmpty, reader.window.isAll { #expect(events.count == quality.records - quality.parts) }
    }

    /// Returns the only event.
    func only() throws -> ULSEvent {
        try #require(events.count == 1)
        return events[0]
    }
}
