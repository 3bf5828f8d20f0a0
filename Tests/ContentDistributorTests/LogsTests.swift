import Foundation
import HTTPService
import JSONText
import TestSupport
import Testing

@testable import ContentDistributor

/// Explanations and diagnoses: the command runs within limits, and no part of a log is kept.
extension DistributorTests {
    private static let log = """
        11/20/2026 10:00:00.00\tw3wp.exe (0x1234)\t0x1234\tSearch\tGeneral\tabcd\tHigh\tDenied: 0x80070005\t

        """

    /// Returns a server whose command is a script.
    private func server(
        _ place: Place,
        script: String,
        _ limits: (inout DistributorLimits) -> Void = { _ in }
    ) async throws -> ContentDistributor {
        let file = try place.folder.writeScript("command", script)
        var settings = place.settings
        settings.fastctl = file
        limits(&settings.limits)
        return try await ContentDistributor(settings) { _ in }
    }

    private func upload(
        _ path: String,
        _ body: String = log,
        type: String = "text/plain",
        token: String?,
        to server: ContentDistributor
    ) async throws -> Answer {
        let parts = path.split(separator: "?", maxSplits: 1)
        let query = (parts.count > 1 ? parts[1] : "").split(separator: "&").map { item in
            let pair = item.split(separator: "=", maxSplits: 1)
            return (name: String(pair[0]), value: pair.count > 1 ? String(pair[1]) : "")
        }
        var headers: HeaderFields = ["Content-Type": type]
        if let token { headers.append("Authorization", "Bearer \(token)") }
        let request = ServedRequest(
            .post,
            String(parts[0]),
            query: query,
            headers: headers,
            body: .bytes(Array(body.utf8))
        )
        let response = await server.router.respond(to: request)
        let text = String(decoding: try await response.collectBody(upTo: 1 << 24), as: UTF8.self)
        return Answer(status: response.status.code, headers: response.headers, text: text)
    }

    private static func left(_ state: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: state + "/uploads")) ?? []
    }

    /// Waits until no upload folder is left, because the last reference to one may be released after the response.
    private func isClean(_ state: String) async throws -> Bool {
        for _ in 0..<600 where !Self.left(state).isEmpty { try await Task.sleep(for: .milliseconds(50)) }
        return Self.left(state).isEmpty
    }

    @Test func `The command receives only the log, and no part of the log is kept`() async throws {
        let place = try await Place()
        setenv("FASTCTL_SECRET_OF_SERVER", "hidden", 1)
        let server = try await server(
            place,
            script: "echo \"$*\"; env; cat logs/*; mkdir -p a/b; echo x >a/b/c; exit 1"
        )
        let user = try await place.token(.user)
        let path = "/v1/diagnoses?name=WFE1-20261120-1000.log"
        let answer = try await upload(path, token: user, to: server)
        #expect(answer.status == 200 && answer.headers["Content-Type"] == "application/json", "\(answer.text)")
        #expect(answer.text.hasPrefix("diagnose -o json --redact "), "\(answer.text)")
        #expect(answer.text.contains(" logs/WFE1-20261120-1000.log\n") && answer.text.contains(Self.log))
        #expect(!answer.text.contains("SECRET") && !answer.text.contains("FASTCTL"))
        let page = try await upload("/v1/diagnoses?as=html", type: "application/zip", token: user, to: server)
        #expect(page.headers["Content-Type"] == "text/html; charset=utf-8" && page.text.contains("-o html --redact"))
        #expect(page.headers["Content-Security-Policy"]?.hasPrefix("sandbox;") == true)
        let explained = try await upload("/v1/explanations", "0x80070005", token: user, to: server)
        #expect(explained.text.hasPrefix("explain -o json --redact --all -\n"), "\(explained.text)")
        #expect(try await isClean(place.settings.state))
        let audit = try String(contentsOfFile: place.settings.state + "/audit.log", encoding: .utf8)
        #expect(audit.contains("\"diagnose\"") && audit.contains("\"explain\"") && !audit.contains("80070005"))
        await server.drain()
    }

    @Test(arguments: [
        ("/v1/diagnoses?as=pdf", "x", "text/plain", 422), ("/v1/explanations?as=html", "x", "text/plain", 422),
        ("/v1/diagnoses?name=../../state", "x", "text/plain", 422), ("/v1/diagnoses?name=-o", "x", "text/plain", 422),
        ("/v1/diagnoses?name=.hidden", "x", "text/plain", 422), ("/v1/diagnoses?name=a;b", "x", "text/plain", 422),
        ("/v1/diagnoses?name=", "x", "text/plain", 422), ("/v1/diagnoses", "", "text/plain", 422),
        ("/v1/diagnoses", "12345678901", "text/plain", 413), ("/v1/explanations", "12345678901", "text/plain", 413),
        ("/v1/diagnoses", "x", "application/json", 415), ("/v1/explanations", "x", "application/zip", 415),
    ])
    func `A body that is not a log is refused before the command runs`(
        path: String,
        body: String,
        type: String,
        status: Int
    ) async throws {
        let place = try await Place()
        let ran = place.folder.path("ran")
        let server = try await server(place, script: "touch \(ran)") { $0.logBytes = 10 }
        let answer = try await upload(path, body, type: type, token: try await place.token(.user), to: server)
        #expect(answer.status == status, "\(answer.text)")
        #expect(try await upload(path, body, type: type, token: nil, to: server).status == (status == 415 ? 415 : 401))
        #expect(!FileManager.default.fileExists(atPath: ran))
        #expect(try await isClean(place.settings.state))
        await server.drain()
    }

    @Test(arguments: [
        ("exec sleep 600", "tooLong", "'diagnosis-seconds'"), ("echo no events >&2; exit 65", "noReport", "no events"),
        ("kill -9 $$", "noReport", "signal 9"), ("ulimit -v; ulimit -f; exit 9", "noReport", "exit code 9"),
        ("exec dd if=/dev/zero bs=1M count=100", "noReport", "the command"),
        ("exec python3 -c 'x = bytearray(1 << 30)'", "noReport", "MemoryError"),
    ])
    func `If a command produces no report, the response is a problem with the command's message`(
        script: String,
        code: String,
        words: String
    ) async throws {
        let place = try await Place()
        let server = try await server(place, script: script) {
            $0.diagnosisMemory = 512 << 20
            if code == "tooLong" { $0.diagnosisSeconds = 1 }
        }
        let answer = try await upload("/v1/diagnoses", token: try await place.token(.user), to: server)
        #expect(answer.status == 422 && answer.json["code"].text == code, "\(answer.text)")
        #expect(answer.text.contains(words) && !answer.text.contains(place.folder.path("")), "\(answer.text)")
        #expect(try await isClean(place.settings.state))
        await server.drain()
    }

    // MARK: Logs of farms

    /// Returns a server whose settings name logs, and whose command is a script.
    private func serverOfFarm(_ place: Place, script: String) async throws -> ContentDistributor {
        let text = """
            target: \(place.settings.target)
            state: \(place.settings.state)
            logs:
              production: {paths: [farm, /srv/logs/b], zones: WFE1=Europe/Vienna, farm: farm.json, roles: [admin, user]}
              secret: {paths: other}
            """
        try text.write(toFile: place.folder.path("d.yaml"), atomically: true, encoding: .utf8)
        let file = try place.folder.writeScript("command", script)
        var settings = place.settings
        settings.logs = try DistributorSettings.read(place.folder.path("d.yaml")).logs
        settings.fastctl = file
        return try await ContentDistributor(settings) { _ in }
    }

    @Test func `Logs in the settings are examined by name, and no log can be chosen by path`() async throws {
        let place = try await Place()
        let ran = place.folder.path("ran")
        let server = try await serverOfFarm(place, script: "touch \(ran); echo \"$*\"; ls logs")
        let (admin, user, application) = (
            try await place.token(.admin), try await place.token(.user), try await place.token(.application)
        )
        func names(_ token: String) async throws -> [String?] {
            let answer = try await send(.get, "/v1/logs", "", token: token, to: server)
            return answer.json["logs"].elements.map { $0["name"].text }
        }
        #expect(try await names(admin) == ["production", "secret"])
        #expect(try await names(user) == ["production"])
        #expect(try await names(application).isEmpty)

        let diagnosis = try await upload("/v1/diagnoses?logs=production", "", token: user, to: server)
        let paths = "\(place.folder.path("farm")) /srv/logs/b\n"
        #expect(diagnosis.status == 200 && diagnosis.text.hasSuffix(paths), "\(diagnosis.text)")
        let facts = " --tz WFE1=Europe/Vienna --farm \(place.folder.path("farm.json")) "
        #expect(diagnosis.text.contains(facts) && diagnosis.text.contains("--redact"))
        let correlation = "{9446A0F0-1234"
        let trace = try await upload(
            "/v1/traces?logs=production&correlation=\(correlation)",
            "",
            token: user,
            to: server
        )
        #expect(trace.text.hasPrefix("logs trace -o json --redact "), "\(trace.text)")
        #expect(trace.text.hasSuffix(" --tz WFE1=Europe/Vienna \(correlation) \(paths)"), "\(trace.text)")
        let own = try await upload("/v1/traces?correlation=9446&name=WFE1.log", token: user, to: server)
        #expect(own.text.contains(" 9446 logs/WFE1.log\nWFE1.log\n"), "\(own.text)")

        try FileManager.default.removeItem(atPath: ran)
        for (query, body, token) in [
            ("logs=secret", "", user), ("logs=production", "", application), ("logs=/srv/logs/b", "", admin),
            ("logs=production/..", "", admin), ("logs=", "", admin), ("logs=production", "a row", user),
        ] {
            for path in ["/v1/diagnoses?\(query)", "/v1/traces?correlation=94460000&\(query)"] {
                let answer = try await upload(path, body, token: token, to: server)
                #expect(answer.status == 422, "\(path): \(answer.text)")
            }
        }
        for wrong in ["", "944", "-o12", "94460000x", "--exec=94460000", "9446 0000", "-9446"] {
            let answer = try await upload(
                "/v1/traces?logs=production&correlation=\(wrong)",
                "",
                token: user,
                to: server
            )
            #expect(answer.status == 422 && answer.json["field"].text == "correlation", "\(wrong): \(answer.text)")
        }
        #expect(!FileManager.default.fileExists(atPath: ran))
        let audit = try String(contentsOfFile: place.settings.state + "/audit.log", encoding: .utf8)
        #expect(audit.contains("logs production") && !audit.contains("9446A0F0"))
        #expect(try await isClean(place.settings.state))
        await server.drain()
    }

    @Test(arguments: [
        ("{paths: []}", "without a path"), ("{zones: UTC}", "paths"), ("{paths: a, zones: Europe/Wien}", "Europe/Wien"),
        ("{paths: a, roles: everyone}", "'everyone' is not a role"), ("{paths: ''}", "a path is empty"),
        ("{path: a}", "path"),
    ])
    func `Nonsensical log entries in the settings are refused`(text: String, reason: String) async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("d.yaml")
        try "target: a\nlogs:\n  x: \(text)\n".write(toFile: file, atomically: true, encoding: .utf8)
        let error = #expect(throws: SettingsError.self) { try DistributorSettings.read(file) }
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    /// Returns the name and the data of each event in a stream.
    private static func events(in text: String) -> [(name: String, data: String)] {
        text.components(separatedBy: "\n\n").filter { !$0.isEmpty }.map { block in
            let lines = block.components(separatedBy: "\n")
            let values = { (key: String) in lines.filter { $0.hasPrefix(key) }.map { String($0.dropFirst(key.count)) } }
            return (values("event: ").joined(), values("data: ").joined(separator: "\n"))
        }
    }

    @Test(arguments: [
        ("echo '{\"a\":'; echo '1}'; exit 1", "report", "{\"a\": 1} "),
        ("echo 'no events' >&2; exit 65", "problem", "no events"),
    ])
    func `A streamed diagnosis reports its progress, and ends with its report or its problem`(
        script: String,
        name: String,
        data: String
    ) async throws {
        let place = try await Place()
        let progress = #"printf '{"schema":"fastctl.progress/1","per' >&2; sleep 0.2; echo 'cent":7}' >&2; sleep 0.2"#
        let server = try await serverOfFarm(place, script: "echo \"words $*\" >&2\n\(progress)\n\(script)")
        let token = try await place.token(.user)
        let request = ServedRequest(
            .post,
            "/v1/diagnoses",
            query: [(name: "logs", value: "production")],
            headers: ["Authorization": "Bearer \(token)", "Accept": "text/event-stream"],
            body: .empty
        )
        let response = await server.router.respond(to: request)
        #expect(response.headers["Content-Type"] == "text/event-stream")
        let text = String(decoding: try await response.collectBody(upTo: 1 << 20), as: UTF8.self)
        let events = Self.events(in: text)
        #expect(events.map(\.name) == ["progress", name], "\(text)")
        #expect(events.first?.data == #"{"schema":"fastctl.progress/1","percent":7}"#)
        if name == "report" {
            #expect(events.last?.data == data)
        } else {
            #expect(events.last?.data.contains(data) == true && events.last?.data.contains("percent") == false)
        }
        // The client may begin the next request, although the connection is still sending the response.
        let next = await server.router.respond(to: request)
        withExtendedLifetime(response) {}
        #expect(next.status == .ok)
        _ = try await next.collectBody(upTo: 1 << 20)
        #expect(try await isClean(place.settings.state))
        await server.drain()
    }

    @Test func `Each client can have one log examined at once, and a killed server's leftovers are removed`()
        async throws
    {
        let place = try await Place()
        let old = place.settings.state + "/uploads/old/logs"
        try FileManager.default.createDirectory(atPath: old, withIntermediateDirectories: true)
        try "x".write(toFile: old + "/upload", atomically: true, encoding: .utf8)
        let (go, state) = (place.folder.path("go"), place.settings.state)
        let server = try await server(place, script: "while ! test -e \(go); do sleep 0.05; done; echo done")
        #expect(Self.left(state).isEmpty)
        let (one, two, three) = (
            try await place.token(.user), try await place.token(.user), try await place.token(.user)
        )
        async let first = upload("/v1/diagnoses", token: one, to: server)
        async let second = upload("/v1/diagnoses", token: two, to: server)
        for _ in 0..<600 where Self.left(state).count < 2 { try await Task.sleep(for: .milliseconds(50)) }
        for token in [one, three] {
            let refused = try await upload("/v1/diagnoses", token: token, to: server)
            #expect(refused.status == 429 && refused.text.contains("'diagnoses'"), "\(refused.text)")
        }
        try "".write(toFile: go, atomically: true, encoding: .utf8)
        let texts = try await [first.text, second.text]
        #expect(texts == ["done\n", "done\n"])
        #expect(try await isClean(state))
        // The slot is free again.
        #expect(try await upload("/v1/diagnoses", token: three, to: server).status == 200)
        await server.drain()
    }

    @Test(.timeLimit(.minutes(3)), arguments: ["", "Accept: text/event-stream\r\n"])
    func `The command is ended and the log removed when the client disconnects`(field: String) async throws {
        let live = try await LiveDistributor(["Web": [:]])
        let pid = live.folder.path("pid")
        let file = try live.folder.writeScript("command", "echo $$ >\(pid).new; mv \(pid).new \(pid); exec sleep 600")
        var settings = live.distributor.settings
        settings.fastctl = file
        settings.limits.diagnosisSeconds = 600
        try live.distributor.reload(settings, from: "d.yaml")
        let token = try await live.token(.user)
        try await live.client { client in
            let head =
                "POST /v1/diagnoses HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n"
                + "\(field)Content-Type: text/plain\r\nContent-Length: 3\r\n\r\nlog"
            #expect(client.socket.send(Array(head.utf8)))
            for _ in 0..<600 where !FileManager.default.fileExists(atPath: pid) { usleep(50_000) }
            client.socket.close()
        }
        let number = try #require(
            Int32(try String(contentsOfFile: pid, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines))
        )
        for _ in 0..<1_200 where kill(number, 0) == 0 { try await Task.sleep(for: .milliseconds(50)) }
        #expect(kill(number, 0) != 0)
        #expect(try await isClean(live.distributor.settings.state))
        await live.end()
    }

    @Test(.enabled(if: ChildProgram.fastctl != nil, "the program fastctl is not built"))
    func `fastctl explains and diagnoses logs within the limits`() async throws {
        let place = try await Place()
        var settings = place.settings
        settings.fastctl = try #require(ChildProgram.fastctl).path
        let server = try await ContentDistributor(settings) { _ in }
        let user = try await place.token(.user)
        let report = try await upload("/v1/diagnoses", token: user, to: server)
        #expect(
            report.status == 200 && report.json["schema"].text == "fastctl.diagnosis/1",
            "\(report.text.prefix(500))"
        )
        #expect(report.json["inputs"]["rows"].int == 1)
        let page = try await upload("/v1/diagnoses?as=html", token: user, to: server)
        #expect(page.status == 200 && page.text.hasPrefix("<!DOCTYPE html>"), "\(page.text.prefix(500))")
        let explained = try await upload("/v1/explanations", "0x80070005", token: user, to: server)
        #expect(explained.json.elements.first?["known"].bool == true, "\(explained.text)")
        let unknown = try await upload("/v1/explanations", "zzz qqq", token: user, to: server)
        #expect(unknown.status == 200 && unknown.json.elements.first?["known"].bool == false, "\(unknown.text)")
        let other = try await upload("/v1/diagnoses", "hello\n", token: user, to: server)
        #expect(other.status == 422 && other.json["code"].text == "noReport", "\(other.text)")
        #expect(try await isClean(place.settings.state))
        await server.drain()
    }
}
