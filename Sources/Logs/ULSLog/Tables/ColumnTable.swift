/// Different texts of a column, or of columns that stand side by side, each with a number.
///
/// What a row's columns mean is worked out once for each different text, and found again by comparing bytes; so a level
/// is understood, or a category tested, a few hundred times for a gigabyte. It holds ``LogLimit/columns`` texts; number 0
/// stands for those beyond.
struct ColumnTable {
    /// The texts, and zeros behind them, so that the last one may be compared by words.
    private var bytes: [UInt8]
    private var used = 0
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
        bytes = Array(repeating: 0, count: 4096)
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

    /// Keeps a new text; 0 if there is no room for it.
    mutating func insert(_ window: borrowing ByteWindow, _ range: Range<Int>, hash: UInt64) -> Int {
        guard texts.count <= maximum, range.count <= Self.maximumBytes else { return 0 }
        let offset = used
        used += range.count
        if used + ByteWindow.slack > bytes.count {
            bytes.append(contentsOf: repeatElement(0, count: max(bytes.count, range.count + ByteWindow.slack)))
        }
        bytes.replace(at: offset, with: window.span(range))
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

    /// The number here of a text of another table; 0 if there is no room for it.
    mutating func take(_ number: Int, of other: ColumnTable) -> Int {
        let text = other.texts[number]
        let range = Int(text.offset)..<Int(text.offset) + Int(text.length)
        let window = ByteWindow(other.bytes.span)
        return find(window, range, hash: text.hash) ?? insert(window, range, hash: text.hash)
    }

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

extension [UInt8] {
    /// Writes the bytes of a span over those at `offset`, where there must be room.
    fileprivate mutating func replace(at offset: Int, with span: Span<UInt8>) {
        precondition(offset >= 0 && offset + span.count <= count)
        unsafe span.withUnsafeBytes { source in
            unsafe withUnsafeMutableBytes { target in
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyMemory(from: source)
            }
        }
    }
}
