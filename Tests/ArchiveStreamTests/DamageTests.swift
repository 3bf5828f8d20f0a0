import ArchiveStream
import TestSupport
import Testing

/// Archives of which some bytes were changed: any answer will do, but there must be one.
struct DamageTests {
    private let packing: Packing

    init() throws { packing = try Packing() }

    @Test(
        arguments: [
            "zip -q - a.log b.log", "tar cf - a.log b.log", "tar czf - a.log b.log",
            "xz -c a.log", "zstd -qc a.log", "bzip2 -c a.log", "tar cSf - a.log b.log",
        ]
    )
    func anyDamageIsAnswered(command: String) throws {
        let path = packing.make("all", "seq 1 3000 > a.log; echo x > b.log; truncate -s 90000 b.log; \(command) > all")
        let whole = packing.bytes(of: path)
        var generator = SeededGenerator(seed: 7)
        var limits = ArchiveLimits()
        limits.producedBytes = 1 << 24
        var refused = 0
        for _ in 0..<20 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                // The first bytes hold the lengths and names.
                let end = Bool.random(using: &generator) ? min(600, bytes.count) : bytes.count
                bytes[Int.random(in: 0..<end, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            packing.write(bytes, to: path)
            for door in [Door.file, .pipe] {
                do {
                    _ = try contents(of: path, through: door, limits: limits)
                } catch is ArchiveError {
                    refused += 1
                }
            }
        }
        #expect(refused > 0)
    }

    @Test(arguments: ["gzip -c a.log", "tar czf - a.log"])
    func whatComesBeforeTheEndOfATornFileIsRead(command: String) throws {
        let path = packing.make("torn", "seq 1 1000000 > a.log; \(command) | head -c 200000 > torn")
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 8 << 20)
        #expect(throws: ArchiveError.self) {
            try withArchive(path) { archive in
                _ = try archive.nextEntry()
                while let count = try archive.read(into: &buffer) { text += buffer[..<count] }
            }
        }
        #expect(text.starts(with: Array("1\n2\n3\n".utf8)))
        #expect(text.count > 100_000)
    }
}
