/// Cuts a row into fields, as RFC 4180 has them.
struct FieldSplitter {
    struct Field {
        /// Without the quotes round it.
        let range: Range<Int>
        /// True when it holds quotes, each written twice.
        let hasDoubledQuotes: Bool
        let isQuoted: Bool
    }

    let delimiter: UInt8
    let maximumFields: Int

    func fields(of row: Span<UInt8>) throws(RejectedRecord) -> [Field] {
        var fields: [Field] = []
        var start = 0
        while true {
            let field: Field
            var end: Int
            if start < row.count, row[start] == UInt8(ascii: "\"") {
                field = try quotedField(of: row, from: start + 1)
                end = field.range.upperBound + 1
                guard end == row.count || row[end] == delimiter else {
                    throw RejectedRecord("has text behind a closing quote; double the quotes within a field")
                }
            } else {
                end = start
                while end < row.count, row[end] != delimiter {
                    if row[end] == UInt8(ascii: "\"") {
                        throw RejectedRecord(
                            "has a quote within a field; put the field in quotes and double that quote"
                        )
                    }
                    end += 1
                }
                field = Field(range: start..<end, hasDoubledQuotes: false, isQuoted: false)
            }
            guard fields.count < maximumFields else {
                throw RejectedRecord("has more than \(maximumFields) columns; check the format")
            }
            fields.append(field)
            guard end < row.count else { return fields }
            start = end + 1
        }
    }

    /// What a field says.
    static func unquoted(_ field: Field, of row: Span<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var index = field.range.lowerBound
        while index < field.range.upperBound {
            bytes.append(row[index])
            index += field.hasDoubledQuotes && row[index] == UInt8(ascii: "\"") ? 2 : 1
        }
        return bytes
    }

    private func quotedField(of row: Span<UInt8>, from start: Int) throws(RejectedRecord) -> Field {
        var index = start
        var hasDoubledQuotes = false
        while index < row.count {
            guard row[index] == UInt8(ascii: "\"") else {
                index += 1
                continue
            }
            guard index + 1 < row.count, row[index + 1] == UInt8(ascii: "\"") else {
                return Field(range: start..<index, hasDoubledQuotes: hasDoubledQuotes, isQuoted: true)
            }
            hasDoubledQuotes = true
            index += 2
        }
        throw RejectedRecord("has a quote that is not closed; close it, or double it if it belongs to the field")
    }
}
