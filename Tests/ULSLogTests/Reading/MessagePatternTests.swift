import Foundation
import TestSupport
import Testing

@testable import ULSLog
@testable import ULSRows

struct MessagePatternTests {
    private func messages(_ text: String, _ change: (inout EventFilter) throws -> Void) throws -> [String] {
        var reader = LogReader(text: Array((nativeHeader + text).utf8), name: "WFE1-20110926-1039.log")
        try change(&reader.filter)
        return try reader.readEvents().events.map { $0[.message] }
    }

    private func matching(_ expressions: [String], not unwanted: [String] = [], in text: String) throws -> [String] {
        try messages(text) { $0.patterns = try MessagePatterns(wanted: expressions, unwanted: unwanted) }
    }

    private static func mistake(in expressions: [String]) -> MessagePatternError? {
        do throws(MessagePatternError) {
            _ = try MessagePatterns(wanted: expressions)
            return nil
        } catch { return error }
    }

    @Test(arguments: [
        ("failed to (open|read)", ["It FAILED to open", "Failed to read"]),
        ("^failed", ["Failed to read"]),
        (#"\bopen$"#, ["It FAILED to open"]),
        ("(?-i)Failed", ["Failed to read"]),
        (#"\d{4}"#, ["Code 0042 März"]),
        ("M.rz$", ["Code 0042 März"]),
        ("MÄRZ", ["Code 0042 März"]),
        ("[äö]r", ["Code 0042 März"]),
        ("u+", []),
    ])
    func `An expression selects events whose message matches`(expression: String, found: [String]) throws {
        let text = row("It FAILED to open") + row("Failed to read") + row("Code 0042 März") + row("Nothing")
        #expect(try matching([expression], in: text) == found)
    }

    @Test func `All wanted expressions must match, and no unwanted one may match`() throws {
        let text = row("a and b") + row("b and a, noise") + row("a alone") + row("b and a")
        #expect(try matching(["a", "b"], not: ["noise", "alone"], in: text) == ["a and b", "b and a"])
        #expect(try matching([], not: ["^b", "alone"], in: text) == ["a and b"])
    }

    @Test func `An expression matches across a cut, and anchors match only at the ends of the whole message`() throws {
        let text =
            row("It has Failed to op...") + row("between") + row("...en, and more") { $0.mark = "*" } + row("open")
        #expect(try matching(["failed to open"], in: text) == ["It has Failed to open, and more"])
        #expect(try matching(["^open"], in: text) == ["open"])
        #expect(try matching(["op$"], in: text).isEmpty)
        #expect(try matching([#"more\z"#], in: text).count == 1)
        #expect(try matching([], not: ["to open"], in: text) == ["between", "open"])
    }

    @Test func `A message with several lines is matched as one text`() throws {
        let text = row("first\r\nat System.Web\r\nat Microsoft") + row("at System.Web")
        #expect(try matching([#"first\s+at"#], in: text).count == 1)
        #expect(try matching(["^at Micro"], in: text).count == 1)
        #expect(try matching(["first.*at"], in: text).isEmpty)
    }

    @Test func `A line of a message ends before CRLF or LF`() throws {
        for end in ["\r\n", "\n"] {
            let text = row("the fox\(end)at N.A()\(end)at $HOME")
            for expression in ["fox$", #"A\(\)$"#, "^the fox$", "(fox|dog)$", #"\$HOME$"#, "[$]HOME"] {
                #expect(try matching([expression], in: text).count == 1)
                #expect(try matching([], not: [expression], in: text).isEmpty)
            }
            #expect(try matching(["the$"], in: text).isEmpty)
        }
        #expect(Self.mistake(in: ["fox$("])?.message.contains("character 5") == true)
    }

    @Test func `Windows-1252 text is matched in decoded form`() throws {
        let bytes = Array((nativeHeader + row("FACE") + row("M?rz")).utf8).map { $0 == UInt8(ascii: "?") ? 0xE4 : $0 }
        var reader = LogReader(text: bytes, name: "WFE1-20110926-1039.log")
        for expression in ["m.rz", "MÄRZ", "[ä]"] {
            reader.filter.patterns = try MessagePatterns(wanted: [expression])
            #expect(try reader.readEvents().events.map { $0[.message] } == ["März"])
        }
    }

    @Test(arguments: [
        ("Ärger", "ÄRGER"), ("ÄRGER", "ärger"), ("Ελλάς", "ΕΛΛΆΣ"), ("ж", "Ж"), ("İ", "İ"), ("a.é", "A.É"),
        ("日本", "日本"),
    ])
    func `Text is found regardless of case`(text: String, written: String) throws {
        let rows = row("so \(written) it is") + row("axé") + row("i I ı")
        #expect(try messages(rows) { $0.contains = [text] } == ["so \(written) it is"])
        #expect(try messages(rows) { $0.contains = [text, "IT is"] } == ["so \(written) it is"])
    }

    @Test func `A syntax error is reported with the expression and the position`() throws {
        let error = try #require(Self.mistake(in: ["fine", "größe (a"]))
        #expect(error.expression == 1)
        #expect(error.message.contains("at character 7, '(a'"))
        #expect(Self.mistake(in: ["a*"])?.message.contains("empty text") == true)
        #expect(Self.mistake(in: [""])?.message.contains("empty") == true)
        #expect(Self.mistake(in: [#"(a)\1"#]) != nil)
        #expect(Self.mistake(in: ["(?=a)b"]) != nil)
    }

    @Test func `Excluding column values removes exactly the events that the same values would select`() throws {
        let text =
            row("one") + row("two") { ($0.category, $0.eventID) = ("Claims Authentication", "8nca") }
            + row("three") { $0.process = "OWSTIMER.EXE (0x0A18)" }
        #expect(try messages(text) { $0.excludedCategories = ["claims*"] } == ["one", "three"])
        #expect(try messages(text) { $0.excludedCategories = ["nowhere/claims*"] } == ["one", "two", "three"])
        #expect(try messages(text) { $0.excludedEventIDs = ["8nca", "x"] } == ["one", "three"])
        #expect(try messages(text) { $0.excludedProcesses = ["owstimer"] } == ["one", "two"])
        #expect(try messages(text) { $0.excludedProcesses = ["0x0A18", "w3wp"] }.isEmpty)
        let all = try messages(text) {
            $0.processes = ["w3wp"]
            $0.excludedEventIDs = ["8nca"]
        }
        #expect(all == ["one"])
    }
}

/// An expression selects the same events as another engine that tests each message.
@Suite(.serialized) struct ExpressionPropertyTests {
    private static let expressions = [
        "failed", "F.iled to", "^Failed", "z$", "^x+z$", "é", "É!", "日本 ", "日.", "[é日]", "[^a-z]é", #"at A\.B"#,
        "[0-9]{4}",
        "(open|end\\.)", "to.*open", #"\s\sat"#, "ab9f0000", #"\{0\}"#, "[.]{5}", "to.(to|é|日)", "Scope \\(A\\)",
        "Tab z",
        #"e\S+ t"#, "w3wp", "10:00", "...end",
    ]

    @Test func `An expression selects the same events as in another engine, however the log is read`() throws {
        try LogTrials.run(40, "expression") { seed in
            var random = SeededGenerator(seed: seed)
            let log = GeneratedLog(seed: seed, events: 25)
            let folder = try SourceFolder()
            let path = try folder.write("a.log", log.bytes)
            let packed = try folder.write("a.log.gz", StoredGzip.pack(log.bytes))
            let wanted = Self.expressions.randomElement(using: &random) ?? ""
            let unwanted = Bool.random(using: &random) ? Self.expressions.randomElement(using: &random) : nil
            let patterns = try MessagePatterns(wanted: [wanted], unwanted: [unwanted].compactMap(\.self))
            for path in [path, packed] {
                for reading in LogReading.some(seed, 3) {
                    let reader = reading.reader([path]).with { $0.filter.patterns = patterns }
                    let (events, report) = try reader.readEvents()
                    let expected = try log.events(file: events.first?.file ?? path).filter {
                        try Self.matches($0[.message], wanted)
                            && !(unwanted.map { [text = $0[.message]] in try Self.matches(text, $0) } ?? false)
                    }
                    if let problem = difference(events, expected) {
                        return "\(reading), \(wanted), not \(unwanted ?? "-"): \(problem)"
                    }
                    if !report.quality.balances || report.quality.lines != log.quality.lines {
                        return "\(reading), \(wanted): \(report.quality)"
                    }
                }
            }
            return nil
        }
    }

    @Test func `Skipping text changes no event, however the text is divided`() throws {
        try LogTrials.run(10, "passing over") { seed in
            let log = GeneratedLog(seed: seed, events: 25)
            let folder = try SourceFolder()
            let path = try folder.write("a.log", log.bytes)
            for (number, expression) in Self.expressions.enumerated() {
                // Reading byte by byte takes most of the time, so each log is read so for a fifth of the expressions.
                let isSlow = (number + Int(seed % 5)) % 5 == 0
                for reading in LogReading.some(seed, 3) + (isSlow ? [LogReading.byteByByte[0]] : []) {
                    var reader = reading.reader([path])
                    reader.filter.patterns = try MessagePatterns(wanted: [expression])
                    var parsed: [ModelEvent] = []
                    _ = try reader.forEachEvent(in: .files, of: reader.selection, passesOver: false) {
                        parsed.append(ModelEvent($0))
                    }
                    if let problem = try difference(reader.readEvents().events, parsed) {
                        return "\(reading), \(expression): \(problem)"
                    }
                }
            }
            return nil
        }
    }

    private static func matches(_ text: String, _ expression: String) throws -> Bool {
        let options: NSRegularExpression.Options = [.caseInsensitive, .anchorsMatchLines, .useUnixLineSeparators]
        let engine = try NSRegularExpression(pattern: expression, options: options)
        return engine.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }

    @Test(
        arguments: [
            ("failed", "failed"), (#"\bfailed\b"#, "failed"), ("(?-i)a[^]x]b", "a[^]x]b"), ("^Leaving", "Leaving"),
            ("a|b$", nil), ("Größe", nil), (#"\x41bc"#, nil), (#"\Qa.b\E"#, nil), ("(?s)a.b", nil),
            ("[[:alpha:]]a", nil),
            (#"\b?ab"#, nil), (#"a\.b\d"#, #"a\.b\d"#),
        ] as [(String, String?)]
    )
    func `Anchors and word boundaries are removed from an expression when text is searched`(text: String, weak: String?)
    {
        #expect(ExpressionSieve.pattern(of: text) == weak)
    }

    @Test func `Split messages and non-ASCII letters are found at any position`() throws {
        let rows = (0..<140).map { number in
            let text = String(repeating: "x", count: number)
            let cut = row("\(text) it fai...") + row("...led") { $0.mark = "*" }
            return row("nothing") + cut + row("nothing") + row("\(text) fa\u{20AC}led") + row("wait...and see")
        }
        let folder = try SourceFolder()
        let path = try folder.write("a.log", Array((nativeHeader + rows.joined() + row("nothing")).utf8))
        for reading in [LogReading(), LogReading(piece: 300), LogReading(piece: 1000, unit: 4096, jobs: 2)] {
            var reader = reading.reader([path])
            reader.filter.patterns = try MessagePatterns(wanted: ["fa.led$"])
            let (events, report) = try reader.readEvents()
            #expect(events.count == 280)
            #expect(report.quality.passedOver >= 140)
        }
    }

    @Test func `Text that cannot match is skipped and counted`() throws {
        let rows = (0..<2000).map { row($0 % 500 == 7 ? "Found number \($0)" : "said nothing") }
        let folder = try SourceFolder()
        let path = try folder.write("a.log", Array((nativeHeader + rows.joined()).utf8))
        for reading in [LogReading(unit: 20_000, jobs: 2), LogReading(piece: 4096)] {
            var reader = reading.reader([path])
            reader.filter.patterns = try MessagePatterns(wanted: [#"number \d+"#])
            let (events, report) = try reader.readEvents()
            #expect(events.map(\.line) == [9, 509, 1009, 1509])
            #expect(report.quality.lines == 2001)
            #expect(report.quality.passedOver > 1500)
        }
    }
}
