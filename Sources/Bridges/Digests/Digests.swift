import CLibCrypto
import TextKit

/// The result of a ``DigestFunction``.
///
/// The time of a comparison depends on the position of the first difference, so secrets must not be checked with `==`.
package struct Digest: Hashable, Sendable {
    /// The bytes, followed by zeros.
    private let storage: SIMD64<UInt8>
    private let count: Int

    /// The bytes: 16 for MD5, 32 for SHA-256, 64 for BLAKE2b-512.
    package var bytes: [UInt8] { withUnsafeBytes(of: storage) { Array($0.prefix(count)) } }

    /// Two lowercase hexadecimal digits for each byte.
    package var hexadecimal: String {
        String(unsafeUninitializedCapacity: 2 * count) { digits in
            for index in 0..<count {
                digits[2 * index] = .hexadecimalDigit(storage[index] >> 4)
                digits[2 * index + 1] = .hexadecimalDigit(storage[index] & 0xF)
            }
            return 2 * count
        }
    }

    /// Creates a digest of as many bytes as `write` returns.
    init(_ write: (UnsafeMutablePointer<UInt8>) -> Int) {
        var storage = SIMD64<UInt8>()
        count = withUnsafeMutableBytes(of: &storage) { buffer in
            buffer.withMemoryRebound(to: UInt8.self) { bytes in
                guard let start = bytes.baseAddress else { return 0 }
                return write(start)
            }
        }
        self.storage = storage
    }
}

extension Digest: CustomStringConvertible {
    package var description: String { hexadecimal }
}

/// A function that computes a short digest of bytes.
///
/// A value keeps libcrypto's working memory between calls, which makes short digests three times faster. It can
/// therefore not be copied or shared: each task needs its own.
package protocol DigestFunction: ~Copyable {
    /// Returns the digest of `bytes`.
    mutating func digest(of bytes: Span<UInt8>) -> Digest
}

extension DigestFunction where Self: ~Copyable {
    /// Returns the digest of bytes in any collection, as in `md5.digest(of: "a".utf8)`.
    package mutating func digest(of bytes: some Collection<UInt8>) -> Digest {
        let inPlace = bytes.withContiguousStorageIfAvailable { digest(of: $0.span) }
        return inPlace ?? digest(of: Array(bytes).span)
    }
}

/// HMAC-SHA-256 (RFC 2104), which proves to a holder of the key that the bytes come from someone who also has the key.
package struct HMACSHA256: ~Copyable, DigestFunction {
    private let context: OpaquePointer

    /// Creates a function for one key, which may be of any length.
    package init(key: some Collection<UInt8>) {
        guard let context = EVP_MAC_CTX_new(Self.algorithm.pointer) else { fatalError("out of memory") }
        self.context = context
        // A null pointer would mean "the previous key", so at least one byte of memory is needed.
        let bytes = Array(key) + [0]
        var name = Array("SHA2-256".utf8CString)
        let isSet = name.withUnsafeMutableBufferPointer { name in
            let options = [
                OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name.baseAddress, 0),
                OSSL_PARAM_construct_end(),
            ]
            return EVP_MAC_init(context, bytes, bytes.count - 1, options) == 1
        }
        guard isSet else { fatalError("libcrypto offers no HMAC-SHA-256") }
    }

    deinit {
        EVP_MAC_CTX_free(context)
    }

    package mutating func digest(of bytes: Span<UInt8>) -> Digest {
        Digest { target in
            var count = 0
            let isDone = bytes.withUnsafeBufferPointer { source in
                EVP_MAC_init(context, nil, 0, nil) == 1
                    && EVP_MAC_update(context, source.baseAddress, source.count) == 1
                    && EVP_MAC_final(context, target, &count, 32) == 1
            }
            guard isDone else { fatalError("libcrypto failed to sign \(bytes.count) bytes") }
            return count
        }
    }

    private static let algorithm = Algorithm()

    private struct Algorithm: Sendable {
        /// The algorithm, which is neither modified nor freed after the fetch.
        nonisolated(unsafe) let pointer: OpaquePointer

        init() {
            guard let pointer = EVP_MAC_fetch(nil, "HMAC", nil) else { fatalError("libcrypto offers no HMAC") }
            self.pointer = pointer
        }
    }
}

/// MD5 (RFC 1321), which identifies bytes, but does not protect them against tampering.
package struct MD5: ~Copyable, DigestFunction {
    private let context = MessageDigestContext(.md5)

    package init() {}

    package mutating func digest(of bytes: Span<UInt8>) -> Digest { context.digest(of: bytes) }
}

/// SHA-256 (FIPS 180-4).
package struct SHA256: ~Copyable, DigestFunction {
    private let context = MessageDigestContext(.sha256)

    package init() {}

    package mutating func digest(of bytes: Span<UInt8>) -> Digest { context.digest(of: bytes) }
}

/// A libcrypto algorithm, fetched once per process, because a fetch costs more than a short digest.
struct MessageDigestAlgorithm: Sendable {
    /// The algorithm, which is neither modified nor freed after the fetch.
    nonisolated(unsafe) let pointer: OpaquePointer

    static let md5 = MessageDigestAlgorithm("MD5")
    static let sha256 = MessageDigestAlgorithm("SHA2-256")
    static let blake2b = MessageDigestAlgorithm("BLAKE2B-512")

    init(_ name: String) {
        guard let pointer = EVP_MD_fetch(nil, name, nil) else { fatalError("libcrypto offers no \(name)") }
        self.pointer = pointer
    }
}

/// Libcrypto's working memory for one algorithm.
///
/// This type is not private, because other modules link to noncopyable members of public types.
struct MessageDigestContext: ~Copyable {
    private let algorithm: MessageDigestAlgorithm
    private let pointer: OpaquePointer

    init(_ algorithm: MessageDigestAlgorithm) {
        guard let pointer = EVP_MD_CTX_new() else { fatalError("out of memory") }
        self.algorithm = algorithm
        self.pointer = pointer
    }

    deinit {
        EVP_MD_CTX_free(pointer)
    }

    func digest(of bytes: Span<UInt8>) -> Digest {
        Digest { target in
            var count: UInt32 = 0
            let isDone = bytes.withUnsafeBufferPointer { source in
                EVP_DigestInit_ex2(pointer, algorithm.pointer, nil) == 1
                    && EVP_DigestUpdate(pointer, source.baseAddress, source.count) == 1
                    && EVP_DigestFinal_ex(pointer, target, &count) == 1
            }
            guard isDone else { fatalError("libcrypto failed to digest \(bytes.count) bytes") }
            return Int(count)
        }
    }

    func start() {
        guard EVP_DigestInit_ex2(pointer, algorithm.pointer, nil) == 1 else { fatalError("libcrypto failed to start") }
    }

    func update(_ bytes: Span<UInt8>) {
        let isDone = bytes.withUnsafeBufferPointer { source in
            EVP_DigestUpdate(pointer, source.baseAddress, source.count) == 1
        }
        guard isDone else { fatalError("libcrypto failed to digest \(bytes.count) bytes") }
    }

    /// Continues from the input of `other`.
    func copy(_ other: borrowing MessageDigestContext) {
        guard EVP_MD_CTX_copy_ex(pointer, other.pointer) == 1 else { fatalError("libcrypto failed to copy a digest") }
    }

    /// Returns the digest of the input of `other`, which can receive more input.
    func digest(ofCopied other: borrowing MessageDigestContext) -> Digest {
        Digest { target in
            var count: UInt32 = 0
            copy(other)
            guard EVP_DigestFinal_ex(pointer, target, &count) == 1 else {
                fatalError("libcrypto failed to end a digest")
            }
            return Int(count)
        }
    }
}

/// BLAKE2b-512 (RFC 7693) of bytes that arrive in pieces; the digest of the bytes so far is available at any time.
///
/// BLAKE2b is as secure as SHA-256, and three times as fast on processors without SHA instructions.
package struct RunningBLAKE2b: ~Copyable {
    private let running = MessageDigestContext(.blake2b)
    /// A copy of `running`, because getting a digest ends a computation.
    private let copy = MessageDigestContext(.blake2b)

    package init() { running.start() }

    /// Returns a copy of the computation so far; later input to either of the two does not affect the other.
    package func branch() -> RunningBLAKE2b {
        let branch = RunningBLAKE2b()
        branch.running.copy(running)
        return branch
    }

    package mutating func update(_ bytes: Span<UInt8>) { running.update(bytes) }

    /// Returns the digest of all bytes so far; more may follow.
    package mutating func digestSoFar() -> Digest { copy.digest(ofCopied: running) }
}
