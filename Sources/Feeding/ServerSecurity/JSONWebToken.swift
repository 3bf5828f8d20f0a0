package import Digests
package import JSONText
import TextKit

/// A signed token in the compact form (RFC 7515, 7519), which consists of a header, claims, and the signature over
/// both.
///
/// Reading a token does not verify it: its claims must not be trusted until the signature has been verified with a key
/// that the server obtained elsewhere. A token whose header contains a key or the address of a key is refused.
package struct JSONWebToken: Sendable {
    /// The signature algorithm of a token; a token without a signature, or with another algorithm, is refused when it
    /// is read.
    package enum Algorithm: Sendable, Hashable {
        /// Signed with the private key of an identity provider.
        case publicKey(VerificationKey.Algorithm)
        /// Signed with a shared secret of the server, using HMAC with SHA-256; used only for derived tokens.
        case hs256
    }

    package let algorithm: Algorithm
    /// The name of the key.
    package let keyID: String?
    /// The claims, an object in which no key is repeated at any depth.
    package let claims: JSONValue
    /// The bytes that are signed.
    package let signed: [UInt8]
    package let signature: [UInt8]

    package static let maximumBytes = 8 << 10

    /// Reads a token, whose parts must be encoded exactly as the standard requires.
    package init(_ text: some StringProtocol) throws(TokenDefect) {
        guard text.utf8.count <= Self.maximumBytes else {
            throw TokenDefect("it has more than \(Self.maximumBytes) bytes")
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw TokenDefect("it does not have three parts") }
        let header = try Self.object(in: parts[0], "header")
        claims = try Self.object(in: parts[1], "body")
        guard let signature = Base64.urlBytes(parts[2]), !signature.isEmpty else {
            throw TokenDefect("its signature is not base64url without padding")
        }
        self.signature = signature
        signed = Array("\(parts[0]).\(parts[1])".utf8)
        for name in ["crit", "jwk", "jku", "x5u"] where header.has(name) {
            throw TokenDefect("its header has '\(name)', which is not accepted")
        }
        algorithm = try Self.algorithm(header["alg"])
        switch header["kid"] {
        case .null where !header.has("kid"): keyID = nil
        case .string(let name) where name.utf8.count <= 256: keyID = name
        default: throw TokenDefect("the name of its key is not a string of at most 256 bytes")
        }
        // A token of another kind, such as a logout token, must not count as an access token.
        if header.has("typ") {
            guard let type = header["typ"].text?.lowercased(),
                ["jwt", "at+jwt", "application/at+jwt"].contains(type)
            else { throw TokenDefect("its type is not JWT or at+jwt") }
        }
    }

    private static func algorithm(_ value: JSONValue) throws(TokenDefect) -> Algorithm {
        guard let name = value.text else { throw TokenDefect("it names no algorithm") }
        if name == "HS256" { return .hs256 }
        if let algorithm = VerificationKey.Algorithm(rawValue: name) { return .publicKey(algorithm) }
        throw TokenDefect("its algorithm is not one of RS256, ES256, EdDSA")
    }

    private static func object(in part: some StringProtocol, _ name: String) throws(TokenDefect) -> JSONValue {
        guard let bytes = Base64.urlBytes(part) else {
            throw TokenDefect("its \(name) is not base64url without padding")
        }
        guard let value = try? JSONValue(bytes), case .object = value else {
            throw TokenDefect("its \(name) is not a JSON object")
        }
        guard !value.repeatsKey else { throw TokenDefect("its \(name) has a duplicate key") }
        return value
    }

    // MARK: Claims

    /// Refuses a token that is not valid at the given time; the clocks of the issuer and the server may differ by
    /// `skew`.
    package func refuse(outside now: Duration, skew: Duration) throws(TokenDefect) {
        guard let end = try time("exp") else { throw TokenDefect("it has no 'exp', the time at which it expires") }
        guard now < end + skew else { throw TokenDefect("it has expired") }
        if let start = try time("nbf"), now + skew < start { throw TokenDefect("it is not valid yet") }
        if let issue = try time("iat"), now + skew < issue { throw TokenDefect("it was issued in the future") }
    }

    /// The time since 1970 in a claim; `nil` if there is none.
    package func time(_ claim: String) throws(TokenDefect) -> Duration? {
        switch claims[claim] {
        case .null where !claims.has(claim): return nil
        case .number(let text):
            // Times are limited to the year 9999, as elsewhere in the server.
            guard let seconds = Double(text), (0...253_402_300_799).contains(seconds) else { break }
            return .seconds(seconds)
        default: break
        }
        throw TokenDefect("'\(claim)' is not a time in seconds since 1970")
    }

    /// The token's user, as named by its issuer.
    package func subject() throws(TokenDefect) -> String? {
        guard claims.has("sub") else { return nil }
        guard let subject = claims["sub"].text, (1...255).contains(subject.utf8.count) else {
            throw TokenDefect("'sub' is not a string of 1 to 255 bytes")
        }
        return subject
    }
}

/// The reason why a token is not accepted, without the token's secrets.
package struct TokenDefect: Error, Hashable {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}

/// The value of a claim, in the form that rules compare.
package enum ClaimValue: Sendable, Hashable, ExpressibleByStringLiteral {
    case text(String)
    /// A list of strings; a condition holds if one of them matches.
    case list([String])

    package init(stringLiteral text: String) { self = .text(text) }

    /// Creates the value of a claim; returns `nil` if rules can't compare it because it is a number, an object, or a
    /// list of these.
    package init?(_ value: JSONValue) {
        switch value {
        case .string(let text): self = .text(text)
        case .array(let elements):
            let texts = elements.compactMap(\.text)
            guard texts.count == elements.count else { return nil }
            self = .list(texts)
        case .object, .number, .bool, .null: return nil
        }
    }

    package var texts: [String] {
        switch self {
        case .text(let text): [text]
        case .list(let texts): texts
        }
    }

    package func contains(_ text: String) -> Bool { texts.contains { $0.utf8.elementsEqual(text.utf8) } }
}

extension String {
    /// The string with everything except printable ASCII escaped, so different strings stay different in a log.
    package var escapedForLog: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case " "..."~": text.unicodeScalars.append(scalar)
            default: text += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return text
    }
}

extension JSONValue {
    package func has(_ key: String) -> Bool { members.contains { $0.key == key } }

    package var isObject: Bool {
        if case .object = self { true } else { false }
    }

    /// Whether an object in the value has a duplicate key.
    fileprivate var repeatsKey: Bool {
        switch self {
        case .object(let members):
            Set(members.map(\.key)).count < members.count || members.contains { $0.value.repeatsKey }
        case .array(let elements): elements.contains { $0.repeatsKey }
        case .string, .number, .bool, .null: false
        }
    }
}
