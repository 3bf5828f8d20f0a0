/// A mark at the start of a text that indicates its encoding.
public enum ByteOrderMark: Equatable, Sendable {
    case utf8
    case utf16(isBigEndian: Bool)

    /// The length of the longest mark, in bytes.
    public static let maximumLength = 3

    public init?(startOf bytes: Span<UInt8>) {
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

    /// Returns whether more bytes are needed to tell.
    public static func mayBegin(_ bytes: Span<UInt8>) -> Bool {
        switch bytes.count {
        case 0: true
        case 1: bytes[0] == 0xEF || bytes[0] == 0xFE || bytes[0] == 0xFF
        case 2: bytes[0] == 0xEF && bytes[1] == 0xBB
        default: false
        }
    }

    /// The length in bytes.
    public var length: Int { self == .utf8 ? 3 : 2 }
}
