public import ContentFeeding
import Digests
import FeedFormats
import Files
import Glibc
package import JSONText
import JobJournal
import Reconciliation
import TextKit
import Threads

/// An engine that, before passing a batch on, backs up the documents that the batch changes.
struct BackupEngine: WrappingEngine {
    private let reader: any CollectionEngine
    private let file: BackupFile

    /// The number of bytes of documents read at once, limited because documents may be large.
    private static let pageBytes = 1 << 20

    /// `kind` is the main kind of operation of the run, which may also contain others.
    init(_ base: any CollectionEngine, for kind: ContentOperation.Kind, writingTo path: String) throws {
        reader = base
        file = try BackupFile(path, isOfRemovals: kind == .remove)
    }

    var base: any ContentEngine { reader }

    func apply(_ batch: ContentBatch) async -> BatchReply {
        var refused: [OperationID: DocumentFailure] = [:]
        do {
            let (first, again) = await file.unwritten(of: batch.items)
            try await write(first, of: batch, &refused) { try await file.append($0, of: collection) }
            // The result of an update depends on the stored document; the result of any other operation is known.
            try await write(again.filter { $0.operation.kind == .update }, of: batch, &refused) {
                try await file.note($0, of: collection)
            }
            let known = again.filter { $0.operation.kind != .update }
            try await file.note(known.map { SavedState($0, nil, in: batch, capabilities) }, of: collection)
            try await file.synchronize()
        } catch let error as EngineError {
            // No part of the batch was sent. An unresponsive engine may respond next time, and the documents did not
            // cause the failure, so no attempt is counted.
            return .failed(BatchFailure(ofReading: error))
        } catch {
            let failure = DocumentFailure(.rejectedByEngine, Failure(error).message)
            return .failed(BatchFailure(.stop(.inputOutput), failure))
        }
        let verdicts = batch.items.map { item in
            refused[item.id].map { OperationVerdict.settled(.failed($0)) } ?? .send(item.operation)
        }
        return refused.isEmpty ? await base.apply(batch) : await batch.applied(after: verdicts) { await base.apply($0) }
    }

    /// Reads the documents of `items` page by page, and passes on each page for writing; operations on unreadable
    /// documents are refused.
    private func write(
        _ items: [ContentBatch.Item],
        of batch: ContentBatch,
        _ refused: inout [OperationID: DocumentFailure],
        _ body: ([SavedState]) async throws -> Void
    ) async throws {
        var items = items[...]
        while !items.isEmpty {
            let page = try await reader.copies(at: items.map(\.operation.key)[...], maximumBytes: Self.pageBytes)
            try page.check(against: items.count)
            var documents = page.documents[...]
            var states: [SavedState] = []
            for (item, isThere) in zip(items, page.answers) {
                // A key without a routing value may match several documents.
                let own = isThere ? documents.prefix { $0.id == item.operation.documentID } : []
                documents = documents.dropFirst(own.count)
                if let flawed = page.unreadable.first(where: { $0.key.id == item.operation.documentID }) {
                    let reason = "it was not backed up, so it was not changed: \(flawed.failure.message)"
                    refused[item.id] = DocumentFailure(flawed.failure.code, reason)
                    continue
                }
                states += own.map { SavedState(item, $0, in: batch, capabilities) }
                if own.isEmpty { states.append(SavedState(item, nil, in: batch, capabilities)) }
            }
            try await body(states)
            items = items.dropFirst(page.answers.count)
        }
    }
}

/// The state of a document before a batch, and after its operation.
struct SavedState: Sendable {
    let item: ContentBatch.Item
    /// The document; `nil` if there is none.
    let document: StoredDocument?
    /// The state after the operation; `nil` if it will fail.
    let left: ContentDigest?

    /// Whether the operation creates the document.
    let isNew: Bool

    init(
        _ item: ContentBatch.Item,
        _ document: StoredDocument?,
        in batch: ContentBatch,
        _ capabilities: EngineCapabilities
    ) {
        (self.item, self.document) = (item, document)
        let kind = item.operation.kind
        isNew = document == nil && (kind == .add || kind == .update && batch.addsMissing)
        left = item.operation.digest(ofResultOn: document?.json, addsMissing: batch.addsMissing, in: capabilities)
    }
}

/// A new file of documents, one `fastctl.document/1` per line, which `fastctl add` can restore.
///
/// A document that did not exist before an addition is recorded as `{"remove":"ID"}`. Only the first state of a
/// document is saved, because an operation that is sent again, or a later operation on the same document, would find
/// the run's own result. `left` is the digest of the state after the run, with which `fastctl undo` detects later
/// changes.
///
/// This is an actor, because several batches write to it concurrently; it runs on its own thread, because it waits for
/// the disk.
actor BackupFile {
    private let path: String
    private let file: NewFile
    private let executor = ThreadExecutor()
    private var bytes: [UInt8] = []
    private let isOfRemovals: Bool
    /// The documents that a run of additions or updates has changed, among the last million.
    private var changed = RecentDocuments()
    /// The operations whose lines have been written, among the last million.
    private var saved = RecentDocuments()

    private static let drainThreshold = 64 << 10

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates the file; an existing file is never overwritten.
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
            throw FeedJobError(.outputNotCreated, "cannot create '\(path)': \(error.reason)", advice: advice)
        }
        Self.synchronizeFolder(of: path)
    }

    /// Syncs the file's name to disk; skipped if the folder can't be opened for this purpose.
    private static func synchronizeFolder(of path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let folder = open(parts.isEmpty ? "." : parts.joined(separator: "/") + "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        _ = fsync(folder)
        close(folder)
    }

    /// Returns the operations whose documents are not yet saved in the file, and the operations on documents that the
    /// run has already changed, excluding repeated operations.
    ///
    /// Documents found by a run of removals are always written, because a document that was added again is removed
    /// again.
    func unwritten(of items: [ContentBatch.Item]) -> (first: [ContentBatch.Item], again: [ContentBatch.Item]) {
        guard !isOfRemovals else { return (items, []) }
        let new = items.filter { !saved.contains(Self.spread($0.id)) }
        return (
            new.filter { !changed.contains($0.operation.documentHash) },
            new.filter { changed.contains($0.operation.documentHash) }
        )
    }

    /// Spreads an operation's number over all bits, like a hash; otherwise, small numbers would all map to the same
    /// slot of a table.
    private static func spread(_ id: OperationID) -> UInt64 { id.rawValue &* 0x9E37_79B9_7F4A_7C15 }

    /// Appends the previous documents, and removals for documents created by additions, each with the state after the
    /// run.
    func append(_ states: [SavedState], of collection: CollectionName) throws {
        for state in states {
            let left = [LeftObject.member(state.left)]
            if let document = state.document {
                DocumentObject.append(document, in: collection, with: left, to: &bytes)
                bytes.append(0x0A)
            } else if state.isNew {
                RemovalObject.append(state.item.operation.key, with: left, to: &bytes)
            } else {
                // The operation changes nothing; a later addition will be the first change.
                continue
            }
            if !isOfRemovals { _ = changed.note(state.item.operation.documentHash) }
            if bytes.count >= Self.drainThreshold { try drain() }
        }
        try drain()
        noteSaved(states)
    }

    /// Appends the states, after the run, of documents that the run had already changed.
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

    /// Waits until everything appended is on disk.
    func synchronize() throws {
        do throws(FileError) { try file.synchronize() } catch { throw failure(error) }
    }

    private func drain() throws {
        do throws(FileError) { try file.write(&bytes) } catch { throw failure(error) }
    }

    private func failure(_ error: FileError) -> FeedJobError {
        FeedJobError(.inputOutput, "cannot write the backup '\(path)': \(error.reason)", advice: nil)
    }

    /// Returns the first of `PATH.2`, `PATH.3`, … that does not exist, and is not one of the absolute paths `others`.
    static func nextPath(after path: String, besides others: [String] = []) -> String {
        let paths = (2...).lazy.map { "\(path).\($0)" }
        return paths.first { !NewFile.exists($0) && !others.contains(ProcessFacts.absolutePath(of: $0)) } ?? path
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

    private static func unreadable(_ path: String, _ error: Int32) -> FeedJobError {
        FeedJobError(
            .inputNotOpened,
            "cannot read the backup '\(path)': \(String(cString: strerror(error)))",
            advice: nil
        )
    }
}

// MARK: - Lines of a backup

extension DocumentID: JSONWritable {
    package func write(to writer: inout JSONWriter) { writer.value(utf8: utf8) }
}

/// The format `fastctl.document/1`: a stored document with its ID, collection, version and routing.
package enum DocumentObject {
    /// Appends the object for a line of a file, without a line end.
    ///
    /// The document's own bytes are unchanged, except that line breaks become spaces: readers expect one object a line.
    /// `more` contains additional members, which readers of documents ignore; a value of `nil` is written as `null`.
    package static func append(
        _ document: StoredDocument,
        in collection: CollectionName,
        with more: [(name: String, value: String?)] = [],
        to bytes: inout [UInt8]
    ) {
        append(document, in: collection, to: &bytes) { object in
            for (name, value) in more { object.member(name, value) }
            object.member("document", raw: document.json.onOneLine)
        }
    }

    package static func append(
        _ document: StoredDocument,
        in collection: CollectionName,
        to bytes: inout [UInt8],
        writing content: (inout JSONWriter) -> Void
    ) {
        bytes.append(object: "fastctl.document/1") { object in
            object.member("id", document.id)
            object.member("collection", collection.rawValue)
            object.member("version", document.version)
            object.member("routing", document.routing?.text)
            content(&object)
        }
    }
}

/// A line that requests a document's removal, for `fastctl remove --format jsonl` and `fastctl add`.
package enum RemovalObject {
    /// Appends `{"remove":"ID"}`, with the routing value, if any, and a line end.
    ///
    /// `more` contains additional members for readers that support them; a value of `nil` is written as `null`.
    package static func append(
        _ key: DocumentKey,
        with more: [(name: String, value: String?)] = [],
        to bytes: inout [UInt8]
    ) {
        var writer = JSONWriter(onto: bytes)
        bytes = []
        writer.object { object in
            object.member("remove", key.id)
            if let routing = key.routing { object.member("routing", routing.text) }
            for (name, value) in more { object.member(name, value) }
        }
        bytes = writer.takeBytes()
        bytes.append(0x0A)
    }
}

/// The format `fastctl.left/1`, which records the state, after the job, of a document that the job had already changed;
/// `add` skips such lines.
package enum LeftObject {
    /// Returns the member for the state after the job in a backup's lines, which is `null` if the state can't be
    /// determined.
    package static func member(_ left: ContentDigest?) -> (name: String, value: String?) { ("left", left?.rawValue) }

    /// Appends the object and a line end.
    package static func append(
        _ key: DocumentKey,
        left: ContentDigest?,
        in collection: CollectionName,
        to bytes: inout [UInt8]
    ) {
        bytes.append(object: "fastctl.left/1") { object in
            object.member("id", key.id)
            object.member("collection", collection.rawValue)
            object.member("routing", key.routing?.text)
            let member = Self.member(left)
            object.member(member.name, member.value)
        }
        bytes.append(0x0A)
    }
}
