import ContentFeeding
import Digests
import EngineSQLite
import Foundation
import HTTPService
import JSONText
import Notifications
import Schedules
import Synchronization
import TestSupport
import Testing
import TextKit
import Threads

@testable import ContentDistributor

/// Notifications of a complete server: its settings, its requests, and the events that it reports on its own.
struct NotificationTests {
    /// A server with settings from text, and a receiver of webhooks.
    private final class Notifying: Sendable {
        let folder: TemporaryFolder
        let distributor: ContentDistributor
        let server: HTTPServer
        let receiver: HTTPServer
        private let inbox: Inbox

        private final class Inbox: Sendable {
            let events = Mutex<[JSONValue]>([])
            let arrived = ChangeSignal()
        }

        var events: [JSONValue] { inbox.events.withLock { $0 } }

        /// Returns once the receiver has the given number of events.
        func received(_ count: Int) async throws {
            let end = ContinuousClock.now.advanced(by: .seconds(60))
            while true {
                let version = inbox.arrived.version
                guard events.count < count else { return }
                guard await inbox.arrived.change(after: version, until: end) else { throw NotReached() }
            }
        }

        /// `RECEIVER` in the text is the URL of the receiver.
        init(_ notifications: String) async throws {
            let inbox = Inbox()
            self.inbox = inbox
            var router = HTTPRouter()
            router.on(.post, "/hook") { request in
                let json = try JSONValue(try await request.body.collect(upTo: 1 << 20))
                inbox.events.withLock { $0.append(json) }
                inbox.arrived.notify()
                return .text("")
            }
            var configuration = ServerConfiguration()
            configuration.port = 0
            receiver = try HTTPServer(configuration, router: router)
            folder = try TemporaryFolder()
            try Data(P256PrivateKey().pem.utf8).write(to: URL(filePath: folder.path("vapid.pem")))
            try Data("a secret of the test\n".utf8).write(to: URL(filePath: folder.path("hook.secret")))
            let store = try await SQLiteEngine.create(path: folder.path("store.sqlite"))
            try await store.create("Wiki", settings: [])
            try Self.write(notifications, receiver, folder)
            let settings = try DistributorSettings.read(folder.path("d.yaml"))
            distributor = try await ContentDistributor(settings) { _ in }
            server = try HTTPServer(configuration, router: distributor.router)
        }

        private static func write(_ notifications: String, _ receiver: HTTPServer, _ folder: TemporaryFolder) throws {
            let text =
                "target: sqlite:\(folder.path("store.sqlite"))\ncollections: {Wiki: {insert: users, update: users, delete: users}}\n"
                + "notifications:\n"
                + notifications.replacing("RECEIVER", with: "http://127.0.0.1:\(receiver.port)/hook")
            try text.write(toFile: folder.path("d.yaml"), atomically: true, encoding: .utf8)
        }

        func reload(_ notifications: String) throws {
            try Self.write(notifications, receiver, folder)
            try #require(distributor.reload(from: folder.path("d.yaml")))
        }

        func token(_ role: AccessToken.Role, _ name: String = "ann") async throws -> String {
            try await distributor.tokens.create(name, role, at: .seconds(1)).secret
        }

        func send(
            _ method: String,
            _ target: String,
            _ body: String? = nil,
            token: String?
        ) async throws -> DistributorClient.Answer {
            let port = server.port
            return try await onOwnThread {
                Result { try DistributorClient(Socket.connected(to: port)).send(method, target, body, token: token) }
            }.get()
        }

        func end() async {
            await server.shutDown(within: .zero)
            await distributor.drain()
            await receiver.shutDown(within: .zero)
            folder.remove()
        }
    }

    private struct NotReached: Error {}

    private func eventually(_ isSo: () async throws -> Bool) async throws {
        let end = ContinuousClock.now.advanced(by: .seconds(60))
        while try await !isSo() {
            guard ContinuousClock.now < end else { throw NotReached() }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    private static let hook = """
          hook: {webhook: RECEIVER, secret-file: hook.secret, allow: [127.0.0.1], events: [job-ended, job-failed]}

        """

    private static let push = """
          phones: {web-push: {key-file: vapid.pem, subject: 'mailto:a@b', access: users}, events: [findings]}

        """

    // MARK: Events

    @Test func `The end of a session is reported with its errors`() async throws {
        let server = try await Notifying(Self.hook)
        let token = try await server.token(.user)
        func feed(_ operation: String, _ line: String) async throws {
            let made = try await server.send("POST", "/v1/collections/Wiki/sessions", token: token)
            let id = try #require(made.json["session"].text ?? made.json["id"].text, "\(made.text)")
            let batch = "/v1/sessions/\(id)/batches/1?operation=\(operation)"
            #expect(try await server.send("PUT", batch, line + "\n", token: token).status < 300)
            #expect(try await server.send("DELETE", "/v1/sessions/\(id)", token: token).status < 300)
        }
        try await feed("add", #"{"id": "a", "title": "x"}"#)
        try await server.received(1)
        #expect(server.events[0]["kind"].text == "job-ended")
        #expect(server.events[0]["collection"].text == "Wiki")
        #expect(server.events[0]["message"].text == "1 operation ended without an error")
        try await feed("remove", #""missing""#)
        try await server.received(2)
        #expect(server.events[1]["kind"].text == "job-failed")
        #expect(server.events[1]["details"]["errors"].text == "1")
        await server.end()
    }

    @Test func `A reload replaces the targets, and administrators see the notifications waiting for them`()
        async throws
    {
        let server = try await Notifying("  gone: {webhook: 'https://gone.invalid/', events: [findings]}\n")
        let admin = try await server.token(.admin)
        let user = try await server.token(.user)
        let event = ServerEvent(.findings, at: .seconds(1), subject: "farm", message: "2 new findings")
        await server.distributor.events.post(event)
        try await eventually {
            let list = try await server.send("GET", "/v1/notifications", token: admin).json
            return list["notifications"].elements.first?["attempts"].int == 1
        }
        #expect(try await server.send("GET", "/v1/notifications", token: user).status == 403)
        try server.reload("  hook: {webhook: RECEIVER, allow: [127.0.0.1], events: [findings]}\n")
        try await eventually {
            let list = try await server.send("GET", "/v1/notifications", token: admin).json
            return list["failed"].int == 1
        }
        let entry = try await server.send("GET", "/v1/notifications", token: admin).json["notifications"].elements[0]
        #expect(entry["target"].text == "gone" && entry["state"].text == "failed")
        #expect(entry["failure"].text == "the target is no longer in the settings")
        await server.distributor.events.post(event)
        try await server.received(1)
        let metrics = try await server.send("GET", "/metrics", token: admin).text
        #expect(metrics.contains("distributor_notifications_failed 1\n"))
        await server.end()
    }

    // MARK: Browsers

    @Test func `Users subscribe their own browsers, and each change is recorded in the audit log`() async throws {
        let server = try await Notifying(Self.push)
        let (ann, bob) = (try await server.token(.user), try await server.token(.user, "bob"))
        func path(_ endpoint: String) -> String { "/v1/push-subscriptions?endpoint=\(endpoint)" }
        func body(_ endpoint: String, key: String? = nil) -> String {
            let key = key ?? Base64.urlText(P256PrivateKey().publicKey)
            return #"{"endpoint": "\#(endpoint)", "keys": {"p256dh": "\#(key)", "auth": "BTBZMqHH6r4Tts7J_aSIgg"}}"#
        }
        func status(_ method: String, _ target: String, _ body: String? = nil, _ token: String?) async throws -> Int {
            try await server.send(method, target, body, token: token).status
        }
        #expect(try await status("GET", "/v1/push-key", nil, nil) == 401)
        let key = try await server.send("GET", "/v1/push-key", token: ann).json["key"].text
        let file = try String(contentsOfFile: server.folder.path("vapid.pem"), encoding: .utf8)
        #expect(key == P256PrivateKey(pem: file).map { Base64.urlText($0.publicKey) })
        // Its name has no address yet: whether the address is public is checked when an event is sent.
        let endpoint = "https://push.invalid/secret"
        #expect(try await status("POST", "/v1/push-subscriptions", body(endpoint), ann) == 201)
        #expect(try await status("POST", "/v1/push-subscriptions", body(endpoint), ann) == 204)
        #expect(try await status("POST", "/v1/push-subscriptions", body(endpoint), bob) == 409)
        #expect(try await status("POST", "/v1/push-subscriptions", body(endpoint), nil) == 401)
        for wrong in [
            body("https://127.0.0.1/"), body("http://push.invalid/"), body("https://[::1]/"),
            body(endpoint, key: "AAAA"),
            "{}", "[", body("https://169.254.169.254/latest"),
        ] {
            #expect(try await status("POST", "/v1/push-subscriptions", wrong, ann) == 422, "\(wrong)")
        }
        #expect(try await status("DELETE", path(endpoint), nil, bob) == 404)
        #expect(try await status("DELETE", path(endpoint), nil, ann) == 204)
        #expect(try await status("DELETE", path(endpoint), nil, ann) == 404)
        for number in 0..<20 {
            #expect(try await status("POST", "/v1/push-subscriptions", body("\(endpoint)\(number)"), ann) == 201)
        }
        #expect(try await status("POST", "/v1/push-subscriptions", body("\(endpoint)20"), ann) == 429)
        let log = try String(contentsOfFile: server.folder.path("state/audit.log"), encoding: .utf8)
        #expect(
            log.contains("push subscribe") && log.contains("push unsubscribe") && log.contains("https://push.invalid")
        )
        #expect(!log.contains("/secret"))
        await server.end()
    }

    @Test func `Without a rule, only administrators can subscribe, and without a target, no browser can`()
        async throws
    {
        let closed = try await Notifying(Self.push.replacing(", access: users", with: ""))
        let user = try await closed.token(.user)
        #expect(try await closed.send("GET", "/v1/push-key", token: user).status == 403)
        let admin = try await closed.token(.admin)
        #expect(try await closed.send("GET", "/v1/push-key", token: admin).status == 200)
        await closed.end()
        let none = try await Notifying(Self.hook)
        let other = try await none.token(.admin)
        #expect(try await none.send("GET", "/v1/push-key", token: other).status == 404)
        await none.end()
    }

    // MARK: Settings

    private static func settings(_ notifications: String) throws -> DistributorSettings {
        let folder = try TemporaryFolder()
        for (name, text) in [
            ("vapid.pem", P256PrivateKey().pem), ("ops.secret", "0123456789abcdef0123456789abcdef\n"), ("short", "abc"),
            ("mail.password", "a password\n"), ("two", "a\nb\n"),
        ] { try Data(text.utf8).write(to: URL(filePath: folder.path(name))) }
        let text = "target: a\n" + notifications
        try text.write(toFile: folder.path("d.yaml"), atomically: true, encoding: .utf8)
        return try DistributorSettings.read(folder.path("d.yaml"))
    }

    @Test func `The settings in the guide are valid`() throws {
        let guide = try String(
            contentsOfFile: #filePath.replacing("Tests/ContentDistributorTests/NotificationTests.swift", with: "")
                + "Documentation/Guide/Notifications.md",
            encoding: .utf8
        )
        let blocks = guide.components(separatedBy: "```yaml\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
        #expect(blocks.count >= 1)
        for block in blocks { #expect(try !Self.settings(block).notifications.targets.isEmpty) }
        for kind in ServerEvent.Kind.allCases { #expect(guide.contains("| `\(kind.rawValue)` |"), "\(kind.rawValue)") }
    }

    @Test(arguments: [
        ("webhook: 'https://a/'", "'t' has no events"), ("webhook: 'https://a/', events: []", "'t' has no events"),
        ("webhook: 'https://a/', events: [all]", ":2:53: 'all' is not an event"),
        ("events: [findings]", "is not one of webhook, mail and web-push"),
        ("webhook: 'http://a/', events: [findings]", "is not an https URL"),
        ("webhook: 'https://u:p@a/', events: [findings]", "is not a plain URL"),
        ("webhook: 'https://a/', events: [findings], template: 'x {{mesage}}'", "'mesage' is not a value"),
        ("webhook: 'https://a/', events: [findings], body: '{{message}}'", "the body is not JSON"),
        ("webhook: 'https://a/', events: [findings], secret-file: none", "the secret can't be read"),
        ("webhook: 'https://a/', events: [findings], secret-file: short", "fewer than 16 bytes"),
        ("webhook: 'https://a/', events: [findings], secret-file: two", "does not contain exactly one line"),
        ("webhook: 'https://a/', events: [findings], allow: ['a:80']", "'a:80' is not a host"),
        ("webhook: 'https://a/', events: [findings], attempts: 0", "from 1 to 100"),
        ("webhook: 'https://a/', events: [findings], timeout: 2m", "from 100ms to 60s"),
        ("mail: {server: 'https://a', from: a@b, to: [c@d]}, events: [findings]", "the mail server is not a URL"),
        ("mail: {server: 'smtp://a/x', from: a@b, to: [c@d]}, events: [findings]", "the mail server is not a URL"),
        ("mail: {server: 'smtp://a', from: 'a b@c', to: [c@d]}, events: [findings]", "'a b@c' is not a mail address"),
        ("mail: {server: 'smtp://a', from: a@b, to: []}, events: [findings]", "from 1 to 100 recipients"),
        ("mail: {server: 'smtp://a', from: a@b, to: [c@d], user: u}, events: [findings]", "a user needs a password"),
        ("web-push: {key-file: short, subject: 'mailto:a@b'}, events: [findings]", "not a private key on P-256"),
        ("web-push: {key-file: vapid.pem, subject: a@b}, events: [findings]", "not a mailto: or https: URL"),
        (
            "web-push: {key-file: vapid.pem, subject: 'mailto:a@b', access: everyone}, events: [findings]",
            "'everyone' is not a rule about signed-in users"
        ),
        ("webhook: 'https://a/', events: [findings], foo: 1", "unknown key"),
    ])
    func `A target that can't be used is refused when the server starts`(target: String, message: String) {
        #expect {
            _ = try Self.settings("notifications: {t: {\(target)}}\n")
        } throws: { error in
            (error as? SettingsError)?.message.contains(message) ?? false
        }
    }
}

// MARK: - Failures of the server's surroundings

extension DistributorTests {
    /// Returns the settings of a server's folder, extended by text.
    private func settings(_ place: Place, adding text: String) throws -> DistributorSettings {
        let file = place.folder.path("d.yaml")
        try "target: a\n\(text)\n".write(toFile: file, atomically: true, encoding: .utf8)
        let read = try DistributorSettings.read(file)
        var settings = place.settings
        (settings.notifications, settings.schedules) = (read.notifications, read.schedules)
        return settings
    }

    /// Returns the messages of the events of one kind that were stored for a target.
    private func messages(_ kind: ServerEvent.Kind, on server: ContentDistributor) async throws -> [String] {
        try await server.outbox.list().compactMap(\.event).filter { $0.kind == kind }.map(\.message)
    }

    @Test(.timeLimit(.minutes(3)))
    func `An engine that does not respond for five minutes is reported, and then once an hour`() async throws {
        let place = try await Place()
        let token = try await place.token(.application)
        let first = try await place.server()
        let begun = try await send(.post, "/v1/collections/Web/sessions?outcomes=all", token: token, to: first)
        let path = try #require(begun.headers["Location"])
        // The batch is accepted, but not fed.
        try FileManager.default.removeItem(atPath: place.folder.path("store.sqlite"))
        #expect(try await send(.put, path + "/batches/1", "{\"id\":\"a\"}", token: token, to: first).status == 202)
        _ = try await send(.get, path + "/batches/1?timeout=60", token: token, to: first)
        await first.drain()

        let text = "notifications: {ops: {webhook: 'https://ops.invalid/', events: [engine-unavailable, job-failed]}}"
        var settings = try settings(place, adding: text)
        settings.target = "opensearch+http://127.0.0.1:1"
        let clock = ServerClock()
        let server = try await ContentDistributor(settings, clock: clock) { _ in }
        // At each step, the session has tried again, and sleeps until the next attempt.
        await clock.untilSleeping()
        for (step, count) in [(298, 0), (2, 1), (4, 1), (3_500, 1), (100, 2)] {
            clock.advance(by: .seconds(step))
            await clock.untilSleeping()
            #expect(try await messages(.engineUnavailable, on: server).count == count, "after \(clock.uptime)")
        }
        let message = try await messages(.engineUnavailable, on: server)[0]
        #expect(message.hasPrefix("The engine has accepted nothing for 5 minutes: "), "\(message)")
        #expect(try await messages(.jobFailed, on: server) == [])
        let state = try await send(.get, path, token: token, to: server)
        #expect(state.json["settledThrough"].int == 0, "\(state.text)")
        await server.drain()
    }

    @Test func `An audit log that can't be written is reported once, and schedules do not run`() async throws {
        let place = try await Place()
        let text = """
            notifications: {ops: {webhook: 'https://ops.invalid/', events: [audit-failed]}}
            schedules: {job: {cron: on-demand, command: [touch, ran]}}
            """
        let settings = try settings(place, adding: text)
        // A disk that is always full.
        let log = place.settings.state + "/audit.log"
        try FileManager.default.createSymbolicLink(atPath: log, withDestinationPath: "/dev/full")
        let server = try await ContentDistributor(settings) { _ in }
        let token = try await place.token(.application)
        for id in ["a", "b"] {
            let answer = try await send(.put, "/v1/collections/Web/documents/\(id)", "{}", token: token, to: server)
            #expect(answer.status == 503, "\(answer.text)")
        }
        let found = try await messages(.auditFailed, on: server)
        #expect(found.count == 1 && found[0].hasPrefix("A change was not written to the audit log: "), "\(found)")
        let schedules = server.schedules
        _ = try await schedules.scheduler.runNow(settings.schedules[0].schedule, for: "test")
        var runs = try await schedules.history.runs(of: "job")
        while runs.first?.state.isFinal != true {
            try await Task.sleep(for: .milliseconds(5))
            runs = try await schedules.history.runs(of: "job")
        }
        #expect(runs.map(\.state) == [.failed] && runs[0].output.hasPrefix("nothing was run, because"), "\(runs)")
        #expect(!FileManager.default.fileExists(atPath: place.folder.path("ran")))
        await server.drain()
    }
}
