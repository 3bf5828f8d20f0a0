import Foundation
import Glibc
import TestSupport
import Testing
import Threads

/// The output of the binary while logs are being written, and its timing.
@Suite(.enabled(if: ChildProgram.fastctl != nil), .timeLimit(.minutes(2)))
struct FollowTests {
    private static func row(_ message: String, _ second: Int = 0, level: String = "Unexpected") -> String {
        "03/11/2024 11:03:0\(second).20 \tw3wp.exe (0x1790)\t0x0EB8\tA\tB\t8e26\t\(level)\t\(message)\t\r\n"
    }

    private static func append(_ text: String, to path: String) throws {
        let number = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        try #require(number >= 0)
        defer { close(number) }
        try #require(write(number, text, text.utf8.count) == text.utf8.count)
    }

    private static func shows(_ text: String, in folder: TemporaryFolder, _ name: String = "out") -> Bool {
        ((try? String(contentsOfFile: folder.path(name), encoding: .utf8)) ?? "").contains(text)
    }

    @Test func `The rows of an idle pipe are shown`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("pipe.log")
        mkfifo(path, 0o600)
        // The pipe is open for both reading and writing, so it does not end.
        let pipe = open(path, O_RDWR | O_CLOEXEC)
        defer { close(pipe) }
        let command = try RunningCommand(
            ["logs", "show", "--level", "Unexpected", path],
            in: folder,
            output: .file("out")
        )
        for number in 1...3 {
            let text = Self.row("Number \(number)", number) + Self.row("fine", number, level: "Medium")
            #expect(write(pipe, text, text.utf8.count) == text.utf8.count)
            try await command.reach { _ in Self.shows("Number \(number)", in: folder) }
        }
        let last = Self.row("The last row", 4)
        _ = write(pipe, last, last.utf8.count)
        try await command.reach { _ in Self.shows("The last row", in: folder) }
        #expect(!Self.shows("fine", in: folder))
        #expect(try await command.end(by: SIGINT).status == 130)
    }

    @Test func `Rows are shown as they are written, and Ctrl-C prints the number of rows`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("logs/WFE1-20240311-1103.log")
        try FileManager.default.createDirectory(atPath: folder.path("logs"), withIntermediateDirectories: false)
        try Self.append(Self.row("There before"), to: path)
        let command = try RunningCommand(["logs", "show", "-f", "logs"], in: folder, output: .file("out"))
        try await command.reach { _ in Self.shows("There before", in: folder) }
        try Self.append(Self.row("Written now", 1), to: path)
        try await command.reach { _ in Self.shows("Written now", in: folder) }
        try Self.append(Self.row("In the next file", 2), to: folder.path("logs/WFE1-20240311-1133.log"))
        try await command.reach { _ in Self.shows("In the next file", in: folder) }
        #expect(try await command.end(by: SIGINT).status == 0)
        #expect(command.text("errors").contains("stopped after 3 events"))
    }

    @Test func `If the reader exits, the command ends even if nothing is written`() async throws {
        let folder = try TemporaryFolder()
        try Self.append(Self.row("There before"), to: folder.path("a.log"))
        let command = try RunningCommand(
            ["logs", "show", "-f", "a.log"],
            in: folder,
            through: #""$0" "$@" | head -1 >out; echo ended >end"#
        )
        #expect(try await command.status() == 0)
        #expect(command.text("end") == "ended\n")
        #expect(command.text("errors") == "")
    }

    @Test func `A diagnosis shows new findings as they occur, and prints its report at the end`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("WFE1-20240311-1103.log")
        try Self.append(Self.row("fine", level: "Medium"), to: path)
        let command = try RunningCommand(["diagnose", "--follow", path], in: folder, output: .file("out"))
        let problem = "Application error when access /a.aspx, Error=Contoso.Intranet.LedgerException: no ledger"
        try await command.reach { $0.holds("WFE1-20240311-1103.log") }
        try Self.append(Self.row(problem, 1), to: path)
        try await command.reach { _ in Self.shows("unexplained", in: folder) }
        #expect(Self.shows("LedgerException", in: folder))
        #expect(try await command.end(by: SIGINT).status == 0)
        #expect(command.text("errors").contains("on 2 rows in 1 file"))
    }

    @Test func `A progress line is drawn on a terminal, and removed at the end`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("pipe.log")
        mkfifo(path, 0o600)
        let pipe = open(path, O_RDWR | O_CLOEXEC)
        defer { close(pipe) }
        let terminal = try #require(Terminal())
        let command = try RunningCommand(
            ["logs", "summary", path],
            in: folder,
            output: .file("out"),
            errors: .terminal(terminal.device),
            through: #"TERM=xterm exec "$0" "$@""#
        )
        let text = (0..<2_000).map { Self.row("Number \($0)") }.joined()
        let sent = text.prefix(60_000)
        #expect(write(pipe, String(sent), sent.utf8.count) == sent.utf8.count)
        try await command.reach { _ in terminal.text().contains(" events, ") }
        #expect(terminal.text().contains("\r\u{1B}[K"))
        let end = try await command.end(by: SIGINT)
        #expect(end.status == 130)
        #expect(terminal.text().contains("\r\u{1B}[Kfastctl: interrupted"))
    }

    @Test func `Progress objects are written every second, and once at the end`() throws {
        let folder = try TemporaryFolder()
        try Self.append(Self.row("one"), to: folder.path("a.log"))
        let end = try ChildProgram.run(
            try #require(ChildProgram.fastctl).path,
            ["logs", "summary", "--progress", "json", folder.path("a.log")],
            in: folder.path(""),
            environment: RunningCommand.environment(folder)
        )
        let lines = end.errors.split(separator: "\n")
        #expect(lines.first?.hasPrefix(#"{"schema":"fastctl.progress/1","#) == true)
        #expect(lines.first?.contains(#""percent":100"#) == true)
        #expect(lines.first?.hasSuffix(#""isLast":true}"#) == true)
        #expect(lines.count == 2)
    }
}
