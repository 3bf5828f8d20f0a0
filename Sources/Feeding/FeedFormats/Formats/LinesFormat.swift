import ContentFeeding

/// IDs to remove that end with a byte: a line feed or a NUL.
struct LinesFormat: RecordFormat {
    let end: UInt8
    let trims: Bool
    /// True when a record without a byte is an empty ID, as an argument is, and no blank line.
    let refusesEmpty: Bool
    let limits: InputLimits
    private let ids = DocumentIDPages()

    init(end: UInt8, trims: Bool = false, refusesEmpty: Bool = false, limits: InputLimits) {
        self.end = end
        self.trims = trims
        self.refusesEmpty = refusesEmpty
        self.limits = limits
    }

    var maximumRecordBytes: Int { limits.line }
    var tooLong: String { DocumentID.tooLong(limits.id) }
    var dropsCarriageReturn: Bool { end != 0 }

    func endOfRecord(in bytes: Span<UInt8>, from start: Int) -> Int? {
        bytes.offset(of: end, from: start).map { $0 + 1 }
    }

    func reading(_ record: Span<UInt8>) -> RecordReading {
        var range = 0..<record.count
        if trims { range = record.trimmed() }
        guard !range.isEmpty || refusesEmpty else { return .blank }
        do throws(RejectedRecord) {
            return .operation(.remove(try ids.id(record: record.extracting(range), limit: limits.id)))
        } catch {
            return .rejected(error.reason)
        }
    }
}
