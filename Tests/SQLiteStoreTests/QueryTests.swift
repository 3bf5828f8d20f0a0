import SQLiteStore
import TestSupport
import Testing

struct QueryTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("q.db")
        var configuration = Configuration()
        configuration.access = .create
        let connection = try Connection(path: path, configuration)
        try connection.execute("CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 'x'), (2.5, NULL), (X'00', '')")
    }

    private func query(_ sql: String) throws(SQLiteError) -> Query {
        var configuration = Configuration()
        configuration.access = .readOnly
        return try Query(sql, inFile: path, configuration)
    }

    @Test func `Rows are returned one after another, up to the last`() throws {
        let query = try query("SELECT a, b AS c FROM t")
        #expect(query.columns == ["a", "c"])
        #expect(try query.next() == [.integer(1), .text([0x78])])
        #expect(try query.next() == [.real(2.5), .null])
        #expect(try query.next() == [.blob([0]), .text([])])
        #expect(try query.next() == nil)
        #expect(try query.next() == nil)
    }

    @Test(arguments: [
        "INSERT INTO t VALUES (1, 2)", "SELECT 1; SELECT 2", "SELECT 1; nonsense", "", " ; -- nothing", "SELECT ?",
        "VACUUM",
    ])
    func `Anything but one query is refused`(sql: String) {
        let error = #expect(throws: SQLiteError.self) { _ = try query(sql) }
        #expect(error?.code == .statement)
    }

    @Test func `A row that fails causes an error each time`() throws {
        let query = try query("SELECT abs(CASE a WHEN 2.5 THEN -9223372036854775807 - 1 ELSE 1 END) FROM t")
        #expect(try query.next() == [.integer(1)])
        #expect(throws: SQLiteError.self) { try query.next() }
    }
}
