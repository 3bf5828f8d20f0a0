import ContentFeeding
import EngineHTTP
import JSONText
import Synchronization

/// The proofs that allow removals to be sent to Solr without questions about their documents.
///
/// A question about a document costs Solr several times as much as its removal. Two facts make questions unnecessary:
/// - No document is nested. A search has counted them; because other clients may add some, it is repeated from time to
///   time.
/// - Solr enforces conditions: it has refused to remove a document that does not exist on the condition that it does.
///   Each removal can then require that its document exists (`_version_` 1). A standalone Solr executes the commands in
///   order, and refuses the first one whose document is missing, so all results are exact.
///
/// The facts are proved only once the questions of a feed have cost about as much as the proof. While documents are
/// missing, batches are looked up, because each refusal costs a request.
final class RemovalProofs: Sendable {
    private struct State {
        /// The number of removals about which questions were asked.
        var asked = 0
        /// The number of documents in the collection; `nil` until it is known.
        var documents: Int?
        /// Whether the last documents that were looked up or removed all existed.
        var isComplete = false
        var conditions = Conditions.untested
        var nesting: Nesting
        var isProving = false
    }

    /// The knowledge about Solr's reaction to a condition that is not met.
    private enum Conditions: Hashable {
        case untested
        case enforced
        /// Solr ignores conditions, or its reaction is not understood.
        case unusable
    }

    /// The knowledge about nested documents.
    private enum Nesting: Hashable {
        /// The schema allows no nested documents, or we can't see it.
        case never
        case uncounted
        /// There were none, which counts until this time.
        case none(until: ContinuousClock.Instant)
        /// There are some, or they can't be counted.
        case possible
    }

    private let state: Mutex<State>
    private let solr: SolrInstance
    private let collection: CollectionName
    private let uniqueKey: String

    /// The number of removals to ask about before anything is proved.
    static let leastAsked = 2_000
    /// The number of documents that a search counts at the cost of one question.
    private static let countedPerQuestion = 32
    /// The shortest time for which a count is trusted; ``restPerCount`` limits the share of time spent on counting.
    private static let shortestTrust = Duration.seconds(30)
    private static let restPerCount = 32

    /// Creates the proofs; if the collection `canNest`, its nested documents must be counted.
    init(in collection: CollectionName, of solr: SolrInstance, uniqueKey: String, canNest: Bool) {
        (self.collection, self.solr, self.uniqueKey) = (collection, solr, uniqueKey)
        state = Mutex(State(nesting: canNest ? .uncounted : .never))
    }

    /// Returns whether no document of the batch can be nested, and the batch consists of unconditional removals.
    func isFlat(_ batch: ContentBatch) -> Bool {
        state.withLock { Self.isTrusted($0.nesting) } && Self.isOfRemovals(batch)
    }

    /// Returns whether the batch can be sent without a look-up, on condition that its documents exist.
    func allow(_ batch: ContentBatch) -> Bool {
        let isProven = state.withLock { $0.isComplete && $0.conditions == .enforced && Self.isTrusted($0.nesting) }
        return isProven && Self.isOfRemovals(batch)
    }

    private static func isTrusted(_ nesting: Nesting) -> Bool {
        switch nesting {
        case .never: true
        case .none(let end): .now < end
        case .uncounted, .possible: false
        }
    }

    private static func isOfRemovals(_ batch: ContentBatch) -> Bool {
        let items = batch.items.span
        for place in items.indices {
            guard items[place].operation.kind == .remove, items[place].operation.condition == nil,
                !items[place].operation.documentID.isOtherSpelling()
            else { return false }
        }
        return true
    }

    /// Records that documents of a batch are missing, so the next batches are looked up.
    func noteMissing() { state.withLock { $0.isComplete = false } }

    /// Records that Solr refused a batch for a reason that does not name one of its documents.
    func distrustConditions() { state.withLock { $0.conditions = .unusable } }

    /// Records the answers about the documents of a batch, and proves the facts when it is time.
    func note(_ batch: ContentBatch, found: Int, refused: Int) async {
        guard Self.isOfRemovals(batch) else { return }
        let isWhole = solr.options.checksMissing && refused == 0 && found == batch.items.count
        let isProving = state.withLock { state in
            state.isComplete = isWhole
            state.asked += batch.items.count
            guard state.asked >= Self.leastAsked, !state.isProving else { return false }
            let needsCount = state.nesting != .possible && !Self.isTrusted(state.nesting)
            state.isProving = needsCount || isWhole && state.conditions == .untested
            return state.isProving
        }
        guard isProving else { return }
        await prove(withConditions: isWhole)
        state.withLock { $0.isProving = false }
    }

    /// Proves the facts that are not proven yet; whether conditions are enforced, only if they are useful.
    private func prove(withConditions needsConditions: Bool) async {
        do throws(RequestFailure) {
            guard try await isFlat() else { return }
        } catch {
            // Questions are always possible instead.
            state.withLock { $0.nesting = .possible }
        }
        guard needsConditions, solr.mode == .standalone, state.withLock({ $0.conditions }) == .untested else { return }
        let isEnforced = await enforcesConditions()
        state.withLock { $0.conditions = isEnforced ? .enforced : .unusable }
    }

    private func isFlat() async throws(RequestFailure) -> Bool {
        let (nesting, asked, documents) = state.withLock { ($0.nesting, $0.asked, $0.documents) }
        if Self.isTrusted(nesting) { return true }
        guard nesting != .possible, solr.mode == .standalone else { return false }
        let path = EnginePath(collection.rawValue, "select").with("wt", "json")
        var count = documents ?? 0
        if documents == nil {
            let all = FormBody([("q", "*:*"), ("defType", "lucene"), ("rows", "0")])
            count = try await solr.client.ask(path, all).found()
            state.withLock { [count] in $0.documents = count }
        }
        guard asked * Self.countedPerQuestion >= count else { return false }
        let start = ContinuousClock.now
        let reply = try await solr.client.ask(path, FormBody(Self.census(uniqueKey: uniqueKey)))
        let isFlat = Self.isFlat(try reply.tree())
        let trust = max(Self.shortestTrust, start.duration(to: .now) * Self.restPerCount)
        state.withLock { $0.nesting = isFlat ? .none(until: .now + trust) : .possible }
        return isFlat
    }

    /// Returns a search for documents that have a `_root_`, with the IDs and roots that occur more than once, and the
    /// number of documents that are roots.
    private static func census(uniqueKey: String) -> [(name: String, value: String)] {
        let key = SolrQuery.localParameter(uniqueKey)
        return [
            ("q", "_root_:[* TO *]"), ("defType", "lucene"), ("rows", "0"), ("expandMacros", "false"),
            ("timeAllowed", "20000"),
            ("facet", "true"), ("facet.method", "enum"), ("facet.enum.cache.minDf", "2147483647"),
            ("facet.mincount", "2"), ("facet.limit", "1"), ("facet.field", "{!key=roots}_root_"),
            ("facet.field", "{!key=ids}\(uniqueKey)"),
            ("facet.query", "{!join key=named from=_root_ to=\(key) v='*:*'}"),
        ]
    }

    /// Returns whether the answer to the census proves that no document is nested.
    ///
    /// If all IDs and all roots are distinct, and each document with a `_root_` has an ID that is a root, there are as
    /// many roots as documents; and a block's documents share their root, so each is alone in its block.
    static func isFlat(_ answer: JSONValue) -> Bool {
        let facets = answer["facet_counts"]
        guard let count = answer["response"]["numFound"].int,
            let named = facets["facet_queries"]["named"].int,
            case .array(let roots) = facets["facet_fields"]["roots"],
            case .array(let ids) = facets["facet_fields"]["ids"]
        else { return false }
        return count == named && roots.isEmpty && ids.isEmpty
    }

    /// Returns whether Solr refuses to remove a document that does not exist on the condition that it does.
    ///
    /// The ID is new, and not a number: Solr would read a number in a key of that kind in more than one spelling.
    private func enforcesConditions() async -> Bool {
        var system = SystemRandomNumberGenerator()
        guard let id = try? DocumentID("fastctl-" + JobID.random(using: &system).rawValue) else { return false }
        var body = UpdateBody(uniqueKey: uniqueKey)
        body.remove(utf8: id.utf8, only: VersionCondition(number: 1))
        let path = EnginePath(collection.rawValue, "update").with("wt", "json").with("commit", "false")
        do throws(RequestFailure) {
            _ = try await solr.client.send(EngineRequest(.post, path, body: body.finish()))
            return false
        } catch {
            guard error.status == 409, let message = error.message else { return false }
            return UnmetCondition(message) == UnmetCondition(id: id, isMissing: true)
        }
    }
}

extension BatchPlan {
    /// Creates the plan of removing documents that must exist.
    init(removingExisting batch: ContentBatch, uniqueKey: String) {
        self.init(batch, found: [:], checksMissing: true, uniqueKey: uniqueKey, requiresExistence: true)
    }

    /// Returns the place of the only operation whose document is missing according to Solr's message.
    func placeOfMissing(_ message: String, of items: [ContentBatch.Item]) -> Int? {
        guard let condition = UnmetCondition(message), condition.isMissing else { return nil }
        let places = places.filter { items[$0].operation.documentID == condition.id }
        return places.count == 1 ? places.first : nil
    }
}

extension SolrCollection {
    /// Removes documents without a look-up, on the condition that they exist.
    ///
    /// Solr stops at the first missing document; the rest of the batch is looked up.
    func removeExisting(_ batch: ContentBatch) async -> BatchReply {
        let items = batch.items
        var plan = BatchPlan(removingExisting: batch, uniqueKey: uniqueKey)
        let body = plan.takeBody()
        let failure: RequestFailure
        do throws(RequestFailure) {
            let reply = try await solr.client.send(EngineRequest(.post, updatePath, body: body))
            guard let header = reply.header, header.errors.isEmpty else {
                removalProofs.distrustConditions()
                throw RequestFailure.unreadable(reply.http, "Solr does not report the result of the update")
            }
            return .results(plan.results)
        } catch {
            failure = error
        }
        guard failure.status == 409, let message = failure.message else {
            return .failed(await batchFailure(failure))
        }
        guard let missing = plan.placeOfMissing(message, of: items) else {
            removalProofs.distrustConditions()
            let unknown = OperationResult.unknown(BatchFailure(failure).failure, answered: true)
            return .results(Array(repeating: unknown, count: items.count))
        }
        removalProofs.noteMissing()
        var results = plan.results
        results[missing] = .done(.missing)
        let rest = items.indices.dropFirst(missing + 1)
        if rest.isEmpty { return .results(results) }
        let reply = await applyLookedUp(batch.replacing(rest.map { items[$0] }, job: nil))
        // The next batches probably have missing documents, too.
        removalProofs.noteMissing()
        for (index, place) in rest.enumerated() {
            results[place] = Self.result(index, of: reply, to: rest.count)
        }
        return .results(results)
    }
}
