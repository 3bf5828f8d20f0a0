import ContentFeeding

/// What the rows of a table mean, once the first is read.
protocol TableRows {
    /// The longest row, in bytes.
    var maximumRowBytes: Int { get }
    /// Takes in the first row; gives its operation where the table has no titles.
    mutating func begin(
        with fields: [FieldSplitter.Field],
        of row: Span<UInt8>
    ) throws(TableRefusal) -> ContentOperation?
    /// What a further row asks for.
    func operation(_ fields: [FieldSplitter.Field], of row: Span<UInt8>) throws(RejectedRecord) -> ContentOperation
}

/// Why a table can't be read at all.
struct TableRefusal: Error {
    let code: InputError.Code
    let reason: String

    init(_ code: InputError.Code, _ reason: String) { (self.code, self.reason) = (code, reason) }

    /// The first row is none.
    init(_ rejection: RejectedRecord) { self.init(.malformedHeader, "the first row: \(rejection.reason)") }

    init(_ column: UnknownColumn) { self.init(.unknownColumn, column.reason) }
}
