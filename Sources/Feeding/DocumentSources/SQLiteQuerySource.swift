import ContentFeeding
import Digests
import Glibc
import JSONText
import SQLiteStore
import TextKit
import Threads

/// The rows that a query returns from an SQLite database; each row is a document with a key for each column.
///
/// The rows belong to one snapshot of the database, regardless of concurrent writes. When reading resumes, the rows
/// already read are skipped, and a ``SourceError`` is thrown if they have changed.
public struct SQLiteQuerySource: DocumentSource {
    /// The options that determine how rows become documents.
    public struct Options: Hashable, Sendable {
        /// The column that holds a document's ID; `nil` for the column `id`, or for the first column if none is named
        /// `id`.
        public var idColumn: String?
        /// The column that holds a document's version; `nil` for `version` or `updated_at`, if the query has such a
        /// column.
        public var versionColumn: String?
        /// The column that holds a document's routing.
        public var routingColumn: String?
        /// The time to wait while another process holds a lock on the database.
        public var busyTimeout = Duration.seconds(30)
        /// The longest document, in bytes.
        public var largestDocument = Document.maximumByteCount

        /// Creates the options for a query whose columns have the usual names.
        public init() {}
    }

    /// The source's address.
    public let name: String
    /// The traits of the source's entries.
    public let traits: SourceTraits
    private let path: String
    private let sql: String
    private let options: Options

    /// Compiles the query and determines its columns, without reading any rows.
    ///
    /// - Throws: A ``SourceError`` with SQLite's message.
    public init(
        _ sql: String,
        inFile path: String,
        _ options: Options = Options(),
        named name: String? = nil
    ) throws(SourceError) {
        (self.sql, self.path, self.options) = (sql, path, options)
        self.name = name ?? "sqlite-query:\(path)?query=\(sql)"
        let columns = try RowColumns(Self.query(sql, path, options).columns, options)
        var traits = SourceTraits()
        traits.hasFixedKeys = true
        traits.versionKey = columns.version.map { columns.names[$0] }
        self.traits = traits
    }

    /// Opens the database.
    public func reader(
        of contents: SourceContents,
        from place: SourcePlace
    ) async throws(SourceError) -> any SourceReader {
        let start = try RowPlace(place)
        let reader = RowReader(contents, path: path, options)
        try await reader.open { () throws(SourceError) in try Self.query(sql, path, options) }
        if start.rows > 0 { try await reader.passOver(start) }
        return reader
    }

    private static func query(_ sql: String, _ path: String, _ options: Options) throws(SourceError) -> Query {
        var configuration = Configuration()
        configuration.access = .readOnly
        configuration.busyTimeout = options.busyTimeout
        // Resolve a link to its target, because SQLite refuses links.
        guard let real = realpath(path, nil) else { throw SourceError(errno: errno, path) }
        defer { free(real) }
        do throws(SQLiteError) {
            return try Query(sql, inFile: String(cString: real), configuration)
        } catch {
            throw SourceError(error, path)
        }
    }
}

/// A position in the rows of a query: the number of rows before it, and their digest.
private struct RowPlace {
    let rows: Int
    let digest: [UInt8]

    init(rows: Int, digest: [UInt8]) { (self.rows, self.digest) = (rows, digest) }

    init(_ place: SourcePlace) throws(SourceError) {
        guard place != .beginning else {
            self.init(rows: 0, digest: [])
            return
        }
        let parts = place.rawValue.split(separator: ":")
        guard parts.count == 2, let rows = Int(parts[0]), rows >= 0, let digest = [UInt8](hexadecimal: parts[1]) else {
            throw SourceError(.changed, "'\(place.rawValue)' is not a position in the rows of a query")
        }
        self.init(rows: rows, digest: digest)
    }

    var place: SourcePlace { SourcePlace(rawValue: "\(rows):\(digest.hexadecimal)") }
}

/// The columns of a query, and the special roles that some of them have.
private struct RowColumns {
    let names: [String]
    let id: Int
    let version: Int?
    let routing: Int?

    init(_ names: [String], _ options: SQLiteQuerySource.Options) throws(SourceError) {
        var seen: Set<String> = []
        for name in names where !seen.insert(name).inserted {
            throw SourceError(
                .unusable,
                "the query has two columns named '\(name)'",
                advice: "give each its own name: SELECT a.name AS author"
            )
        }
        func place(_ name: String) throws(SourceError) -> Int {
            guard let place = names.firstIndex(of: name) else {
                throw SourceError(
                    .unusable,
                    "the query has no column '\(name)'",
                    advice: "its columns are \(names.prefix(20).joined(separator: ", "))"
                )
            }
            return place
        }
        self.names = names
        id = try options.idColumn.map { name throws(SourceError) in try place(name) } ?? names.firstIndex(of: "id") ?? 0
        version =
            try options.versionColumn.map { name throws(SourceError) in try place(name) }
            ?? names.firstIndex(of: "version") ?? names.firstIndex(of: "updated_at")
        routing = try options.routingColumn.map { name throws(SourceError) in try place(name) }
    }
}

/// Reads rows on a separate thread, because SQLite waits for the disk.
private actor RowReader: SourceReader {
    private nonisolated let executor = ThreadExecutor()
    private let contents: SourceContents
    private let path: String
    private let options: SQLiteQuerySource.Options
    private var query: Query?
    private var columns: RowColumns?
    private var digest = RowDigest()
    private var rows = 0
    /// The error that ended the reading: the rows of a failed page were skipped, so reading can't continue.
    private var failure: SourceError?

    private static let pageCount = 1000
    private static let pageBytes = 1 << 20

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ contents: SourceContents, path: String, _ options: SQLiteQuerySource.Options) {
        (self.contents, self.path, self.options) = (contents, path, options)
    }

    func open(_ open: @Sendable () throws(SourceError) -> Query) throws(SourceError) {
        let query = try open()
        columns = try RowColumns(query.columns, options)
        self.query = consume query
    }

    /// Skips the rows that were already read before reading was resumed.
    func passOver(_ place: RowPlace) throws(SourceError) {
        while rows < place.rows, try row() != nil {}
        guard rows == place.rows, digest.bytes == place.digest else {
            throw SourceError(
                .changed,
                "the first \(place.rows) rows differ from those that were read before",
                advice: "read it again from the start, or let the query ORDER BY a key"
            )
        }
    }

    func next() throws(SourceError) -> SourcePage? {
        guard let columns else { return nil }
        if let failure { throw failure }
        var page = SourcePage(entries: [], next: .beginning)
        let start = rows
        var bytes = 0
        while rows - start < Self.pageCount, bytes < Self.pageBytes, let values = try row() {
            guard !Task.isCancelled else { throw SourceError(.cancelled, "interrupted") }
            switch entry(values, columns) {
            case .success(let entry):
                bytes += entry.id.byteCount + (entry.json?.count ?? 0)
                page.entries.append(entry)
            case .failure(let flaw):
                page.rejections.append(InputRejection(source: "row", line: rows, reason: flaw.reason))
            }
        }
        guard rows > start else { return nil }
        page.next = RowPlace(rows: rows, digest: digest.bytes).place
        return page
    }

    /// Returns the values of the next row, and adds them to the digest.
    private func row() throws(SourceError) -> [StoredValue]? {
        do throws(SQLiteError) {
            guard let values = try query?.next() else { return nil }
            rows += 1
            for value in values { digest.update(value) }
            return values
        } catch {
            let failure = SourceError(error, path)
            self.failure = failure
            throw failure
        }
    }

    private struct Flaw: Error { let reason: String }

    private func entry(_ values: [StoredValue], _ columns: RowColumns) -> Result<SourceEntry, Flaw> {
        guard let text = values[columns.id].text else {
            return .failure(Flaw(reason: "the column '\(columns.names[columns.id])' has no ID: it is null or a blob"))
        }
        let id: DocumentID
        do throws(InvalidDocumentID) { id = try DocumentID(utf8: text.span) } catch {
            return .failure(Flaw(reason: "the column '\(columns.names[columns.id])' has no valid ID: \(error)"))
        }
        var routing: Routing?
        if let column = columns.routing, let text = values[column].text {
            guard let valid = Routing(String(decoding: text, as: UTF8.self)) else {
                return .failure(Flaw(reason: "the column '\(columns.names[column])' has no routing"))
            }
            routing = valid
        }
        var json: [UInt8]?
        if contents == .documents {
            for (name, value) in zip(columns.names, values) where !value.isUnicode {
                return .failure(Flaw(reason: "the column '\(name)' is not UTF-8"))
            }
            let object = object(values, columns, id)
            guard object.count <= options.largestDocument else {
                return .failure(Flaw(reason: "longer than the \(options.largestDocument) bytes allowed for a document"))
            }
            json = object
        }
        let version = columns.version.flatMap { values[$0].text }.map { String(decoding: $0, as: UTF8.self) }
        return .success(SourceEntry(id: id, version: version, routing: routing, json: json))
    }

    /// Writes a row as an object; the ID comes first, as `id`, unless a column of that name has another role.
    private func object(_ values: [StoredValue], _ columns: RowColumns, _ id: DocumentID) -> [UInt8] {
        JSONWriter.object { writer in
            if !columns.names.contains("id") {
                writer.key("id")
                writer.value(utf8: id.utf8)
            }
            for (name, value) in zip(columns.names, values) {
                writer.key(name)
                switch value {
                case .null: writer.null()
                case .integer(let number): writer.value(number)
                // SQLite supports these numbers, but JSON can't represent them.
                case .real(let number) where !number.isFinite: writer.value("\(number)")
                case .real(let number): writer.value(number)
                case .text(let text): writer.value(utf8: text.span)
                case .blob(let bytes): writer.value(Base64.text(bytes))
                }
            }
        }
    }
}

/// A running digest of the rows read.
///
/// This is a class, because the hash function's state can't be moved in memory while it is in use.
private final class RowDigest {
    private var running = RunningBLAKE2b()

    var bytes: [UInt8] { running.digestSoFar().bytes }

    func update(_ value: StoredValue) {
        let (kind, bytes): (UInt8, [UInt8]) =
            switch value {
            case .null: (0, [])
            case .integer(let number): (1, withUnsafeBytes(of: number) { Array($0) })
            case .real(let number): (2, withUnsafeBytes(of: number) { Array($0) })
            case .text(let text): (3, text)
            case .blob(let bytes): (4, bytes)
            }
        var head = withUnsafeBytes(of: bytes.count) { Array($0) }
        head.append(kind)
        running.update(head.span)
        running.update(bytes.span)
    }
}

extension StoredValue {
    /// Whether the value is valid UTF-8, or not text at all.
    fileprivate var isUnicode: Bool {
        if case .text(let text) = self { String(validating: text, as: UTF8.self) != nil } else { true }
    }

    /// The value as text; `nil` for null and blobs.
    fileprivate var text: [UInt8]? {
        switch self {
        case .null, .blob: nil
        case .integer(let number): Array("\(number)".utf8)
        case .real(let number): Array("\(number)".utf8)
        case .text(let text): text
        }
    }
}

extension SourceError {
    fileprivate init(_ error: SQLiteError, _ path: String) {
        let code: Code =
            switch error.code {
            case .cannotOpen where error.systemError == ENOENT: .missing
            case .cannotOpen where [EACCES, EPERM].contains(error.systemError): .permission
            case .busy: .unreachable
            case .cannotOpen, .inputOutput, .full: .inputOutput
            case .interrupted: .cancelled
            default: .unusable
            }
        let isUnknownName = ["no such table: ", "no such column: "].contains { error.message.hasPrefix($0) }
        let advice = "check the names in the query; 'SELECT sql AS id FROM sqlite_schema' reads those of all tables"
        self.init(code, "'\(path)': \(error.message)", advice: isUnknownName ? advice : Self.advice(code))
    }
}
