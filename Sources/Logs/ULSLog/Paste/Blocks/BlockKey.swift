/// The start of a `Key : value` line.
struct BlockKey {
    /// The column of that name; nil where the name is not known.
    let column: PasteColumn?
    /// Bytes of blank before the key.
    let indentation: Int
    /// Where the colon stands.
    let colon: Int
    /// Whether a blank stands before the colon, as where keys are padded to one width.
    let isPadded: Bool
    /// Where the value begins.
    let valueStart: Int

    init?(_ line: [UInt8]) {
        indentation = line.blanks(from: 0, to: line.count).end
        let window = indentation..<min(line.count, indentation + Self.limit)
        guard let colon = line[window].firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = line.trimmed(indentation..<colon)
        guard !name.isEmpty, line[name].allSatisfy({ $0.lowercased.isSmallLetter || $0 == 0x20 || $0 == 0x5F }) else {
            return nil
        }
        self.colon = colon
        isPadded = name.upperBound < colon
        valueStart = line.blanks(from: colon + 1, to: line.count).end
        column = PasteColumn(name: line[name])
    }

    /// Bytes of a key, its padding and its indentation.
    private static let limit = 40
}
