/// Which characters separate others in a tag.
enum XMLSyntax {
    static func isSpace(_ unit: UInt8) -> Bool { unit == 0x20 || unit == 0x0A || unit == 0x0D || unit == 0x09 }

    /// Whether a unit cannot be part of a name in a tag.
    static func endsName(_ unit: UInt8) -> Bool {
        isSpace(unit) || unit == UInt8(ascii: "=") || unit == UInt8(ascii: ">") || unit == UInt8(ascii: "/")
            || unit == UInt8(ascii: "?") || unit == UInt8(ascii: "\"") || unit == UInt8(ascii: "'")
            || unit == UInt8(ascii: "<")
    }
}
