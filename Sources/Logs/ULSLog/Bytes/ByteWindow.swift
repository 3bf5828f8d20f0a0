/// A stretch of a log in memory, read a word at a time.
///
/// Every load is checked against the bounds. At least ``slack`` zeros follow the text, so a word can be loaded wherever
/// a column may end.
struct ByteWindow: ~Escapable {
    /// Readable bytes after the end of the text.
    static let slack = 192

    private let bytes: RawSpan

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) { self.bytes = unsafe bytes.bytes }

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan) { self.bytes = bytes }

    /// Returns a part of the window, checked once.
    ///
    /// If the compiler knows the count, loads at offsets that it knows need no check of their own.
    @inline(__always)
    @_lifetime(copy self)
    func part(from start: Int, count: Int) -> ByteWindow {
        precondition(start >= 0 && count >= 0 && bytes.byteCount &- start >= count)
        // In bounds by the check above.
        return ByteWindow(raw: unsafe bytes.extracting(unchecked: start..<start &+ count))
    }

    @inline(__always)
    @_lifetime(copy raw)
    private init(raw: RawSpan) { bytes = raw }

    @inline(__always)
    subscript(offset: Int) -> UInt8 { unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

    /// Returns eight bytes as a word, the first one lowest.
    @inline(__always)
    func word(_ offset: Int) -> UInt64 { unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self) }

    @inline(__always)
    func halfWord(_ offset: Int) -> UInt32 { unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self) }

    /// Returns as many bytes as a vector of words holds.
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
    func span(_ range: Range<Int>) -> Span<UInt8> {
        Span(_bytes: bytes.extracting(range))
    }
}

extension ByteWindow {
    /// Returns the first tab at or after `start`, or `end`.
    @inline(__always)
    func firstTab(from start: Int, to end: Int) -> Int {
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

    /// Returns a range without the blanks at its ends: ASCII spaces, and no-break spaces, which viewers use as padding.
    @inline(__always)
    func trimmed(_ range: Range<Int>) -> Range<Int> {
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
    func isASCII(_ range: Range<Int>) -> Bool {
        var offset = range.lowerBound
        while offset &+ 8 <= range.upperBound {
            if word(offset) & 0x8080_8080_8080_8080 != 0 { return false }
            offset &+= 8
        }
        return word(offset) & 0x8080_8080_8080_8080 & .lowBytes(range.upperBound &- offset) == 0
    }

    /// Returns whether a range holds only blanks.
    func isBlank(_ range: Range<Int>) -> Bool {
        for offset in range where self[offset] != 0x20 && self[offset] != 0x09 && self[offset] != 0x0D {
            return trimmed(range).isEmpty
        }
        return true
    }

    /// Returns whether two stretches, one of each window, hold the same bytes.
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
    /// 0x80 in every byte that is a tab.
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
    static func lowBytes(_ count: Int) -> UInt64 {
        count >= 8 ? .max : (1 &<< UInt64(truncatingIfNeeded: count &* 8)) &- 1
    }
}
