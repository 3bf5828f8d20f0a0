import Foundation
import HTTPClient
import HTTPService
import JSONText
import Notifications
import Synchronization
import TestSupport
import Testing
import TextKit

/// Mail, received by aiosmtpd.
struct MailTests {
    /// A mail server that writes each message into a folder; if it has a certificate, it requires STARTTLS and a
    /// password.
    private final class MailReceiver: Sendable {
        let folder: TemporaryFolder
        let port: Int
        private let child: ChildProgram

        private static let program = """
            import asyncio, email, email.policy, json, pathlib, ssl, sys
            from aiosmtpd.smtp import SMTP, AuthResult
            folder, certificate = pathlib.Path(sys.argv[1]), sys.argv[2:]
            count = 0
            class Handler:
                async def handle_RCPT(self, server, session, envelope, address, options):
                    if address.startswith('nobody@'): return '550 5.1.1 no such user'
                    if address.startswith('later@'): return '451 4.3.0 later'
                    envelope.rcpt_tos.append(address)
                    return '250 OK'
                async def handle_DATA(self, server, session, envelope):
                    global count
                    message = email.message_from_bytes(envelope.content, policy=email.policy.default)
                    part = {'from': envelope.mail_from, 'to': envelope.rcpt_tos, 'tls': bool(session.ssl),
                            'authenticated': bool(session.authenticated), 'headers': [n for n, _ in message.items()],
                            'subject': message['Subject'], 'header_to': message['To'], 'date': message['Date'],
                            'id': message['Message-ID'], 'text': message.get_content(),
                            'defects': [str(d) for d in message.defects],
                            'longest': max(len(line) for line in envelope.content.split(b'\\r\\n'))}
                    (folder / f'new-{count}').write_text(json.dumps(part))
                    (folder / f'new-{count}').rename(folder / f'{count}.json')
                    count += 1
                    return '250 OK'
            def sign_in(server, session, envelope, mechanism, data):
                return AuthResult(success=(data.login, data.password) == (b'feeder', b'a password'))
            options = {}
            if certificate:
                context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
                context.load_cert_chain(*certificate)
                options = dict(tls_context=context, require_starttls=True, authenticator=sign_in, auth_required=True)
            async def serve():
                loop = asyncio.get_running_loop()
                server = await loop.create_server(lambda: SMTP(Handler(), loop=loop, **options), '127.0.0.1', 0)
                (folder / 'new').write_text(str(server.sockets[0].getsockname()[1]))
                (folder / 'new').rename(folder / 'port')
                await asyncio.sleep(120)
            asyncio.run(serve())
            """

        init(certificate: [String] = []) async throws {
            folder = try TemporaryFolder()
            child = try ChildProgram("/usr/bin/python3", ["-c", Self.program, folder.path("")] + certificate)
            let path = folder.path("port")
            try await eventually { FileManager.default.fileExists(atPath: path) }
            port = try #require(Int(try String(contentsOfFile: path, encoding: .utf8)))
        }

        var messages: [JSONValue] {
            get throws {
                var messages: [JSONValue] = []
                while let data = FileManager.default.contents(atPath: folder.path("\(messages.count).json")) {
                    messages.append(try JSONValue(Array(data)))
                }
                return messages
            }
        }
    }

    private static func target(
        _ port: Int,
        to recipients: [String] = ["ops@example.org", "boss@example.org"],
        _ change: (inout MailTarget) -> Void = { _ in }
    ) -> NotificationTarget {
        let server = MailServer(host: "127.0.0.1", port: port, security: .none)
        var mail = MailTarget(server, from: "distributor@example.org", to: recipients)
        change(&mail)
        var target = NotificationTarget("mail", Set(ServerEvent.Kind.allCases), .mail(mail))
        target.retries.attempts = 3
        target.retries.firstPause = .milliseconds(20)
        return target
    }

    @Test func `An email is delivered, and an event can't add headers to it`() async throws {
        let (receiver, sender) = (try await MailReceiver(), try Sender())
        await sender.notifier.use([Self.target(receiver.port)])
        var event = ServerEvent.sample(
            "Größe: 3 of 10 failed\r\n.\r\nQUIT\r\n\u{1F4E8}" + String(repeating: "x", count: 2_000)
        )
        event.subject = "session\r\nBcc: all@example.org\r\n\r\nünder attack " + String(repeating: "ä", count: 100)
        event.details["a\r\nb"] = "c\r\nd"
        await sender.notifier.post(event)
        try await eventually { try receiver.messages.count == 1 }
        let mail = try #require(try receiver.messages.first)
        #expect(mail["from"].text == "distributor@example.org")
        #expect(mail["to"].elements.compactMap(\.text) == ["ops@example.org", "boss@example.org"])
        #expect(mail["header_to"].text == "ops@example.org, boss@example.org")
        #expect(
            mail["headers"].elements.compactMap(\.text) == [
                "Date", "From", "To", "Message-ID", "Subject", "MIME-Version", "Content-Type",
                "Content-Transfer-Encoding", "Auto-Submitted",
            ]
        )
        let subject = event.subject.replacing("\r\n", with: "  ")
        #expect(mail["subject"].text == "job-failed: \(subject)")
        #expect(mail["date"].text == "Tue, 14 Nov 2023 22:13:20 +0000")
        #expect(mail["text"].text?.contains("Größe: 3 of 10 failed \n. \nQUIT \n\u{1F4E8}xxx") == true)
        #expect(mail["text"].text?.contains("\na  b: c  d\nerrors: 3\n") == true)
        #expect(mail["defects"].elements.isEmpty)
        #expect(try #require(mail["longest"].int) <= 78)
        try await eventually { try await sender.outbox.totals().delivered == 1 }
        await sender.end()
    }

    @Test func `A refused recipient ends the delivery to all recipients, and a busy server is tried again`()
        async throws
    {
        let (receiver, sender) = (try await MailReceiver(), try Sender())
        await sender.notifier.use([Self.target(receiver.port, to: ["ops@example.org", "nobody@example.org"])])
        await sender.notifier.post(.sample())
        try await eventually { try await sender.outbox.totals().failed == 1 }
        let entry = try #require(try await sender.outbox.list().first)
        #expect(entry.attempts == 1 && entry.failure?.contains("550") == true)
        await sender.notifier.use([Self.target(receiver.port, to: ["later@example.org"])])
        _ = try await sender.outbox.retry(at: .zero)
        await sender.notifier.post(.sample("another"))
        try await eventually { try await sender.outbox.totals().failed == 2 }
        #expect(try await sender.outbox.list().allSatisfy { $0.attempts == 3 && $0.failure?.contains("451") == true })
        #expect(try receiver.messages.isEmpty)
        await sender.end()
    }

    @Test func `With STARTTLS, a password is sent only to the server that the certificate names`() async throws {
        let folder = try TemporaryFolder()
        let (certificate, key) = (folder.path("cert.pem"), folder.path("key.pem"))
        for (name, subject) in [("cert", "subjectAltName=IP:127.0.0.1"), ("other", "subjectAltName=DNS:other.example")]
        {
            let made = try ChildProgram.run(
                "openssl",
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=\(name)", "-addext", subject, "-keyout", folder.path("\(name)-key.pem"), "-out",
                    folder.path("\(name).pem"),
                ]
            )
            #expect(made.status == 0, "\(made.errors)")
        }
        try FileManager.default.moveItem(atPath: folder.path("cert-key.pem"), toPath: key)
        let receiver = try await MailReceiver(certificate: [certificate, key])
        func send(_ change: (inout MailServer) -> Void) async -> MailServer.Failure? {
            var server = MailServer(host: "127.0.0.1", port: receiver.port, security: .upgraded)
            server.authorityFile = certificate
            server.credentials = MailCredentials(user: "feeder", password: "a password")
            server.timeLimit = .seconds(5)
            change(&server)
            let message = MailMessage(
                from: "a@example.org",
                to: ["b@example.org"],
                subject: "x",
                text: "y",
                at: .zero,
                id: "1"
            )
            do throws(MailServer.Failure) {
                try await server.send(message.bytes, from: "a@example.org", to: ["b@example.org"])
                return nil
            } catch {
                return error
            }
        }
        #expect(await send { _ in } == nil)
        let mail = try #require(try receiver.messages.first)
        #expect(mail["tls"].bool == true && mail["authenticated"].bool == true)
        #expect(await send { $0.credentials = MailCredentials(user: "feeder", password: "wrong") } != nil)
        #expect(await send { $0.authorityFile = folder.path("other.pem") } != nil)
        #expect(await send { $0.security = .none } != nil)
        let plain = try await MailReceiver()
        #expect(await send { $0.port = plain.port } != nil)
        #expect(try receiver.messages.count == 1 && plain.messages.isEmpty)
    }

    @Test(arguments: ["a@b\r\nDATA", "a b@c", "a@b>", "<a@b", "@b", "a@", "a", "a@b@c", "ä@b", "", "a@b,c@d"])
    func `An address that could contain a command is refused`(address: String) async {
        #expect(!MailServer.isAddress(address))
        let server = MailServer(host: "127.0.0.1", port: 1, security: .none)
        await #expect(throws: MailServer.Failure.self) { try await server.send([], from: "a@b", to: [address]) }
        await #expect(throws: MailServer.Failure.self) { try await server.send([], from: address, to: ["a@b"]) }
    }
}
