import ArchiveStream
import Testing

struct LimitTests {
    private let packing: Packing

    init() throws { packing = try Packing() }

    private func refusal(_ path: String, _ change: (inout ArchiveLimits) -> Void) -> ArchiveError.Code? {
        var limits = ArchiveLimits()
        change(&limits)
        return #expect(throws: ArchiveError.self) { try contents(of: path, limits: limits) }?.code
    }

    @Test func moreBytesInAllThanAllowedAreRefused() {
        let path = packing.make("a.zip", "seq 1 9 > a.log; seq 1 9 > b.log; zip -q a.zip a.log b.log")
        #expect(refusal(path) { $0.producedBytes = 20 } == .tooLarge)
    }

    @Test func moreBytesInOneEntryThanAllowedAreRefused() throws {
        let path = packing.make("a.zip", "seq 1 9 > a.log; seq 1 99 > b.log; zip -q a.zip a.log b.log")
        #expect(refusal(path) { $0.entryBytes = 20 } == .tooLarge)
        let small = packing.make("b.zip", "zip -q b.zip a.log; cp a.log c.log; zip -q b.zip c.log")
        var limits = ArchiveLimits()
        limits.entryBytes = 20
        #expect(try contents(of: small, limits: limits).sizes == [18, 18])
    }

    @Test(arguments: ["gzip -9", "xz", "zstd -q", "bzip2"])
    func aBombIsRefusedByItsRatio(tool: String) {
        let path = packing.make("bomb", "yes line | head -c 20000000 | \(tool) > bomb")
        #expect(refusal(path) { $0.ratioGrace = 1 << 20 } == .suspiciousRatio)
    }

    @Test func theRatioIsNotJudgedOfLittle() throws {
        let path = packing.make("small.gz", "yes line | head -c 20000000 | gzip -9 > small.gz")
        #expect(try contents(of: path).sizes == [20_000_000])
    }

    @Test func aBombInAnEntryThatNobodyReadsIsRefused() throws {
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

    @Test func entriesThatArePassedOverCount() {
        let path = packing.make(
            "many.tar",
            python: "t = tarfile.open('many.tar', 'w')",
            "for n in range(50):",
            "    i = tarfile.TarInfo('d%d' % n); i.type = tarfile.DIRTYPE; t.addfile(i)",
            "t.close()"
        )
        #expect(refusal(path) { $0.entries = 49 } == .tooManyEntries)
    }

    @Test func aClaimedSizeIsNotBelieved() throws {
        let path = packing.make(
            "claims.tar",
            python: "t = tarfile.open('claims.tar', 'w')",
            "i = tarfile.TarInfo('huge.log'); i.size = 1 << 62; t.addfile(i); t.close()"
        )
        let error = #expect(throws: ArchiveError.self) { try contents(of: path) }
        #expect(error?.code == .damaged)
    }
}
