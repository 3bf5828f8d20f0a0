package import ContentFeeding
import Digests
package import DocumentSources
package import Files
import Glibc
import JSONText
import Synchronization

/// A comparison of a source with a collection, which are read at the same time, each in bounded memory.
package struct Reconciler: Sendable {
    /// The source, which determines the desired state.
    package let source: any DocumentSource
    /// The collection.
    package let engine: any VersionedEngine
    /// The basis of the comparison.
    package let basis: VersionBasis
    private let space: SpillSpace
    private let memory: Int
    private let progress: ReconciliationProgress

    /// A function that repeats a request to a collection for as long as it may succeed.
    package typealias Patience = @Sendable (_ question: Question) async throws -> PackedVersions?

    /// A function that sends a request to a collection once.
    package typealias Question = @Sendable () async throws(EngineError) -> PackedVersions?

    /// Creates a comparison.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - engine: The collection.
    ///   - basis: The basis of the comparison.
    ///   - space: Disk space for data that exceeds `memory`.
    ///   - memory: The memory for each of the two sides, in bytes.
    ///   - progress: Receives the progress of reading and comparing.
    package init(
        _ source: any DocumentSource,
        _ engine: any VersionedEngine,
        by basis: VersionBasis,
        in space: SpillSpace,
        memory: Int = 16 << 20,
        progress: ReconciliationProgress = ReconciliationProgress()
    ) {
        (self.source, self.engine, self.basis) = (source, engine, basis)
        (self.space, self.memory, self.progress) = (space, memory, progress)
    }

    /// Returns the default basis for a source and a collection, determined from the collection's first documents.
    package static func usualBasis(
        _ source: any DocumentSource,
        _ engine: any VersionedEngine,
        content: ContentFingerprint
    ) async throws(EngineError) -> VersionBasis {
        let traits = source.traits
        guard traits.versionKey != nil, let part = try await engine.state().parts.first else {
            return .usual(for: traits, and: [], content: content)
        }
        // Removed documents that have not been erased yet are also in the history, but do not count.
        var place = CollectionPart.beginning
        while true {
            let page = try await engine.changes(of: SearchQuery(), in: part, after: place)
            if !page.documents.isEmpty || page.isLast {
                return .usual(for: traits, and: page.documents, content: content)
            }
            place = page.place
        }
    }

    /// Reads both sides to their ends; throws an error if one of them can't be read completely.
    package func read(_ patience: @escaping Patience = { try await $0() }) async throws -> Drift {
        async let collection = readCollection(patience)
        let (list, account) = try await readSource()
        let (other, state, isMoved) = try await collection
        return Drift(
            sides: Planner.Sides(source: list, collection: other),
            account: account,
            state: state,
            isMoved: isMoved,
            look: SecondLook(at: engine, by: basis.digest),
            progress: progress
        )
    }

    @concurrent
    private func readSource() async throws -> (VersionList, SourceAccount) {
        let reader = try await SourceVersions(of: source, by: basis)
        var list = VersionListBuilder(in: space, memory: memory)
        while let page = try await reader.next() {
            progress.note(source: await reader.account)
            try list.append(page)
        }
        let account = await reader.account
        return (try list.finish(), account)
    }

    @concurrent
    private func readCollection(_ patience: Patience) async throws -> (VersionList, CollectionState, Bool) {
        let reader = try await CollectionVersions(of: engine, by: basis.digest)
        // The count is used only for progress; if it fails, the reads below report their own errors.
        progress.expect(documents: try? await engine.count(of: SearchQuery()))
        var list = VersionListBuilder(in: space, memory: memory)
        while let page = try await patience({ () async throws(EngineError) in try await reader.next() }) {
            progress.note(documents: page.count)
            try list.append(page)
        }
        let isMoved = await reader.isMoved
        return (try list.finish(), reader.state, isMoved)
    }
}

/// The entries of a source and a collection, ready to be compared.
package struct Drift: Sendable {
    /// The versions of both sides.
    package let sides: Planner.Sides
    /// The summary of reading the source.
    package let account: SourceAccount
    /// The state of the collection before it was read.
    package let state: CollectionState
    /// Whether the collection was changed while it was read, so each difference must be checked again.
    package let isMoved: Bool
    private let look: SecondLook
    private let progress: ReconciliationProgress

    init(
        sides: Planner.Sides,
        account: SourceAccount,
        state: CollectionState,
        isMoved: Bool,
        look: SecondLook,
        progress: ReconciliationProgress
    ) {
        self.sides = sides
        self.account = account
        self.state = state
        self.isMoved = isMoved
        self.look = look
        self.progress = progress
    }

    /// The maximum number of differences that are passed on at once.
    private static let pageCount = 500

    /// Calls `visit` with the differences of these kinds, in the order of IDs, and returns the counts of all
    /// differences.
    package func forEach(
        of kinds: Set<Difference.Kind>,
        _ visit: ([Difference]) throws -> Void
    ) async throws -> ComparisonCounts {
        var comparison = try Comparison(source: sides.source, collection: sides.collection, progress: progress)
        progress.beginComparing(sides.source.count + sides.collection.count)
        var corrected = ComparisonCounts()
        while case let page = try comparison.next(Self.pageCount), !page.isEmpty {
            try Task.checkCancellation()
            var wanted = page.filter { kinds.contains($0.kind) }
            if isMoved { wanted = try await look.confirmed(page, &corrected).filter { kinds.contains($0.kind) } }
            if !wanted.isEmpty { try visit(wanted) }
        }
        return comparison.counts + corrected
    }
}

extension ComparisonCounts {
    /// Adds corrections, which may be negative.
    fileprivate static func + (left: Self, right: Self) -> Self {
        var sum = left
        for kind in Difference.Kind.allCases { sum[kind] += right[kind] }
        sum.settled += right.settled
        return sum
    }
}

/// The progress of a comparison, written by the readers and the comparison and read by the display.
package final class ReconciliationProgress: Sendable {
    /// The current stage of work.
    ///
    /// Each stage begins when the previous stage has ended.
    package enum Stage: Hashable, Sendable {
        /// Both sides are read at the same time.
        case reading(Reading)
        /// Both sides are compared, in the order of IDs.
        case comparing(Share)
        /// The source is read again for the planned documents, and orphaned documents are looked up.
        case planning(Share)
    }

    /// The number of entries and documents read.
    package struct Reading: Hashable, Sendable {
        /// The number of entries of the source.
        package var source = 0
        /// The number of unreadable entries of the source.
        package var rejected = 0
        /// The number of documents of the collection.
        package var collection = 0
        /// The number of documents that the collection reported at the beginning; `nil` if it did not report one.
        package var collectionTotal: Int?
    }

    /// The completed part of work whose total is known.
    package struct Share: Hashable, Sendable {
        /// The amount of completed work.
        package var done = 0
        /// The total amount of work.
        package let total: Int
    }

    private let state = Mutex(State())

    private struct State {
        var reading = Reading()
        var later: Stage?
    }

    /// Creates the progress of a comparison that has not begun.
    package init() {}

    /// The current stage.
    package var stage: Stage { state.withLock { $0.later ?? .reading($0.reading) } }

    /// The number of unreadable entries of the source, also available after reading has ended.
    package var rejected: Int { state.withLock { $0.reading.rejected } }

    func note(source account: SourceAccount) {
        state.withLock { ($0.reading.source, $0.reading.rejected) = (account.entries, account.rejected) }
    }

    func note(documents count: Int) { state.withLock { $0.reading.collection += count } }

    func expect(documents count: Int?) { state.withLock { $0.reading.collectionTotal = count } }

    func beginComparing(_ total: Int) { state.withLock { $0.later = .comparing(Share(total: total)) } }

    func beginPlanning(_ total: Int) { state.withLock { $0.later = .planning(Share(total: total)) } }

    /// Adds to the number of items that were compared or read again.
    func note(done count: Int) {
        state.withLock { state in
            switch state.later {
            case .comparing(var share):
                share.done += count
                state.later = .comparing(share)
            case .planning(var share):
                share.done += count
                state.later = .planning(share)
            case .reading, nil: break
            }
        }
    }
}

/// A record of the number of entries that each source had when it was last read completely: a folder with a small file
/// for each source and collection.
package struct ReadingNotes: Sendable {
    private let folder: String

    /// The maximum size of a file in bytes; larger files are ignored.
    private static let mostBytes = 64 << 10

    /// Creates a record in a folder; the folder itself is created when the first number is recorded.
    package init(in folder: String) { self.folder = folder }

    /// Returns the number of entries at the last complete reading; `nil` if there is no readable file.
    ///
    /// `names` identify the source and the collection.
    package func entries(of names: [String]) -> Int? {
        guard let bytes = try? SmallFile.read(path(of: names), maximum: Self.mostBytes),
            let note = try? JSONValue(bytes), note["of"].elements.compactMap(\.text) == names
        else { return nil }
        return note["entries"].int.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Records the number of entries at a complete reading.
    package func note(_ entries: Int, of names: [String]) throws(FileError) {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("of", names)
            writer.member("entries", entries)
        }
        writer.endLine()
        makeFolder()
        try AtomicFile.write(writer.takeBytes(), to: path(of: names), keeping: 0o600)
    }

    /// Creates the folder, accessible only to its owner; if this fails, the error is reported when the file is created.
    private func makeFolder() {
        var end = folder.startIndex
        while end < folder.endIndex {
            end = folder[folder.index(after: end)...].firstIndex(of: "/") ?? folder.endIndex
            mkdir(String(folder[..<end]), 0o700)
        }
    }

    private func path(of names: [String]) -> String {
        var function = SHA256()
        let digest = function.digest(of: names.flatMap { Array("\($0.utf8.count):\($0)".utf8) })
        return "\(folder)/\(digest.hexadecimal.prefix(32)).json"
    }
}
