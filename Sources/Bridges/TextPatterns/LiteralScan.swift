import TextKit

/// A search for literal texts, in one or more groups, in messages so short that calling a pattern scanner costs more
/// than scanning.
///
/// One window is chosen from each text; all windows have the same length. A message is tested for grams of four bytes
/// only at regular offsets, spaced so that one gram lies in each window. If a gram occurs in a window, that window is
/// looked up first, and only then the complete text is compared. Building the scan takes a fraction of a millisecond.
package final class LiteralScan: Sendable {
    /// A window, in 16 bytes, so that all entries stay in the processor's cache.
    private struct Entry {
        /// The bytes of the window.
        var window: UInt64
        var literal: UInt16
        /// The offset of the window in its text.
        var offset: UInt16
        /// The bit of the literal's group.
        var group: UInt8
    }

    private let literals: [[UInt8]]
    /// The bits of all groups.
    private let groups: UInt8
    private let isCaseSensitive: Bool
    /// The length of a window in bytes.
    private let length: Int
    private let windowMask: UInt64
    private let stride: Int
    /// A bit for each hash of a gram that is in a window.
    private let grams: [UInt64]
    /// A bit for each hash of a window.
    private let windows: [UInt64]
    /// The index at which the entries of each window's hash begin, followed by the number of entries.
    private let heads: [UInt16]
    /// The entries, by hash.
    private let entries: [Entry]

    private static let windowBits = 16
    private static let headMask = 1 << 13 - 1

    /// - Parameters:
    ///   - groups: At most eight groups of literals, at most a few thousand in all, none shorter than four bytes; a
    ///     group's number is the position of its bit in the result.
    ///   - isCaseSensitive: Whether ASCII case matters; the case of other letters always does.
    ///   - typical: Typical messages, whose grams are avoided where possible.
    package init(groups: [[[UInt8]]], isCaseSensitive: Bool, in typical: TypicalTexts = TypicalTexts([])) {
        let texts = groups.flatMap(\.self)
        let bits = groups.enumerated().flatMap { number, texts in texts.map { _ in UInt8(1) << UInt8(number) } }
        self.groups = bits.reduce(0, |)
        literals = isCaseSensitive ? texts : texts.map { $0.map(\.lowercased) }
        self.isCaseSensitive = isCaseSensitive
        let length = literals.reduce(8) { min($0, $1.count) }
        precondition(length >= TypicalTexts.gramLength, "the text is shorter than one n-gram")
        let stride = length - TypicalTexts.gramLength + 1
        // Windows are preferred whose grams are rare, both in messages and in the other literals.
        var frequencies = typical.frequencies
        for literal in literals {
            TypicalTexts.forEachHash(in: literal) { _, hash in frequencies[hash & (frequencies.count - 1)] += 1 }
        }
        var grams = [UInt64](repeating: 0, count: 1 << (TypicalTexts.gramBits - 6))
        var windows = [UInt64](repeating: 0, count: 1 << (Self.windowBits - 6))
        var placed: [(head: Int, entry: Entry)] = []
        placed.reserveCapacity(literals.count)
        var hashes: [Int] = []
        for (number, literal) in literals.enumerated() {
            hashes.removeAll(keepingCapacity: true)
            var (sum, least, offset): (Int32, Int32, Int) = (0, .max, 0)
            TypicalTexts.forEachHash(in: literal) { place, hash in
                hashes.append(hash)
                sum += frequencies[hash & (frequencies.count - 1)]
                if place >= stride { sum -= frequencies[hashes[place - stride] & (frequencies.count - 1)] }
                if place >= stride - 1, sum < least { (least, offset) = (sum, place - stride + 1) }
            }
            let window = literal.withUnsafeBytes { Self.window(at: offset, length, in: $0) }
            for hash in hashes[offset..<(offset + stride)] { grams[hash >> 6] |= 1 << UInt64(hash & 63) }
            let hash = Self.hash(window)
            windows[hash >> 6] |= 1 << UInt64(hash & 63)
            let entry = Entry(window: window, literal: UInt16(number), offset: UInt16(offset), group: bits[number])
            placed.append((hash & Self.headMask, entry))
        }
        var heads = [UInt16](repeating: 0, count: Self.headMask + 2)
        for (head, _) in placed { heads[head + 1] += 1 }
        for head in 0...Self.headMask { heads[head + 1] += heads[head] }
        var next = heads
        var entries = placed.map(\.entry)
        for (head, entry) in placed {
            entries[Int(next[head])] = entry
            next[head] += 1
        }
        self.length = length
        windowMask = Self.mask(length)
        self.stride = stride
        self.grams = grams
        self.windows = windows
        self.heads = heads
        self.entries = entries
    }

    /// Returns whether one of the texts is in a message.
    package func isIn(_ message: Span<UInt8>) -> Bool { groups(in: message, until: groups) != 0 }

    /// Returns the bits of the groups that have a text in the message.
    package func groups(in message: Span<UInt8>) -> UInt8 { groups(in: message, until: 0) }

    /// Returns the bits of the groups found: all of them, or only those up to the first group in `last`.
    @inline(__always)
    private func groups(in message: Span<UInt8>, until last: UInt8) -> UInt8 {
        let stride = stride
        return message.withUnsafeBytes { bytes in
            grams.withUnsafeBufferPointer { grams in
                let end = bytes.count - TypicalTexts.gramLength
                var found: UInt8 = 0
                var offset = 0
                while offset <= end {
                    let gram = TypicalTexts.gram(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
                    let hash = TypicalTexts.hash(gram)
                    if grams[hash >> 6] & (1 << UInt64(truncatingIfNeeded: hash & 63)) != 0 {
                        found |= groups(around: offset, bytes, besides: found)
                        if found & last != 0 || found == groups { return found }
                    }
                    offset &+= stride
                }
                return found
            }
        }
    }

    /// Returns the groups, other than those already found, whose texts occur around a gram at an offset.
    // This is separate from the loop, which needs all of the processor's registers.
    @inline(never)
    private func groups(around offset: Int, _ bytes: UnsafeRawBufferPointer, besides known: UInt8) -> UInt8 {
        // Here, as at nearly all offsets, words can be read regardless of the gram's place in the window.
        let isInside = offset >= stride && offset &+ 8 <= bytes.count
        var found: UInt8 = 0
        for shift in 0..<stride {
            let start = offset &- shift
            let window: UInt64
            if isInside {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
                window = (word | Self.small) & windowMask
            } else {
                guard start >= 0, start &+ length <= bytes.count else { continue }
                window = Self.window(at: start, length, in: bytes)
            }
            let hash = Self.hash(window)
            guard windows[hash >> 6] & (1 << UInt64(hash & 63)) != 0 else { continue }
            let head = hash & Self.headMask
            for entry in entries[Int(heads[head])..<Int(heads[head + 1])] where entry.window == window {
                let isNew = (known | found) & entry.group == 0
                if isNew, isText(Int(entry.literal), at: start - Int(entry.offset), bytes) { found |= entry.group }
            }
        }
        return found
    }

    private func isText(_ number: Int, at start: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
        let count = literals[number].count
        guard start >= 0, count <= bytes.count - start else { return false }
        for index in 0..<count {
            let byte = bytes[start + index]
            guard (isCaseSensitive ? byte : byte.lowercased) == literals[number][index] else { return false }
        }
        return true
    }

    /// Returns the window at an offset, with letters in lowercase, as in a gram.
    @inline(__always)
    private static func window(at offset: Int, _ length: Int, in bytes: UnsafeRawBufferPointer) -> UInt64 {
        var window: UInt64 = 0
        if offset &+ 8 <= bytes.count {
            window = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        } else {
            for index in 0..<length { window |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
        }
        return (window | small) & mask(length)
    }

    /// A mask that makes the letters in eight bytes lowercase.
    private static let small: UInt64 = 0x2020_2020_2020_2020

    /// Returns the mask for the bytes of a window in a word.
    private static func mask(_ length: Int) -> UInt64 { .max >> UInt64(truncatingIfNeeded: 64 &- 8 &* length) }

    private static func hash(_ window: UInt64) -> Int {
        Int(truncatingIfNeeded: (window &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - windowBits))
    }
}

/// The frequencies of grams, of four bytes each, in typical messages.
package struct TypicalTexts: Sendable {
    fileprivate static let gramBits = 17
    fileprivate static let gramLength = 4
    /// The frequencies, by the lowest bits of the grams' hashes.
    fileprivate let frequencies: [Int32]

    package init(_ texts: [String]) {
        var frequencies = [Int32](repeating: 0, count: 1 << 14)
        for text in texts {
            Self.forEachHash(in: Array(text.utf8)) { _, hash in frequencies[hash & (frequencies.count - 1)] += 200 }
        }
        self.frequencies = frequencies
    }

    /// Calls `body` with the offset and the hash of each gram of a text.
    fileprivate static func forEachHash(in text: [UInt8], _ body: (_ offset: Int, _ hash: Int) -> Void) {
        guard text.count >= gramLength else { return }
        text.withUnsafeBytes { bytes in
            for offset in 0...(text.count - gramLength) {
                body(offset, hash(gram(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))))
            }
        }
    }

    /// Returns a gram with its letters in lowercase; other bytes may also turn into letters.
    @inline(__always)
    fileprivate static func gram(_ bytes: UInt32) -> UInt32 { bytes | 0x2020_2020 }

    @inline(__always)
    fileprivate static func hash(_ gram: UInt32) -> Int {
        Int(truncatingIfNeeded: (gram &* 0x9E37_79B1) >> UInt32(32 - gramBits))
    }
}
