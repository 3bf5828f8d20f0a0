import Spelling

/// How a text without a byte-order mark is written.
public struct TextEncoding: Hashable, Sendable {
    /// The name as messages have it: `windows-1250`.
    public let name: String
    let method: Method

    enum Method: Hashable, Sendable {
        /// The bytes are taken as they are.
        case asIs
        case utf16(isBigEndian: Bool)
        /// The C library converts; the name is its own.
        case library(String)
    }

    private init(name: String, method: Method) {
        self.name = name
        self.method = method
    }

    public static let utf8 = TextEncoding(name: "utf-8", method: .asIs)
    public static let utf16LittleEndian = TextEncoding(name: "utf-16le", method: .utf16(isBigEndian: false))
    public static let utf16BigEndian = TextEncoding(name: "utf-16be", method: .utf16(isBigEndian: true))

    /// The encodings that logs are met in, for help and for advice; more are understood.
    public static let wellKnownNames =
        ["utf-8", "utf-16le", "utf-16be"] + (1250...1258).map { "windows-\($0)" }
        + ["iso-8859-1", "iso-8859-2", "iso-8859-15", "cp437", "cp850", "cp932", "cp936", "cp949", "cp950", "gb18030"]

    /// The longest name that is looked up, in bytes.
    static let maximumNameBytes = 32

    /// Finds an encoding by any of its names, in capitals or not: `UTF-8`, `windows-1252`, `cp1252`, `1252`, `latin1`.
    ///
    /// - Throws: A ``LogSourceError`` that suggests a name.
    public init(named name: String) throws(LogSourceError) {
        guard let found = Self.known(name.lowercased()) else {
            let nearest = name.lowercased().nearest(in: Self.wellKnownNames)
            throw LogSourceError(
                .unknownEncoding,
                source: name,
                reason: "no encoding is called so",
                advice: nearest.map { "did you mean \($0)?" } ?? "known are \(Self.examples) and others"
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
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":")].contains(byte)
            }
        }
        guard isPlain, !name.isEmpty, name.utf8.count <= maximumNameBytes else { return nil }
        let page = codePage(name)
        let libraryName = page.map { "CP\($0)" } ?? name.uppercased()
        guard LibraryTranscoder.knows(libraryName) else { return nil }
        let shownName = page.map { (1250...1258).contains($0) ? "windows-\($0)" : "cp\($0)" } ?? name
        return TextEncoding(name: shownName, method: .library(libraryName))
    }

    /// The number of a Windows code page, by any of the ways to write it.
    private static func codePage(_ name: String) -> Int? {
        for prefix in ["windows-", "windows", "win-", "win", "cp-", "cp", ""] where name.hasPrefix(prefix) {
            let digits = name.dropFirst(prefix.count)
            if (3...5).contains(digits.utf8.count), let page = Int(digits), page > 0 { return page }
        }
        return nil
    }
}

extension TextEncoding: CustomStringConvertible {
    public var description: String { name }
}
