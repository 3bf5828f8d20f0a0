import Foundation
import LogReports
import ReportKit
import TestSupport
import Testing

@testable import ULSLog
@testable import ULSRows

struct TraceRendererTests {
    private func shown(
        _ trace: RequestTrace = LogFixtures.trace,
        _ format: OutputForm = .text,
        _ layout: TextLayout = TextLayout()
    ) throws -> String {
        try rendered { try TraceRenderer.append([trace], as: format, layout: layout, to: &$0) { _ in } }
    }

    @Test func `A terminal shows the facts, then the tree cut to its width`() throws {
        #expect(
            try shown(LogFixtures.trace, .text, TextLayout(width: 80)) == """
                Correlation    9446a0f0-1577-472e-a8af-a552b1b4cc39
                Request        Request (POST:http://portal/_vti_bin/owssvr.dll)
                Servers        WFE1, APP1
                Began          2011-09-26T10:39:40.52, the server's local time
                Took           2.40 s
                Events         8, the worst Unexpected
                First problem  2011-09-26T10:39:42.84 Unexpected b9y3 at
                               WFE1-20110926-1030.log:4

                   10:39:40.52  WFE1  Medium       nasq   ┌ Request (POST:http://portal…  2.40 s
                         +0.01        Medium       xmnv   │ Name=Request (POST:http://portal/_v…
                         +0.02        Medium       nasq   │ ┌ Render Page  2.31 s
                                … 2.30 s without a row
                                ▶ first problem
                ▶        +2.32  APP1  Unexpected   b9y3   │ │ Cannot open the file 'wss.en-US.r…
                         +2.33  WFE1  Medium       b4ly   │ └ left after 2.31 s
                        +2.335        Medium       nasq   │ ─ Log  0.40 ms
                         +2.92        Medium       b4ly   └ left after 2.40 s

                """
        )
    }

    @Test func `A pipe gets complete messages, in ASCII if the locale requires it`() throws {
        let text = try shown(LogFixtures.trace, .text, TextLayout(isUnicode: false))
        #expect(text.contains("  | | Cannot open the file 'wss.en-US.resx'\n"))
        #expect(text.contains("> first problem\n>        +2.32  APP1"))
        #expect(text.utf8.allSatisfy { $0 < 0x80 })
    }

    @Test func `A ticket contains a title, a table, and the tree in a fence`() throws {
        let text = try shown(LogFixtures.trace, .markdown)
        #expect(
            text.hasPrefix("## Request `Request (POST:http://portal/_vti_bin/owssvr.dll)`\n\n| | |\n| --- | --- |\n")
        )
        #expect(text.contains("| Servers | `WFE1`, `APP1` |\n"))
        #expect(text.contains("\n```text\n   10:39:40.52  WFE1"))
        #expect(text.hasSuffix("\n```\n"))
    }

    @Test func `No message ends the fence, and no name becomes a mention`() throws {
        var trace = LogFixtures.trace
        trace.events[3] = LogFixtures.event("\n````\n<script>@someone #123", at: 2_320, server: "APP1")
        trace.name = "`@someone` | x"
        let text = try shown(trace, .markdown)
        #expect(text.contains("\n`````text\n"))
        #expect(text.hasSuffix("\n`````\n"))
        #expect(text.hasPrefix("## Request `` `@someone` \\| x ``\n"))
        #expect(!text.split(separator: "\n").contains { $0.hasPrefix("````") && !$0.hasPrefix("`````") })
    }

    @Test func `Machine-readable formats contain the facts, the events, and the tree of event indices`() throws {
        let text = try shown(LogFixtures.trace, .json)
        _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
        #expect(
            text.hasPrefix(
                #"[{"schema":"fastctl.trace/1","correlation":"9446a0f0-1577-472e-a8af-a552b1b4cc39","name":"#
            )
        )
        #expect(
            text.contains(
                #""seconds":2.4001,"worstLevel":"Unexpected","firstAbnormal":3,"gaps":[{"before":3,"seconds":2.3}]"#
            )
        )
        #expect(
            text.hasSuffix(
                #""seconds":2.4001,"entering":0,"leaving":7,"children":[1,{"scope":"Render Page","seconds":2.3105,"#
                    + #""entering":2,"leaving":4,"children":[3]},{"scope":"Log","seconds":0.0004,"entering":5,"#
                    + #""leaving":6,"children":[]}]}]}]"# + "\n"
            )
        )
    }

    @Test func `Without traces, JSON is an empty array`() throws {
        #expect(try rendered { try TraceRenderer.append([], as: .json, to: &$0) { _ in } } == "[]\n")
    }

    @Test func `In JSON Lines, a trace consists of its events`() throws {
        #expect(try shown(LogFixtures.trace, .ndjson).utf8.count { $0 == 0x0A } == 8)
    }

    @Test func `Scopes can be nested to any depth`() throws {
        var node = RequestTrace.Node.event(0)
        for _ in 0..<2000 {
            node = .scope(.init(name: "deep", entering: 1, leaving: 2, microseconds: nil, children: [node]))
        }
        var trace = LogFixtures.trace
        trace.roots = [node]
        let text = try shown(trace)
        #expect(text.utf8.count { $0 == 0x0A } > 4000)
        #expect(text.utf8.count < 1_000_000)
        let json = try shown(trace, .json)
        _ = try JSONSerialization.jsonObject(with: Data(json.utf8))
    }

    @Test func `Indices without an event do not crash the renderer`() throws {
        var trace = LogFixtures.trace
        trace.roots = [
            .event(99), .event(-1),
            .scope(.init(name: "x", entering: 99, leaving: nil, microseconds: .min, children: [])),
        ]
        trace.firstAbnormal = 99
        for format in TraceRenderer.forms { #expect(try !shown(trace, format).isEmpty) }
    }

    @Test(arguments: HurtfulText.all)
    func `No control character in a scope's name is printed`(name: String) throws {
        var trace = LogFixtures.trace
        trace.name = name
        trace.servers = [name, "APP1"]
        trace.roots = [.scope(.init(name: name, entering: 0, leaving: nil, microseconds: nil, children: [.event(1)]))]
        for format in [OutputForm.text, .markdown] {
            let text = try shown(trace, format, TextLayout(width: 90))
            #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" })
        }
    }

    @Test func `A long trace is written in pieces`() throws {
        var trace = LogFixtures.trace
        trace.events = (0..<2000).map { LogFixtures.event(String(repeating: "x", count: 500), at: Int64($0) * 10) }
        trace.roots = trace.events.indices.map { .event($0) }
        for format in [OutputForm.text, .json, .ndjson] {
            var most = 0
            var bytes: [UInt8] = []
            try TraceRenderer.append([trace], as: format, to: &bytes) { piece in
                most = max(most, piece.count)
                piece.removeAll()
            }
            #expect(most > 0 && most < 100_000)
        }
    }
}
