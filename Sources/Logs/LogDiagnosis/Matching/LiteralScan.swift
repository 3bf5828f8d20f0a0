/// A search for any of some literal texts in short messages, where calling a pattern scanner costs more than scanning.
///
/// Of each text one window is chosen, of the same length for all. A message is asked for a gram, which is two or four
/// bytes, only at every so many offsets, so that one of them lies in each window. Where the gram is in some window, the
/// windows around it are compared, and only then texts. Building takes a fraction of a millisecond.
struct LiteralScan<Gram: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
    /// The window of a text.
    private struct Window {
        var bytes: UInt64
        var literal: Int
        var offset: Int
        /// The next window with the same head; negative if there is none.
        var next: Int
    }

    private let literals: [[UInt8]]
    private let isCaseSensitive: Bool
    /// Bytes of a window.
    private let length: Int
    private let stride: Int
    /// A bit for each hash of a gram that is in a window.
    private var bits = [UInt64](repeating: 0, count: 1 << (Self.gramBits - 6))
    /// The first window of each hash.
    private var heads = [Int16](repeating: -1, count: 1 << Self.windowBits)
    private var windows: [Window] = []

    private static var gramBits: Int { 18 }
    private static var windowBits: Int { 12 }
    private static var size: Int { MemoryLayout<Gram>.size }

    /// - Parameters:
    ///   - texts: the literals, at most some thousands, none shorter than a gram.
    ///   - isCaseSensitive: whether ASCII case matters; that of other letters always does.
    ///   - window: the most bytes of a window, eight at most; it is no longer than the shortest text.
    ///   - sample: texts that tell which grams are frequent.
    init(_ texts: [String], isCaseSensitive: Bool, window: Int, sample: [String]) {
        literals = texts.map { isCaseSensitive ? Array($0.utf8) : $0.utf8.map(\.folded) }
        self.isCaseSensitive = isCaseSensitive
        length = literals.reduce(min(window, 8)) { min($0, $1.count) }
        precondition(length >= Self.size, "a text is shorter than a gram")
        stride = length - Self.size + 1
        var frequencies = [Int32](repeating: 0, count: 1 << 14)
        for text in sample {
            for gram in Self.grams(Array(text.utf8)) { frequencies[Self.hash(gram) & (frequencies.count - 1)] += 1 }
        }
        for (number, literal) in literals.enumerated() {
            let grams = Self.grams(literal)
            let costs = grams.map { frequencies[Self.hash($0) & (frequencies.count - 1)] }
            let start = (0...(grams.count - stride)).min { one, other in
                costs[one..<(one + stride)].reduce(0, +) < costs[other..<(other + stride)].reduce(0, +)
            }
            for gram in grams[(start ?? 0)..<((start ?? 0) + stride)] {
                let hash = Self.hash(gram)
                bits[hash >> 6] |= 1 << UInt64(hash & 63)
            }
            addWindow(of: number, at: start ?? 0)
        }
    }

    private mutating func addWindow(of literal: Int, at offset: Int) {
        let bytes = literals[literal].withUnsafeBytes { window(at: offset, in: $0) }
        let head = Self.hash(window: bytes)
        windows.append(Window(bytes: bytes, literal: literal, offset: offset, next: Int(heads[head])))
        heads[head] = Int16(windows.count - 1)
    }

    /// Returns whether one of the texts is in a message.
    func isIn(_ message: Span<UInt8>) -> Bool {
        message.withUnsafeBytes { bytes in
            bits.withUnsafeBufferPointer { bits in
                let last = bytes.count - Self.size
                var offset = 0
                while offset <= last {
                    let hash = Self.hash(Self.gram(bytes.loadUnaligned(fromByteOffset: offset, as: Gram.self)))
                    if bits[hash >> 6] & (1 << UInt64(truncatingIfNeeded: hash & 63)) != 0, isAround(offset, bytes) {
                        return true
                    }
                    offset &+= stride
                }
                return false
            }
        }
    }

    /// Returns whether the gram at an offset is in a window of a text that is there.
    private func isAround(_ offset: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
        let first = max(0, offset &- stride &+ 1)
        let last = min(offset, bytes.count &- length)
        var start = first
        while start <= last {
            let found = window(at: start, in: bytes)
            var number = Int(heads[Self.hash(window: found)])
            while number >= 0 {
                let window = windows[number]
                if window.bytes == found, isText(window.literal, at: start - window.offset, bytes) { return true }
                number = window.next
            }
            start &+= 1
        }
        return false
    }

    private func isText(_ number: Int, at start: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
        let count = literals[number].count
        guard start >= 0, count <= bytes.count - start else { return false }
        for index in 0..<count {
            let byte = bytes[start + index]
            guard (isCaseSensitive ? byte : byte.folded) == literals[number][index] else { return false }
        }
        return true
    }

    /// The window at an offset, with letters made small as in a gram.
    @inline(__always)
    private func window(at offset: Int, in bytes: UnsafeRawBufferPointer) -> UInt64 {
        var window: UInt64 = 0
        if offset &+ 8 <= bytes.count {
            window = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        } else {
            for index in 0..<length { window |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
        }
        return (window | 0x2020_2020_2020_2020) & (.max >> UInt64(truncatingIfNeeded: 64 &- 8 &* length))
    }

    /// The grams at all offsets of a text.
    private static func grams(_ text: [UInt8]) -> [UInt32] {
        guard text.count >= size else { return [] }
        return text.withUnsafeBytes { bytes in
            (0...(text.count - size)).map { gram(bytes.loadUnaligned(fromByteOffset: $0, as: Gram.self)) }
        }
    }

    /// A gram whose letters are small; other bytes may become one.
    @inline(__always)
    private static func gram(_ bytes: Gram) -> UInt32 {
        UInt32(truncatingIfNeeded: bytes | Gram(truncatingIfNeeded: 0x2020_2020 as UInt32))
    }

    @inline(__always)
    private static func hash(_ gram: UInt32) -> Int {
        Int(truncatingIfNeeded: (gram &* 0x9E37_79B1) >> UInt32(32 - gramBits))
    }

    @inline(__always)
    private static func hash(window: UInt64) -> Int {
        Int(truncatingIfNeeded: (window &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - windowBits))
    }
}
