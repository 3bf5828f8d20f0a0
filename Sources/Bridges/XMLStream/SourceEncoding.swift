/// A character encoding of a document.
///
/// ASCII can be recognized in each of them without a table, so markup is found before any character is decoded.
enum SourceEncoding: Hashable, Sendable {
    case utf8
    case latin1
    case windows1252
    case utf16LittleEndian
    case utf16BigEndian

    /// The size of a unit in bytes; a character has one or more units.
    var step: Int {
        switch self {
        case .utf8, .latin1, .windows1252: 1
        case .utf16LittleEndian, .utf16BigEndian: 2
        }
    }

    func text(_ bytes: ArraySlice<UInt8>) -> String {
        switch self {
        case .utf8: return String(decoding: bytes, as: UTF8.self)
        case .latin1, .windows1252:
            var text = String.UnicodeScalarView()
            for byte in bytes { text.append(scalar(byte)) }
            return String(text)
        case .utf16LittleEndian, .utf16BigEndian:
            let pairs = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).lazy
            return String(decoding: pairs.map { unit(bytes[$0], bytes[$0 + 1]) }, as: UTF16.self)
        }
    }

    /// Returns the bytes of a text for an attribute's value; a character missing from the encoding becomes a reference.
    func bytes(_ text: String) -> [UInt8] {
        switch self {
        case .utf8: Array(text.utf8)
        case .latin1, .windows1252:
            text.unicodeScalars.flatMap { byte($0).map { [$0] } ?? Array("&#\($0.value);".utf8) }
        case .utf16LittleEndian: text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        case .utf16BigEndian: text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        }
    }

    /// Whether a byte has no character in Windows-1252.
    func isUndefined(_ byte: UInt8) -> Bool { self == .windows1252 && scalar(byte) == Self.undefined }

    private func unit(_ first: UInt8, _ second: UInt8) -> UInt16 {
        self == .utf16LittleEndian ? UInt16(first) | UInt16(second) << 8 : UInt16(first) << 8 | UInt16(second)
    }

    private func scalar(_ byte: UInt8) -> Unicode.Scalar {
        guard self == .windows1252, 0x80...0x9F ~= byte else { return Unicode.Scalar(byte) }
        return Self.windows1252Scalars[Int(byte) - 0x80]
    }

    private func byte(_ scalar: Unicode.Scalar) -> UInt8? {
        guard self == .windows1252 else { return UInt8(exactly: scalar.value) }
        if scalar != Self.undefined, let index = Self.windows1252Scalars.firstIndex(of: scalar) {
            return UInt8(0x80 + index)
        }
        return 0x80...0x9F ~= scalar.value ? nil : UInt8(exactly: scalar.value)
    }

    private static let undefined: Unicode.Scalar = "\u{FFFD}"

    /// The characters of Windows-1252 where ISO 8859-1 has control characters: 0x80 to 0x9F.
    private static let windows1252Scalars: [Unicode.Scalar] = [
        "\u{20AC}", undefined, "\u{201A}", "\u{192}", "\u{201E}", "\u{2026}", "\u{2020}", "\u{2021}",
        "\u{2C6}", "\u{2030}", "\u{160}", "\u{2039}", "\u{152}", undefined, "\u{17D}", undefined,
        undefined, "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}", "\u{2022}", "\u{2013}", "\u{2014}",
        "\u{2DC}", "\u{2122}", "\u{161}", "\u{203A}", "\u{153}", undefined, "\u{17E}", "\u{178}",
    ]
}

extension SourceEncoding {
    /// Returns the encoding that the first bytes indicate by a byte-order mark or a two-byte `<`; otherwise UTF-8.
    static func detected(in bytes: [UInt8]) -> (encoding: SourceEncoding, markLength: Int) {
        switch (bytes.first, bytes.dropFirst().first) {
        case (0xFF, 0xFE): (.utf16LittleEndian, 2)
        case (0xFE, 0xFF): (.utf16BigEndian, 2)
        case (0x3C, 0x00): (.utf16LittleEndian, 0)
        case (0x00, 0x3C): (.utf16BigEndian, 0)
        default: (.utf8, bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
        }
    }

    /// Returns the encoding that the XML declaration names; it may not contradict the first bytes.
    ///
    /// `isMarked` is true if there was a byte-order mark.
    func declared(as name: String, isMarked: Bool) throws(XMLError) -> SourceEncoding {
        let declared: SourceEncoding? =
            switch name.lowercased() {
            case "utf-8", "us-ascii": .utf8
            case "iso-8859-1": .latin1
            case "windows-1252": .windows1252
            case "utf-16" where step == 2: self
            case "utf-16", "utf-16le": .utf16LittleEndian
            case "utf-16be": .utf16BigEndian
            default: nil
            }
        guard let declared else {
            throw XMLError(
                code: .unsupportedEncoding,
                message: "the encoding '\(name.prefix(40))' is not supported; save it as UTF-8",
                line: 1
            )
        }
        guard declared == self || self == .utf8 && declared.step == 1 && !isMarked else {
            throw XMLError(
                code: .unsupportedEncoding,
                message: "it declares the encoding '\(name.prefix(40))', but its first bytes are those of \(title)",
                line: 1
            )
        }
        return declared
    }

    private var title: String {
        switch self {
        case .utf8: "UTF-8"
        case .latin1: "ISO 8859-1"
        case .windows1252: "Windows-1252"
        case .utf16LittleEndian, .utf16BigEndian: "UTF-16"
        }
    }
}
