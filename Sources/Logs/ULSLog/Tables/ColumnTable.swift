/// Different texts of a column, or of columns that stand side by side, each with a number.
///
/// What a row's columns mean is worked out once for each different text, and found again by comparing bytes; so a level
/// is understood, or a category tested, a few hundred times for a gigabyte. It holds ``LogLimit/columns`` texts; number 0
/// stands for those beyond.
struct ColumnTable {
    private var bytes: [UInt8]
    /// Where each text lies in `bytes`, and how long it is.
    private var texts: [(offset: UInt32, length: UInt32, hash: UInt64)] = [(0, 0, 0)]
    /// The number of a text by its hash; 0 is free.
    private var slots: [UInt32]
    private var mask: Int
    private let maximum: Int
    /// A longer text is none that a service writes; it is not kept.
    private static let maximumBytes = 4096

    init(maximum: Int) {
        self.maximum = maximum
        bytes = Array(repeating: 0, count: 64)
        slots = Array(repeating: 0, count: 1024)
        mask = slots.count - 1
    }

    /// How many numbers there are, 0 included.
    var count: Int { texts.count }

    /// The number of the text in `range`, which has this hash; `nil` if it is new.
    @inline(__always)
    func find(_ window: borrowing ByteWindow, _ range: Range<Int>, hash: UInt64) -> Int? {
        let own = ByteWindow(bytes.span)
        var slot = Int(truncatingIfNeeded: hash) & mask
        while true {
            let number = Int(slots[slot])
            if number == 0 { return nil }
            let text = texts[number]
            if text.hash == hash, Int(text.length) == range.count,
                window.hasSameBytes(at: range.lowerBound, as: own, at: Int(text.offset), count: range.count)
            {
                return number
            }
            slot = (slot &+ 1) & mask
        }
    }

    /// Whether the text of a number stands at `offset`: the text that was there last often does.
    @inline(__always)
    func holds(_ number: Int, _ window: borrowing ByteWindow, at offset: Int, count: Int) -> Bool {
        let text = texts[number]
        return Int(text.length) == count
            && window.hasSameBytes(at: offset, as: ByteWindow(bytes.span), at: Int(text.offset), count: count)
    }

    /// Keeps a new text; 0 if there is no room for it.
    mutating func insert(_ window: borrowing ByteWindow, _ range: Range<Int>, hash: UInt64) -> Int {
        guard texts.count <= maximum, range.count <= Self.maximumBytes else { return 0 }
        let offset = bytes.count - 64
        bytes.removeLast(64)
        for index in range { bytes.append(window[index]) }
        // Zeros behind the last text, so that it may be compared by words.
        for _ in 0..<64 { bytes.append(0) }
        let number = texts.count
        texts.append((UInt32(offset), UInt32(range.count), hash))
        if texts.count * 2 > slots.count { grow() } else { place(number) }
        return number
    }

    /// The text of a number.
    subscript(number: Int) -> ArraySlice<UInt8> {
        let text = texts[number]
        return bytes[Int(text.offset)..<Int(text.offset) + Int(text.length)]
    }

    /// The hash that a text was kept under.
    func hash(of number: Int) -> UInt64 { texts[number].hash }

    private mutating func grow() {
        slots = Array(repeating: 0, count: slots.count * 2)
        mask = slots.count - 1
        for number in 1..<texts.count { place(number) }
    }

    private mutating func place(_ number: Int) {
        var slot = Int(truncatingIfNeeded: texts[number].hash) & mask
        while slots[slot] != 0 { slot = (slot + 1) & mask }
        slots[slot] = UInt32(number)
    }
}
