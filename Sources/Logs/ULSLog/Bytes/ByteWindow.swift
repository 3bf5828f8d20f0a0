/// A stretch of a log in memory that is read a word at a time.
///
/// Every load is checked against the bounds. Behind the bytes that count there are at least ``slack`` zeros, so that a
/// word may be loaded where a column may end.
struct ByteWindow: ~Escapable {
    /// Readable bytes behind the end of the text.
    static let slack = 192

    private let bytes: RawSpan

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) { self.bytes = unsafe bytes.bytes }

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan) { self.bytes = bytes }

    /// A part of it, checked once.
    ///
    /// With a count that the compiler knows, loads at offsets that it knows need no check of their own.
    @inline(__always)
    @_lifetime(copy self)
    func part(from start: Int, count: Int) -> ByteWindow {
        precondition(start >= 0 && count >= 0 && bytes.byteCount &- start >= count)
        // In bounds by the line above.
        return ByteWindow(raw: unsafe bytes.extracting(unchecked: start..<start &+ count))
    }

    @inline(__always)
    @_lifetime(copy raw)
    private init(raw: RawSpan) { bytes = raw }

    @inline(__always)
    subscript(offset: Int) -> UInt8 { unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

    /// Eight bytes, the first one lowest.
    @inline(__always)
    func word(_ offset: Int) -> UInt64 { unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self) }

    @inline(__always)
    func halfWord(_ offset: Int) -> UInt32 { unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self) }

    /// As many bytes as a vector of words has.
    @inline(__always)
    func words<Words: SIMD & BitwiseCopyable>(_ offset: Int) -> Words where Words.Scalar == UInt64 {
        unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Words.self)
    }

    @inline(__always)
    func vector(_ offset: Int) -> SIMD16<UInt8> {
        unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
    }

    /// The bytes of a range.
    @_lifetime(copy self)
    func span(_ range: Range<Int>) -> Span<UInt8> {
        Span(_bytes: bytes.extracting(range))
    }
}

extension ByteWindow {
    /// The first tab at or behind `start`, or `end`.
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

    /// The last tab in `start..<end`, or `nil`.
    func lastTab(from start: Int, to end: Int) -> Int? {
        var offset = end &- 1
        while offset >= start {
            if self[offset] == 0x09 { return offset }
            offset &-= 1
        }
        return nil
    }

    /// A range without the blanks at its ends: ASCII blanks, and no-break spaces, with which viewers pad.
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

    /// Whether a range holds nothing but blanks.
    func isBlank(_ range: Range<Int>) -> Bool {
        for offset in range where self[offset] != 0x20 && self[offset] != 0x09 && self[offset] != 0x0D {
            return trimmed(range).isEmpty
        }
        return true
    }

    /// Whether two stretches of this and another window hold the same bytes.
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

    /// The index of the first tab among eight bytes; 8 when there is none.
    @inline(__always)
    private var firstTab: Int { tabs.trailingZeroBitCount &>> 3 }

    /// Ones in the lowest bytes: of `count` 0 to 8.
    @inline(__always)
    static func lowBytes(_ count: Int) -> UInt64 {
        count >= 8 ? .max : (1 &<< UInt64(truncatingIfNeeded: count &* 8)) &- 1
    }

    /// A hash of two words for a cache, whose places may be guessed: what it misses costs a search, no more.
    @inline(__always)
    static func cacheHash(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let product = (one ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: other ^ 0xD6E8_FEB8_6659_FD93)
        return product.high ^ product.low
    }

    /// A hash of two words.
    ///
    /// It is another one in each process, so that no log can be written whose texts all fall into one place.
    @inline(__always)
    static func mixed(_ one: UInt64, _ other: UInt64) -> UInt64 {
        HashSeed().mixed(one, other)
    }
}

/// What hashes of this process begin with; to keep one saves looking for it each time.
struct HashSeed {
    private let first = Self.first
    private let second = Self.second

    private static let first = UInt64.random(in: .min ... .max)
    private static let second = UInt64.random(in: .min ... .max)

    /// A hash of two words.
    @inline(__always)
    func mixed(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let product = (one ^ first).multipliedFullWidth(by: other ^ second)
        return product.high ^ product.low
    }
}
