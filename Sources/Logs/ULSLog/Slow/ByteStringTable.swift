/// Byte strings, each of them once, numbered from zero in the order in which they came.
///
/// All of them stand in one array, so that a string costs no allocation of its own. Where a string is looked for depends
/// on the process; its number doesn't.
struct ByteStringTable: Sendable {
    private var bytes: [UInt8] = []
    /// Where each string ends in `bytes`.
    private var ends: [Int] = []
    /// Where each string is found: the upper half of its hash, and its number plus one; zero is free.
    ///
    /// Open addressing in a power of two.
    private var slots: [UInt64] = []

    var count: Int { ends.count }
    var byteCount: Int { bytes.count }

    /// The string of a number.
    subscript(number: Int) -> Span<UInt8> {
        @_lifetime(borrow self)
        get { bytes.span.extracting((number == 0 ? 0 : ends[number - 1])..<ends[number]) }
    }

    /// The number of a string; nil if it never came.
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

    /// Takes a string that never came before, and returns its number.
    @discardableResult
    mutating func append(_ string: Span<UInt8>, hash: ByteHash) -> Int {
        // Half of the slots stay free, so that a search is short and always ends.
        if (count + 1) * 2 > slots.count { grow() }
        bytes.append(copying: string)
        ends.append(bytes.count)
        occupy(hash, number: count - 1)
        return count - 1
    }

    /// Forgets all strings and keeps the room.
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
