import CollectionSync
import ContentFeeding
import JobJournal
import SQLiteStore

/// A collection in a store that can be fed, searched and read.
struct SQLiteCollection: ContentEngine {
    let collection: CollectionName
    let store: Store
    /// The only keys that documents have if the collection is an offline copy of some keys; empty otherwise.
    let onlyKeys: [String]
    /// The sorted searches that have not been read to the end yet.
    private let sortedSearches = SortedSearches()

    init(collection: CollectionName, store: Store, onlyKeys: [String]) {
        (self.collection, self.store, self.onlyKeys) = (collection, store, onlyKeys)
    }

    var capabilities: EngineCapabilities {
        var capabilities = EngineCapabilities()
        capabilities.isTransactional = true
        capabilities.keepsProgress = true
        capabilities.hasFence = true
        capabilities.appliedLevel = .live
        capabilities.quarantine = .zero
        capabilities.spillDirectory = store.folder
        // Batches are applied one after another; the second batch is prepared while the first is applied.
        capabilities.maximumBatchesInFlight = 2
        // Each batch is a transaction, whose fixed cost is a sync, and the pages for the job, the counters and the
        // marks.
        capabilities.suitableBatchCount = 4_000
        capabilities.onlyKeys = onlyKeys
        capabilities.sortsAndCounts = true
        return capabilities
    }

    /// Applies a batch, and stores its contribution to its job, in one transaction.
    ///
    /// An operation that the stored progress counts as settled has already taken effect, so it is not applied again.
    /// Its result is `noop`, because the actual result has already been returned. This happens only if a sender sends a
    /// batch again instead of using the stored progress.
    func apply(_ batch: ContentBatch) async -> BatchReply {
        do throws(EngineError) {
            return .results(try await store.write { connection in try apply(batch, in: connection) })
        } catch {
            return .failed(BatchFailure(stop: error))
        }
    }

    private func apply(_ batch: ContentBatch, in connection: borrowing Connection) throws -> [OperationResult] {
        let record = try CollectionRecord.find(collection, in: connection)
        let jobs = try JobTables(in: connection)
        let before = try batch.job.map { update in try jobs.progress(before: update) }
        let isNew = batch.items.map { before?.isSettled($0.id) != true }
        let operations = zip(batch.items, isNew).compactMap { $1 ? $0.operation : nil }
        var applied = try apply(operations, addsMissing: batch.addsMissing, to: record, in: connection).makeIterator()
        let results = isNew.map { $0 ? applied.next() ?? .done(.noop) : .done(.noop) }
        if let update = batch.job, let before {
            let outcomes = batch.items.indices.compactMap { place in
                isNew[place] ? update.outcome(of: batch.items[place], results[place]) : nil
            }
            try jobs.add(update, outcomes, before: before)
        }
        return results
    }

    /// Applies operations; if the collection is a copy, they are also queued for its origin.
    private func apply(
        _ operations: [ContentOperation],
        addsMissing: Bool,
        to record: CollectionRecord,
        in connection: borrowing Connection
    ) throws -> [OperationResult] {
        if let copy = try CopyTransaction(record.number, in: connection) {
            return try CopyWriter(copy, record, of: store, in: connection).apply(
                operations,
                addsMissing: addsMissing,
                in: connection
            )
        }
        var writer = try BatchWriter(to: record, of: store, in: connection)
        let results = try writer.apply(operations, addsMissing: addsMissing)
        try writer.finish(in: connection)
        return results
    }

    /// Checks that the store's file is still at its path, because applied operations are immediately live.
    func raise(to level: CompletionLevel) async throws(EngineError) { try await store.read { _ in } }
}

extension SQLiteCollection: SearchableEngine {
    func get(_ ids: ArraySlice<DocumentID>, maximumBytes: Int) async throws(EngineError) -> DocumentPage {
        try await store.read { connection in
            var reader = try DocumentReader(of: try CollectionRecord.find(collection, in: connection), in: connection)
            var page = DocumentPage(documents: [], looked: 0)
            var bytes = 0
            for id in ids where page.looked == 0 || bytes < maximumBytes {
                page.looked += 1
                guard let document = try reader.document(id) else { continue }
                bytes += document.json.count
                page.documents.append(document)
            }
            return page
        }
    }

    func exists(_ ids: [DocumentID]) async throws(EngineError) -> [Bool] {
        try await store.read { connection in
            var reader = try DocumentReader(of: try CollectionRecord.find(collection, in: connection), in: connection)
            return try ids.map { try reader.liveRow(of: $0) != nil }
        }
    }

    func count() async throws(EngineError) -> Int {
        try await store.read { connection in try CollectionRecord.find(collection, in: connection).documents }
    }

    /// Returns a page of hits; a sorted search first reads all hits, and keeps only their IDs and the values to sort
    /// by.
    func find(_ query: SearchQuery, after cursor: SearchCursor?) async throws(EngineError) -> SearchPage {
        guard query.order.isEmpty else {
            return try await sortedSearches.page(of: query, after: cursor, in: self)
        }
        return try await storedPage(of: query, after: cursor)
    }

    func close(_ cursor: SearchCursor) async { sortedSearches.close(cursor) }

    func facets(_ keys: [FacetKey], of query: SearchQuery) async throws(EngineError) -> FacetCounts {
        try await FacetCounter(keys).counts(of: query, in: self)
    }

    /// Returns a page of hits in the order of their rows.
    func storedPage(of query: SearchQuery, after cursor: SearchCursor?) async throws(EngineError) -> SearchPage {
        let search = try DocumentSearch(query, after: cursor)
        return try await store.read { connection in
            try search.page(of: try CollectionRecord.find(collection, in: connection), in: connection)
        }
    }
}

/// A document ID that is bound to a statement as text.
struct IDText: Bindable {
    private let id: DocumentID

    init(_ id: DocumentID) { self.id = id }

    func bind(to parameter: Parameter) throws(SQLiteError) { try parameter.bind(utf8: id.utf8) }
}

/// The capabilities of a store's collection as the origin of copies: row numbers are versions, and increase with each
/// change.
extension SQLiteCollection: VersionedEngine {
    private static let part = "rows"

    func state() async throws(EngineError) -> CollectionState {
        try await store.read { connection in
            let record = try CollectionRecord.find(collection, in: connection)
            let last = Int64(record.next - 1)
            var part = CollectionPart(name: Self.part, history: "", last: last, readable: last)
            part.stretches = try record.stretches(in: connection)
            return CollectionState(identity: record.identity, parts: [part], contents: String(record.documents))
        }
    }

    /// Does nothing, because writes can be read immediately.
    func settle() async throws(EngineError) {}

    func changes(
        of query: SearchQuery,
        in part: CollectionPart,
        after place: Int64
    ) async throws(EngineError) -> ChangePage {
        let page = try await find(query, after: SearchCursor(rawValue: String(place)))
        let documents = page.documents.map { found in
            let version = DocumentVersion(rawValue: String(found.version ?? 0))
            return VersionedDocument(id: found.id, version: version, json: found.json)
        }
        guard let next = page.next, let reached = Int64(next.rawValue) else {
            return ChangePage(documents: documents, place: part.readable, isLast: true)
        }
        return ChangePage(documents: documents, place: reached, isLast: false)
    }

    func versions(
        by digest: any VersionDigest,
        in part: CollectionPart,
        after place: Int64
    ) async throws(EngineError) -> VersionPage {
        try await store.read { connection in
            let record = try CollectionRecord.find(collection, in: connection)
            return try DocumentVersions(of: record, in: connection).page(by: digest, in: part, after: place)
        }
    }

    func count(of query: SearchQuery) async throws(EngineError) -> Int? {
        guard query.words.isEmpty, query.phrases.isEmpty, query.fields.isEmpty, query.expression == nil else {
            return nil
        }
        return try await count()
    }

    func versions(at keys: [DocumentKey]) async throws(EngineError) -> [VersionAnswer] {
        try await store.read { connection in
            var reader = try DocumentReader(of: try CollectionRecord.find(collection, in: connection), in: connection)
            return try keys.map { key -> VersionAnswer in
                guard let found = try reader.document(key.id) else { return .absent }
                let version = DocumentVersion(rawValue: String(found.version ?? 0))
                return .found(VersionedDocument(id: found.id, version: version, json: found.json))
            }
        }
    }
}

/// The versions of a collection's documents, in the order of their rows.
private struct DocumentVersions {
    /// The limits of a page, which ends when the first of them is reached.
    private static let maximumRows = 50_000
    private static let maximumBytes = 1 << 20
    /// The maximum total size of the documents examined for a page, in bytes, because reading documents takes the most
    /// time.
    private static let maximumDocumentBytes = 64 << 20

    private var tombstones: Tombstones
    private let rows: Statement

    init(of record: CollectionRecord, in connection: borrowing Connection) throws(SQLiteError) {
        tombstones = try Tombstones(of: record.tables, in: connection)
        rows = try connection.prepare(
            "SELECT row, id, json FROM \(record.tables.document) WHERE row > ? AND row <= ? ORDER BY row"
        )
    }

    func page(
        by digest: any VersionDigest,
        in part: CollectionPart,
        after place: Int64
    ) throws(SQLiteError) -> VersionPage {
        var tombstones = tombstones
        var page = VersionPage(versions: PackedVersions(), place: part.readable, isLast: true)
        var (seen, bytes, last) = (0, 0, place)
        try rows.with(place, part.readable).rows { columns throws(SQLiteError) in
            if seen == Self.maximumRows || page.versions.bytes.count >= Self.maximumBytes
                || bytes >= Self.maximumDocumentBytes
            {
                (page.place, page.isLast) = (last, false)
                return false
            }
            seen += 1
            last = try columns.column(0)
            guard try !tombstones.contains(Int(last)) else { return true }
            try columns.withText(1) { id throws(SQLiteError) in
                try columns.withText(2) { json throws(SQLiteError) in
                    bytes += json.count
                    page.versions.append(id, digest.digest(of: json, id: id))
                }
            }
            return true
        }
        return page
    }
}

/// A search for one page of a query's hits, in the order in which the documents were added or replaced.
///
/// Each page shows the state of the store when the page is read, so a document that is replaced between two pages can
/// appear on both.
struct DocumentSearch {
    /// The limits of a page, which ends when the first of them is reached.
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
                advice: "use words, \"phrases\" and --where NAME=VALUE instead of --query; "
                    + "'remove' and 'copy' accept --where"
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

    /// Returns whether a row, which must not be removed, meets the conditions.
    func matches(
        _ row: Int64,
        _ json: [UInt8],
        of record: CollectionRecord,
        in connection: borrowing Connection
    ) throws -> Bool {
        guard fields.allSatisfy({ DocumentJSON.field($0.name, equals: $0.value, in: json) }) else { return false }
        switch match {
        case .everything: return true
        case .nothing: return false
        case .matching(let expression):
            let search = record.tables.search
            return try connection.prepare("SELECT 1 FROM \(search) WHERE \(search) MATCH ? AND rowid = ?")
                .with(expression, row).first { _ throws(SQLiteError) in true } ?? false
        }
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

/// An FTS5 query for words and phrases; in the FTS5 query syntax, only quoted text is safe.
private enum FullTextQuery: Hashable {
    /// No condition.
    case everything
    /// A condition that no document meets.
    case nothing
    case matching(String)

    /// Creates a query in which all of `words` and `phrases` must occur.
    ///
    /// A word is split in the same way as the documents' text, so `wi-fi` becomes the phrase "wi fi". A word without a
    /// letter or digit can't occur in the index, so it matches nothing.
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
    /// Whether the tokenizer `unicode61` finds a word in the text; words consist of letters, numbers and private-use
    /// characters.
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

    /// The text in quotes, without characters that would end the quotation, the query, or a string of a document.
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
