import Foundation
import HTTPService
import JSONText
import Notifications
import Synchronization
import TestSupport
import Testing
import TextKit

/// Webhooks to a server that responds correctly, slowly, incorrectly, and with redirects.
struct WebhookTests {
    @Test func `An event is delivered once, with its signature`() async throws {
        let (receiver, sender) = (try Receiver(), try Sender())
        await sender.notifier.use([try .webhook(receiver.url, secret: "a secret of the test")])
        await sender.notifier.post(.sample())
        try await eventually { try await sender.outbox.totals().delivered == 1 }
        let request = try #require(receiver.received.first)
        #expect(receiver.received.count == 1)
        let json = try JSONValue(request.body)
        #expect(json["kind"].text == "job-failed")
        #expect(json["at"].text == "2023-11-14T22:13:20.000Z")
        #expect(json["collection"].text == "Wiki")
        #expect(json["details"]["errors"].text == "3")
        #expect(json["text"].text == "3 of 10 operations failed")
        #expect(request.headers["Fastctl-Delivery"] == "\(try #require(json["id"].int))")
        let header = try #require(request.headers[Webhook.signatureHeader])
        #expect(try Self.check(header, request.text, secret: "a secret of the test", at: nil) == "True")
        #expect(try Self.check(header, request.text + " ", secret: "a secret of the test", at: nil) == "False")
        #expect(try Self.check(header, request.text, secret: "another secret", at: nil) == "False")
        #expect(try Self.check(header, request.text, secret: "a secret of the test", at: 1) == "False")
        await sender.end()
        await receiver.end()
    }

    /// Returns a page or a sample from the repository.
    private static func file(_ path: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The check from the guide.
    private static func recipe() throws -> String {
        let parts = try file("Documentation/Guide/Notifications.md").components(separatedBy: "```python\n")
        return try #require(parts.dropFirst().first?.components(separatedBy: "```").first)
    }

    @Test func `The sample checks signatures with the recipe in the guide`() throws {
        let lines = try Self.recipe().split(separator: "\n")
        #expect(lines.count <= 6 && lines[0] == "import hashlib, hmac, time")
        let sample = try Self.file("Samples/notifications/receiver.py")
        #expect(sample.contains("\n" + lines.dropFirst().joined(separator: "\n") + "\n\n"))
    }

    @Test(arguments: ["", "t", "t=1", "v1=00", "t=1,v1", "t=,v1=", "=,=", ",,", "t=1,v1=ß", "t=x,v1=00", "t=1 v1=00"])
    func `A malformed signature is refused without an error in the receiver`(header: String) throws {
        #expect(try Self.check(header, "{}", secret: "a secret of the test", at: 1) == "False")
    }

    /// Runs the check from the guide.
    private static func check(_ header: String, _ body: String, secret: String, at time: Int?) throws -> String {
        let code = try recipe()
        let now = time.map { "time.time = lambda: \($0)\n" } ?? ""
        let call =
            "import json, sys\nh, b, s = json.load(sys.stdin)\n\(now)print(is_genuine(h, b.encode(), s.encode()))"
        var input = JSONWriter()
        input.value([header, body, secret])
        let run = try ChildProgram.run("/usr/bin/python3", ["-c", code + call], input: input.text)
        #expect(run.errors.isEmpty)
        return run.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test func `After a failure, an event is sent to the target again with the same number`() async throws {
        let receiver = try Receiver { $0 < 2 ? .text("no", status: .serviceUnavailable) : .text("yes") }
        let sender = try Sender()
        await sender.notifier.use([try .webhook(receiver.url)])
        await sender.notifier.post(.sample())
        try await eventually { try await sender.outbox.totals().delivered == 1 }
        #expect(receiver.received.count == 3)
        #expect(Set(receiver.received.map(\.body)).count == 1)
        await sender.end()
        await receiver.end()
    }

    @Test func `After the last attempt, an event is set aside, listed, and delivered when an operator requests it`()
        async throws
    {
        let isUp = Mutex(false)
        let receiver = try Receiver { _ in
            isUp.withLock { $0 } ? .text("yes") : .text("no", status: .internalServerError)
        }
        let sender = try Sender()
        await sender.notifier.use([try .webhook(receiver.url, attempts: 3)])
        await sender.notifier.post(.sample())
        try await eventually { try await sender.outbox.totals().failed == 1 }
        #expect(receiver.received.count == 3)
        let entry = try #require(try await sender.outbox.list().first)
        #expect(entry.isFailed && entry.attempts == 3 && entry.event == .sample() && entry.target == "hook")
        #expect(entry.failure == "127.0.0.1 responds with status 500")
        #expect(sender.log.contains { $0.contains("is put aside") && $0.contains("the last of 3 attempts") })
        isUp.withLock { $0 = true }
        #expect(try await sender.outbox.retry(entry.id + 1, at: .zero) == 0)
        #expect(try await sender.outbox.retry(at: .zero) == 1)
        try await eventually { try await sender.outbox.totals().delivered == 1 }
        #expect(try await sender.outbox.totals().failed == 0)
        await sender.end()
        await receiver.end()
    }

    @Test func `A pause that the target requests is respected, up to one day`() {
        let plan = RetryPlan()
        #expect(plan.pause(after: 1, requested: nil) == .seconds(5))
        #expect(plan.pause(after: 4, requested: nil) == .seconds(40))
        #expect(plan.pause(after: 13, requested: nil) == .seconds(3_600))
        #expect(plan.pause(after: 100, requested: .seconds(1)) == .seconds(3_600))
        #expect(plan.pause(after: 1, requested: .seconds(300)) == .seconds(300))
        #expect(plan.pause(after: 1, requested: .seconds(1 << 31)) == .seconds(86_400))
    }

    @Test(arguments: ["60", "date"]) func `Retry-After is accepted in seconds and as a date`(form: String) async throws
    {
        let receiver = try Receiver { _ in
            var response = ServedResponse.text("later", status: ResponseStatus(429))
            let date = HTTPDate.mail(.seconds(Int(Date().timeIntervalSince1970) + 60)).dropLast("+0000".count) + "GMT"
            response.headers["Retry-After"] = form == "date" ? String(date) : form
            return response
        }
        let sender = try Sender()
        await sender.notifier.use([try .webhook(receiver.url)])
        await sender.notifier.post(.sample())
        try await eventually { try await sender.outbox.list().first?.attempts == 1 }
        let due = try #require(try await sender.outbox.list().first).due
        let pause = due - .seconds(Date().timeIntervalSince1970)
        #expect(pause > .seconds(50) && pause < .seconds(61))
        await sender.end()
        await receiver.end()
    }

    @Test func `A redirect is not followed, wherever it leads`() async throws {
        let inner = try Receiver()
        let innerURL = inner.url
        let receiver = try Receiver { _ in
            var response = ServedResponse.text("", status: ResponseStatus(307))
            response.headers["Location"] = innerURL
            return response
        }
        let sender = try Sender()
        await sender.notifier.use([try .webhook(receiver.url, attempts: 2)])
        await sender.notifier.post(.sample())
        try await eventually { try await sender.outbox.totals().failed == 1 }
        #expect(try await sender.outbox.list().first?.failure?.contains("redirects are not followed") == true)
        #expect(receiver.received.count == 2)
        #expect(inner.received.isEmpty)
        await sender.end()
        await receiver.end()
        await inner.end()
    }

    @Test func `A slow target delays only itself`() async throws {
        let slow = try Receiver { _ in
            try await Task.sleep(for: .seconds(30))
            return .text("")
        }
        let (quick, sender) = (try Receiver(), try Sender())
        await sender.notifier.use([
            try .webhook(slow.url, "slow", attempts: 2, timeLimit: .milliseconds(300)),
            try .webhook(quick.url, "quick"),
        ])
        for number in 0..<20 { await sender.notifier.post(.sample("event \(number)")) }
        try await eventually { quick.received.count == 20 }
        #expect(try await sender.outbox.totals().waiting >= 18)
        // The events arrive in order.
        #expect(try quick.received.map { try JSONValue($0.body)["message"].text } == (0..<20).map { "event \($0)" })
        try await eventually { try await sender.outbox.list().contains { $0.failure?.isEmpty == false } }
        await sender.end()
        await slow.end()
        await quick.end()
    }

    /// The last reply either has a length, or ends with the connection, as the replies of small programs do.
    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\n", "HTTP/1.0 201 OK\r\n\r\nok",
    ])
    func `A malformed response from a target counts as a failure`(last: String) async throws {
        let server = try ScriptedBytes(["HTTP/1.1 2OO fine\r\n\r\n", "\u{0}\u{1}\u{2}", "", last])
        let sender = try Sender()
        let url = "http://127.0.0.1:\(server.port)/"
        await sender.notifier.use([try .webhook(url, attempts: 6, timeLimit: .seconds(60))])
        await sender.notifier.post(.sample())
        try await eventually { try await sender.outbox.totals().delivered == 1 }
        #expect(server.requests == 4)
        await sender.end()
    }

    @Test func `Events wait on disk, and the next server delivers them`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("outbox.sqlite")
        let receiver = try Receiver()
        let first = Notifier(try Outbox(path: path)) { _ in }
        // A port on which nothing listens.
        var target = try NotificationTarget.webhook("http://127.0.0.1:1/")
        target.retries = RetryPlan()
        target.retries.firstPause = .milliseconds(500)
        await first.use([target])
        await first.post(.sample())
        try await eventually { try await Outbox(path: path).list().first?.attempts == 1 }
        await first.drain()
        let outbox = try Outbox(path: path)
        let second = Notifier(outbox) { _ in }
        await second.use([try .webhook(receiver.url)])
        try await eventually { try await outbox.totals().delivered == 1 }
        #expect(receiver.received.count == 1)
        await second.drain()
        await receiver.end()
        folder.remove()
    }

    @Test func `Notifications for a target that no longer exists are set aside`() async throws {
        let sender = try Sender()
        await sender.notifier.use([try .webhook("http://127.0.0.1:1/", "old", attempts: 100)])
        await sender.notifier.post(.sample())
        await sender.notifier.use([])
        let entry = try #require(try await sender.outbox.list().first)
        #expect(entry.isFailed && entry.failure == "the target is no longer in the settings")
        await sender.notifier.post(.sample())
        #expect(try await sender.outbox.list().count == 1)
        await sender.end()
    }

    @Test func `A target gets only the kinds of events that it requests, and repeated events once per interval`()
        async throws
    {
        let (receiver, sender) = (try Receiver(), try Sender())
        var target = try NotificationTarget.webhook(receiver.url)
        target.kinds = [.auditFailed]
        await sender.notifier.use([target])
        await sender.notifier.post(.sample())
        for _ in 0..<5 {
            await sender.notifier.post(.sample("the disk is full", .auditFailed), atMostOncePer: .seconds(600))
        }
        try await eventually { try await sender.outbox.totals().delivered == 1 }
        try await Task.sleep(for: .milliseconds(50))
        #expect(receiver.received.count == 1)
        await sender.end()
        await receiver.end()
    }

    // MARK: Templates

    @Test func `A custom body is valid JSON, whatever the event contains`() async throws {
        let (receiver, sender) = (try Receiver(), try Sender())
        var target = try NotificationTarget.webhook(receiver.url)
        guard case .webhook(var webhook) = target.channel else { return }
        webhook.body = try NotificationTemplate(
            ##"{"channel": "#ops", "text": "{{collection}}: {{ message }} ({{details.errors}})"}"##
        )
        target.channel = .webhook(webhook)
        await sender.notifier.use([target])
        await sender.notifier.post(.sample("a \"quote\", a \\ and\na line, \u{1} \u{2028}"))
        try await eventually { receiver.received.count == 1 }
        let json = try JSONValue(receiver.received[0].body)
        #expect(json["text"].text == "Wiki: a \"quote\", a \\ and\na line, \u{1} \u{2028} (3)")
        #expect(json.members.count == 2)
        await sender.end()
        await receiver.end()
    }

    @Test(arguments: [
        ("{{messages}}", 1, "'messages' is not a value"), ("ab {{message", 4, "no '}}'"),
        ("{{message}} {{details.}}", 13, "'details.' is not"), ("{{}}", 1, "'' is not"),
    ])
    func `A template with an unknown value is refused, with its column`(text: String, column: Int, reason: String) {
        let defect = #expect(throws: NotificationTemplate.Defect.self) { try NotificationTemplate(text) }
        #expect(defect?.column == column)
        #expect(defect?.message.contains(reason) == true)
    }

    @Test func `Braces that do not enclose a placeholder are kept`() throws {
        let template = try NotificationTemplate("}} { {message} {{kind}}{{at}}")
        #expect(
            template.text(of: .sample(), for: "x", on: .line) == "}} { {message} job-failed2023-11-14T22:13:20.000Z"
        )
        #expect(NotificationTemplate.Channel.line.safe("a\r\nBcc: b\u{0}\u{85}\u{2028}ü") == "a  Bcc: b   ü")
        #expect(NotificationTemplate.Channel.text.safe("a\n\tb\r\u{0}") == "a\n\tb  ")
    }
}
