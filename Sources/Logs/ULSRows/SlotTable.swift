import TextKit

/// A hash table of numbers, starting at 0; the caller stores and compares the numbered entries.
///
/// The table uses open addressing: a search begins at the slot that the hash determines and ends at a free slot. At
/// least half of the slots are free, so a search is short and always ends.
struct SlotTable: Sendable {
    /// The slots, each with the upper half of an entry's hash above its number plus one; zero marks a free slot.
    private var slots: [UInt64]
    private var mask: Int
    private var count = 0

    /// Creates a table with this many slots, a power of two; it grows when half of them are taken.
    init(slots count: Int) {
        slots = Array(repeating: 0, count: count)
        mask = count - 1
    }

    /// Returns the number with this hash that `isSame` accepts; `nil` if there is none.
    @inline(__always)
    func find(_ hash: UInt64, where isSame: (Int) -> Bool) -> Int? {
        var place = Int(truncatingIfNeeded: hash &>> 32) & mask
        while slots[place] != 0 {
            let slot = slots[place]
            if (slot ^ hash) &>> 32 == 0 {
                let number = Int(truncatingIfNeeded: slot & 0xFFFF_FFFF) &- 1
                if isSame(number) { return number }
            }
            place = (place &+ 1) & mask
        }
        return nil
    }

    /// Adds a number that isn't in the table.
    mutating func insert(_ number: Int, hash: UInt64) {
        count += 1
        if count * 2 > slots.count { grow() }
        occupy(hash & 0xFFFF_FFFF_0000_0000 | UInt64(number + 1))
    }

    /// Removes all numbers but keeps the capacity.
    mutating func removeAll() {
        for place in slots.indices { slots[place] = 0 }
        count = 0
    }

    private mutating func grow() {
        let taken = slots
        // A table that grows at all usually grows far, as long as it is small.
        slots = Array(repeating: 0, count: taken.count * (taken.count < 4096 ? 4 : 2))
        mask = slots.count - 1
        for slot in taken where slot != 0 { occupy(slot) }
    }

    private mutating func occupy(_ slot: UInt64) {
        var place = Int(truncatingIfNeeded: slot &>> 32) & mask
        while slots[place] != 0 { place = (place &+ 1) & mask }
        slots[place] = slot
    }
}

/// The seed of this process's hashes; keeping a copy saves looking it up each time.
///
/// The hashes differ in each process, so no log can be crafted so that its texts all collide in one slot.
package struct HashSeed: Sendable {
    private let first = Self.first
    private let second = Self.second

    private static let first = UInt64.random(in: .min ... .max)
    private static let second = UInt64.random(in: .min ... .max)

    /// Creates a copy of the seed of this process.
    package init() {}

    /// Returns a hash of two words.
    @inline(__always)
    package func mixed(_ one: UInt64, _ other: UInt64) -> UInt64 { .folded(one ^ first, other ^ second) }

    /// Returns a hash of bytes, which are read sixteen at a time, in two chains as long as there are enough: a chain
    /// waits for each of its multiplications.
    package func hash(of bytes: Span<UInt8>) -> UInt64 {
        let count = bytes.count
        var value = UInt64(truncatingIfNeeded: count)
        guard count >= 16 else {
            // Two words that cover all bytes and may overlap.
            if count >= 8 { return mixed(bytes.word(at: 0), mixed(bytes.word(at: count - 8), value)) }
            var rest: UInt64 = 0
            for offset in 0..<count { rest = rest << 8 | UInt64(bytes[offset]) }
            return mixed(rest, value)
        }
        var offset = 0
        if count >= 64 {
            var other = ~value
            while offset + 32 <= count {
                value = mixed(bytes.word(at: offset), bytes.word(at: offset + 8) ^ value)
                other = mixed(bytes.word(at: offset + 16), bytes.word(at: offset + 24) ^ other)
                offset += 32
            }
            value = mixed(value, other)
        }
        while offset + 16 <= count {
            value = mixed(bytes.word(at: offset), bytes.word(at: offset + 8) ^ value)
            offset += 16
        }
        // The last sixteen bytes, which may overlap those already hashed.
        return mixed(bytes.word(at: count - 16), mixed(bytes.word(at: count - 8), value))
    }
}

extension UInt64 {
    /// Returns a hash of two words that differs in each process; see ``HashSeed``.
    @inline(__always)
    package static func mixed(_ one: UInt64, _ other: UInt64) -> UInt64 { HashSeed().mixed(one, other) }

    /// Returns a hash of two words for a cache, whose slots may be predictable because a miss costs only a search.
    @inline(__always)
    static func cacheHash(_ one: UInt64, _ other: UInt64) -> UInt64 {
        folded(one ^ 0x9E37_79B9_7F4A_7C15, other ^ 0xD6E8_FEB8_6659_FD93)
    }

    /// Returns both halves of a product in a single word, so that every bit of both factors affects every position.
    @inline(__always)
    fileprivate static func folded(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let product = one.multipliedFullWidth(by: other)
        return product.high ^ product.low
    }
}

/// Unique byte strings, numbered from zero in order of arrival.
///
/// All strings are in one array, so a string needs no separate allocation.
package struct ByteStringTable: Sendable {
    private var bytes: [UInt8] = []
    /// The end of each string in `bytes`.
    private var ends: [Int] = []
    private var slots = SlotTable(slots: 64)

    package init() {}

    package var count: Int { ends.count }
    package var byteCount: Int { bytes.count }

    /// The string with this number.
    package subscript(number: Int) -> Span<UInt8> {
        @_lifetime(borrow self)
        get { bytes.span.extracting((number == 0 ? 0 : ends[number - 1])..<ends[number]) }
    }

    /// Returns the number of the string that consists of a byte and another string; nil if it was never added.
    package func number(of string: Span<UInt8>, behind first: UInt8, hash: UInt64) -> Int? {
        slots.find(hash) { number in
            let whole = self[number]
            return whole.count == string.count + 1 && whole[0] == first
                && whole.extracting(1..<whole.count).equals(string)
        }
    }

    /// Returns the number of a string; nil if it was never added.
    package func number(of string: Span<UInt8>, hash: UInt64) -> Int? {
        slots.find(hash) { self[$0].equals(string) }
    }

    /// Adds a string that isn't in the table yet, and returns its number.
    @discardableResult
    package mutating func append(_ string: Span<UInt8>, hash: UInt64) -> Int {
        bytes.append(copying: string)
        ends.append(bytes.count)
        slots.insert(count - 1, hash: hash)
        return count - 1
    }

    /// Removes all strings but keeps the capacity.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        slots.removeAll()
    }
}

extension Span<UInt8> {
    /// Returns whether both contain the same bytes.
    package func equals(_ other: Span<UInt8>) -> Bool {
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
    package func word(at offset: Int) -> UInt64 {
        precondition(offset >= 0 && offset <= count - 8)
        // The load is in bounds because of the check above, and any eight bytes are a valid number.
        return unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
}
