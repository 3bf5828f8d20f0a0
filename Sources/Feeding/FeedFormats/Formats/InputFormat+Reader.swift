public import ContentFeeding

extension InputFormat {
    /// The reader for one source of this format.
    func reader(of kind: ContentOperation.Kind, source: String, limits: InputLimits) -> any RecordReader {
        let lineFeed = UInt8(ascii: "\n")
        return switch self {
        case .lines(let trimming):
            FormatReader(LinesFormat(end: lineFeed, trims: trimming, limits: limits), source: source)
        case .nul:
            FormatReader(LinesFormat(end: 0, limits: limits), source: source)
        case .jsonLines, .csv, .tsv:
            FormatReader(LinesFormat(end: lineFeed, limits: limits), source: source)
        }
    }

    /// The reader for arguments, each of which ends with a NUL byte.
    static func argumentReader(
        of kind: ContentOperation.Kind,
        source: String,
        limits: InputLimits
    ) -> any RecordReader {
        FormatReader(LinesFormat(end: 0, refusesEmpty: true, limits: limits), source: source)
    }

    /// True when a UTF-8 byte-order mark at the start belongs to the file and not to the first record.
    var dropsByteOrderMark: Bool { self != .nul }

    /// True when this format can carry such operations.
    public func carries(_ kind: ContentOperation.Kind) -> Bool {
        if case .jsonLines = self { return true }
        return kind == .remove
    }
}
