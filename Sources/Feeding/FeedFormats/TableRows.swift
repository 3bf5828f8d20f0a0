import ContentFeeding
import JSONText
import Spelling

/// The meaning of a table's rows, once the first is read.
protocol TableRows {
    /// The longest row, in bytes.
    var maximumRowBytes: Int { get }
    /// Reads the first row; returns true when it holds titles rather than an operation.
    mutating func begin(with fields: [FieldSplitter.Field], of row: Span<UInt8>) throws(TableRefusal) -> Bool
    /// Returns the operation that a later row asks for.
    func operation(_ fields: [FieldSplitter.Field], of row: Span<UInt8>) throws(RejectedRecord) -> ContentOperation
}

/// The reason a table can't be read at all.
struct TableRefusal: Error {
    let code: InputError.Code
    let reason: String

    init(_ code: InputError.Code, _ reason: String) { (self.code, self.reason) = (code, reason) }

    /// Creates a refusal of a first row that can't be read.
    init(_ rejection: RejectedRecord) { self.init(.malformedHeader, "the first row: \(rejection.reason)") }

    init(_ column: UnknownColumn) { self.init(.unknownColumn, column.reason) }
}

/// IDs to remove, in one column.
struct IDRows: TableRows {
    let limits: InputLimits
    let column: InputColumn
    let routing: InputColumn?
    let version: VersionMember?
    /// Index of the ID's field, the routing's and the version's, and the number of fields; known from the first row on.
    private var place = 0
    private var routingPlace: Int?
    private var versionPlace: Int?
    private var fieldCount = 0
    private let ids = DocumentIDPages()

    init(
        column: InputColumn,
        routing: InputColumn? = nil,
        version: VersionMember? = nil,
        limits: InputLimits
    ) {
        self.column = column
        self.routing = routing
        self.version = version
        self.limits = limits
    }

    var maximumRowBytes: Int { limits.line }

    mutating func begin(with fields: [FieldSplitter.Field], of row: Span<UInt8>) throws(TableRefusal) -> Bool {
        fieldCount = fields.count
        var titles: [String] = []
        for field in fields {
            titles.append(String(decoding: FieldSplitter.unquoted(field, of: row), as: UTF8.self))
        }
        do throws(UnknownColumn) {
            place = try column.place(among: titles)
            routingPlace = try routing?.place(among: titles)
            versionPlace = try version?.column?.place(among: titles)
        } catch {
            throw TableRefusal(error)
        }
        return [column, routing, version?.column].contains { $0?.needsTitles ?? false }
    }

    func operation(_ fields: [FieldSplitter.Field], of row: Span<UInt8>) throws(RejectedRecord) -> ContentOperation {
        guard fields.count == fieldCount else { throw .columns(fields.count, instead: fieldCount) }
        let routing = try FieldSplitter.routing(routingPlace.map { fields[$0] }, of: row)
        let removal = ContentOperation.remove(DocumentKey(try id(in: fields[place], of: row), routing: routing))
        guard let version, let versionPlace else { return removal }
        return removal.only(try version.condition(in: fields[versionPlace], of: row))
    }

    private func id(in field: FieldSplitter.Field, of row: Span<UInt8>) throws(RejectedRecord) -> DocumentID {
        guard field.hasDoubledQuotes else {
            return try ids.id(record: row.extracting(field.range), limit: limits.id)
        }
        return try ids.id(record: FieldSplitter.unquoted(field, of: row).span, limit: limits.id)
    }
}

/// Documents, one per row; the first row names the fields.
///
/// Every value is a string, whatever it looks like. An empty cell is a field that the document does not have (and that
/// an update leaves alone); two quotes are an empty string.
struct DocumentRows: TableRows {
    private let isUpdate: Bool
    let limits: InputLimits
    let column: InputColumn
    let routing: InputColumn?
    let version: VersionMember?
    private var titles: [String] = []
    /// Index of the field that holds the ID, and of those that hold the routing and the version.
    private var place = 0
    private var routingPlace: Int?
    private var versionPlace: Int?
    private let ids = DocumentIDPages()

    init(
        column: InputColumn,
        routing: InputColumn? = nil,
        version: VersionMember? = nil,
        isUpdate: Bool,
        limits: InputLimits
    ) {
        self.column = column
        self.routing = routing
        self.version = version
        self.isUpdate = isUpdate
        self.limits = limits
    }

    var maximumRowBytes: Int { limits.documentLine }

    mutating func begin(with fields: [FieldSplitter.Field], of row: Span<UInt8>) throws(TableRefusal) -> Bool {
        do throws(RejectedRecord) { try readTitles(fields, of: row) } catch { throw TableRefusal(error) }
        do throws(UnknownColumn) {
            place = try column.place(among: titles)
            routingPlace = try routing?.place(among: titles)
            versionPlace = try version?.column?.place(among: titles)
        } catch {
            throw TableRefusal(error)
        }
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
                throw RejectedRecord("column \(titles.count + 1) has no title; add one, or remove the column")
            }
            guard seen.insert(bytes).inserted else {
                throw RejectedRecord("two columns are called '\(title.prefix(40))'; give each its own title")
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
        let routing = try FieldSplitter.routing(routingPlace.map { fields[$0] }, of: row)
        let document = Document(id: id, json: json, routing: routing)
        let operation: ContentOperation = isUpdate ? .update(document) : .add(document)
        guard let version, let versionPlace else { return operation }
        return operation.only(try version.condition(in: fields[versionPlace], of: row))
    }
}

extension VersionMember {
    /// Returns what must be true of the document, by the version in a cell: an empty one is no version.
    fileprivate func condition(
        in cell: FieldSplitter.Field,
        of row: Span<UInt8>
    ) throws(RejectedRecord) -> WriteCondition {
        let bytes = FieldSplitter.unquoted(cell, of: row)
        guard !bytes.isEmpty else {
            guard kind == .unchanged else { throw RejectedRecord("has no version; write a number from 0 on") }
            return .absent
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        return try kind.condition(of: text)
    }
}

extension Span<UInt8> {
    fileprivate var isUTF8: Bool { (try? UTF8Span(validating: self)) != nil }
}

/// The reason a table lacks the requested column.
struct UnknownColumn: Error {
    let reason: String
}

extension InputColumn {
    /// Whether the first row holds titles.
    fileprivate var needsTitles: Bool {
        if case .number(_, hasHeader: false) = self { false } else { true }
    }

    /// Returns the column's index in a table, from 0.
    func place(among titles: [String]) throws(UnknownColumn) -> Int {
        switch self {
        case .number(let number, _):
            guard number >= 1, number <= titles.count else {
                throw UnknownColumn(reason: "has no column \(number): the first row has \(titles.count)")
            }
            return number - 1
        case .named(let name):
            // Compares bytes: `==` would treat NFC and NFD as the same.
            let matches = titles.indices.filter { titles[$0].utf8.elementsEqual(name.utf8) }
            guard matches.count == 1 else {
                throw UnknownColumn(reason: Self.unknown(name, among: titles, count: matches.count))
            }
            return matches[0]
        }
    }

    private static func unknown(_ name: String, among titles: [String], count: Int) -> String {
        if count > 1 { return "has \(count) columns named '\(name)'; give the number of the one that holds the IDs" }
        // A title may be as long as a row; a message may not.
        let shown = titles.prefix(20).map { $0.count > 40 ? $0.prefix(39) + "…" : $0 }
        let columns = shown.joined(separator: ", ") + (titles.count > 20 ? ", …" : "")
        let near = name.nearest(in: titles.prefix(1000).filter { $0.utf8.count <= 200 })
        let advice = near.map { "; did you mean '\($0)'?" } ?? delimiter(in: titles) ?? ""
        return "has no column '\(name)'; its columns are \(columns)\(advice)"
    }

    /// Returns advice for a table whose titles were not split.
    private static func delimiter(in titles: [String]) -> String? {
        guard titles.count == 1, let title = titles.first else { return nil }
        let names: KeyValuePairs = [";": "';'", "\t": "tab", ",": "','", "|": "'|'"]
        return names.first { title.contains($0.key) }.map {
            "; if that separates its cells, use --delimiter \($0.value)"
        }
    }
}
