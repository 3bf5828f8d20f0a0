import ContentFeeding
import FeedJobs
import Schedules
import Synchronization

// The changes made to collections through this server, for clients that follow them.

/// The recent changes of all collections of a server.
final class LiveChanges: Sendable {
    private let collections = Mutex<[CollectionName: CollectionChanges]>([:])
    private let rules = Atomic(0)
    private let clock: any ScheduleClock

    init(_ clock: any ScheduleClock) { self.clock = clock }

    /// The number of times that the rules were reloaded.
    var generation: Int { rules.load(ordering: .acquiring) }

    /// Returns the changes of a collection.
    func changes(of collection: CollectionName) -> CollectionChanges {
        collections.withLock { collections in
            if let known = collections[collection] { return known }
            let changes = CollectionChanges(clock)
            collections[collection] = changes
            return changes
        }
    }

    /// Returns an engine whose writes are visible to the clients that follow its collection.
    func observed(_ engine: any CollectionEngine) -> any CollectionEngine {
        ObservedEngine(base: engine, changes: changes(of: engine.collection))
    }

    /// Makes all followers check immediately whether they may still read.
    func reloadedRules() {
        rules.add(1, ordering: .acquiringAndReleasing)
        for changes in collections.withLock({ Array($0.values) }) { changes.signal.notify() }
    }

    /// Adds the metrics of all collections.
    func write(to page: inout MetricsPage) {
        var sum = CollectionChanges.Totals()
        for changes in collections.withLock({ Array($0.values) }) { sum.add(changes.totals) }
        page.add("distributor_followers", .gauge, "Clients that follow a collection.", sum.followers)
        page.add("distributor_changes_total", .counter, "Changes kept for followers.", sum.changes)
        page.add("distributor_change_resets_total", .counter, "Gaps that were reported to followers.", sum.resets)
        page.add("distributor_change_bytes", .gauge, "Bytes of changes kept for followers.", sum.bytes)
    }
}

// MARK: - Changes

/// A write to one document, with the known states of the document before and after.
final class DocumentChange: Sendable {
    /// The known state of a document before a write.
    enum Before: Sendable {
        case absent
        /// There was a document, but its contents were not read.
        case existing
        case document([UInt8])
        case unknown
    }

    /// The kind of change for one follower.
    enum Kind: String, Sendable {
        case added, updated, removed
        /// The kind of change is unknown, so the follower must read its list again.
        case reset
    }

    let key: DocumentKey
    let before: Before
    /// The document after the write; `nil` if there is none.
    let after: [UInt8]?
    let version: String?

    init(_ key: DocumentKey, before: Before, after: [UInt8]?, version: String?) {
        (self.key, self.before, self.after, self.version) = (key, before, after, version)
    }

    /// The number of bytes that the change occupies.
    var byteCount: Int {
        let old = if case .document(let json) = before { json.count } else { 0 }
        return old + (after?.count ?? 0) + key.id.byteCount + (key.routing?.text.utf8.count ?? 0) + 128
    }

    /// Returns the kind of change for a follower that sees only some documents; `nil` if the change is not visible.
    ///
    /// For a document that was never visible, not even the ID is revealed.
    func kind(for filter: DocumentFilter) -> Kind? {
        let isVisible = after.map { filter.admits($0.span) } ?? false
        let wasVisible: Bool? =
            switch before {
            case .absent: false
            case .existing: filter.isEmpty ? true : nil
            case .document(let json): filter.admits(json.span)
            case .unknown: nil
            }
        return switch (wasVisible, isVisible) {
        case (false, true): .added
        case (true, true), (nil, true): .updated
        case (true, false): .removed
        case (false, false): nil
        case (nil, false): filter.isEmpty ? .removed : .reset
        }
    }
}

/// The place of a follower in the changes of a collection: `EPOCH-NUMBER`, opaque to clients.
///
/// The numbers are times, so they don't reveal how many changes there were that a client may not see.
struct ChangePlace: Hashable, Sendable, CustomStringConvertible {
    let epoch: UInt64
    var number: Int64

    init(epoch: UInt64, number: Int64) { (self.epoch, self.number) = (epoch, number) }

    /// Parses a place; `nil` if the text is not a place.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 16, let epoch = UInt64(parts[0], radix: 16),
            let number = Int64(parts[1]), number >= 0
        else { return nil }
        self.init(epoch: epoch, number: number)
    }

    var description: String {
        let digits = String(epoch, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits + "-\(number)"
    }
}

/// The recent changes of one collection, in a ring with limits, and the clients that follow them.
///
/// Changes are kept only while at least one client follows, and for a short time after that. Each place is in an epoch,
/// which ends with the first write that is not kept: a client with a place in an earlier epoch must read its list
/// again.
final class CollectionChanges: Sendable {
    /// A change and its number; without a change, the entry represents writes with unknown effects.
    struct Entry: Sendable {
        let number: Int64
        let change: DocumentChange?
    }

    struct Totals {
        var followers = 0
        var changes = 0
        var resets = 0
        var bytes = 0

        mutating func add(_ other: Totals) {
            followers += other.followers
            changes += other.changes
            resets += other.resets
            bytes += other.bytes
        }
    }

    private struct State {
        var epoch = UInt64.random(in: .min ... .max)
        var began = ContinuousClock.now
        /// The entries, including `start` dropped ones at the beginning.
        var entries: [Entry] = []
        var start = 0
        /// The number of the last dropped entry; places before it are no longer valid.
        var floor: Int64 = 0
        /// The last number that was given to an entry or to a follower.
        var last: Int64 = 0
        var totals = Totals()
        var filtered = 0
        /// Whether clients may have places in the epoch.
        var isFollowed = false
        /// The server's times at which the last follower left, and the last one that sees only some documents.
        var left = Duration.zero
        var filteredLeft: Duration?
        var isExpiring = false
        var limits: (count: Int, bytes: Int) = (0, 0)
        /// The time before which followers are not woken again.
        var quietUntil = ContinuousClock.now
        var isWaking = false
        var pages: [PageKey: Page] = [:]
        /// The numbers of views, which allow a page to be found without comparing the fields of views.
        var views: [ChangeView: Int] = [:]
        var viewNumber = 0

        /// Returns a number that is higher than all earlier ones.
        mutating func tick() -> Int64 {
            last = max(last + 1, Int64((ContinuousClock.now - began) / .microseconds(1)))
            return last
        }

        mutating func renew() {
            (epoch, began) = (.random(in: .min ... .max), .now)
            (entries, start, floor, last, pages) = ([], 0, 0, 0, [:])
            totals.bytes = 0
            (isFollowed, filteredLeft) = (false, nil)
        }

        mutating func append(_ change: DocumentChange?) {
            entries.append(Entry(number: tick(), change: change))
            if change == nil { totals.resets += 1 } else { totals.changes += 1 }
            totals.bytes += change?.byteCount ?? 0
            // A change that exceeds the limits is kept as the only entry, so the followers that wait for it receive it.
            while entries.count - start > 1, totals.bytes > limits.bytes || entries.count - start > limits.count {
                totals.bytes -= entries[start].change?.byteCount ?? 0
                floor = entries[start].number
                start += 1
            }
            guard start > entries.count / 2 else { return }
            entries.removeFirst(start)
            start = 0
        }

        /// The position of the first entry after a given number.
        func position(after number: Int64) -> Int {
            var (low, high) = (start, entries.count)
            while low < high {
                let middle = (low + high) / 2
                if entries[middle].number > number { high = middle } else { low = middle + 1 }
            }
            return low
        }
    }

    private let state = Mutex(State())
    private let memory: Duration
    private let clock: any ScheduleClock
    /// The documents that are being written, which ensures that changes are kept in the order of the writes.
    let turns = DocumentTurns()
    /// The signal for followers.
    let signal = ChangeSignal()

    /// The minimum time between two signals, so that many changes are sent together, waking each follower once.
    private static let pause = Duration.milliseconds(8)
    /// The number of entries that are examined for a page, and the number of bytes after which a page ends.
    private static let (pageEntries, pageBytes) = (256, 64 << 10)
    /// The maximum number of pages kept for other followers with the same view.
    private static let maximumPages = 32
    /// The maximum number of views that have a number.
    ///
    /// A view that was dropped gets a new number, and no longer shares pages with followers that still use the old one.
    private static let maximumViews = 1_024

    /// Creates the changes of a collection, which are kept for the time `memory` after the last follower has left.
    init(_ clock: any ScheduleClock = MachineClock(), memory: Duration = .seconds(300)) {
        (self.clock, self.memory) = (clock, memory)
    }

    var totals: Totals { state.withLock { $0.totals } }

    // MARK: Writes

    /// The facts to record at the beginning of a write.
    struct Observation {
        fileprivate let epoch: UInt64
        /// Whether the changes made by the write are kept.
        let isKept: Bool
        /// Whether documents are read before they are written.
        let readsBefore: Bool
    }

    /// Begins a write, at almost no cost if no client follows.
    func begin() -> Observation {
        state.withLock { state in
            guard state.isFollowed else { return Observation(epoch: state.epoch, isKept: false, readsBefore: false) }
            let now = clock.uptime
            guard state.totals.followers > 0 || now - state.left < memory else {
                state.renew()
                return Observation(epoch: state.epoch, isKept: false, readsBefore: false)
            }
            let reads = state.filtered > 0 || state.filteredLeft.map { now - $0 < memory } ?? false
            return Observation(epoch: state.epoch, isKept: true, readsBefore: reads)
        }
    }

    /// Ends a write with its changes, in which `nil` represents an unknown effect.
    ///
    /// A write that began while no client was following may have changed any document by the time a client follows.
    func end(_ observation: Observation, _ changes: [DocumentChange?]) {
        let wake = state.withLock { state -> ContinuousClock.Instant? in
            guard state.isFollowed else { return nil }
            if observation.isKept, observation.epoch == state.epoch {
                guard !changes.isEmpty else { return nil }
                for change in changes { state.append(change) }
            } else {
                state.append(nil)
            }
            guard state.totals.followers > 0, !state.isWaking else { return nil }
            let now = ContinuousClock.now
            let next = max(now, state.quietUntil)
            (state.isWaking, state.quietUntil) = (next > now, next + Self.pause)
            return next
        }
        guard let wake else { return }
        guard wake > .now else { return signal.notify() }
        Task { [weak self] in
            try? await Task.sleep(until: wake, clock: .continuous)
            guard let self else { return }
            state.withLock { $0.isWaking = false }
            signal.notify()
        }
    }

    // MARK: Following

    /// Counts a follower and returns its place: the place from which it requested to continue if all later changes are
    /// kept, and the current place otherwise.
    func follow(
        from place: ChangePlace?,
        isFiltered: Bool,
        limits: (count: Int, bytes: Int)
    ) -> (place: ChangePlace, isContinued: Bool) {
        state.withLock { state in
            if state.isFollowed, state.totals.followers == 0, clock.uptime - state.left >= memory {
                state.renew()
            }
            state.isFollowed = true
            state.totals.followers += 1
            if isFiltered { state.filtered += 1 }
            state.limits = limits
            if let place, place.epoch == state.epoch, (state.floor...state.last).contains(place.number) {
                return (place, true)
            }
            return (ChangePlace(epoch: state.epoch, number: state.tick()), false)
        }
    }

    /// Stops counting a follower.
    func leave(isFiltered: Bool) {
        let expires = state.withLock { state in
            let now = clock.uptime
            state.totals.followers -= 1
            state.left = now
            if isFiltered {
                state.filtered -= 1
                state.filteredLeft = now
            }
            guard state.totals.followers == 0 else { return false }
            (state.pages, state.views) = ([:], [:])
            guard !state.isExpiring else { return false }
            state.isExpiring = true
            return true
        }
        if expires { expire(after: memory) }
    }

    /// Frees the memory of changes that no client will request.
    private func expire(after pause: Duration) {
        Task { [weak self, clock] in
            try? await clock.sleep(for: pause)
            guard let self else { return }
            let next = state.withLock { state -> Duration? in
                let rest = state.left + memory - clock.uptime
                if state.totals.followers == 0, rest > .zero { return rest }
                state.isExpiring = false
                if state.totals.followers == 0, state.isFollowed { state.renew() }
                return nil
            }
            if let next { expire(after: next) }
        }
    }

    /// Records whether a follower now has access to all documents or to only some of them.
    func change(isFiltered before: Bool, to after: Bool) {
        state.withLock { $0.filtered += (after ? 1 : 0) - (before ? 1 : 0) }
    }

    /// Returns the current place.
    func present() -> ChangePlace { state.withLock { ChangePlace(epoch: $0.epoch, number: $0.tick()) } }

    /// Returns the current place if nothing has changed since the given one; otherwise, returns the given one.
    func latest(from place: ChangePlace) -> ChangePlace {
        state.withLock { state in
            guard place.epoch == state.epoch, state.entries.last.map({ $0.number <= place.number }) ?? true else {
                return place
            }
            return ChangePlace(epoch: state.epoch, number: state.tick())
        }
    }

    // MARK: Pages

    private struct PageKey: Hashable {
        let first: Int64
        let view: Int
    }

    /// A view with its number in a collection, which is the same for equal views.
    struct SharedView: Sendable {
        let view: ChangeView
        fileprivate let number: Int
    }

    /// The changes after a place, for all followers with the same view.
    struct Page: Sendable {
        var bytes: [UInt8] = []
        /// The place after the page; `nil` if the changes after the previous place have been dropped.
        var place: ChangePlace?
        /// Whether there are currently no further changes.
        var isLast = false
    }

    /// Returns the next changes after a place, unfiltered; `nil` if they have been dropped.
    func entries(after place: ChangePlace) -> (entries: [Entry], isLast: Bool)? {
        state.withLock { state in
            guard place.epoch == state.epoch, place.number >= state.floor else { return nil }
            let next = Array(state.entries[state.position(after: place.number)...].prefix(Self.pageEntries))
            return (next, (next.last ?? state.entries.last)?.number == state.entries.last?.number)
        }
    }

    /// Returns a view with its number.
    func shared(_ view: ChangeView) -> SharedView {
        state.withLock { state in
            if let number = state.views[view] { return SharedView(view: view, number: number) }
            if state.views.count >= Self.maximumViews { state.views = [:] }
            state.viewNumber += 1
            state.views[view] = state.viewNumber
            return SharedView(view: view, number: state.viewNumber)
        }
    }

    /// Returns the next changes after a place, in the form that a follower sees.
    ///
    /// The bytes are produced once for all followers with the same view; concurrent requests wait for the first one.
    func page(after place: ChangePlace, _ view: SharedView) -> Page {
        state.withLock { state in
            guard place.epoch == state.epoch, place.number >= state.floor else { return Page() }
            let first = state.position(after: place.number)
            guard first < state.entries.count else { return Page(place: place, isLast: true) }
            let key = PageKey(first: state.entries[first].number, view: view.number)
            var page: Page
            if let known = state.pages[key] {
                page = known
            } else {
                page = Page()
                for entry in state.entries[first...].prefix(Self.pageEntries) {
                    let place = ChangePlace(epoch: state.epoch, number: entry.number)
                    view.view.append(entry.change, at: place, to: &page.bytes)
                    page.place = place
                    if page.bytes.count >= Self.pageBytes { break }
                }
                if state.pages.count >= Self.maximumPages { state.pages = [:] }
                state.pages[key] = page
            }
            page.isLast = page.place?.number == state.entries.last?.number
            return page
        }
    }
}

// MARK: - Writes

/// The documents of a collection that are being written; a batch waits for earlier batches that share a document.
final class DocumentTurns: Sendable {
    private struct Waiting {
        let ids: Set<DocumentID>
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var held: Set<DocumentID> = []
        var waiting: [Waiting] = []
    }

    private let state = Mutex(State())

    /// Waits until no other batch is writing any of the documents.
    func take(_ ids: Set<DocumentID>) async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.held.isDisjoint(with: ids), state.waiting.allSatisfy({ $0.ids.isDisjoint(with: ids) })
                else {
                    state.waiting.append(Waiting(ids: ids, continuation: continuation))
                    return false
                }
                state.held.formUnion(ids)
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    /// Releases the documents to the batches that are waiting for them, in order of arrival.
    func giveBack(_ ids: Set<DocumentID>) {
        let next = state.withLock { state in
            state.held.subtract(ids)
            guard !state.waiting.isEmpty else { return [Waiting]() }
            var (next, rest, wanted): ([Waiting], [Waiting], Set<DocumentID>) = ([], [], [])
            for waiting in state.waiting {
                if waiting.ids.isDisjoint(with: state.held), waiting.ids.isDisjoint(with: wanted) {
                    state.held.formUnion(waiting.ids)
                    next.append(waiting)
                } else {
                    wanted.formUnion(waiting.ids)
                    rest.append(waiting)
                }
            }
            state.waiting = rest
            return next
        }
        for waiting in next { waiting.continuation.resume() }
    }
}

/// An engine that publishes its writes to the clients that follow its collection, if there are any.
struct ObservedEngine: ContentEngine, SearchableEngine {
    let base: any CollectionEngine
    let changes: CollectionChanges

    /// Applies a batch, and publishes its changes before returning.
    func apply(_ batch: ContentBatch) async -> BatchReply {
        let observation = changes.begin()
        guard observation.isKept else {
            let reply = await base.apply(batch)
            changes.end(observation, [])
            return reply
        }
        let ids = Set(batch.items.map(\.operation.documentID))
        await changes.turns.take(ids)
        let before = observation.readsBefore ? await answers(at: batch.items.map(\.operation.key)) : nil
        let reply = await base.apply(batch)
        changes.end(observation, await published(reply, of: batch.items, before, observation))
        changes.turns.giveBack(ids)
        return reply
    }

    /// Returns the changes of a batch, as far as they can be determined from the reply.
    private func published(
        _ reply: BatchReply,
        of items: [ContentBatch.Item],
        _ before: [VersionAnswer]?,
        _ observation: CollectionChanges.Observation
    ) async -> [DocumentChange?] {
        let results: [OperationResult]
        switch reply {
        case .results(let found) where found.count == items.count: results = found
        case .results: return [nil]
        case .failed(let failure):
            return switch failure.kind {
            case .ambiguous, .split(mayHaveApplied: true): [nil]
            case .definite, .permanent, .split(mayHaveApplied: false), .tooLarge, .slowDown, .stop: []
            }
        }
        let changed = items.indices.filter { results[$0].hasChanged || items[$0].mayHaveApplied }
        let isUnknown = results.contains { if case .unknown = $0 { true } else { false } }
        guard !changed.isEmpty else { return isUnknown ? [nil] : [] }
        guard let after = await answers(at: changed.map { items[$0].operation.key }) else { return [nil] }
        var published: [DocumentChange?] = []
        for (place, answer) in zip(changed, after) {
            let (item, known) = (items[place], before?[place])
            let state = item.mayHaveApplied ? .unknown : results[place].before(known)
            let key = item.operation.key
            switch answer {
            case .found(let document):
                let key = DocumentKey(key.id.detached(), routing: document.routing ?? key.routing)
                let version = document.version.rawValue
                published.append(DocumentChange(key, before: state, after: document.json, version: version))
            case .absent:
                let key = DocumentKey(key.id.detached(), routing: known?.document?.routing ?? key.routing)
                published.append(DocumentChange(key, before: state, after: nil, version: nil))
            case .unreadable: published.append(nil)
            }
        }
        return isUnknown ? published + [nil] : published
    }

    /// Returns the current documents of keys; `nil` if the engine does not respond.
    private func answers(at keys: [DocumentKey]) async -> [VersionAnswer]? {
        var answers: [VersionAnswer] = []
        do throws(EngineError) {
            if let versions = base.versions {
                try await versions.forEachVersion(at: keys) { _, answer in answers.append(answer) }
                return answers
            }
            while answers.count < keys.count {
                let rest = keys[answers.count...]
                let page = try await base.get(at: rest, maximumBytes: .max)
                try page.check(against: rest.count)
                for (key, exists) in zip(rest, page.answers) {
                    answers.append(exists ? page.answer(at: key) : .absent)
                }
            }
            return answers
        } catch {
            return nil
        }
    }
}

extension OperationResult {
    /// Whether the operation has changed its document.
    fileprivate var hasChanged: Bool {
        guard case .done(let outcome) = self else { return false }
        return [.added, .updated, .removed, .gone].contains(outcome)
    }

    /// Returns the state before the operation, according to its outcome and a lookup.
    fileprivate func before(_ answer: VersionAnswer?) -> DocumentChange.Before {
        switch (answer, self) {
        case (.found(let document), _): .document(document.json)
        case (.unreadable(let document), _): .document(document.bytes)
        case (_, .done(.added)): .absent
        // The document was written by another client after the lookup.
        case (.absent, .done(.updated)), (.absent, .done(.removed)): .existing
        case (.absent, _): .absent
        case (nil, .done(.updated)), (nil, .done(.removed)): .existing
        case (nil, _): .unknown
        }
    }
}

extension LookupPage {
    /// Returns the answer for a key that has a document, for an engine whose documents have no versions.
    fileprivate func answer(at key: DocumentKey) -> VersionAnswer {
        let isOfKey = { (id: DocumentID, routing: Routing?) in
            id == key.id && (key.routing == nil || key.routing == routing)
        }
        if let document = documents.first(where: { isOfKey($0.id, $0.routing) }) {
            let version = DocumentVersion(rawValue: document.version.map { "\($0)" } ?? "")
            return .found(
                VersionedDocument(id: document.id, routing: document.routing, version: version, json: document.json)
            )
        }
        return unreadable.first { isOfKey($0.key.id, $0.key.routing) }.map { .unreadable($0) } ?? .absent
    }
}

// MARK: Forwarded requirements

extension ObservedEngine {
    var collection: CollectionName { base.collection }
    var capabilities: EngineCapabilities { base.capabilities }
    /// The versioned interface of the wrapped engine, which is used only for reading.
    var versions: (any VersionedEngine)? { base.versions }

    func check(_ intent: FeedIntent) async throws(EngineError) { try await base.check(intent) }
    func unseen(by intent: FeedIntent) -> String? { base.unseen(by: intent) }
    func incarnation(for intent: FeedIntent) -> String? { base.incarnation(for: intent) }
    func raise(to level: CompletionLevel) async throws(EngineError) { try await base.raise(to: level) }
    func exists(_ ids: [DocumentID]) async throws(EngineError) -> [Bool] { try await base.exists(ids) }
    func exists(at keys: [DocumentKey]) async throws(EngineError) -> [Bool] { try await base.exists(at: keys) }
    func lookupReservation() async -> String? { await base.lookupReservation() }

    func facets(_ keys: [FacetKey], of query: SearchQuery) async throws(EngineError) -> FacetCounts {
        try await base.facets(keys, of: query)
    }
    func close(_ cursor: SearchCursor) async { await base.close(cursor) }
    func count() async throws(EngineError) -> Int { try await base.count() }
    func countReservation() async -> String? { await base.countReservation() }

    func get(_ ids: ArraySlice<DocumentID>, maximumBytes: Int) async throws(EngineError) -> DocumentPage {
        try await base.get(ids, maximumBytes: maximumBytes)
    }

    func get(at keys: ArraySlice<DocumentKey>, maximumBytes: Int) async throws(EngineError) -> LookupPage {
        try await base.get(at: keys, maximumBytes: maximumBytes)
    }

    func copies(at keys: ArraySlice<DocumentKey>, maximumBytes: Int) async throws(EngineError) -> LookupPage {
        try await base.copies(at: keys, maximumBytes: maximumBytes)
    }

    func find(_ query: SearchQuery, after cursor: SearchCursor?) async throws(EngineError) -> SearchPage {
        try await base.find(query, after: cursor)
    }
}
