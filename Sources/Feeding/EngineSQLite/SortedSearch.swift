import ContentFeeding
import SQLiteStore
import Synchronization

/// The sorted searches of a collection, each with the order of its hits in an unnamed temporary database.
///
/// A search reads the store page by page, as an unsorted search does, so it holds no snapshot of the store for longer
/// than one page.
final class SortedSearches: Sendable {
    private struct Searches {
        var last = 0
        var open: [Int: SortedSearch] = [:]
    }

    /// The number of searches that stay open; beyond it, the oldest ones are forgotten, because their clients may never
    /// read them to the end.
    private static let mostOpen = 32

    private let searches = Mutex(Searches())

    /// Returns a page of a sorted search; `cursor` is `nil` for the first page.
    func page(
        of query: SearchQuery,
        after cursor: SearchCursor?,
        in collection: SQLiteCollection
    ) async throws(EngineError) -> SearchPage {
        guard let cursor else {
            let search = try await SortedSearch(query, in: collection)
            let number = searches.withLock { searches in
                searches.last += 1
                searches.open[searches.last] = search
                if searches.open.count > Self.mostOpen, let oldest = searches.open.keys.min() {
                    searches.open[oldest] = nil
                }
                return searches.last
            }
            return try await page(of: search, number, after: 0)
        }
        guard let place = Self.place(of: cursor) else {
            throw EngineError(.rejected, "'\(cursor.rawValue)' is not a cursor of a sorted search")
        }
        guard let search = searches.withLock({ $0.open[place.search] }) else {
            throw EngineError(.rejected, "the sorted search is no longer open", advice: "run the command again")
        }
        return try await page(of: search, place.search, after: place.hit)
    }

    /// Closes a search and discards the order of its hits.
    func close(_ cursor: SearchCursor) {
        guard let place = Self.place(of: cursor) else { return }
        searches.withLock { $0.open[place.search] = nil }
    }

    private func page(of search: SortedSearch, _ number: Int, after hit: Int) async throws(EngineError) -> SearchPage {
        do throws(EngineError) {
            var (page, reached) = try await search.page(after: hit)
            if let reached {
                page.next = SearchCursor(rawValue: "sorted:\(number):\(reached)")
            } else {
                searches.withLock { $0.open[number] = nil }
            }
            return page
        } catch {
            if hit == 0 { searches.withLock { $0.open[number] = nil } }
            throw error
        }
    }

    private static func place(of cursor: SearchCursor) -> (search: Int, hit: Int)? {
        let parts = cursor.rawValue.split(separator: ":")
        guard parts.count == 3, parts[0] == "sorted", let search = Int(parts[1]), let hit = Int(parts[2]) else {
            return nil
        }
        return (search, hit)
    }
}

/// A search whose hits are sorted by the values of keys, and by ID if the values are equal.
///
/// A document keeps the place that it had when the hits were sorted. If it is replaced before its page is read, the
/// page shows the new document, unless that document no longer matches; if it is removed, the page omits it.
private struct SortedSearch {
    /// The limits of a page, which ends when the first of them is reached.
    private static let maximumDocuments = 500
    private static let maximumBytes = 4 << 20

    private let query: SearchQuery
    private let collection: SQLiteCollection
    private let search: DocumentSearch
    private let hits: Database

    /// Reads and sorts all hits.
    init(_ query: SearchQuery, in collection: SQLiteCollection) async throws(EngineError) {
        self.query = query
        self.collection = collection
        search = try DocumentSearch(query, after: nil)
        hits = try scratch(
            of: collection,
            """
            CREATE TABLE hit(id TEXT NOT NULL UNIQUE, row INTEGER NOT NULL, place BLOB NOT NULL) STRICT;
            CREATE INDEX hit_place ON hit(place, id);
            CREATE TABLE ordered(number INTEGER PRIMARY KEY, id TEXT NOT NULL, row INTEGER NOT NULL) STRICT;
            """
        )
        let (hits, order) = (hits, query.order)
        try await collection.forEachPage(of: query) { documents throws(EngineError) in
            let places = documents.map { (id: $0.id, row: $0.version ?? 0, place: SortPlace(of: $0.json, by: order)) }
            try await scratchErrors(of: collection) {
                try await hits.write { connection in
                    let insert = try connection.prepare("INSERT OR REPLACE INTO hit(id, row, place) VALUES (?, ?, ?)")
                    for hit in places { try insert.run(IDText(hit.id), hit.row, hit.place.bytes) }
                }
            }
        }
        try await scratchErrors(of: collection) {
            try await hits.write { connection in
                try connection.execute("INSERT INTO ordered(id, row) SELECT id, row FROM hit ORDER BY place, id")
                try connection.execute("DROP TABLE hit")
            }
        }
    }

    /// Returns the hits after a position, and the position reached, which is `nil` if these hits are the last.
    func page(after number: Int) async throws(EngineError) -> (page: SearchPage, reached: Int?) {
        let hits = hits
        let next = try await scratchErrors(of: collection) {
            try await hits.read { connection in
                var next: [(id: DocumentID, row: Int64)] = []
                try connection.prepare("SELECT id, row FROM ordered WHERE number > ? ORDER BY number LIMIT ?")
                    .with(number, Self.maximumDocuments + 1)
                    .eachRow { columns throws(SQLiteError) in
                        guard let id = try? DocumentID(try columns.column(0)) else { return }
                        next.append((id, try columns.column(1)))
                    }
                return next
            }
        }
        let (name, search, includesDocuments) = (collection.collection, search, query.includesDocuments)
        let wanted = Array(next.prefix(Self.maximumDocuments))
        let (found, looked) = try await collection.store.read { connection in
            let record = try CollectionRecord.find(name, in: connection)
            var reader = try DocumentReader(of: record, in: connection)
            var (found, looked, bytes) = ([StoredDocument](), 0, 0)
            for hit in wanted where bytes < Self.maximumBytes {
                looked += 1
                guard let document = try reader.document(hit.id) else { continue }
                let row = document.version ?? 0
                guard try row == hit.row || search.matches(row, document.json, of: record, in: connection) else {
                    continue
                }
                bytes += document.json.count
                let json = includesDocuments ? document.json : Array("{}".utf8)
                found.append(StoredDocument(id: document.id, version: document.version, json: json))
            }
            return (found, looked)
        }
        return (SearchPage(documents: found, next: nil), looked < next.count ? number + looked : nil)
    }
}

/// A counter of values, which uses an unnamed temporary database.
struct FacetCounter {
    private let keys: [FacetKey]

    init(_ keys: [FacetKey]) { self.keys = keys }

    /// Counts the values in all hits.
    ///
    /// The store is read page by page; if the store changes in the meantime, a document may be counted twice or not at
    /// all, and the counts are marked accordingly.
    func counts(of query: SearchQuery, in collection: SQLiteCollection) async throws(EngineError) -> FacetCounts {
        let values = try scratch(
            of: collection,
            """
            CREATE TABLE value(
                facet INTEGER, kind INTEGER, value TEXT, documents INTEGER, PRIMARY KEY(facet, kind, value)
            ) STRICT, WITHOUT ROWID
            """
        )
        let before = try await collection.mark
        let keys = keys
        var documents = 0
        var missing = Array(repeating: 0, count: keys.count)
        try await collection.forEachPage(of: query) { page throws(EngineError) in
            documents += page.count
            var tally: [TalliedValue: Int] = [:]
            for (facet, key) in keys.enumerated() {
                for document in page {
                    let found = Set(FacetValue.values(of: key.name, in: document.json.span))
                    if found.isEmpty { missing[facet] += 1 }
                    for value in found { tally[TalliedValue(facet, value), default: 0] += 1 }
                }
            }
            let added = tally
            try await scratchErrors(of: collection) {
                try await values.write { connection in
                    let add = try connection.prepare(
                        """
                        INSERT INTO value(facet, kind, value, documents) VALUES (?, ?, ?, ?)
                        ON CONFLICT DO UPDATE SET documents = documents + excluded.documents
                        """
                    )
                    for (value, count) in added { try add.run(value.facet, value.kind, value.text, count) }
                }
            }
        }
        let hasChanged = try await collection.mark != before
        let accuracy = hasChanged ? Facet.Accuracy.unknown("the collection changed while they were counted") : .exact
        let lost = missing
        let facets = try await scratchErrors(of: collection) {
            try await values.read { connection in
                try keys.indices.map { facet in
                    try Self.facet(facet, keys[facet], missing: lost[facet], accuracy, in: connection)
                }
            }
        }
        return FacetCounts(documents: documents, facets: facets)
    }

    private static func facet(
        _ facet: Int,
        _ key: FacetKey,
        missing: Int,
        _ accuracy: Facet.Accuracy,
        in connection: borrowing Connection
    ) throws -> Facet {
        var result = Facet(key: key.name, counts: [], other: 0, missing: missing, accuracy: accuracy)
        try connection.prepare(
            "SELECT kind, value, documents FROM value WHERE facet = ? ORDER BY documents DESC, kind, value LIMIT ?"
        ).with(facet, key.limit).eachRow { row throws(SQLiteError) in
            let (kind, text, documents) = (try row.column(0, as: Int.self), try row.column(1, as: String.self), 2)
            let value: FacetValue =
                switch kind {
                case 0: .bool(text == "true")
                case 1: .number(text)
                default: .text(text)
                }
            result.counts.append(Facet.Count(value, try row.column(documents)))
        }
        let all = try connection.prepare("SELECT coalesce(sum(documents), 0) FROM value WHERE facet = ?").with(facet)
            .first { row throws(SQLiteError) in try row.column(0, as: Int.self) }
        result.other = (all ?? 0) - result.counts.reduce(0) { $0 + $1.documents }
        return result
    }
}

/// A value of a facet, as it is stored in the temporary database.
private struct TalliedValue: Hashable {
    let facet: Int
    let kind: Int
    let text: String

    init(_ facet: Int, _ value: FacetValue) {
        self.facet = facet
        switch value {
        case .bool(let isTrue): (kind, text) = (0, String(isTrue))
        case .number(let number): (kind, text) = (1, number)
        case .text(let value): (kind, text) = (2, value)
        }
    }
}

// MARK: - Reading

extension SQLiteCollection {
    /// A value that changes whenever the collection changes.
    fileprivate var mark: [Int] {
        get async throws(EngineError) {
            try await store.read { connection in
                let record = try CollectionRecord.find(collection, in: connection)
                return [record.number, record.documents, record.next]
            }
        }
    }

    /// Calls `body` with all hits and their documents, page by page.
    fileprivate func forEachPage(
        of query: SearchQuery,
        _ body: ([StoredDocument]) async throws(EngineError) -> Void
    ) async throws(EngineError) {
        var whole = query
        whole.includesDocuments = true
        var cursor: SearchCursor?
        repeat {
            let page = try await storedPage(of: whole, after: cursor)
            try await body(page.documents)
            cursor = page.next
        } while cursor != nil
    }
}

/// Creates an unnamed temporary database with these tables.
private func scratch(of collection: SQLiteCollection, _ tables: String) throws(EngineError) -> Database {
    do {
        var configuration = Configuration()
        configuration.synchronous = .normal
        return try Database(path: Database.scratch, configuration) { try $0.execute(tables) }
    } catch {
        throw EngineError(any: error, path: "the temporary data of \(collection.store.path)", busyTimeout: .zero)
    }
}

/// Converts the errors of an unnamed temporary database.
private func scratchErrors<Value: Sendable>(
    of collection: SQLiteCollection,
    _ body: () async throws -> Value
) async throws(EngineError) -> Value {
    do {
        return try await body()
    } catch {
        throw EngineError(any: error, path: "the temporary data of \(collection.store.path)", busyTimeout: .zero)
    }
}
