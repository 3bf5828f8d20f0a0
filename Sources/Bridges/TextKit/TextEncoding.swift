import Glibc

/// The encoding of text without a byte-order mark.
public struct TextEncoding: Hashable, Sendable {
    /// The name in messages: `windows-1250`.
    public let name: String
    private let method: Method

    private enum Method: Hashable, Sendable {
        /// No conversion.
        case asIs
        case utf16(isBigEndian: Bool)
        /// A conversion by the C library, with the library's name for the encoding.
        case library(String)
    }

    private init(name: String, method: Method) {
        self.name = name
        self.method = method
    }

    /// UTF-8.
    public static let utf8 = TextEncoding(name: "utf-8", method: .asIs)
    /// UTF-16 in little-endian byte order.
    public static let utf16LittleEndian = TextEncoding(name: "utf-16le", method: .utf16(isBigEndian: false))
    /// UTF-16 in big-endian byte order.
    public static let utf16BigEndian = TextEncoding(name: "utf-16be", method: .utf16(isBigEndian: true))

    /// The encodings that are common in files from Windows, for help and advice; others are supported as well.
    public static let wellKnownNames =
        ["utf-8", "utf-16le", "utf-16be"] + (1250...1258).map { "windows-\($0)" }
        + ["iso-8859-1", "iso-8859-2", "iso-8859-15", "cp437", "cp850", "cp932", "cp936", "cp949", "cp950", "gb18030"]

    /// The length of the longest name that is looked up, in bytes.
    private static let maximumNameBytes = 32

    /// Finds an encoding by any of its names, ignoring case: `UTF-8`, `windows-1252`, `cp1252`, `1252`, `latin1`.
    ///
    /// - Throws: An ``UnknownEncoding`` that suggests a name.
    public init(of name: String) throws(UnknownEncoding) {
        guard let found = Self.known(name.lowercased()) else {
            let nearest = name.lowercased().nearest(in: Self.wellKnownNames)
            throw UnknownEncoding(
                name: name,
                advice: nearest.map { "did you mean \($0)?" } ?? "use \(Self.examples) or another one"
            )
        }
        self = found
    }

    private static let examples = "utf-8, utf-16le, windows-1252, iso-8859-1, cp932"

    private static func known(_ name: String) -> TextEncoding? {
        switch name {
        case "utf-8", "utf8", "cp65001", "65001": return .utf8
        case "utf-16le", "utf16le", "utf-16", "utf16", "unicode", "cp1200", "1200": return .utf16LittleEndian
        case "utf-16be", "utf16be", "cp1201", "1201": return .utf16BigEndian
        default: break
        }
        // A name like `//IGNORE` would change how the library converts.
        let isPlain = name.utf8.allSatisfy { $0.isLowercase || $0.isDigit || "-_.:".utf8.contains($0) }
        guard isPlain, !name.isEmpty, name.utf8.count <= maximumNameBytes else { return nil }
        let page = codePage(name)
        let libraryName = page.map { "CP\($0)" } ?? name.uppercased()
        guard LibraryTranscoder.knows(libraryName) else { return nil }
        let shownName = page.map { (1250...1258).contains($0) ? "windows-\($0)" : "cp\($0)" } ?? name
        return TextEncoding(name: shownName, method: .library(libraryName))
    }

    /// Returns the number of a Windows code page written in any of its spellings.
    private static func codePage(_ name: String) -> Int? {
        for prefix in ["windows-", "windows", "win-", "win", "cp-", "cp", ""] where name.hasPrefix(prefix) {
            let digits = name.dropFirst(prefix.count)
            if (3...5).contains(digits.utf8.count), let page = Int(digits), page > 0 { return page }
        }
        return nil
    }
}

/// The error for an unknown encoding name.
public struct UnknownEncoding: Error, Hashable, Sendable {
    public let name: String
    /// The remedy, as a fragment.
    public let advice: String
}

extension TextEncoding: CustomStringConvertible {
    public var description: String { name }
}

/// A converter of text to UTF-8, regardless of how its bytes are split into pieces.
public protocol TextTranscoder {
    /// The number of invalid sequences so far.
    var undecodable: Int { get }

    /// Appends the next piece as UTF-8; an incomplete character at its end is kept for the next one.
    mutating func transcode(_ bytes: Span<UInt8>, into output: inout [UInt8])

    /// Appends a replacement for an incomplete character at the end of the text.
    mutating func finish(into output: inout [UInt8])
}

extension TextEncoding {
    /// Returns a transcoder from this encoding to UTF-8, which writes `replacement` for invalid bytes; `nil` if no
    /// conversion is needed.
    public func makeTranscoder(_ replacement: UTF16Transcoder.Replacement = .character) -> (any TextTranscoder)? {
        switch method {
        case .asIs: nil
        case .utf16(let isBigEndian): UTF16Transcoder(isBigEndian: isBigEndian, replacement: replacement)
        case .library(let name): LibraryTranscoder(name, replacement)
        }
    }
}

extension UTF16Transcoder: TextTranscoder {}

extension ByteOrderMark {
    public var encoding: TextEncoding {
        switch self {
        case .utf8: .utf8
        case .utf16(let isBigEndian): isBigEndian ? .utf16BigEndian : .utf16LittleEndian
        }
    }
}

/// A transcoder from a code page to UTF-8, by the C library's tables.
///
/// It is a class because the library's converter has state and must be closed once.
@safe private final class LibraryTranscoder: TextTranscoder {
    /// The size of the buffer for the output of one call, in bytes.
    private static let outputRoom = 64 << 10
    /// The maximum number of bytes that are kept of an incomplete character; no encoding needs more.
    private static let maximumRest = 16

    private let converter: iconv_t
    /// The replacement for bytes that aren't text: U+FFFD, or a byte that is not UTF-8.
    private let replacement: [UInt8]
    private(set) var undecodable = 0
    /// The beginning of an incomplete character at the end of the last piece.
    private var rest: [UInt8] = []

    init?(_ name: String, _ replacement: UTF16Transcoder.Replacement = .character) {
        let converter = unsafe iconv_open("UTF-8", name)
        // The library reports failure as -1.
        guard let converter = unsafe converter, Int(bitPattern: converter) != -1 else { return nil }
        unsafe self.converter = converter
        self.replacement = replacement == .character ? [0xEF, 0xBF, 0xBD] : [0xFF]
    }

    deinit { unsafe iconv_close(converter) }

    static func knows(_ name: String) -> Bool { LibraryTranscoder(name) != nil }

    func transcode(_ bytes: Span<UInt8>, into output: inout [UInt8]) {
        var input = rest
        input.reserveCapacity(rest.count + bytes.count)
        for index in bytes.indices { input.append(bytes[index]) }
        let taken = convert(&input, into: &output)
        rest = Array(input[taken...])
    }

    func finish(into output: inout [UInt8]) {
        if !rest.isEmpty { replace(in: &output) }
        rest = []
    }

    /// Converts all complete characters, and returns the number of bytes consumed.
    private func convert(_ input: inout [UInt8], into output: inout [UInt8]) -> Int {
        var taken = 0
        var room = [UInt8](repeating: 0, count: Self.outputRoom)
        while taken < input.count {
            let step = call(&input, from: taken, room: &room)
            output += room[..<step.produced]
            taken += step.consumed
            switch step.failure {
            case nil: return taken
            case EINVAL where input.count - taken <= Self.maximumRest: return taken
            case E2BIG where step.consumed + step.produced > 0: continue
            default:
                replace(in: &output)
                taken += 1
            }
        }
        return taken
    }

    private func replace(in output: inout [UInt8]) {
        undecodable += 1
        output += replacement
    }

    private func call(
        _ input: inout [UInt8],
        from start: Int,
        room: inout [UInt8]
    ) -> (consumed: Int, produced: Int, failure: CInt?) {
        var inputLeft = input.count - start
        var outputLeft = room.count
        let result = unsafe input.withUnsafeMutableBytes { source in
            unsafe room.withUnsafeMutableBytes { target in
                var from = unsafe source.baseAddress?.advanced(by: start).assumingMemoryBound(to: CChar.self)
                var to = unsafe target.baseAddress?.assumingMemoryBound(to: CChar.self)
                return unsafe iconv(converter, &from, &inputLeft, &to, &outputLeft)
            }
        }
        let failure: CInt? = result == -1 ? errno : nil
        return (input.count - start - inputLeft, room.count - outputLeft, failure)
    }
}

/// A mark at the start of text that indicates its encoding.
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

    /// Returns whether more bytes are needed to recognize a mark.
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

/// Converts UTF-16 to UTF-8, regardless of how its bytes are split.
public struct UTF16Transcoder: Sendable {
    /// The replacement for half of a surrogate pair, and for half of a code unit at the end.
    public enum Replacement: Sendable {
        /// U+FFFD, so that the surrounding text remains readable.
        case character
        /// Bytes that are not valid UTF-8, so that the reader rejects the record that contains them.
        case invalidBytes
    }

    private let isBigEndian: Bool
    private let replacement: Replacement
    private var firstByte: UInt8?
    private var highSurrogate: UInt32?
    /// The number of undecodable sequences so far.
    public private(set) var undecodable = 0

    public init(isBigEndian: Bool, replacement: Replacement) {
        self.isBigEndian = isBigEndian
        self.replacement = replacement
    }

    /// Appends the text of the next piece; an incomplete character at its end is kept for the next one.
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

    /// Appends the remainder of an incomplete character at the end.
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

    /// Appends the replacement for half a pair; a surrogate that is encoded like a character is not valid UTF-8.
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
