import Foundation
import TestSupport
import Testing

@testable import ULSLog
@testable import ULSRows

/// The counts of the reading threads, for the display of progress.
struct ReadProgressTests {
    private static let text = nativeHeader + (0..<3000).map { row("Number \($0)") }.joined()

    private static func folder(_ files: [String: [UInt8]]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (name, bytes) in files { try Data(bytes).write(to: URL(filePath: folder.path(name))) }
        return folder
    }

    @Test(arguments: LogReading.all)
    func `At the end, every byte has been counted once, however the files were read`(reading: LogReading) throws {
        let folder = try Self.folder(["A-20110926-1039.log": Array(Self.text.utf8), "b.log": Array(Self.text.utf8)])
        var reader = reading.reader([folder.path("A-20110926-1039.log"), folder.path("b.log")])
        let progress = ReadProgress()
        reader.progress = progress
        _ = try reader.forEachEvent(in: .time) { _ in }
        #expect(progress.totalBytes == 2 * Self.text.utf8.count)
        #expect(progress.bytes == 2 * Self.text.utf8.count)
        #expect(progress.events == 6000)
    }

    @Test func `A summary counts the same bytes as reading the events does`() throws {
        let folder = try Self.folder(["a.log": Array(Self.text.utf8)])
        var reader = LogReader(inputs: [folder.path("a.log")])
        let progress = ReadProgress()
        reader.progress = progress
        _ = try reader.summary()
        #expect(progress.bytes == Self.text.utf8.count)
        #expect(progress.events == 3000)
    }

    @Test func `Progress in compressed logs is measured in compressed bytes`() throws {
        let packed = StoredGzip.pack(Array(Self.text.utf8))
        let folder = try Self.folder(["a.log.gz": packed])
        var reader = LogReader(inputs: [folder.path("a.log.gz")])
        let progress = ReadProgress()
        reader.progress = progress
        _ = try reader.summary()
        #expect(progress.totalBytes == packed.count)
        #expect(progress.bytes == packed.count)
    }

    @Test func `Bytes outside the window are not included in the total`() throws {
        let late = Self.text.replacing("09/26/2011", with: "09/28/2011")
        let folder = try Self.folder([
            "A-20110926-1039.log": Array(Self.text.utf8), "A-20110928-1039.log": Array(late.utf8),
        ])
        var reader = LogReader(inputs: [folder.path("")])
        reader.window = try TimeWindow(
            since: "2011-09-28 13:00",
            until: nil,
            around: nil,
            now: TimeReference(instant: 0, offset: 0)
        )
        let progress = ReadProgress()
        reader.progress = progress
        _ = try reader.forEachEvent(in: .files) { _ in }
        #expect(progress.totalBytes == late.utf8.count)
        #expect(progress.bytes == late.utf8.count)
    }
}
