#if arch(x86_64)
import _Builtin_intrinsics.intel.sse2
#endif

/// Where the lines of a stretch of text end.
///
/// One pass over 64 bytes at a time writes all positions before anything is parsed: faster than a search for each line.
struct LineIndex {
    private var positions: [UInt32] = []
    private(set) var count = 0

    /// The offset of a line end.
    @inline(__always)
    subscript(index: Int) -> Int { Int(positions[index]) }

    /// Finds the line ends of the first `length` bytes.
    @inline(never)
    mutating func fill(from window: borrowing ByteWindow, length: Int) {
        count = 0
        var start = 0
        while start < length {
            // Room for a block of nothing but line ends, so that only blocks are checked.
            if positions.count &- count < Self.blockBytes {
                positions.append(contentsOf: repeatElement(0, count: max(Self.blockBytes, positions.count)))
            }
            let end = min(start &+ Self.blockBytes, length)
            let found = count
            var output = positions.mutableSpan
            let foundNow = Self.fill(&output, from: found, window, start..<end)
            count = foundNow
            start = end
        }
    }

    private static let blockBytes = 4096

    /// Writes the line ends of a block behind the first `count` positions, and returns how many there are then.
    @inline(__always)
    private static func fill(
        _ output: inout MutableSpan<UInt32>,
        from count: Int,
        _ window: borrowing ByteWindow,
        _ range: Range<Int>
    ) -> Int {
        var count = count
        var offset = range.lowerBound
        while offset &+ 64 <= range.upperBound {
            var lineEnds = window.part(from: offset, count: 64).lineEnds
            while lineEnds != 0 {
                output[count] = UInt32(truncatingIfNeeded: offset &+ lineEnds.trailingZeroBitCount)
                count &+= 1
                lineEnds &= lineEnds &- 1
            }
            offset &+= 64
        }
        while offset < range.upperBound {
            if window[offset] == 0x0A {
                output[count] = UInt32(truncatingIfNeeded: offset)
                count &+= 1
            }
            offset &+= 1
        }
        return count
    }
}

extension ByteWindow {
    /// A bit for each line end among the first 64 bytes.
    @inline(__always)
    fileprivate var lineEnds: UInt64 {
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
        let vector = unsafe unsafeBitCast(vector(offset), to: __m128i.self)
        return UInt64(UInt32(bitPattern: _mm_movemask_epi8(_mm_cmpeq_epi8(vector, _mm_set1_epi8(0x0A)))))
    }
    #endif
}
