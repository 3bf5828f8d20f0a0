import ContentFeeding
import Foundation
import HTTPService
import Hooks
import JSONText
import TestSupport
import Testing
import TextKit

@testable import ContentDistributor

/// Hooks of collections, and endpoints, through requests to a server on a real embedded store.
extension DistributorTests {
    private static let path = "/v1/collections/Web/documents"
    private static let samples = #filePath.replacing(
        "Tests/ContentDistributorTests/HookTests.swift",
        with: "Samples/hooks"
    )

    private func server(
        _ place: Place,
        _ hooks: [DocumentHook],
        programs: [String: String] = [:],
        _ change: (inout DistributorSettings) throws -> Void = { _ in }
    ) async throws -> ContentDistributor {
        var settings = place.settings
        settings.collections["Web"]?.hooks = DocumentHooks(hooks)
        for (name, file) in programs {
            let command = file.hasSuffix(".js") ? ["node", file] : ["python3", file]
            settings.programs[name] = HookProgramSettings(command, in: Self.samples)
            // A busy machine may take seconds to start a program.
            settings.programs[name]?.timeout = .seconds(30)
        }
        try change(&settings)
        return try await ContentDistributor(settings) { _ in }
    }

    private static func set(_ field: String, _ text: String) throws -> DocumentHook.Action {
        .set([.init(field, try HookOperand(text))])
    }

    private func session(on server: ContentDistributor, _ token: String) async throws -> String {
        let answer = try await send(.post, "/v1/collections/Web/sessions", token: token, to: server)
        return try #require(answer.json["session"].text)
    }

    /// Sends a batch, and waits until it is fed.
    private func feed(
        _ lines: String,
        _ operation: String = "add",
        on server: ContentDistributor,
        _ token: String
    ) async throws -> Answer {
        let id = try await session(on: server, token)
        let path = "/v1/sessions/\(id)/batches/1?operation=\(operation)"
        let answer = try await send(.put, path, lines, token: token, to: server)
        if answer.status == 202 {
            _ = try await send(.get, "/v1/sessions/\(id)?wait=live&timeout=20", token: token, to: server)
        }
        _ = try await send(.delete, "/v1/sessions/\(id)", token: token, to: server)
        return answer
    }

    // MARK: Writing

    @Test func `Hooks are applied to every way of writing a document`() async throws {
        let place = try await Place()
        let hooks = [
            DocumentHook(on: [.insert, .update], .require(["title"])),
            DocumentHook(on: [.insert], .fill([.init("status", .constant(Array("\"draft\"".utf8)))])),
            DocumentHook(on: [.update], try Self.set("editor", "user.name")),
            DocumentHook(on: [.insert, .update], .drop(["secret"])),
        ]
        let server = try await server(place, hooks)
        let token = try await place.token(.application)
        let path = Self.path + "/a"
        let refused = try await send(.put, path, "{\"body\":1}", token: token, to: server)
        #expect(
            refused.status == 422 && refused.json["code"].text == "refused" && refused.json["field"].text == "title"
        )
        #expect(try await send(.get, path, token: token, to: server).status == 404)

        #expect(try await send(.put, path, "{\"title\":1,\"secret\":2}", token: token, to: server).status == 201)
        #expect(try await send(.get, path, token: token, to: server).text == "{\"title\":1,\"status\":\"draft\"}")
        // The same request is now an update, and the defaults do not apply to updates.
        #expect(try await send(.put, path, "{\"title\":2}", token: token, to: server).status == 204)
        #expect(try await send(.get, path, token: token, to: server).text == "{\"title\":2,\"editor\":\"test\"}")
        #expect(try await send(.patch, path, "{\"editor\":\"x\",\"n\":3}", token: token, to: server).status == 204)
        #expect(
            try await send(.get, path, token: token, to: server).text == "{\"title\":2,\"editor\":\"test\",\"n\":3}"
        )
        // A patch is checked by its result.
        #expect(
            try await send(.patch, path, "{\"title\":null}", token: token, to: server).json["field"].text == "title"
        )
        let posted = try await send(.post, Self.path, "{\"title\":\"p\"}", token: token, to: server)
        let location = try #require(posted.headers["Location"])
        #expect(try await send(.get, location, token: token, to: server).json["status"].text == "draft")
    }

    @Test func `A client that follows a collection sees changes after the read hooks were applied`() async throws {
        let place = try await Place()
        let hooks = [
            DocumentHook(on: [.read], .drop(["secret"]), if: try HookCondition("user.role != 'admin'")),
            DocumentHook(on: [.read], try Self.set("seenBy", "user.name")),
        ]
        let server = try await server(place, hooks)
        let tokens = [try await place.token(.application), try await place.token(.admin)]
        let changes = "/v1/collections/Web/changes?wait=10"
        func poll(_ token: String, after event: String?) async throws -> [JSONValue] {
            let path = changes + (event.map { "&after=\($0)" } ?? "")
            return try await send(.get, path, token: token, to: server).text.split(separator: "\n")
                .map { try JSONValue(Array($0.utf8)) }
        }
        let start = try #require(try await poll(tokens[0], after: nil).last?["event"].text)
        _ = try await send(.put, Self.path + "/a", "{\"n\":1,\"secret\":2}", token: tokens[0], to: server)
        let application = try #require(try await poll(tokens[0], after: start).first)
        #expect(application["kind"].text == "added")
        #expect(application["document"].members.map(\.key) == ["n", "seenBy"])
        let admin = try #require(try await poll(tokens[1], after: start).first)
        #expect(admin["document"].members.map(\.key) == ["n", "secret", "seenBy"])
        _ = try await send(.delete, Self.path + "/a", token: tokens[0], to: server)
        let added = try #require(application["event"].text)
        #expect(try await poll(tokens[0], after: added).first?["kind"].text == "removed")
    }

    @Test func `A hook can refuse a deletion because of the stored document`() async throws {
        let place = try await Place()
        let locked = try HookCondition("document.status == 'locked' && user.role != 'admin'")
        let server = try await server(place, [DocumentHook(on: [.delete], .refuse("locked stays"), if: locked)])
        let token = try await place.token(.application)
        for (id, status) in [("a", "locked"), ("b", "open")] {
            _ = try await send(.put, Self.path + "/" + id, "{\"status\":\"\(status)\"}", token: token, to: server)
        }
        let refused = try await send(.delete, Self.path + "/a", token: token, to: server)
        #expect(refused.status == 422 && refused.json["message"].text == "locked stays")
        #expect(try await send(.get, Self.path + "/a", token: token, to: server).status == 200)
        #expect(try await send(.delete, Self.path + "/b", token: token, to: server).status == 204)
        #expect(try await send(.delete, Self.path + "/c", token: token, to: server).status == 404)
        // In a batch, the version ensures that the document is still the one that the hook has seen.
        #expect(try await feed("\"a\"\n", "remove", on: server, token).json["message"].text?.contains("line 1") == true)
        let version = try await send(.get, Self.path + "/a", token: token, to: server).headers["ETag"] ?? ""
        let line = "{\"remove\":\"a\",\"onVersion\":\(version)}\n"
        let batch = try await feed(line, "remove", on: server, token)
        #expect(batch.status == 422 && batch.json["message"].text == "line 1: locked stays", "\(batch.text)")
        let admin = try await place.token(.admin)
        #expect(try await send(.delete, Self.path + "/a", token: admin, to: server).status == 204)
    }

    /// The rule of a collection is applied to a hook's result, not to the document that the client sent.
    @Test func `The result of hooks must comply with the rule and the keys of the collection`() async throws {
        let place = try await Place(rules: "user.tenant == document.tenant")
        let token = try await place.token(.user, ["tenant": "t1"])
        let smuggle = DocumentHook(on: [.insert, .update], try Self.set("tenant", "document.want"))
        let first = try await server(place, [smuggle])
        let path = Self.path + "/a"
        #expect(
            try await send(.put, path, "{\"tenant\":\"t1\",\"want\":\"t2\"}", token: token, to: first).status == 403
        )
        #expect(
            try await send(.put, path, "{\"tenant\":\"t2\",\"want\":\"t1\"}", token: token, to: first).status == 201
        )
        #expect(try await send(.patch, path, "{\"want\":\"t2\"}", token: token, to: first).status == 403)
        let line =
            "{\"schema\":\"fastctl.document/1\",\"id\":\"b\",\"onVersion\":null,"
            + "\"document\":{\"tenant\":\"t1\",\"want\":\"t2\"}}\n"
        #expect(try await feed(line, on: first, token).status == 403)

        let forUser = DocumentHook(on: [.insert], try Self.set("tenant", "user.tenant"))
        let second = try await server(place, [forUser, DocumentHook(on: [.insert, .update], .drop(["x"]))]) {
            $0.collections["Web"]?.keeping.restrict(to: ["tenant", "want", "n"])
        }
        #expect(try await send(.put, Self.path + "/c", "{\"x\":1}", token: token, to: second).status == 201)
        #expect(try await send(.get, Self.path + "/c", token: token, to: second).text == "{\"tenant\":\"t1\"}")
        #expect(try await send(.put, Self.path + "/d", "{\"y\":1}", token: token, to: second).json["field"].text == "y")
    }

    // MARK: Batches

    /// For batches with random lines, either all lines are stored as the hooks leave them, or none are.
    @Test func `A refused batch has no effect, and the response names its refused lines`() async throws {
        let place = try await Place()
        let hooks = [
            DocumentHook(on: [.insert, .update], .require(["title"])),
            DocumentHook(on: [.insert, .update], try Self.set("editor", "user.name")),
        ]
        let server = try await server(place, hooks)
        let token = try await place.token(.application)
        var random = SystemRandomNumberGenerator()
        for round in 0..<12 {
            let bad = (0..<6).map { _ in Int.random(in: 0..<8, using: &random) == 0 }
            let lines = bad.enumerated().map { index, isBad in
                isBad ? "{\"id\":\"r\(round)-\(index)\"}" : "{\"id\":\"r\(round)-\(index)\",\"title\":\"t\"}"
            }
            // A blank line counts as a line.
            let answer = try await feed("\n" + lines.joined(separator: "\n") + "\n", on: server, token)
            let isRefused = bad.contains(true)
            #expect(answer.status == (isRefused ? 422 : 202), "\(bad) \(answer.text)")
            for (index, isBad) in bad.enumerated() {
                let message = answer.json["message"].text ?? ""
                let isNamed = message.contains("line \(index + 2): the field 'title' is missing")
                #expect(isNamed == isBad || bad.count { $0 } > 5, "\(message)")
                let stored = try await send(.get, Self.path + "/r\(round)-\(index)", token: token, to: server)
                #expect(stored.status == (isRefused ? 404 : 200))
                if !isRefused { #expect(stored.json["editor"].text == "test") }
            }
        }
    }

    @Test func `Patches in a batch become whole documents before the hooks run`() async throws {
        let place = try await Place()
        let hooks = [DocumentHook(on: [.update], try Self.set("copy", "document.title"))]
        let server = try await server(place, hooks)
        let token = try await place.token(.application)
        _ = try await send(.put, Self.path + "/a", "{\"title\":\"t\",\"old\":1}", token: token, to: server)
        let tag = try await send(.get, Self.path + "/a", token: token, to: server).headers["ETag"] ?? ""
        func line(_ version: String) -> String {
            "{\"schema\":\"fastctl.document/1\",\"id\":\"a\",\"onVersion\":\(version),"
                + "\"document\":{\"n\":2,\"old\":null}}\n"
        }
        #expect(try await feed("{\"id\":\"a\",\"n\":1}\n", "update", on: server, token).status == 422)
        // If the version differs, the document is not changed.
        #expect(try await feed(line("\"999\""), "update", on: server, token).status == 202)
        #expect(try await send(.get, Self.path + "/a", token: token, to: server).headers["ETag"] == tag)
        #expect(try await feed(line(tag), "update", on: server, token).status == 202)
        let text = try await send(.get, Self.path + "/a", token: token, to: server).text
        #expect(text == "{\"title\":\"t\",\"n\":2,\"copy\":\"t\"}")
    }

    // MARK: Reading

    @Test func `A field that a hook drops on read does not appear in any response`() async throws {
        let place = try await Place()
        let others = try HookCondition("user.role != 'admin'")
        let server = try await server(place, [DocumentHook(on: [.read], .drop(["secret"]), if: others)])
        let (token, admin) = (try await place.token(.application), try await place.token(.admin))
        let path = Self.path + "/a"
        _ = try await send(.put, path, "{\"title\":\"t\",\"secret\":\"hidden\"}", token: token, to: server)
        let lookups = "/v1/collections/Web/lookups"
        let stale = [("If-Match", "\"999\"")]
        for (reader, isHidden) in [(token, true), (admin, false)] {
            let state = try await send(.get, "/v1/collections/Web/state", token: reader, to: server)
            let part = state.json["parts"].elements.first?["name"].text ?? ""
            let last = state.json["parts"].elements.first?["last"].int ?? 0
            let changes = "/v1/collections/Web/changes?part=\(part)&after=-1&through=\(last)"
            let answers = [
                try await send(.get, path, token: reader, to: server),
                try await send(.get, Self.path, token: reader, to: server),
                try await send(.get, path + "?fields=secret,title", token: reader, to: server),
                try await send(.post, lookups, "\"a\"\n", token: reader, to: server),
                try await send(.post, lookups + "?versions=true", "\"a\"\n", token: reader, to: server),
                try await send(.get, changes, token: reader, to: server),
                try await send(.put, path, "{}", token: reader, headers: stale, to: server),
            ]
            for answer in answers {
                #expect(answer.text.contains("title"), "\(answer.text)")
                #expect(answer.text.contains("hidden") != isHidden, "\(answer.text)")
            }
        }
    }

    // MARK: Programs and endpoints

    @Test(arguments: ["enrich.py", "enrich.js"])
    func `The sample programs enrich documents, and refuse invalid documents`(file: String) async throws {
        let nodes = ["/usr/bin/node", "/usr/local/bin/node"]
        guard file.hasSuffix(".py") || nodes.contains(where: FileManager.default.isExecutableFile) else { return }
        let place = try await Place()
        let hook = DocumentHook(on: [.insert, .update], .program("enrich"))
        let server = try await server(place, [hook], programs: ["enrich": file])
        let token = try await place.token(.application)
        let path = Self.path + "/a"
        #expect(try await send(.put, path, "{\"body\":\"one two  three\"}", token: token, to: server).status == 201)
        #expect(try await send(.get, path, token: token, to: server).json["words"].int == 3)
        #expect(try await send(.patch, path, "{\"body\":\"\\u0065in\"}", token: token, to: server).status == 204)
        #expect(try await send(.get, path, token: token, to: server).json["words"].int == 1)
        let refused = try await send(.put, path, "{\"title\":\"LOUD\"}", token: token, to: server)
        #expect(refused.status == 422 && refused.json["field"].text == "title")
        let batch = try await feed(
            "{\"id\":\"b\",\"body\":\"x y\"}\n{\"id\":\"c\",\"title\":\"L\"}\n",
            on: server,
            token
        )
        #expect(batch.json["message"].text == "line 2: title: write the title in small letters", "\(batch.text)")
        #expect(try await send(.get, Self.path + "/b", token: token, to: server).status == 404)
    }

    @Test func `If a program fails, the server responds with 500 and makes no change`() async throws {
        let place = try await Place()
        try "import sys\nfor line in sys.stdin: print('garbage', flush=True)\n".write(
            toFile: place.folder.path("bad.py"),
            atomically: true,
            encoding: .utf8
        )
        let plain = try await place.server()
        let token = try await place.token(.application)
        #expect(try await send(.put, Self.path + "/old", "{\"n\":1}", token: token, to: plain).status == 201)
        let hook = DocumentHook(on: [.insert, .update, .delete, .read], .program("bad"))
        let server = try await server(place, [hook], programs: ["bad": place.folder.path("bad.py")])
        for (method, body) in [(RequestMethod.put, "{\"n\":2}"), (.patch, "{\"n\":2}"), (.delete, ""), (.get, "")] {
            let answer = try await send(method, Self.path + "/old", body, token: token, to: server)
            #expect(answer.status == 500 && answer.json["code"].text == "hookFailed", "\(method) \(answer.text)")
            #expect(!answer.text.contains("garbage"))
        }
        #expect(try await feed("{\"id\":\"new\"}\n", on: server, token).status == 500)
        #expect(try await send(.get, Self.path + "/old", token: token, to: plain).text == "{\"n\":1}")
        #expect(try await send(.get, Self.path + "/new", token: token, to: plain).status == 404)
        let admin = try await place.token(.admin)
        let metrics = try await send(.get, "/metrics", token: admin, to: server).text
        #expect(metrics.contains("distributor_program_failures_total{program=\"bad\"} 5"), "\(metrics)")
    }

    @Test func `A program that exceeds its memory limit fails only its own request`() async throws {
        let place = try await Place()
        let file = place.folder.path("eater.py")
        try """
        import json, resource, sys
        for line in sys.stdin:
            call = json.loads(line)
            if "eat" in call["document"]: kept = [b"x" * (1 << 20) for _ in range(4000)]
            call["document"]["limit"] = resource.getrlimit(resource.RLIMIT_AS)[0]
            print(json.dumps({"id": call["id"], "document": call["document"]}), flush=True)
        """.write(toFile: file, atomically: true, encoding: .utf8)
        let server = try await server(
            place,
            [DocumentHook(on: [.insert], .program("eater"))],
            programs: ["eater": file]
        ) {
            $0.programs["eater"]?.memory = 512 << 20
            $0.programs["eater"]?.processes = 1
        }
        let token = try await place.token(.application)
        let eating = try await send(.put, Self.path + "/a", "{\"eat\":1}", token: token, to: server)
        #expect(eating.status == 500 && eating.json["code"].text == "hookFailed", "\(eating.text)")
        #expect(try await send(.get, Self.path + "/a", token: token, to: server).status == 404)
        // The next process has the same limit.
        #expect(try await send(.put, Self.path + "/b", "{}", token: token, to: server).status == 201)
        let stored = try await send(.get, Self.path + "/b", token: token, to: server)
        #expect(stored.json["limit"].int == 512 << 20, "\(stored.text)")
    }

    @Test(.timeLimit(.minutes(3)))
    func `Calls waiting while a program is replaced get its answers, and later calls get the new program's answers`()
        async throws
    {
        let place = try await Place()
        let (file, go) = (place.folder.path("slow.py"), place.folder.path("go"))
        try """
        import json, os, sys, time
        for line in sys.stdin:
            call = json.loads(line)
            while len(sys.argv) > 2 and not os.path.exists(sys.argv[2]): time.sleep(0.01)
            call["document"]["by"] = sys.argv[1]
            print(json.dumps({"id": call["id"], "document": call["document"]}), flush=True)
        """.write(toFile: file, atomically: true, encoding: .utf8)
        let server = try await server(place, [DocumentHook(on: [.insert], .program("p"))]) {
            var program = HookProgramSettings(["python3", file, "first", go], in: place.folder.path(""))
            (program.processes, program.timeout) = (1, .seconds(60))
            $0.programs["p"] = program
        }
        let token = try await place.token(.application)
        let waiting = Task {
            try await withThrowingTaskGroup { group in
                for id in ["a", "b", "c"] {
                    group.addTask { try await send(.put, Self.path + "/\(id)", "{}", token: token, to: server).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        while server.programs.uses["p"]?.calls != 3 { try await Task.sleep(for: .milliseconds(1)) }
        var settings = server.settings
        settings.programs["p"]?.command = ["python3", file, "second"]
        try server.reload(settings, from: "d.yaml")
        // The previous process has not responded to any of its calls yet.
        #expect(try await send(.put, Self.path + "/d", "{}", token: token, to: server).status == 201)
        #expect(FileManager.default.createFile(atPath: go, contents: nil))
        #expect(try await waiting.value == [201, 201, 201])
        for (id, name) in [("a", "first"), ("b", "first"), ("c", "first"), ("d", "second")] {
            let stored = try await send(.get, Self.path + "/\(id)", token: token, to: server)
            #expect(stored.json["by"].text == name, "\(stored.text)")
        }
    }

    @Test func `An endpoint responds within its rule and methods, with the server's header fields`() async throws {
        let place = try await Place()
        let server = try await server(place, [], programs: ["greet": "greet.py"]) {
            let access = try AccessRule("users")
            $0.endpoints["greet"] = CustomEndpoint(methods: [.get, .post], access: access, program: "greet")
        }
        let path = "/v1/api/greet"
        let token = try await place.token(.user, ["tenant": "t1"])
        let answer = try await send(.get, path, token: token, to: server)
        #expect(answer.status == 200 && answer.json["greeting"].text == "Hello, test", "\(answer.text)")
        #expect(answer.headers["Cache-Control"] == "no-store" && answer.headers["Content-Type"] == "application/json")
        let posted = try await send(.post, path, "plain text", token: token, to: server)
        #expect(posted.json["received"].text == "plain text" && posted.json["method"].text == "POST")
        #expect(try await send(.get, path, token: nil, to: server).status == 401)
        let refused = try await send(.delete, path, token: token, to: server)
        #expect(refused.status == 405 && refused.headers["Allow"] == "GET, POST")
        #expect(try await send(.get, "/v1/api/other", token: token, to: server).status == 404)
        // A token for certain collections is not valid for endpoints.
        let tokens = try AccessTokens(path: place.settings.state + "/access.sqlite")
        let narrow = try await tokens.create("narrow", .application, collections: ["Web"], at: .seconds(1)).secret
        #expect(try await send(.get, path, token: narrow, to: server).status == 403)
        let large = String(repeating: "x", count: (1 << 20) + 1)
        #expect(try await send(.post, path, large, token: token, to: server).status == 413)
        let log = try String(contentsOfFile: place.settings.state + "/audit.log", encoding: .utf8)
        let lines = log.split(separator: "\n").filter { $0.contains("\"subject\":\"endpoint greet\"") }
        // The post is recorded; reads are not, and neither are requests that the server refuses before a handler
        // receives them.
        #expect(lines.count == 1 && lines[0].contains("\"status\":200"), "\(log)")
    }
}

// MARK: - Settings

/// Hooks, programs and endpoints in the settings file.
struct HookSettingsTests {
    private func settings(_ text: String) throws -> DistributorSettings {
        let folder = try TemporaryFolder()
        try text.write(toFile: folder.path("d.yaml"), atomically: true, encoding: .utf8)
        return try DistributorSettings.read(folder.path("d.yaml"))
    }

    private static let start = """
        target: a
        programs:
          p: {command: [sh, p.sh], processes: 3, timeout: 2s, memory: 268435456}

        """

    @Test func `Every kind of hook is read from the settings`() throws {
        let settings = try settings(
            Self.start + """
                collections:
                  Web:
                    hooks:
                      - {on: [insert, update], require: [title, body]}
                      - {on: insert, default: {status: draft, n: 1, b: true, d: 1.5, s: "5"}}
                      - {on: [insert, update], set: {editor: user.name, c: "'user.name'"}}
                      - {on: read, drop: secret}
                      - {on: delete, refuse: it stays, if: "document.status == 'locked'"}
                      - {on: [insert, update], program: p}
                endpoints:
                  stats: {methods: [GET, POST], access: users, program: p}
                """
        )
        func constant(_ json: String) -> HookOperand { .constant(Array(json.utf8)) }
        let expected = DocumentHooks([
            DocumentHook(on: [.insert, .update], .require(["title", "body"])),
            DocumentHook(
                on: [.insert],
                .fill([
                    .init("status", constant("\"draft\"")), .init("n", constant("1")), .init("b", constant("true")),
                    .init("d", constant("1.5")), .init("s", constant("\"5\"")),
                ])
            ),
            DocumentHook(
                on: [.insert, .update],
                .set([.init("editor", .user("name")), .init("c", constant("\"user.name\""))])
            ),
            DocumentHook(on: [.read], .drop(["secret"])),
            DocumentHook(on: [.delete], .refuse("it stays"), if: try HookCondition("document.status == 'locked'")),
            DocumentHook(on: [.insert, .update], .program("p")),
        ])
        #expect(settings.collections["Web"]?.hooks == expected)
        let program = try #require(settings.programs["p"])
        #expect(program.command == ["sh", "p.sh"] && program.processes == 3 && program.timeout == .seconds(2))
        #expect(program.memory == 256 << 20 && program.folder.hasPrefix("/"))
        let access = try AccessRule("users")
        #expect(settings.endpoints["stats"] == CustomEndpoint(methods: [.get, .post], access: access, program: "p"))
    }

    @Test(arguments: [
        ("{on: [insert], require: [a], drop: [b]}", ":4:29: a hook has 'on' and one of"),
        ("{on: [insert]}", ":4:29: a hook has 'on' and one of"),
        ("{on: [write], drop: [b]}", ":4:35: 'write' is not an action on documents"),
        ("{on: read, require: [b]}", ":4:29: this hook can't be on read"),
        ("{on: read, refuse: no}", ":4:29: this hook can't be on read"),
        ("{on: delete, drop: [b]}", ":4:29: a deletion changes no fields"),
        ("{on: insert, program: q}", ":4:51: there is no program 'q'"),
        ("{on: insert, set: {a: user.}}", ": a name is expected here"),
        ("{on: insert, set: {a: request.body}}", ": a request has no 'body'"),
        ("{on: delete, refuse: no, if: status}", ":4:58: user.NAME, request.NAME, document.NAME or 'TEXT'"),
        ("{on: insert, sets: {a: 1}}", ": unknown key"),
    ])
    func `A defect in a hook is reported with its location`(hook: String, message: String) throws {
        #expect {
            try settings(Self.start.dropLast() + "\ncollections: {Web: {hooks: [\(hook)]}}\n")
        } throws: { error in
            let failure = (error as? SettingsError)?.failure.message ?? ""
            return failure.contains(message)
        }
    }

    @Test(arguments: [
        ("programs: {p: {command: []}}", ":2:25: the command is empty"),
        (
            "programs: {p: {command: [no-such-program-anywhere]}}",
            ":2:25: there is no 'no-such-program-anywhere' in PATH"
        ),
        ("programs: {p: {command: [./absent]}}", ":2:25: './absent' is not a program"),
        ("programs: {'a b': {command: [sh]}}", "'a b' is not a name"),
        ("programs: {p: {command: [sh], processes: 0}}", ":2:42: a program has from 1 to 64 processes"),
        ("programs: {p: {command: [sh], timeout: 1}}", "is not a duration of at most 10m"),
        ("programs: {p: {command: [sh], memory: 1}}", ":2:39: a process needs at least"),
        ("endpoints: {e: {methods: GET, access: users, program: p}}", "there is no program 'p'"),
        (
            "programs: {p: {command: [sh]}}\nendpoints: {e: {methods: HEAD, access: users, program: p}}",
            "the method 'HEAD'"
        ),
        (
            "programs: {p: {command: [sh]}}\nendpoints: {e: {methods: GET, access: all, program: p}}",
            "'all' is not a rule"
        ),
        (
            "programs: {p: {command: [sh]}}\n"
                + "endpoints: {e: {methods: GET, access: user.a == document.a, program: p}}",
            "an endpoint has no document"
        ),
    ])
    func `A defect in a program or an endpoint is reported with its location`(text: String, message: String) throws {
        #expect {
            try settings("target: a\n" + text + "\n")
        } throws: { error in
            let failure = (error as? SettingsError)?.failure.message ?? ""
            return failure.contains(message)
        }
    }

    @Test func `The examples of hooks in the settings file that init writes are valid`() throws {
        var text = DistributorSettings.template(state: "/s")
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let start = try #require(lines.firstIndex { $0.contains("# hooks:") })
        text = lines.enumerated().map { index, line in
            (start...start + 5).contains(index) ? line.replacing("    # ", with: "    ") : line
        }.joined(separator: "\n")
        for key in ["# programs:", "#   enrich:", "# endpoints:", "#   stats:"] {
            #expect(text.contains(key))
            text = text.replacing(key, with: String(key.dropFirst(2)))
        }
        let settings = try settings(text)
        #expect(settings.collections["WebCollection"]?.hooks.apply(to: .delete) == true)
        #expect(settings.programs.keys.sorted() == ["enrich"] && settings.endpoints.keys.sorted() == ["stats"])
    }
}
