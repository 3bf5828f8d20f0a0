/// Unique byte strings, numbered from zero in order of arrival.
///
/// All of them are in one array, so a string costs no allocation of its own.
struct ByteStringTable: Sendable {
    private var bytes: [UInt8] = []
    /// The end of each string in `bytes`.
    private var ends: [Int] = []
    private var slots = SlotTable(slots: 64)

    var count: Int { ends.count }
    var byteCount: Int { bytes.count }

    /// The string with this number.
    subscript(number: Int) -> Span<UInt8> {
        @_lifetime(borrow self)
        get { bytes.span.extracting((number == 0 ? 0 : ends[number - 1])..<ends[number]) }
    }

    /// Returns the number of a string; nil if it was never added.
    func number(of string: Span<UInt8>, hash: UInt64) -> Int? {
        slots.find(hash) { self[$0].equals(string) }
    }

    /// Adds a string that isn't in the table yet, and returns its number.
    @discardableResult
    mutating func append(_ string: Span<UInt8>, hash: UInt64) -> Int {
        bytes.append(copying: string)
        ends.append(bytes.count)
        slots.insert(count - 1, hash: hash)
        return count - 1
    }

    /// Removes all strings and keeps the capacity.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        slots.removeAll()
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
