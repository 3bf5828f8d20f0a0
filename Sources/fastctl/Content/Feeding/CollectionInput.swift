import ArgumentParsing
import CollectionSync
import ContentFeeding
import EngineCatalog
import FeedFormats
import FeedReports
import Reconciliation
import ReportKit

/// An input that comes from a collection, or from another source of documents, rather than from bytes.
protocol CollectionInput: Sendable {
    /// What tells the input from another one of the same command.
    var identity: [String] { get }
    /// The files that it comes from, if it comes from any.
    var files: [String] { get }
    /// Whether it is searched for anew each time, so that what was already done is not found again.
    var findsWhatIsLeft: Bool { get }
    /// The number of its operations, also of those that an earlier run has sent; `nil` if nobody has counted them.
    var operationCount: Int? { get }

    /// Opens the input, to be read on from where an earlier run stopped.
    func open(_ memory: InputMemory, keepsRouting: Bool) async throws -> FeedInput
}

extension CollectionInput {
    var operationCount: Int? { nil }
}

extension PendingInput {
    /// Creates an input from a collection, or from another source of documents.
    init(_ collection: some CollectionInput) {
        self.init(sources: [], format: .jsonLines(), limits: InputLimits())
        self.collection = collection
    }
}

/// The documents of a collection, to be copied into another one.
struct SourceCollection: CollectionInput {
    let target: OpenableTarget
    let collection: CollectionChoice
    let query: SearchQuery
    /// The top-level keys to copy; empty for all of them.
    let keys: [String]
    /// Whether documents keep the numbers of their versions.
    var keepsVersions = false
    let configuration: FeedConfiguration

    private var name: String { "\(collection.engineName) in \(target.resolved.address)" }

    var identity: [String] {
        let fields = query.fields.flatMap { [$0.name, $0.value] }
        return ["\(target.resolved.address)", collection.engineName.rawValue, query.expression ?? ""]
            + ["\(fields.count)\(keepsVersions ? " with versions" : "")"] + fields + keys
    }

    var files: [String] { target.resolved.address.files }
    var findsWhatIsLeft: Bool { true }

    func open(_ memory: InputMemory, keepsRouting: Bool) async throws -> FeedInput {
        let reader = try await CollectionReader.open(
            try await engine(),
            of: CopyOrigin(
                target: "\(target.resolved.address)",
                collection: collection.engineName,
                query: query,
                keys: keys,
                idKey: ""
            ),
            keepsRouting: keepsRouting,
            keepsVersions: keepsVersions,
            from: memory.offset,
            expecting: memory.digest
        )
        guard let reader else {
            throw InputError(.changed, source: name, reason: "it has changed since the job began")
        }
        let (name, configuration) = (name, configuration)
        return FeedInput.drawn {
            var lookUp = PatientLookUp(configuration)
            do {
                let chunk = try await lookUp.answer(
                    to: { () async throws(EngineError) in try await reader.next() },
                    unless: { Task.isCancelled }
                )
                if chunk == nil { await Self.sayUnrouted(reader.unrouted) }
                return chunk
            } catch let error as EngineError where error.code != .cancelled {
                throw EngineError(error.code, "cannot read '\(name)': \(error.message)", advice: error.advice)
            }
        }
    }

    /// Says of how many documents the routing was left out.
    static func sayUnrouted(_ count: Int) {
        guard count > 0 else { return }
        let documents = Quantity(count, "document", "documents")
        StandardError.say("the routing of \(documents) was not copied: the target has none")
    }

    /// Says how many documents would be copied.
    func preview(into place: String) async throws -> ExitCode {
        let engine = try await engine()
        var count = try await engine.count(of: query)
        if count == nil {
            var counted = 0
            let documents = try await open(InputMemory(), keepsRouting: true)
            for try await chunk in documents { counted += chunk.operations.count }
            count = counted
        }
        let documents = Quantity(count ?? 0, "document", "documents")
        StandardError.say("dry run: \(documents) of \(name) would be copied to \(place); nothing was sent")
        return .success
    }

    private func engine() async throws -> any VersionedEngine {
        let engine = try await target.open(collection).engine
        guard let versioned = engine as? any VersionedEngine else {
            throw EngineError(.unsupported, "\(name) does not tell what has changed, so it can't be copied")
        }
        return versioned
    }
}

/// The IDs of the documents that match a query, found before any of them is removed.
struct FoundDocuments: CollectionInput {
    let target: OpenableTarget
    let collection: CollectionChoice
    let query: SearchQuery

    var identity: [String] { [] }
    var files: [String] { [] }
    var findsWhatIsLeft: Bool { true }

    func open(_ memory: InputMemory, keepsRouting: Bool) async throws -> FeedInput {
        let engine = try await target.open(collection).engine
        do throws(EngineError) {
            // What was written a moment ago is to be found too.
            try await engine.raise(to: .live)
        } catch {
            guard error.code == .permission else { throw error }
            StandardError.say("what was written within the last moments may not be found: \(error.message)")
        }
        let pages = FoundPages(engine, query)
        return FeedInput.drawn { try await pages.next() }
    }
}

/// The pages of a search, as removals.
private actor FoundPages {
    private let engine: any SearchableEngine
    private let query: SearchQuery
    private var cursor: SearchCursor?
    private var isAtEnd = false
    private var found: UInt64 = 0

    init(_ engine: any SearchableEngine, _ query: SearchQuery) {
        self.engine = engine
        var query = query
        query.includesDocuments = false
        self.query = query
    }

    func next() async throws -> OperationChunk? {
        guard !isAtEnd else { return nil }
        let page: SearchPage
        do throws(EngineError) {
            page = try await engine.find(query, after: cursor)
        } catch {
            isAtEnd = true
            if let cursor { await engine.close(cursor) }
            throw error
        }
        cursor = page.next
        isAtEnd = page.next == nil
        found += UInt64(page.documents.count)
        return OperationChunk(
            operations: page.documents.map { ContentOperation.remove(DocumentKey($0.id, routing: $0.routing)) },
            end: InputOffset(source: 0, byte: found),
            input: InputTally(lines: page.documents.count)
        )
    }
}

/// The operations of a plan as the input of a feed.
///
/// A resumed job goes on behind the last operation that was read; a chunk's offset is a place in the file, and its digest
/// that of the whole plan.
struct PlanInput: CollectionInput {
    let plan: PlanFile
    let path: String

    /// The operations and bytes at which a chunk is handed over.
    private static let chunkCount = 1_000
    private static let chunkBytes = 1 << 20

    var identity: [String] { ["plan"] + plan.digest.map { String($0, radix: 16) } }
    var files: [String] { [path] }
    var findsWhatIsLeft: Bool { false }
    var operationCount: Int? { plan.tally.operations }

    func open(_ memory: InputMemory, keepsRouting: Bool) async throws -> FeedInput {
        guard memory.digest.isEmpty || memory.digest == plan.digest else {
            throw InputError(.changed, source: path, reason: "it is another plan than when the job began")
        }
        let lines = PlannedChunks(plan, from: Int(clamping: memory.offset.byte))
        return FeedInput.drawn { [path] in
            do {
                return try await lines.next(count: Self.chunkCount, bytes: Self.chunkBytes)
            } catch let error as PlanError {
                throw InputError(.cannotRead, source: path, reason: error.message)
            }
        }
    }
}

/// The operations of a plan, chunk by chunk.
private actor PlannedChunks {
    private let plan: PlanFile
    private var place: Int

    init(_ plan: PlanFile, from place: Int) { (self.plan, self.place) = (plan, place) }

    func next(count: Int, bytes: Int) throws(PlanError) -> OperationChunk? {
        guard let page = try plan.next(from: place, limit: count, maximumBytes: bytes) else { return nil }
        let size = page.end - place
        place = page.end
        return OperationChunk(
            operations: page.operations,
            end: InputOffset(source: 0, byte: UInt64(page.end)),
            input: InputTally(lines: page.operations.count, bytes: size),
            digest: plan.digest
        )
    }
}

/// What must be true of a collection for a plan to be carried out; a dry run and the run itself ask the same.
struct PlanGuard: Sendable {
    private let state: CollectionState
    private let removals: Int
    private let limit: RemovalLimit?
    private let createdAt: String

    /// What a collection says of a plan.
    struct Verdict {
        /// The limit on removals; `nil` if there is none.
        var limit: PreviewConclusion.Limit?
        /// Why the plan is refused; `nil` if it is not.
        var refusal: CommandFailure?
    }

    init(_ plan: PlanFile, limit: RemovalLimit?) {
        (state, removals, createdAt) = (plan.header.state, plan.tally.removals, plan.header.createdAt)
        self.limit = limit
    }

    /// Returns whether the plan removes too much, or the collection was changed; a job that goes on has changed it itself.
    func verdict(on engine: any CollectionEngine, isResumed: Bool) async throws -> Verdict {
        var verdict = Verdict()
        if let limit {
            let allowed = try await limit.operations(of: engine.count())
            verdict.limit = .init(allowed: allowed, removals: removals)
            if removals > allowed { verdict.refusal = tooManyRemovals(allowed) }
        }
        guard verdict.refusal == nil, !isResumed else { return verdict }
        guard let versioned = engine as? any VersionedEngine else {
            throw EngineError(.unsupported, "'\(engine.collection)' does not tell the versions of its documents")
        }
        if try await !versioned.state().isSame(as: state) { verdict.refusal = changed(engine.collection) }
        return verdict
    }

    /// Throws if the plan is refused.
    func check(_ engine: any CollectionEngine, isResumed: Bool) async throws {
        if let refusal = try await verdict(on: engine, isResumed: isResumed).refusal { throw refusal }
    }

    private func tooManyRemovals(_ allowed: Int) -> CommandFailure {
        let planned = Quantity(removals, "removal", "removals")
        return CommandFailure(
            .refused,
            "refused: the plan has \(planned), and --max-remove allows \(allowed); nothing was sent",
            advice: "check what would be removed with --dry-run, then raise --max-remove"
        )
    }

    private func changed(_ collection: CollectionName) -> CommandFailure {
        CommandFailure(
            .refused,
            "refused: '\(collection)' was changed since the plan was made (\(createdAt)); nothing was sent",
            advice: "make a new plan"
        )
    }

    /// Throws if the collection was changed while a plan for it was made: the plan would be refused.
    static func requireUnmoved(_ engine: any VersionedEngine, since state: CollectionState) async throws {
        guard try await !engine.state().isSame(as: state) else { return }
        throw EngineError(
            .collectionChanged,
            "'\(engine.collection)' was changed while the plan was made, so no plan was written",
            advice: "run the command again when nothing is fed into it"
        )
    }
}
