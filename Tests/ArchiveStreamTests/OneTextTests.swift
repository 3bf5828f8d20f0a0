import ArchiveStream
import Testing

/// Texts that are compressed by themselves, without a container.
struct OneTextTests {
    private let packing: Packing

    init() throws { packing = try Packing() }

    @Test(arguments: ["gzip", "xz", "zstd -q", "bzip2", "cat"], Door.allCases)
    func aCompressedTextIsOneEntryWithoutAName(tool: String, door: Door) throws {
        let path = packing.make("WFE1.log", "yes line | head -c 100000 | \(tool) > WFE1.log")
        let contents = try contents(of: path, through: door)
        #expect(contents.names == ["-"])
        #expect(contents.texts == [String(repeating: "line\n", count: 20_000)])
    }

    @Test(arguments: ["gzip", "xz", "zstd -q", "bzip2"], Door.allCases)
    func membersAndFramesThatFollowEachOtherAreOneText(tool: String, door: Door) throws {
        let path = packing.make("all", "for part in one two three; do echo $part | \(tool); done > all")
        #expect(try contents(of: path, through: door).texts == ["one\ntwo\nthree\n"])
    }

    @Test func framesOfZstdThatHoldNoTextAreSkipped() throws {
        let frame = "open('skip', 'wb').write(bytes([0x53, 0x2A, 0x4D, 0x18, 4, 0, 0, 0]) + b'abcd')"
        let path = packing.make(
            "all",
            python: frame,
            "os.system('(echo one | zstd -q; cat skip; echo two | zstd -q) > all')"
        )
        #expect(try contents(of: path).texts == ["one\ntwo\n"])
    }

    @Test(arguments: ["gzip", "xz", "zstd -q", "bzip2"], Door.allCases)
    func whatIsCutOffIsDamaged(tool: String, door: Door) throws {
        let path = packing.make("cut", "head -c 100000 /dev/urandom | \(tool) | head -c 20000 > cut")
        let error = #expect(throws: ArchiveError.self) { try contents(of: path, through: door) }
        #expect(error?.code == .damaged)
        #expect(error?.entry == nil)
    }

    @Test(arguments: ["gzip", "xz", "zstd -q", "bzip2"], Door.allCases)
    func bytesBehindTheEndAreNotPassedOverQuietly(tool: String, door: Door) throws {
        let path = packing.make("all", "(seq 1 100000 | \(tool); echo 'something else') > all")
        let error = #expect(throws: ArchiveError.self) { try contents(of: path, through: door) }
        #expect(error?.code == .damaged)
    }

    @Test(arguments: ["gzip", "xz", "zstd -q", "bzip2"])
    func aCompressedTextOfNoBytesIsAText(tool: String) throws {
        let path = packing.make("none", "\(tool) < /dev/null > none")
        #expect(try contents(of: path).sizes == [0])
    }

    @Test func zerosAreATarWithNothingInside() throws {
        let path = packing.make("zeros.gz", "head -c 100000 /dev/zero | gzip > zeros.gz")
        #expect(try contents(of: path) == Contents())
    }

    /// Gzip is not among them: libarchive 3.6 does not check its sum.
    @Test(arguments: ["xz", "zstd -q", "bzip2"])
    func aChangedByteIsFound(tool: String) throws {
        let path = packing.make(
            "bad",
            python: "os.system('head -c 50000 /dev/urandom | \(tool) > bad')",
            "data = bytearray(open('bad', 'rb').read())",
            "data[30000] ^= 0xFF",
            "open('bad', 'wb').write(data)"
        )
        #expect(#expect(throws: ArchiveError.self) { try contents(of: path) }?.code == .damaged)
    }
}
