import LogViewer
import TerminalScreen

@testable import ReportKit
@testable import ULSLog
@testable import ULSRows

/// Rows for the viewer, in memory.
struct ViewerFixture: ViewerRows {
    var all: [ULSEvent]
    var isComplete = true
    var percent = 100

    var count: Int { all.count }
    func events(_ rows: Range<Int>) -> [ULSEvent?] { all[rows].map { $0 } }

    func problem(from row: Int, isForward: Bool) -> Int? {
        let problems = all.indices.filter { all[$0].level.isAbnormal }
        return isForward ? problems.first { $0 > row } : problems.last { $0 < row }
    }

    func firstRow(atOrAfter instant: Int64) -> Int { all.firstIndex { $0.time.instant >= instant } ?? all.count }
    func instant(ofRow row: Int) -> Int64? { all.indices.contains(row) ? all[row].time.instant : nil }

    /// Creates this number of rows, one second apart; every tenth is a problem.
    static func rows(_ count: Int) -> ViewerFixture {
        var events: [ULSEvent] = []
        for number in 0..<count {
            let server: String = number % 2 == 0 ? "WFE1" : "APP1"
            let level: String = number % 10 == 9 ? "Unexpected" : "Medium"
            let time = number * 1000
            events.append(LogFixtures.event("Message \(number)", at: Int64(time), server: server, level: level))
        }
        return ViewerFixture(all: events)
    }
}

/// A viewer and its rows, driven by keys.
struct DrivenViewer {
    var state: ViewerState
    var rows: ViewerFixture
    private(set) var effects: [ViewerState.Effect] = []

    init(_ rows: ViewerFixture = .rows(100), columns: Int = 80, lines: Int = 12) {
        self.rows = rows
        state = ViewerState(rows: lines, columns: columns, layout: TextLayout(width: columns))
    }

    mutating func press(_ keys: ScreenKey...) {
        for key in keys {
            if let effect = state.take(key, rows) { effects.append(effect) }
        }
    }

    mutating func type(_ text: String) { for character in text { press(.character(character)) } }

    var screen: ViewerScreen { state.screen(rows) }
    var text: [String] { screen.text }
    var status: String { text.last ?? "" }
    /// The line of the selected row.
    var selection: String? { text.first { $0.hasPrefix("> ") } }
}

/// Rows and a request for these tests.
enum LogFixtures {
    static func event(
        _ message: String,
        at milliseconds: Int64 = 0,
        server: String? = nil,
        level: String = "Medium",
        eventID: String = "b9y3",
        area: String = "SharePoint Foundation"
    ) -> ULSEvent {
        ULSEvent(
            // The time 2011-09-26T10:39:40.52 on the server's clock.
            time: LogTime(clock: 1_317_033_580_520 + milliseconds, quality: .local),
            place: .init(file: "WFE1-20110926-1030.log", line: 1, lineEnd: 1),
            server: server,
            columns: [
                .process: "w3wp.exe", .processID: "0x1790", .threadID: "0x0EB8", .area: area, .category: "General",
                .eventID: eventID, .level: level, .message: message,
                .correlation: "9446a0f0-1577-472e-a8af-a552b1b4cc39",
            ]
        )
    }

    /// A request on two servers with a pause and a problem.
    static var trace: RequestTrace {
        let events = [
            event("Entering monitored scope (Request (POST:http://portal/))", server: "WFE1", eventID: "nasq"),
            event("Cannot open the file 'wss.en-US.resx'", at: 2_320, server: "APP1", level: "Unexpected"),
            event(
                "Leaving Monitored Scope (Request). Execution Time=2400.1",
                at: 2_920,
                server: "WFE1",
                eventID: "b4ly"
            ),
        ]
        let scope = RequestTrace.Scope(
            name: "Request (POST:http://portal/)",
            entering: 0,
            leaving: 2,
            microseconds: 2_400_100,
            children: [.event(1)]
        )
        return RequestTrace(
            correlation: "9446a0f0-1577-472e-a8af-a552b1b4cc39",
            name: "Request (POST:http://portal/)",
            servers: ["WFE1", "APP1"],
            events: events,
            roots: [.scope(scope)],
            gaps: [.init(before: 1, milliseconds: 2_320)],
            firstAbnormal: 1,
            microseconds: 2_400_100
        )
    }
}
