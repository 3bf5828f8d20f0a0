import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// The commands of offline copies with an engine that fails or refuses midway: their messages and exit codes.
@Suite(.enabled(if: ChildProgram.fastctl != nil), .timeLimit(.minutes(10)))
struct CopyFaultTests {
    private let folder: TemporaryFolder
    private let index = ScriptedIndex()
    private let server: ScriptedOpenSearch

    init() throws {
        folder = try TemporaryFolder()
        server = try index.serve()
    }

    @discardableResult
    private func run(_ words: String...) throws -> ChildProgram.Result {
        try ChildProgram.run(
            try #require(ChildProgram.fastctl).path,
            words,
            in: folder.path(""),
            environment: RunningCommand.environment(folder)
        )
    }

    private func create() throws {
        let end = try run("replicas", "create", "web", "--origin", "opensearch+http://127.0.0.1:\(server.port)")
        #expect(end.status == 0, "\(end.errors)")
    }

    /// Pulls the document A, and changes it in the copy.
    private func edit() throws {
        try create()
        let pulled = try run("replicas", "pull", "web")
        #expect(pulled.status == 0, "\(pulled.errors)")
        try #"{"id":"A","n":"mine"}"#.write(toFile: folder.path("a.jsonl"), atomically: false, encoding: .utf8)
        #expect(try run("update", "-c", "web", "a.jsonl").status == 0)
    }

    private func local() throws -> String { try run("find", "-c", "web", "-o", "ndjson").output }

    @Test(arguments: [
        (#"{"_shards":{"total":1,"successful":0,"failed":1},"hits":{"hits":[]}}"#, 200),
        ("{}", 503), ("", ScriptedOpenSearch.Ending.hangsUp),
    ])
    func `A pull that fails to get a page exits with 69, and the next pull completes it`(
        page: String,
        status: Int
    ) throws {
        try create()
        index.page = (page, status)
        let cut = try run("replicas", "pull", "web", "--request-timeout", "2s")
        #expect(cut.status == 69, "\(cut.errors)")
        let shown = try run("replicas", "show", "web").output
        #expect(shown.contains("never"), "\(shown)")
        index.page = nil
        let whole = try run("replicas", "pull", "web")
        #expect(whole.status == 0 && whole.errors.contains("1 added"), "\(whole.errors)")
        #expect(try run("replicas", "pull", "web").errors.contains("nothing has changed"))
    }

    @Test(arguments: ["copy", "add"])
    func `A feed whose source fails to deliver a page exits with 69, and the next run completes it`(
        command: String
    ) throws {
        #expect(try run("collections", "create", "here").status == 0)
        let source = "opensearch+http://127.0.0.1:\(server.port)/web"
        index.page = (#"{"_shards":{"total":1,"successful":0,"failed":1},"hits":{"hits":[]}}"#, 200)
        let cut = try run(command, "-c", "here", "--source", source, "--give-up-after", "1s")
        #expect(cut.status == 69, "\(cut.errors)")
        #expect(cut.errors.contains("cannot read '"), "\(cut.errors)")
        index.page = nil
        let whole = try run(command, "-c", "here", "--source", source)
        #expect(whole.status == 0 && whole.errors.contains("1 added"), "\(whole.errors)")
    }

    @Test(arguments: ["client", "server", "cancel"])
    func `A push that is always refused exits with 1, and its change stays queued`(policy: String) throws {
        try edit()
        let end = try run("replicas", "push", "web", "--on-conflict", policy)
        #expect(end.status == 1, "\(end.errors)")
        #expect(end.errors.contains("'A' stays queued: the origin refused the change 21 times"), "\(end.errors)")
        #expect(end.errors.contains("web: 0 pushed, 1 failed, 1 still queued"), "\(end.errors)")
        #expect(server.requests("_bulk").count == 21)
        #expect(try local().contains("mine"))
        // The failures are kept with the job of the push.
        let job = try run("jobs", "list", "-o", "name").output.split(separator: "\n").first ?? ""
        #expect(try run("jobs", "issues", String(job)).output.contains("version-conflict"))
    }

    @Test func `A push that makes no progress reports this with the reason`() async throws {
        try edit()
        index.isBusy = true
        let command = try RunningCommand(["replicas", "push", "web"], in: folder)
        try await command.reach { probe in
            let said = (try? String(contentsOfFile: probe.folder.path("errors"), encoding: .utf8)) ?? ""
            return said.contains("waiting: 1 operation is open; no progress for") && said.contains("giving up in")
        }
        let end = try await command.end(by: SIGTERM)
        #expect(end.status == 143)
        #expect(command.text("errors").contains("nothing is lost"), "\(command.text("errors"))")
        #expect(try run("replicas", "show", "web", "-o", "json").output.contains(#""queued":1"#))
    }

    @Test func `A push that finds a different version each time exits with 1, and its change stays queued`() throws {
        try edit()
        index.isRestless = true
        let end = try run("replicas", "push", "web", "--on-conflict", "client")
        #expect(end.status == 1, "\(end.errors)")
        #expect(end.errors.contains("the origin changed the document 20 times"), "\(end.errors)")
        #expect(try local().contains("mine"))
        let kept = try run("replicas", "push", "web", "--on-conflict", "server")
        #expect(kept.status == 0, "\(kept.errors)")
        #expect(try !local().contains("mine"))
    }

    /// Returns a push that waits for a response midway.
    private func asking(on terminal: Terminal) async throws -> RunningCommand {
        let command = try RunningCommand(
            ["replicas", "push", "web", "--on-conflict", "ask"],
            in: folder,
            input: .terminal(terminal.device),
            errors: .terminal(terminal.device)
        )
        try await command.reach { _ in terminal.text().contains(Self.prompt) }
        return command
    }

    private static let prompt = "leave it queued:"

    @Test(arguments: ["push", "pull"])
    func `A second process does not disturb a running push`(command: String) async throws {
        try edit()
        index.isRestless = true
        let terminal = try #require(Terminal())
        let first = try await asking(on: terminal)
        let second = try run("copies", command, "web", "--on-conflict", "client")
        #expect(second.status == 75 && second.errors.contains("is running as process"), "\(second.errors)")
        terminal.type("s\n")
        #expect(try await first.status() == 1)
        #expect(terminal.text().contains("web: 0 pushed, 1 conflict, 1 still queued"), "\(terminal.text())")
        let job = try run("jobs", "list", "-o", "name").output.split(separator: "\n").first ?? ""
        #expect(try run("jobs", "issues", String(job)).output.contains(#"at the origin: {"n":1}"#))
    }

    @Test func `A killed push leaves a job that the next push completes`() async throws {
        try edit()
        index.isRestless = true
        let terminal = try #require(Terminal())
        let killed = try await asking(on: terminal)
        killed.send(SIGKILL)
        #expect(try await killed.status() == 128 + SIGKILL)
        #expect(try run("jobs", "list").output.contains("interrupted"))
        #expect(try run("jobs", "discard", "--copy", "web", "A").status == 0)
        #expect(try run("replicas", "push", "web").errors.contains("nothing is queued"))
        let jobs = try run("jobs", "list").output
        #expect(!jobs.contains("interrupted"), "\(jobs)")
    }

    @Test func `The conflict prompt is repeated while the server keeps changing`() async throws {
        try edit()
        index.isRestless = true
        let terminal = try #require(Terminal())
        let command = try RunningCommand(
            ["replicas", "push", "web", "--on-conflict", "ask"],
            in: folder,
            input: .terminal(terminal.device),
            errors: .terminal(terminal.device)
        )
        let answered = Mutex(0)
        try await command.reach { _ in
            let asked = terminal.text().components(separatedBy: Self.prompt).count - 1
            answered.withLock { answered in
                guard asked > answered else { return }
                answered = asked
                // The sixth response is the last one.
                terminal.type(asked < 6 ? "h\n" : "s\n")
            }
            return terminal.text().contains("still queued")
        }
        #expect(try await command.status() == 1)
        let text = terminal.text()
        #expect(answered.withLock { $0 } == 6)
        #expect(text.components(separatedBy: "at the origin again:").count == 6, "\(text)")
        // Each question shows the current document of the server.
        for number in 1...6 { #expect(text.contains(#"origin: {"n":\#(number)}"#), "\(text)") }
    }
}

/// An index `web` with one document that refuses each bulk request; the document can change at each lookup.
private final class ScriptedIndex: Sendable {
    private struct State {
        var changes = 0
        var isRestless = false
        var isBusy = false
        var page: (body: String, status: Int)?
    }

    private let state = Mutex(State())

    var isRestless: Bool {
        get { state.withLock { $0.isRestless } }
        set { state.withLock { $0.isRestless = newValue } }
    }

    /// Whether bulk requests are deferred.
    var isBusy: Bool {
        get { state.withLock { $0.isBusy } }
        set { state.withLock { $0.isBusy = newValue } }
    }

    /// The reply in place of a shard's page.
    var page: (body: String, status: Int)? {
        get { state.withLock { $0.page } }
        set { state.withLock { $0.page = newValue } }
    }

    func serve() throws -> ScriptedOpenSearch {
        try ScriptedOpenSearch { [self] line, _ in
            if line.contains("_bulk") { return isBusy ? ("{}", 429) : (Self.refusal, 200) }
            if line.contains("_mget") { return (#"{"docs":[\#(look())]}"#, 200) }
            if line.contains("_stats") { return (statistics, 200) }
            if line.contains("_count") { return (#"{"count":1}"#, 200) }
            if line.contains("_refresh") { return ("{}", 200) }
            guard line.contains("_search?"), line.contains("preference") else { return nil }
            if let page { return page }
            let shards = #""_shards":{"total":1,"successful":1,"failed":0}"#
            return (#"{"timed_out":false,\#(shards),"hits":{"hits":[\#(document)]}}"#, 200)
        }
    }

    private static let refusal = #"""
        {"took":1,"errors":true,"items":[{"index":{"_index":"web","_id":"A","status":409,
        "error":{"type":"version_conflict_engine_exception","reason":"[A]: version conflict"}}}]}
        """#

    private var document: String {
        let number = state.withLock { $0.changes }
        return #"{"_index":"web","_id":"A","found":true,"_version":\#(number + 1),"_seq_no":\#(number),"#
            + #""_primary_term":1,"_source":{"n":\#(number)},"sort":[\#(number)]}"#
    }

    private func look() -> String {
        state.withLock { if $0.isRestless { $0.changes += 1 } }
        return document
    }

    private var statistics: String {
        let last = state.withLock { $0.changes }
        return #"{"_shards":{"total":1,"successful":1,"failed":0},"indices":{"web":{"uuid":"u1","shards":{"0":["#
            + #"{"routing":{"primary":true},"commit":{"user_data":{"history_uuid":"h"}},"#
            + #""seq_no":{"max_seq_no":\#(last),"local_checkpoint":\#(last),"global_checkpoint":\#(last)}}]}}}}"#
    }
}
