import ArchiveStream
import Glibc
import TestSupport
import Testing

/// Archives with some changed bytes: any result is acceptable, as long as the reader returns one.
struct DamageTests {
    private let packing: Packing

    init() throws { packing = try Packing() }

    @Test(
        arguments: [
            "zip -q - a.log b.log", "tar cf - a.log b.log", "tar czf - a.log b.log",
            "xz -c a.log", "zstd -qc a.log", "bzip2 -c a.log", "tar cSf - a.log b.log",
        ]
    )
    func `Damage at any position is reported`(command: String) throws {
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
    func `All bytes before the end of a truncated file are read`(command: String) throws {
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

    @Test(arguments: [Door.file, .pipe, .peekedPipe], [30, 500, 3_000, 20_000, 200_000])
    func `All text that can be decompressed from a truncated file is read`(door: Door, size: Int) throws {
        let path = packing.make("torn.gz", "seq 1 1000000 | gzip -c | head -c \(size) > torn.gz")
        // The text that zlib itself can recover.
        let expected = packing.make(
            "expected",
            python: "import zlib",
            "data = zlib.decompressobj(31).decompress(open('torn.gz', 'rb').read())",
            "open('expected', 'wb').write(data)"
        )
        var read = Contents()
        let error = #expect(throws: ArchiveError.self) {
            try contents(of: path, through: door) { read = $0 }
        }
        #expect(error?.message == "truncated gzip input")
        #expect(read.bytes.first ?? [] == packing.bytes(of: expected))
    }

    @Test func `A wrong checksum is reported as damage after the text is read`() throws {
        let path = packing.make("a.gz", "seq 1 1000 | gzip -c > a.gz")
        var bytes = packing.bytes(of: path)
        bytes[bytes.count - 8] ^= 1
        packing.write(bytes, to: path)
        var read = Contents()
        #expect(throws: ArchiveError.self) { try contents(of: path) { read = $0 } }
        #expect(read.sizes == [3893])
    }
}

struct LimitTests {
    private let packing: Packing

    init() throws { packing = try Packing() }

    private func refusal(_ path: String, _ change: (inout ArchiveLimits) -> Void) -> ArchiveError.Code? {
        var limits = ArchiveLimits()
        change(&limits)
        return #expect(throws: ArchiveError.self) { try contents(of: path, limits: limits) }?.code
    }

    @Test func `An archive whose entries exceed the total size limit is refused`() {
        let path = packing.make("a.zip", "seq 1 9 > a.log; seq 1 9 > b.log; zip -q a.zip a.log b.log")
        #expect(refusal(path) { $0.producedBytes = 20 } == .tooLarge)
    }

    @Test func `An entry that exceeds the size limit is refused`() throws {
        let path = packing.make("a.zip", "seq 1 9 > a.log; seq 1 99 > b.log; zip -q a.zip a.log b.log")
        #expect(refusal(path) { $0.entryBytes = 20 } == .tooLarge)
        let small = packing.make("b.zip", "zip -q b.zip a.log; cp a.log c.log; zip -q b.zip c.log")
        var limits = ArchiveLimits()
        limits.entryBytes = 20
        #expect(try contents(of: small, limits: limits).sizes == [18, 18])
    }

    @Test(arguments: ["gzip -9", "xz", "zstd -q", "bzip2"])
    func `A decompression bomb is refused because of its compression ratio`(tool: String) {
        let path = packing.make("bomb", "yes line | head -c 4000000 | \(tool) > bomb")
        #expect(refusal(path) { $0.ratioGrace = 1 << 20 } == .suspiciousRatio)
    }

    @Test func `The compression ratio of a small file is not checked`() throws {
        let path = packing.make("small.gz", "yes line | head -c 20000000 | gzip -9 > small.gz")
        #expect(try contents(of: path).sizes == [20_000_000])
    }

    @Test func `A decompression bomb in an entry that is never read is refused`() throws {
        let path = packing.make(
            "bomb.tgz",
            "head -c 100000000 /dev/zero > a.usage; echo x > b.log; tar czf bomb.tgz a.usage b.log"
        )
        try withArchive(path) { archive in
            _ = try archive.nextEntry()
            let error = #expect(throws: ArchiveError.self) { _ = try archive.nextEntry() }
            #expect(error?.code == .suspiciousRatio)
            #expect(error?.entry == "a.usage")
        }
    }

    @Test func `Skipped entries are counted`() {
        let path = packing.make(
            "many.tar",
            python: "t = tarfile.open('many.tar', 'w')",
            "for n in range(50):",
            "    i = tarfile.TarInfo('d%d' % n); i.type = tarfile.DIRTYPE; t.addfile(i)",
            "t.close()"
        )
        #expect(refusal(path) { $0.entries = 49 } == .tooManyEntries)
    }

    @Test func `A claimed size is not trusted`() throws {
        let path = packing.make(
            "claims.tar",
            python: "t = tarfile.open('claims.tar', 'w')",
            "i = tarfile.TarInfo('huge.log'); i.size = 1 << 62; t.addfile(i); t.close()"
        )
        let error = #expect(throws: ArchiveError.self) { try contents(of: path) }
        #expect(error?.code == .damaged)
    }
}

/// Creates files with the system's own tools, in a folder that is removed with the object.
final class Packing {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs a shell command in the folder, and returns the path of the file that it created.
    func make(_ name: String, _ command: String) -> String {
        let root = folder.path("")
        let status = system("cd '\(root)' && \(command)")
        precondition(status == 0, "cannot run \(command)")
        return folder.path(name)
    }

    func bytes(of path: String) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        buffer.removeLast(buffer.count - max(0, read(descriptor, &buffer, buffer.count)))
        return buffer
    }

    func write(_ bytes: [UInt8], to path: String) {
        let descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
        defer { close(descriptor) }
        let count = Glibc.write(descriptor, bytes, bytes.count)
        precondition(count == bytes.count, "cannot write \(path)")
    }

    /// Runs lines of Python in the folder, and returns the path of the file that they created.
    func make(_ name: String, python lines: String...) -> String {
        make(name, "python3 - <<'END'\nimport io, tarfile, zipfile, gzip, os\n\(lines.joined(separator: "\n"))\nEND\n")
    }
}

/// The contents that were read from an archive.
struct Contents: Equatable {
    /// The names in order; unnamed text has the name `-`.
    var names: [String] = []
    var bytes: [[UInt8]] = []
    var passedOver = 0

    var sizes: [Int] { bytes.map(\.count) }
    var texts: [String] { bytes.map { String(decoding: $0, as: UTF8.self) } }
}

/// The way a test passes a file to the reader.
enum Door: CaseIterable {
    case file
    case pipe
    /// A pipe whose first bytes have already been read.
    case peekedPipe
}

/// Reads a whole file in small pieces; `soFar` also receives the contents before an error.
@discardableResult
func contents(
    of path: String,
    through door: Door = .file,
    limits: ArchiveLimits = ArchiveLimits(),
    pieces: Int = 4096,
    soFar: (Contents) -> Void = { _ in }
) throws -> Contents {
    let stream = door == .file ? nil : popen("cat '\(path)'", "re")
    let descriptor = stream.map { fileno($0) } ?? open(path, O_RDONLY | O_CLOEXEC)
    precondition(descriptor >= 0, "cannot open \(path)")
    defer { if let stream { pclose(stream) } else { close(descriptor) } }
    var head = [UInt8](repeating: 0, count: door == .peekedPipe ? 10 : 0)
    if !head.isEmpty { head.removeLast(head.count - read(descriptor, &head, head.count)) }

    var archive = try ArchiveReader(descriptor: descriptor, startingWith: head, limits: limits)
    var contents = Contents()
    var buffer = [UInt8](repeating: 0, count: pieces)
    while let entry = try archive.nextEntry() {
        contents.names.append(entry.name ?? "-")
        contents.bytes.append([])
        while let count = try archive.read(into: &buffer) {
            contents.bytes[contents.bytes.count - 1] += buffer[..<count]
            soFar(contents)
        }
    }
    contents.passedOver = archive.passedOver
    return contents
}

/// Opens a file for `body`.
func withArchive(_ path: String, _ body: (inout ArchiveReader) throws -> Void) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    precondition(descriptor >= 0, "cannot open \(path)")
    defer { close(descriptor) }
    var archive = try ArchiveReader(descriptor: descriptor)
    try body(&archive)
}
