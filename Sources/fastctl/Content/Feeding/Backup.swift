import ContentFeeding
import Digests
import FeedFormats
import FeedReports
import Files
import Glibc
import JobJournal
import ReportKit
import Threads

/// An engine that backs up the documents a batch changes, and only then passes the batch on.
struct BackupEngine: ContentEngine {
    private let base: any CollectionEngine
    private let file: BackupFile

    /// The bytes of documents read at once, because documents may be large.
    private static let pageBytes = 1 << 20

    /// `kind` is that of the run; operations of another may be among it.
    init(_ base: any CollectionEngine, for kind: ContentOperation.Kind, writingTo path: String) throws {
        self.base = base
        file = try BackupFile(path, isOfRemovals: kind == .remove)
    }

    var collection: CollectionName { base.collection }
    var capabilities: EngineCapabilities { base.capabilities }

    func apply(_ batch: ContentBatch) async -> BatchReply {
        do {
            let (first, again) = await file.unwritten(of: batch.items)
            try await write(first) { try await file.append($0, of: collection) }
            // What an update makes of a document depends on what is there; of all others it is known.
            try await write(again.filter { $0.operation.kind == .update }) { try await file.note($0, of: collection) }
            let known = again.filter { $0.operation.kind != .update }
            try await file.note(known.map { SavedState($0, nil, in: capabilities) }, of: collection)
            try await file.synchronize()
        } catch let error as EngineError {
            // Nothing of the batch was sent. An engine that merely did not answer may answer next time, and this says
            // nothing about the documents: they keep their attempts.
            guard [.unreachable, .locked].contains(error.code) else { return stop(error.code, error.message) }
            let failure = DocumentFailure(.attemptsExhausted, error.message, disposition: .retryable)
            return .failed(BatchFailure(.definite(isCharged: false), failure))
        } catch {
            return stop(.inputOutput, CommandFailure(error).message)
        }
        return await base.apply(batch)
    }

    /// Reads the documents of `items` a page at a time, and has each page written.
    private func write(
        _ items: [ContentBatch.Item],
        _ body: ([SavedState]) async throws -> Void
    ) async throws {
        var items = items[...]
        while !items.isEmpty {
            let page = try await base.copies(at: items.map(\.operation.key)[...], maximumBytes: Self.pageBytes)
            guard !page.answers.isEmpty, page.answers.count <= items.count else {
                throw EngineError(.unusable, "the engine answered for \(page.answers.count) IDs")
            }
            var documents = page.documents[...]
            var states: [SavedState] = []
            for (item, isThere) in zip(items, page.answers) {
                // A key without a routing may stand for several.
                let own = isThere ? documents.prefix { $0.id == item.operation.documentID } : []
                documents = documents.dropFirst(own.count)
                states += own.map { SavedState(item, $0, in: capabilities) }
                if own.isEmpty { states.append(SavedState(item, nil, in: capabilities)) }
            }
            try await body(states)
            items = items.dropFirst(page.answers.count)
        }
    }

    private func stop(_ code: EngineError.Code, _ message: String) -> BatchReply {
        .failed(BatchFailure(.stop(code), DocumentFailure(.rejectedByEngine, message)))
    }

    func check(_ intent: FeedIntent) async throws(EngineError) { try await base.check(intent) }

    func unseen(by intent: FeedIntent) -> String? { base.unseen(by: intent) }

    func incarnation(for intent: FeedIntent) -> String? { base.incarnation(for: intent) }

    func raise(to level: CompletionLevel) async throws(EngineError) { try await base.raise(to: level) }
}

/// A document as a batch finds it, and what its operation leaves of it.
struct SavedState: Sendable {
    let item: ContentBatch.Item
    /// The document; `nil` if there is none.
    let document: StoredDocument?
    /// What the operation leaves; `nil` if it will fail.
    let left: ContentDigest?

    init(_ item: ContentBatch.Item, _ document: StoredDocument?, in capabilities: EngineCapabilities) {
        (self.item, self.document) = (item, document)
        left = item.operation.digest(ofResultOn: document?.json, in: capabilities)
    }
}

/// A new file of documents, one `fastctl.document/1` per line, which `fastctl add` restores.
///
/// What was not there before an addition is `{"remove":"ID"}`. Only the first state of a document counts: an operation
/// that is sent again, or a later one on the same document, finds what the run itself has written. `left` is the digest
/// of what the run leaves, by which `fastctl undo` tells whether somebody has changed it since.
///
/// An actor, because several batches write to it at a time, and on its own thread, because it waits for the disk.
actor BackupFile {
    private let path: String
    private let file: NewFile
    private let executor = ThreadExecutor()
    private var bytes: [UInt8] = []
    private let isOfRemovals: Bool
    /// The documents that a run of additions or updates has changed, among the last million.
    private var changed = RecentDocuments()
    /// The operations whose lines are written, among the last million.
    private var saved = RecentDocuments()

    private static let drainThreshold = 64 << 10

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates the file; an existing one is never overwritten.
    init(_ path: String, isOfRemovals: Bool) throws {
        self.path = path
        self.isOfRemovals = isOfRemovals
        do throws(FileError) {
            file = try NewFile(path, permissions: 0o600)
        } catch {
            let advice =
                error.code == EEXIST
                ? "a backup is never overwritten: use --backup \(CommandLineWords.quoted(Self.nextPath(after: path)))"
                : "use a file in a folder that you can write to"
            throw CommandFailure(.outputNotCreated, "cannot create '\(path)': \(error.reason)", advice: advice)
        }
        Self.synchronizeFolder(of: path)
    }

    /// Syncs the file's name to disk; a folder that can't be opened for that was good enough to create the file.
    private static func synchronizeFolder(of path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let folder = open(parts.isEmpty ? "." : parts.joined(separator: "/") + "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        _ = fsync(folder)
        close(folder)
    }

    /// Returns the operations whose documents are not yet in the file as they were, and those on documents that the run
    /// has changed before; none that is sent once more.
    ///
    /// What a run of removals finds is always written: if somebody adds a document again, it is taken away again.
    func unwritten(of items: [ContentBatch.Item]) -> (first: [ContentBatch.Item], again: [ContentBatch.Item]) {
        guard !isOfRemovals else { return (items, []) }
        let new = items.filter { !saved.contains(Self.spread($0.id)) }
        return (new.filter { !changed.contains(Self.hash(of: $0)) }, new.filter { changed.contains(Self.hash(of: $0)) })
    }

    private static func hash(of item: ContentBatch.Item) -> UInt64 {
        UInt64(bitPattern: Int64(item.operation.key.hashValue))
    }

    /// An operation's number over all bits, as a hash is: small numbers would all have the same place in a table.
    private static func spread(_ id: OperationID) -> UInt64 { id.rawValue &* 0x9E37_79B9_7F4A_7C15 }

    /// Appends documents as they were, and the removal of those that an addition creates, each with what the run leaves.
    func append(_ states: [SavedState], of collection: CollectionName) throws {
        for state in states {
            let left = [LeftObject.member(state.left)]
            if let document = state.document {
                DocumentObject.append(document, in: collection, with: left, to: &bytes)
                bytes.append(0x0A)
            } else if state.item.operation.kind == .add {
                RemovalObject.append(state.item.operation.key, with: left, to: &bytes)
            } else {
                // There is nothing to change; a later addition is the first that does.
                continue
            }
            if !isOfRemovals { _ = changed.note(Self.hash(of: state.item)) }
            if bytes.count >= Self.drainThreshold { try drain() }
        }
        try drain()
        noteSaved(states)
    }

    /// Appends what the run leaves of documents that it has changed before.
    func note(_ states: [SavedState], of collection: CollectionName) throws {
        for state in states {
            LeftObject.append(state.item.operation.key, left: state.left, in: collection, to: &bytes)
        }
        try drain()
        noteSaved(states)
    }

    private func noteSaved(_ states: [SavedState]) {
        guard !isOfRemovals else { return }
        for state in states { _ = saved.note(Self.spread(state.item.id)) }
    }

    /// Returns when everything appended is on disk.
    func synchronize() throws {
        do throws(FileError) { try file.synchronize() } catch { throw failure(error) }
    }

    private func drain() throws {
        do throws(FileError) { try file.write(&bytes) } catch { throw failure(error) }
    }

    private func failure(_ error: FileError) -> CommandFailure {
        CommandFailure(.inputOutput, "cannot write the backup '\(path)': \(error.reason)", advice: nil)
    }

    /// Returns the first of `PATH.2`, `PATH.3`, … that does not exist.
    static func nextPath(after path: String) -> String {
        (2...).lazy.map { "\(path).\($0)" }.first { !NewFile.exists($0) } ?? path
    }
}

extension BackupSeal {
    /// Reads a backup to its end.
    init(of path: String) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Self.unreadable(path, errno) }
        defer { close(file) }
        var digest = RunningBLAKE2b()
        var lines = 0
        var bytes = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            let count = read(file, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.unreadable(path, errno) }
            guard count > 0 else { break }
            digest.update(bytes.span.extracting(..<count))
            lines += bytes[..<count].count { $0 == UInt8(ascii: "\n") }
        }
        self.init(lines: lines, digest: digest.digestSoFar().hexadecimal)
    }

    private static func unreadable(_ path: String, _ error: Int32) -> CommandFailure {
        CommandFailure(
            .inputNotOpened,
            "cannot read the backup '\(path)': \(String(cString: strerror(error)))",
            advice: nil
        )
    }
}

/// What the backups of a job tell of each document: how it was before the job, and what the job left of it.
///
/// As an input, it takes the job back: one operation for each document, done only if the document is as the job left it.
struct SavedStates: CollectionInput {
    /// The backups, oldest first, as far as they are there.
    let files: [String]
    /// What is wrong with the backups, a line each.
    let flaws: [String]

    private let job: JobID
    /// The digest of all backups.
    private let digest: [UInt8]
    private let repeated: RepeatedDocuments
    let operationCount: Int?

    /// Reads all backups of a job once, to know whether they are whole and which documents occur more than once.
    ///
    /// `failed` are the documents on which an operation failed: it may be any but the last that left them as they are.
    /// `note` is called with the number of lines that were read so far.
    init(
        of record: JobRecord,
        failed: [DocumentKey],
        in engine: any ContentEngine,
        note: (Int) -> Void = { _ in }
    ) async throws {
        job = record.job.id
        files = record.backups.filter { NewFile.exists($0) }
        let directory = engine.capabilities.spillDirectory ?? "."
        var survey = Survey(in: SpillSpace(in: directory, maximumBytes: Self.maximumSpill))
        if !files.isEmpty {
            for try await chunk in try await Self.open(files, memory: InputMemory()) {
                try survey.note(chunk)
                note(survey.states)
            }
        }
        digest = survey.digest
        guard let hashes = try survey.hashes.repeated(limit: Self.mostRepeated) else {
            throw Self.tooManyRepeated(record.job.id)
        }
        var repeated = RepeatedDocuments(
            hashes,
            unclear: record.stage == .finished ? Set(failed.map(\.documentHash)) : nil,
            in: engine.capabilities
        )
        if !repeated.isEmpty {
            for try await chunk in try await Self.open(files) {
                for operation in chunk.operations { repeated.note(operation) }
                note(survey.states + repeated.place)
            }
        }
        self.repeated = repeated
        operationCount = survey.restoring - repeated.restoring + repeated.documentCount
        flaws = try Self.flaws(of: record, files, survey)
    }

    /// Refuses to take back a job of which a part of the backup is missing or can't be read.
    func refuseFlaws() throws {
        guard !flaws.isEmpty else { return }
        for flaw in flaws.dropLast() { StandardError.say(flaw) }
        throw CommandFailure(
            files.isEmpty ? .inputNotOpened : .inputRejected,
            "\(flaws.last ?? ""); nothing was sent",
            advice: files.isEmpty ? nil : "--partial takes back what can be read"
        )
    }

    var identity: [String] { ["undo", job.rawValue] }
    var findsWhatIsLeft: Bool { false }

    func open(_ memory: InputMemory, keepsRouting: Bool) async throws -> FeedInput {
        guard memory.digest.isEmpty || memory.digest == digest else {
            throw InputError(.changed, source: files.first ?? "backup", reason: "it has changed since the job began")
        }
        guard !files.isEmpty else { return FeedInput.drawn { nil } }
        let pages = SavedPages(try await Self.open(files), repeated, digest, after: memory.offset.byte)
        return FeedInput.drawn { try await pages.next() }
    }

    private static func open(_ files: [String], memory: InputMemory? = nil) async throws -> FeedInput {
        var dialect = InputDialect()
        dialect.isBackup = true
        return try await FeedInput.open(
            files.map { .file($0) },
            for: .add,
            format: .jsonLines(),
            dialect: dialect,
            memory: memory
        )
    }

    /// The most documents that a job may have changed several times: their states are held in memory.
    private static let mostRepeated = 1_000_000
    /// The most bytes on disk for finding them.
    private static let maximumSpill = 16 << 30

    private static func tooManyRepeated(_ job: JobID) -> CommandFailure {
        CommandFailure(
            .exhausted,
            "job \(job) changed more than \(mostRepeated) documents several times, which is more than undo can sort out",
            advice: "'fastctl add' with its backups restores all documents, whoever has changed them since"
        )
    }

    private static func flaws(of record: JobRecord, _ files: [String], _ survey: Survey) throws -> [String] {
        let id = record.job.id
        var flaws = record.backups.filter { !files.contains($0) }.map { "the backup '\($0)' of job \(id) is gone" }
        guard !files.isEmpty else { return flaws }
        flaws += survey.examples
        // A run that was killed may leave a part of a line, whose batch was not sent.
        let torn = files.count { endsWithinLine($0) }
        if survey.rejected > torn {
            let lines = Quantity(survey.rejected, "line", "lines")
            flaws.append("the backup of job \(id) is damaged: \(lines) can't be read")
        } else {
            flaws.removeLast(survey.examples.count)
        }
        let losses = try Self.losses(of: record, files)
        flaws += losses
        let counts = record.counts
        let changed = counts[.added] + counts[.updated] + counts[.removed]
        if survey.states < changed, losses.isEmpty {
            let states = Quantity(survey.states, "state", "states")
            flaws.append(
                "the backup of job \(id) is not whole: it has \(states) of documents, and the job changed \(changed)"
            )
        }
        if survey.withoutLeft > 0 {
            let lines = Quantity(survey.withoutLeft, "line", "lines")
            flaws.append(
                "the backup of job \(id) has \(lines) of an earlier version, which don't tell what the job left; "
                    + "'fastctl add' restores them, whoever has changed the documents since"
            )
        }
        return flaws
    }

    /// What is wrong with files that are not as their runs left them, a line each.
    private static func losses(of record: JobRecord, _ files: [String]) throws -> [String] {
        try files.compactMap { path in
            guard let seal = record.seals[path] else { return nil }
            let now = try BackupSeal(of: path)
            guard now != seal else { return nil }
            let backup = "the backup '\(path)' of job \(record.job.id) is not as the job left it"
            return now.lines < seal.lines
                ? "\(backup): it lacks \(seal.lines - now.lines) of \(Quantity(seal.lines, "line", "lines"))"
                : "\(backup): it was changed since"
        }
    }

    private static func endsWithinLine(_ path: String) -> Bool {
        let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var byte: UInt8 = 0
        let end = lseek(file, 0, SEEK_END)
        guard end > 0, pread(file, &byte, 1, end - 1) == 1 else { return false }
        return byte != UInt8(ascii: "\n")
    }

    /// What a first reading finds.
    private struct Survey {
        var hashes: RepeatedHashes
        private(set) var states = 0
        /// Those that tell how a document was.
        private(set) var restoring = 0
        private(set) var withoutLeft = 0
        private(set) var rejected = 0
        /// The first lines that can't be read.
        private(set) var examples: [String] = []
        private(set) var digest: [UInt8] = []

        init(in space: SpillSpace) { hashes = RepeatedHashes(in: space) }

        mutating func note(_ chunk: OperationChunk) throws(SpillError) {
            rejected += chunk.input.rejected
            examples += chunk.rejections.prefix(10 - examples.count).map { "\($0)" }
            digest = chunk.digest
            for operation in chunk.operations {
                try hashes.note(operation.documentHash)
                states += 1
                if operation.kind != .update { restoring += 1 }
                if operation.condition == nil { withoutLeft += 1 }
            }
        }
    }
}

/// Documents that a job changed several times, or that several of its runs found.
private struct RepeatedDocuments: Sendable {
    private var documents: [UInt64: States] = [:]
    /// The lines that were noted, also those about other documents.
    private(set) var place = 0
    /// The lines about these documents that tell how one was.
    private(set) var restoring = 0
    /// The documents that may be as any operation left them, and not only as the last did; `nil` for all.
    private let unclear: Set<UInt64>?
    private let capabilities: EngineCapabilities

    /// What the lines about a document say.
    struct States {
        /// The line that tells how the document was, counted from 1; 0 before there is one.
        fileprivate(set) var place = 0
        /// How it was then.
        fileprivate var before: ContentDigest?
        /// What the job left of it at one time or another, since then.
        fileprivate var all: [ContentDigest] = []
        /// What the job may have left of it.
        fileprivate(set) var left: [ContentDigest] = []
    }

    init(_ hashes: Set<UInt64>, unclear: Set<UInt64>?, in capabilities: EngineCapabilities) {
        (self.unclear, self.capabilities) = (unclear, capabilities)
        for hash in hashes { documents[hash] = States() }
    }

    var isEmpty: Bool { documents.isEmpty }
    /// The documents of which a line tells how they were.
    var documentCount: Int { documents.values.count { $0.place > 0 } }

    /// Notes a line.
    ///
    /// If it finds what neither the job left nor was there before, somebody else wrote that in between, and it is what the
    /// document goes back to.
    mutating func note(_ operation: ContentOperation) {
        place += 1
        let hash = operation.documentHash
        guard var states = documents[hash] else { return }
        defer { documents[hash] = states }
        if operation.kind != .update { restoring += 1 }
        let left: [ContentDigest]
        if case .contents(let contents)? = operation.condition { left = contents } else { left = [] }
        let all = states.all
        states.all += left
        // An operation that had nothing to change leaves the document as it was.
        let earlier = left.isEmpty || unclear?.contains(hash) ?? true ? states.left : []
        guard operation.kind != .update else {
            states.left = earlier + left
            return
        }
        let found =
            operation.kind == .remove
            ? ContentDigest.none : ContentDigest(of: operation.json, operation.documentID, in: capabilities)
        let isFirst = states.place == 0
        if !isFirst, let found, found == states.before || all.contains(found) {
            states.left = earlier + left
            return
        }
        states.place = place
        states.before = found
        (states.left, states.all) = (left, left)
    }

    /// Returns what is known of a document from several lines; `nil` if it has only one.
    subscript(operation: ContentOperation) -> States? { documents[operation.documentHash] }
}

/// The operations that take a job back, a chunk at a time.
private actor SavedPages {
    private var input: FeedInput.Iterator
    private let repeated: RepeatedDocuments
    private let digest: [UInt8]
    /// The lines that an earlier run has read.
    private let done: UInt64
    private var place: UInt64 = 0

    init(_ input: FeedInput, _ repeated: RepeatedDocuments, _ digest: [UInt8], after done: UInt64) {
        (self.input, self.repeated, self.digest, self.done) = (input.makeAsyncIterator(), repeated, digest, done)
    }

    func next() async throws -> OperationChunk? {
        while true {
            var input = input
            let chunk = try await input.next()
            self.input = input
            guard let chunk else { return nil }
            var operations: [ContentOperation] = []
            for line in chunk.operations {
                place += 1
                guard place > done, let operation = undoing(line) else { continue }
                operations.append(operation)
            }
            guard !operations.isEmpty else { continue }
            return OperationChunk(
                operations: operations,
                end: InputOffset(source: 0, byte: place),
                input: InputTally(
                    lines: operations.count,
                    bytes: operations.reduce(0) { $0 + $1.byteCount }
                ),
                digest: digest
            )
        }
    }

    /// Returns what puts a document back as a line tells; `nil` if another line does.
    private func undoing(_ line: ContentOperation) -> ContentOperation? {
        guard let states = repeated[line] else {
            guard line.kind != .update else { return nil }
            return line.condition == nil ? line.only(.contents([])) : line
        }
        return states.place == place ? line.only(.contents(states.left)) : nil
    }
}

extension ContentOperation {
    fileprivate var documentHash: UInt64 { key.documentHash }
}

extension DocumentKey {
    fileprivate var documentHash: UInt64 { UInt64(bitPattern: Int64(hashValue)) }
}
