import CollectionSync
package import ContentFeeding
import DocumentSources
import EngineCatalog
package import FeedFormats
package import Reconciliation
import TextKit

/// An input that comes from a collection, or from another source of documents, rather than from bytes.
package protocol CollectionInput: Sendable {
    /// The words that distinguish the input from other inputs of the same command.
    var identity: [String] { get }
    /// The files from which the input comes, if any.
    var files: [String] { get }
    /// Whether each run determines the input again, in which case completed operations are not found again.
    var findsWhatIsLeft: Bool { get }
    /// Whether each operation is carried out only if its document has not changed since the input was made. If so, no
    /// operation is carried out wrongly or twice, even if other clients make changes.
    var isConditional: Bool { get }
    /// The number of operations in the input, including those that an earlier run has sent; `nil` if they are not
    /// counted.
    var operationCount: Int? { get }
    /// The conditions that select the documents; `nil` if no conditions are used.
    var selection: SearchQuery? { get }

    /// Opens the input at the position at which an earlier run stopped.
    func open(_ memory: InputMemory, keepsRouting: Bool, _ observer: any FeedObserver) async throws -> FeedInput
}

extension CollectionInput {
    package var operationCount: Int? { nil }
    package var selection: SearchQuery? { nil }
    package var isConditional: Bool { false }
}

/// The documents of a collection that are copied to another collection.
package struct SourceCollection: CollectionInput {
    package let target: OpenableTarget
    package let collection: CollectionChoice
    let query: SearchQuery
    /// The top-level keys to copy; empty for all.
    let keys: [String]
    /// Whether documents keep their version numbers.
    package var keepsVersions = false
    let configuration: FeedConfiguration

    package init(
        target: OpenableTarget,
        collection: CollectionChoice,
        query: SearchQuery,
        keys: [String],
        keepsVersions: Bool = false,
        configuration: FeedConfiguration
    ) {
        (self.target, self.collection, self.query, self.keys, self.keepsVersions, self.configuration) = (
            target, collection, query, keys, keepsVersions, configuration
        )
    }

    package var name: String { "\(collection.engineName) in \(target.resolved.address)" }

    package var identity: [String] {
        let fields = query.fields.flatMap { [$0.name, $0.value] }
        return ["\(target.resolved.address)", collection.engineName.rawValue, query.expression ?? ""]
            + ["\(fields.count)\(keepsVersions ? " with versions" : "")"] + fields + keys
    }

    package var files: [String] { target.resolved.address.files }
    package var findsWhatIsLeft: Bool { true }
    package var selection: SearchQuery? { query.fields.isEmpty && query.expression == nil ? nil : query }

    package func open(
        _ memory: InputMemory,
        keepsRouting: Bool,
        _ observer: any FeedObserver
    ) async throws -> FeedInput {
        let engine = try await engine()
        try Self.refusePart(of: engine, named: name, choosing: keys)
        let reader = try await CollectionReader.open(
            engine,
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
            throw InputError(.changed, source: name, reason: "it has changed since the job started")
        }
        let (name, configuration) = (name, configuration)
        return FeedInput.drawn {
            var lookUp = PatientLookUp(configuration, observer)
            do {
                let chunk = try await lookUp.answer(
                    to: { () async throws(EngineError) in try await reader.next() },
                    unless: { Task.isCancelled }
                )
                if chunk == nil { await Self.remark(unrouted: reader.unrouted, observer) }
                return chunk
            } catch let error as EngineError where error.code != .cancelled {
                throw EngineError(error.code, "cannot read '\(name)': \(error.message)", advice: error.advice)
            }
        }
    }

    /// Refuses a collection that has only some keys of its documents, unless keys are selected: otherwise, its partial
    /// documents would replace complete ones.
    static func refusePart(
        of engine: any CollectionEngine,
        named name: String,
        choosing keys: [String] = []
    ) throws(SourceError) {
        let only = engine.capabilities.onlyKeys
        guard keys.isEmpty, !only.isEmpty else { return }
        throw SourceError(
            .unsupported,
            "'\(name)' keeps only some keys of its documents (\(only.joined(separator: ", "))), and these documents would "
                + "replace whole ones",
            advice: "copy from its origin, or choose keys with 'fastctl copy --fields'"
        )
    }

    /// Prints a remark about the number of documents whose routing was omitted.
    static func remark(unrouted count: Int, _ observer: any FeedObserver) {
        guard count > 0 else { return }
        let documents = Quantity(count, "document", "documents")
        observer.remark("the routing of \(documents) was not copied: the target has none")
    }

    /// Counts the documents; reads them if the engine does not count them.
    package func count() async throws -> Int {
        if let count = try await engine().count(of: query) { return count }
        var count = 0
        for try await chunk in try await open(InputMemory(), keepsRouting: true, SilentObserver()) {
            count += chunk.operations.count
        }
        return count
    }

    private func engine() async throws -> any VersionedEngine {
        let engine = try await target.open(collection).engine
        guard let versioned = engine.versions else {
            throw EngineError(.unsupported, "\(name) does not report changes, so it can't be copied")
        }
        return versioned
    }
}

/// The IDs of the documents that match a query, found before any of them is removed.
package struct FoundDocuments: CollectionInput {
    let target: OpenableTarget
    let collection: CollectionChoice
    let query: SearchQuery

    package init(target: OpenableTarget, collection: CollectionChoice, query: SearchQuery) {
        (self.target, self.collection, self.query) = (target, collection, query)
    }

    package var identity: [String] { [] }
    package var files: [String] { [] }
    package var findsWhatIsLeft: Bool { true }
    package var selection: SearchQuery? { query }

    package func open(
        _ memory: InputMemory,
        keepsRouting: Bool,
        _ observer: any FeedObserver
    ) async throws -> FeedInput {
        let engine = try await target.open(collection).engine
        do throws(EngineError) {
            // Recent writes must also be found.
            try await engine.raise(to: .live)
        } catch {
            guard error.code == .permission else { throw error }
            observer.remark("the latest changes may not be found: \(error.message)")
        }
        let pages = FoundPages(engine, query)
        return FeedInput.drawn { try await pages.next() }
    }
}

/// The pages of a search, converted to removals.
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

extension VersionedEngine {
    /// Finds the documents that match a query, at most `limit` of them, and passes on the current version of each, page
    /// by page.
    package func forEachFound(
        _ query: SearchQuery,
        limit: Int = .max,
        _ body: ([(key: DocumentKey, answer: VersionAnswer)]) async throws -> Void
    ) async throws {
        var query = query
        query.includesDocuments = false
        var rest = limit
        guard rest > 0 else { return }
        try await forEachFoundPage(of: query) { page in
            let keys = page.documents.prefix(rest).map { DocumentKey($0.id, routing: $0.routing) }
            rest -= keys.count
            let answers = keys.isEmpty ? [] : try await allVersions(at: keys)
            try await body(Array(zip(keys, answers)).map { ($0, $1) })
            return rest > 0
        }
    }
}

/// The operations of a plan as the input of a feed.
///
/// A resumed job continues after the last operation that was read; a chunk's offset is a position in the file, and its
/// digest covers the whole plan.
package struct PlanInput: CollectionInput {
    let plan: PlanFile
    let path: String

    /// The number of operations and the number of bytes at which a chunk is returned.
    private static let chunkCount = 1_000
    private static let chunkBytes = 1 << 20

    package init(plan: PlanFile, path: String) {
        (self.plan, self.path) = (plan, path)
    }

    package var identity: [String] { ["plan"] + plan.digest.map { String($0, radix: 16) } }
    package var files: [String] { [path] }
    package var findsWhatIsLeft: Bool { false }
    package var isConditional: Bool { true }
    package var operationCount: Int? { plan.tally.operations }

    package func open(
        _ memory: InputMemory,
        keepsRouting: Bool,
        _ observer: any FeedObserver
    ) async throws -> FeedInput {
        guard memory.digest.isEmpty || memory.digest == plan.digest else {
            throw InputError(.changed, source: path, reason: "it is not the plan that the job began with")
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

/// An iterator over the operations of a plan, in chunks.
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

/// The conditions that a collection must meet for a plan to be carried out; a dry run and the actual run check the same
/// conditions.
package struct PlanGuard: Sendable {
    private let state: CollectionState
    private let removals: Int
    private let replacements: Int
    private let limit: RemovalLimit?
    private let replacementLimit: RemovalLimit?
    private let createdAt: String

    /// The result of checking a plan against its collection.
    package struct Verdict {
        /// The limit on removals; `nil` if there is none.
        package var limit: (allowed: Int, removals: Int)?
        /// The limit on replacements; `nil` if there are none.
        package var replacementLimit: (allowed: Int, replacements: Int)?
        /// The reason why the plan is refused; `nil` if it is accepted.
        package var refusal: FeedJobError?
    }

    /// The number of replacements that are always allowed, because a small collection may well change completely.
    private static let smallestReplacementLimit = 100

    /// Creates the guard of a plan.
    ///
    /// By default, half of the collection may be replaced, or 100 documents.
    package init(_ plan: PlanFile, limit: RemovalLimit?, replacements: RemovalLimit?) {
        (state, createdAt) = (plan.header.state, plan.header.createdAt)
        (self.removals, self.replacements) = (plan.tally.removals, plan.tally.replacements + plan.tally.updates)
        (self.limit, replacementLimit) = (limit, replacements)
    }

    /// Checks whether the plan removes too much, or the collection was changed (unless by the resumed job itself).
    package func verdict(on engine: any CollectionEngine, isResumed: Bool) async throws -> Verdict {
        var verdict = try await verdict(onLimitsOf: engine)
        guard verdict.refusal == nil, !isResumed else { return verdict }
        guard let versioned = engine.versions else {
            throw EngineError(.unsupported, "'\(engine.collection)' does not report the versions of its documents")
        }
        if try await !versioned.state().isSame(as: state) { verdict.refusal = changed(engine.collection) }
        return verdict
    }

    /// Checks whether the plan removes or replaces too much, regardless of later changes to the collection.
    package func verdict(onLimitsOf engine: any CollectionEngine) async throws -> Verdict {
        var verdict = Verdict()
        if let limit {
            let allowed = try await limit.operations(of: engine.count())
            verdict.limit = (allowed, removals)
            if removals > allowed { verdict.refusal = tooManyRemovals(allowed) }
        }
        if replacements > 0 {
            let documents = try await engine.count()
            let allowed = allowedReplacements(of: documents)
            verdict.replacementLimit = (allowed, replacements)
            if verdict.refusal == nil, replacements > allowed {
                verdict.refusal = tooManyReplacements(allowed, of: documents)
            }
        }
        return verdict
    }

    /// Throws an error if the plan is refused.
    package func check(_ engine: any CollectionEngine, isResumed: Bool) async throws {
        if let refusal = try await verdict(on: engine, isResumed: isResumed).refusal { throw refusal }
    }

    private func tooManyRemovals(_ allowed: Int) -> FeedJobError {
        let planned = Quantity(removals, "removal", "removals")
        return FeedJobError(
            .refused,
            "refused: the plan contains \(planned), but --max-remove allows only \(allowed); nothing was sent",
            advice: "check what would be removed with --dry-run, then raise --max-remove"
        )
    }

    private func allowedReplacements(of documents: Int) -> Int {
        replacementLimit?.operations(of: documents)
            ?? max(RemovalLimit.percent(50).operations(of: documents), Self.smallestReplacementLimit)
    }

    private func tooManyReplacements(_ allowed: Int, of documents: Int) -> FeedJobError {
        let limit = replacementLimit == nil ? "are allowed without --max-replace" : "--max-replace allows"
        return FeedJobError(
            .refused,
            "refused: the plan replaces \(replacements) of \(Quantity(documents, "document", "documents")), more than the "
                + "\(allowed) that \(limit); nothing was sent",
            advice: "check what would change with --dry-run=server, then raise --max-replace"
        )
    }

    private func changed(_ collection: CollectionName) -> FeedJobError {
        FeedJobError(
            .refused,
            "refused: '\(collection)' has changed since the plan was made (\(createdAt)); nothing was sent",
            advice: "make a new plan"
        )
    }

    /// Throws an error if the collection was changed while a plan for it was made, because the plan would be refused.
    package static func requireUnmoved(_ engine: any VersionedEngine, since state: CollectionState) async throws {
        guard try await !engine.state().isSame(as: state) else { return }
        throw EngineError(
            .collectionChanged,
            "'\(engine.collection)' changed while the plan was being made, so no plan was written",
            advice: "run the command again when the collection is not being fed"
        )
    }
}
