import CollectionSync
public import ContentFeeding
import Glibc
import JSONText
public import JobJournal
import SQLiteStore

/// The embedded engine, which keeps collections in one SQLite file, with full-text search.
///
/// A batch and its progress are stored in one transaction, so an operation takes effect exactly once. A removed
/// document immediately becomes invisible to readers; its bytes are erased when the collection is optimized.
public struct SQLiteEngine: CollectionAdministration, JobKeepingStore {
    /// Options for opening a store.
    public struct Options: Hashable, Sendable {
        /// The time to wait while another process is writing.
        public var busyTimeout = Duration.seconds(30)
        /// The maximum amount of memory for caching pages of the file, in bytes.
        public var cacheBytes = 32 << 20

        /// Creates the default options.
        public init() {}
    }

    /// The store's address: `sqlite:` and its path.
    public let target: String
    /// The product, which has no version of its own.
    public var product: String? { "the embedded index" }
    package let store: Store

    /// Opens the existing store at `path`.
    public static func open(path: String, options: Options = Options()) async throws(EngineError) -> SQLiteEngine {
        SQLiteEngine(store: try await Store.open(path, options, create: false))
    }

    /// Opens the store at `path`, or creates it if it does not exist; only the owner can read a new store and any
    /// folders created for it.
    public static func create(path: String, options: Options = Options()) async throws(EngineError) -> SQLiteEngine {
        SQLiteEngine(store: try await Store.open(path, options, create: true))
    }

    private init(store: Store) {
        self.store = store
        target = "sqlite:" + store.path
    }

    /// Binds to a collection of the store.
    public func collection(named name: CollectionName) async throws(EngineError) -> any CollectionEngine {
        let keys = try await store.read { connection in
            let record = try CollectionRecord.find(name, in: connection)
            return try CopyTransaction(record.number, in: connection)?.status(documents: 0).origin.keys ?? []
        }
        return SQLiteCollection(collection: name, store: store, onlyKeys: keys)
    }

    /// The jobs that feed collections of the store, which are kept in its file.
    public var jobs: JobLedger { store.jobs }

    /// Lists the store's collections.
    public func list() async throws(EngineError) -> [CollectionDescription] {
        try await store.read { connection in
            try CollectionRecord.all(in: connection).map { try describe($0, in: connection) }
        }
    }

    /// Describes a collection.
    public func show(_ name: CollectionName) async throws(EngineError) -> CollectionDescription {
        try await store.read { connection in
            try describe(try CollectionRecord.find(name, in: connection), in: connection)
        }
    }

    /// Creates an empty collection, which has no configurable settings.
    public func create(_ name: CollectionName, settings: [CollectionSetting]) async throws(EngineError) {
        try name.validate()
        if let setting = settings.first {
            throw EngineError(
                .rejected,
                "collections of this engine have no setting '\(setting.name)'",
                advice: "omit the settings: every collection is searched the same way"
            )
        }
        try await store.write { connection in try CollectionRecord.create(name, in: connection) }
    }

    /// Removes all documents of a collection, and returns their number.
    public func clear(_ name: CollectionName) async throws(EngineError) -> Int {
        let count = try await store.write { connection in
            let record = try CollectionRecord.find(name, in: connection)
            try record.refuseCopy("purge", in: connection)
            try record.replaceByEmpty(in: connection)
            return record.documents
        }
        try await Purge(store: store).run(after: "'\(name)' is empty")
        return count
    }

    /// Removes a collection, and returns the number of its documents.
    public func delete(_ name: CollectionName) async throws(EngineError) -> Int? {
        let count = try await store.write { connection in
            let record = try CollectionRecord.find(name, in: connection)
            try record.refuseCopy("remove", in: connection)
            try record.retire(in: connection)
            try JobTables.remove(jobsOf: name, in: connection)
            return record.documents
        }
        try await Purge(store: store).run(after: "'\(name)' is deleted")
        return count
    }

    /// Deletes removed and replaced documents permanently, and releases their disk space.
    public func optimize(
        _ name: CollectionName,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws(EngineError) -> OptimizationReport {
        try await Optimization(of: name, in: store, progress: progress).run()
    }

    private func describe(
        _ record: CollectionRecord,
        in connection: borrowing Connection
    ) throws -> CollectionDescription {
        let measured = try? record.tables.measuredBytes(in: connection)
        var settings = [CollectionSetting(name: "tokenizer", value: CollectionTables.tokenizer)]
        if measured == nil { settings.append(CollectionSetting(name: "bytes", value: "of the whole store")) }
        return CollectionDescription(
            name: record.name,
            documents: record.documents,
            waiting: record.waiting,
            bytes: try measured ?? connection.pageCounts().bytes,
            settings: settings
        )
    }
}

/// The definitions of collections, whose only setting is the tokenizer, which is the same for all.
extension SQLiteEngine: DefinitionAdministration {
    /// The kind of definition that the engine understands.
    public var definedEngine: CollectionDefinition.Engine { .embedded }
    /// Whether collections have shards and aliases: always `false`.
    public var isCluster: Bool { false }

    private static let tokenizer = "tokenizer"

    /// Returns the definition of a collection.
    public func definition(of name: CollectionName) async throws(EngineError) -> CollectionDefinition {
        let settings = try await show(name).settings.filter { $0.name == Self.tokenizer }
        let members = settings.map { JSONValue.Member(key: $0.name, value: .string($0.value)) }
        return try definition(of: name, settings: .object(members))
    }

    /// Creates an empty collection; the definition must not ask for anything that the engine lacks.
    public func create(
        _ name: CollectionName,
        from definition: CollectionDefinition,
        moving: AliasMoves
    ) async throws(EngineError) -> DefinedCollection {
        try require(definition, toFit: name)
        for setting in definition[.settings].members {
            guard setting.key == Self.tokenizer, setting.value.text == CollectionTables.tokenizer else {
                throw EngineError(
                    .rejected,
                    "'\(name)' was not created: this engine does not support the setting '\(setting.key)' with this value",
                    advice:
                        "remove it: the only setting is \(Self.tokenizer), with the value '\(CollectionTables.tokenizer)'"
                )
            }
        }
        let foreign = [CollectionDefinition.Part.mappings, .aliases].first { !definition[$0].members.isEmpty }
        guard foreign == nil else {
            throw EngineError(
                .rejected,
                "'\(name)' was not created: collections of this engine have no \(foreign?.rawValue ?? "")",
                advice: "remove them from the definition"
            )
        }
        try await create(name, settings: [])
        return DefinedCollection(isNew: true, moved: [])
    }
}

extension CollectionRecord {
    /// Throws an error if the collection is an offline copy, because emptying it would silently lose its queue.
    fileprivate func refuseCopy(_ command: String, in connection: borrowing Connection) throws {
        guard try CopyTransaction(number, in: connection) != nil else { return }
        throw EngineError(
            .rejected,
            "'\(name)' is an offline copy",
            advice: "fastctl replicas \(command) \(name.shellWord)"
        )
    }
}

extension CollectionTables {
    /// Returns the size of the collection's pages in bytes, as reported by SQLite's `dbstat`, which some builds of
    /// SQLite lack.
    fileprivate func measuredBytes(in connection: borrowing Connection) throws(SQLiteError) -> Int {
        let tables = [document, documentIndex, tombstone, "\(search)_data", "\(search)_idx", "\(search)_config"]
        let names = tables.map { "'\($0)'" }.joined(separator: ", ")
        return try connection.integer("SELECT sum(pgsize) FROM dbstat WHERE aggregate = TRUE AND name IN (\(names))")
    }
}

extension CollectionName {
    /// The rules for names in this engine: 1 to 128 UTF-8 bytes, no blank at either end, no control character, and no
    /// `/`.
    ///
    /// Names never become part of SQL, so these rules only serve users: each name is visible, can be typed, and differs
    /// visibly from other names.
    private static let rules = CollectionNameRules(maximumByteCount: 128) { name in
        let scalars = name.unicodeScalars
        let ends = [scalars.first, scalars.last].compactMap(\.self)
        if ends.contains(where: \.properties.isWhitespace) { return "begins or ends with a space" }
        if scalars.contains(where: { [.control, .lineSeparator, .paragraphSeparator].contains($0.category) }) {
            return "contains a control character"
        }
        return scalars.contains("/") ? "contains a '/'" : nil
    }

    func validate() throws(EngineError) { try Self.rules.validate(self) }

    /// The name, quoted if necessary, as one word of a shell command.
    var shellWord: String {
        if isPlain, !rawValue.isEmpty, !rawValue.hasPrefix("-") { return rawValue }
        return "'" + rawValue.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}

extension Unicode.Scalar {
    fileprivate var category: Unicode.GeneralCategory { properties.generalCategory }
}

extension EngineError {
    /// Creates an error that names the store, the defect and the next step.
    init(any error: any Error, path: String, busyTimeout: Duration) {
        if let error = error as? EngineError {
            self = error
        } else if let error = error as? JobError {
            self.init(error.code == .superseded ? .locked : .unusable, error.message, advice: error.advice)
        } else if let error = error as? SQLiteError {
            self.init(error, path: path, busyTimeout: busyTimeout)
        } else {
            self.init(.unusable, "\(path): \(error)", cause: error)
        }
    }

    private init(_ error: SQLiteError, path: String, busyTimeout: Duration) {
        let (code, what, advice) = Self.meaning(of: error, busyTimeout)
        self.init(code, "\(path): \(what)", advice: advice, cause: error)
    }

    private static func meaning(of error: SQLiteError, _ busyTimeout: Duration) -> (Code, String, String?) {
        // When memory or file descriptors run out, calls fail in various ways, and the store is not the cause.
        if Code(systemError: error.systemError) == .exhausted {
            return (.exhausted, "the system refuses resources that the store needs: \(error.systemMessage)", nil)
        }
        return switch error.code {
        case .busy:
            (
                .locked, "another process has been writing for more than \(busyTimeout.formattedSeconds)",
                "run the same command again, or wait longer with --busy-timeout"
            )
        case .full: (.diskFull, "the disk is full", "free some space, and run the same command again")
        case .inputOutput: (.inputOutput, "the disk can't be read or written: \(error)", "check the disk")
        case .readOnly:
            (.permission, "the store can't be written: \(error.message)", "check the owner of the file and its folder")
        case .cannotOpen:
            (
                error.systemError == 0 ? .unusable : Code(systemError: error.systemError),
                "the store can't be opened: \(error.message)", "check the permissions of the file and its folder"
            )
        case .corrupt:
            (.unusable, "the store is damaged: \(error.message)", "restore it, or feed its documents into a new one")
        case .notADatabase: (.unusable, "the file is not a fastctl store", "specify another file")
        case .blank:
            (.unusable, "the file is empty, not a store yet", "create a collection in it, or specify another file")
        case .wrongApplication: (.unusable, error.message, "specify another file")
        case .newerSchema:
            (.unusable, "the store was made by a newer version of fastctl: \(error.message)", "use that version")
        case .moved:
            (
                .unusable, error.message,
                "find the cause; stop all runs before moving a store, together with its -wal and -shm files"
            )
        case .interrupted: (.cancelled, "cancelled", nil)
        case .tooBig: (.rejected, "a document is too large: \(error.message)", nil)
        default: (.unusable, "SQLite failed: \(error)", "this is a bug in fastctl or a damaged store")
        }
    }
}

extension SQLiteError {
    fileprivate var systemMessage: String { String(cString: strerror(systemError)) }
}

extension Duration {
    var formattedSeconds: String {
        let milliseconds = Int(self / .milliseconds(1))
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }
}

extension BatchFailure {
    /// Creates a failure that stops the job: the transaction had no effect, and further transactions would also fail.
    init(stop error: EngineError) {
        let retryable: Set<EngineError.Code> = [.locked, .diskFull, .inputOutput, .cancelled]
        self.init(
            .stop(error.code),
            DocumentFailure(
                DocumentFailure.Code(rawValue: error.code.description),
                error.message,
                disposition: retryable.contains(error.code) ? .retryable : .operatorAction
            )
        )
    }
}
