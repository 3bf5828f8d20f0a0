#if arch(x86_64)
import _Builtin_intrinsics.intel.sse2
#endif

/// The line ends of a window, found before they are asked for.
///
/// Line ends can't be predicted, and a processor that guesses wrong stalls; so many are found at once, with hardly a
/// branch in between.
struct LineEnds {
    /// The number of line ends after which a search pauses: the text up to there is still in the cache when its rows
    /// are read.
    private static let enough = 512

    // A round covers 128 bytes, all of which may be line ends; one more element marks the end.
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

    // A separate function, because the optimizer gives up on one that does all the work for a row.
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

    /// Notes the line ends marked in `bits`, whose lowest bit stands for `start`.
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
    func lineEnds(in range: Range<Int>) -> Int {
        var count = 0
        var offset = range.lowerBound
        while offset &+ 64 <= range.upperBound {
            var sums = SIMD16<UInt8>()
            // A lane counts up to four at a time, and up to 255 in total.
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

    /// Returns minus the number of line ends among the 64 bytes at an offset, spread over sixteen lanes.
    @inline(__always)
    func lineEndMarks(_ offset: Int) -> SIMD16<UInt8> {
        let lineEnd = SIMD16<UInt8>(repeating: 0x0A)
        let one = unsafe unsafeBitCast(vector(offset) .== lineEnd, to: SIMD16<UInt8>.self)
        let two = unsafe unsafeBitCast(vector(offset &+ 16) .== lineEnd, to: SIMD16<UInt8>.self)
        let three = unsafe unsafeBitCast(vector(offset &+ 32) .== lineEnd, to: SIMD16<UInt8>.self)
        let four = unsafe unsafeBitCast(vector(offset &+ 48) .== lineEnd, to: SIMD16<UInt8>.self)
        return (one &+ two) &+ (three &+ four)
    }

    /// Returns whether a byte among the first 64 is `first` and the one `distance` after it is `last`; `folds` turns
    /// capitals into lowercase.
    @inline(__always)
    func mayHold(
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
    func places(of byte: UInt8, _ offset: Int) -> UInt64 {
        #if arch(x86_64)
        let low = bits(of: byte, offset) | bits(of: byte, offset &+ 16) &<< 16
        return low | bits(of: byte, offset &+ 32) &<< 32 | bits(of: byte, offset &+ 48) &<< 48
        #else
        // Bit v of byte j stands for byte j of vector v; the loop moves each bit to its place.
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
    func isASCIIBlock(_ offset: Int) -> Bool {
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
    var sum: Int {
        var sum = 0
        for index in 0..<16 { sum &+= Int(self[index]) }
        return sum
    }
}
