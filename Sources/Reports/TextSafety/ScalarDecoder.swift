/// Reads UTF-8 that may be broken.
struct ScalarDecoder {
    enum Unit {
        case scalar(Unicode.Scalar)
        /// A byte that belongs to no code point.
        case invalid(UInt8)
    }

    private var offset: Int

    init(offset: Int) { self.offset = offset }

    mutating func next(in text: Span<UInt8>) -> Unit? {
        guard offset < text.count else { return nil }
        let first = text[offset]
        guard let (scalar, length) = Self.scalar(in: text, at: offset) else {
            offset += 1
            return .invalid(first)
        }
        offset += length
        return .scalar(scalar)
    }

    /// The code point that comes next, without taking it.
    func following(in text: Span<UInt8>) -> Unicode.Scalar? { Self.scalar(in: text, at: offset)?.0 }

    private static func scalar(in text: Span<UInt8>, at offset: Int) -> (Unicode.Scalar, Int)? {
        guard offset < text.count else { return nil }
        let first = UInt32(text[offset])
        let (length, least): (Int, UInt32)
        switch first {
        case ..<0x80: return (Unicode.Scalar(UInt8(first)), 1)
        case 0xC2...0xDF: (length, least) = (2, 0x80)
        case 0xE0...0xEF: (length, least) = (3, 0x800)
        case 0xF0...0xF4: (length, least) = (4, 0x10000)
        default: return nil
        }
        guard text.count - offset >= length else { return nil }
        var value = first & (0x7F >> UInt32(length))
        for index in offset + 1..<offset + length {
            let byte = UInt32(text[index])
            guard byte & 0xC0 == 0x80 else { return nil }
            value = value << 6 | byte & 0x3F
        }
        guard value >= least, let scalar = Unicode.Scalar(value) else { return nil }
        return (scalar, length)
    }
}
