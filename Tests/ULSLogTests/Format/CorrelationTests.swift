import Testing

@testable import ULSLog

@Suite struct CorrelationTests {
    static let none: [(String, String?)] = [
        ("one blank", " "), ("nothing", ""), ("no column", nil), ("blanks", "    "), ("a no-break space", "\u{A0}"),
        ("zeros", "00000000-0000-0000-0000-000000000000"),
        ("zeros in braces", "{00000000-0000-0000-0000-000000000000}"),
    ]

    @Test(arguments: none) func `to have no correlation has many forms`(form: String, column: String?) throws {
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
    func `a GUID in capitals, braces or blanks is the same one`(column: String) throws {
        let log = try ReadLog(row() + row { $0.correlation = column })
        #expect(log.texts(.correlation) == [NativeRow.correlation, NativeRow.correlation])
        #expect(log.messages == ["said", "said"])
        #expect(log.summary.correlationCount == 1)
    }

    @Test func `what is no GUID behind the last tab belongs to the message`() throws {
        let columns = ["3ad81d9b-c01d-4000-8000", "3ad81d9b-c01d-4000-8000-cc75daffbfzz", "yes"]
        let log = try ReadLog(columns.map { column in row { $0.correlation = column } }.joined())
        #expect(log.messages == columns.map { "said\t\($0)" })
        #expect(log.texts(.correlation) == ["", "", ""])
    }

    @Test func `a message that is a GUID is a message`() throws {
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
    func `a correlation is found by its digits, by the first eight at least`(wanted: String) throws {
        let text =
            row("one") + row("other") { $0.correlation = NativeRow.elsewhere } + row("none") { $0.correlation = " " }
            + row("two") { $0.correlation = "{3AD81D9B-C01D-4000-8000-CC75DAFFBF63}" }
        let pattern = try #require(CorrelationPattern(wanted))
        #expect(try ReadLog(text) { $0.filter.correlations = [pattern] }.messages == ["one", "two"])
    }

    @Test(arguments: [1 << 10, 4 << 10]) func `what is passed over in a search is accounted for`(pieceBytes: Int) throws
    {
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
    func `fewer digits, more, or other characters are no correlation`(text: String) {
        #expect(CorrelationPattern(text) == nil)
    }
}
