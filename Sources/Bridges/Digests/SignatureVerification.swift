import CLibCrypto
import TextKit

/// A public key that verifies signatures of a single algorithm.
///
/// The key may be shared: libcrypto only reads it.
package final class VerificationKey: Sendable {
    /// A signature algorithm, with its name in JSON Web Signatures.
    package enum Algorithm: String, Sendable, Hashable, CaseIterable {
        /// RSA with PKCS #1 v1.5 padding and SHA-256.
        case rs256 = "RS256"
        /// ECDSA on P-256 with SHA-256; a signature is r and s, 32 bytes each.
        case es256 = "ES256"
        /// Ed25519.
        case edDSA = "EdDSA"
    }

    package let algorithm: Algorithm
    /// The key, which is not modified after its creation.
    nonisolated(unsafe) private let key: OpaquePointer

    /// The allowed number of bits of an RSA modulus: fewer are too weak, and more take too long.
    package static let rsaBits = 2048...8192
    private static let coordinateBytes = 32

    private init(_ algorithm: Algorithm, _ key: OpaquePointer) { (self.algorithm, self.key) = (algorithm, key) }

    deinit {
        EVP_PKEY_free(key)
    }

    // MARK: Keys

    /// Creates an RSA key from big-endian numbers; `nil` if it is too weak, too large or not a key.
    package static func rsa(modulus: [UInt8], exponent: [UInt8]) -> VerificationKey? {
        let modulus = Array(modulus.drop { $0 == 0 })
        let exponent = Array(exponent.drop { $0 == 0 })
        guard let first = modulus.first, let last = exponent.last else { return nil }
        let bits = modulus.count * 8 - first.leadingZeroBitCount
        guard rsaBits.contains(bits), !(modulus.last ?? 0).isMultiple(of: 2) else { return nil }
        guard exponent.count <= 8, last & 1 == 1, exponent != [1] else { return nil }
        return made(
            .rs256,
            "RSA",
            [(OSSL_PKEY_PARAM_RSA_N, .number(modulus)), (OSSL_PKEY_PARAM_RSA_E, .number(exponent))]
        )
    }

    /// Creates a key on the curve P-256; `nil` if the point is not on it.
    package static func p256(x: [UInt8], y: [UInt8]) -> VerificationKey? {
        guard x.count == coordinateBytes, y.count == coordinateBytes else { return nil }
        let key = made(
            .es256,
            "EC",
            [(OSSL_PKEY_PARAM_GROUP_NAME, .name("prime256v1")), (OSSL_PKEY_PARAM_PUB_KEY, .bytes([4] + x + y))]
        )
        guard let key, let context = EVP_PKEY_CTX_new_from_pkey(nil, key.key, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        return EVP_PKEY_public_check(context) == 1 ? key : nil
    }

    /// Creates an Ed25519 key; `nil` if it does not have 32 bytes.
    package static func ed25519(_ bytes: [UInt8]) -> VerificationKey? {
        guard bytes.count == coordinateBytes else { return nil }
        return EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, bytes, bytes.count).map {
            VerificationKey(.edDSA, $0)
        }
    }

    enum Part {
        case number([UInt8])
        case bytes([UInt8])
        case name(String)

        /// The key part in libcrypto's format, with numbers in native byte order.
        var memory: [UInt8] {
            switch self {
            case .number(let bytes): 1.littleEndian == 1 ? bytes.reversed() : bytes
            case .bytes(let bytes): bytes
            case .name(let name): Array(name.utf8) + [0]
            }
        }
    }

    private static func made(_ algorithm: Algorithm, _ type: String, _ parts: [(String, Part)]) -> VerificationKey? {
        key(type, parts, selection: publicKey).map { VerificationKey(algorithm, $0) }
    }

    /// Returns a key made from its parts; the caller frees it.
    static func key(_ type: String, _ parts: [(String, Part)], selection: Int32) -> OpaquePointer? {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, type, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        // The memory must not move until the key is created.
        var memories: [UnsafeMutableBufferPointer<UInt8>] = []
        defer {
            for memory in memories {
                OPENSSL_cleanse(memory.baseAddress, memory.count)
                memory.deallocate()
            }
        }
        func kept(_ bytes: [UInt8]) -> UnsafeMutableBufferPointer<UInt8> {
            let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
            _ = memory.initialize(from: bytes)
            memories.append(memory)
            return memory
        }
        var parameters = parts.map { name, part in
            let (key, value) = (kept(Array(name.utf8) + [0]), kept(part.memory))
            return key.withMemoryRebound(to: CChar.self) { key in
                switch part {
                case .number: OSSL_PARAM_construct_BN(key.baseAddress, value.baseAddress, value.count)
                case .bytes: OSSL_PARAM_construct_octet_string(key.baseAddress, value.baseAddress, value.count)
                case .name:
                    value.withMemoryRebound(to: CChar.self) {
                        OSSL_PARAM_construct_utf8_string(key.baseAddress, $0.baseAddress, 0)
                    }
                }
            }
        }
        parameters.append(OSSL_PARAM_construct_end())
        var key: OpaquePointer?
        guard EVP_PKEY_fromdata_init(context) == 1,
            EVP_PKEY_fromdata(context, &key, selection, &parameters) == 1, let key
        else {
            ERR_clear_error()
            return nil
        }
        return key
    }

    /// The value of `EVP_PKEY_PUBLIC_KEY`, a macro that Swift does not import.
    static let publicKey = OSSL_KEYMGMT_SELECT_ALL_PARAMETERS | OSSL_KEYMGMT_SELECT_PUBLIC_KEY

    // MARK: Signatures

    /// Returns whether the holder of the private key has signed the bytes.
    package func verifies(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
        guard let encoded = encoded(signature), let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        let digest = algorithm == .edDSA ? nil : "SHA2-256"
        let isValid =
            EVP_DigestVerifyInit_ex(context, nil, digest, nil, nil, key, nil) == 1
            && EVP_DigestVerify(context, encoded, encoded.count, bytes, bytes.count) == 1
        // A wrong signature leaves an error in the queue of this thread, where another caller would find it.
        if !isValid { ERR_clear_error() }
        return isValid
    }

    /// Returns a signature in libcrypto's form; `nil` if it has the wrong length.
    private func encoded(_ signature: [UInt8]) -> [UInt8]? {
        switch algorithm {
        case .rs256: return signature.count == (EVP_PKEY_get_bits(key) + 7) / 8 ? signature : nil
        case .edDSA: return signature.count == 2 * Self.coordinateBytes ? signature : nil
        case .es256:
            guard signature.count == 2 * Self.coordinateBytes else { return nil }
            let numbers =
                Self.number(signature.prefix(Self.coordinateBytes))
                + Self.number(signature.suffix(Self.coordinateBytes))
            return [0x30, UInt8(numbers.count)] + numbers
        }
    }

    /// Returns a number of at most 32 bytes in DER: the shortest form, with a sign.
    private static func number(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }
}

extension Digest {
    /// Returns whether the bytes are equal, in time that depends only on their number.
    package func equals(_ other: [UInt8]) -> Bool {
        let bytes = bytes
        return bytes.count == other.count && CRYPTO_memcmp(bytes, other, other.count) == 0
    }
}
