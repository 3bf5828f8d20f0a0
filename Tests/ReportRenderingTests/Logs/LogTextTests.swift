import Testing

@testable import ReportRendering

struct LogTextTests {
    @Test(arguments: [
        (145_022, "0.145022"), (7_000_000, "7"), (400, "0.0004"), (-1_500_000, "-1.5"), (0, "0"),
        (Int64.min, "-9223372036854.775808"),
    ])
    func `Seconds are exact and without noise`(microseconds: Int64, text: String) {
        #expect(Seconds(microseconds: microseconds).description == text)
    }

    @Test(arguments: [
        (Int64(0), "0.00 ms"), (400, "0.40 ms"), (145_022, "145 ms"), (7_071_800, "7.07 s"), (60_000_000, "1 min"),
        (125_000_000, "2 min 5 s"), (7_200_000_000, "2 h"), (7_260_000_000, "2 h 1 min"), (600_000_000, "10 min"),
    ])
    func `Measured times are short`(microseconds: Int64, text: String) {
        #expect(MeasuredTime(microseconds: microseconds).description == text)
    }

    @Test(arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"), (-1000, "-1,000")])
    func `Counts have separators`(count: Int, text: String) {
        #expect(GroupedNumber(count).description == text)
    }

    @Test(arguments: [
        (ColorChoice.always, false, ["NO_COLOR": "1", "TERM": "dumb"], true),
        (.never, true, ["FORCE_COLOR": "1"], false),
        (.auto, true, [:], true), (.auto, false, [:], false),
        (.auto, true, ["NO_COLOR": "1"], false), (.auto, true, ["NO_COLOR": ""], true),
        (.auto, true, ["NO_COLOR": "1", "FORCE_COLOR": "1"], false),
        (.auto, false, ["CLICOLOR_FORCE": "1"], true), (.auto, false, ["FORCE_COLOR": "3"], true),
        (.auto, false, ["CLICOLOR_FORCE": "0"], false), (.auto, true, ["TERM": "dumb"], false),
        (.auto, true, ["TERM": "dumb", "FORCE_COLOR": "1"], false),
    ])
    func `Color is decided by the option, then the environment, then the terminal`(
        choice: ColorChoice,
        isTerminal: Bool,
        environment: [String: String],
        isColored: Bool
    ) {
        #expect(choice.isColored(isTerminal: isTerminal) { environment[$0] } == isColored)
    }

    @Test func `Columns that may shrink are cut, and wide signs count twice`() {
        var table = TextTable(columns: [
            .init(title: "A", minimum: 4), .init(title: "N", alignment: .right), .init(title: "B", minimum: 4),
        ])
        table.append([.outside("日本語日本語"), .count(12_345), .outside("0123456789")])
        var bytes: [UInt8] = []
        table.append(to: &bytes, TextLayout(width: 40))
        #expect(String(decoding: bytes, as: UTF8.self) == "A                  N  B\n日本語日本語  12,345  0123456789\n")
        bytes = []
        table.appendAligned(to: &bytes, width: 24, TextLayout())
        #expect(String(decoding: bytes, as: UTF8.self) == "A             N  B\n日本語…  12,345  012345…\n")
        bytes = []
        table.append(to: &bytes, TextLayout())
        #expect(String(decoding: bytes, as: UTF8.self) == "A\tN\tB\n日本語日本語\t12345\t0123456789\n")
    }
}
