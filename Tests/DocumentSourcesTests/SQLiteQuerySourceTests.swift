import ContentFeeding
import DocumentSources
import Foundation
import SQLiteStore
import TestSupport
import Testing

struct SQLiteQuerySourceTests {
    private let folder: TemporaryFolder
    private let path: String
    private let database: Database

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("cms.db")
        var configuration = Configuration()
        configuration.access = .create
        database = try Database(path: path, configuration) { connection in
            try connection.execute(
                """
                CREATE TABLE page(url TEXT, title TEXT, n, updated_at TEXT);
                INSERT INTO page VALUES ('u1', 'T "1"', 9007199254740993, '2020'), ('u2', NULL, 1.5, NULL),
                    ('u3', X'00FF', -9e999, '2021'), (NULL, 'x', 1, NULL), ('', 'x', 1, NULL);
                """
            )
        }
    }

    private func source(
        _ sql: String,
        _ change: (inout SQLiteQuerySource.Options) -> Void = { _ in }
    ) throws -> SQLiteQuerySource {
        var options = SQLiteQuerySource.Options()
        options.busyTimeout = .milliseconds(50)
        change(&options)
        return try SQLiteQuerySource(sql, inFile: path, options)
    }

    @Test func `Each row becomes a document, with a key and a type for each column`() async throws {
        let source = try source("SELECT * FROM page ORDER BY rowid")
        #expect(source.traits.versionKey == "updated_at")
        let reading = try await SourceReading(source)
        #expect(
            reading.texts == [
                #"{"id":"u1","url":"u1","title":"T \"1\"","n":9007199254740993,"updated_at":"2020"}"#,
                #"{"id":"u2","url":"u2","title":null,"n":1.5,"updated_at":null}"#,
                #"{"id":"u3","url":"u3","title":"AP8=","n":"-inf","updated_at":"2021"}"#,
            ]
        )
        #expect(reading.entries.map(\.version) == ["2020", nil, "2021"])
        #expect(reading.rejections.map(\.line) == [4, 5])
        #expect(try await SourceReading(source, .versions).ids == ["u1", "u2", "u3"])
    }

    @Test func `The ID, the version and the routing value are read from columns`() async throws {
        let named = try source("SELECT 7 AS a, 'r' AS b, 3 AS version, 'x' AS id") {
            ($0.idColumn, $0.routingColumn) = ("a", "b")
        }
        let entry = try #require(try await SourceReading(named).entries.first)
        #expect(entry.id.text == "7" && entry.routing?.text == "r" && entry.version == "3")
        #expect(try await SourceReading(try source("SELECT 1 AS x, 'i' AS id")).ids == ["i"])
        for sql in ["SELECT 1 AS a, 2 AS a", "SELECT 1 AS b"] {
            let error = #expect(throws: SourceError.self) { try source(sql) { $0.versionColumn = "nope" } }
            #expect(error?.code == .unusable)
        }
    }

    @Test(arguments: [
        ("DELETE FROM page", "not a query"), ("SELECT 1; SELECT 2", "more than one"), ("", "no statement"),
        ("-- x", "no statement"),
        ("SELECT nope FROM page", "no such column: nope"), ("SELEC 1", "syntax error"), ("SELECT ?", "parameters"),
        ("PRAGMA journal_mode = DELETE", "not a query"), ("ATTACH 'x' AS y", "not a query"),
        ("SELECT \"nope\" FROM page", "no such column"),
    ])
    func `Anything but a single query is refused with a helpful message`(sql: String, words: String) {
        let error = #expect(throws: SourceError.self) { try source(sql) }
        #expect(error?.code == .unusable && error?.message.contains(words) ?? false, "\(String(describing: error))")
    }

    @Test func `A comment or a semicolon after the query is not a second statement`() async throws {
        #expect(try await SourceReading(try source("SELECT 1; -- done\n /* x */ ;")).ids == ["1"])
    }

    private static let many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3500)"

    @Test func `A failure in the middle of a query is an error, and never mistaken for the end`() async throws {
        let source = try source(Self.many + " SELECT json_extract(iif(i = 2100, '{', '1'), '$') AS x, i AS id FROM n")
        let reader = try await source.reader(of: .documents, from: .beginning)
        var count = 0
        let error = await #expect(throws: SourceError.self) {
            while let page = try await reader.next() { count += page.entries.count }
        }
        #expect(count == 2_000 && error?.code == .unusable)
        #expect(error?.message.contains("malformed JSON") ?? false)
    }

    @Test func `Reading resumes where it stopped if the rows are the same`() async throws {
        let source = try source(Self.many + " SELECT i AS id, (SELECT count(*) FROM page) AS c FROM n")
        let whole = try await SourceReading(source)
        #expect(whole.entries.count == 3_500 && whole.places.count == 4)
        for place in whole.places { #expect(try await SourceReading.resumed(source, at: place) == whole.entries) }
        try await database.run { try $0.execute("DELETE FROM page WHERE url = 'u2'") }
        let error = await #expect(throws: SourceError.self) { try await SourceReading(source, from: whole.places[1]) }
        #expect(error?.code == .changed)
    }

    @Test func `Reading sees a single snapshot, regardless of concurrent writes`() async throws {
        try await database.run { connection in
            try connection.execute("DELETE FROM page")
            try connection.execute("INSERT INTO page(url) " + Self.many + " SELECT i FROM n")
        }
        let reader = try await source("SELECT url FROM page").reader(of: .versions, from: .beginning)
        var count = try await reader.next()?.entries.count ?? 0
        try await database.run { try $0.execute("DELETE FROM page") }
        while let page = try await reader.next() { count += page.entries.count }
        #expect(count == 3_500)
    }

    @Test func `The error for a locked, damaged, invalid or missing database states the cause`() async throws {
        let other = folder.path("other.db")
        var configuration = Configuration()
        configuration.access = .create
        let locked = try Connection(path: other, configuration)
        try locked.execute("CREATE TABLE t(a); PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE; INSERT INTO t VALUES (1)")
        var options = SQLiteQuerySource.Options()
        options.busyTimeout = .milliseconds(20)
        #expect(throws: SourceError.self) { try SQLiteQuerySource("SELECT 1", inFile: other, options) }
        try locked.execute("COMMIT")
        #expect(try await SourceReading(try SQLiteQuerySource("SELECT * FROM t", inFile: other, options)).ids == ["1"])

        let none = folder.path("none")
        try Data("this is no database at all, but it is long enough".utf8).write(to: URL(filePath: none))
        let wrong = #expect(throws: SourceError.self) { try SQLiteQuerySource("SELECT 1", inFile: none, options) }
        #expect(wrong?.code == .unusable)
        let missing = #expect(throws: SourceError.self) {
            try SQLiteQuerySource("SELECT 1", inFile: none + "x", options)
        }
        #expect(missing?.code == .missing)
        #expect(missing?.message.contains("'\(none)x'") == true && missing?.advice?.hasPrefix("check the path") == true)
        let table = #expect(throws: SourceError.self) {
            try SQLiteQuerySource("SELECT a FROM u", inFile: other, options)
        }
        #expect(table?.message.contains("no such table: u") == true && table?.advice?.contains("names") == true)

        symlink("cms.db", folder.path("link.db"))
        #expect(
            try await SourceReading(try SQLiteQuerySource("SELECT 5 AS id", inFile: folder.path("link.db"))).ids == [
                "5"
            ]
        )
    }

    @Test func `A damaged database page in the middle is an error`() async throws {
        let path = folder.path("damaged.db")
        var configuration = Configuration()
        configuration.access = .create
        do {
            let connection = try Connection(path: path, configuration)
            try connection.execute("PRAGMA journal_mode = DELETE; CREATE TABLE t(a)")
            try connection.execute("INSERT INTO t " + Self.many + " SELECT printf('%0200d', i) FROM n")
        }
        var bytes = try Data(contentsOf: URL(filePath: path))
        #expect(bytes.count > 100 * 4096)
        for index in 90 * 4096..<95 * 4096 { bytes[index] = 0xAA }
        try bytes.write(to: URL(filePath: path))
        let source = try SQLiteQuerySource("SELECT a AS id FROM t", inFile: path)
        let error = await #expect(throws: SourceError.self) { try await SourceReading(source) }
        #expect(error?.code == .unusable && error?.message.contains("malformed") ?? false)
    }

    @Test func `Text that is not UTF-8 and rows that are too long are rejected`() async throws {
        let bad = try await SourceReading(try source("SELECT 1 AS id, CAST(X'FF' AS TEXT) AS t"))
        #expect(bad.entries.isEmpty && bad.rejections[0].reason.contains("'t' is not UTF-8"))
        let long = try await SourceReading(
            try source("SELECT 1 AS id, printf('%0500d', 1) AS t") { $0.largestDocument = 100 }
        )
        #expect(long.entries.isEmpty && long.rejections[0].reason.contains("longer than the 100 bytes"))
    }
}
