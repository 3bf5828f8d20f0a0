import ArchiveStream
import Glibc
import Testing
import TextKit

@testable import ULSLog
@testable import ULSRows

/// The result of reading a stream.
private struct StreamedTexts {
    var names: [String] = []
    var texts: [String] = []
    var servers: [String?] = []
    var passedOver = 0
    var undecodable = 0
    var error: LogSourceError?

    /// Reads a source to its end or first error, a few bytes at a time.
    init(_ source: LogSource, room: Int = 1000, limits: ArchiveLimits = ArchiveLimits()) {
        do throws(LogSourceError) {
            var stream = try LogStream(source, limits: limits)
            defer { (passedOver, undecodable) = (stream.passedOver, stream.undecodable) }
            var buffer = [UInt8](repeating: 0, count: room + 1)
            while let text = try stream.nextText() {
                names.append(text.name)
                servers.append(text.server)
                var bytes: [UInt8] = []
                defer { texts.append(String(decoding: bytes, as: UTF8.self)) }
                while case let count = try stream.read(into: &buffer, from: 1), count > 0 {
                    bytes += buffer[1...count]
                }
            }
        } catch {
            self.error = error
        }
    }
}

struct LogStreamTests {
    private let folder: SourceFolder

    init() throws { folder = try SourceFolder() }

    private func read(_ path: String, encoding: TextEncoding? = nil, room: Int = 1000) throws -> StreamedTexts {
        let source = try #require(LogInputs([path], encoding: encoding).sources.first)
        return StreamedTexts(source, room: room)
    }

    /// Provides a file through a pipe named by a descriptor, like a shell's `<(…)`.
    private func readPiped(_ path: String) throws -> StreamedTexts {
        let pipe = try #require(popen("cat '\(path)'", "re"))
        defer { pclose(pipe) }
        let source = try #require(LogInputs(["/dev/fd/\(fileno(pipe))"]).sources.first)
        return StreamedTexts(source)
    }

    @Test(arguments: ["gzip", "xz", "zstd -q", "bzip2"])
    func `A compressed log is read as one text`(tool: String) throws {
        let name = "WFE1-20260101-1030.log.gz"
        let path = try folder.make(name, "seq 1 5000 | \(tool) > \(name)")
        for read in [try read(path), try readPiped(path)] {
            #expect(read.texts.first?.hasPrefix("1\n2\n") == true)
            #expect(read.texts.first?.hasSuffix("4999\n5000\n") == true)
            #expect(read.error == nil)
        }
        #expect(try read(path).names == [path])
        #expect(try read(path).servers == ["WFE1"])
    }

    @Test(arguments: ["zip -qr all *", "tar cf all.zip *", "tar czf all.zip *"])
    func `Each log in an archive is read as a separate text`(command: String) throws {
        let path = try folder.make(
            "all.zip",
            "mkdir d; cd d; mkdir sub; echo a > sub/WFE1-20260101-1030.log; echo b > b.usage; echo c > c.txt;"
                + " echo d | gzip > d.log.gz; \(command); mv all.zip .."
        )
        for (read, prefix) in [(try read(path), path), (try readPiped(path), "/dev/fd/")] {
            #expect(read.names.allSatisfy { $0.hasPrefix(prefix) })
            #expect(
                Set(read.names.compactMap { $0.split(separator: ": ").last }) == [
                    "sub/WFE1-20260101-1030.log", "c.txt",
                ]
            )
            #expect(read.texts.sorted() == ["a\n", "c\n"])
            #expect(read.servers.compactMap { $0 } == ["WFE1"])
            #expect(read.passedOver == 3)
            #expect(read.error == nil)
        }
    }

    @Test func `An archive without logs is reported`() throws {
        let usage = try folder.make("a.zip", "echo x > b.usage; echo x > c.usage; zip -q a.zip b.usage c.usage")
        let error = try read(usage).error
        #expect(error?.code == .nothingFound)
        #expect(error?.reason == "it contains no logs, but 2 other files, such as 'b.usage'")
        let zeros = try folder.make("z.gz", "head -c 100000 /dev/zero | gzip > z.gz")
        #expect(try read(zeros).error?.reason == "it is empty")
        let nested = try folder.make("n.zip", "echo x | gzip > x.log.gz; zip -q n.zip x.log.gz")
        #expect(try read(nested).error?.reason.contains("archives inside archives") == true)
    }

    @Test func `The error for a truncated archive names the entry, and the text before the error is kept`() throws {
        let path = try folder.make(
            "cut.tgz",
            "echo a > a.log; head -c 999999 /dev/urandom > b.log; tar czf - a.log b.log | head -c 500000 > cut.tgz"
        )
        let read = try read(path)
        #expect(read.texts.first == "a\n")
        #expect(read.error?.code == .damaged)
        #expect(read.error?.entry == "b.log")
        #expect(read.error?.message.hasPrefix("cannot read b.log in '\(path)': ") == true)
    }

    @Test func `A decompression bomb is refused`() throws {
        let path = try folder.make("bomb.gz", "head -c 3000000 /dev/zero | tr '\\0' x | gzip > bomb.gz")
        var limits = ArchiveLimits()
        limits.producedBytes = 1 << 20
        let source = try #require(LogInputs([path]).sources.first)
        #expect(StreamedTexts(source, limits: limits).error?.code == .tooLarge)
    }

    @Test func `A 7z file from a pipe is refused`() throws {
        let path = try folder.write("a.7z", [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C] + [UInt8](repeating: 0, count: 600))
        #expect(try readPiped(path).error?.code == .unsupported)
    }

    @Test func `Plain text from a pipe is unchanged`() throws {
        let path = try folder.make("a.log", "seq 1 100000 > a.log")
        #expect(try readPiped(path).texts.first?.utf8.count == 588_895)
    }

    @Test(arguments: ["", "x", "PK", "BZh91", "\u{FEFF}", "\u{FEFF}x"])
    func `A short text is read from a pipe`(text: String) throws {
        let path = try folder.write("a.log", text)
        #expect(try readPiped(path).texts == [text.replacing("\u{FEFF}", with: "")])
    }

    @Test func `A named pipe is read once it has a writer`() throws {
        let path = try folder.make("pipe", "mkfifo pipe")
        let source = try #require(LogInputs([path]).sources.first)
        let writer = try #require(popen("echo hello > '\(path)'", "we"))
        #expect(StreamedTexts(source).texts == ["hello\n"])
        pclose(writer)
    }

    @Test(arguments: [1, 2, 3, 7, 1000])
    func `Byte-order marks are removed, and UTF-16 is transcoded`(room: Int) throws {
        let utf8 = try folder.write("a.log", [0xEF, 0xBB, 0xBF] + Array("größe".utf8))
        #expect(try read(utf8, room: room).texts == ["größe"])
        let little = try folder.make(
            "b.log",
            "printf '\\377\\376' > b.log; printf 'gr\u{F6}\u{DF}e' | iconv -f UTF-8 -t UTF-16LE >> b.log"
        )
        #expect(try read(little, room: room).texts == ["größe"])
        let big = try folder.make(
            "c.log",
            "printf '\\376\\377' > c.log; printf 'gr\u{F6}\u{DF}e' | iconv -f UTF-8 -t UTF-16BE >> c.log"
        )
        #expect(try read(big, room: room).texts == ["größe"])
    }

    @Test func `The given encoding applies to texts without a mark`() throws {
        let encoding = try TextEncoding(named: "windows-1252")
        let plain = try folder.write("a.log", [0x80, 0x81, 0x0A])
        let read1 = try read(plain, encoding: encoding)
        #expect(read1.texts == ["€\u{FFFD}\n"])
        #expect(read1.undecodable == 1)
        let marked = try folder.write("b.log", [0xEF, 0xBB, 0xBF] + Array("ä".utf8))
        #expect(try read(marked, encoding: encoding).texts == ["ä"])
    }

    @Test func `The byte-order mark of each text in an archive is detected separately`() throws {
        let path = try folder.make(
            "all.zip",
            "printf '\\377\\376A\\0\\0\\330' > a.log; echo b > b.log; printf '\\357\\273\\277c' > c.log; zip -q all.zip ?.log"
        )
        let read = try read(path)
        #expect(read.texts == ["A\u{FFFD}", "b\n", "c"])
        #expect(read.undecodable == 1)
    }

    @Test func `A text does not have to be read to its end`() throws {
        let path = try folder.make("all.zip", "seq 1 99999 > a.log; echo b > b.log; zip -q all.zip a.log b.log")
        var stream = try LogStream(try #require(LogInputs([path]).sources.first))
        var buffer = [UInt8](repeating: 0, count: 10)
        _ = try stream.nextText()
        _ = try stream.read(into: &buffer)
        #expect(try stream.nextText()?.name.hasSuffix(": b.log") == true)
        #expect(try stream.read(into: &buffer) == 2)
        #expect(try stream.read(into: &buffer) == 0)
        #expect(try stream.nextText() == nil)
        #expect(try stream.read(into: &buffer) == 0)
    }

    @Test(arguments: ["cat", "gzip"])
    func `An inherited file descriptor is read from its current position`(tool: String) throws {
        let path = try folder.make("a.log", "(printf skip; printf 'hello\\n' | \(tool)) > a.log")
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        lseek(descriptor, 4, SEEK_SET)
        let inputs = LogInputs(["/dev/fd/\(descriptor)"])
        #expect(inputs.sources.map(\.kind) == [.stream(.path("/dev/fd/\(descriptor)"))])
        #expect(StreamedTexts(try #require(inputs.sources.first)).texts == ["hello\n"])
    }

    @Test func `A file that no longer exists causes an error`() throws {
        let source = try #require(LogInputs([try folder.write("a.log")]).sources.first)
        try folder.remove("a.log")
        #expect(StreamedTexts(source).error?.code == .missing)
    }
}

@Suite(.serialized) struct MemoryTextTests {
    @Test func `A text in memory is read like the same bytes in a file`() throws {
        try LogTrials.run(6, "memory") { seed in
            let log = GeneratedLog(seed: seed, events: 15, server: "WFE-9")
            let name = "WFE-9-20210304-1000.log"
            let folder = try SourceFolder()
            let path = try folder.write(name, log.bytes)
            for reading in LogReading.all {
                var (file, memory) = (reading.reader([path]), reading.reader([]))
                file.window = TimeWindow(lower: .init(scale: .clock, value: GeneratedLog.start + 1000), upper: nil)
                memory.window = file.window
                memory.text = MemoryText(name: path, bytes: log.bytes)
                let expected = try file.readEvents()
                let (events, report) = try memory.readEvents()
                if let problem = difference(events, expected.events) { return "\(reading): \(problem)" }
                if report.files.map(\.server) != ["WFE-9"] || report.quality.lines != log.quality.lines {
                    return "\(reading): \(report)"
                }
            }
            return nil
        }
    }

    @Test func `An empty text yields no events`() throws {
        #expect(try LogReader(text: [], name: "").readEvents().events.isEmpty)
    }

    @Test func `A byte-order mark determines the encoding of a text`() throws {
        var bytes: [UInt8] = [0xFF, 0xFE]
        for unit in row("é").utf16 { bytes += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        #expect(try LogReader(text: bytes, name: "a.log").readEvents().events.map { $0[.message] } == ["é"])
    }

    @Test func `A compressed text is refused, with advice`() throws {
        let reader = LogReader(text: StoredGzip.pack(Array(row().utf8)), name: "a.log.gz")
        let report = try reader.readEvents().report
        #expect(report.files.map(\.isIncomplete) == [true])
        #expect(
            report.files.flatMap(\.notes) == [
                "cannot read 'a.log.gz': it is compressed or an archive, and only text can be read from memory; unpack it first"
            ]
        )
    }

    @Test func `A line of a text in memory can be explained`() throws {
        let reader = LogReader(text: Array((nativeHeader + row("said")).utf8), name: "a.log")
        #expect(try reader.explanation(ofLine: 2).event?.text(.message) == "said")
        #expect(try reader.explanation(ofLine: 1).kind.contains("header"))
    }
}
