import ContentFeeding
import EngineSQLite
import JobJournal
import SQLiteStore
import TestSupport
import Testing

/// A store with one collection, in a separate folder.
struct TestStore {
    static let name: CollectionName = "web"

    let folder: TemporaryFolder
    let path: String
    let engine: SQLiteEngine
    let collection: any CollectionEngine

    init() async throws {
        let folder = try TemporaryFolder()
        try await self.init(at: folder.path("store.sqlite"), in: folder)
    }

    init(at path: String, in folder: TemporaryFolder) async throws {
        self.folder = folder
        self.path = path
        engine = try await SQLiteEngine.create(path: path)
        try await engine.create(Self.name, settings: [])
        collection = try await engine.collection(named: Self.name)
    }

    /// Returns the number of documents in the tables, regardless of the counters.
    func counted() throws -> (documents: Int, waiting: Int) {
        let connection = try Connection(path: path)
        let number = try connection.integer("SELECT number FROM collection WHERE name = 'web'")
        let rows = try connection.integer("SELECT count(*) FROM document_\(number)")
        var waiting = 0
        try connection.prepare("SELECT bits FROM tombstone_\(number)").eachRow { row throws(SQLiteError) in
            waiting += try row.column(0, as: [UInt8].self).reduce(0) { $0 + $1.nonzeroBitCount }
        }
        return (rows - waiting, waiting)
    }

    /// Runs SQLite's own checks, including that of the full-text index.
    func expectSoundFile(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let connection = try Connection(path: path)
        let verdict = try connection.prepare("PRAGMA integrity_check").first { row throws(SQLiteError) in
            try row.column(0, as: String.self)
        }
        #expect(verdict == "ok", sourceLocation: sourceLocation)
        var tables: [String] = []
        try connection.prepare("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%'")
            .eachRow { row throws(SQLiteError) in tables.append(try row.column(0)) }
        for table in tables { try connection.execute("INSERT INTO \(table)(\(table)) VALUES ('integrity-check')") }
    }
}

extension ContentEngine {
    /// Applies operations, numbered from `first`, as part of a claimed job or without a job.
    @discardableResult
    func apply(
        _ operations: [ContentOperation],
        _ claim: JobClaim? = nil,
        from first: UInt64 = 1
    ) async throws -> [OperationResult] {
        let reply = await reply(to: operations, claim, from: first)
        guard case .results(let results) = reply else {
            throw EngineError(.rejected, "answered with \(reply)")
        }
        return results
    }

    func reply(to operations: [ContentOperation], _ claim: JobClaim? = nil, from first: UInt64 = 1) async -> BatchReply
    {
        let items = operations.enumerated().map {
            ContentBatch.Item(id: OperationID(rawValue: first + UInt64($0)), operation: $1)
        }
        let end = OperationID(rawValue: first + UInt64(items.count))
        let update = claim.map { JobUpdate(FeedProgress(job: $0.id, lowestUnsettled: end), epoch: $0.epoch) }
        return await apply(ContentBatch(id: BatchID(rawValue: first), items: items, job: update))
    }
}

extension SQLiteEngine {
    /// Begins a job that feeds the test's collection.
    func claim(_ name: String = "TEST") async throws -> JobClaim {
        let job = JobDescription(
            id: JobID(rawValue: name),
            identity: Array(name.utf8),
            kind: .add,
            target: target,
            collection: TestStore.name,
            words: ["add"],
            directory: "/",
            spool: nil,
            startedAt: .zero
        )
        try await jobs.create(job)
        return try await jobs.claim(job.id)
    }

    func record(of claim: JobClaim) async throws -> JobRecord? {
        try await jobs.jobs().first { $0.job.id == claim.id }
    }
}

func document(_ id: String, _ json: String) -> Document {
    Document(id: DocumentID(stringLiteral: id), json: Array(json.utf8))
}
