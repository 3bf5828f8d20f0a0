import Digests
import Foundation
import HTTPService
import JSONText
import Notifications
import TestSupport
import Testing
import TextKit

/// The encryption of push messages and the proof of their sender, compared with the standards' own examples and with
/// another implementation.
struct PushMessageTests {
    private static func bytes(_ text: String) throws -> [UInt8] { try #require(Base64.urlBytes(text)) }

    /// RFC 8291, appendix A.
    @Test func `A message is encrypted as in the standard's example`() throws {
        let sender = try #require(
            P256PrivateKey(
                number: try Self.bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"),
                point: try Self.bytes(
                    "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
                )
            )
        )
        let browser = PushSubscription(
            endpoint: try #require(TargetURL("https://push.example/1")),
            key: try Self.bytes(
                "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
            ),
            secret: try Self.bytes("BTBZMqHH6r4Tts7J_aSIgg")
        )
        let message = PushMessage.encrypted(
            Array("When I grow up, I want to be a watermelon".utf8),
            for: browser,
            with: sender,
            salt: try Self.bytes("DGv6ra1nlYgDCS1FRnbzlw")
        )
        #expect(
            message.map(Base64.urlText)
                == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8w"
                + "EqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        )
    }

    /// The first block of RFC 5869, appendix A.1.
    @Test func `A key is derived as in the standard's example`() {
        let key = HKDF.key(
            [UInt8](repeating: 0x0B, count: 22),
            salt: Array(0...12),
            info: Array(0xF0...0xF9),
            count: 32
        )
        #expect(key.hexadecimal == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf")
    }

    /// The test cases 1 and 2 of the paper that defined the mode.
    @Test(arguments: [
        (0, "58e2fccefa7e3061367f1d57a4e7455a"),
        (16, "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf"),
    ])
    func `Bytes are sealed as in the paper's examples`(count: Int, expected: String) {
        func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
        #expect(AES128GCM.seal(zeros(count), key: zeros(16), nonce: zeros(12)).hexadecimal == expected)
    }

    /// RFC 8292, section 2.4; an ECDSA signature is different each time.
    @Test func `The sender's token has the claims of the standard's example, and the key verifies it`() throws {
        let example = [
            "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9",
            "eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0",
            "i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA",
        ]
        func verifies(_ token: [String], _ key: [UInt8]) throws -> Bool {
            let key = try #require(VerificationKey.p256(x: Array(key[1..<33]), y: Array(key[33...])))
            return key.verifies(try Self.bytes(token[2]), of: Array("\(token[0]).\(token[1])".utf8))
        }
        let theirs = try Self.bytes(
            "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"
        )
        #expect(try verifies(example, theirs))
        for _ in 0..<50 {
            let target = WebPushTarget(
                P256PrivateKey(),
                subject: "mailto:push@example.com",
                by: AddressGuard(),
                over: GuardedTransport()
            )
            let endpoint = try #require(TargetURL("https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV"))
            let words = target.authorization(for: endpoint, at: .seconds(1_453_523_768 - 12 * 3_600))
            #expect(words.hasPrefix("vapid t=") && words.hasSuffix(", k=\(target.applicationServerKey)"))
            let token = words.dropFirst("vapid t=".count).prefix { $0 != "," }.split(separator: ".").map(String.init)
            #expect(Array(token.prefix(2)) == Array(example.prefix(2)))
            #expect(try verifies(token, target.key.publicKey))
            #expect(try !verifies(token, theirs))
        }
    }

    @Test func `A written key file can be read, even by OpenSSL, and other contents are not accepted as a key`() throws
    {
        let folder = try TemporaryFolder()
        let key = P256PrivateKey()
        #expect(P256PrivateKey(pem: key.pem)?.publicKey == key.publicKey)
        try Data(key.pem.utf8).write(to: URL(filePath: folder.path("key.pem")))
        let modern = try ChildProgram.run("openssl", ["pkcs8", "-topk8", "-nocrypt", "-in", folder.path("key.pem")])
        #expect(modern.output.hasPrefix("-----BEGIN PRIVATE KEY-----"))
        #expect(P256PrivateKey(pem: modern.output)?.publicKey == key.publicKey)
        for other in [["ecparam", "-genkey", "-noout", "-name", "secp384r1"], ["genpkey", "-algorithm", "ed25519"]] {
            let run = try ChildProgram.run("openssl", other)
            #expect(run.output.contains("PRIVATE KEY"))
            #expect(P256PrivateKey(pem: run.output) == nil)
        }
        for text in ["", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", String(key.pem.dropLast(60))] {
            #expect(P256PrivateKey(pem: text) == nil)
        }
        #expect(P256PrivateKey(number: [UInt8](repeating: 1, count: 32), point: key.publicKey) == nil)
        #expect(key.secret(with: [4] + [UInt8](repeating: 1, count: 64)) == nil)
        #expect(key.secret(with: key.publicKey.dropLast() + [key.publicKey[64] ^ 1]) == nil)
    }

    /// Another implementation takes the role of the browser.
    static let decrypting = """
        import base64, hashlib, hmac, json, sys
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        def b(text): return base64.urlsafe_b64decode(text + '=' * (-len(text) % 4))
        def hkdf(secret, salt, info, count):
            prk = hmac.new(salt, secret, hashlib.sha256).digest()
            return hmac.new(prk, info + b'\\1', hashlib.sha256).digest()[:count]
        given = json.load(sys.stdin)
        number, auth, body = int.from_bytes(b(given['private']), 'big'), b(given['auth']), b(given['body'])
        private = ec.derive_private_key(number, ec.SECP256R1())
        salt, size, length = body[:16], int.from_bytes(body[16:20], 'big'), body[20]
        point, sealed = body[21:21 + length], body[21 + length:]
        assert size == 4096 and len(body) <= 4096 and len(sealed) <= size
        theirs = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
        numbers = private.public_key().public_numbers()
        own = b'\\4' + numbers.x.to_bytes(32, 'big') + numbers.y.to_bytes(32, 'big')
        material = hkdf(private.exchange(ec.ECDH(), theirs), auth, b'WebPush: info\\0' + own + point, 32)
        key = hkdf(material, salt, b'Content-Encoding: aes128gcm\\0', 16)
        nonce = hkdf(material, salt, b'Content-Encoding: nonce\\0', 12)
        plain = AESGCM(key).decrypt(nonce, sealed, None)
        assert plain[-1] == 2
        print(plain[:-1].decode())
        """

    /// Returns a browser's keys, generated by OpenSSL; the private number is only in the file.
    private static func browser(_ endpoint: String, in folder: TemporaryFolder) throws -> (PushSubscription, String) {
        let made = try ChildProgram.run(
            "/usr/bin/python3",
            [
                "-c",
                """
                import base64, json
                from cryptography.hazmat.primitives.asymmetric import ec
                key = ec.generate_private_key(ec.SECP256R1()).private_numbers()
                def t(data): return base64.urlsafe_b64encode(data).decode()
                p = key.public_numbers
                print(json.dumps({'private': t(key.private_value.to_bytes(32, 'big')).rstrip('='),
                    'p256dh': t(b'\\4' + p.x.to_bytes(32, 'big') + p.y.to_bytes(32, 'big'))}))
                """,
            ]
        )
        let keys = try JSONValue(Array(made.output.utf8))
        let auth = Base64.urlText(PushMessage.randomBytes(16))
        // This key has the padding that some browsers add.
        let json =
            #"{"endpoint": "\#(endpoint)", "expirationTime": null, "#
            + #""keys": {"p256dh": "\#(keys["p256dh"].text ?? "")", "auth": "\#(auth)=="}}"#
        return (try PushSubscription(JSONValue(Array(json.utf8))), try #require(keys["private"].text))
    }

    private static func target(_ key: P256PrivateKey = P256PrivateKey()) -> NotificationTarget {
        let push = WebPushTarget(
            key,
            subject: "mailto:ops@example.org",
            by: AddressGuard(allowing: ["127.0.0.1"]),
            over: GuardedTransport()
        )
        var target = NotificationTarget("phones", Set(ServerEvent.Kind.allCases), .webPush(push))
        target.retries.attempts = 3
        target.retries.firstPause = .milliseconds(20)
        return target
    }

    @Test func `A browser decrypts the messages that its push service delivers`() async throws {
        let (receiver, sender) = (try Receiver { _ in .text("", status: .created) }, try Sender())
        let (subscription, number) = try Self.browser(receiver.url, in: sender.folder)
        let user = Outbox.Subscriber(owner: "ann", token: "")
        let (start, end) = (Duration.seconds(1), Duration.seconds(1 << 40))
        #expect(try await sender.outbox.subscribe(subscription, for: user, until: end, at: start) == .added)
        #expect(try await sender.outbox.subscribe(subscription, for: user, until: end, at: start) == .renewed)
        let other = Outbox.Subscriber(owner: "bob", token: "")
        #expect(try await sender.outbox.subscribe(subscription, for: other, until: end, at: start) == .taken)
        await sender.notifier.use([Self.target()])
        await sender.notifier.post(.sample("Größe \u{1F4E8}"))
        try await eventually { receiver.received.count == 1 }
        let request = receiver.received[0]
        #expect(request.headers["Content-Encoding"] == "aes128gcm")
        #expect(request.headers["TTL"] == "86400")
        #expect(request.headers["Authorization"]?.hasPrefix("vapid t=") == true)
        let input =
            #"{"private": "\#(number)", "auth": "\#(Base64.urlText(subscription.secret))", "#
            + #""body": "\#(Base64.urlText(request.body))"}"#
        let run = try ChildProgram.run("/usr/bin/python3", ["-c", Self.decrypting], input: input)
        #expect(run.errors.isEmpty)
        let message = try JSONValue(Array(run.output.utf8))
        #expect(message["text"].text == "Größe \u{1F4E8}")
        #expect(message["kind"].text == "job-failed")
        #expect(message["collection"].text == "Wiki")
        await sender.end()
        await receiver.end()
    }

    @Test(arguments: [404, 410]) func `A subscription that has ended is deleted`(status: Int) async throws {
        let receiver = try Receiver { _ in .text("", status: ResponseStatus(status)) }
        let sender = try Sender()
        let (subscription, _) = try Self.browser(receiver.url, in: sender.folder)
        let user = Outbox.Subscriber(owner: "ann", token: "")
        _ = try await sender.outbox.subscribe(subscription, for: user, until: .seconds(1 << 40), at: .zero)
        await sender.notifier.use([Self.target()])
        for _ in 0..<3 { await sender.notifier.post(.sample()) }
        try await eventually { try await sender.outbox.totals() == Outbox.Totals() }
        #expect(receiver.received.count <= 3)
        await sender.end()
        await receiver.end()
    }

    @Test func `Each browser gets its own notification, except the browsers of users who may no longer sign in`()
        async throws
    {
        let (receiver, sender) = (try Receiver(), try Sender { $0 != "revoked" })
        for (index, token) in ["", "valid", "revoked"].enumerated() {
            let (subscription, _) = try Self.browser(receiver.url + "?\(index)", in: sender.folder)
            let user = Outbox.Subscriber(owner: "user \(index)", token: token)
            _ = try await sender.outbox.subscribe(subscription, for: user, until: .seconds(1 << 40), at: .zero)
        }
        let (late, _) = try Self.browser(receiver.url + "?late", in: sender.folder)
        let user = Outbox.Subscriber(owner: "late", token: "")
        _ = try await sender.outbox.subscribe(late, for: user, until: .seconds(1), at: .zero)
        await sender.notifier.use([Self.target()])
        await sender.notifier.post(.sample())
        try await eventually { try await sender.outbox.totals().delivered == 2 }
        try await eventually { try await sender.outbox.totals().waiting == 0 }
        #expect(receiver.received.count == 2)
        #expect(try await sender.outbox.unsubscribe(late.endpoint.text, of: "user 0") == false)
        #expect(try await sender.outbox.unsubscribe(late.endpoint.text, of: "late"))
        #expect(try await sender.outbox.totals().subscriptions == 2)
        await sender.end()
        await receiver.end()
    }

    @Test(arguments: [
        (#"{}"#, "endpoint"), (#"{"endpoint": "https://u@h/", "keys": {}}"#, "endpoint"),
        (#"{"endpoint": "https://h/", "keys": {"p256dh": "AAAA", "auth": "AAAAAAAAAAAAAAAAAAAAAA"}}"#, "keys.p256dh"),
        (
            #"{"endpoint": "https://h/", "keys": {"p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", "auth": "AAAA"}}"#,
            "keys.auth"
        ),
    ])
    func `A subscription that can't be used is refused`(text: String, field: String) throws {
        let json = try JSONValue(Array(text.utf8))
        let defect = #expect(throws: PushSubscription.Defect.self) { try PushSubscription(json) }
        #expect(defect?.field == field)
    }

    @Test func `Long events are shortened to fit into a message`() throws {
        for text in [String(repeating: "\u{1}", count: 9_000), String(repeating: "ß", count: 9_000), "short"] {
            var event = ServerEvent(.findings, at: .seconds(1), collection: text, subject: text, message: text)
            event.details = ["all": text]
            let payload = PushMessage.payload(event, text: text)
            #expect(payload.count <= PushMessage.maximumBytes)
            let json = try JSONValue(payload)
            #expect(json["kind"].text == "findings")
            #expect(text.hasPrefix(try #require(json["text"].text)))
        }
    }
}
