import CLibCrypto
import ContentFeeding
import Digests
import EngineSQLite
import Foundation
import HTTPService
import JSONText
import Schedules
import Synchronization
import TestSupport
import TextKit

@testable import ContentDistributor
@testable import ServerSecurity

/// A private key of an identity provider, made by libcrypto for one run.
final class SigningKey: Sendable {
    enum Kind: Sendable, Hashable {
        case rsa(bits: Int)
        case p256
        case ed25519
    }

    struct Failure: Error {}

    let kind: Kind
    private nonisolated(unsafe) let key: OpaquePointer

    init(_ kind: Kind) throws {
        self.kind = kind
        let type =
            switch kind {
            case .rsa: "RSA"
            case .p256: "EC"
            case .ed25519: "ED25519"
            }
        guard let context = EVP_PKEY_CTX_new_from_name(nil, type, nil), EVP_PKEY_keygen_init(context) == 1 else {
            throw Failure()
        }
        defer { EVP_PKEY_CTX_free(context) }
        var (bits, group) = (0, Array("P-256".utf8CString))
        if case .rsa(let count) = kind { bits = count }
        let isSet = group.withUnsafeMutableBufferPointer { group in
            withUnsafeMutablePointer(to: &bits) { bits in
                var parameters: [OSSL_PARAM] = []
                switch kind {
                case .rsa: parameters.append(OSSL_PARAM_construct_size_t(OSSL_PKEY_PARAM_RSA_BITS, bits))
                case .p256:
                    parameters.append(
                        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group.baseAddress, 0)
                    )
                case .ed25519: break
                }
                parameters.append(OSSL_PARAM_construct_end())
                return EVP_PKEY_CTX_set_params(context, parameters) == 1
            }
        }
        var made: OpaquePointer?
        guard isSet, EVP_PKEY_generate(context, &made) == 1, let made else { throw Failure() }
        key = made
    }

    deinit { EVP_PKEY_free(key) }

    var algorithm: String {
        switch kind {
        case .rsa: "RS256"
        case .p256: "ES256"
        case .ed25519: "EdDSA"
        }
    }

    /// The numbers of the public key: modulus and exponent, x and y, or x.
    var publicNumbers: [[UInt8]] {
        switch kind {
        case .rsa: return [number(OSSL_PKEY_PARAM_RSA_N, 1024), number(OSSL_PKEY_PARAM_RSA_E, 1024)]
        case .p256:
            return [OSSL_PKEY_PARAM_EC_PUB_X, OSSL_PKEY_PARAM_EC_PUB_Y].map { name in
                let bytes = number(name, 32)
                return [UInt8](repeating: 0, count: 32 - bytes.count) + bytes
            }
        case .ed25519:
            var (bytes, count) = ([UInt8](repeating: 0, count: 32), 32)
            EVP_PKEY_get_raw_public_key(key, &bytes, &count)
            return [bytes]
        }
    }

    private func number(_ name: String, _ size: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: size)
        bytes.withUnsafeMutableBufferPointer { buffer in
            name.withCString { name in
                var parameters = [
                    OSSL_PARAM_construct_BN(name, buffer.baseAddress, buffer.count), OSSL_PARAM_construct_end(),
                ]
                EVP_PKEY_get_params(key, &parameters)
            }
        }
        return Array(bytes.reversed().drop { $0 == 0 })
    }

    /// The public key as a JSON Web Key, with more members.
    func jwk(_ members: String) -> String {
        let numbers = publicNumbers.map { Base64.urlText($0) }
        let own =
            switch kind {
            case .rsa: "\"kty\":\"RSA\",\"n\":\"\(numbers[0])\",\"e\":\"\(numbers[1])\""
            case .p256: "\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"\(numbers[0])\",\"y\":\"\(numbers[1])\""
            case .ed25519: "\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"\(numbers[0])\""
            }
        return "{\(own),\(members)}"
    }

    /// The RSA public key in PEM, the form in which most programs keep it.
    var pem: String {
        func item(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
            let (high, low) = (UInt8(content.count >> 8), UInt8(content.count & 0xFF))
            return [tag] + (content.count < 128 ? [low] : [0x82, high, low]) + content
        }
        let numbers = publicNumbers.flatMap { item(0x02, ($0[0] >= 0x80 ? [0] : []) + $0) }
        let name: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1, 0x05, 0]
        let key = item(0x30, item(0x30, name) + item(0x03, [0] + item(0x30, numbers)))
        let text = Data(key).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN PUBLIC KEY-----\n\(text)\n-----END PUBLIC KEY-----\n"
    }

    /// Returns the signature as a JSON Web Signature has it.
    func sign(_ bytes: [UInt8]) -> [UInt8] {
        let signature = signInDER(bytes)
        guard kind == .p256 else { return signature }
        // SEQUENCE, length, then r and s: each INTEGER, length, digits.
        let first = Int(signature[3])
        let (r, s) = (signature[4..<(4 + first)], signature[(6 + first)...])
        return [r, s].flatMap { number in
            let digits = number.drop { $0 == 0 }
            return [UInt8](repeating: 0, count: 32 - digits.count) + digits
        }
    }

    func signInDER(_ bytes: [UInt8]) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { return [] }
        defer { EVP_MD_CTX_free(context) }
        var (signature, count) = ([UInt8](repeating: 0, count: 2048), 2048)
        let digest = kind == .ed25519 ? nil : "SHA2-256"
        EVP_DigestSignInit_ex(context, nil, digest, nil, nil, key, nil)
        EVP_DigestSign(context, &signature, &count, bytes, bytes.count)
        return Array(signature.prefix(count))
    }
}

/// A token in its written form, in which every part can be forged.
struct Forgery {
    var header: String
    var claims: String

    /// The bytes that are signed.
    var text: String { "\(Base64.urlText(Array(header.utf8))).\(Base64.urlText(Array(claims.utf8)))" }

    func signed(by key: SigningKey) -> String { signed { key.sign($0) } }

    func signed(_ sign: ([UInt8]) -> [UInt8]) -> String { text + "." + Base64.urlText(sign(Array(text.utf8))) }

    func signed(withSecret secret: [UInt8]) -> String {
        signed { bytes in
            var function = HMACSHA256(key: secret)
            return function.digest(of: bytes).bytes
        }
    }
}

/// An identity provider on the loopback, whose answers can change.
final class TestProvider: Sendable {
    struct State {
        var keys = "{}"
        var status = 200
        /// The values in the configuration that differ from the provider's own.
        var issuer: String?
        var keysURL: String?
        /// The requests for keys.
        var fetches = 0
    }

    let state = Mutex(State())
    private let server: HTTPServer
    var issuer: String { "http://127.0.0.1:\(server.port)" }

    init() throws {
        let box = Box()
        var router = HTTPRouter()
        router.on(.get, "/.well-known/openid-configuration") { _ in
            guard let provider = box.provider else { return .text("", status: .serviceUnavailable) }
            let (issuer, keys) = provider.state.withLock { ($0.issuer, $0.keysURL) }
            let json = """
                {"issuer":"\(issuer ?? provider.issuer)","jwks_uri":"\(keys ?? provider.issuer + "/certs")"}
                """
            return .json(Array(json.utf8))
        }
        router.on(.get, "/certs") { _ in
            guard let provider = box.provider else { return .text("", status: .serviceUnavailable) }
            let (keys, status) = provider.state.withLock { state in
                state.fetches += 1
                return (state.keys, state.status)
            }
            var response = ServedResponse.json(Array(keys.utf8), status: ResponseStatus(status))
            if status == 302 { response.headers["Location"] = "/certs" }
            return response
        }
        server = try HTTPServer(ServerConfiguration(), router: router)
        box.hold(self)
    }

    func publish(_ keys: [String]) {
        state.withLock { $0.keys = "{\"keys\":[\(keys.joined(separator: ","))]}" }
    }

    var fetches: Int { state.withLock { $0.fetches } }

    func stop() async { await server.shutDown(within: .zero) }

    /// The provider, which its server's handlers must not retain.
    private final class Box: Sendable {
        private struct Reference: Sendable { weak var provider: TestProvider? }
        private let reference = Mutex(Reference())
        var provider: TestProvider? { reference.withLock { $0.provider } }
        func hold(_ provider: TestProvider) { reference.withLock { $0.provider = provider } }
    }
}

// MARK: - A server with users

/// Keys that all tests share: making them takes longer than the tests.
enum TestKeys {
    static let rsa = Result { try SigningKey(.rsa(bits: 2048)) }
    static let other = Result { try SigningKey(.rsa(bits: 2048)) }
    static let weak = Result { try SigningKey(.rsa(bits: 1024)) }
    static let p256 = Result { try SigningKey(.p256) }
    static let ed25519 = Result { try SigningKey(.ed25519) }
}

/// The clocks of a server, which only a test moves, thereby waking sleeping tasks.
final class ServerClock: ScheduleClock {
    private struct State {
        var passed = Duration.zero
        var sleepers: [Int: (end: Duration, continuation: CheckedContinuation<Void, Never>)] = [:]
        var next = 0
        /// The tests that wait until a task sleeps.
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let start = Duration.seconds(Date.now.timeIntervalSince1970)
    private let state = Mutex(State())

    var now: Duration { start + uptime }
    var uptime: Duration { state.withLock { $0.passed } }

    func sleep(for duration: Duration) async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let watchers: [CheckedContinuation<Void, Never>]? = state.withLock { state in
                    guard duration > .zero, !Task.isCancelled else { return nil }
                    state.sleepers[number] = (state.passed + duration, continuation)
                    defer { state.watchers = [] }
                    return state.watchers
                }
                guard let watchers else { return continuation.resume() }
                for watcher in watchers { watcher.resume() }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: number) }?.continuation.resume()
        }
        try Task.checkCancellation()
    }

    /// Lets time pass, and wakes the tasks whose time has come.
    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.passed += duration
            let due = state.sleepers.filter { $0.value.end <= state.passed }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
    }

    /// Returns when a task sleeps.
    func untilSleeping() async {
        await withCheckedContinuation { continuation in
            let isSleeping = state.withLock { state in
                if state.sleepers.isEmpty { state.watchers.append(continuation) }
                return !state.sleepers.isEmpty
            }
            if isSleeping { continuation.resume() }
        }
    }
}

/// A clock that a test moves.
final class TestClock: Sendable {
    private let time = Mutex(ContinuousClock.now)
    var now: ContinuousClock.Instant { time.withLock { $0 } }
    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}

extension IdentityProvider {
    /// Returns the user of a token in its written form.
    nonisolated func user(_ text: String) async throws -> AccessToken {
        let token = try JSONWebToken(text)
        guard case .publicKey(let algorithm) = token.algorithm else { throw TokenDefect("not a public key's") }
        return try await user(of: token, signedBy: algorithm, at: .seconds(Date.now.timeIntervalSince1970))
    }
}

/// A server on an embedded store, and a provider of its users.
struct UserPlace {
    let folder: TemporaryFolder
    let provider: TestProvider
    let settings: DistributorSettings
    let server: ContentDistributor
    let log = Log()
    let (rsa, p256, ed25519): (SigningKey, SigningKey, SigningKey)
    var now: Int { Int(Date.now.timeIntervalSince1970) }

    final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        var text: String { lines.withLock { $0.joined(separator: "\n") } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    init(
        read: String = "users",
        publishing: Bool = true,
        clock: any ScheduleClock = MachineClock(),
        change: (inout DistributorSettings) -> Void = { _ in }
    ) async throws {
        (rsa, p256, ed25519) = (try TestKeys.rsa.get(), try TestKeys.p256.get(), try TestKeys.ed25519.get())
        folder = try TemporaryFolder()
        provider = try TestProvider()
        var settings = DistributorSettings(state: folder.path("state"))
        settings.target = "sqlite:" + folder.path("store.sqlite")
        var rules = CollectionRules()
        rules.rules[.read] = try AccessRule(read)
        settings.collections = ["Web": rules, "Other": rules]
        settings.identity = IdentitySettings(issuer: provider.issuer, audience: "search")
        change(&settings)
        self.settings = settings
        let store = try await SQLiteEngine.create(path: folder.path("store.sqlite"))
        for name in ["Web", "Other"] { try await store.create(CollectionName(rawValue: name), settings: []) }
        if publishing {
            let (other, weak) = (try TestKeys.other.get(), try TestKeys.weak.get())
            provider.publish([
                rsa.jwk(#""kid":"r1","alg":"RS256","use":"sig""#), p256.jwk(#""kid":"e1""#),
                ed25519.jwk(#""kid":"o1","key_ops":["verify"]"#), rsa.jwk(#""kid":"twice""#),
                other.jwk(#""kid":"twice""#), weak.jwk(#""kid":"weak""#), rsa.jwk(#""kid":"enc","use":"enc""#),
                rsa.jwk(#""kid":"other-alg","alg":"RS512""#), rsa.jwk(#""kid":"private","d":"AQAB""#),
                #"{"kty":"oct","kid":"shared","k":"c2VjcmV0"}"#,
                #"{"kty":"EC","crv":"P-256","kid":"off-curve","x":"\#(Self.ones)","y":"\#(Self.ones)"}"#,
            ])
        }
        server = try await ContentDistributor(settings, clock: clock) { [log] in log.add($0) }
    }

    private static var ones: String { Base64.urlText([UInt8](repeating: 1, count: 32)) }

    /// The claims of an honest token, with other claims that replace or follow them.
    func claims(_ members: String = "", without name: String = "") -> String {
        let own = [
            "iss": "\"\(provider.issuer)\"", "aud": "\"search\"", "sub": "\"ann\"", "exp": "\(now + 86_400)",
            "iat": "\(now)",
        ]
        let kept = own.filter { !members.contains("\"\($0.key)\":") && $0.key != name }
        let texts = kept.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
        return "{" + (texts + (members.isEmpty ? [] : [members])).joined(separator: ",") + "}"
    }

    func forgery(_ header: String = #""alg":"RS256","kid":"r1""#, claims: String? = nil) -> Forgery {
        Forgery(header: "{\(header)}", claims: claims ?? self.claims())
    }

    /// Sends a request, and returns its status and the message of its problem.
    func read(
        _ token: String?,
        collection: String = "Web",
        _ server: ContentDistributor? = nil
    ) async throws -> (
        status: Int, message: String
    ) {
        var fields: HeaderFields = [:]
        if let token { fields.append("Authorization", "Bearer " + token) }
        let request = ServedRequest(.get, "/v1/collections/\(collection)/documents", headers: fields)
        let response = await (server ?? self.server).router.respond(to: request)
        let body = try await response.collectBody(upTo: 1 << 20)
        return (response.status.code, try JSONValue(body)["message"].text ?? "")
    }

    var tokens: AccessTokens { get throws { try AccessTokens(path: settings.state + "/access.sqlite") } }

    func remove() async {
        await provider.stop()
        folder.remove()
    }
}
