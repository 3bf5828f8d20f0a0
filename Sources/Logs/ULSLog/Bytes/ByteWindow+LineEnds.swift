#if arch(x86_64)
import _Builtin_intrinsics.intel.sse2
#endif

extension ByteWindow {
    /// The first line end in `start..<end`, or `end`; up to 64 bytes behind `end` must be readable.
    @inline(__always)
    func lineEnd(from start: Int, to end: Int) -> Int {
        var offset = start
        while offset < end {
            let block = part(from: offset, count: 64)
            if block.hasLineEnd { return min(offset &+ block.lineEnds.trailingZeroBitCount, end) }
            offset &+= 64
        }
        return end
    }

    /// How many line ends a range holds.
    func lineEnds(in range: Range<Int>) -> Int {
        var count = 0
        var offset = range.lowerBound
        let lineEnd = SIMD16<UInt8>(repeating: 0x0A)
        while offset &+ 64 <= range.upperBound {
            var sums = SIMD16<UInt8>()
            // A lane counts four at a time, and to 255 at most.
            let stop = Swift.min(range.upperBound &- 63, offset &+ 63 &* 64)
            while offset < stop {
                let part = part(from: offset, count: 64)
                sums &-= unsafe unsafeBitCast(part.vector(0) .== lineEnd, to: SIMD16<UInt8>.self)
                sums &-= unsafe unsafeBitCast(part.vector(16) .== lineEnd, to: SIMD16<UInt8>.self)
                sums &-= unsafe unsafeBitCast(part.vector(32) .== lineEnd, to: SIMD16<UInt8>.self)
                sums &-= unsafe unsafeBitCast(part.vector(48) .== lineEnd, to: SIMD16<UInt8>.self)
                offset &+= 64
            }
            for index in 0..<16 { count &+= Int(sums[index]) }
        }
        while offset < range.upperBound {
            if self[offset] == 0x0A { count &+= 1 }
            offset &+= 1
        }
        return count
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

    /// Whether a line end is among the first 64 bytes.
    @inline(__always)
    private var hasLineEnd: Bool {
        #if arch(x86_64)
        let first = _mm_or_si128(marks(0), marks(16))
        return _mm_movemask_epi8(_mm_or_si128(first, _mm_or_si128(marks(32), marks(48)))) != 0
        #else
        let lineEnd = SIMD16<UInt8>(repeating: 0x0A)
        let first = (vector(0) .== lineEnd) .| (vector(16) .== lineEnd)
        let second = (vector(32) .== lineEnd) .| (vector(48) .== lineEnd)
        let any = unsafe unsafeBitCast(first .| second, to: SIMD2<UInt64>.self)
        return any[0] | any[1] != 0
        #endif
    }

    /// A bit for each line end among the first 64 bytes.
    @inline(__always)
    private var lineEnds: UInt64 {
        #if arch(x86_64)
        bits(0) | bits(16) &<< 16 | bits(32) &<< 32 | bits(48) &<< 48
        #else
        // Bit v of byte j is vector v's byte j; then each bit goes to its place.
        let lineEnd = SIMD16<UInt8>(repeating: 0x0A)
        let marks =
            SIMD16<UInt8>().replacing(with: 1, where: vector(0) .== lineEnd)
            | SIMD16<UInt8>().replacing(with: 2, where: vector(16) .== lineEnd)
            | SIMD16<UInt8>().replacing(with: 4, where: vector(32) .== lineEnd)
            | SIMD16<UInt8>().replacing(with: 8, where: vector(48) .== lineEnd)
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

    #if arch(x86_64)
    @inline(__always)
    private func bits(_ offset: Int) -> UInt64 {
        UInt64(UInt32(bitPattern: _mm_movemask_epi8(marks(offset))))
    }

    @inline(__always)
    private func marks(_ offset: Int) -> __m128i {
        let vector = unsafe unsafeBitCast(vector(offset), to: __m128i.self)
        return _mm_cmpeq_epi8(vector, _mm_set1_epi8(0x0A))
    }
    #endif
}
