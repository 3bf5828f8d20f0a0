/// Two ASCII characters that follow one another, looked for sixteen places at a time.
struct BytePair: Sendable {
    private let first: SIMD2<UInt64>
    private let second: SIMD2<UInt64>

    init(_ first: Unicode.Scalar, _ second: Unicode.Scalar) {
        self.first = Self.repeated(UInt8(ascii: first))
        self.second = Self.repeated(UInt8(ascii: second))
    }

    private static let width = 16

    /// Returns bits that are all zero only if the pair stands at none of the sixteen places from an offset, behind which there
    /// is another byte.
    @inline(__always)
    private func places(at offset: Int, in bytes: UnsafeRawBufferPointer) -> SIMD2<UInt64> {
        let one = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD2<UInt64>.self)
        let next = bytes.loadUnaligned(fromByteOffset: offset &+ 1, as: SIMD2<UInt64>.self)
        let zeros = (one ^ first) | (next ^ second)
        return (zeros &- Self.repeated(0x01)) & ~zeros & Self.repeated(0x80)
    }

    /// Words of eight equal bytes.
    @inline(__always)
    private static func repeated(_ byte: UInt8) -> SIMD2<UInt64> {
        SIMD2(repeating: UInt64(byte) &* 0x0101_0101_0101_0101)
    }

    /// Returns whether `isHit` accepts a place among those where one of two pairs may stand; it is given ranges of offsets.
    @inline(__always)
    static func isAny(
        of one: BytePair,
        _ other: BytePair,
        in bytes: UnsafeRawBufferPointer,
        where isHit: (Range<Int>) -> Bool
    ) -> Bool {
        let last = bytes.count &- width &- 1
        guard last >= 0 else { return isHit(0..<bytes.count) }
        // The last ones once more: a range that is not whole would take longer.
        var offset = 0
        while true {
            let pairs = one.places(at: offset, in: bytes) | other.places(at: offset, in: bytes)
            if pairs[0] | pairs[1] != 0, isHit(offset..<(offset &+ width)) { return true }
            if offset == last { return false }
            offset = min(offset &+ width, last)
        }
    }
}
