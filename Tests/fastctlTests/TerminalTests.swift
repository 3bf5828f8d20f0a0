import Foundation
import Glibc
import TestSupport
import Testing

/// The output that users see on a real terminal: the log viewer and the pager, controlled by keys.
@Suite(.enabled(if: ChildProgram.fastctl != nil && TmuxSession.program != nil), .serialized, .timeLimit(.minutes(5)))
struct TerminalTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try (header + (0..<200).map(Self.row).joined()).write(
            toFile: folder.path("WFE1-20240311-1003.log"),
            atomically: false,
            encoding: .utf8
        )
    }

    private let header =
        "Timestamp              \tProcess                                 \tTID   \tArea                          \t"
        + "Category                      \tEventID\tLevel     \tMessage \tCorrelation\r\n"

    /// Returns a row, one second after the preceding one; every fiftieth is a problem in a separate request.
    private static func row(_ number: Int) -> String {
        let time = String(format: "03/11/2024 10:%02d:%02d.00 ", 3 + number / 60, number % 60)
        let isProblem = number % 50 == 49
        let level = isProblem ? "Unexpected" : "Medium  "
        let message = isProblem ? "System.Exception: it failed in row \(number)" : "Row \(number) says \u{1B}[31m日本"
        return "\(time)\tw3wp.exe (0x1790)                       \t0x0EB8\tSharePoint Foundation         \t"
            + "General                       \tb9y3\t\(level)\t\(message)\t"
            + "4a5d0c9e-1577-472e-a8af-\(String(format: "%012d", number / 10))\r\n"
    }

    private func open(columns: Int = 80, lines: Int = 12, _ environment: [String: String] = [:]) throws -> TmuxSession {
        try TmuxSession(columns: columns, lines: lines, in: folder, environment: environment)
    }

    @Test func `The viewer shows the first rows, and control characters as text`() async throws {
        let terminal = try open(lines: 6)
        try terminal.enter("fastctl logs view *.log; echo code $?")
        let screen = try await terminal.wait(for: "1 of 200")
        #expect(
            screen == """
                  TIME          SERVER  LEVEL        MESSAGE
                > 10:03:00.00   WFE1    Medium       Row 0 says \\u{1B}[31m日本
                  10:03:01.00   WFE1    Medium       Row 1 says \\u{1B}[31m日本
                  10:03:02.00   WFE1    Medium       Row 2 says \\u{1B}[31m日本
                  10:03:03.00   WFE1    Medium       Row 3 says \\u{1B}[31m日本
                1 of 200  2024-03-11                                              ? keys  q quit

                """
        )
        try terminal.press("q")
        try await terminal.wait(for: "code 0")
    }

    @Test func `A feed's progress line stays below the printed items`() async throws {
        let terminal = try open(lines: 12)
        try terminal.enter(
            "fastctl collections create W 2>q; seq 300 | fastctl remove -c W --missing ignore --rate 60/s"
        )
        let screen = try await terminal.wait(for: "done, ")
        let lines = screen.split(separator: "\n")
        #expect(lines.last?.contains("done, ") == true)
        #expect(lines.dropLast().suffix(5).allSatisfy { $0.hasPrefix("Removing item ") })
        #expect(lines.count { $0.contains("done, ") } == 1)
        let end = try await terminal.wait(for: "of 300 accepted", without: "done, ")
        #expect(end.contains("Removing item '300'"))
    }

    @Test func `Keys move the selection, find problems, filter, and open a request`() async throws {
        let terminal = try open(lines: 45)
        try terminal.enter("fastctl logs view *.log; echo code $?")
        try await terminal.wait(for: "1 of 200")
        try terminal.press("Down", "Down")
        try await terminal.wait(for: "3 of 200")
        try terminal.type("n")
        try await terminal.wait(for: "> 10:03:49.00")
        try terminal.press("Enter")
        let page = try await terminal.wait(for: "first problem")
        #expect(page.contains("Correlation  4a5d0c9e-1577-472e-a8af-000000000004"))
        #expect(page.contains("System.Exception: it failed in row 49"))
        try terminal.press("Escape")
        try await terminal.wait(for: "50 of 200")
        try terminal.type("/row 1")
        try await terminal.wait(for: "/row 1")
        try terminal.press("Enter")
        try await terminal.wait(for: "of 111  2024-03-11  with 'row 1'")
        try terminal.press("Escape")
        try await terminal.wait(for: "of 200")
        try terminal.type("2")
        try await terminal.wait(for: "of 4  2024-03-11  Monitorable and worse")
        try terminal.type("0")
        try await terminal.wait(for: "of 200")
        try terminal.type("G")
        try await terminal.wait(for: "200 of 200")
        try terminal.type("t10:05")
        try terminal.press("Enter")
        try await terminal.wait(for: "> 10:05:00.00")
        try terminal.press("C-c")
        try await terminal.wait(for: "code 130")
    }

    @Test func `The viewer adapts to the size of the terminal`() async throws {
        let terminal = try open(columns: 100, lines: 10)
        try terminal.enter("fastctl logs view *.log")
        let wide = try await terminal.wait(for: "1 of 200")
        #expect(wide.contains("CATEGORY"))
        try terminal.resize(columns: 44, lines: 8)
        let narrow = try await terminal.wait(for: "> 10:03:00  Medi  Row 0")
        #expect(narrow.split(separator: "\n").count == 8)
        try terminal.resize(columns: 100, lines: 20)
        try await terminal.wait(for: "Row 17")
    }

    @Test func `Rows are shown as they are written`() async throws {
        let terminal = try open()
        try terminal.enter("fastctl logs view .")
        try await terminal.wait(for: "1 of 200")
        try terminal.type("f")
        try await terminal.wait(for: "200 of 200")
        let file = try #require(FileHandle(forWritingAtPath: folder.path("WFE1-20240311-1003.log")))
        try file.seekToEnd()
        try file.write(contentsOf: Data(Self.row(200).utf8))
        try file.close()
        try await terminal.wait(for: "201 of 201")
    }

    @Test(arguments: ["dumb", "no-such-terminal"])
    func `A terminal that can't move its cursor is refused`(type: String) async throws {
        let terminal = try open()
        try terminal.enter("TERM=\(type) fastctl logs view *.log; echo code $?")
        let screen = try await terminal.wait(for: "code 64")
        // The terminal folds the sentence.
        #expect(screen.replacing("\n", with: "").contains("'\(type)'"))
        #expect(screen.contains("use: fastctl logs show"))
    }

    @Test func `A signal restores the terminal`() async throws {
        let terminal = try open()
        try terminal.enter("sh -c 'echo $$ >process; exec fastctl logs view *.log'; echo code $?")
        try await terminal.wait(for: "1 of 200")
        let process = try String(contentsOfFile: folder.path("process"), encoding: .utf8)
        kill(try #require(Int32(process.trimmingCharacters(in: .newlines))), SIGTERM)
        let screen = try await terminal.wait(for: "code 143")
        #expect(screen.contains("fastctl: interrupted"))
    }

    @Test func `Long text is shown in the pager, and the last line is printed after it`() async throws {
        let terminal = try open()
        try terminal.enter("fastctl logs show *.log; echo code $?")
        let page = try await terminal.wait(for: ":")
        #expect(page.contains("Row 5 says"))
        #expect(!page.contains("code"))
        try terminal.type("q")
        // A user who leaves the pager early has read enough, as with `head`.
        try await terminal.wait(for: "code 0")
    }

    @Test func `Text that fits is printed without the pager, and the exit code is the command's own`() async throws {
        let terminal = try open(columns: 120, lines: 60)
        try terminal.enter("clear; fastctl diagnose --fail-on-unexplained *.log; echo code $?")
        let screen = try await terminal.wait(for: "code 1")
        let lines = screen.split(separator: "\n")
        #expect(lines.last { !$0.hasPrefix("$") } == "code 1")
        #expect(lines.dropLast(2).last?.hasPrefix("fastctl: ") == true)
    }

    @Test(arguments: ["PAGER=cat", "FASTCTL_PAGER=", "PAGER=no-such-pager", "PAGER='no-such-pager -x'"])
    func `Without a pager, text goes directly to the terminal`(setting: String) async throws {
        let terminal = try open(lines: 20)
        try terminal.enter("clear; \(setting) fastctl logs show --limit 30 *.log; echo code $?")
        let screen = try await terminal.wait(for: "code 0")
        #expect(screen.contains("Row 29 says"))
    }

    @Test func `A pager with arguments is run by the shell, and FASTCTL_PAGER takes precedence`() async throws {
        let terminal = try open(["PAGER": "cat", "FASTCTL_PAGER": "sed 's/^/paged: /'"])
        try terminal.enter("clear; fastctl logs show --limit 2 *.log; echo code $?")
        let screen = try await terminal.wait(for: "code 0")
        #expect(screen.contains("paged: 2024-03-11"))
        #expect(!screen.contains("paged: fastctl"))
    }

    @Test func `With --wide, text is not truncated, and with --no-pager, the command does not wait for a key`()
        async throws
    {
        let terminal = try open(columns: 44, lines: 20)
        try terminal.enter(
            "clear; fastctl logs show --wide --no-pager --level Monitorable --limit 1 *.log; echo code $?"
        )
        let screen = try await terminal.wait(for: "code 0")
        // The terminal folds the line, and tmux omits spaces at the ends of lines.
        let text = screen.replacing("\n", with: "").replacing(" ", with: "")
        #expect(text.contains("System.Exception:itfailedinrow49"))
        #expect(text.contains("4a5d0c9e-1577-472e-a8af-000000000004"))
    }

    @Test func `A manual page is formatted for a terminal`() async throws {
        let terminal = try open(lines: 30)
        try terminal.enter("FASTCTL_PAGER=cat fastctl man logs view | head -5; fastctl man logs view")
        try await terminal.wait(for: "SYNOPSIS")
        let screen = try terminal.screen()
        #expect(!screen.contains(".Sh SYNOPSIS"))
    }
}
