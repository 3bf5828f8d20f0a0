import ReportRendering
import TestSupport
import Testing
import ULSLog

struct EventTextTests {
    private func lines(
        _ events: [ULSEvent],
        _ layout: TextLayout = TextLayout(),
        showsServer: Bool = false
    ) -> String {
        rendered { bytes in
            var writer = LogEventWriter(.text, layout: layout, showsServer: showsServer)
            writer.begin(in: &bytes)
            for event in events { writer.append(event, to: &bytes) }
            writer.end(in: &bytes)
        }
    }

    @Test func `In a pipe a line stands for itself and nothing is cut`() {
        let message = String(repeating: "long ", count: 100)
        #expect(
            lines([LogFixtures.event(message, server: "WFE1", level: "High")], showsServer: true)
                == "2011-09-26T10:39:40.52  WFE1  High         b9y3   SharePoint Foundation/General  \(message)  "
                + "[9446a0f0-1577-472e-a8af-a552b1b4cc39]\n"
        )
    }

    @Test func `On a terminal the day stands where it changes, and messages are cut to the width`() {
        let events = [
            LogFixtures.event("HTTP Request method: POST"),
            LogFixtures.event("Cannot open the file 'wss.en-US.resx' that belongs to the language pack", at: 80),
            LogFixtures.event("The next day", at: 86_400_000, level: "", eventID: "", correlation: ""),
        ]
        #expect(
            lines(events, TextLayout(width: 100)) == """
                2011-09-26
                10:39:40.52  Medium       b9y3   HTTP Request method: POST  [9446a0f0]
                10:39:40.60  Medium       b9y3   Cannot open the file 'wss.en-US.resx' that belongs to …  [9446a0f0]
                2011-09-27
                10:39:40.52  -            -      The next day

                """
        )
    }

    @Test(arguments: [40, 80, 100, 120, 160, 240])
    func `No line is wider than the terminal`(width: Int) {
        let wide = String(repeating: "日本語", count: 100)
        let text = lines([LogFixtures.event(wide, server: "WFE1")], TextLayout(width: width), showsServer: true)
        for line in text.split(separator: "\n") {
            let columns = line.unicodeScalars.reduce(0) { $0 + ($1.value > 0x2E80 ? 2 : 1) }
            // Very narrow terminals still show a little of the message.
            #expect(columns <= max(width, 60))
        }
    }

    @Test func `A time in UTC says so, and no time is dashes`() {
        var event = LogFixtures.event("x", correlation: "")
        event.time = LogTime(clock: LogFixtures.start, offset: 7200, quality: .exact)
        let none = LogFixtures.event("y", quality: .none, correlation: "")
        #expect(
            lines([event, none]) == """
                2011-09-26T08:39:40.52Z  Medium       b9y3   SharePoint Foundation/General  x
                --:--:--.--  Medium       b9y3   SharePoint Foundation/General  y

                """
        )
    }

    @Test(arguments: HurtfulText.all + ["\u{1B}[2J", "a\r\nb", "\u{9B}31m", "\u{7}", "x\u{8}\u{8}"], [nil, 80])
    func `Whatever a message says, an event is one line without control characters`(message: String, width: Int?) {
        let event = LogFixtures.event(message, server: message, level: message, eventID: message, area: message)
        let text = lines([event], TextLayout(width: width), showsServer: true)
        let hidden = text.unicodeScalars.filter { $0.properties.generalCategory == .control && $0 != "\n" }
        #expect(hidden.isEmpty)
        #expect(text.split(separator: "\n").count == (width == nil ? 1 : 2))
        #expect(!text.unicodeScalars.contains("\u{202E}"))
    }

    @Test func `Line ends in a message are shown`() {
        let event = LogFixtures.event("one\r\ntwo\nthree\tfour", correlation: "")
        #expect(lines([event]).hasSuffix("  one ↵ two ↵ three four\n"))
        #expect(lines([event], TextLayout(isUnicode: false)).hasSuffix("  one \\n two \\n three four\n"))
    }

    @Test func `What a CI runner would obey is broken up`() {
        let layout = TextLayout(neutralizesRunnerCommands: true)
        let group = lines([LogFixtures.event("a ##[group]b ###vso[x]", correlation: "")], layout)
        #expect(group.hasSuffix("  a # #[group]b # # #vso[x]\n"))
        #expect(lines([LogFixtures.event("\n ::set-output x", correlation: "")], layout).hasSuffix(": :set-output x\n"))
        #expect(lines([LogFixtures.event("##[group]")]).contains("##[group]"))
    }

    @Test(arguments: [
        ("Critical", "\u{1B}[1;31mCritical\u{1B}[0m"), ("Monitorable", "\u{1B}[1;33mMonitorable\u{1B}[0m"),
        ("High", "\u{1B}[36mHigh\u{1B}[0m"), ("Medium", "  Medium  "),
    ])
    func `Levels have colors only if asked, the worse the louder`(level: String, shown: String) {
        let event = LogFixtures.event("x", level: level)
        #expect(lines([event], TextLayout(isColored: true)).contains(shown))
        #expect(!lines([event]).contains("\u{1B}"))
    }
}
