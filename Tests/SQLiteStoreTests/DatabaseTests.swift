import Foundation
import SQLiteStore
import TestSupport
import Testing

struct FileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("test.db")
    }

    private func configuration(_ access: Configuration.Access) -> Configuration {
        var configuration = Configuration()
        configuration.access = access
        return configuration
    }

    private func make() throws {
        let connection = try Connection(path: path, configuration(.create))
        try connection.execute("CREATE TABLE t(x); INSERT INTO t VALUES (1)")
        #expect(try connection.checkpoint())
    }

    /// This runs in a separate process, because the folder of temporary files is a setting of the whole process.
    @Test func `Temporary files are in the database's folder`() async throws {
        await #expect(processExitsWith: .success) { [path = path as String, folder = folder.path("") as String] in
            var configuration = Configuration()
            configuration.access = .create
            configuration.cacheSize = 1 << 20
            let connection = try Connection(path: path, configuration)
            try connection.execute("CREATE TABLE t(x); INSERT INTO t VALUES (1)")
            try connection.sparingMemory {
                try connection.execute(
                    """
                    CREATE TEMP TABLE large AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
                    SELECT randomblob(1000) FROM n
                    """
                )
                let files = OpenFiles.below("/").map(\.path).filter { $0.contains("etilqs_") }
                #expect(!files.isEmpty)
                for file in files { #expect(file.hasPrefix(folder)) }
            }
        }
    }

    @Test(arguments: [Configuration.Access.readWrite, .readOnly, .immutable])
    func `Only the access mode create creates a new file`(access: Configuration.Access) throws {
        let error = #expect(throws: SQLiteError.self) { _ = try Connection(path: path, configuration(access)).changes }
        #expect(error?.code == .cannotOpen)
        #expect(!FileManager.default.fileExists(atPath: path))
        let lost = #expect(throws: SQLiteError.self) {
            _ = try Connection(path: folder.path("none/x"), configuration(.create)).changes
        }
        #expect(lost?.code == .cannotOpen && lost?.systemError == ENOENT)
    }

    @Test func `The folder of a database may be a symbolic link`() throws {
        try make()
        symlink(folder.path(""), folder.path("link"))
        let connection = try Connection(path: folder.path("link/test.db"))
        #expect(try connection.integer("SELECT x FROM t") == 1)
    }

    @Test func `A read-only connection can't write`() throws {
        try make()
        for access in [Configuration.Access.readOnly, .immutable] {
            let connection = try Connection(path: path, configuration(access))
            let isReadOnly = connection.isReadOnly
            #expect(isReadOnly)
            #expect(try connection.integer("SELECT x FROM t") == 1)
            let error = #expect(throws: SQLiteError.self) { try connection.execute("DELETE FROM t") }
            #expect(error?.code == .readOnly)
        }
    }

    @Test func `The file name of an immutable database is percent-encoded`() throws {
        let odd = folder.path("a?b#c%20 é.db")
        try make()
        try FileManager.default.copyItem(atPath: path, toPath: odd)
        #expect(try Connection(path: odd, configuration(.immutable)).integer("SELECT x FROM t") == 1)
    }

    @Test func `A new database has the requested permissions`() throws {
        var configuration = configuration(.create)
        configuration.permissions = 0o600
        let connection = try Connection(path: path, configuration)
        try connection.execute("CREATE TABLE t(x)")
        for name in [path, path + "-wal", path + "-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: name)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test func `Free pages are released`() throws {
        let connection = try Connection(path: path, configuration(.create))
        try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x)")
        let insert = try connection.prepare("INSERT INTO t(x) VALUES (?)")
        try connection.transaction {
            for _ in 0..<1_000 { try insert.run(UTF8Text([UInt8](repeating: 65, count: 4_000))) }
        }
        let full = try connection.pageCounts()
        try connection.execute("DELETE FROM t WHERE id % 4 > 0")
        let deleted = try connection.pageCounts()
        #expect(deleted.total == full.total && deleted.free > 700)
        #expect(try connection.releasePages(atMost: 100) == deleted.free - 100)
        #expect(try connection.pageCounts().total <= full.total - 100)
        try connection.rewrite()
        let rewritten = try connection.pageCounts()
        #expect(rewritten.free == 0 && rewritten.bytes < full.bytes / 3)
        #expect(try connection.checkpoint())
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        #expect(size == rewritten.bytes)
    }

    @Test func `A snapshot does not see later changes`() throws {
        try make()
        let reader = try Connection(path: path)
        let writer = try Connection(path: path)
        try reader.snapshot {
            #expect(try reader.integer("SELECT count(*) FROM t") == 1)
            try writer.execute("INSERT INTO t VALUES (2)")
            #expect(try reader.integer("SELECT count(*) FROM t") == 1)
        }
        #expect(try reader.integer("SELECT count(*) FROM t") == 2)
    }

    @Test func `Text is stored as bytes`() throws {
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE t(x)")
        for text in ["", "é", "a\0b", "😀"] {
            try connection.prepare("INSERT INTO t VALUES (?)").run(UTF8Text(Array(text.utf8)))
            try connection.prepare("SELECT x, typeof(x), length(CAST(x AS BLOB)) FROM t").eachRow {
                row throws(SQLiteError) in
                #expect(try row.column(0, as: UTF8Text.self).bytes == Array(text.utf8))
                #expect(try row.column(0, as: String.self) == text)
                #expect(try row.column(1, as: String.self) == "text")
                #expect(try row.column(2, as: Int.self) == text.utf8.count)
            }
            #expect(try connection.prepare("DELETE FROM t").run() == 1)
        }
    }

    @Test func `A canceled task interrupts a read`() async throws {
        try make()
        let database = try Database(path: path)
        let task = Task {
            try await database.read { connection in
                // This statement would take hours.
                try connection.integer(
                    """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000)
                    SELECT count(*) FROM n
                    """
                )
            }
        }
        task.cancel()
        let error = await #expect(throws: SQLiteError.self) { _ = try await task.value }
        #expect(error?.code == .interrupted)
        #expect(try await database.read { connection in try connection.integer("SELECT x FROM t") } == 1)
    }
}
