import TerminalScreen
import ULSLog

@testable import ReportRendering

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

    /// So many rows, a second apart, of which each tenth is a problem.
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
