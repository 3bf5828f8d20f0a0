/// A hash of bytes that takes eight of them at a time: names of scopes are looked up a million times a minute.
///
/// It is another one in each process, so that no log can be written whose names all fall into one place.
struct ByteHash: Equatable, Sendable {
    private let value: UInt64

    private static let seed = UInt64(truncatingIfNeeded: Hasher().finalize()) | 1

    init(of bytes: Span<UInt8>) {
        let seed = Self.seed
        var value = seed ^ UInt64(truncatingIfNeeded: bytes.count)
        var offset = 0
        while offset + 8 <= bytes.count {
            value = Self.mix(value, bytes.word(at: offset), seed)
            offset += 8
        }
        var rest: UInt64 = 0
        if bytes.count >= 8 {
            // Some of them again.
            rest = bytes.word(at: bytes.count - 8)
        } else {
            while offset < bytes.count {
                rest = rest << 8 | UInt64(bytes[offset])
                offset += 1
            }
        }
        self.value = Self.mix(value, rest, seed)
    }

    /// Where to begin looking among `count` places, a power of two.
    func place(in count: Int) -> Int { Int(truncatingIfNeeded: value) & (count - 1) }

    /// What tells strings apart that begin at the same place.
    var upperHalf: UInt64 { value >> 32 }

    /// Both halves of the product: every bit of the word reaches every place.
    @inline(__always)
    private static func mix(_ value: UInt64, _ word: UInt64, _ seed: UInt64) -> UInt64 {
        let product = (value ^ word ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: seed ^ 0xD6E8_FEB8_6659_FD93)
        return product.high ^ product.low &+ word
    }
}

extension Span<UInt8> {
    /// Whether both hold the same bytes.
    func equals(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var offset = 0
        while offset + 8 <= count {
            guard word(at: offset) == other.word(at: offset) else { return false }
            offset += 8
        }
        // Some of them again.
        if count >= 8 { return word(at: count - 8) == other.word(at: count - 8) }
        while offset < count {
            guard self[offset] == other[offset] else { return false }
            offset += 1
        }
        return true
    }

    /// Eight bytes as one number, in the order of the machine.
    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        precondition(offset >= 0 && offset <= count - 8)
        // In bounds by the line above; any eight bytes are a number.
        return unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
}
