import Foundation
import JSONText
import Synchronization
import TestSupport
import Testing

@testable import Hooks

/// Real programs in Python, both well-behaved and misbehaving ones.
struct HookProgramsTests {
    /// Programs in a folder, with the log lines that they caused.
    private final class Stage: Sendable {
        let folder: TemporaryFolder
        private let lines = Mutex<[String]>([])

        init(_ programs: [String: String]) throws {
            folder = try TemporaryFolder()
            for (name, text) in programs {
                try (Self.start + text).write(toFile: folder.path("\(name).py"), atomically: true, encoding: .utf8)
            }
        }

        private static let start =
            "import json, os, sys, time\ndef answer_with(**answer): print(json.dumps(answer), flush=True)\n"

        var log: [String] { lines.withLock { $0 } }

        func settings(_ name: String, _ change: (inout HookProgramSettings) -> Void = { _ in }) -> HookProgramSettings {
            var settings = HookProgramSettings(["python3", "\(name).py"], in: folder.path(""))
            // A busy machine may take seconds to start Python.
            (settings.processes, settings.timeout) = (1, .seconds(30))
            change(&settings)
            return settings
        }

        func programs(_ settings: [String: HookProgramSettings], after before: HookPrograms? = nil) -> HookPrograms {
            HookPrograms(settings, after: before) { [self] line in lines.withLock { $0.append(line) } }
        }

        func programs(_ name: String, _ change: (inout HookProgramSettings) -> Void = { _ in }) -> HookPrograms {
            programs([name: settings(name, change)])
        }
    }

    private static let facts = HookFacts(collection: "Web", user: ["name": .text("Ann")], request: ["id": .text("7")])

    private static let echo = """
        for line in sys.stdin:
            call = json.loads(line)
            call["document"]["seen"] = [call["on"], call["collection"], call["user"]["name"], call["request"]["id"]]
            answer_with(id=call["id"], document=call["document"])
        """

    private func call(
        _ name: String,
        _ programs: HookPrograms,
        _ json: String = "{}"
    ) async -> Result<String, any Error> {
        do {
            let bytes = try await programs.call(name, .insert, Array(json.utf8), Self.facts)
            return .success(String(decoding: bytes, as: UTF8.self))
        } catch {
            return .failure(error)
        }
    }

    private func reason(_ result: Result<String, any Error>) -> String {
        if case .failure(let error) = result { (error as? HookFailure)?.reason ?? "\(error)" } else { "\(result)" }
    }

    @Test func `A program gets the user, the request and the document, and its output replaces the document`()
        async throws
    {
        let stage = try Stage(["echo": Self.echo])
        let programs = stage.programs("echo")
        // Line ends between the tokens of a document must not end the line of the call.
        let result = try await call("echo", programs, "{\n\"a\": \"x\\ny\",\r\n\"b\": 1.50}").get()
        let value = try JSONValue(Array(result.utf8))
        #expect(value["a"].text == "x\ny" && value["seen"].elements.map(\.text) == ["insert", "Web", "Ann", "7"])
        for _ in 0..<20 { _ = try await call("echo", programs).get() }
        #expect(programs.uses["echo"] == .init(calls: 21, failures: 0))
    }

    @Test func `A program can refuse with a status, a message and a field`() async throws {
        let stage = try Stage([
            "no": """
            for line in sys.stdin:
                answer_with(id=json.loads(line)["id"], respond={"status": 409, "message": "no", "field": "a"})
            """
        ])
        let result = await call("no", stage.programs("no"))
        #expect { try result.get() } throws: { $0 as? HookRefusal == HookRefusal(status: 409, "no", field: "a") }
    }

    /// After each failure, the next process responds as if nothing had happened; a file marks it as the second process.
    @Test(arguments: [
        ("hangs", "time.sleep(1000)", "did not answer within"),
        (
            "prints megabytes", "sys.stdout.write('x' * (3 << 20)); sys.stdout.flush(); time.sleep(1000)",
            "more than 1048576 bytes"
        ),
        ("prints a long line", "print('\"' + 'x' * (2 << 20) + '\"', flush=True)", "more than 1048576 bytes"),
        (
            "prints garbage", "print('\\x1b[31mhello', flush=True)",
            #"did not write a valid answer: expected a value: \u{1b}[31mhello"#
        ),
        (
            "prints a remark first", "print('debug'); answer_with(id=call['id'], document={})",
            "did not write a valid answer"
        ),
        ("answers another call", "answer_with(id=call['id'] + 1, document={})", "the 'id' is not"),
        (
            "answers with a list", "answer_with(id=call['id'], document=[])",
            "there is neither a 'document' nor 'respond'"
        ),
        ("answers without a message", "answer_with(id=call['id'], respond={'status': 422})", "needs a message"),
        (
            "answers with success", "answer_with(id=call['id'], respond={'status': 200, 'message': 'x'})",
            "status from 400 to 599"
        ),
        ("dies", "os._exit(3)", "exited before it answered"),
        ("is killed", "os.kill(os.getpid(), 9)", "exited before it answered"),
        ("closes its output", "os.close(1); time.sleep(1000)", "exited before it answered"),
        ("eats memory", "x = [b'x' * (1 << 20) for _ in range(4000)]", "exited before it answered"),
        (
            "nests too deeply",
            "print('{\"id\":%d,\"document\":' % call['id'] + '[' * 90 + ']' * 90 + '}', flush=True)", "nested deeper"
        ),
    ])
    func `A program that misbehaves fails only its own call`(name: String, misdeed: String, reason: String) async throws
    {
        let stage = try Stage([
            "p": """
            for line in sys.stdin:
                call = json.loads(line)
                if "bad" in call["document"]:
                    \(misdeed)
                answer_with(id=call["id"], document=call["document"])
            """
        ])
        let programs = stage.programs("p") {
            ($0.answerBytes, $0.memory) = (1 << 20, 512 << 20)
            // The limit is long enough for starting Python on a busy machine, except in cases that test the limit
            // itself.
            $0.timeout = name == "hangs" ? .seconds(10) : .seconds(30)
        }
        #expect(try await call("p", programs, #"{"n":1}"#).get() == #"{"n": 1}"#)
        let failed = self.reason(await call("p", programs, #"{"bad":1}"#))
        #expect(failed.contains(reason), "\(name): \(failed)")
        #expect(try await call("p", programs, #"{"n":2}"#).get() == #"{"n": 2}"#)
        #expect(programs.uses["p"] == .init(calls: 3, failures: 1))
        #expect(stage.log.contains { $0.hasPrefix("the program 'p'") && $0.contains("; the process ") }, "\(stage.log)")
        // Log lines must not contain control characters.
        #expect(stage.log.allSatisfy { $0.unicodeScalars.allSatisfy { $0.value >= 32 } })
    }

    @Test func `A process that ends between two calls is replaced before the next one`() async throws {
        let stage = try Stage([
            "p": """
            line = sys.stdin.readline()
            answer_with(id=json.loads(line)["id"], document={"process": os.getpid()})
            """
        ])
        let programs = stage.programs("p")
        let first = try await call("p", programs).get()
        let ended = ContinuousClock.now + .seconds(30)
        while !stage.log.contains(where: { $0.contains("exited on its own; the process exited with status 0") }) {
            try #require(ContinuousClock.now < ended, "\(stage.log)")
            try await Task.sleep(for: .milliseconds(10))
        }
        let second = try await call("p", programs).get()
        #expect(first != second)
        #expect(programs.uses["p"] == .init(calls: 2, failures: 0))
    }

    @Test func `The end of a program is detected even if a process that it started holds its output open`() async throws
    {
        let stage = try Stage([
            "p": """
            for line in sys.stdin:
                if os.fork() == 0: time.sleep(1000)
                if json.loads(line)["document"].get("bad"): os._exit(3)
                answer_with(id=json.loads(line)["id"], document={"process": str(os.getpid())})
                os._exit(0)
            """
        ])
        let programs = stage.programs("p") { $0.timeout = .seconds(300) }
        let first = try await call("p", programs).get()
        let process = try #require(JSONValue(Array(first.utf8))["process"].text.flatMap { Int32($0) })
        while !Self.isZombie(process) { try await Task.sleep(for: .milliseconds(10)) }
        #expect(reason(await call("p", programs, #"{"bad":1}"#)).contains("exited before it answered"))
        #expect(try await call("p", programs).get() != first)
        #expect(programs.uses["p"] == .init(calls: 3, failures: 1))
    }

    @Test func `Processes that a killed program has started are also killed`() async throws {
        let stage = try Stage([
            "p": """
            open("children", "a").close()
            for line in sys.stdin:
                for _ in range(3):
                    if os.fork() == 0:
                        open("children", "a").write("%d\\n" % os.getpid())
                        time.sleep(1000)
                while len(open("children").readlines()) < 3: time.sleep(0.01)
                print("garbage", flush=True)
                time.sleep(1000)
            """
        ])
        let failed = reason(await call("p", stage.programs("p")))
        #expect(failed.contains("did not write a valid answer"))
        let text = try String(contentsOfFile: stage.folder.path("children"), encoding: .utf8)
        let children = text.split(separator: "\n").compactMap { Int32($0) }
        #expect(children.count == 3)
        let end = ContinuousClock.now + .seconds(30)
        for child in children {
            // The system removes a killed process when its new parent collects it; until then, it is a zombie.
            while kill(child, 0) == 0, !Self.isZombie(child) {
                try #require(ContinuousClock.now < end, "process \(child) still runs")
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    private static func isZombie(_ process: Int32) -> Bool {
        let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        return text.isEmpty || text.drop { $0 != ")" }.hasPrefix(") Z")
    }

    @Test func `A slow program delays only its own callers`() async throws {
        let slow = """
            for line in sys.stdin:
                while not os.path.exists("go"): time.sleep(0.01)
                answer_with(id=json.loads(line)["id"], document={"slow": True})
            """
        let stage = try Stage(["slow": slow, "echo": Self.echo])
        let programs = stage.programs(["slow": stage.settings("slow"), "echo": stage.settings("echo")])
        async let first = call("slow", programs)
        async let second = call("slow", programs)
        while programs.uses["slow"]?.calls != 2 { try await Task.sleep(for: .milliseconds(5)) }
        for _ in 0..<50 { _ = try await call("echo", programs).get() }
        // All of these got responses while both calls of the other program were waiting.
        try "".write(toFile: stage.folder.path("go"), atomically: true, encoding: .utf8)
        for result in await [first, second] { #expect(try result.get() == #"{"slow": true}"#) }
    }

    @Test func `Calls that have waited too long are refused as busy`() async throws {
        let stage = try Stage(["p": "time.sleep(1000)"])
        let programs = stage.programs("p") { ($0.timeout, $0.waitingCalls) = (.milliseconds(300), 1) }
        let results = await withTaskGroup(of: HookFailure?.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    if case .failure(let error) = await call("p", programs) { error as? HookFailure } else { nil }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count == 6 && results.allSatisfy { $0 != nil })
        #expect(results.contains { $0?.isBusy == false } && results.contains { $0?.isBusy == true })
    }

    @Test func `As many calls run concurrently as there are processes`() async throws {
        // Each process responds only when both have received a call.
        let stage = try Stage([
            "p": """
            for line in sys.stdin:
                open("call%d" % os.getpid(), "w")
                while len([n for n in os.listdir(".") if n.startswith("call")]) < 2: time.sleep(0.01)
                answer_with(id=json.loads(line)["id"], document={})
            """
        ])
        let programs = stage.programs("p") { $0.processes = 2 }
        async let first = call("p", programs)
        async let second = call("p", programs)
        async let third = call("p", programs)
        for result in await [first, second, third] { #expect(try result.get() == "{}") }
    }

    @Test func `A program's standard error goes to the log, escaped, truncated and limited in volume`() async throws {
        let stage = try Stage([
            "p": """
            for line in sys.stdin:
                print("warn\\x1b[31m é", file=sys.stderr)
                print("y" * 100000, file=sys.stderr)
                for i in range(5000): print("line", i, file=sys.stderr)
                sys.stderr.flush()
                answer_with(id=json.loads(line)["id"], document={})
                sys.exit(0)
            """
        ])
        #expect(try await call("p", stage.programs("p")).get() == "{}")
        let end = ContinuousClock.now + .seconds(30)
        while !stage.log.contains(where: { $0.contains("were left out") }) {
            try #require(ContinuousClock.now < end, "\(stage.log.suffix(3))")
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(stage.log.contains(#"program 'p': warn\u{1b}[31m \u{e9}"#))
        #expect(stage.log.count < 200 && stage.log.allSatisfy { $0.utf8.count < 1_000 })
    }

    @Test func `Programs with unchanged settings keep running when other settings change`() async throws {
        let pid = "for line in sys.stdin: answer_with(id=json.loads(line)['id'], document={'process': os.getpid()})\n"
        let stage = try Stage(["a": pid, "b": pid])
        let first = stage.programs(["a": stage.settings("a"), "b": stage.settings("b")])
        let (a, b) = (try await call("a", first).get(), try await call("b", first).get())
        let changed = stage.settings("b") { $0.waitingCalls = 5 }
        let second = stage.programs(["a": stage.settings("a"), "b": changed], after: first)
        #expect(try await call("a", second).get() == a)
        #expect(try await call("b", second).get() != b)
    }

    @Test func `A program that does not exist fails each call, with the shell's message in the log`() async throws {
        let stage = try Stage([:])
        let programs = stage.programs("p") { $0.command = ["/no/such/program"] }
        for _ in 0..<2 { #expect(reason(await call("p", programs)).contains("exited before it answered")) }
        #expect(stage.log.contains { $0.contains("not found") }, "\(stage.log)")
        #expect(reason(await call("other", programs)) == "does not exist")
    }
}

/// Valid responses to requests to endpoints.
struct HookResponseTests {
    private func read(_ members: String) throws -> HookResponse {
        let answer = try HookAnswer(Array("{\"id\":1,\(members)}".utf8), to: 1, expecting: .response)
        guard case .response(let response) = answer else { throw HookAnswer.Defect("it is not a response") }
        return response
    }

    @Test func `A response has a status, header fields and a body`() throws {
        let response = try read(#""status":201,"headers":{"Location":"/a","ETag":"\"1\""},"body":{"a":[1.50]}"#)
        #expect(response.status == 201 && response.body == .json(Array(#"{"a":[1.50]}"#.utf8)))
        #expect(response.headers.map(\.name) == ["location", "etag"])
        #expect(try read(#""status":200,"body":"a\nb""#).body == .text("a\nb"))
        #expect(try read(#""status":204,"body":null"#).body == nil)
    }

    @Test(arguments: [
        #""body":1"#, #""status":"x""#, #""status":100"#, #""status":600"#, #""status":204,"body":1"#,
        #""status":200,"headers":{"Set-Cookie":"a=b"}"#, #""status":200,"headers":{"Content-Length":"5"}"#,
        #""status":200,"headers":{"Location":"/a\r\nSet-Cookie: b"}"#, #""status":200,"headers":{"Location":1}"#,
        #""status":200,"headers":{"Transfer-Encoding":"chunked"}"#,
    ])
    func `A response with a disallowed status or header field is invalid`(members: String) {
        #expect(throws: HookAnswer.Defect.self) { try read(members) }
    }
}
