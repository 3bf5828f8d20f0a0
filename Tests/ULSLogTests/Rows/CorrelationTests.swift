import Testing

@testable import ULSLog
@testable import ULSRows

@Suite struct CorrelationTests {
    static let none: [(String, String?)] = [
        ("one blank", " "), ("nothing", ""), ("no column", nil), ("blanks", "    "), ("a no-break space", "\u{A0}"),
        ("zeros", "00000000-0000-0000-0000-000000000000"),
        ("zeros in braces", "{00000000-0000-0000-0000-000000000000}"),
    ]

    @Test(arguments: none) func `A missing correlation is recognized in all its forms`(
        form: String,
        column: String?
    ) throws {
        let log = try ReadLog(row("said") { $0.correlation = column } + row("said") { $0.correlation = column })
        #expect(log.texts(.correlation) == ["", ""], "\(form)")
        #expect(log.messages == ["said", "said"])
        #expect(log.summary.correlationCount == 0)
    }

    @Test(
        arguments: [
            "3AD81D9B-C01D-4000-8000-CC75DAFFBF63", "{3ad81d9b-c01d-4000-8000-cc75daffbf63}",
            "{3AD81D9B-C01D-4000-8000-CC75DAFFBF63}", " 3ad81d9b-c01d-4000-8000-cc75daffbf63 ",
        ]
    )
    func `A GUID in capitals, in braces or between spaces is the same GUID`(column: String) throws {
        let log = try ReadLog(row() + row { $0.correlation = column })
        #expect(log.texts(.correlation) == [NativeRow.correlation, NativeRow.correlation])
        #expect(log.messages == ["said", "said"])
        #expect(log.summary.correlationCount == 1)
    }

    @Test func `Text after the last tab is part of the message unless it is a GUID`() throws {
        let columns = ["3ad81d9b-c01d-4000-8000", "3ad81d9b-c01d-4000-8000-cc75daffbfzz", "yes"]
        let log = try ReadLog(columns.map { column in row { $0.correlation = column } }.joined())
        #expect(log.messages == columns.map { "said\t\($0)" })
        #expect(log.texts(.correlation) == ["", "", ""])
    }

    @Test func `A message that consists of a GUID is not mistaken for a correlation`() throws {
        let event = try ReadLog(row(NativeRow.elsewhere) { $0.correlation = nil }).only()
        #expect(event.text(.message) == NativeRow.elsewhere)
        #expect(event.text(.correlation) == "")
    }

    @Test(
        arguments: [
            "3ad81d9b-c01d-4000-8000-cc75daffbf63", "{3AD81D9B-C01D-4000-8000-CC75DAFFBF63}",
            "3AD81D9BC01D40008000CC75DAFFBF63", "3ad81d9b", "3ad81d9b-c0", "3AD81D9B-C01D-4",
        ]
    )
    func `A correlation is found by its first eight or more digits`(wanted: String) throws {
        let text =
            row("one") + row("other") { $0.correlation = NativeRow.elsewhere } + row("none") { $0.correlation = " " }
            + row("two") { $0.correlation = "{3AD81D9B-C01D-4000-8000-CC75DAFFBF63}" }
        let pattern = try #require(CorrelationPattern(wanted))
        #expect(try ReadLog(text) { $0.filter.correlations = [pattern] }.messages == ["one", "two"])
    }

    @Test(arguments: [1 << 10, 4 << 10]) func `Text skipped in a search is included in the line counts`(
        pieceBytes: Int
    ) throws {
        let other = row("other\nwrapped") { $0.correlation = NativeRow.elsewhere } + "\n"
        let noise = String(repeating: other, count: 100)
        let text = nativeHeader + noise + row("one\nwrapped") + noise + nativeHeader + row("two") + noise
        let pattern = try #require(CorrelationPattern(NativeRow.correlation))
        let log = try ReadLog(text) {
            $0.filter.correlations = [pattern]
            $0.sizes.pieceBytes = pieceBytes
        }
        #expect(log.messages == ["one\nwrapped", "two"])
        #expect(log.lines == [302, 605])
        #expect(log.quality.passedOver > 300)
        #expect(log.quality.lines == 905)
    }

    @Test(arguments: ["3ad81d9", "3ad81d9b-c01d-4000-8000-cc75daffbf63f", "3ad81d9x", "", "{}"])
    func `Too few or too many digits, or other characters, are not accepted as a correlation`(text: String) {
        #expect(CorrelationPattern(text) == nil)
    }
}

struct CorrelationTotalsTests {
    private static func counts(_ numbers: Range<Int>, at clock: Int64) -> [CorrelationCount] {
        numbers.map { number in
            let time = PackedTime(clock: clock, offset: 0, quality: .local)
            return CorrelationCount(
                id: CorrelationID(high: UInt64(number), low: 1),
                first: time,
                last: time,
                count: 1,
                rank: 6
            )
        }
    }

    @Test func `Correlations stay open if the time of later rows is unknown`() {
        var totals = CorrelationTotals()
        totals.add(Self.counts(1..<30_000, at: 1_300_000_000_000), horizon: .min)
        #expect(totals.count == 29_999)
        #expect(totals.ended == 0)
    }

    @Test func `Correlations without rows for ten minutes have ended`() {
        var totals = CorrelationTotals()
        let clock: Int64 = 1_300_000_000_000
        totals.add(Self.counts(1..<30_000, at: clock), horizon: clock + CorrelationTotals.silence + 1)
        #expect(totals.count == 29_999)
        #expect(totals.ended == 29_999)
    }
}

@Suite struct GUIDSearchTests {
    private static let guid = "1813d1bc-8cc3-e6fe-1515-2b2574a5b2c9"

    private func search(_ text: [UInt8], to end: Int? = nil) throws -> (index: Int?, lineEnds: Int, offset: Int) {
        let padded = text + Array(repeating: 0, count: ByteWindow.slack)
        let search = try #require(GUIDSearch(Self.guid))
        let result = search.first(in: ByteWindow(padded.span), to: end ?? text.count)
        return (result.index, result.lineEnds, result.offset)
    }

    private func lines(_ count: Int) -> [UInt8] { (0..<count).map { $0 % 37 == 0 ? 0x0A : 0x20 } }

    @Test func `A GUID is found at any position`() throws {
        for place in 0..<700 {
            let text = lines(place) + Array(Self.guid.utf8) + lines(700 - place)
            let result = try search(text)
            #expect(result.index == place)
            #expect(result.lineEnds == text[..<result.offset].count { $0 == 0x0A })
        }
    }

    @Test(arguments: [36, 37, 64, 255, 256, 257, 291, 300, 5000])
    func `A GUID at the very end of the text is found, but a truncated GUID is not`(length: Int) throws {
        let text = lines(length - 36) + Array(Self.guid.utf8)
        #expect(try search(text).index == length - 36)
        #expect(try search(text, to: length - 1).index == nil)
    }

    @Test func `A GUID is found ignoring case`() throws {
        #expect(try search(lines(300) + Array(Self.guid.uppercased().utf8) + lines(300)).index == 300)
    }

    @Test func `The first occurrence of a GUID is found`() throws {
        let text = lines(100) + Array(Self.guid.utf8) + lines(50) + Array(Self.guid.utf8) + lines(400)
        #expect(try search(text).index == 100)
    }

    @Test func `GUIDs that share groups of digits are distinguished`() throws {
        var text: [UInt8] = []
        for number in 0..<300 {
            let other = "1813d1b\(number % 10)-8cc3-e6fe-1515-2b2574a5b2c\(number % 9)"
            text += Array(other.utf8) + lines(number % 40)
        }
        #expect(try search(text).index == nil)
        let count = text.count
        #expect(try search(text + Array(Self.guid.utf8) + text).index == count)
    }

    @Test(arguments: [0, 1, 35, 255, 256, 257, 3840, 3841, 20_000])
    func `All line ends before an offset are counted`(length: Int) throws {
        for text in [lines(length), Array(repeating: 0x0A, count: length)] {
            let result = try search(text)
            #expect(result.index == nil)
            #expect(result.lineEnds == text[..<result.offset].count { $0 == 0x0A })
        }
    }

    @Test(arguments: ["", "1813d1bc", "1813d1bc-8cc3-e6fe-1515-2b2574a5b2c", "1813d1bc-8cc3-e6fe-1515-2b2574a5b2c90"])
    func `The search accepts only a complete GUID`(text: String) {
        #expect(GUIDSearch(text) == nil)
    }
}
