import Foundation
import TestSupport
import Testing

/// Commands of users with few rights, against an engine that responds as its security plugin does.
@Suite(.enabled(if: ChildProgram.fastctl != nil), .timeLimit(.minutes(10)))
struct MissingRightsTests {
    /// Runs a command against the server, and checks its exit code.
    private func run(_ words: [String], _ server: ScriptedOpenSearch) throws -> ChildProgram.Result {
        let folder = try TemporaryFolder()
        try #"{"id":"A","n":1}"#.write(toFile: folder.path("a.jsonl"), atomically: false, encoding: .utf8)
        return try ChildProgram.run(
            try #require(ChildProgram.fastctl).path,
            words + ["--target", "opensearch+http://127.0.0.1:\(server.port)"],
            in: folder.path(""),
            environment: RunningCommand.environment(folder)
        )
    }

    private static func count(_ part: String, in text: String) -> Int { text.components(separatedBy: part).count - 1 }

    /// Returns an engine whose user may send only bulk requests; each of them removes A, and does not find B.
    private func writer(
        index: @escaping @Sendable (_ number: Int) -> String = { _ in "web" }
    ) throws
        -> ScriptedOpenSearch
    {
        let numbers = Counter()
        return try ScriptedOpenSearch(identifies: false) { line, request in
            guard line.contains("/web/_bulk") else { return ScriptedOpenSearch.forbidden("indices:x") }
            let index = index(numbers.next())
            let actions = request.split(whereSeparator: \.isNewline).filter { $0.hasPrefix(#"{"delete""#) }
            let items = actions.map { action in
                let isThere = action.contains(#""A"#)
                let id = action.split(separator: "\"")[5]
                return #"{"delete":{"_index":"\#(index)","_id":"\#(id)","_version":\#(isThere ? 2 : 1),"#
                    + #""result":"\#(isThere ? "deleted" : "not_found")","status":\#(isThere ? 200 : 404)}}"#
            }
            return (#"{"took":1,"errors":false,"items":[\#(items.joined(separator: ","))]}"#, 200)
        }
    }

    @Test func `A user who may only write can remove, and is informed once of the checks that were not possible`()
        throws
    {
        let end = try run(["remove", "-c", "web", "--missing", "ignore", "A", "B"], try writer())
        #expect(end.status == 0, "\(end.errors)")
        #expect(end.errors.contains("1 removed, 1 missing of 2 accepted"), "\(end.errors)")
        #expect(Self.count("these credentials do not show some properties of 'web'", in: end.errors) == 1)
        let remark = "missing documents were looked up at the places determined by their IDs"
        #expect(Self.count(remark, in: end.errors) == 1)
    }

    @Test func `A removal that needs no routing value prints no remark about routing`() throws {
        let end = try run(["remove", "-c", "web", "A"], try writer())
        #expect(end.status == 0, "\(end.errors)")
        #expect(!end.errors.contains("looked up"))
    }

    @Test func `An index that the user can't look up is identified by its responses, and must not change`() throws {
        let server = try writer { $0 == 0 ? "web-1" : "web-2" }
        let end = try run(["remove", "-c", "web", "--batch-count", "1", "--inflight", "1", "A1", "A2", "A3"], server)
        #expect(end.status == 75, "\(end.errors)")
        #expect(end.errors.contains("an index other than 'web-1'"), "\(end.errors)")
    }

    @Test func `If an index's mapping is not visible, a remark states that the copy may be incomplete`() throws {
        let server = try ScriptedOpenSearch { line, _ in
            if line.contains("_mapping") { return ScriptedOpenSearch.forbidden("indices:admin/mappings/get") }
            if line.contains("_mget") { return (#"{"docs":[{"_index":"web","_id":"A","found":false}]}"#, 200) }
            return line.contains("_settings") ? ("{}", 200) : nil
        }
        let end = try run(["update", "-c", "web", "a.jsonl"], server)
        #expect(end.errors.contains("which fields it does not keep"), "\(end.errors)")
    }

    @Test func `A mapping without a response is not mistaken for an empty mapping`() throws {
        let server = try ScriptedOpenSearch { line, _ in
            if line.contains("_mapping") { return ("{}", 503) }
            return line.contains("_settings") ? ("{}", 200) : nil
        }
        #expect(try run(["update", "-c", "web", "a.jsonl"], server).status == 69)
    }

    @Test func `A user without rights on the cluster can still read permitted documents`() throws {
        let server = try ScriptedOpenSearch { line, _ in
            if line.contains("_field_caps") { return (#"{"indices":["web","articles",".own"]}"#, 200) }
            return ScriptedOpenSearch.forbidden("cluster:monitor/state")
        }
        let end = try run(["collections", "list", "-o", "name"], server)
        #expect(end.status == 0)
        #expect(end.output == "articles\nweb\n")
        #expect(end.errors.contains("cluster:monitor/state"))
        let json = try run(["collections", "list", "-o", "json"], server)
        #expect(Self.count(#""documents":null"#, in: json.output) == 2)
    }

    @Test func `A user without any right to read is informed of the missing right`() throws {
        let server = try ScriptedOpenSearch { _, _ in ScriptedOpenSearch.forbidden("cluster:monitor/state") }
        let end = try run(["collections", "list"], server)
        #expect(end.status == 77)
        #expect(end.errors.contains("cluster:monitor/state"))
    }
}

private final class Counter: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var count = -1

    func next() -> Int {
        lock.withLock {
            count += 1
            return count
        }
    }
}
