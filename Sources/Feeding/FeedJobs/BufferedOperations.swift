package import ContentFeeding
import FeedFormats
import Files
import Glibc
import JSONText
import JobJournal
import TextKit

/// Removals that are buffered until their number is known not to exceed the limit.
///
/// The first removals are held in memory, and the others in an unnamed file, with each ID preceded by its length.
package struct BufferedOperations: AsyncSequence, Sendable {
    /// The storage for operations that should not be held in memory.
    struct Store: Sendable {
        /// The maximum number of operations held in memory, and the maximum number of their bytes.
        var window = 20_000
        var windowBytes = 4 << 20
        var space: SpillSpace
    }

    /// The chunks; the operations of later chunks are written to the file, and only their number is kept in memory.
    private let chunks: [Chunk]
    private let spilled: SpilledIDs

    /// The number of operations.
    package let count: Int

    private struct Chunk {
        var chunk: OperationChunk
        let spilledCount: Int
    }

    /// Reads all of `input`, and refuses it as soon as it contains more than `limit` operations, including those that
    /// an earlier run of the job has read.
    static func collect(
        _ input: FeedInput,
        limit: Int,
        counting earlier: Int = 0,
        in store: Store
    ) async throws -> BufferedOperations {
        var chunks: [Chunk] = []
        var (count, held, bytes) = (0, 0, 0)
        var spilled = SpilledIDs(in: store)
        for try await var chunk in input {
            if !chunk.isEarlier { count += chunk.operations.count }
            guard earlier + count <= limit else { throw refusal(limit) }
            bytes += chunk.operations.reduce(0) { $0 + $1.byteCount }
            held += chunk.operations.count
            if spilled.count == 0, held <= store.window, bytes <= store.windowBytes {
                chunks.append(Chunk(chunk: chunk, spilledCount: 0))
            } else {
                for operation in chunk.operations { try spilled.append(operation.key) }
                let spilledCount = chunk.operations.count
                chunk.operations = []
                chunks.append(Chunk(chunk: chunk, spilledCount: spilledCount))
            }
        }
        try spilled.finish()
        return BufferedOperations(chunks: chunks, spilled: spilled, count: earlier + count)
    }

    /// Returns the failure of a run with more removals than allowed.
    static func refusal(_ limit: Int) -> FeedJobError {
        FeedJobError(
            .refused,
            "refused: more than the \(Quantity(limit, "removal", "removals")) that --max-remove allows; nothing was sent",
            advice: "check what would be removed with --dry-run, then raise --max-remove"
        )
    }

    package func makeAsyncIterator() -> Iterator { Iterator(buffered: self) }

    package struct Iterator: AsyncIteratorProtocol {
        private var chunks: ArraySlice<Chunk>
        private var reader: SpilledIDs.Reader

        fileprivate init(buffered: BufferedOperations) {
            chunks = buffered.chunks[...]
            reader = SpilledIDs.Reader(buffered.spilled)
        }

        package mutating func next() async throws -> OperationChunk? {
            guard let next = chunks.popFirst() else { return nil }
            var chunk = next.chunk
            if next.spilledCount > 0 {
                chunk.operations = try reader.next(next.spilledCount, ofBytes: .max).map { .remove($0.key) }
            }
            return chunk
        }
    }
}

/// IDs in an unnamed file; each is stored as its length in four bytes and its bytes, followed by its routing value and
/// the content of its document (both possibly empty) in the same format.
struct SpilledIDs: Sendable {
    private(set) var count = 0
    private let store: BufferedOperations.Store
    private var file: SpillFile?
    private var written = 0
    private var buffer: [UInt8] = []

    private static let pieceSize = 256 << 10

    init(in store: BufferedOperations.Store) { self.store = store }

    /// An ID with its routing value, and the content of its document; `nil` if no content was kept.
    struct Entry: Sendable {
        let key: DocumentKey
        var content: SentContent?
    }

    mutating func append(_ key: DocumentKey, _ content: SentContent? = nil) throws(SpillError) {
        count += 1
        append(key.id.utf8)
        append((key.routing?.text ?? "").utf8.span)
        let bytes = content?.bytes ?? []
        append(bytes.span)
        if buffer.count >= Self.pieceSize { try finish() }
    }

    private mutating func append(_ bytes: Span<UInt8>) {
        let length = UInt32(bytes.count)
        for shift in [0, 8, 16, 24] as [UInt32] { buffer.append(UInt8(truncatingIfNeeded: length >> shift)) }
        bytes.withUnsafeBufferPointer { buffer.append(contentsOf: $0) }
    }

    /// Writes the operations that have not been written yet.
    mutating func finish() throws(SpillError) {
        guard !buffer.isEmpty else { return }
        if file == nil { file = try SpillFile(in: store.space) }
        try file?.write(buffer, at: written)
        written += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }

    /// A reader that returns the IDs, with their routing values, in order.
    struct Reader {
        private let ids: SpilledIDs
        private let pages = DocumentIDPages()
        private var offset = 0
        private var piece: [UInt8] = []
        private var index = 0

        init(_ ids: SpilledIDs) { self.ids = ids }

        /// Returns up to `count` further IDs, stopping once they reach `maximumBytes`; empty at the end.
        mutating func next(_ count: Int, ofBytes maximumBytes: Int) throws -> [Entry] {
            var result: [Entry] = []
            var bytes = 0
            while result.count < count, bytes < maximumBytes, let entry = try next() {
                bytes += entry.key.id.byteCount + (entry.content?.members.count ?? 0) * SentContent.stride
                result.append(entry)
            }
            return result
        }

        private mutating func next() throws -> Entry? {
            while true {
                if let id = text(at: index), let routing = text(at: id.upperBound),
                    let content = text(at: routing.upperBound)
                {
                    index = content.upperBound
                    return Entry(
                        key: DocumentKey(
                            try pages.id(utf8: piece[id].span),
                            routing: Routing(String(decoding: piece[routing], as: UTF8.self))
                        ),
                        content: SentContent(bytes: piece[content])
                    )
                }
                guard let file = ids.file, offset < ids.written else { return nil }
                piece.removeFirst(index)
                index = 0
                let bytes = try file.read(at: offset, count: min(SpilledIDs.pieceSize, ids.written - offset))
                guard !bytes.isEmpty else {
                    throw SpillError("a file of buffered IDs in \(ids.store.space.directory) has been truncated")
                }
                piece += bytes
                // A read may return fewer bytes than requested.
                offset += bytes.count
            }
        }

        /// Returns the range of the text in the piece whose length is at `start`; `nil` if the piece ends before the
        /// text.
        private func text(at start: Int) -> Range<Int>? {
            guard piece.count >= start + 4 else { return nil }
            let length = (0..<4).reduce(0) { $0 | Int(piece[start + $1]) << ($1 * 8) }
            guard piece.count >= start + 4 + length else { return nil }
            return (start + 4)..<(start + 4 + length)
        }
    }
}

/// The operations of a job that failed or ran out of time, as the input of another job.
///
/// For a removal, the ID is enough; the documents of `add` and `update` are read again from the job's input.
struct FailedOperations: Sendable {
    private let job: JobID
    private let plan: FeedPlan

    init(of job: JobID, _ plan: FeedPlan) {
        self.job = job
        self.plan = plan
    }

    /// Returns the failed operations that can be sent again, with a remark on the others, which may have been applied
    /// and could be applied twice; throws if none can.
    static func repeatable(
        _ failed: [OperationOutcome],
        of job: JobID,
        missing: Int
    ) throws(JobError) -> (issues: [OperationOutcome], remark: String?) {
        let issues = failed.filter { $0.issue?.failure.mayHaveApplied != true }
        let count = failed.count - issues.count
        guard issues.isEmpty else {
            guard count > 0 else { return (issues, nil) }
            let subject = "\(Quantity(count, "operation", "operations")) that may have been applied already"
            return (issues, "\(subject) \(count == 1 ? "is" : "are") not sent again: check their documents")
        }
        guard count == 0 else {
            throw JobError(
                .ended,
                "each failed operation of job \(job) may have been applied already, so none is sent again",
                advice: "check the documents that 'fastctl jobs issues \(job)' lists"
            )
        }
        let others = Quantity(missing, "document was missing, which", "documents were missing, which")
        let reason = missing > 0 ? ": \(others) retrying would not change" : ""
        throw JobError(.ended, "no operation of job \(job) failed\(reason)", advice: "see 'fastctl jobs issues \(job)'")
    }

    /// Writes the operations to a file next to the job's journal, and returns that file as an input.
    func input() async throws -> PendingInput {
        let shelf = try await shelf()
        guard let kept = await shelf.jobs().jobs.first(where: { $0.id == job }) else {
            throw JobError(.missing, "this target has no job \(job)", advice: "see 'fastctl jobs list'")
        }
        try JobRequest(plan).refuseOther(kept.record.job)
        let all = try await kept.issues { [.failed, .expired].contains($0.outcome) }
        let (issues, remark) = try Self.repeatable(all, of: job, missing: kept.record.counts.missing)
        if let remark { plan.observer.remark(remark) }
        let failed = Dictionary(issues.map { ($0.operationID, $0) }, uniquingKeysWith: { $1 })
        let path = shelf.failedOperations(of: job)
        var input = PendingInput(sources: [.file(path)], format: .jsonLines(), limits: plan.input.limits)
        input.dialect.upsertKey = plan.input.dialect.upsertKey
        input.dialect.version = plan.input.dialect.version.map { VersionMember([OperationText.versionKey], $0.kind) }
        let file = try AtomicFile(path)
        var bytes: [UInt8] = []
        if plan.kind == .remove, plan.input.dialect.version == nil {
            for outcome in failed.values.sorted(by: { $0.operationID < $1.operationID }) {
                let key = DocumentKey(outcome.documentID, routing: outcome.routing)
                append(.remove(key), to: &bytes)
            }
        } else {
            try await appendDocuments(of: kept, failed, to: &bytes) { try file.write(&$0) }
        }
        try file.write(&bytes)
        try file.finish()
        return input
    }

    private func shelf() async throws -> JobShelf {
        try JobShelf.of(try await plan.target.open(plan.collection).store, plan.jobs)
    }

    private func appendDocuments(
        of kept: KeptJob,
        _ failed: [OperationID: OperationOutcome],
        to bytes: inout [UInt8],
        drain: (inout [UInt8]) throws -> Void
    ) async throws {
        let spool = try kept.record.job.spool.map { try InputSpool.open($0) }
        let input = plan.input.kept
        // The input is first checked in full against the one that the job read, and then read again from its start.
        do {
            _ = try await input.open(for: plan.kind, plan.observer, InputMemory(of: kept.record.progress, spool: spool))
        } catch let error as InputError where error.code == .missing {
            throw FeedJobError(
                .inputNotOpened,
                "job \(kept.id) read its documents from '\(error.source)', which is gone; nothing was sent",
                advice: "restore the file as it was, or feed the documents from another one: "
                    + "'fastctl jobs issues \(kept.id) --failed' lists them"
            )
        }
        var next = OperationID.first
        for try await chunk in try await input.open(for: plan.kind, plan.observer, InputMemory(spool: spool)) {
            for operation in chunk.operations {
                if failed[next] != nil { append(operation, to: &bytes) }
                next = next.next
            }
            if bytes.count > 1 << 20 { try drain(&bytes) }
        }
    }

    private func append(_ operation: ContentOperation, to bytes: inout [UInt8]) {
        let version = operation.condition.map { [(name: OperationText.versionKey, value: $0.version)] } ?? []
        guard operation.kind != .remove else {
            return RemovalObject.append(operation.key, with: version, to: &bytes)
        }
        let document = StoredDocument(
            id: operation.documentID,
            version: nil,
            routing: operation.routing,
            json: contents(of: operation)
        )
        DocumentObject.append(document, in: plan.collection.engineName, with: version, to: &bytes)
        bytes.append(0x0A)
    }
}

extension FailedOperations {
    /// Returns the document or the patch, with the whole document of an update under its key.
    private func contents(of operation: ContentOperation) -> [UInt8] {
        guard let key = plan.input.dialect.upsertKey, let whole = operation.wholeDocument else { return operation.json }
        let json = JSONWriter.object { $0.member(key, raw: whole) }
        // Both are objects that were checked when they were read.
        return (try? JSONMerge.merged(base: operation.json, patch: json)) ?? operation.json
    }
}

extension WriteCondition {
    /// The version as written in an input; `nil` if the document must not exist.
    fileprivate var version: String? {
        switch self {
        case .absent, .contents: nil
        case .unchanged(let version): version.rawValue
        case .olderThan(let version): "\(version)"
        }
    }
}

/// A set of a job's operations, with one bit for each operation up to the last one in the set.
private struct OperationSet: Sendable {
    private var words: [UInt64] = []
    private(set) var count = 0

    func contains(_ id: OperationID) -> Bool {
        let (word, bit) = Self.place(of: id)
        return word < words.count && words[word] & bit != 0
    }

    mutating func insert(_ id: OperationID) {
        guard !contains(id) else { return }
        let (word, bit) = Self.place(of: id)
        if word >= words.count { words += Array(repeating: 0, count: word + 1 - words.count) }
        words[word] |= bit
        count += 1
    }

    private static func place(of id: OperationID) -> (word: Int, bit: UInt64) {
        let (word, bit) = Int(clamping: id.rawValue).quotientAndRemainder(dividingBy: 64)
        return (word, 1 << UInt64(bit))
    }
}

/// The records of an input that failed or were rejected, to be written to a file from which they can be fed again.
///
/// This is a class, because the feed's observer fills it, and the end of the command writes it.
final class FailedRecords {
    private let path: String
    private let file: AtomicFile
    /// The operations that failed.
    private var failed = OperationSet()
    /// The operations that may have been applied, so that feeding them again could apply them twice.
    private var applied = OperationSet()

    /// Creates a temporary file in the same folder, which will replace an older file.
    ///
    /// Only a file of failed records or an empty file is replaced: any other file may still be needed.
    init(_ path: String) throws {
        self.path = path
        guard Self.mayReplace(path) else {
            throw FeedJobError(
                .outputNotCreated,
                "'\(path)' was specified for the failed records, but already has other contents; nothing was sent",
                advice: "specify a new file, or remove that one; use --from to specify an input"
            )
        }
        file = try AtomicFile(path, keeping: 0o700)
    }

    /// The name of the extended attribute that marks such files, if the file system supports attributes.
    private static let mark = "user.fastctl.failed"

    private static func mayReplace(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return true }
        return FileAttribute.isSet(mark, of: path) ?? true
    }

    /// Records operations that have an error: failed, out of time, or without the document that they need.
    ///
    /// Those that may have been applied are only counted. An operation may be recorded several times.
    func note(_ outcomes: some Sequence<OperationOutcome>) {
        for outcome in outcomes where outcome.issue?.isError ?? false {
            if outcome.issue?.failure.mayHaveApplied == true {
                applied.insert(outcome.operationID)
            } else {
                failed.insert(outcome.operationID)
            }
        }
    }

    /// Reads the input again, writes the file, and returns a sentence about it.
    ///
    /// If no record can be fed again, this function writes no file, and removes one from an earlier run; if nothing failed, it
    /// returns `nil`.
    func write(
        from input: PendingInput,
        _ memory: InputMemory?,
        for kind: ContentOperation.Kind
    ) async throws -> String? {
        let (failed, applied) = (failed, applied.count)
        var bytes: [UInt8] = []
        // The byte-order mark ensures that the file is read as UTF-8, even if the same options name another encoding.
        if input.dialect.encoding != nil { bytes = [0xEF, 0xBB, 0xBF] }
        let tally = try await FeedInput.records(
            of: input.sources,
            for: kind,
            format: input.format,
            dialect: input.dialect,
            limits: input.limits,
            memory: memory,
            where: { failed.contains($0) },
            write: { records in
                bytes += records
                if bytes.count >= Self.drainThreshold { try file.write(&bytes) }
            }
        )
        let operations = Quantity(applied, "operation", "operations")
        guard tally.written + tally.unwritable > 0 else {
            let isOld = NewFile.exists(path)
            try file.removeOlder()
            guard applied > 0 else { return isOld ? "no record failed, so the older file \(path) was removed" : nil }
            return "\(path) was not written: \(operations) may have been applied already, and running "
                + (applied == 1
                    ? "it again could apply it twice; check the document"
                    : "them again could apply them twice; check their documents")
        }
        try file.write(&bytes)
        try file.finish()
        FileAttribute.set(Self.mark, of: path)
        let records = Quantity(tally.written, "record", "records")
        let left = tally.unwritable > 0 ? "; \(tally.unwritable) more can't be written in the format of the first" : ""
        return "\(records) to run again \(tally.written == 1 ? "is" : "are") in \(path)\(left)"
            + Self.leftOut(applied)
    }

    /// Returns the end of a sentence about operations that are not in the file because they may have been applied.
    private static func leftOut(_ applied: Int) -> String {
        switch applied {
        case 0: ""
        case 1: "; 1 operation that may have been applied already is not in it: check the document"
        default: "; \(applied) operations that may have been applied already are not in it: check their documents"
        }
    }

    private static let drainThreshold = 256 << 10
}
