extension SourceEncoding {
    /// What the first bytes say: a byte-order mark, or a `<` of two bytes; UTF-8 where they say nothing.
    static func detected(in bytes: [UInt8]) -> (encoding: SourceEncoding, markLength: Int) {
        switch (bytes.first, bytes.dropFirst().first) {
        case (0xFF, 0xFE): (.utf16LittleEndian, 2)
        case (0xFE, 0xFF): (.utf16BigEndian, 2)
        case (0x3C, 0x00): (.utf16LittleEndian, 0)
        case (0x00, 0x3C): (.utf16BigEndian, 0)
        default: (.utf8, bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
        }
    }

    /// The encoding that the XML declaration names; what the first bytes said may not contradict it.
    ///
    /// `isMarked`: there was a byte-order mark.
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
                message: "the encoding '\(name.prefix(40))' is not read; save it as UTF-8",
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
