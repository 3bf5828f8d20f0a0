import TextKit

#if arch(x86_64)
import _Builtin_intrinsics.intel.sse2
#endif

/// A stretch of a log in memory, which is read word by word.
///
/// Every load is checked against the bounds. At least ``slack`` zeros follow the text, so a word can be loaded wherever
/// a column may end.
package struct ByteWindow: ~Escapable {
    /// The number of readable bytes after the end of the text.
    package static let slack = 192

    private let bytes: RawSpan

    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>) { self.bytes = unsafe bytes.bytes }

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan) { self.bytes = bytes }

    /// Returns a part of the window, checking its bounds once.
    ///
    /// If the count is a compile-time constant, loads at constant offsets need no further check.
    @inline(__always)
    @_lifetime(copy self)
    package func part(from start: Int, count: Int) -> ByteWindow {
        precondition(start >= 0 && count >= 0 && bytes.byteCount &- start >= count)
        // The load is in bounds because of the check above.
        return ByteWindow(raw: unsafe bytes.extracting(unchecked: start..<start &+ count))
    }

    @inline(__always)
    @_lifetime(copy raw)
    private init(raw: RawSpan) { bytes = raw }

    @inline(__always)
    package subscript(offset: Int) -> UInt8 { unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

    /// Returns eight bytes as a word, the first one lowest.
    @inline(__always)
    package func word(_ offset: Int) -> UInt64 {
        unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }

    @inline(__always)
    package func halfWord(_ offset: Int) -> UInt32 {
        unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)
    }

    /// Returns as many bytes as fit in a vector of words.
    @inline(__always)
    func words<Words: SIMD & BitwiseCopyable>(_ offset: Int) -> Words where Words.Scalar == UInt64 {
        unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Words.self)
    }

    @inline(__always)
    func vector(_ offset: Int) -> SIMD16<UInt8> {
        unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
    }

    /// Returns the bytes of a range.
    @_lifetime(copy self)
    package func span(_ range: Range<Int>) -> Span<UInt8> {
        Span(_bytes: bytes.extracting(range))
    }
}

extension ByteWindow {
    /// Returns the first tab at or after `start`, or `end`.
    @inline(__always)
    package func firstTab(from start: Int, to end: Int) -> Int {
        var offset = start
        while offset < end {
            let tabs = word(offset).tabs
            if tabs != 0 { return Swift.min(offset &+ tabs.trailingZeroBitCount &>> 3, end) }
            offset &+= 8
        }
        return end
    }

    /// Returns the last tab in `start..<end`, or `nil`.
    func lastTab(from start: Int, to end: Int) -> Int? {
        var offset = end &- 1
        while offset >= start {
            if self[offset] == 0x09 { return offset }
            offset &-= 1
        }
        return nil
    }

    /// Returns a range without leading and trailing blanks: ASCII spaces, and no-break spaces, which viewers use as
    /// padding.
    @inline(__always)
    package func trimmed(_ range: Range<Int>) -> Range<Int> {
        var lower = range.lowerBound
        var upper = range.upperBound
        while lower < upper {
            if self[upper &- 1] == 0x20 {
                upper &-= 1
            } else if upper &- lower >= 2, self[upper &- 1] == 0xA0, self[upper &- 2] == 0xC2 {
                upper &-= 2
            } else {
                break
            }
        }
        while lower < upper {
            if self[lower] == 0x20 {
                lower &+= 1
            } else if upper &- lower >= 2, self[lower] == 0xC2, self[lower &+ 1] == 0xA0 {
                lower &+= 2
            } else {
                break
            }
        }
        return lower..<upper
    }

    /// Returns whether all bytes of a range are ASCII.
    package func isASCII(_ range: Range<Int>) -> Bool {
        var offset = range.lowerBound
        while offset &+ 8 <= range.upperBound {
            if word(offset) & 0x8080_8080_8080_8080 != 0 { return false }
            offset &+= 8
        }
        return word(offset) & 0x8080_8080_8080_8080 & .lowBytes(range.upperBound &- offset) == 0
    }

    /// Returns whether a range contains only blanks.
    package func isBlank(_ range: Range<Int>) -> Bool {
        for offset in range where self[offset] != 0x20 && self[offset] != 0x09 && self[offset] != 0x0D {
            return trimmed(range).isEmpty
        }
        return true
    }

    /// Returns whether a range of this window and one of another window contain the same bytes.
    @inline(__always)
    func hasSameBytes(at offset: Int, as other: borrowing ByteWindow, at otherOffset: Int, count: Int) -> Bool {
        var index = 0
        while index &+ 8 <= count {
            if word(offset &+ index) != other.word(otherOffset &+ index) { return false }
            index &+= 8
        }
        guard index < count else { return true }
        let difference = word(offset &+ index) ^ other.word(otherOffset &+ index)
        return difference & UInt64.lowBytes(count &- index) == 0
    }
}

extension UInt64 {
    /// A word with 0x80 in every byte that is a tab.
    @inline(__always)
    var tabs: UInt64 {
        let other = self ^ 0x0909_0909_0909_0909
        let carry = (other & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7F7F_7F7F_7F7F_7F7F
        return ~(carry | other | 0x7F7F_7F7F_7F7F_7F7F)
    }

    /// The index of the first tab among eight bytes; 8 if there is none.
    @inline(__always)
    private var firstTab: Int { tabs.trailingZeroBitCount &>> 3 }

    /// Returns a mask of the lowest `count` bytes; `count` is 0 to 8.
    @inline(__always)
    package static func lowBytes(_ count: Int) -> UInt64 {
        count >= 8 ? .max : (1 &<< UInt64(truncatingIfNeeded: count &* 8)) &- 1
    }
}

extension Span<UInt8> {
    /// Returns whether `words`, given in lowercase, occur at `offset`, ignoring ASCII case.
    package func reads(_ words: String, at offset: Int) -> Bool {
        let utf8 = words.utf8
        let expected = utf8.span
        guard offset >= 0, expected.count <= count - offset else { return false }
        for index in expected.indices {
            let byte = self[offset + index]
            guard (byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte) == expected[index] else { return false }
        }
        return true
    }

    /// Returns whether exactly these bytes are at `offset`.
    @inline(__always)
    package func hasBytes(_ text: StaticString, at offset: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard offset >= 0, length <= count - offset else { return false }
        return text.withUTF8Buffer { bytes in
            for index in 0..<length where unsafe self[offset + index] != bytes[index] { return false }
            return true
        }
    }

    /// Returns whether the text begins with these sixteen lowercase letters and blanks, followed by `d scope` or `ed
    /// scope`.
    @inline(__always)
    package func beginsScope(_ first: UInt64, _ second: UInt64) -> Bool {
        guard count >= 24 else { return false }
        let blanks: UInt64 = 0x2020_2020_2020_2020
        // Bit 5 distinguishes lowercase letters from capitals; it is set in a space.
        return word(at: 0) | blanks == first && word(at: 8) | blanks == second
            && (word(at: 16) | blanks) & 0x00FF_FFFF_FFFF_FFFF == 0x0065_706F_6373_2064
            || word(at: 0) | blanks == first && word(at: 8) | blanks == second
                && word(at: 16) | blanks == 0x6570_6F63_7320_6465
    }

    /// Returns the start of the trailing run of digits and periods; the search goes no further back than `start`.
    @inline(__always)
    package func numberStart(above start: Int) -> Int {
        var offset = count
        while offset - 8 > start {
            let others = word(at: offset - 8).notOfNumber
            if others != 0 { return offset - others.leadingZeroBitCount / 8 }
            offset -= 8
        }
        while offset - 1 > start, self[offset - 1].isDigit || self[offset - 1] == UInt8(ascii: ".") { offset -= 1 }
        return offset
    }

    /// Returns the first offset of this byte at or after `start`.
    @inline(__always)
    package func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        let pattern = UInt64(byte) &* 0x0101_0101_0101_0101
        var offset = start
        while offset + 8 <= count {
            let other = word(at: offset) ^ pattern
            let hits = (other &- 0x0101_0101_0101_0101) & ~other & 0x8080_8080_8080_8080
            if hits != 0 { return offset + hits.trailingZeroBitCount / 8 }
            offset += 8
        }
        while offset < count {
            if self[offset] == byte { return offset }
            offset += 1
        }
        return nil
    }

    /// Returns the first offset, at or after `start`, of a byte that is neither a space nor a tab.
    package func skippingBlanks(from start: Int) -> Int {
        var offset = start
        while offset < count, self[offset] == 0x20 || self[offset] == 0x09 { offset += 1 }
        return offset
    }

    /// Returns the end of `start...` without trailing spaces and tabs.
    package func endWithoutBlanks(from start: Int) -> Int {
        var end = count
        while end > start, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
        return end
    }
}

extension UInt64 {
    /// A word with 0x80 in every byte that is neither a digit nor a period.
    fileprivate var notOfNumber: UInt64 {
        let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
        let digit = self ^ 0x3030_3030_3030_3030
        let stop = self ^ 0x2E2E_2E2E_2E2E_2E2E
        let noDigit = (digit & low) &+ 0x7676_7676_7676_7676 | digit
        let noStop = (stop & low) &+ low | stop
        return noDigit & noStop & 0x8080_8080_8080_8080
    }
}

/// The line ends of a window, found in batches before they are needed.
///
/// The positions of line ends are unpredictable, and each mispredicted branch stalls the processor, so many line ends
/// are found in one pass with hardly any branches.
struct LineEnds {
    /// The number of line ends after which a search pauses, so that the text up to there is still in the cache when its
    /// rows are read.
    private static let enough = 512

    // Each round covers 128 bytes, which may all be line ends; one extra element marks the end.
    private var offsets = InlineArray<640, UInt32>(repeating: .max)
    /// The index of the next line end to return.
    private var next = 0
    /// The offset up to which the window has been searched.
    private var searched = 0

    /// Returns the first line end at or after `start`, or `end`; `start` and `end` never decrease.
    ///
    /// Up to 127 bytes after `end` must be readable.
    @inline(__always)
    mutating func first(_ window: borrowing ByteWindow, from start: Int, to end: Int) -> Int {
        while true {
            let offset = offsets[next]
            if offset == .max {
                guard searched < end else { return end }
                look(window, to: end)
            } else if Int(offset) >= start {
                return Int(offset)
            } else {
                next &+= 1
            }
        }
    }

    // This is a separate function because the optimizer gives up on a function that does all the work for a row.
    @inline(never)
    private mutating func look(_ window: borrowing ByteWindow, to end: Int) {
        var count = 0
        var offset = searched
        while offset < end, count < Self.enough {
            let part = window.part(from: offset, count: 128)
            note(part.lineEnds(0), at: offset, &count)
            note(part.lineEnds(64), at: offset &+ 64, &count)
            offset &+= 128
        }
        searched = min(offset, end)
        while count > 0, Int(offsets[count &- 1]) >= end { count &-= 1 }
        offsets[count] = .max
        next = 0
    }

    /// Records the line ends marked in `bits`, whose lowest bit corresponds to `start`.
    @inline(__always)
    private mutating func note(_ bits: UInt64, at start: Int, _ count: inout Int) {
        var bits = bits
        // Two lines hardly ever end within the same 64 bytes.
        offsets[count] = UInt32(truncatingIfNeeded: start &+ bits.trailingZeroBitCount)
        count &+= bits == 0 ? 0 : 1
        bits &= bits &- 1
        while bits != 0 {
            offsets[count] = UInt32(truncatingIfNeeded: start &+ bits.trailingZeroBitCount)
            count &+= 1
            bits &= bits &- 1
        }
    }
}

extension ByteWindow {
    /// Returns the number of line ends in a range.
    package func lineEnds(in range: Range<Int>) -> Int {
        var count = 0
        var offset = range.lowerBound
        while offset &+ 64 <= range.upperBound {
            var sums = SIMD16<UInt8>()
            // Each lane adds at most four each time and can count to 255.
            let stop = Swift.min(range.upperBound &- 63, offset &+ 63 &* 64)
            while offset < stop {
                sums &-= part(from: offset, count: 64).lineEndMarks(0)
                offset &+= 64
            }
            count &+= sums.sum
        }
        while offset < range.upperBound {
            if self[offset] == 0x0A { count &+= 1 }
            offset &+= 1
        }
        return count
    }

    /// Returns the negated number of line ends among the 64 bytes at an offset, spread over sixteen lanes.
    @inline(__always)
    package func lineEndMarks(_ offset: Int) -> SIMD16<UInt8> {
        let lineEnd = SIMD16<UInt8>(repeating: 0x0A)
        let one = unsafe unsafeBitCast(vector(offset) .== lineEnd, to: SIMD16<UInt8>.self)
        let two = unsafe unsafeBitCast(vector(offset &+ 16) .== lineEnd, to: SIMD16<UInt8>.self)
        let three = unsafe unsafeBitCast(vector(offset &+ 32) .== lineEnd, to: SIMD16<UInt8>.self)
        let four = unsafe unsafeBitCast(vector(offset &+ 48) .== lineEnd, to: SIMD16<UInt8>.self)
        return (one &+ two) &+ (three &+ four)
    }

    /// Returns whether, anywhere in the first 64 bytes, a byte is `first` and the byte at `distance` after it is
    /// `last`; `folds` turns capitals into lowercase.
    @inline(__always)
    package func mayHold(
        _ first: SIMD16<UInt8>,
        _ last: SIMD16<UInt8>,
        distance: Int,
        folds: (SIMD16<UInt8>, SIMD16<UInt8>)
    ) -> Bool {
        let front = part(from: 0, count: 64)
        let back = part(from: distance, count: 64)
        let one = ((front.vector(0) | folds.0) .== first) .& ((back.vector(0) | folds.1) .== last)
        let two = ((front.vector(16) | folds.0) .== first) .& ((back.vector(16) | folds.1) .== last)
        let three = ((front.vector(32) | folds.0) .== first) .& ((back.vector(32) | folds.1) .== last)
        let four = ((front.vector(48) | folds.0) .== first) .& ((back.vector(48) | folds.1) .== last)
        let any = unsafe unsafeBitCast((one .| two) .| (three .| four), to: SIMD2<UInt64>.self)
        return any[0] | any[1] != 0
    }

    /// Returns a bit for each line end among the 64 bytes at an offset.
    @inline(__always)
    func lineEnds(_ offset: Int) -> UInt64 { places(of: 0x0A, offset) }

    /// Returns a bit for each of the 64 bytes at an offset that equals `byte`.
    @inline(__always)
    package func places(of byte: UInt8, _ offset: Int) -> UInt64 {
        #if arch(x86_64)
        let low = bits(of: byte, offset) | bits(of: byte, offset &+ 16) &<< 16
        return low | bits(of: byte, offset &+ 32) &<< 32 | bits(of: byte, offset &+ 48) &<< 48
        #else
        // Bit v of byte j represents byte j of vector v; the loop moves each bit to its place.
        let pattern = SIMD16<UInt8>(repeating: byte)
        let marks =
            SIMD16<UInt8>().replacing(with: 1, where: vector(offset) .== pattern)
            | SIMD16<UInt8>().replacing(with: 2, where: vector(offset &+ 16) .== pattern)
            | SIMD16<UInt8>().replacing(with: 4, where: vector(offset &+ 32) .== pattern)
            | SIMD16<UInt8>().replacing(with: 8, where: vector(offset &+ 48) .== pattern)
        let words = unsafe unsafeBitCast(marks, to: SIMD2<UInt64>.self)
        var rest = words[0] | words[1] &<< 4
        var ordered: UInt64 = 0
        while rest != 0 {
            let bit = rest.trailingZeroBitCount
            ordered |= 1 &<< UInt64(truncatingIfNeeded: (bit & 3) &* 16 &+ (bit & 4) &* 2 &+ bit &>> 3)
            rest &= rest &- 1
        }
        return ordered
        #endif
    }

    /// Returns whether the 64 bytes at an offset are ASCII.
    @inline(__always)
    package func isASCIIBlock(_ offset: Int) -> Bool {
        let bytes = (vector(offset) | vector(offset &+ 16)) | (vector(offset &+ 32) | vector(offset &+ 48))
        let words = unsafe unsafeBitCast(bytes, to: SIMD2<UInt64>.self)
        return (words[0] | words[1]) & 0x8080_8080_8080_8080 == 0
    }

    /// Returns a bit for each of the 16 bytes at an offset that equals `byte`.
    @inline(__always)
    func bits(of byte: UInt8, _ offset: Int) -> UInt64 {
        #if arch(x86_64)
        let vector = unsafe unsafeBitCast(vector(offset), to: __m128i.self)
        let isSame = _mm_cmpeq_epi8(vector, _mm_set1_epi8(CChar(bitPattern: byte)))
        return UInt64(UInt32(bitPattern: _mm_movemask_epi8(isSame)))
        #else
        let pattern = SIMD16(repeating: byte)
        let places = SIMD16<UInt8>(1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128)
        let marks = SIMD16<UInt8>().replacing(with: places, where: vector(offset) .== pattern)
        return UInt64(marks.lowHalf.wrappedSum()) | UInt64(marks.highHalf.wrappedSum()) &<< 8
        #endif
    }
}

extension SIMD16<UInt8> {
    /// The sum of the lanes.
    package var sum: Int {
        var sum = 0
        for index in 0..<16 { sum &+= Int(self[index]) }
        return sum
    }
}
