import ContentFeeding
import Files
import Glibc
import ReportRendering
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
            var operations = await file.unwritten(of: batch.items.map(\.operation))[...]
            while !operations.isEmpty {
                let page = try await base.copies(at: operations.map(\.key)[...], maximumBytes: Self.pageBytes)
                let absent = zip(operations, page.answers).filter { $0.kind == .add && !$1 }.map(\.0.key)
                try await file.append(page.documents, absent: absent, of: collection)
                await file.note(operations.prefix(page.answers.count))
                operations = operations.dropFirst(page.answers.count)
            }
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

    private func stop(_ code: EngineError.Code, _ message: String) -> BatchReply {
        .failed(BatchFailure(.stop(code), DocumentFailure(.rejectedByEngine, message)))
    }

    func check(_ intent: FeedIntent) async throws(EngineError) { try await base.check(intent) }

    func unseen(by intent: FeedIntent) -> String? { base.unseen(by: intent) }

    func incarnation(for intent: FeedIntent) -> String? { base.incarnation(for: intent) }

    func raise(to level: CompletionLevel) async throws(EngineError) { try await base.raise(to: level) }
}

/// A new file of documents, one `fastctl.document/1` per line, which `fastctl add` restores.
///
/// What was not there before an addition is `{"remove":"ID"}`. Only the first state of a document counts: an operation
/// that is sent again, or a later one on the same document, finds what the run itself has written.
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

    /// Returns the operations whose documents are not yet in the file as they were.
    ///
    /// What a run of removals finds is always written: if somebody adds a document again, it is taken away again.
    func unwritten(of operations: [ContentOperation]) -> [ContentOperation] {
        isOfRemovals ? operations : operations.filter { !changed.contains(Self.hash(of: $0)) }
    }

    /// Notes that the documents are in the file, or that they need not be.
    func note(_ operations: ArraySlice<ContentOperation>) {
        guard !isOfRemovals else { return }
        for operation in operations { _ = changed.note(Self.hash(of: operation)) }
    }

    private static func hash(of operation: ContentOperation) -> UInt64 {
        UInt64(bitPattern: Int64(operation.key.hashValue))
    }

    /// Appends documents, and the removal of those that do not exist yet.
    func append(_ documents: [StoredDocument], absent: [DocumentKey], of collection: CollectionName) throws {
        for key in absent { RemovalObject.append(key, to: &bytes) }
        for document in documents {
            DocumentObject.append(document, in: collection, to: &bytes)
            bytes.append(0x0A)
            if bytes.count >= Self.drainThreshold { try drain() }
        }
        try drain()
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
