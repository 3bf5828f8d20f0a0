import ContentFeeding
import Digests
import EngineSQLite
import Foundation
import HTTPService
import JSONText
import SQLiteStore
import Synchronization
import TestSupport
import Testing
import TextKit

@testable import ContentDistributor
@testable import ServerSecurity

/// Users with tokens from an identity provider that the test runs.
struct UserTests {
    // MARK: Honest tokens

    @Test func `Tokens of each algorithm are accepted`() async throws {
        let place = try await UserPlace()
        let honest = [
            place.forgery().signed(by: place.rsa), place.forgery(#""alg":"ES256","kid":"e1""#).signed(by: place.p256),
            place.forgery(#""alg":"EdDSA","kid":"o1","typ":"at+jwt""#).signed(by: place.ed25519),
            // Without a key name, the only key for the algorithm is used.
            place.forgery(#""alg":"ES256","x5t":"AA""#).signed(by: place.p256),
            place.forgery(#""alg":"RS256","kid":"r1","typ":"JWT""#, claims: place.claims(#""aud":["a","search"]"#))
                .signed(by: place.rsa),
            // Clocks may differ by a minute.
            place.forgery(claims: place.claims("\"exp\":\(place.now - 30)")).signed(by: place.rsa),
            place.forgery(claims: place.claims("\"nbf\":\(place.now + 30).5,\"iat\":\(place.now + 30)")).signed(
                by: place.rsa
            ),
        ]
        for (index, token) in honest.enumerated() {
            // The second time, the signature has already been verified.
            for _ in 1...2 {
                let answer = try await place.read(token)
                #expect(answer.status == 200, "\(index): \(answer.message)")
            }
        }
        #expect(place.provider.fetches == 1)
        #expect(try await place.read(nil).status == 401)
        await place.remove()
    }

    @Test func `Claims are available to the rules, and can make users administrators`() async throws {
        let place = try await UserPlace(read: "user.tenant == 'a'") { settings in
            settings.identity?.claims = ["tenant": ClaimPath("/realm/te~1nants")]
            settings.identity?.admins = .init(claim: ClaimPath("groups"), value: "search-admins")
        }
        func status(_ members: String) async throws -> Int {
            try await place.read(place.forgery(claims: place.claims(members)).signed(by: place.rsa)).status
        }
        #expect(try await status(#""realm":{"te/nants":["b","a"]}"#) == 200)
        #expect(try await status(#""realm":{"te/nants":"a"}"#) == 200)
        // A token can't set a claim whose name the settings define.
        #expect(try await status(#""tenant":"a""#) == 403)
        #expect(try await status(#""realm":{"te/nants":["a",1]}"#) == 403)
        #expect(try await status(#""realm":{"te/nants":{"a":"a"}}"#) == 403)
        #expect(try await status(#""groups":["x","search-admins"]"#) == 200)
        #expect(try await status(#""groups":"search-admins""#) == 200)
        #expect(try await status(#""groups":["search-admins2"],"admin":true,"role":"admin""#) == 403)
        await place.remove()
    }

    @Test func `The audit log contains the user's name without terminal control characters`() async throws {
        let place = try await UserPlace(read: "admins")
        let token = place.forgery(claims: place.claims(#""sub":"an\nn\u001b\\é""#)).signed(by: place.rsa)
        #expect(try await place.read(token).status == 403)
        let audit = try String(contentsOfFile: place.settings.state + "/audit.log", encoding: .utf8)
        let line = try #require(audit.split(separator: "\n").last)
        let names = try JSONValue(Array(line.drop { $0 != "{" }.utf8)).members.compactMap(\.value.text)
        #expect(names.contains(#"user an\u{a}n\u{1b}\\\u{e9} of "# + place.provider.issuer), "\(audit)")
        await place.remove()
    }

    @Test func `A list with one element filters documents, and a list with several elements admits none`() throws {
        let rule = try AccessRule("user.tenant == document.tenant")
        func decision(_ value: ClaimValue) -> AccessRule.Decision {
            rule.decision(about: AccessToken(id: "", name: "ann", role: .user, claims: ["tenant": value]))
        }
        #expect(decision(.list(["a"])) == .allowed(DocumentFilter(fields: [("tenant", "a")])))
        #expect(decision(.list(["a", "b"])) == .denied)
        #expect(decision(.list([])) == .denied)
    }

    @Test func `A new token does not give a user a new allowance`() async throws {
        let place = try await UserPlace { $0.limits.requestsPerSecond = 1 }
        var refused = 0
        for number in 0..<40 {
            let claims = place.claims("\"jti\":\"\(number)\"")
            let answer = try await place.read(place.forgery(claims: claims).signed(by: place.rsa))
            if answer.status == 429 { refused += 1 }
        }
        #expect(refused > 0)
        let other = place.forgery(claims: place.claims(#""sub":"bob""#)).signed(by: place.rsa)
        #expect(try await place.read(other).status == 200)
        await place.remove()
    }

    // MARK: Attacks

    /// A token that must be refused, and part of the reason.
    private struct Attack {
        let name: String
        let token: String
        let reason: String

        init(_ name: String, _ token: String, _ reason: String) {
            (self.name, self.token, self.reason) = (name, token, reason)
        }
    }

    private func attacks(on place: UserPlace) throws -> [Attack] {
        let (rsa, p256, ed25519) = (place.rsa, place.p256, place.ed25519)
        let good = place.forgery().signed(by: rsa)
        let parts = good.split(separator: ".").map(String.init)
        var attacks: [Attack] = []
        func header(_ header: String, _ reason: String, by key: SigningKey? = nil) {
            attacks.append(Attack(header, place.forgery(header).signed(by: key ?? rsa), reason))
        }
        func claims(_ members: String, without name: String = "", _ reason: String) {
            let text = place.claims(members, without: name)
            attacks.append(Attack(members + " -" + name, place.forgery(claims: text).signed(by: rsa), reason))
        }
        func text(_ name: String, _ token: String, _ reason: String) { attacks.append(Attack(name, token, reason)) }

        // Tokens without a signature, and with algorithms that are not accepted.
        text("none, unsigned", place.forgery(#""alg":"none""#).text + ".", "its signature is not base64url")
        for name in ["none", "None", "nOnE", "rs256", "RS512", "PS256", "HS384", "HS512", "ES256K", ""] {
            header(#""alg":"\#(name)","kid":"r1""#, "its algorithm is not one of")
        }
        header(#""kid":"r1""#, "it names no algorithm")
        header(#""alg":["RS256"],"kid":"r1""#, "it names no algorithm")
        header(#""alg":null,"kid":"r1""#, "it names no algorithm")

        // The public key as the secret of an HMAC.
        let jwk = rsa.jwk(#""kid":"r1","alg":"RS256","use":"sig""#)
        let pem = Array(rsa.pem.utf8)
        let secrets = [
            pem, pem.dropLast(), rsa.publicNumbers[0], Array(jwk.utf8),
            Array(Base64.urlText(rsa.publicNumbers[0]).utf8), [],
        ]
        for secret in secrets {
            for id in ["r1", "shared", "../../../../dev/null", "x' UNION SELECT 'secret' --"] {
                let token = place.forgery(#""alg":"HS256","kid":"\#(id)""#).signed(withSecret: secret)
                text("HMAC with \(secret.count) bytes, \(id)", token, "it was not derived from a valid token")
            }
        }
        text("HMAC", place.forgery(#""alg":"HS256""#).signed(withSecret: []), "it does not name the token")

        // A different key, and an algorithm other than the key's.
        for (alg, id) in [("ES256", "r1"), ("EdDSA", "r1"), ("RS256", "e1"), ("RS256", "o1"), ("EdDSA", "e1")] {
            header(#""alg":"\#(alg)","kid":"\#(id)""#, "its key does not match its algorithm")
        }
        for id in [
            "R1", "r1 ", "", "../../dev/null", "/proc/self/environ", "' OR '1'='1", "r1\\u0000", "http://127.0.0.1/k",
            "weak",
            "enc", "other-alg", "private", "shared", "off-curve", "|id",
        ] {
            header(#""alg":"RS256","kid":"\#(id)""#, "its key is not one of the provider's")
        }
        header(#""alg":"RS256","kid":"weak""#, "its key is not one of", by: try TestKeys.weak.get())
        header(#""alg":"RS256","kid":"twice""#, "several keys of the provider")
        header(#""alg":"RS256""#, "several keys of the provider")
        for id in ["1", "null", "[\"r1\"]", "{}", "\"\(String(repeating: "a", count: 257))\""] {
            header(#""alg":"RS256","kid":\#(id)"#, "the name of its key is not a string")
        }
        header(#""alg":"RS256","kid":"r1""#, "its signature was not made with its key", by: try TestKeys.other.get())
        for name in ["jwk", "jku", "x5u", "crit"] {
            for value in [jwk, "\"\(place.provider.issuer)/certs\"", "[\"exp\"]", "null"] {
                header(#""alg":"RS256","kid":"r1","\#(name)":\#(value)"#, "its header has '\(name)'")
            }
        }
        for type in ["\"logout+jwt\"", "\"JWE\"", "1", "null", "\"\""] {
            header(#""alg":"RS256","kid":"r1","typ":\#(type)"#, "its type is not JWT")
        }

        // Times, issuers and audiences.
        claims("\"exp\":\(place.now - 90)", "it has expired")
        claims("\"exp\":0", "it has expired")
        claims("", without: "exp", "it has no 'exp'")
        for time in ["\"\(place.now + 300)\"", "1e400", "-1", "true", "null", "[9999999999]", "253402300800"] {
            claims("\"exp\":\(time)", "'exp' is not a time")
        }
        claims("\"nbf\":\(place.now + 3_600)", "it is not valid yet")
        claims("\"nbf\":\"0\"", "'nbf' is not a time")
        claims("\"iat\":\(place.now + 3_600)", "it was issued in the future")
        claims("\"iat\":{}", "'iat' is not a time")
        let issuer = place.provider.issuer
        for other in [
            "\"\(issuer)/\"", "\"https://evil.example\"", "[\"\(issuer)\"]", "null", "\"\"", "\" \(issuer)\"",
        ] {
            claims("\"iss\":\(other)", "its issuer is not")
        }
        claims("", without: "iss", "its issuer is not")
        for other in [
            "\"Search\"", "\"search2\"", "[\"a\",\"b\"]", "[]", "[[\"search\"]]", "[\"search\",1]", "{}", "null",
        ] {
            claims("\"aud\":\(other)", "it is for a different audience")
        }
        claims("", without: "aud", "it is for a different audience")
        claims("", without: "sub", "it names no user")
        for subject in ["\"\"", "1", "null", "[\"ann\"]", "\"\(String(repeating: "a", count: 256))\""] {
            claims("\"sub\":\(subject)", "'sub' is not a string")
        }

        // Duplicate keys in an object: different readers choose different ones.
        claims(#""sub":"ann","sub":"root""#, "its body has a duplicate key")
        claims(#""sub":"ann","s\u0075b":"root""#, "its body has a duplicate key")
        claims(#""a":[{"b":{"c":1,"c":2}}]"#, "its body has a duplicate key")
        header(#""alg":"none","alg":"RS256","kid":"r1""#, "its header has a duplicate key")
        header(#""alg":"RS256","kid":"r1","kid":"e1""#, "its header has a duplicate key")

        // Malformed tokens.
        text(
            "huge",
            place.forgery(claims: place.claims("\"a\":\"\(String(repeating: "a", count: 8192))\"")).signed(by: rsa),
            "it has more than"
        )
        for token in [good + ".", good + "." + parts[2], "." + good, parts[0] + "." + parts[1], good + ".a.b", "a."] {
            text("parts", token, "it does not have three parts")
        }
        for token in [".\(parts[1]).\(parts[2])", "..", "=.\(parts[1]).\(parts[2])"] {
            text("empty parts", token, "its header is not")
        }
        text("padded", good + "=", "its signature is not base64url")
        text("padded", good + "==", "its signature is not base64url")
        text("blank", good + " ", "its signature is not base64url")
        text("blank", " " + good, "its header is not base64url")
        text("line", parts[0] + "\n." + parts[1] + "." + parts[2], "its header is not base64url")
        let spare = place.forgery(#""alg":"ES256","kid":"e1""#).signed(by: p256)
        // The last base64 digit of 64 bytes has four unused bits.
        let last = try #require(spare.last)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        let place64 = try #require(alphabet.firstIndex(of: last))
        text(
            "not canonical",
            spare.dropLast() + String(alphabet[alphabet.index(after: place64)]),
            "its signature is not base64url"
        )
        text(
            "base64",
            "\(parts[0]).\(Data(place.claims("\"a\":\"?>?>\"").utf8).base64EncodedString()).\(parts[2])",
            "its body is not base64url"
        )
        for body in [
            "[]", "\"a\"", "", "{", "{}{}", "{\"a\":\u{FEFF}1}", "nothing", String(repeating: "[", count: 1000),
        ] {
            text(
                "body " + body,
                Forgery(header: #"{"alg":"RS256","kid":"r1"}"#, claims: body).signed(by: rsa),
                "its body is not a JSON object"
            )
            text(
                "header " + body,
                Forgery(header: body, claims: place.claims()).signed(by: rsa),
                "its header is not a JSON object"
            )
        }
        let binary =
            "\(parts[0]).\(Base64.urlText(Array("{\"a\":\"".utf8) + [0xFF, 0xFE] + Array("\"}".utf8))).\(parts[2])"
        text("not UTF-8", binary, "its body is not a JSON object")

        // Signatures.
        let wrong = "its signature was not made with its key"
        let changed = place.forgery(claims: place.claims(#""sub":"root""#)).text
        text("another body", changed + "." + parts[2], wrong)
        text("cut", parts[0] + "." + parts[1] + "." + Base64.urlText(Array(repeating: 1, count: 255)), wrong)
        text("zeros", place.forgery().signed { _ in [UInt8](repeating: 0, count: 256) }, wrong)
        text("ones", place.forgery().signed { _ in [UInt8](repeating: 0xFF, count: 256) }, wrong)
        let curve = place.forgery(#""alg":"ES256","kid":"e1""#)
        let order: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA, 0xAD,
            0xA7,
            0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ]
        let (zero, one) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 31) + [1])
        for (r, s) in [(zero, zero), (zero, one), (one, zero), (order, order), (order, one), (one, one)] {
            text("ES256 \(r.suffix(2)) \(s.suffix(2))", curve.signed { _ in r + s }, wrong)
        }
        text("ES256 in DER", curve.signed { p256.signInDER($0) }, wrong)
        text("ES256, short", curve.signed { p256.sign($0).dropLast() }, wrong)
        text("ES256, long", curve.signed { [0] + p256.sign($0) }, wrong)
        let edwards = place.forgery(#""alg":"EdDSA","kid":"o1""#)
        text("EdDSA, short", edwards.signed { ed25519.sign($0).dropLast() }, wrong)
        text("EdDSA, long", edwards.signed { ed25519.sign($0) + [0] }, wrong)
        text("EdDSA, zeros", edwards.signed { _ in zero + zero }, wrong)
        return attacks
    }

    @Test func `Forged tokens are refused, each for its own reason`() async throws {
        let place = try await UserPlace()
        let attacks = try attacks(on: place)
        #expect(attacks.count > 150)
        for attack in attacks {
            let answer = try await place.read(attack.token)
            #expect(answer.status == 401 && answer.message.contains(attack.reason), "\(attack.name): \(answer)")
        }
        // Unknown key names make the server fetch keys once, not once for each.
        #expect(place.provider.fetches == 1)
        #expect(try await place.read(place.forgery().signed(by: place.rsa)).status == 200)
        await place.remove()
    }

    @Test func `A token cut or changed at any byte is refused`() async throws {
        let place = try await UserPlace()
        for (header, key) in [
            (#""alg":"ES256","kid":"e1""#, place.p256), (#""alg":"EdDSA","kid":"o1""#, place.ed25519),
        ] {
            let good = Array(place.forgery(header).signed(by: key).utf8)
            #expect(try await place.read(String(decoding: good, as: UTF8.self)).status == 200)
            for index in good.indices {
                var changed = good
                changed[index] = good[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                for bytes in [changed, Array(good[..<index])] {
                    let answer = try await place.read(String(decoding: bytes, as: UTF8.self))
                    #expect(answer.status == 401, "byte \(index): \(answer)")
                }
            }
        }
        await place.remove()
    }

    // MARK: The provider's keys

    @Test func `A new key is fetched when needed, at most once a minute, and a withdrawn key is no longer accepted`()
        async throws
    {
        let place = try await UserPlace()
        let clock = TestClock()
        let users = IdentityProvider(
            try #require(place.settings.identity),
            clock: { clock.now },
            log: { place.log.add($0) }
        )
        let (old, new) = (place.rsa, try TestKeys.other.get())
        place.provider.publish([old.jwk(#""kid":"k1""#)])
        let oldToken = place.forgery(#""alg":"RS256","kid":"k1""#).signed(by: old)
        let newToken = place.forgery(#""alg":"RS256","kid":"k2""#).signed(by: new)
        #expect(try await users.user(oldToken).role == .user)
        place.provider.publish([old.jwk(#""kid":"k1""#), new.jwk(#""kid":"k2""#)])
        await #expect(throws: TokenDefect.self) { try await users.user(newToken) }
        #expect(place.provider.fetches == 1)
        clock.advance(by: .seconds(61))
        #expect(try await users.user(newToken).name == "user ann of \(place.provider.issuer)")
        #expect(place.provider.fetches == 2)
        // The old key is withdrawn. The earlier verification of its token must not count.
        #expect(try await users.user(oldToken).role == .user)
        place.provider.publish([new.jwk(#""kid":"k2""#)])
        clock.advance(by: .seconds(601))
        _ = try await users.user(newToken)
        while place.provider.fetches < 3 { try await Task.sleep(for: .milliseconds(5)) }
        var isRefused = false
        for _ in 0..<400 where !isRefused {
            do {
                _ = try await users.user(oldToken)
                try await Task.sleep(for: .milliseconds(5))
            } catch is TokenDefect {
                isRefused = true
            }
        }
        #expect(isRefused)
        #expect(place.provider.fetches == 3)
        await place.remove()
    }

    @Test func `A token that names no key is verified with a new key, fetched at most once a minute`()
        async throws
    {
        let place = try await UserPlace(publishing: false)
        let clock = TestClock()
        let users = IdentityProvider(try #require(place.settings.identity), clock: { clock.now }, log: place.log.add)
        let (old, new) = (place.rsa, try TestKeys.other.get())
        let (oldToken, newToken) = (
            place.forgery(#""alg":"RS256""#).signed(by: old), place.forgery(#""alg":"RS256""#).signed(by: new)
        )
        place.provider.publish([old.jwk("\"use\":\"sig\"")])
        #expect(try await users.user(oldToken).role == .user)
        place.provider.publish([new.jwk("\"use\":\"sig\"")])
        for _ in 1...5 { await #expect(throws: TokenDefect.self) { try await users.user(newToken) } }
        #expect(place.provider.fetches == 1)
        clock.advance(by: .seconds(61))
        #expect(try await users.user(newToken).role == .user)
        // The old key was withdrawn, and tokens verified with it are no longer accepted.
        for _ in 1...5 { await #expect(throws: TokenDefect.self) { try await users.user(oldToken) } }
        #expect(place.provider.fetches == 2)
        // Without a response, it can't be determined whether a token is forged or its key is too new.
        place.provider.state.withLock { $0.status = 500 }
        clock.advance(by: .seconds(61))
        await #expect(throws: ProviderDefect.self) { try await users.user(oldToken) }
        #expect(try await users.user(newToken).role == .user)
        await place.remove()
    }

    @Test
    func `Keys stay in use while new ones can't be fetched, and without any keys the server is not ready for users`()
        async throws
    {
        let place = try await UserPlace()
        let clock = TestClock()
        let users = IdentityProvider(
            try #require(place.settings.identity),
            clock: { clock.now },
            log: { place.log.add($0) }
        )
        let good = place.forgery().signed(by: place.rsa)
        let unknown = place.forgery(#""alg":"RS256","kid":"new""#).signed(by: place.rsa)
        place.provider.state.withLock { $0.status = 500 }
        await #expect(throws: ProviderDefect.self) { try await users.user(good) }
        #expect(try await place.read(good).status == 503)
        // The next one comes too soon for another attempt.
        place.provider.state.withLock { $0.status = 200 }
        await #expect(throws: ProviderDefect.self) { try await users.user(good) }
        clock.advance(by: .seconds(6))
        #expect(try await users.user(good).role == .user)
        place.provider.state.withLock { $0.status = 500 }
        clock.advance(by: .seconds(61))
        // It can't be determined whether this token is valid.
        await #expect(throws: ProviderDefect.self) { try await users.user(unknown) }
        #expect(try await users.user(good).role == .user)
        #expect(place.log.text.contains("the old ones stay in use"))
        #expect(place.log.text.contains("users can't be verified"))
        await place.remove()
    }

    @Test func `Responses from an untrustworthy provider are refused`() async throws {
        let place = try await UserPlace()
        let good = place.forgery().signed(by: place.rsa)
        let key = place.rsa.jwk(#""kid":"r1""#)
        let many = Array(repeating: key, count: 101)
        let wrong: [(reason: String, change: (inout TestProvider.State) -> Void)] = [
            ("not a JSON Web Key Set", { $0.keys = "[]" }), ("not a JSON Web Key Set", { $0.keys = "" }),
            ("not a JSON Web Key Set", { $0.keys = #"{"keys":{}}"# }),
            ("none of its keys", { $0.keys = #"{"keys":[1,null,{}]}"# }),
            ("101 keys, more than 100", { $0.keys = "{\"keys\":[\(many.joined(separator: ","))]}" }),
            ("/certs", { $0.keys = "{\"a\":\"\(String(repeating: "a", count: 300_000))\",\"keys\":[\(key)]}" }),
            ("status 302", { $0.status = 302 }), ("status 404", { $0.status = 404 }),
            ("to another issuer", { $0.issuer = "https://evil.example" }),
            ("does not name an https URL", { $0.keysURL = "http://192.0.2.1/certs" }),
            ("does not name an https URL", { $0.keysURL = "http://127.0.0.1@192.0.2.1/certs" }),
            ("does not name an https URL", { $0.keysURL = "file:///etc/passwd" }),
        ]
        for (reason, change) in wrong {
            let users = IdentityProvider(try #require(place.settings.identity)) { _ in }
            place.provider.state.withLock { change(&$0) }
            await #expect {
                _ = try await users.user(good)
            } throws: { error in
                (error as? ProviderDefect)?.reason.contains(reason) == true
            }
            place.provider.state.withLock { $0 = .init(keys: "{\"keys\":[\(key)]}") }
            #expect(try await IdentityProvider(#require(place.settings.identity)) { _ in }.user(good).role == .user)
        }
        await place.remove()
    }

    @Test func `Keys can come from a URL or a file`() async throws {
        let place = try await UserPlace()
        let good = place.forgery().signed(by: place.rsa)
        let file = place.folder.path("keys.json")
        var settings = try #require(place.settings.identity)
        settings.keys = .file(file)
        let users = IdentityProvider(settings) { _ in }
        await #expect(throws: ProviderDefect.self) { try await users.user(good) }
        try "{\"keys\":[\(place.rsa.jwk(#""kid":"r1""#))]}".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try await IdentityProvider(settings) { _ in }.user(good).role == .user)
        settings.keys = .url(place.provider.issuer + "/certs")
        #expect(try await IdentityProvider(settings) { _ in }.user(good).role == .user)
        await place.remove()
    }

    @Test(arguments: [
        ("https://a", true), ("https://", false), ("http://a", false), ("http://127.0.0.1", true),
        ("http://127.0.0.1:80/a", true), ("http://localhost:8080", true), ("http://[::1]/a", true),
        ("http://127.0.0.1.evil.example", false), ("http://127.0.0.1@evil.example", false),
        ("http://127.0.0.1:80@evil.example", false), ("http://localhost.evil.example", false),
        ("ftp://127.0.0.1", false),
        ("HTTP://127.0.0.1", false), ("", false),
    ])
    func `Plain HTTP is accepted only for the local machine`(url: String, isTrusted: Bool) {
        #expect(IdentitySettings.isTrusted(url) == isTrusted)
    }

    @Test func `Reloads apply changes to the provider, and other reloads keep its keys`() async throws {
        let place = try await UserPlace { $0.identity = nil }
        let good = place.forgery().signed(by: place.rsa)
        var settings = place.settings
        settings.identity = IdentitySettings(issuer: place.provider.issuer, audience: "search")
        #expect(try await place.read(good).status == 401)
        try place.server.reload(settings, from: "d.yaml")
        #expect(try await place.read(good).status == 200)
        settings.limits.body = 1000
        try place.server.reload(settings, from: "d.yaml")
        #expect(try await place.read(good).status == 200)
        #expect(place.provider.fetches == 1)
        settings.identity?.audience = "other"
        try place.server.reload(settings, from: "d.yaml")
        #expect(try await place.read(good).message.contains("different audience"))
        await place.remove()
    }

    @Test func `Without a provider, tokens of users are refused`() async throws {
        let place = try await UserPlace { $0.identity = nil }
        let answer = try await place.read(place.forgery().signed(by: place.rsa))
        #expect(answer.status == 401 && answer.message.contains("no identity provider"))
        await place.remove()
    }
}
