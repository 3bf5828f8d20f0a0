import ContentFeeding

/// IDs to remove, in one column.
struct IDRows: TableRows {
    let limits: InputLimits
    let column: InputColumn
    /// Which field holds the ID, and how many there are; known from the first row on.
    private var place = 0
    private var fieldCount = 0
    private let ids = DocumentIDPages()

    init(column: InputColumn, limits: InputLimits) {
        self.column = column
        self.limits = limits
    }

    var maximumRowBytes: Int { limits.line }

    mutating func begin(with fields: [FieldSplitter.Field], of row: Span<UInt8>) throws(TableRefusal) -> Bool {
        fieldCount = fields.count
        var titles: [String] = []
        for field in fields {
            titles.append(String(decoding: FieldSplitter.unquoted(field, of: row), as: UTF8.self))
        }
        do throws(UnknownColumn) { place = try column.place(among: titles) } catch { throw TableRefusal(error) }
        if case .number(_, hasHeader: false) = column { return false }
        return true
    }

    func operation(_ fields: [FieldSplitter.Field], of row: Span<UInt8>) throws(RejectedRecord) -> ContentOperation {
        guard fields.count == fieldCount else { throw .columns(fields.count, instead: fieldCount) }
        let field = fields[place]
        guard field.hasDoubledQuotes else {
            return .remove(try ids.id(record: row.extracting(field.range), limit: limits.id))
        }
        return .remove(try ids.id(record: FieldSplitter.unquoted(field, of: row).span, limit: limits.id))
    }
}
