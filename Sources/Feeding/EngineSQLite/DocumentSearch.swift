import ContentFeeding
import SQLiteStore

/// One page of a query's hits, in the order in which the documents were added or replaced.
///
/// Each page shows its own state of the store: a document that is replaced between two pages can appear on both.
struct DocumentSearch {
    /// Limits of a page, which ends at the first one reached.
    private static let maximumDocuments = 500
    private static let maximumBytes = 4 << 20
    private static let maximumRows = 50_000

    private static let emptyObject = Array("{}".utf8)

    private let match: FullTextQuery
    private let fields: [SearchQuery.Field]
    private let includesDocuments: Bool
    private let start: Int

    init(_ query: SearchQuery, after cursor: SearchCursor?) throws(EngineError) {
        guard query.expression == nil else {
            throw EngineError(
                .unsupported,
                "a store in a file has no query language of its own",
                advice: "use words, \"phrases\" and --field NAME=VALUE instead of --query; "
                    + "'remove' and 'copy' have --where"
            )
        }
        includesDocuments = query.includesDocuments
        match = FullTextQuery(words: query.words, phrases: query.phrases)
        fields = query.fields
        guard let cursor else {
            start = 0
            return
        }
        guard let row = Int(cursor.rawValue) else {
            throw EngineError(.rejected, "'\(cursor.rawValue)' is not a cursor of this engine")
        }
        start = row
    }

    func page(of record: CollectionRecord, in connection: borrowing Connection) throws -> SearchPage {
        var tombstones = try Tombstones(of: record.tables, in: connection)
        var page = SearchPage(documents: [], next: nil)
        var (rows, bytes, last) = (0, 0, start)
        let tables = record.tables
        let statement: Statement
        switch match {
        case .everything:
            statement = try connection.prepare(
                "SELECT row, id, json FROM \(tables.document) WHERE row > ? ORDER BY row"
            ).with(start)
        case .nothing: return page
        case .matching(let expression):
            statement = try connection.prepare(
                """
                SELECT row, id, json FROM \(tables.search) JOIN \(tables.document) ON row = \(tables.search).rowid
                WHERE \(tables.search) MATCH ? AND \(tables.search).rowid > ? ORDER BY \(tables.search).rowid
                """
            ).with(expression, start)
        }
        try statement.rows { columns throws(SQLiteError) in
            if page.documents.count == Self.maximumDocuments || bytes >= Self.maximumBytes || rows == Self.maximumRows {
                page.next = SearchCursor(rawValue: String(last))
                return false
            }
            rows += 1
            last = try columns.column(0)
            guard try !tombstones.contains(last) else { return true }
            let json = try columns.column(2, as: UTF8Text.self).bytes
            guard fields.allSatisfy({ DocumentJSON.field($0.name, equals: $0.value, in: json) }),
                let id = try? DocumentID(try columns.column(1))
            else { return true }
            bytes += json.count
            let shown = includesDocuments ? json : Self.emptyObject
            page.documents.append(StoredDocument(id: id, version: Int64(last), json: shown))
            return true
        }
        return page
    }
}

/// An FTS5 query for words and phrases; in that language, only quoted text is safe.
private enum FullTextQuery: Hashable {
    /// No condition.
    case everything
    /// A condition that no document meets.
    case nothing
    case matching(String)

    /// Creates a query in which all of `words` and `phrases` must occur.
    ///
    /// A word is split as the documents' text is, so `wi-fi` is the phrase "wi fi". One without a letter or digit can't
    /// occur in the index, so it matches nothing.
    init(words: [String], phrases: [String]) {
        let terms = words + phrases
        if terms.isEmpty {
            self = .everything
        } else if terms.allSatisfy(\.hasToken) {
            self = .matching(terms.map { "\"\($0.quoted)\"" }.joined(separator: " "))
        } else {
            self = .nothing
        }
    }
}

extension String {
    /// Whether the tokenizer `unicode61` finds a word in it: letters, numbers and private-use characters make words.
    fileprivate var hasToken: Bool {
        unicodeScalars.contains { scalar in
            guard scalar != DocumentJSON.separator else { return false }
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
                .letterNumber, .otherNumber, .privateUse:
                return true
            default: return false
            }
        }
    }

    /// The text without what would end the quotation, the query, or a string of a document.
    fileprivate var quoted: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"", "\0", DocumentJSON.separator: text.unicodeScalars.append(" ")
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

/// A reader of live documents by ID.
struct DocumentReader {
    private var tombstones: Tombstones
    private let lookup: Statement
    private let read: Statement

    init(of record: CollectionRecord, in connection: borrowing Connection) throws(SQLiteError) {
        let tables = record.tables
        tombstones = try Tombstones(of: tables, in: connection)
        lookup = try connection.prepare("SELECT row FROM \(tables.document) WHERE id = ? ORDER BY row DESC LIMIT 1")
        read = try connection.prepare("SELECT json FROM \(tables.document) WHERE row = ?")
    }

    mutating func liveRow(of id: DocumentID) throws(SQLiteError) -> Int? {
        let newest = try lookup.with(IDText(id)).first { row throws(SQLiteError) in try row.column(0, as: Int.self) }
        guard let newest, try !tombstones.contains(newest) else { return nil }
        return newest
    }

    mutating func document(_ id: DocumentID) throws(SQLiteError) -> StoredDocument? {
        guard let row = try liveRow(of: id) else { return nil }
        return try read.with(row).first { columns throws(SQLiteError) in
            StoredDocument(id: id, version: Int64(row), json: try columns.column(0, as: UTF8Text.self).bytes)
        }
    }
}
