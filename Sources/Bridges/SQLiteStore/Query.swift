import CSQLite

/// A value as SQLite stores it, for queries whose columns nobody knows beforehand.
public enum StoredValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    /// Text, which should be UTF-8, and need not be.
    case text([UInt8])
    case blob([UInt8])
}

extension StoredValue: ColumnDecodable {
    public init?(_ column: Column) {
        switch column.type {
        case SQLITE_INTEGER: self = .integer(sqlite3_column_int64(column.statement, column.index))
        case SQLITE_FLOAT: self = .real(sqlite3_column_double(column.statement, column.index))
        case SQLITE_TEXT: self = .text(UTF8Text(column)?.bytes ?? [])
        case SQLITE_BLOB: self = .blob([UInt8](column) ?? [])
        default: self = .null
        }
    }
}

/// A query of someone else's, whose rows are read one after the other while it runs.
///
/// It sees one state of the database from its first row to its last. It is neither copyable nor sendable: an actor on a
/// thread of its own, say, keeps it.
public struct Query: ~Copyable {
    private let connection: Connection
    private let statement: Statement
    /// The names of the columns, as the query gives them.
    public let columns: [String]

    /// Opens a database for reading, and compiles the one statement in `sql`, which must only read.
    public init(_ sql: String, inFile path: String, _ configuration: Configuration) throws(SQLiteError) {
        let connection = try Connection(path: path, configuration)
        let statement = try connection.single(sql)
        guard sqlite3_stmt_readonly(statement.pointer) != 0, sqlite3_column_count(statement.pointer) > 0 else {
            throw SQLiteError(.statement, "the statement is no query: it would write, or returns nothing")
        }
        guard sqlite3_bind_parameter_count(statement.pointer) == 0 else {
            throw SQLiteError(.statement, "the query has parameters, which nobody gives a value")
        }
        columns = (0..<sqlite3_column_count(statement.pointer)).map { index in
            sqlite3_column_name(statement.pointer, index).map { String(cString: $0) } ?? ""
        }
        self.statement = statement
        self.connection = connection
    }

    /// Returns the values of the next row; `nil` after the last one, and from then on.
    public func next() throws(SQLiteError) -> [StoredValue]? {
        let count = columns.count
        return try statement.next { row throws(SQLiteError) in
            var values: [StoredValue] = []
            values.reserveCapacity(count)
            for index in 0..<count { values.append(try row.column(index)) }
            return values
        }
    }
}
