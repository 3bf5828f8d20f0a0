import ContentFeeding
import Foundation
import TestSupport
import Testing

@testable import FeedFormats

/// Properties of all formats, regardless of the input.
struct AnyInputTests {
    static let hurtful = [
        "plain", " leading", "trailing ", "\t", "it's", "\"quoted\"", "a,b", "a\tb", "\u{1B}[31m", "\u{7}", "😀👩‍🚀",
        "\u{E9}", "e\u{301}", "../../etc/passwd",
        "-n", "--help", "'; DROP TABLE documents; --", "\u{202E}abc", "\u{200B}", "%00", "\\n", "\\",
        "{\"remove\":\"x\"}", "[1]", "null",
        String(repeating: "ä", count: 2048), "http://x/?a=b&c=d#e", "\u{FFFD}", "\u{10FFFF}", "a\u{2028}b", "=1+1",
    ]

    enum Encoding: CaseIterable {
        case lines
        case linesCRLF
        case nul
        case jsonStrings
        case jsonObjects
        case csv
        case csvQuoted
        case tsv

        var format: InputFormat {
            switch self {
            case .lines, .linesCRLF: .lines()
            case .nul: .nul
            case .jsonStrings: .jsonLines()
            case .jsonObjects: .jsonLines(field: "key")
            case .csv, .csvQuoted: .csv(column: .named("key"))
            case .tsv: .tsv(column: .number(1, hasHeader: true))
            }
        }

        /// Whether any ID can be written.
        var carriesLineEnds: Bool { self != .lines && self != .linesCRLF }

        func encode(_ ids: [String]) -> String {
            switch self {
            case .lines: ids.map { $0 + "\n" }.joined()
            case .linesCRLF: ids.map { $0 + "\r\n" }.joined()
            case .nul: ids.map { $0 + "\0" }.joined()
            case .jsonStrings: ids.map { json($0) + "\n" }.joined()
            case .jsonObjects: ids.map { "{\"n\":{\"key\":1},\"key\":" + json($0) + "}\r\n" }.joined()
            case .csv: "n,key\r\n" + ids.map { "1," + quoted($0, if: ",\"\r\n") + "\r\n" }.joined()
            case .csvQuoted: "\"key\",\"n\"\n" + ids.map { quoted($0, if: nil) + ",\"\"\"\n,\"\n" }.joined()
            case .tsv: "key\tn\n" + ids.map { quoted($0, if: "\t\"\r\n") + "\t1\n" }.joined()
            }
        }

        private func json(_ text: String) -> String {
            "\""
                + text.unicodeScalars.map {
                    $0.value < 0x20 || $0 == "\"" || $0 == "\\" ? "\\u00" + hexadecimal($0.value) : String($0)
                }.joined() + "\""
        }

        private func hexadecimal(_ value: UInt32) -> String { (value < 16 ? "0" : "") + String(value, radix: 16) }

        private func quoted(_ text: String, if special: String?) -> String {
            let scalars = text.unicodeScalars
            if let special, !scalars.contains(where: special.unicodeScalars.contains) { return text }
            return "\"" + scalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
        }
    }

    @Test(arguments: Encoding.allCases, [1, 7, 64, 4096])
    func `Hostile IDs are preserved byte for byte`(encoding: Encoding, piece: Int) {
        let ids = encoding.carriesLineEnds ? Self.hurtful + ["a\nb", "a\r\n", "\r", "\n"] : Self.hurtful
        let reading = Reading(encoding.encode(ids), as: encoding.format, piece: piece)
        #expect(reading.ids.map { Array($0.utf8) } == ids.map { Array($0.utf8) })
        #expect(reading.input.rejected == 0)
    }

    @Test(arguments: Encoding.allCases, 0..<20)
    func `Written input is read back`(encoding: Encoding, seed: Int) {
        var generator = Seeded(UInt64(seed))
        let ids = (0..<Int.random(in: 1...200, using: &generator)).map { _ in
            Self.id(carryingLineEnds: encoding.carriesLineEnds, using: &generator)
        }
        let text = encoding.encode(ids)
        for piece in [1, 7, 64, 4096] {
            let reading = Reading(text, as: encoding.format, piece: piece)
            #expect(reading.ids.map { Array($0.utf8) } == ids.map { Array($0.utf8) })
            #expect(reading.input.bytes == text.utf8.count)
        }
    }

    @Test(arguments: Encoding.allCases, 0..<60)
    func `Damaged input is fully accounted for, however it is split into chunks`(encoding: Encoding, seed: Int) {
        var generator = Seeded(UInt64(seed + 1000))
        var bytes = Array(encoding.encode(Self.hurtful.filter { $0.utf8.count < 100 }).utf8)
        for _ in 0..<Int.random(in: 1...20, using: &generator) {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes.remove(at: place)
            default: bytes.insert([0, 10, 13, 34, 44, 92, 255].randomElement(using: &generator) ?? 0, at: place)
            }
        }
        bytes.removeLast(Int.random(in: 0...20, using: &generator))
        var limits = InputLimits()
        limits.line = 300
        limits.chunkCount = 3
        let whole = Reading(bytes, as: encoding.format, limits: limits, piece: bytes.count)
        #expect(whole.input.lines == whole.operations.count + whole.input.blank + whole.input.rejected)
        for piece in [1, 7, 64] {
            #expect(Reading(bytes, as: encoding.format, limits: limits, piece: piece) == whole)
        }
        if encoding == .lines {
            let ends = bytes.count { $0 == 10 }
            #expect(whole.input.lines == (bytes.last == 10 ? ends : ends + 1))
        }
    }

    @Test(arguments: [1, 7, 64, 4096])
    func `A line that is too long is skipped`(piece: Int) {
        var limits = InputLimits()
        limits.line = 100
        limits.id = 50
        for (length, isID) in [(50, true), (51, false), (99, false), (100, false), (101, false), (5000, false)] {
            let text = "a\n" + String(repeating: "x", count: length) + "\nb\n"
            let reading = Reading(Array(text.utf8), as: .lines(), limits: limits, piece: piece)
            #expect(reading.ids.count == (isID ? 3 : 2))
            #expect(reading.rejectedLines == (isID ? [] : [2]))
            #expect(reading.input.lines == 3)
        }
    }

    @Test func `Only a limited number of rejections is kept in memory`() {
        let reading = Reading(Array(String(repeating: "\0\n", count: 1000).utf8), as: .lines(), piece: 4096)
        #expect(reading.input.rejected == 1000)
        #expect(reading.rejections.count == 100)
        #expect(reading.rejections.last?.description.hasPrefix("input:100: contains a NUL byte") == true)
    }

    @Test(arguments: [[0xFF], [0x61, 0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80]] as [[UInt8]])
    func `Anything but UTF-8 is rejected`(bytes: [UInt8]) {
        let reading = Reading(Array("a\n".utf8) + bytes + Array("\nb".utf8), as: .lines())
        #expect(reading.ids == ["a", "b"])
        #expect(reading.reasons == ["not UTF-8; specify the encoding, for example --encoding windows-1252"])
    }

    private static func id(carryingLineEnds: Bool, using generator: inout Seeded) -> String {
        let letters: [Unicode.Scalar] = [
            "a", "b", " ", "\t", "\"", ",", "'", "\\", "é", "\u{301}", "😀", "0", "-", "\u{FEFF}",
        ]
        let all = carryingLineEnds ? letters + ["\n", "\r"] : letters
        let scalars = (0..<Int.random(in: 1...30, using: &generator)).compactMap { _ in
            all.randomElement(using: &generator)
        }
        // A byte-order mark at the start of an input would be interpreted as the input's own.
        return "x" + String(String.UnicodeScalarView(scalars))
    }
}

/// A generator that returns the same numbers each time.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

struct MemoryTests {
    /// This runs in a separate process, so that its memory can be measured.
    @Test func `A line with many members takes no more memory than a line of text`() async {
        await #expect(processExitsWith: .success) {
            let text = #"{"id":"m""# + String(repeating: #","a":1"#, count: 700_000) + "}\n"
            let before = try Self.peak()
            let reading = Reading(text, as: .jsonLines(), for: .add)
            #expect(reading.ids == ["m"])
            // The line being read, its copy, and some more.
            #expect(try Self.peak() - before < 6 * text.utf8.count)
        }
    }

    /// Returns the peak memory of the process, in bytes.
    private static func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.filter(\.isNumber))) << 10
    }
}

/// Measures in a release build: `FASTCTL_SPEED=1 swift test -c release --filter SpeedTests`.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["FASTCTL_SPEED"] != nil))
struct SpeedTests {
    @Test func `Ten million lines are read in bounded memory`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("ids")
        var text: [UInt8] = []
        for number in 1...10_000_000 {
            text.append(contentsOf: String(number).utf8)
            text.append(10)
        }
        try Data(text).write(to: URL(filePath: path))
        let clock = ContinuousClock()
        for _ in 1...3 {
            var count = 0
            let time = try await clock.measure {
                for try await chunk in try await FeedInput.open([.file(path)], for: .remove, format: .lines()) {
                    count += chunk.operations.count
                }
            }
            #expect(count == 10_000_000)
            print("lines:", time / 10_000_000, "an ID")
        }
    }

    /// The cost of a digest, of resuming at nine tenths, and of a spool.
    @Test func `Ten million IDs can be read a second time`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("ids")
        let count = 10_000_000
        var text: [UInt8] = []
        for number in 1...count {
            text.append(contentsOf: "document-of-".utf8)
            let digits = String(number).utf8
            text.append(contentsOf: repeatElement(48, count: 18 - digits.count))
            text.append(contentsOf: digits)
            text.append(10)
        }
        try Data(text).write(to: URL(filePath: path))
        let clock = ContinuousClock()
        var place = InputMemory()
        for memory in [nil, InputMemory(), nil, InputMemory()] {
            let before = Self.processorSeconds
            let time = try await clock.measure {
                for try await chunk in try await FeedInput.open(
                    [.file(path)],
                    for: .remove,
                    format: .lines(),
                    memory: memory
                ) where memory != nil && chunk.end.byte <= 280_000_000 {
                    place = InputMemory(offset: chunk.end, digest: chunk.digest)
                }
            }
            let seconds = (Self.processorSeconds - before) / 10
            print(memory == nil ? "plain:" : "digested:", time, seconds, "CPU seconds a million")
        }
        for _ in 1...3 {
            let before = Self.processorSeconds
            let time = try await clock.measure {
                _ = try await FeedInput.open([.file(path)], for: .remove, format: .lines(), memory: place)
            }
            print("resumed at \(place.offset.byte):", time, Self.processorSeconds - before, "CPU seconds")
        }
        let spoolPath = folder.path("spool")
        let fifo = folder.path("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        let all = String(decoding: text, as: UTF8.self)
        async let feeding: Void = send(all, through: fifo)
        place = InputMemory(offset: .start, spool: try InputSpool.create(spoolPath, maximumBytes: 1 << 30))
        let before = Self.processorSeconds
        var read = 0
        let time = try await clock.measure {
            for try await chunk in try await FeedInput.open(
                [.file(fifo)],
                for: .remove,
                format: .lines(),
                memory: place
            ) { read += chunk.operations.count }
        }
        await feeding
        print("spooled:", time, (Self.processorSeconds - before) / 10, "CPU seconds a million, the writer's included")
        #expect(read == count)
        async let feedingAgain: Void = send(all, through: fifo)
        let comparing = try await clock.measure {
            guard
                case .same = try await InputSpool.compare(
                    spoolPath,
                    with: .file(fifo),
                    maximumBytes: 1 << 30,
                    orElse: folder.path("other")
                )
            else {
                Issue.record("not the same")
                return
            }
        }
        await feedingAgain
        print("compared:", comparing)
    }

    private static var processorSeconds: Double {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        let seconds = { (time: timeval) -> Double in Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
