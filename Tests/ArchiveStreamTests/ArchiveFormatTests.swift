import ArchiveStream
import Testing

struct ArchiveFormatTests {
    private let packing: Packing

    init() throws { packing = try Packing() }

    private func head(of path: String) -> [UInt8] {
        Array(packing.bytes(of: path).prefix(ArchiveFormat.signatureLength))
    }

    private func recognized(_ bytes: [UInt8]) -> ArchiveFormat? { ArchiveFormat(startOf: bytes.span) }

    private func mayBegin(_ bytes: ArraySlice<UInt8>) -> Bool { ArchiveFormat.mayBegin(Array(bytes).span) }

    @Test(arguments: [
        ("gzip -c a", ArchiveFormat.gzip), ("bzip2 -c a", .bzip2), ("bzip2 -c /dev/null", .bzip2), ("xz -c a", .xz),
        ("zstd -q -c a", .zstd), ("zip -q - a", .zip), ("tar cf - a", .tar), ("tar --format=v7 -cf - a", .tar),
        ("tar --format=pax -cf - a", .tar),
    ])
    func aFormatIsKnownByItsFirstBytes(command: String, format: ArchiveFormat) {
        let bytes = head(of: packing.make("packed", "echo x > a; \(command) > packed"))
        #expect(recognized(bytes) == format)
        for count in 0..<3 {
            #expect(mayBegin(bytes.prefix(count)) || recognized(Array(bytes.prefix(count))) == format)
        }
    }

    @Test(arguments: [
        "Timestamp              \tProcess", "PK is a name", "BZh9 is no header", "", "7z", "\u{0}\u{0}\u{0}\u{0}",
    ])
    func textIsNoArchive(text: String) {
        #expect(recognized(Array(text.utf8)) == nil)
    }

    @Test func textIsKnownAtItsFirstLineEndOrAfterAHundredBytes() {
        let line = Array("01/01/2026 10:00:00.00\n".utf8)
        #expect(!mayBegin(line[...]))
        #expect(mayBegin(line.prefix(10)))
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 101)
        #expect(!mayBegin(long[...]))
    }

    @Test func aTarWithAWrongChecksumIsNone() {
        var bytes = head(of: packing.make("a.tar", "echo x > a; tar cf a.tar a"))
        bytes[0] ^= 1
        #expect(recognized(bytes) == nil)
    }

    @Test func anyBytesAreAnswered() {
        for byte in UInt8.min...UInt8.max {
            for count in [1, 2, 100, 148, 156, 511, 512] {
                let bytes = [UInt8](repeating: byte, count: count)
                #expect(recognized(bytes) == nil)
                _ = mayBegin(bytes[...])
            }
        }
    }
}
