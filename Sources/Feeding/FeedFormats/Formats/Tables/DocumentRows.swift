import ContentFeeding
import JSONText

/// Documents, one a row; the first row names the fields.
///
/// A value is a string, whatever it looks like. A cell without a byte is a field that the document does not have (and
/// that an update leaves alone); two quotes are an empty string.
struct DocumentRows: TableRows {
    let isUpdate: Bool
    let limits: InputLimits
    let column: InputColumn
    private var titles: [String] = []
    /// Which field holds the ID.
    private var place = 0
    private let ids = DocumentIDPages()

    init(column: InputColumn, isUpdate: Bool, limits: InputLimits) {
        self.column = column
        self.isUpdate = isUpdate
        self.limits = limits
    }

    var maximumRowBytes: Int { limits.documentLine }

    mutating func begin(with fields: [FieldSplitter.Field], of row: Span<UInt8>) throws(TableRefusal) -> Bool {
        do throws(RejectedRecord) { try readTitles(fields, of: row) } catch { throw TableRefusal(error) }
        do throws(UnknownColumn) { place = try column.place(among: titles) } catch { throw TableRefusal(error) }
        return true
    }

    private mutating func readTitles(
        _ fields: [FieldSplitter.Field],
        of row: Span<UInt8>
    ) throws(RejectedRecord) {
        var seen: Set<[UInt8]> = []
        for field in fields {
            let bytes = FieldSplitter.unquoted(field, of: row)
            guard let title = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
            guard !bytes.isEmpty else {
                throw RejectedRecord("column \(titles.count + 1) has no title; give it one, or leave the column out")
            }
            guard seen.insert(bytes).inserted else {
                throw RejectedRecord("two columns are called '\(title.prefix(40))'; give each a title of its own")
            }
            titles.append(title)
        }
    }

    func operation(_ fields: [FieldSplitter.Field], of row: Span<UInt8>) throws(RejectedRecord) -> ContentOperation {
        guard fields.count == titles.count else { throw .columns(fields.count, instead: titles.count) }
        let id = try ids.id(record: FieldSplitter.unquoted(fields[place], of: row).span, limit: limits.id)
        guard row.isUTF8 else { throw .notUTF8 }
        var values: [(title: String, value: String)] = []
        for (title, field) in zip(titles, fields) where field.isQuoted || !field.range.isEmpty {
            values.append((title, String(decoding: FieldSplitter.unquoted(field, of: row), as: UTF8.self)))
        }
        var writer = JSONWriter()
        writer.object { writer in
            for (title, value) in values { writer.member(title, value) }
        }
        let json = writer.takeBytes()
        guard json.count <= limits.document else { throw RejectedRecord(Document.tooLong(limits.document)) }
        let document = Document(id: id, json: json)
        return isUpdate ? .update(document) : .add(document)
    }
}

extension Span<UInt8> {
    fileprivate var isUTF8: Bool { (try? UTF8Span(validating: self)) != nil }
}
