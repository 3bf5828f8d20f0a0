package import Digests
package import JSONText
import TextKit

/// The published keys of a provider (RFC 7517) that can verify a token.
package struct ProviderKeys: Sendable {
    private struct Entry: Sendable {
        let id: String?
        let key: VerificationKey
    }

    private let entries: [Entry]
    package static let maximumBytes = 256 << 10
    package static let maximumKeys = 100

    package init() { entries = [] }

    /// Reads a set of keys; keys that this server does not use are ignored.
    package init(_ bytes: [UInt8]) throws(ProviderDefect) {
        guard let set = try? JSONValue(bytes), case .array(let keys) = set["keys"] else {
            throw ProviderDefect("its keys are not a JSON Web Key Set")
        }
        guard keys.count <= Self.maximumKeys else {
            throw ProviderDefect("it has \(keys.count) keys, more than \(Self.maximumKeys)")
        }
        entries = keys.compactMap { key in Self.key(key).map { Entry(id: key["kid"].text, key: $0) } }
        guard !entries.isEmpty else { throw ProviderDefect("none of its keys can verify RS256, ES256 or EdDSA") }
    }

    /// Returns a usable key; `nil` if the key is of another kind, for another purpose, weak, or not public.
    private static func key(_ key: JSONValue) -> VerificationKey? {
        guard !key.has("use") || key["use"].text == "sig", !key.has("d"), !key.has("k") else { return nil }
        guard !key.has("key_ops") || key["key_ops"].elements.contains(.string("verify")) else { return nil }
        guard !key.has("kid") || key["kid"].text != nil else { return nil }
        func bytes(_ name: String) -> [UInt8]? { key[name].text.flatMap { Base64.urlBytes($0) } }
        func isFor(_ algorithm: VerificationKey.Algorithm) -> Bool {
            !key.has("alg") || key["alg"].text == algorithm.rawValue
        }
        switch key["kty"].text {
        case "RSA" where isFor(.rs256):
            guard let modulus = bytes("n"), let exponent = bytes("e") else { return nil }
            return .rsa(modulus: modulus, exponent: exponent)
        case "EC" where isFor(.es256) && key["crv"].text == "P-256":
            guard let x = bytes("x"), let y = bytes("y") else { return nil }
            return .p256(x: x, y: y)
        case "OKP" where isFor(.edDSA) && key["crv"].text == "Ed25519": return bytes("x").flatMap { .ed25519($0) }
        default: return nil
        }
    }

    package enum Choice: Sendable {
        case key(VerificationKey)
        /// There is no key with this name; the key may be among newer ones.
        case unknown
        case refused(TokenDefect)
    }

    /// Returns the key with a name and an algorithm; without a name, the only key for the algorithm.
    package func key(named id: String?, for algorithm: VerificationKey.Algorithm) -> Choice {
        let named = entries.filter { entry in id == nil || entry.id?.utf8.elementsEqual(id?.utf8 ?? "".utf8) == true }
        if named.isEmpty { return .unknown }
        let fitting = named.filter { $0.key.algorithm == algorithm }
        switch fitting.count {
        case 0: return .refused(TokenDefect("its key does not match its algorithm"))
        case 1: return .key(fitting[0].key)
        default: return .refused(TokenDefect("several keys of the provider could have signed it"))
        }
    }
}

/// The reason why a provider's keys can't be used.
package struct ProviderDefect: Error, Hashable {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}

/// A claim by its name, or by a path from the top such as `/realm_access/roles` (RFC 6901).
package struct ClaimPath: Sendable, Hashable {
    private let text: String

    package init(_ text: String) { self.text = text }

    package func value(in claims: JSONValue) -> JSONValue {
        guard text.hasPrefix("/") else { return claims[text] }
        return text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).reduce(claims) { value, step in
            value[step.replacing("~1", with: "/").replacing("~0", with: "~")]
        }
    }
}
