#if arch(x86_64)
import _Builtin_intrinsics.intel.sse2
#endif

extension ByteWindow {
    /// How many line ends a range holds.
    func lineEnds(in range: Range<Int>) -> Int {
        var count = 0
        var offset = range.lowerBound
        while offset &+ 64 <= range.upperBound {
            var sums = SIMD16<UInt8>()
            // A lane counts four at a time, and to 255 at most.
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

    /// Less one for each line end among 64 bytes at an offset, in sixteen lanes.
    @inline(__always)
    func lineEndMarks(_ offset: Int) -> SIMD16<UInt8> {
        let lineEnd = SIMD16<UInt8>(repeating: 0x0A)
        let one = unsafe unsafeBitCast(vector(offset) .== lineEnd, to: SIMD16<UInt8>.self)
        let two = unsafe unsafeBitCast(vector(offset &+ 16) .== lineEnd, to: SIMD16<UInt8>.self)
        let three = unsafe unsafeBitCast(vector(offset &+ 32) .== lineEnd, to: SIMD16<UInt8>.self)
        let four = unsafe unsafeBitCast(vector(offset &+ 48) .== lineEnd, to: SIMD16<UInt8>.self)
        return (one &+ two) &+ (three &+ four)
    }

    /// Whether a place in the first 64 bytes has one byte, and the place so far behind it another; capitals are folded
    /// by `folds`.
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

    /// A bit for each line end among the 64 bytes at an offset.
    @inline(__always)
    func lineEnds(_ offset: Int) -> UInt64 {
        #if arch(x86_64)
        let low = bits(of: 0x0A, offset) | bits(of: 0x0A, offset &+ 16) &<< 16
        return low | bits(of: 0x0A, offset &+ 32) &<< 32 | bits(of: 0x0A, offset &+ 48) &<< 48
        #else
        // Bit v of byte j is vector v's byte j; then each bit goes to its place.
        let lineEnd = SIMD16<UInt8>(repeating: 0x0A)
        let marks =
            SIMD16<UInt8>().replacing(with: 1, where: vector(offset) .== lineEnd)
            | SIMD16<UInt8>().replacing(with: 2, where: vector(offset &+ 16) .== lineEnd)
            | SIMD16<UInt8>().replacing(with: 4, where: vector(offset &+ 32) .== lineEnd)
            | SIMD16<UInt8>().replacing(with: 8, where: vector(offset &+ 48) .== lineEnd)
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

    /// A bit for each of the 16 bytes at an offset that is this one.
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
