import Foundation
import Glibc
import Testing

@testable import ULSLog

/// A file that changes while it is read: its first event does it, before its last unit is begun.
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
    @Test func `rows that a file gets meanwhile are not read, and its report says so`() throws {
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

    @Test func `a file that is cut off meanwhile is incomplete, and its report says so`() throws {
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

    @Test func `a file that is removed meanwhile is read to its end, and its report says so`() throws {
        let file = try ChangingFile()
        let (events, report) = try file.read { try file.folder.remove("WFE1-20110926-1030.log") }
        #expect(events == file.rows)
        #expect(report.files.map(\.notes) == [["it was removed; it has been read to its end"]])
        #expect(report.files.map(\.isIncomplete) == [false])
    }

    @Test func `of a file that another one replaces meanwhile, the old one is read`() throws {
        let file = try ChangingFile()
        let (events, report) = try file.read {
            rename(file.path, file.folder("old"))
            try Data(row("new").utf8).write(to: URL(filePath: file.path))
        }
        #expect(events == file.rows)
        #expect(report.files.map(\.notes) == [["another file has its name now; the old one has been read to its end"]])
    }
}
