import FileMapping
import Foundation
import Glibc
import TestSupport
import Testing

struct FileMappingTests {
    @Test(arguments: [0, 1, 4095, 4096, 10_000])
    func `Shows the bytes of a file`(offset: Int) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let bytes = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 / 256) }
        let descriptor = try open(bytes, in: folder)
        defer { close(descriptor) }
        guard let mapping = FileMapping(descriptor: descriptor, offset: Int64(offset), count: 5000) else {
            Issue.record("not mapped")
            return
        }
        #expect(mapping.bytes.byteCount == 5000)
        #expect(read(mapping) == Array(bytes[offset..<offset + 5000]))
        let wasCut = mapping.wasCut
        #expect(!wasCut)
    }

    @Test func `What is cut off reads as zeros`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let descriptor = try open([UInt8](repeating: 7, count: 1 << 20), in: folder)
        defer { close(descriptor) }
        guard let mapping = FileMapping(descriptor: descriptor, offset: 100, count: (1 << 20) - 100) else {
            Issue.record("not mapped")
            return
        }
        #expect(ftruncate(descriptor, 10_000) == 0)
        let bytes = read(mapping)
        #expect(bytes.prefix(9900).allSatisfy { $0 == 7 })
        #expect(bytes.suffix(1 << 19).allSatisfy { $0 == 0 })
        let wasCut = mapping.wasCut
        #expect(wasCut)
    }

    @Test func `A pipe is not mapped`() {
        var ends: [CInt] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        if FileMapping(descriptor: ends[0], offset: 0, count: 10) != nil { Issue.record("mapped") }
    }

    @Test func `Places are given back`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let descriptor = try open([1, 2, 3], in: folder)
        defer { close(descriptor) }
        for _ in 0..<1000 {
            guard let mapping = FileMapping(descriptor: descriptor, offset: 0, count: 3) else {
                Issue.record("not mapped")
                return
            }
            #expect(read(mapping) == [1, 2, 3])
        }
    }

    private func open(_ bytes: [UInt8], in folder: TemporaryFolder) throws -> CInt {
        let path = folder.path("file")
        try Data(bytes).write(to: URL(filePath: path))
        return try #require(Optional(Glibc.open(path, O_RDWR)).flatMap { $0 >= 0 ? $0 : nil })
    }

    private func read(_ mapping: borrowing FileMapping) -> [UInt8] {
        let bytes = mapping.bytes
        return bytes.byteOffsets.map { bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
    }
}
