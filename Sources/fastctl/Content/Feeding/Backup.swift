import ContentFeeding
import Files
import Glibc
import ReportRendering
import Threads

/// An engine that backs up the documents a batch removes, and only then passes the batch on.
struct BackupEngine: ContentEngine {
    private let base: any CollectionEngine
    private let file: BackupFile

    /// The bytes of documents read at once, because documents may be large.
    private static let pageBytes = 1 << 20

    init(_ base: any CollectionEngine, writingTo path: String) throws {
        self.base = base
        file = try BackupFile(path)
    }

    var collection: CollectionName { base.collection }
    var capabilities: EngineCapabilities { base.capabilities }

    func apply(_ batch: ContentBatch) async -> BatchReply {
        do {
            var keys = batch.items.map(\.operation.key)[...]
            while !keys.isEmpty {
                let page = try await base.copies(at: keys, maximumBytes: Self.pageBytes)
                try await file.append(page.documents, of: collection)
                keys = keys.dropFirst(page.answers.count)
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
/// An actor, because several batches write to it at a time, and on its own thread, because it waits for the disk.
actor BackupFile {
    private let path: String
    private let file: NewFile
    private let executor = ThreadExecutor()
    private var bytes: [UInt8] = []

    private static let drainThreshold = 64 << 10

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates the file; an existing one is never overwritten.
    init(_ path: String) throws {
        self.path = path
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

    func append(_ documents: [StoredDocument], of collection: CollectionName) throws {
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
