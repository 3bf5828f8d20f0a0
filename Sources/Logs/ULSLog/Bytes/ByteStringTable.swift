/// Unique byte strings, numbered from zero in order of arrival.
///
/// All of them are in one array, so a string costs no allocation of its own. A string's slot depends on the process;
/// its number doesn't.
struct ByteStringTable: Sendable {
    private var bytes: [UInt8] = []
    /// The end of each string in `bytes`.
    private var ends: [Int] = []
    /// Slots of the hash table: the upper half of a string's hash, and its number plus one; zero is a free slot.
    ///
    /// Open addressing; the size is a power of two.
    private var slots: [UInt64] = []

    var count: Int { ends.count }
    var byteCount: Int { bytes.count }

    /// The string with this number.
    subscript(number: Int) -> Span<UInt8> {
        @_lifetime(borrow self)
        get { bytes.span.extracting((number == 0 ? 0 : ends[number - 1])..<ends[number]) }
    }

    /// Returns the number of a string; nil if it was never added.
    func number(of string: Span<UInt8>, hash: ByteHash) -> Int? {
        guard !slots.isEmpty else { return nil }
        let mask = slots.count - 1
        var place = hash.place(in: slots.count)
        while slots[place] != 0 {
            let slot = slots[place]
            let number = Int(slot & 0xFFFF_FFFF) - 1
            if slot >> 32 == hash.upperHalf, self[number].equals(string) { return number }
            place = (place + 1) & mask
        }
        return nil
    }

    /// Adds a string that isn't in the table yet, and returns its number.
    @discardableResult
    mutating func append(_ string: Span<UInt8>, hash: ByteHash) -> Int {
        // Half of the slots stay free, so a search is short and always ends.
        if (count + 1) * 2 > slots.count { grow() }
        bytes.append(copying: string)
        ends.append(bytes.count)
        occupy(hash, number: count - 1)
        return count - 1
    }

    /// Removes all strings and keeps the capacity.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        for place in slots.indices { slots[place] = 0 }
    }

    private mutating func grow() {
        slots = Array(repeating: 0, count: max(64, slots.count * 2))
        for number in 0..<count { occupy(ByteHash(of: self[number]), number: number) }
    }

    private mutating func occupy(_ hash: ByteHash, number: Int) {
        let mask = slots.count - 1
        var place = hash.place(in: slots.count)
        while slots[place] != 0 { place = (place + 1) & mask }
        slots[place] = hash.upperHalf << 32 | UInt64(number + 1)
    }
}

/// A hash of bytes that reads eight of them at a time: scope names are looked up a million times a minute.
///
/// The hash differs in each process, so no log can be written whose names all land in one slot.
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
            // The last eight bytes, which overlap those already hashed.
            rest = bytes.word(at: bytes.count - 8)
        } else {
            while offset < bytes.count {
                rest = rest << 8 | UInt64(bytes[offset])
                offset += 1
            }
        }
        self.value = Self.mix(value, rest, seed)
    }

    /// Returns the slot at which a search starts, out of `count`, a power of two.
    func place(in count: Int) -> Int { Int(truncatingIfNeeded: value) & (count - 1) }

    /// The half of the hash that distinguishes strings whose searches start at the same slot.
    var upperHalf: UInt64 { value >> 32 }

    /// Mixes in a word with both halves of the product, so every bit of the word reaches every position.
    @inline(__always)
    private static func mix(_ value: UInt64, _ word: UInt64, _ seed: UInt64) -> UInt64 {
        let product = (value ^ word ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: seed ^ 0xD6E8_FEB8_6659_FD93)
        return product.high ^ product.low &+ word
    }
}

extension Span<UInt8> {
    /// Returns whether both hold the same bytes.
    func equals(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var offset = 0
        while offset + 8 <= count {
            guard word(at: offset) == other.word(at: offset) else { return false }
            offset += 8
        }
        // The last eight bytes, which overlap those already compared.
        if count >= 8 { return word(at: count - 8) == other.word(at: count - 8) }
        while offset < count {
            guard self[offset] == other[offset] else { return false }
            offset += 1
        }
        return true
    }

    /// Returns eight bytes as one number, in the machine's byte order.
    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        precondition(offset >= 0 && offset <= count - 8)
        // In bounds by the check above; any eight bytes are a number.
        return unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
}
