import ContentFeeding
import DocumentSources
import Reconciliation
import Synchronization
import TestSupport
import Testing

/// Comparisons of a source with a collection: checked against a model, with faults, and while the collection changes.
struct DriftTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func reconciler(_ source: ListSource, _ collection: ListCollection, memory: Int = 4 << 10) -> Reconciler {
        let space = SpillSpace(in: folder.path("."), maximumBytes: 1 << 30)
        let content = ContentFingerprint(idKeys: ["id"])
        return Reconciler(source, collection, by: .content(content), in: space, memory: memory)
    }

    /// Returns the IDs of each kind, in their order.
    private func differences(_ drift: Drift) async throws -> ([Difference.Kind: [String]], ComparisonCounts) {
        var found: [Difference.Kind: [String]] = [:]
        let counts = try await drift.forEach(of: Set(Difference.Kind.allCases)) { page in
            for difference in page { found[difference.kind, default: []].append(difference.id.text) }
        }
        return (found, counts)
    }

    private static func entry(_ id: String, _ value: Int) throws -> SourceEntry {
        SourceEntry(id: try DocumentID(id), json: Array(#"{"id":"\#(id)","v":\#(value)}"#.utf8))
    }

    /// Random documents on both sides, some of them equal.
    private struct Model {
        var source: [String: Int] = [:]
        var collection: [String: Int] = [:]
        var twice: Set<String> = []

        init(_ random: inout SplitMix64) {
            for number in 0..<Int.random(in: 0...30, using: &random) {
                let id = ["n", "nn", "é", "https://x/"].randomElement(using: &random).map { "\($0)\(number)" } ?? ""
                let value = Int.random(in: 0...1, using: &random)
                switch Int.random(in: 0..<10, using: &random) {
                case 0: source[id] = value
                case 1: collection[id] = value
                case 2: (source[id], collection[id]) = (value, 1 - value)
                case 3:
                    source[id] = value
                    twice.insert(id)
                default: (source[id], collection[id]) = (value, value)
                }
            }
        }

        func ids(_ kind: Difference.Kind) -> [String] {
            let ids =
                switch kind {
                case .missing: source.keys.filter { collection[$0] == nil && !twice.contains($0) }
                case .orphaned: collection.keys.filter { source[$0] == nil }
                case .duplicate: Array(twice)
                case .stale:
                    source.keys.filter { id in
                        collection[id].map { $0 != source[id] } == true && !twice.contains(id)
                    }
                }
            return ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `All random differences are found, and no others`(part: UInt64) async throws {
        for seed in part * 500..<(part + 1) * 500 {
            var random = SplitMix64(seed: seed)
            let model = Model(&random)
            var source = ListSource(entries: [])
            for (id, value) in model.source {
                source.entries.append(try Self.entry(id, value))
                if model.twice.contains(id) { source.entries.append(try Self.entry(id, 1 - value)) }
            }
            source.entries.shuffle(using: &random)
            let collection = ListCollection()
            for (id, value) in model.collection.shuffled(using: &random) {
                collection.put(try DocumentID(id), #"{"v":\#(value)}"#)
            }
            let drift = try await reconciler(source, collection).read()
            let (found, counts) = try await differences(drift)
            for kind in Difference.Kind.allCases {
                #expect(found[kind] ?? [] == model.ids(kind), "seed \(seed)")
                #expect(counts[kind] == model.ids(kind).count)
            }
            #expect(counts.source == model.source.count && counts.collection == model.collection.count)
            #expect(counts.source == counts.same + counts.missing + counts.stale + counts.duplicate)
            #expect(!drift.isMoved && drift.account.entries == source.entries.count)
        }
    }

    @Test func `Progress counts the entries read from both sides, and then the compared entries`() async throws {
        let progress = ReconciliationProgress()
        let seen = Mutex<[ReconciliationProgress.Stage]>([])
        let collection = ListCollection(pageCount: 3) { _, _ in seen.withLock { $0.append(progress.stage) } }
        for number in 0..<9 { collection.put(try DocumentID("n\(number)"), #"{"v":0}"#) }
        var source = ListSource(entries: try (0..<12).map { try Self.entry("n\($0 % 11)", 0) })
        source.fault = .rejects(page: 1)
        let space = SpillSpace(in: folder.path("."), maximumBytes: 1 << 30)
        let content = ContentFingerprint(idKeys: ["id"])
        let reconciler = Reconciler(source, collection, by: .content(content), in: space, progress: progress)
        let drift = try await reconciler.read()
        let documents = seen.withLock { stages in
            stages.map { if case .reading(let reading) = $0 { reading.collection } else { -1 } }
        }
        #expect(documents == [0, 3, 6])
        guard case .reading(let reading) = progress.stage else { throw SourceError(.unusable, "\(progress.stage)") }
        #expect(reading.source == 12 && reading.rejected == 1)
        #expect(reading.collection == 9 && reading.collectionTotal == 9)
        _ = try await drift.forEach(of: [.orphaned]) { _ in }
        guard case .comparing(let share) = progress.stage else { throw SourceError(.unusable, "\(progress.stage)") }
        #expect(share.done == 21 && share.total == 21)
        #expect(progress.rejected == 1)
    }

    @Test(arguments: 0..<5)
    func `If a source fails at a page, the failure is reported, and nothing is compared`(page: Int) async throws {
        var source = ListSource(entries: try (0..<12).map { try Self.entry("n\($0)", 0) })
        source.fault = .dies(page: page)
        let collection = ListCollection()
        for number in 0..<12 { collection.put(try DocumentID("n\(number)"), #"{"v":0}"#) }
        await #expect(throws: SourceError.self) { _ = try await reconciler(source, collection).read() }
    }

    @Test(arguments: 0..<4)
    func `A source that ends early or has invalid entries does not make a document orphaned`(page: Int) async throws {
        let collection = ListCollection()
        for number in 0..<12 { collection.put(try DocumentID("n\(number)"), #"{"v":0}"#) }
        for fault in [ListSource.Fault.ends(page: page), .rejects(page: page)] {
            var source = ListSource(entries: try (0..<12).map { try Self.entry("n\($0)", 0) })
            source.fault = fault
            let account = try await reconciler(source, collection).read().account
            #expect(account.shortfall(since: 12, share: 90, allowsNone: false) != nil)
        }
    }

    @Test func `A source is complete only if it has as many entries as expected`() {
        var account = SourceAccount()
        #expect(account.shortfall(since: nil, share: 90, allowsNone: false) == .empty)
        #expect(account.shortfall(since: nil, share: 0, allowsNone: true) == nil)
        account.entries = 90
        #expect(account.shortfall(since: 100, share: 90, allowsNone: false) == nil)
        #expect(account.shortfall(since: 101, share: 90, allowsNone: false) != nil)
        #expect(account.shortfall(since: 101, share: 0, allowsNone: false) == nil)
        #expect(account.shortfall(since: nil, share: 90, allowsNone: false) == nil)
        account.rejected = 1
        #expect(account.shortfall(since: nil, share: 0, allowsNone: true) == .rejections(1))
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `Documents that change during reading are checked again`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let ids = (0..<20).map { "n\($0)" }
        let page = Int.random(in: 1...5, using: &random)
        // Other clients change the collection from one state to another; both states are behind the source.
        let changed = Set(ids.filter { _ in Bool.random(using: &random) })
        let removed = Set(changed.filter { _ in Int.random(in: 0..<4, using: &random) == 0 })
        let collection = ListCollection { number, collection in
            guard number == page else { return }
            for id in changed { collection.put(try DocumentID(id), #"{"v":1}"#) }
            for id in removed { collection.drop(try DocumentID(id)) }
        }
        for id in ids { collection.put(try DocumentID(id), #"{"v":0}"#) }
        let source = ListSource(entries: try ids.map { try Self.entry($0, 1) })
        let drift = try await reconciler(source, collection).read()
        let (found, _) = try await differences(drift)
        #expect(drift.isMoved == !changed.isEmpty)
        // Regardless of when it is read, documents reported as missing are missing, and documents reported as stale are
        // stale.
        #expect(Set(found[.missing] ?? []).isSubset(of: removed))
        #expect(Set(found[.stale] ?? []) == Set(ids).subtracting(changed))
        #expect(found[.orphaned] == nil && found[.duplicate] == nil)
    }
}
