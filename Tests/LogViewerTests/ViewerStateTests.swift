import LogViewer
import TerminalScreen
import TestSupport
import Testing
import ULSLog

@testable import ReportKit

/// The effect of each key.
struct ViewerStateTests {
    @Test func `The list starts at the first row, with a title line above and a status line below`() {
        let viewer = DrivenViewer(lines: 5)
        #expect(
            viewer.text == [
                "  TIME          SERVER  LEVEL        MESSAGE                                    ",
                "> 10:39:40.52   WFE1    Medium       Message 0                                  ",
                "  10:39:41.52   APP1    Medium       Message 1",
                "  10:39:42.52   WFE1    Medium       Message 2",
                "1 of 100  2011-09-26                                              ? keys  q quit",
            ]
        )
    }

    @Test func `Arrows and letters move the selection, and the list follows it`() {
        var viewer = DrivenViewer()
        viewer.press(.down, .character("j"), .up, .character("k"), .down)
        #expect(viewer.state.selected == 1)
        viewer.press(.pageDown)
        #expect(viewer.state.selected == 11)
        #expect(viewer.state.top == 2)
        viewer.press(.end)
        #expect(viewer.selection?.contains("Message 99") == true)
        viewer.press(.down, .character("G"))
        #expect(viewer.state.selected == 99)
        viewer.press(.character("g"), .up)
        #expect((viewer.state.selected, viewer.state.top) == (0, 0))
    }

    @Test func `The keys n and p move between problems, or report that there are none`() {
        var viewer = DrivenViewer()
        viewer.press(.character("n"), .character("n"))
        #expect(viewer.selection?.contains("Message 19") == true)
        viewer.press(.character("p"))
        #expect(viewer.selection?.contains("Message 9 ") == true)
        viewer.press(.character("N"))
        #expect(viewer.status.hasPrefix("no problem above"))
        viewer.press(.down)
        #expect(viewer.status.hasPrefix("11 of 100"))
    }

    @Test func `A filter is applied as it is typed, and Esc restores the previous one`() {
        var viewer = DrivenViewer()
        viewer.press(.character("/"))
        viewer.type("ab")
        #expect(viewer.status == "/ab")
        #expect(viewer.screen.cursor == 3)
        viewer.press(.backspace, .escape)
        var (a, ab) = (ViewerFilter(), ViewerFilter())
        (a.text, ab.text) = ("a", "ab")
        #expect(viewer.effects == [.filter(a), .filter(ab), .filter(a), .filter(ViewerFilter())])
        viewer.press(.character("/"), .character("a"), .enter)
        #expect(viewer.state.filter == a)
        #expect(viewer.status.contains("with 'a'"))
        // Now Esc shows all rows again.
        viewer.press(.escape)
        #expect(viewer.state.filter == ViewerFilter())
    }

    @Test func `The digit keys select levels`() {
        var viewer = DrivenViewer()
        viewer.press(.character("2"))
        #expect(viewer.state.filter.level?.word == "Monitorable")
        #expect(viewer.status.contains("Monitorable and worse"))
        viewer.press(.character("7"))
        #expect(viewer.effects.count == 1)
        viewer.press(.character("0"))
        #expect(viewer.state.filter == ViewerFilter())
    }

    @Test func `When the rows change, the selection stays at the same time until the user moves it`() {
        var viewer = DrivenViewer()
        viewer.press(.pageDown, .pageDown, .pageDown)
        #expect(viewer.state.selected == 30)
        viewer.press(.character("1"))
        viewer.rows.all = []
        viewer.rows.isComplete = false
        viewer.state.update(viewer.rows)
        let problems = ViewerFixture.rows(100).all.filter(\.level.isAbnormal)
        viewer.rows.all = problems
        viewer.state.update(viewer.rows)
        #expect(viewer.selection?.contains("Message 39") == true)
        #expect(viewer.status.contains("reading, 100%"))
    }

    @Test func `The key t moves to a time on the selected day or another day`() {
        var viewer = DrivenViewer()
        viewer.press(.character("t"))
        viewer.type("10:40:00")
        viewer.press(.enter)
        #expect(viewer.selection?.contains("10:40:00.52") == true)
        viewer.press(.character("t"))
        viewer.type("2011-09-26 10:39")
        viewer.press(.enter)
        #expect(viewer.state.selected == 0)
        viewer.press(.character("t"))
        viewer.type("2012-01-01 00:00")
        viewer.press(.enter)
        #expect(viewer.state.selected == 99)
        #expect(viewer.status.hasPrefix("this time is after the last row"))
        viewer.press(.character("t"))
        viewer.type("noon")
        viewer.press(.enter)
        #expect(viewer.status.hasPrefix("'noon' is not a time"))
    }

    @Test func `The key f keeps the last row visible as rows arrive, until the user moves the selection`() {
        var viewer = DrivenViewer()
        viewer.press(.character("f"))
        #expect(viewer.state.selected == 99)
        viewer.rows = .rows(150)
        viewer.state.update(viewer.rows)
        #expect(viewer.selection?.contains("Message 149") == true)
        #expect(viewer.status.contains("following"))
        viewer.press(.up)
        viewer.rows = .rows(200)
        viewer.state.update(viewer.rows)
        #expect(viewer.state.selected == 148)
    }

    @Test func `Enter opens a page with a row's whole message and its request, and Esc closes it`() {
        var viewer = DrivenViewer(lines: 40)
        viewer.press(.down, .enter)
        #expect(viewer.effects == [.open(row: 1)])
        viewer.state.show(ViewerPage(LogFixtures.event("line one\nline two"), .reading))
        #expect(viewer.state.awaitsRequest)
        #expect(viewer.text.contains("line two"))
        #expect(viewer.text.contains("Reading the request …"))
        viewer.state.show(ViewerPage(LogFixtures.event("line one\nline two"), .stories([LogFixtures.trace])))
        #expect(!viewer.state.awaitsRequest)
        #expect(viewer.text.contains { $0.contains("first problem") })
        viewer.press(.escape)
        #expect(viewer.selection?.contains("Message 1 ") == true)
    }

    @Test func `A long page can be scrolled`() {
        var viewer = DrivenViewer(lines: 10)
        let message = (0..<100).map { "line \($0)" }.joined(separator: "\n")
        viewer.state.show(ViewerPage(LogFixtures.event(message), .none))
        viewer.press(.pageDown, .pageDown)
        #expect(viewer.text.contains("line 10"))
        viewer.press(.end)
        #expect(viewer.text.contains("The row does not belong to a request."))
        viewer.press(.character("g"))
        #expect(viewer.text.contains { $0.hasPrefix("Time ") })
    }

    @Test func `The help page lists the keys; q closes first the page, then the viewer`() {
        var viewer = DrivenViewer(lines: 30)
        viewer.press(.character("?"))
        #expect(viewer.text.contains { $0.contains("the next or previous problem") })
        viewer.press(.character("q"))
        #expect(viewer.effects.isEmpty)
        viewer.press(.character("q"))
        #expect(viewer.effects == [.quit])
        viewer.press(.control("c"))
        #expect(viewer.effects == [.quit, .interrupt])
    }

    @Test func `An empty log is reported, and no key makes the viewer fail`() {
        var viewer = DrivenViewer(ViewerFixture(all: []))
        #expect(viewer.status.hasPrefix("no rows"))
        viewer.rows.isComplete = false
        #expect(viewer.status.hasPrefix("no rows so far"))
        viewer.press(.up, .down, .pageDown, .end, .home, .enter, .character("n"), .character("t"))
        viewer.type("10:00")
        viewer.press(.enter, .character("f"), .resize, .other, .tab)
        #expect(viewer.effects.isEmpty)
        #expect(viewer.text.count == 12)
    }

    @Test(arguments: [(44, 20), (60, 10), (80, 24), (100, 30), (200, 50), (20, 3), (1, 1)])
    func `For any log, the screen keeps its size and contains no terminal commands`(columns: Int, lines: Int) {
        let hurtful = HurtfulText.all + ["日本語のメッセージ", "\u{1B}[2J\u{7}", "a\r\nb\tc", "👩‍👩‍👧‍👦 family"]
        let events = hurtful.map {
            LogFixtures.event($0 + $0, server: $0, level: $0, eventID: $0, area: $0)
        }
        var viewer = DrivenViewer(ViewerFixture(all: events), columns: columns, lines: lines)
        for row in events.indices {
            check(viewer.screen, columns, lines)
            viewer.state.show(ViewerPage(events[row], .stories([LogFixtures.trace])))
            check(viewer.screen, columns, lines)
            viewer.press(.end)
            check(viewer.screen, columns, lines)
            viewer.press(.escape, .down, .character("?"))
            check(viewer.screen, columns, lines)
            viewer.press(.escape, .character("/"))
            viewer.type("x\u{202E}日本")
            check(viewer.screen, columns, lines)
            viewer.press(.escape)
        }
    }

    private func check(_ screen: ViewerScreen, _ columns: Int, _ lines: Int) {
        #expect(screen.lines.count == lines)
        for line in screen.text {
            #expect(SafeText.width(line) <= columns, "\(line)")
            #expect(SafeText.escaping(line) == line)
            #expect(!line.contains("\n"))
        }
    }
}
