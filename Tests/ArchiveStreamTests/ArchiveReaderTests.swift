import ArchiveStream
import Testing

/// Archives with entries.
struct ContainerTests {
    private let packing: Packing

    init() throws { packing = try Packing() }

    private static let commands = [
        "tar cf all a.log b.log", "tar czf all a.log b.log", "tar cJf all a.log b.log", "tar cjf all a.log b.log",
        "tar --zstd -cf all a.log b.log", "zip -q all.zip a.log b.log && mv all.zip all",
        "zip -q - a.log b.log | cat > all",
    ]

    @Test(arguments: commands, Door.allCases)
    func `Entries are read in order`(command: String, door: Door) throws {
        let path = packing.make("all", "echo first > a.log; seq 1 30000 > b.log; \(command)")
        let contents = try contents(of: path, through: door)
        #expect(contents.names == ["a.log", "b.log"])
        #expect(contents.texts.first == "first\n")
        #expect(contents.texts.last?.hasSuffix("\n29999\n30000\n") == true)
    }

    @Test func `Part of a buffer can be filled`() throws {
        let path = packing.make("a.zip", "echo hello > a.log; zip -q a.zip a.log")
        #expect(try contents(of: path, pieces: 1).texts == ["hello\n"])
        try withArchive(path) { archive in
            _ = try archive.nextEntry()
            var buffer = Array("before ......".utf8)
            #expect(try archive.read(into: &buffer, from: buffer.count) == 0)
            #expect(try archive.read(into: &buffer, from: 7) == 6)
            #expect(String(decoding: buffer, as: UTF8.self) == "before hello\n")
            #expect(try archive.read(into: &buffer, from: 7) == nil)
        }
    }

    @Test func `An entry does not have to be read to its end`() throws {
        let path = packing.make("all.tgz", "seq 1 100000 > a.log; echo last > b.log; tar czf all.tgz a.log b.log")
        try withArchive(path) { archive in
            _ = try archive.nextEntry()
            var buffer = [UInt8](repeating: 0, count: 10)
            _ = try archive.read(into: &buffer)
            #expect(try archive.nextEntry()?.name == "b.log")
            #expect(try archive.read(into: &buffer) == 5)
            #expect(try archive.nextEntry() == nil)
            #expect(try archive.nextEntry() == nil)
            #expect(try archive.read(into: &buffer) == nil)
        }
    }

    @Test func `Directories and links are skipped and counted`() throws {
        let path = packing.make(
            "all.tar",
            "mkdir logs; echo x > logs/a.log; ln -s /etc/passwd logs/link; ln logs/a.log logs/same; mkfifo logs/pipe;"
                + " tar cf all.tar logs/a.log logs/link logs/same logs/pipe --no-recursion logs"
        )
        let contents = try contents(of: path)
        #expect(contents.names == ["logs/a.log"])
        #expect(contents.passedOver == 4)
    }

    @Test func `An entry's name is only a label, never used as a path`() throws {
        let names = #"['../../x', '/abs', 'C:\\x.log', 'a\x1b[31mb', 'new\nline', 'x' * 5000]"#
        let path = packing.make(
            "evil.tar",
            python: "t = tarfile.open('evil.tar', 'w')",
            "for name in \(names):",
            "    i = tarfile.TarInfo(name); i.size = 1; t.addfile(i, io.BytesIO(b'a'))",
            "t.close()"
        )
        let names2 = try contents(of: path).names
        #expect(names2.dropLast() == ["../../x", "/abs", "C:\\x.log", "a\u{1B}[31mb", "new\nline"])
        #expect(names2.last == String(repeating: "x", count: 1024) + "…")
    }

    @Test func `Invalid bytes in a name are replaced`() throws {
        let path = packing.make(
            "latin.tar",
            python: "t = tarfile.open('latin.tar', 'w', encoding='latin-1', format=tarfile.GNU_FORMAT)",
            "i = tarfile.TarInfo('Fehlermeldung-ä.log'); i.size = 1; t.addfile(i, io.BytesIO(b'a')); t.close()"
        )
        #expect(try contents(of: path).names == ["Fehlermeldung-\u{FFFD}.log"])
    }

    @Test func `A UTF-8 name is kept unchanged`() throws {
        let path = packing.make("u.zip", python: "zipfile.ZipFile('u.zip', 'w').writestr('Größe.log', 'a')")
        #expect(try contents(of: path).names == ["Größe.log"])
    }

    @Test(arguments: [("cut.tar", "tar cf - a.log b.log"), ("cut.zip", "zip -q - a.log b.log")], Door.allCases)
    func `A truncated entry is reported as damaged, with its name`(file: (String, String), door: Door) throws {
        let path = packing.make(
            file.0,
            "echo x > a.log; head -c 100000 /dev/urandom > b.log; \(file.1) | head -c 50000 > \(file.0)"
        )
        let error = #expect(throws: ArchiveError.self) { try contents(of: path, through: door) }
        #expect(error?.code == .damaged)
        #expect(error?.entry == "b.log")
    }

    @Test func `An entry with a wrong checksum is reported as damaged`() throws {
        let path = packing.make(
            "bad.zip",
            python: "z = zipfile.ZipFile('bad.zip', 'w'); z.writestr('a.log', 'hello' * 10); z.close()",
            "data = open('bad.zip', 'rb').read().replace(b'hellohello', b'hellOhello', 1)",
            "open('bad.zip', 'wb').write(data)"
        )
        let error = #expect(throws: ArchiveError.self) { try contents(of: path) }
        #expect(error?.code == .damaged)
        #expect(error?.entry == "a.log")
    }

    @Test func `An encrypted entry is refused`() throws {
        let path = packing.make("secret.zip", "echo x > a.log; zip -q -P secret secret.zip a.log")
        let error = #expect(throws: ArchiveError.self) { try contents(of: path) }
        #expect(error?.code == .encrypted)
        #expect(error?.entry == "a.log")
    }

    @Test func `An empty zip file has no entries`() throws {
        let path = packing.make("empty.zip", python: "zipfile.ZipFile('empty.zip', 'w').close()")
        #expect(try contents(of: path) == Contents())
    }

    @Test func `A 7z file can be read`() throws {
        let text =
            "N3q8ryccAAPiMRhSXQAAAAAAAAAaAAAAAAAAALnpuCwBAAtmaXJzdApzZWNvbmQA4ABPAEVdAACBMweuD87ysgwHyE"
            + "N/QYibivKIv47Np1HRmllpyGMt/OCor2kT3roAK6XUoEEOyKocCBF28/vkMhznTt+CihLWsAAAAAAXBhABCU0ABwsB"
            + "AAEhIQEWDFAKASV4sdkAAA=="
        let path = packing.make("a.7z", "echo \(text) | base64 -d > a.7z")
        let contents = try contents(of: path)
        #expect(contents.names == ["a.log", "b.log"])
        #expect(contents.texts == ["first\n", "second"])
    }

    @Test func `A 7z file from a pipe is refused`() throws {
        let path = packing.make(
            "a.7z",
            python: "open('a.7z', 'wb').write(bytes([0x37,0x7A,0xBC,0xAF,0x27,0x1C]) + bytes(range(99)))"
        )
        #expect(#expect(throws: ArchiveError.self) { try contents(of: path, through: .peekedPipe) }?.code == .needsFile)
        #expect(#expect(throws: ArchiveError.self) { try contents(of: path) }?.code == .damaged)
    }

    @Test func `Nothing is read after an error`() throws {
        let path = packing.make("cut.tar", "head -c 9999 /dev/zero > a.log; tar cf - a.log | head -c 2000 > cut.tar")
        try withArchive(path) { archive in
            _ = try archive.nextEntry()
            var buffer = [UInt8](repeating: 0, count: 100_000)
            #expect(throws: ArchiveError.self) {
                while try archive.read(into: &buffer) != nil {}
            }
            #expect(try archive.read(into: &buffer) == nil)
            #expect(try archive.nextEntry() == nil)
        }
    }

    @Test func `A folder cannot be read`() throws {
        #expect(#expect(throws: ArchiveError.self) { try contents(of: "/usr") }?.code == .cannotRead)
    }
}

/// Compressed texts without a container.
struct OneTextTests {
    private let packing: Packing

    init() throws { packing = try Packing() }

    @Test(arguments: ["gzip", "xz", "zstd -q", "bzip2", "cat"], Door.allCases)
    func `Compressed text is a single entry without a name`(tool: String, door: Door) throws {
        let path = packing.make("WFE1.log", "yes line | head -c 100000 | \(tool) > WFE1.log")
        let contents = try contents(of: path, through: door)
        #expect(contents.names == ["-"])
        #expect(contents.texts == [String(repeating: "line\n", count: 20_000)])
    }

    @Test(arguments: ["gzip", "xz", "zstd -q", "bzip2"], Door.allCases)
    func `Consecutive members or frames are read as a single text`(tool: String, door: Door) throws {
        let path = packing.make("all", "for part in one two three; do echo $part | \(tool); done > all")
        #expect(try contents(of: path, through: door).texts == ["one\ntwo\nthree\n"])
    }

    @Test func `Skippable zstd frames are skipped`() throws {
        let frame = "open('skip', 'wb').write(bytes([0x53, 0x2A, 0x4D, 0x18, 4, 0, 0, 0]) + b'abcd')"
        let path = packing.make(
            "all",
            python: frame,
            "os.system('(echo one | zstd -q; cat skip; echo two | zstd -q) > all')"
        )
        #expect(try contents(of: path).texts == ["one\ntwo\n"])
    }

    @Test(arguments: ["gzip", "xz", "zstd -q", "bzip2"], Door.allCases)
    func `A truncated archive is reported as damaged`(tool: String, door: Door) throws {
        let path = packing.make("cut", "head -c 100000 /dev/urandom | \(tool) | head -c 20000 > cut")
        let error = #expect(throws: ArchiveError.self) { try contents(of: path, through: door) }
        #expect(error?.code == .damaged)
        #expect(error?.entry == nil)
    }

    @Test(arguments: ["gzip", "xz", "zstd -q", "bzip2"], Door.allCases)
    func `Extra bytes after the end are reported as damage`(tool: String, door: Door) throws {
        let path = packing.make("all", "(seq 1 100000 | \(tool); echo 'something else') > all")
        let error = #expect(throws: ArchiveError.self) { try contents(of: path, through: door) }
        #expect(error?.code == .damaged)
    }

    @Test(arguments: ["gzip", "xz", "zstd -q", "bzip2"])
    func `Compressed empty text is an entry of length zero`(tool: String) throws {
        let path = packing.make("none", "\(tool) < /dev/null > none")
        #expect(try contents(of: path).sizes == [0])
    }

    @Test func `Data that consists only of zero bytes is read as an empty tar file`() throws {
        let path = packing.make("zeros.gz", "head -c 100000 /dev/zero | gzip > zeros.gz")
        #expect(try contents(of: path) == Contents())
    }

    /// Gzip is not included: libarchive 3.6 does not verify its checksum.
    @Test(arguments: ["xz", "zstd -q", "bzip2"])
    func `A changed byte is detected`(tool: String) throws {
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
    func `A format is recognized by its first bytes`(command: String, format: ArchiveFormat) {
        let bytes = head(of: packing.make("packed", "echo x > a; \(command) > packed"))
        #expect(recognized(bytes) == format)
        for count in 0..<3 {
            #expect(mayBegin(bytes.prefix(count)) || recognized(Array(bytes.prefix(count))) == format)
        }
    }

    @Test(arguments: [
        "Timestamp              \tProcess", "PK is a name", "BZh9 is no header", "", "7z", "\u{0}\u{0}\u{0}\u{0}",
    ])
    func `Text is not mistaken for an archive`(text: String) {
        #expect(recognized(Array(text.utf8)) == nil)
    }

    @Test func `Text is recognized at its first line end or after a hundred bytes`() {
        let line = Array("01/01/2026 10:00:00.00\n".utf8)
        #expect(!mayBegin(line[...]))
        #expect(mayBegin(line.prefix(10)))
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 101)
        #expect(!mayBegin(long[...]))
    }

    @Test func `A tar file with a wrong checksum is not recognized`() {
        var bytes = head(of: packing.make("a.tar", "echo x > a; tar cf a.tar a"))
        bytes[0] ^= 1
        #expect(recognized(bytes) == nil)
    }

    @Test func `Arbitrary bytes do not cause a crash`() {
        for byte in UInt8.min...UInt8.max {
            for count in [1, 2, 100, 148, 156, 511, 512] {
                let bytes = [UInt8](repeating: byte, count: count)
                #expect(recognized(bytes) == nil)
                _ = mayBegin(bytes[...])
            }
        }
    }
}
