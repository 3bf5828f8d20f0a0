package import ContentFeeding
package import FeedFormats
import Files
import Glibc
package import JobJournal
import TextKit

/// The contents of a job's backups, which are the state of each document before and after the job.
///
/// Used as an input, they undo the job with one operation for each document, which is carried out only if the document
/// has not changed since the job.
package struct SavedStates: CollectionInput {
    /// The existing backups, oldest first.
    package let files: [String]
    /// The defects of the backups, one per line.
    package let flaws: [String]
    /// The minimum number of changes that are missing from the backups; 0 if unknown.
    package let lostChanges: Int

    private let job: JobID
    /// The combined digest of all backups.
    private let digest: [UInt8]
    private let repeated: RepeatedDocuments
    package let operationCount: Int?

    /// Reads all backups of a job once, to determine whether they are complete and which documents occur more than
    /// once.
    ///
    /// `failed` are the documents on which an operation failed: their final state may result from any operation, not
    /// only the last one. `note` is called with the number of lines read so far.
    package init(
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
        lostChanges = try Self.lostChanges(of: record, files, survey)
    }

    /// Returns the number of missing changes of the job, or of missing lines of its runs, whichever is higher.
    private static func lostChanges(of record: JobRecord, _ files: [String], _ survey: Survey) throws -> Int {
        let changed = record.counts[.added] + record.counts[.updated] + record.counts[.removed]
        let lines = try record.backups.reduce(0) { sum, path in
            guard let seal = record.seals[path] else { return sum }
            return sum + max(0, seal.lines - (files.contains(path) ? try BackupSeal(of: path).lines : 0))
        }
        return max(changed - survey.states, lines, survey.rejected, 0)
    }

    /// Refuses to undo a job if a part of its backup is missing or can't be read.
    package func refuseFlaws(_ observer: any FeedObserver) throws(FeedJobError) {
        guard !flaws.isEmpty else { return }
        for flaw in flaws.dropLast() { observer.remark(flaw) }
        throw FeedJobError(
            files.isEmpty ? .inputNotOpened : .inputRejected,
            "\(flaws.last ?? ""); nothing was sent",
            advice: files.isEmpty ? nil : "--partial undoes the readable part"
        )
    }

    package var identity: [String] { ["undo", job.rawValue] }
    package var findsWhatIsLeft: Bool { false }
    package var isConditional: Bool { true }

    package func open(
        _ memory: InputMemory,
        keepsRouting: Bool,
        _ observer: any FeedObserver
    ) async throws -> FeedInput {
        guard memory.digest.isEmpty || memory.digest == digest else {
            throw InputError(.changed, source: files.first ?? "backup", reason: "it has changed since the job started")
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

    /// The maximum number of documents that a job may have changed several times, limited because their states are held
    /// in memory.
    private static let mostRepeated = 1_000_000
    /// The maximum number of bytes on disk for detecting them.
    private static let maximumSpill = 16 << 30

    private static func tooManyRepeated(_ job: JobID) -> FeedJobError {
        FeedJobError(
            .exhausted,
            "job \(job) changed more than \(mostRepeated) documents several times, which is more than undo can handle",
            advice: "'fastctl add' with its backups restores all documents, even if others have changed them since"
        )
    }

    private static func flaws(of record: JobRecord, _ files: [String], _ survey: Survey) throws -> [String] {
        let id = record.job.id
        var flaws = record.backups.filter { !files.contains($0) }.map { "the backup '\($0)' of job \(id) is gone" }
        guard !files.isEmpty else { return flaws }
        flaws += survey.examples
        // A run that was killed may leave an incomplete line; the batch of that line was not sent.
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
                "the backup of job \(id) is incomplete: it contains \(states) of documents, but the job changed \(changed)"
            )
        }
        if survey.withoutLeft > 0 {
            let lines = Quantity(survey.withoutLeft, "line", "lines")
            flaws.append(
                "the backup of job \(id) has \(lines) from an earlier version, which lack the state that the job left; "
                    + "'fastctl add' restores them, even if others have changed the documents since"
            )
        }
        return flaws
    }

    /// Returns the defects of files that have changed since their runs, one per line.
    private static func losses(of record: JobRecord, _ files: [String]) throws -> [String] {
        try files.compactMap { path in
            guard let seal = record.seals[path] else { return nil }
            let now = try BackupSeal(of: path)
            guard now != seal else { return nil }
            let backup = "the backup '\(path)' of job \(record.job.id) is not as the job left it"
            return now.lines < seal.lines
                ? "\(backup): it lacks \(seal.lines - now.lines) of \(Quantity(seal.lines, "line", "lines"))"
                : "\(backup): it was changed after the job"
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

    /// The results of the first pass.
    private struct Survey {
        var hashes: RepeatedHashes
        private(set) var states = 0
        /// The number of lines with a document's previous state.
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
    /// The number of recorded lines, including those about other documents.
    private(set) var place = 0
    /// The number of lines about these documents with a previous state.
    private(set) var restoring = 0
    /// The documents whose final state may result from any operation, not only the last one; `nil` for all documents.
    private let unclear: Set<UInt64>?
    private let capabilities: EngineCapabilities

    /// The states of a document in its lines.
    struct States {
        /// The number of the line with the document's previous state, starting at 1; 0 if no such line has been read.
        fileprivate(set) var place = 0
        /// The digest of that previous state.
        fileprivate var before: ContentDigest?
        /// All states in which the job has left the document since then.
        fileprivate var all: [ContentDigest] = []
        /// The states in which the job may have left the document at its end.
        fileprivate(set) var left: [ContentDigest] = []
    }

    init(_ hashes: Set<UInt64>, unclear: Set<UInt64>?, in capabilities: EngineCapabilities) {
        (self.unclear, self.capabilities) = (unclear, capabilities)
        for hash in hashes { documents[hash] = States() }
    }

    var isEmpty: Bool { documents.isEmpty }
    /// The number of documents whose previous state is in a line.
    var documentCount: Int { documents.values.count { $0.place > 0 } }

    /// Records a line.
    ///
    /// A state that is neither the job's result nor the previous state was written by another client during the job,
    /// and becomes the state to restore.
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
        // An operation that changed nothing leaves the recorded states valid.
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

    /// Returns the states of a document with several lines; `nil` if it has only one line.
    subscript(operation: ContentOperation) -> States? { documents[operation.documentHash] }
}

/// An iterator over the operations that undo a job, in chunks.
private actor SavedPages {
    private var input: FeedInput.Iterator
    private let repeated: RepeatedDocuments
    private let digest: [UInt8]
    /// The number of lines that an earlier run has read.
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
                input: InputTally(lines: operations.count, bytes: operations.reduce(0) { $0 + $1.byteCount }),
                digest: digest
            )
        }
    }

    /// Returns the operation that restores the document's state in a line; `nil` if another line does so.
    private func undoing(_ line: ContentOperation) -> ContentOperation? {
        guard let states = repeated[line] else {
            guard line.kind != .update else { return nil }
            return line.condition == nil ? line.only(.contents([])) : line
        }
        return states.place == place ? line.only(.contents(states.left)) : nil
    }
}

extension ContentOperation {
    /// The hash of the document's key, which differs between processes.
    var documentHash: UInt64 { key.documentHash }
}

extension DocumentKey {
    fileprivate var documentHash: UInt64 { UInt64(bitPattern: Int64(hashValue)) }
}
