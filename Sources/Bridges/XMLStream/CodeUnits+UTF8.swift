extension CodeUnits {
    /// The document in UTF-8, without a byte-order mark; what is no character is refused with its place.
    ///
    /// libxml2 could read the encodings itself, but writes to the standard error where it cannot.
    func utf8() throws(XMLError) -> [UInt8] {
        switch encoding {
        case .utf8:
            do {
                _ = try UTF8Span(validating: bytes.span)
            } catch {
                throw noCharacter(
                    "a byte that is no UTF-8, and no other encoding is declared",
                    error.byteOffsets.lowerBound
                )
            }
            return Array(bytes[start...])
        case .latin1: return Array(text(start..<end).utf8)
        case .windows1252:
            if let place = (start..<end).first(where: { encoding.isUndefined(bytes[$0]) }) {
                throw noCharacter("a byte that Windows-1252 does not have", place)
            }
            return Array(text(start..<end).utf8)
        case .utf16LittleEndian, .utf16BigEndian:
            if let place = firstHalfPair() { throw noCharacter("half a character of UTF-16", place) }
            return Array(text(start..<end).utf8)
        }
    }

    /// Where the first surrogate is that has no partner.
    private func firstHalfPair() -> Int? {
        let high = encoding == .utf16LittleEndian ? 1 : 0
        var offset = start
        while offset < end {
            switch bytes[offset + high] & 0xFC {
            case 0xD8 where offset + 2 < end && bytes[offset + 2 + high] & 0xFC == 0xDC: offset += 4
            case 0xD8, 0xDC: return offset
            default: offset += 2
            }
        }
        return end < bytes.count ? end : nil
    }

    private func noCharacter(_ message: String, _ offset: Int) -> XMLError {
        let place = place(of: offset)
        return XMLError(code: .unsupportedEncoding, message: message, line: place.line, column: place.column)
    }
}
