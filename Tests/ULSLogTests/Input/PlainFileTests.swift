import Foundation
import Glibc
import Testing

@testable import ULSLog
@testable import ULSRows

struct PlainFileTests {
    private let folder: SourceFolder

    init() throws { folder = try SourceFolder() }

    @Test func `Part of a buffer is filled with bytes from an offset`() throws {
        let file = try PlainFile(path: try folder.write("a.log", "0123456789"))
        var buffer = Array("......".utf8)
        #expect(try file.read(into: &buffer, from: 2, at: 3) == 4)
        #expect(buffer == Array("..3456".utf8))
        #expect(try file.read(into: &buffer, at: 8) == 2)
        #expect(buffer == Array("893456".utf8))
        #expect(try file.read(into: &buffer, at: 10) == 0)
        #expect(try file.read(into: &buffer, at: 1 << 40) == 0)
        #expect(try file.read(into: &buffer, from: 6, at: 0) == 0)
    }

    @Test(arguments: [-1, .min, .max] as [Int64])
    func `A negative or overflowing offset is an error`(place: Int64) throws {
        let file = try PlainFile(path: try folder.write("a.log"))
        var buffer: [UInt8] = [0]
        #expect(throws: LogSourceError.self) { try file.read(into: &buffer, at: place) }
    }

    @Test(
        arguments: [([], 0), ([0x41], 0), ([0xEF, 0xBB], 0), ([0xEF, 0xBB, 0xBF], 3), ([0xFF, 0xFE, 0, 0], 0)]
            as [([UInt8], Int64)]
    )
    func `The text starts after the byte-order mark`(bytes: [UInt8], start: Int64) throws {
        let file = try PlainFile(path: try folder.write("a.log", bytes))
        #expect(file.textStart == start)
        #expect(file.sizeAtOpening == Int64(bytes.count))
    }

    @Test func `A change of a file's size is detected`() throws {
        let path = try folder.write("a.log", "0123456789")
        let file = try PlainFile(path: path)
        #expect(try file.change() == nil)
        try folder.make("a.log", "echo more >> a.log")
        #expect(try file.change() == .grew(from: 10, to: 15))
        #expect(try file.size() == 15)
        try folder.make("a.log", ": > a.log")
        #expect(try file.change() == .shrank(from: 10, to: 0))
    }

    @Test func `A file that was moved is detected`() throws {
        let file = try PlainFile(path: try folder.write("a.log", "0123456789"))
        try folder.make("a.log", "mv a.log b.log")
        #expect(try file.change() == .removed)
        try folder.write("a.log", "new")
        #expect(try file.change() == .replaced)
        try folder.remove("b.log")
        #expect(try file.change() == .removed)
        var buffer = [UInt8](repeating: 0, count: 20)
        #expect(try file.read(into: &buffer, at: 0) == 10)
    }

    @Test func `Anything except a regular file is an error`() throws {
        #expect(#expect(throws: LogSourceError.self) { try PlainFile(path: "/dev/null") }?.code == .special)
        #expect(#expect(throws: LogSourceError.self) { try PlainFile(path: folder.path) }?.code == .special)
        #expect(#expect(throws: LogSourceError.self) { try PlainFile(path: folder("no")) }?.code == .missing)
    }
}

/// A file that changes while it is read: its first event triggers the change, before the last unit begins.
private struct ChangingFile {
    let folder: SourceFolder
    let path: String
    let rows = 2000
    let bytes: Int

    init() throws {
        folder = try SourceFolder()
        let text = nativeHeader + (0..<rows).map { row("\($0)") }.joined()
        bytes = text.utf8.count
        path = try folder.write("WFE1-20110926-1030.log", text)
    }

    func read(_ change: () throws -> Void) throws -> (events: Int, report: ReadReport) {
        var reader = LogReader(inputs: [path])
        reader.sizes.unitBytes = 16 << 10
        reader.sizes.pieceBytes = 4 << 10
        var isFirst = true
        var events = 0
        let report = try reader.forEachEvent(in: .files) { _ in
            events += 1
            if isFirst { try change() }
            isFirst = false
        }
        #expect(report.quality.balances)
        return (events, report)
    }
}

@Suite struct FileChangeTests {
    @Test func `Rows added during reading are not read, but the report mentions the growth`() throws {
        let file = try ChangingFile()
        let more = row("more")
        let (events, report) = try file.read {
            let handle = try FileHandle(forWritingTo: URL(filePath: file.path))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(more.utf8))
            try handle.close()
        }
        #expect(events == file.rows)
        #expect(report.files.map(\.notes) == [["it grew by \(more.utf8.count) bytes, which were not read"]])
        #expect(report.files.map(\.isIncomplete) == [false])
    }

    @Test func `A file truncated during reading is reported as incomplete`() throws {
        let file = try ChangingFile()
        let (events, report) = try file.read { truncate(file.path, off_t(file.bytes / 2)) }
        #expect(events < file.rows)
        #expect(
            report.files.map(\.notes) == [
                ["it shrank from \(file.bytes) to \(file.bytes / 2) bytes; rows may be missing"]
            ]
        )
        #expect(report.files.map(\.isIncomplete) == [true])
    }

    @Test func `A file removed during reading is read to its end, and the report mentions the removal`() throws {
        let file = try ChangingFile()
        let (events, report) = try file.read { try file.folder.remove("WFE1-20110926-1030.log") }
        #expect(events == file.rows)
        #expect(report.files.map(\.notes) == [["it was removed, but was read to the end"]])
        #expect(report.files.map(\.isIncomplete) == [false])
    }

    @Test func `If a file is replaced during reading, the old file is read to its end`() throws {
        let file = try ChangingFile()
        let (events, report) = try file.read {
            rename(file.path, file.folder("old"))
            try Data(row("new").utf8).write(to: URL(filePath: file.path))
        }
        #expect(events == file.rows)
        #expect(report.files.map(\.notes) == [["another file now has its name; the old one was read to the end"]])
    }
}
