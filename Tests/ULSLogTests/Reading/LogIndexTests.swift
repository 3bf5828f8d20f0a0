import Foundation
import TestSupport
import Testing

@testable import ULSLog
@testable import ULSRows

/// An index finds every row again, regardless of the units and pieces in which the text is read.
struct LogIndexTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func time(_ second: Int) -> String {
        String(format: "09/26/2011 10:%02d:%02d.00", second / 60 % 60, second % 60)
    }

    private func write(_ text: String, to name: String) throws {
        try text.write(toFile: folder.path(name), atomically: false, encoding: .utf8)
    }

    private func append(_ text: String, to name: String) throws {
        let file = try #require(FileHandle(forWritingAtPath: folder.path(name)))
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    private func rows(_ seconds: some Sequence<Int>, _ name: String, level: String = "High") -> String {
        seconds.map { second in
            row("\(name) \(second)") {
                $0.time = time(second)
                $0.level = level
            }
        }.joined()
    }

    private func messages(_ index: LogIndex) -> [String] {
        index.events(0..<index.progress.rows).map { $0?.text(.message) ?? "-" }
    }

    @Test(arguments: LogReading.all)
    func `The index contains the same rows as the reader, in the same order, and can read them from their files`(
        reading: LogReading
    ) throws {
        try write(nativeHeader + rows(stride(from: 0, to: 400, by: 2), "a"), to: "WFE1-20110926-1030.log")
        try write("\u{FEFF}" + nativeHeader + rows(stride(from: 1, to: 300, by: 3), "b"), to: "WFE2-20110926-1030.log")
        let reader = reading.reader([folder.path("")])
        let index = try LogIndex(reader)
        try index.build()
        var expected: [String] = []
        _ = try reader.forEachEvent(in: .time) { expected.append($0.text(.message)) }
        #expect(messages(index) == expected)
        #expect(expected.count == 300)
        #expect(index.progress.isComplete)
        #expect(index.progress.bytes <= index.progress.totalBytes)
    }

    @Test func `The index contains only rows that match the filter`() throws {
        try write(nativeHeader + rows(0..<50, "a") + rows(50..<60, "needle", level: "Monitorable"), to: "A.log")
        var reader = LogReader(inputs: [folder.path("A.log")])
        reader.filter.contains = ["needle"]
        let index = try LogIndex(reader)
        try index.build()
        #expect(messages(index) == (50..<60).map { "needle \($0)" })
        reader.filter = EventFilter()
        reader.filter.level = ULSLevel("Monitorable")
        let byLevel = try LogIndex(reader)
        try byLevel.build()
        #expect(byLevel.progress.rows == 10)
    }

    @Test func `A split message is a single row, and is read completely`() throws {
        let text =
            row("first") { $0.time = time(1) } + row("head...") { $0.time = time(2) }
            + row("...tail") {
                $0.time = time(2)
                $0.mark = "*"
            } + row("last") { $0.time = time(3) }
        try write(nativeHeader + text, to: "A.log")
        let index = try LogIndex(LogReader(inputs: [folder.path("A.log")]))
        try index.build()
        #expect(messages(index) == ["first", "headtail", "last"])
    }

    @Test func `Every row of an exception is read, although the first one continues in the others`() throws {
        let lines = ["Exception: A.B: old", "at A.B.Open()", "at A.B.Run()"]
        try write(nativeHeader + (lines + ["last"]).map { row($0) }.joined(), to: "A.log")
        let index = try LogIndex(LogReader(inputs: [folder.path("A.log")]))
        try index.build()
        #expect(messages(index) == [0, 1, 2].map { lines[$0...].joined(separator: "\n") } + ["last"])
    }

    @Test func `Times and problems are found without rereading the rows`() throws {
        let problems =
            rows(100..<101, "a", level: "Unexpected") + rows(101..<200, "a")
            + rows(200..<201, "a", level: "Monitorable")
        try write(nativeHeader + rows(0..<100, "a") + problems, to: "A.log")
        let index = try LogIndex(LogReader(inputs: [folder.path("A.log")]))
        try index.build()
        #expect(index.problem(from: 0, isForward: true) == 100)
        #expect(index.problem(from: 100, isForward: true) == 200)
        #expect(index.problem(from: 200, isForward: true) == nil)
        #expect(index.problem(from: 200, isForward: false) == 100)
        let instant = try #require(index.instant(ofRow: 77))
        #expect(index.firstRow(atOrAfter: instant) == 77)
        #expect(index.firstRow(atOrAfter: instant + 1) == 78)
        #expect(index.firstRow(atOrAfter: .max) == 201)
    }

    @Test func `Rows written later are added, including the rest of an incomplete last line`() throws {
        let whole = rows(10..<11, "a")
        try write(nativeHeader + rows(0..<10, "a") + whole.prefix(60), to: "WFE1-20110926-1030.log")
        let index = try LogIndex(LogReader(inputs: [folder.path("")]))
        try index.build()
        let before = index.progress.rows
        #expect(try !index.extend())
        try append(String(whole.dropFirst(60)) + rows(11..<20, "a"), to: "WFE1-20110926-1030.log")
        try write(nativeHeader + rows(20..<25, "b"), to: "WFE1-20110926-1100.log")
        #expect(try index.extend())
        #expect(before >= 10)
        #expect(messages(index) == (0..<20).map { "a \($0)" } + (20..<25).map { "b \($0)" })
        #expect(try !index.extend())
    }

    @Test func `An archive or pasted text cannot be indexed`() throws {
        try write("09/26/2011 10:39:40.52 something failed in a paste\n", to: "paste.txt")
        #expect(throws: LogError.self) { try LogIndex(LogReader(inputs: [folder.path("paste.txt")])) }
    }

    @Test func `A row takes 16 bytes in the index`() {
        #expect(MemoryLayout<IndexedRow>.stride == 16)
        let row = IndexedRow(instant: -5, source: 65_535, rank: 9, offset: 1 << 43)
        #expect((row.instant, row.source, row.rank, row.offset) == (-5, 65_535, 9, 1 << 43))
    }
}
