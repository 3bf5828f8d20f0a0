import Foundation
import LogReports
import TestSupport
import Testing
import TextKit

@testable import ReportKit
@testable import ULSLog
@testable import ULSRows

struct SummaryRendererTests {
    @Test func `A terminal shows counts, bars, times and important notes about reading`() {
        let text = rendered { SummaryRenderer.append(LogFixtures.summary, layout: TextLayout(width: 80), to: &$0) }
        #expect(text == Self.terminal)
    }

    @Test func `A pipe gets the same tables, complete and aligned`() {
        let text = rendered { SummaryRenderer.append(LogFixtures.summary, to: &$0) }
        #expect(
            text.contains(
                """

                Levels
                LEVEL       EVENTS  SHARE
                Unexpected      12   1.0%  █
                High           222  18.0%  ██████
                Medium       1,000  81.0%  ████████████████████████

                """
            )
        )
        #expect(
            text.contains(
                "\n9446a0f0-1577-472e-a8af-a552b1b4cc39      24  Unexpected  2011-09-26T10:39:40.52  2.40 s\n"
            )
        )
    }

    @Test func `Without Unicode, the bars are ASCII`() {
        let text = rendered {
            SummaryRenderer.append(LogFixtures.summary, layout: TextLayout(width: 80, isUnicode: false), to: &$0)
        }
        #expect(text.unicodeScalars.allSatisfy { $0.isASCII || $0 == "…" })
        #expect(text.contains("events    10:39 :..@      .=:. 10:53\n"))
    }

    @Test func `Machine-readable formats contain all keys in order`() throws {
        let text = rendered { SummaryRenderer.append(LogFixtures.summary, as: .json, to: &$0) }
        _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
        var rest = Substring(text)
        for key in [
            "schema", "files", "records", "events", "firstTime", "lastTime", "levels", "areas", "categories",
            "eventIDs", "correlations", "scopes", "gaps", "quality", "notUnderstood", "orphans", "clockSteps",
            "inferred", "limits", "correlationCount", "histogram",
        ] {
            let range = try #require(rest.range(of: "\"\(key)\":"), "\(key)")
            rest = rest[range.upperBound...]
        }
        #expect(text.contains(#""p50":0.145022,"p95":2.4001,"max":2.4001,"#))
        #expect(text.contains(#"{"key":"Timer Job","count":0,"p50":null,"p95":null,"max":null,"total":null,"open":2,"#))
        #expect(text.contains(#""correlations":[{"value":"9446a0f0-1577-472e-a8af-a552b1b4cc39","count":24,"#))
        #expect(
            text.contains(
                #""gaps":[{"server":"WFE1","from":"2011-09-26T10:49:40.52","until":"2011-09-26T10:55:40.52"}]"#
            )
        )
    }

    @Test func `An empty summary is a single line with zero counts`() {
        let text = rendered { SummaryRenderer.append(LogSummary(), to: &$0) }
        #expect(text == "0 files: 0 events\n")
    }

    @Test(arguments: HurtfulText.all)
    func `No control character in a name is printed`(name: String) {
        var summary = LogFixtures.summary
        summary.levels = [.init(value: name, count: 1)]
        summary.areas = summary.levels
        summary.files[0].name = name
        summary.files[0].server = name
        summary.gaps[0].server = name
        let text = rendered { SummaryRenderer.append(summary, layout: TextLayout(width: 90), to: &$0) }
        #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" })
    }

    @Test func `Extreme times and counts do not crash the renderer`() {
        var summary = LogFixtures.summary
        summary.histogram.start = .max - 1
        summary.histogram.step = .max / 2
        summary.histogram.events = [.max, 1, 2]
        summary.histogram.abnormal = [.max, 0, 0]
        summary.levels = [.init(value: "High", count: .max), .init(value: "Medium", count: .max)]
        summary.lastTime = LogTime(clock: .max, quality: .local)
        summary.firstTime = LogTime(clock: .min, quality: .local)
        summary.scopes = [
            ScopeDurations(
                key: "x",
                isRequest: true,
                count: .max,
                p50: .min,
                p95: .max,
                max: .max,
                total: .max,
                open: 0
            )
        ]
        for format in SummaryRenderer.forms {
            #expect(!rendered { SummaryRenderer.append(summary, as: format, to: &$0) }.isEmpty)
        }
    }

    private static let terminal = """
        2 files, 2 servers (APP1, WFE1): 1,234 events in 24 min, from
          2011-09-26T10:39:40.52 to 2011-09-26T11:03:40.52, the servers' local time

        Events by time
        events    10:39 ▂▁▁█      ▁▄▂▁ 10:53
        problems  10:39    █       ▁   10:53
        one bar is 1 min; most events (400) at 10:42; most at Monitorable or worse (11)
          at 10:42

        Levels
        LEVEL       EVENTS  SHARE
        Unexpected      12   1.0%  █
        High           222  18.0%  ██████
        Medium       1,000  81.0%  ████████████████████████

        Event IDs
        EVENTS  EVENT ID
           600  b9y3
             3  8311

        Categories
        EVENTS  CATEGORY
         1,200  General
            34  -

        Areas
        EVENTS  AREA
         1,234  SharePoint Foundation

        Requests with the most events, of 2
        EVENTS  WORST       FIRST                     SPAN
          CORRELATION
            24  Unexpected  2011-09-26T10:39:40.52  2.40 s
          9446a0f0-1577-472e-a8af-a552b1b4cc39

        Slowest scopes
        COUNT     P50     P95     MAX   TOTAL  OPEN  SCOPE
            3  145 ms  2.40 s  2.40 s  2.70 s     1  POST /_vti_bin/owssvr.dll

        Gaps without a row
        SERVER  FROM                    UNTIL                   LENGTH
        WFE1    2011-09-26T10:49:40.52  2011-09-26T10:55:40.52   6 min

        How the logs were read
        WFE1-20110926-1030.log: it grew while it was read: read it again for the rest
        1 file was not opened, because its name shows that it is outside the window
        12 of 1,320 lines were not understood: fastctl logs --explain-parse FILE:LINE
          shows how a line is read
        1 message begins before the first row that was read; add the preceding file
        More than 10,000 split messages were open at once, so 3 were closed early;
          narrow the window

        """
}

struct LogTextTests {
    @Test(arguments: [
        (145_022, "0.145022"), (7_000_000, "7"), (400, "0.0004"), (-1_500_000, "-1.5"), (0, "0"),
        (Int64.min, "-9223372036854.775808"),
    ])
    func `Seconds are exact and have no superfluous digits`(microseconds: Int64, text: String) {
        #expect(Seconds(microseconds: microseconds).description == text)
    }

    @Test(arguments: [
        (Int64(0), "0.00 ms"), (400, "0.40 ms"), (145_022, "145 ms"), (7_071_800, "7.07 s"), (60_000_000, "1 min"),
        (125_000_000, "2 min 5 s"), (7_200_000_000, "2 h"), (7_260_000_000, "2 h 1 min"), (600_000_000, "10 min"),
    ])
    func `Measured times are shown with few digits`(microseconds: Int64, text: String) {
        #expect(ShortDuration(measured: .microseconds(microseconds)).description == text)
    }

    @Test(arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"), (-1000, "-1,000")])
    func `Counts have thousands separators`(count: Int, text: String) {
        #expect(Quantity(grouped: count).description == text)
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
    func `The option determines the color first, then the environment, then the terminal`(
        choice: ColorChoice,
        isTerminal: Bool,
        environment: [String: String],
        isColored: Bool
    ) {
        #expect(choice.isColored(isTerminal: isTerminal) { environment[$0] } == isColored)
    }

    @Test func `Shrinkable columns are cut, and wide characters count as two columns`() {
        var table = TextTable(columns: [
            .init(title: "A", minimum: 4), .init(title: "N", alignment: .right), .init(title: "B", minimum: 4),
        ])
        table.append([.untrusted("日本語日本語"), .count(12_345), .untrusted("0123456789")])
        var bytes: [UInt8] = []
        table.append(to: &bytes, TextLayout(width: 40))
        #expect(String(decoding: bytes, as: UTF8.self) == "A                  N  B\n日本語日本語  12,345  0123456789\n")
        bytes = []
        table.append(to: &bytes, width: 24)
        #expect(String(decoding: bytes, as: UTF8.self) == "A             N  B\n日本語…  12,345  012345…\n")
        bytes = []
        table.append(to: &bytes, TextLayout())
        #expect(String(decoding: bytes, as: UTF8.self) == "A                  N  B\n日本語日本語  12,345  0123456789\n")
    }
}
