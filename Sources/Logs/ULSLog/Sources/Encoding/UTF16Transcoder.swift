/// Turns UTF-16 into UTF-8.
///
/// U+FFFD stands for a surrogate without its other half, and for half a code unit at the end.
struct UTF16Transcoder: TextTranscoder {
    private let isBigEndian: Bool
    private var firstByte: UInt8?
    private var highSurrogate: UInt32?
    private(set) var undecodable = 0

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    mutating func transcode(_ bytes: Span<UInt8>, into output: inout [UInt8]) {
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

    mutating func finish(into output: inout [UInt8]) {
        if highSurrogate != nil { appendReplacement(to: &output) }
        if firstByte != nil { appendReplacement(to: &output) }
        (highSurrogate, firstByte) = (nil, nil)
    }

    private mutating func append(unit: UInt32, to output: inout [UInt8]) {
        if let high = highSurrogate {
            highSurrogate = nil
            if unit & 0xFC00 == 0xDC00 {
                return Self.append(0x10000 + (high & 0x3FF) << 10 + unit & 0x3FF, to: &output)
            }
            appendReplacement(to: &output)
        }
        switch unit & 0xFC00 {
        case 0xD800: highSurrogate = unit
        case 0xDC00: appendReplacement(to: &output)
        default: Self.append(unit, to: &output)
        }
    }

    private mutating func appendReplacement(to output: inout [UInt8]) {
        undecodable += 1
        output += replacementCharacter
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
