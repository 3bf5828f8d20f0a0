import CLibCrypto
import TextKit

/// A private key on the curve P-256, which signs with ES256 and derives secrets that are shared with the holders of
/// other keys.
///
/// The key may be shared: libcrypto only reads it.
package final class P256PrivateKey: Sendable {
    /// The key, which is not modified after its creation.
    nonisolated(unsafe) private let key: OpaquePointer
    /// The public key as an uncompressed point: 4, then x and y, 32 bytes each.
    package let publicKey: [UInt8]

    static let pointBytes = 65
    private static let coordinateBytes = 32

    private init?(owning key: OpaquePointer) {
        var point = [UInt8](repeating: 0, count: Self.pointBytes)
        var count = 0
        let name = "encoded-pub-key"
        let isPoint =
            EVP_PKEY_is_a(key, "EC") == 1
            && EVP_PKEY_get_octet_string_param(key, name, &point, point.count, &count) == 1
        guard isPoint, count == Self.pointBytes, point[0] == 4, Self.isOnCurve(key) else {
            EVP_PKEY_free(key)
            ERR_clear_error()
            return nil
        }
        (self.key, publicKey) = (key, point)
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// Creates a new random key.
    package init() {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else {
            fatalError("libcrypto offers no EC keys")
        }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        var point = [UInt8](repeating: 0, count: Self.pointBytes)
        var count = 0
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "prime256v1") == 1,
            EVP_PKEY_generate(context, &key) == 1, let key,
            EVP_PKEY_get_octet_string_param(key, "encoded-pub-key", &point, point.count, &count) == 1,
            count == Self.pointBytes
        else { fatalError("libcrypto can't create a key on P-256") }
        (self.key, publicKey) = (key, point)
    }

    /// Creates a key from its private number and its public point; `nil` if they do not match.
    package convenience init?(number: [UInt8], point: [UInt8]) {
        guard number.count == Self.coordinateBytes, point.count == Self.pointBytes else { return nil }
        let key = VerificationKey.key(
            "EC",
            [
                (OSSL_PKEY_PARAM_GROUP_NAME, .name("prime256v1")), (OSSL_PKEY_PARAM_PUB_KEY, .bytes(point)),
                (OSSL_PKEY_PARAM_PRIV_KEY, .number(number)),
            ],
            selection: VerificationKey.publicKey | OSSL_KEYMGMT_SELECT_PRIVATE_KEY
        )
        guard let key else { return nil }
        self.init(owning: key)
    }

    private static func isOnCurve(_ key: OpaquePointer) -> Bool {
        var name = [CChar](repeating: 0, count: 32)
        var count = 0
        guard EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1,
            String(decoding: name.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) == "prime256v1",
            let context = EVP_PKEY_CTX_new_from_pkey(nil, key, nil)
        else { return false }
        defer { EVP_PKEY_CTX_free(context) }
        return EVP_PKEY_check(context) == 1
    }

    // MARK: PEM

    /// The key in a text format that OpenSSL can also read; anyone with this text can sign.
    package var pem: String {
        var pointer: UnsafeMutablePointer<UInt8>?
        let count = i2d_PrivateKey(key, &pointer)
        guard count > 0, let pointer else { fatalError("libcrypto can't encode a key on P-256") }
        defer { CRYPTO_clear_free(pointer, Int(count), "", 0) }
        let text = Array(Base64.text(Array(UnsafeBufferPointer(start: pointer, count: Int(count)))))
        let lines = stride(from: 0, to: text.count, by: 64).map { String(text[$0..<min($0 + 64, text.count)]) }
        return "-----BEGIN EC PRIVATE KEY-----\n\(lines.joined(separator: "\n"))\n-----END EC PRIVATE KEY-----\n"
    }

    /// Reads the text of a key file without a password; `nil` if it is not a key on P-256.
    package convenience init?(pem: String) {
        let lines = pem.split(whereSeparator: \.isNewline)
        let begin = lines.firstIndex {
            ["-----BEGIN EC PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----"].contains($0)
        }
        guard let begin, let end = lines[begin...].firstIndex(where: { $0.hasPrefix("-----END ") }),
            let bytes = Base64.bytes(lines[(begin + 1)..<end].joined())
        else { return nil }
        let key = bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var start = buffer.baseAddress
            return d2i_AutoPrivateKey_ex(nil, &start, buffer.count, nil, nil)
        }
        guard let key else {
            ERR_clear_error()
            return nil
        }
        self.init(owning: key)
    }

    // MARK: Use

    /// Returns the ES256 signature of bytes: r and s, 32 bytes each.
    package func signature(of bytes: [UInt8]) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { fatalError("out of memory") }
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: 80)
        var count = signature.count
        guard EVP_DigestSignInit_ex(context, nil, "SHA2-256", nil, nil, key, nil) == 1,
            EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1
        else { fatalError("libcrypto failed to sign \(bytes.count) bytes") }
        // A DER sequence of two integers, each shorter than 128 bytes.
        let first = Int(signature[3])
        let second = Int(signature[5 + first])
        return Self.coordinate(signature[4..<4 + first]) + Self.coordinate(signature[6 + first..<6 + first + second])
    }

    private static func coordinate(_ number: ArraySlice<UInt8>) -> [UInt8] {
        let digits = number.drop { $0 == 0 }
        return [UInt8](repeating: 0, count: coordinateBytes - digits.count) + digits
    }

    /// Returns the secret shared by this key and another party's public key (ECDH); `nil` if the point is not on the
    /// curve.
    package func secret(with point: [UInt8]) -> [UInt8]? {
        guard point.count == Self.pointBytes, point[0] == 4,
            let peer = VerificationKey.key(
                "EC",
                [(OSSL_PKEY_PARAM_GROUP_NAME, .name("prime256v1")), (OSSL_PKEY_PARAM_PUB_KEY, .bytes(point))],
                selection: VerificationKey.publicKey
            )
        else { return nil }
        defer { EVP_PKEY_free(peer) }
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var secret = [UInt8](repeating: 0, count: Self.coordinateBytes)
        var count = secret.count
        guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer_ex(context, peer, 1) == 1,
            EVP_PKEY_derive(context, &secret, &count) == 1, count == secret.count
        else {
            ERR_clear_error()
            return nil
        }
        return secret
    }
}

// MARK: - Derived keys and sealed bytes

/// HKDF with SHA-256 (RFC 5869), for keys of at most 32 bytes.
package enum HKDF {
    /// Returns a key of `count` bytes.
    package static func key(_ secret: [UInt8], salt: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
        precondition((1...32).contains(count), "one block of SHA-256 has 32 bytes")
        var extract = HMACSHA256(key: salt)
        var expand = HMACSHA256(key: extract.digest(of: secret).bytes)
        return Array(expand.digest(of: info + [1]).bytes.prefix(count))
    }
}

/// AES-128 in Galois/Counter mode (NIST SP 800-38D), without additional data.
package enum AES128GCM {
    package static let tagBytes = 16

    /// Returns the encrypted bytes, followed by the tag that proves that they are unchanged; a nonce must be used only
    /// once with each key.
    package static func seal(_ bytes: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8] {
        precondition(key.count == 16 && nonce.count == 12, "AES-128-GCM has keys of 16 bytes and nonces of 12")
        guard let context = EVP_CIPHER_CTX_new() else { fatalError("out of memory") }
        defer { EVP_CIPHER_CTX_free(context) }
        var sealed = [UInt8](repeating: 0, count: bytes.count)
        var tag = [UInt8](repeating: 0, count: tagBytes)
        var (count, rest): (Int32, Int32) = (0, 0)
        guard EVP_EncryptInit_ex2(context, EVP_aes_128_gcm(), key, nonce, nil) == 1,
            EVP_EncryptUpdate(context, &sealed, &count, bytes, Int32(bytes.count)) == 1,
            EVP_EncryptFinal_ex(context, &tag, &rest) == 1, Int(count) == bytes.count, rest == 0,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag) == 1
        else { fatalError("libcrypto failed to encrypt \(bytes.count) bytes") }
        return sealed + tag
    }
}
