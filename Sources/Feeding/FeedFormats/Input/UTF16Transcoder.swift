/// The mark at the start of a text that tells how it is written.
enum ByteOrderMark: Equatable {
    case utf8
    case utf16(isBigEndian: Bool)

    init?(startOf bytes: Span<UInt8>) {
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
            self = .utf8
        } else if bytes.count >= 2, bytes[0] == 0xFF, bytes[1] == 0xFE {
            self = .utf16(isBigEndian: false)
        } else if bytes.count >= 2, bytes[0] == 0xFE, bytes[1] == 0xFF {
            self = .utf16(isBigEndian: true)
        } else {
            return nil
        }
    }

    /// True when more bytes are needed to tell.
    static func mayBegin(_ bytes: Span<UInt8>) -> Bool {
        switch bytes.count {
        case 1: bytes[0] == 0xEF || bytes[0] == 0xFE || bytes[0] == 0xFF
        case 2: bytes[0] == 0xEF && bytes[1] == 0xBB
        default: false
        }
    }
}

/// Turns UTF-16 into UTF-8, however its bytes are cut.
///
/// A surrogate without its other half becomes three bytes that are not UTF-8, and so does half a code unit at the end:
/// the record that holds them is rejected, those around it are not.
struct UTF16Transcoder {
    let isBigEndian: Bool
    private var firstByte: UInt8?
    private var highSurrogate: UInt32?
    /// The code units of the text that has been counted.
    private var units: UInt64 = 0

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    /// The place in the source, with its mark, behind the text that has been counted.
    var position: UInt64 { 2 + 2 * units }

    /// Counts the next part of the text.
    mutating func count(_ text: Span<UInt8>) {
        for index in text.indices {
            let byte = text[index]
            if byte & 0xC0 != 0x80 { units += byte >= 0xF0 ? 2 : 1 }
        }
    }

    mutating func transcode(_ bytes: Span<UInt8>, into output: inout [UInt8]) {
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
        if let high = highSurrogate { Self.append(high, to: &output) }
        if firstByte != nil { output.append(0xFF) }
        (highSurrogate, firstByte) = (nil, nil)
    }

    private mutating func append(unit: UInt32, to output: inout [UInt8]) {
        if let high = highSurrogate {
            highSurrogate = nil
            if unit & 0xFC00 == 0xDC00 {
                return Self.append(0x10000 + (high & 0x3FF) << 10 + unit & 0x3FF, to: &output)
            }
            Self.append(high, to: &output)
        }
        if unit & 0xFC00 == 0xD800 {
            highSurrogate = unit
        } else {
            Self.append(unit, to: &output)
        }
    }

    private static func append(_ scalar: UInt32, to output: inout [UInt8]) {
        switch scalar {
        case ..<0x80: output.append(UInt8(scalar))
        case ..<0x800: output.append(UInt8(0xC0 | scalar >> 6))
        case ..<0x10000:
            output.append(UInt8(0xE0 | scalar >> 12))
            output.append(UInt8(0x80 | scalar >> 6 & 0x3F))
        default:
            output.append(UInt8(0xF0 | scalar >> 18))
            output.append(UInt8(0x80 | scalar >> 12 & 0x3F))
            output.append(UInt8(0x80 | scalar >> 6 & 0x3F))
        }
        if scalar >= 0x80 { output.append(UInt8(0x80 | scalar & 0x3F)) }
    }
}
