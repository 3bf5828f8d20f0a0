import ContentFeeding

/// What the rows of a table mean, once the first is read.
protocol TableRows {
    /// The longest row, in bytes.
    var maximumRowBytes: Int { get }
    /// Takes in the first row; says whether it is titles, and no operation.
    mutating func begin(with fields: [FieldSplitter.Field], of row: Span<UInt8>) throws(TableRefusal) -> Bool
    /// What a further row asks for.
    func operation(_ fields: [FieldSplitter.Field], of row: Span<UInt8>) throws(RejectedRecord) -> ContentOperation
}

/// Why a table can't be read at all.
struct TableRefusal: Error {
    let code: InputError.Code
    let reason: String

    init(_ code: InputError.Code, _ reason: String) { (self.code, self.reason) = (code, reason) }

    /// The first row can't be read.
    init(_ rejection: RejectedRecord) { self.init(.malformedHeader, "the first row: \(rejection.reason)") }

    init(_ column: UnknownColumn) { self.init(.unknownColumn, column.reason) }
}
