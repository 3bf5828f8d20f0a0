/// Converts UTF-16 to UTF-8, wherever its bytes are split.
public struct UTF16Transcoder: Sendable {
    /// The replacement for half of a surrogate pair, and for half of a code unit at the end.
    public enum Replacement: Sendable {
        /// U+FFFD, so that the text around it can be read.
        case character
        /// Bytes that are not UTF-8, so that the reader rejects the record that contains them.
        case invalidBytes
    }

    private let isBigEndian: Bool
    private let replacement: Replacement
    private var firstByte: UInt8?
    private var highSurrogate: UInt32?
    /// The number of undecodable places so far.
    public private(set) var undecodable = 0

    public init(isBigEndian: Bool, replacement: Replacement) {
        self.isBigEndian = isBigEndian
        self.replacement = replacement
    }

    /// Appends the text of the next piece; a character cut at its end is kept for the next one.
    public mutating func transcode(_ bytes: Span<UInt8>, into output: inout [UInt8]) {
        output.reserveCapacity(output.count + bytes.count)
        for index in bytes.indices {
            guard let first = firstByte else {
                firstByte = bytes[index]
                continue
            }
            firstByte = nil
            let (high, low) = isBigEndian ? (first, bytes[index]) : (bytes[index], first)
            append(unit: UInt32(high) << 8 | UInt32(low), to: &output)
        }
    }

    /// Appends the remains of a character cut at the end.
    public mutating func finish(into output: inout [UInt8]) {
        if let high = highSurrogate { appendHalf(high, to: &output) }
        if firstByte != nil {
            undecodable += 1
            switch replacement {
            case .character: Self.append(0xFFFD, to: &output)
            case .invalidBytes: output.append(0xFF)
            }
        }
        (highSurrogate, firstByte) = (nil, nil)
    }

    private mutating func append(unit: UInt32, to output: inout [UInt8]) {
        if let high = highSurrogate {
            highSurrogate = nil
            if unit & 0xFC00 == 0xDC00 {
                return Self.append(0x10000 + (high & 0x3FF) << 10 + unit & 0x3FF, to: &output)
            }
            appendHalf(high, to: &output)
        }
        switch unit & 0xFC00 {
        case 0xD800: highSurrogate = unit
        case 0xDC00: appendHalf(unit, to: &output)
        default: Self.append(unit, to: &output)
        }
    }

    /// Appends the replacement for half a pair; a surrogate encoded as if it were a character is not valid UTF-8.
    private mutating func appendHalf(_ surrogate: UInt32, to output: inout [UInt8]) {
        undecodable += 1
        Self.append(replacement == .character ? 0xFFFD : surrogate, to: &output)
    }

    private static func append(_ scalar: UInt32, to output: inout [UInt8]) {
        switch scalar {
        case ..<0x80: return output.append(UInt8(scalar))
        case ..<0x800: output.append(UInt8(0xC0 | scalar >> 6))
        case ..<0x10000:
            output.append(UInt8(0xE0 | scalar >> 12))
            output.append(UInt8(0x80 | scalar >> 6 & 0x3F))
        default:
            output.append(UInt8(0xF0 | scalar >> 18))
            output.append(UInt8(0x80 | scalar >> 12 & 0x3F))
            output.append(UInt8(0x80 | scalar >> 6 & 0x3F))
        }
        output.append(UInt8(0x80 | scalar & 0x3F))
    }
}
