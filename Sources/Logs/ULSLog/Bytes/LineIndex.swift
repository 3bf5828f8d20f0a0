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
        if positions.count < length &+ 64 { positions = Array(repeating: 0, count: length &+ 64) }
        var found = 0
        var offset = 0
        let lineEnd = SIMD16<UInt8>(repeating: 0x0A)
        let zero = SIMD16<UInt8>()
        var output = positions.mutableSpan
        while offset &+ 64 <= length {
            // Bit v of byte j of this vector is vector v's byte j: a bitmap in another order, put right below.
            let part = window.part(from: offset, count: 64)
            let marks =
                zero.replacing(with: 1, where: part.vector(0) .== lineEnd)
                | zero.replacing(with: 2, where: part.vector(16) .== lineEnd)
                | zero.replacing(with: 4, where: part.vector(32) .== lineEnd)
                | zero.replacing(with: 8, where: part.vector(48) .== lineEnd)
            let words = unsafe unsafeBitCast(marks, to: SIMD2<UInt64>.self)
            let bitmap = words[0] | words[1] &<< 4
            if bitmap != 0 {
                if bitmap & (bitmap &- 1) == 0 {
                    output[found] = UInt32(truncatingIfNeeded: offset &+ Self.position(of: bitmap.trailingZeroBitCount))
                    found &+= 1
                } else {
                    var ordered: UInt64 = 0
                    var rest = bitmap
                    while rest != 0 {
                        ordered |= 1 &<< UInt64(truncatingIfNeeded: Self.position(of: rest.trailingZeroBitCount))
                        rest &= rest &- 1
                    }
                    while ordered != 0 {
                        output[found] = UInt32(truncatingIfNeeded: offset &+ ordered.trailingZeroBitCount)
                        found &+= 1
                        ordered &= ordered &- 1
                    }
                }
            }
            offset &+= 64
        }
        while offset < length {
            if window[offset] == 0x0A {
                output[found] = UInt32(truncatingIfNeeded: offset)
                found &+= 1
            }
            offset &+= 1
        }
        count = found
    }

    /// The byte that a bit of the bitmap stands for.
    @inline(__always)
    private static func position(of bit: Int) -> Int { (bit & 3) &* 16 &+ (bit & 4) &* 2 &+ bit &>> 3 }
}
