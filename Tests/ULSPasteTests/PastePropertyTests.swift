import Foundation
import TestSupport
import Testing

@testable import ULSPaste
@testable import ULSRows

struct PastePropertyTests {
    /// Rows with random padding that are wrapped at random spaces are read with their original columns.
    @Test(arguments: 0..<UInt64(400))
    func `Padding and wrapping do not change the columns`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let isWrapped = Bool.random(using: &random)
        var text = ""
        var expected: [[String]] = []
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            let columns = Self.columns(&random)
            expected.append(columns)
            text += Self.rendered(columns, isWrapped: isWrapped, &random) + "\n"
            if Bool.random(using: &random) { text += " \n" }
        }
        let paste = ReadPaste(text)
        #expect(paste.records.map(\.columns) == expected, "\(text)")
        #expect(paste.quality.notUnderstood == 0)
        #expect(paste.quality.accounted == paste.quality.lines)
    }

    private static func columns(_ random: inout SeededGenerator) -> [String] {
        let words = [
            "Failed", "to", "open", "C:\\x\\y.resx", "(0x80070005)", "at", "#2:", "\"\"", "High", "SharePoint", "8nca",
            "é",
        ]
        let area = [
            "SharePoint Foundation", "SharePoint Server Search", "Windows SharePoint Services", "Search",
            "Access Services",
        ]
        let category = [
            "General", "Claims Authentication", "Runtime - Data Connections", "Crawler:Azure Plugin", "E-Mail",
        ]
        let message = (0..<Int.random(in: 1...30, using: &random)).map { _ in words.randomElement(using: &random) ?? ""
        }
        return [
            Bool.random(using: &random) ? "09/26/2011 10:39:40.52" : "10:39:40.52",
            ["w3wp.exe (0x1790)", "OWSTIMER.EXE (WFE1:0x0A18)", "Some.Server (0x1)"].randomElement(using: &random)
                ?? "",
            ["0x0EB8", "0x12345", "0xABCD"].randomElement(using: &random) ?? "",
            area.randomElement(using: &random) ?? "",
            category.randomElement(using: &random) ?? "",
            ["nasq", "b9y3", "ajmmu", "99", "6398", "0000"].randomElement(using: &random) ?? "",
            ULSLevel.knownWords.randomElement(using: &random) ?? "",
            "Text " + message.joined(separator: " ") + " end.",
            Bool.random(using: &random) ? "0f3c9a10-1b2c-4d5e-8f90-a1b2c3d4e5f6" : "",
        ]
    }

    private static func rendered(_ columns: [String], isWrapped: Bool, _ random: inout SeededGenerator) -> String {
        var text = ""
        for (index, column) in columns.enumerated() {
            let blanks = [" ", "    ", "\u{A0} \u{A0}", "  "].randomElement(using: &random) ?? " "
            // The space between message and correlation is as wide as it can be.
            text += column + (index == 7 ? "    " : blanks)
        }
        guard isWrapped else { return text }
        var wrapped = ""
        for character in text {
            // Two line breaks in one run of spaces would result in a blank line.
            let breaks =
                character == " " && wrapped.last?.isWhitespace == false && Int.random(in: 0..<9, using: &random) == 0
            wrapped += breaks ? " \n" : String(character)
        }
        return wrapped
    }

    @Test(arguments: 0..<UInt64(200))
    func `A prefix of all rows does not change the columns`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let prefixes: [(Int) -> String] = [
            { "- " + String(repeating: " ", count: $0 % 2) }, { "\($0). " }, { "Line \($0): " },
            { "WFE1-20240311-1103.log:\($0):" },
            { "\($0)-" }, { "C:\\a b\\c.log:\($0):" }, { "\($0)\t" }, { "[\(10 + $0 % 2):30 PM] A B: " },
        ]
        let prefix = prefixes.randomElement(using: &random) ?? { _ in "" }
        var text = ""
        var expected: [[String]] = []
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            let columns = Self.columns(&random)
            expected.append(columns)
            text +=
                prefix(Int.random(in: 1...99, using: &random)) + Self.rendered(columns, isWrapped: false, &random)
                + "\n"
            if Bool.random(using: &random) { text += "\n" }
        }
        let paste = ReadPaste(text)
        #expect(paste.records.map(\.columns) == expected, "\(text)")
        #expect(paste.quality.notUnderstood == 0)
        #expect(paste.quality.accounted == paste.quality.lines)
    }

    /// The reader does not crash on any bytes, and counts each line once.
    @Test(arguments: 0..<UInt64(300))
    func `Every line of a mutated paste is accounted for`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bytes = Array(Self.seeds.shuffled(using: &random).joined(separator: "\n").utf8)
        for _ in 0..<Int.random(in: 1...40, using: &random) {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.insert(Self.marks.randomElement(using: &random) ?? 0, at: index)
            case 2: bytes.remove(at: index)
            case 3:
                bytes.insert(
                    contentsOf: bytes[index...].prefix(60),
                    at: Int.random(in: 0..<bytes.count, using: &random)
                )
            default:
                bytes.removeSubrange(index..<min(bytes.count - 1, index + Int.random(in: 0..<40, using: &random)) + 1)
            }
            if bytes.isEmpty { bytes = [0x20] }
        }
        var limits = PasteLimits()
        limits.record = Int.random(in: 1...400, using: &random)
        limits.held = Int.random(in: 0...400, using: &random)
        limits.head = Int.random(in: 1...400, using: &random)
        Self.check(ReadPaste(bytes: bytes, limits: limits))
        Self.check(ReadPaste(bytes: bytes))
    }

    @Test(arguments: 0..<UInt64(100))
    func `Every line of random bytes is accounted for`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = (0..<2000).map { _ in
            Bool.random(using: &random)
                ? UInt8.random(in: 0...255, using: &random) : Self.marks.randomElement(using: &random) ?? 0
        }
        Self.check(ReadPaste(bytes: bytes))
    }

    /// 128 KiB of each text that slows down naive readers takes one second in a debug build; if the time were
    /// quadratic, it would take minutes.
    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            "a", "\"", ",\"", "\"\",", " ", "\u{A0}", "0x", "(", "at ", "8nca ", "0f3c9a10-", "Level: ", "09/26/2011 ",
            "<", "\t",
            "\n", "a\n\n", "09/26/2011\n", "w3wp.exe\n", "Level: x\nMessage: y\n", "Level: x\n\n",
            "w3wp.exe (0x1) 0x1\n",
            "x\n   at a.b\n", "- ", "1. ", "12:", "a.log:", "Line 1: ", "|", "a|", "Verbose\tx y\n", "High x\n\n", "_",
            "x\\\n",
            "A: B.C: d\n\n", "[C: d]\n\n", "  Message=x\n", "Event ID: 1\nSource: x\n\n", "Level,Message,EventID\n\"\n",
            "0f3c9a10-\n", "[a] ", "11/02/2026 10:00:00  8  ERR  x\n", "Event code: 3005\n\n", "A.Exception of\n\n",
            "at x\n\n",
            "Event code: 3005\n\nStack trace: x\n\n",
        ]
    )
    func timeIsLinear(unit: String) {
        let text = String(repeating: unit, count: (1 << 17) / unit.utf8.count)
        Self.check(ReadPaste(text))
        Self.check(ReadPaste("w3wp.exe (0x1620) 0x1988 Search General ab2c4 High " + text))
        Self.check(ReadPaste("Level,Message,EventID\nHigh,\"" + text))
    }

    private static func check(_ paste: ReadPaste, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(paste.quality.accounted == paste.quality.lines, sourceLocation: sourceLocation)
        #expect(paste.quality.records == paste.records.count, sourceLocation: sourceLocation)
        var last = 0
        for record in paste.records {
            #expect(record.firstLine > last && record.lastLine >= record.firstLine, sourceLocation: sourceLocation)
            last = record.firstLine
        }
    }

    private static let marks = Array("\n\n\" \t,;:()<>-*0x8nca High.\u{A0}\r".utf8)

    private static let seeds = [
        "09/26/2011 10:39:40.52     w3wp.exe (0x1790)     0x0EB8    SharePoint Server    General    b9y3    High    Torn",
        "Date Time w3wp.exe (0x1620) 0x1988Windows SharePoint Services Topology 75bdHigh Lost",
        "SharePoint Foundation General 8nca Medium Error 0f3c9a10-1b2c-4d5e-8f90-\na1b2c3d4e5f6",
        "Timestamp  : 26/09/2011 10:39:40\nLevel      : High\nMessage    : Torn\n             in two\n",
        "#TYPE x\nArea,Level,Message,EventID\nSearch,High,\"a \"\"b\"\"\nc\",ab1cd\n",
        "Timestamp   Area  Level  EventID Message\n---------   ----  -----  ------- -------\n"
            + "26/09/2011  Se... High   b9y3    x",
        "Prose before\n\n   at Our.Main()\n",
        "Line 12: 10:39:40.52 w3wp.exe (0x1790) 0x0EB8 Search General b9y3 High Torn\na.log-13-   at Our.Main()\n--\n",
        "| Area | EventID | Level | Message |\n|---|---|---|---|\n| Search | b9y3 | High | Torn |\n",
        "_Source: A_\\\n**Event ID:** 6398\n\nDate: 3/4/2024\nTime: 1:02:03 PM\n\nTorn\\\n",
        "Exception Details: A.B: no\n\n[B: no]\n   A.B.C() +1\n\nVerbose\t[x] Torn\n\"Search|General|b9y3|High|\"\"a\"\"\"\n",
        "11/02/2026 10:00:00  8  ERR  Torn\n[A] [B] [ERROR] [11/2/2026 1:00:00 PM]: Torn\n[2026-11-02 10:00:00] INFO : x\n",
        "Event code: 3005\nEvent time: 11/2/2026 1:00:00 PM\n\nProcess information:\n    Process ID: 1\n\nServer stack trace:\n",
    ]
}

struct PasteLimitsTests {
    static let row = "w3wp.exe (0x1620) 0x1988 Search General ab2c4 High"

    @Test(arguments: [
        "\(row) Lost\n" + String(repeating: "and more of it\n", count: 50),
        "Level: High\nMessage: Lost\n" + String(repeating: "and more of it\n", count: 50),
        "Level,EventID,Message\nHigh,ab1cd,\"Lost\n" + String(repeating: "and more of it\n", count: 50),
        "Level,EventID,Message\nHigh,ab1cd,Lost\n" + String(repeating: "and more of it\n", count: 50),
        "Failed\n" + String(repeating: "and more of it\n", count: 50),
        "\(row) " + String(repeating: "and more of it ", count: 50),
    ])
    func `A record beyond the limit is truncated and counted`(text: String) {
        var limits = PasteLimits()
        limits.record = 200
        let paste = ReadPaste(text, limits: limits)
        #expect(paste.quality.cutRecords == 1)
        #expect(paste.records.allSatisfy { $0.message.count <= 200 })
        #expect(paste.quality.accounted == paste.quality.lines)
    }

    @Test func `Paragraphs become messages if there are too many to hold until a row appears`() {
        var limits = PasteLimits()
        limits.held = 1000
        let prose = String(repeating: "Some failure\n\n", count: 20)
        let paste = ReadPaste(prose + "\(Self.row) Lost\n", limits: limits)
        // Twenty paragraphs would be counted but not read, if the row were recognized in time.
        #expect(paste.records.count { $0.shape == .message } > 10)
        #expect(paste.records.last?.shape == .row)
        #expect(paste.quality.accounted == 41)
        #expect(ReadPaste(prose + "\(Self.row) Lost\n").records.count == 1)
    }

    @Test func `A row with an overlong beginning is text`() {
        let padding = String(repeating: " ", count: 2000)
        #expect(ReadPaste("w3wp.exe (0x1620)\(padding)0x1988 Search General ab2c4 High Lost").only.shape == .message)
    }
}

/// The result of reading a paste.
struct ReadPaste {
    var records: [PastedRecord] = []
    var quality = PasteQuality()

    init(_ text: String, limits: PasteLimits = PasteLimits()) { self.init(bytes: Array(text.utf8), limits: limits) }

    init(bytes: [UInt8], limits: PasteLimits = PasteLimits()) {
        var reader = PasteReader(limits: limits)
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        for line in lines { reader.append(line: Array(line).span, into: &records) }
        quality = reader.finish(into: &records)
    }

    /// The only record; an empty one if there is not exactly one.
    var only: PastedRecord { records.count == 1 ? records[0] : PastedRecord(shape: .message, line: 0) }
}

extension PastedRecord {
    /// The nine columns as text.
    var columns: [String] {
        [time, process, thread, area, category, eventID, level, message, correlation]
            .map { String(decoding: $0, as: UTF8.self) }
    }

    var messageText: String { String(decoding: message, as: UTF8.self) }
    var correlationText: String { String(decoding: correlation, as: UTF8.self) }

    /// The event ID and the level, in the notation of the tables below.
    var summary: String {
        String(decoding: eventID, as: UTF8.self) + " " + String(decoding: level, as: UTF8.self)
    }
}

enum PasteFixtures {
    static func bytes(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return try [UInt8](Data(contentsOf: folder.appending(path: "ULSLogTests/Fixtures/\(name)")))
    }
}
