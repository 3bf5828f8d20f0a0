import CollectionSync
import ContentFeeding
import EngineSQLite
import Synchronization
import TestSupport
import Testing

/// Origins that fail, move or refuse requests in the middle of a pull or push: a part is never mistaken for the whole,
/// and local changes are kept.
struct OriginFaultTests {
    private static let count = 1_300

    private static func number(_ range: Range<Int>, _ value: Int) throws -> [ContentOperation] {
        try range.map { .add(document(try DocumentID("n\($0)"), #"{"n":\#($0),"v":\#(value)}"#)) }
    }

    /// Returns a scene whose origin has 1,300 documents, on three pages, and a copy of it.
    private func filled() async throws -> (scene: SyncScene, client: SyncClient) {
        let scene = try await SyncScene()
        _ = try await scene.collection().results(of: try Self.number(0..<Self.count, 0))
        return (scene, try await scene.client("one"))
    }

    /// Returns a client's copy with a different origin.
    private func synced(
        _ client: SyncClient,
        _ origin: MeddledOrigin,
        options: SyncOptions = SyncOptions()
    ) async throws -> SyncedCollection {
        SyncedCollection(try await client.store.copy(named: SyncScene.name), options: options) { origin }
    }

    private static let lost = EngineError(.unreachable, "1 of 3 shards of 'web' did not answer the search")

    /// Failures on the second page, on the third page, and on a page of the listing of all IDs.
    @Test(arguments: [MeddledOrigin.Request.changes(2), .changes(3), .listing(2)])
    func `A pull that loses its origin removes nothing, and the next pull continues from there`(
        lost: MeddledOrigin.Request
    ) async throws {
        let (scene, client) = try await filled()
        try await client.synced.pull()
        // 1,100 documents have new versions, 100 are gone, and 100 are unchanged.
        _ = try await scene.collection().results(of: try Self.number(0..<1_100, 1))
        _ = try await scene.collection().results(of: try (1_200..<1_300).map { .remove(try DocumentID("n\($0)")) })

        let origin = try MeddledOrigin(try await scene.collection()) { request in
            if request == lost { throw Self.lost }
        }
        let error = await #expect(throws: EngineError.self) { try await synced(client, origin).pull() }
        #expect(error?.message == Self.lost.message)
        let kept = try await client.documents.contents()
        #expect(kept.count == Self.count)
        let read = [.changes(2): 500, .changes(3): 1_000][lost] ?? 1_100
        #expect(kept.values.count { $0.contains(#""v":1"#) } == read)
        #expect(try await client.store.copy(named: SyncScene.name).status().bookmark?.isComplete == false)

        let whole = try MeddledOrigin(try await scene.collection())
        let report = try await synced(client, whole).pull()
        #expect(report.changes.updated == 1_100 - read && report.changes.removed == 100 && report.comparedAll)
        // Nothing that had already been read was requested again.
        let reached = origin.places.withLock { $0 }.last
        #expect(whole.places.withLock { $0 }.first == (lost == .listing(2) ? nil : reached))
        #expect(try await client.documents.contents() == scene.collection().contents())
        #expect(try await client.synced.pull().isUnchanged)
    }

    @Test func `An interrupted first pull keeps the documents that it read, and reports only those`() async throws {
        let (scene, client) = try await filled()
        let origin = try MeddledOrigin(try await scene.collection()) { request in
            if request == .changes(2) { throw Self.lost }
        }
        await #expect(throws: EngineError.self) { try await synced(client, origin).pull() }
        let status = try await client.store.copy(named: SyncScene.name).status()
        #expect(status.documents == 500 && status.pulledAt == nil && status.bookmark?.isComplete == false)
        // Documents removed in the meantime were read earlier, or not at all.
        try await scene.apply(.remove("n3"), .remove("n900"))
        let report = try await client.synced.pull()
        #expect(report.changes.added == 799 && report.changes.removed == 1)
        #expect(try await client.documents.contents() == scene.collection().contents())
    }

    /// The origin is re-created between two pages, while all IDs are listed, and just before the end.
    @Test(arguments: [MeddledOrigin.Request.changes(2), .listing(1), .listing(3), .state(2)])
    func `If an origin is re-created during a pull, nothing is removed`(moment: MeddledOrigin.Request) async throws {
        let (scene, client) = try await filled()
        try await client.synced.pull()
        _ = try await scene.collection().results(of: try Self.number(0..<1_100, 1))
        try await scene.apply(.remove("n1299"))
        let origin = try MeddledOrigin(try await scene.collection()) { request in
            guard request == moment else { return }
            _ = try await scene.origin.delete(SyncScene.name)
            try await scene.origin.create(SyncScene.name, settings: [])
            try await scene.apply(.add(document("another", "{}")))
        }
        var error = await #expect(throws: SyncError.self) { try await synced(client, origin).pull() }
        #expect(error?.code == .otherOrigin)
        #expect(error?.message.contains("nothing was removed") == true)
        let kept = try await client.documents.contents()
        #expect((0..<Self.count).allSatisfy { kept["n\($0)"] != nil })

        error = await #expect(throws: SyncError.self) { try await client.synced.pull() }
        #expect(error?.code == .otherOrigin)
        try await client.synced.adoptOrigin()
        try await client.synced.pull()
        #expect(try await client.documents.contents() == ["another": "{}"])
    }

    /// The change has a lower number than one that was read, but is stored after it.
    @Test func `A change that becomes visible late is fetched by the next pull`() async throws {
        let scene = try await SyncScene()
        try await scene.apply(.add(document("a", "{}")), .add(document("b", "{}")), .add(document("c", "{}")))
        let client = try await scene.client("one")
        let origin = try MeddledOrigin(try await scene.collection(), isVague: true)
        let b = try #require(try await scene.collection().find(SearchQuery(), after: nil).documents[1].version)
        origin.late.withLock { _ = $0.insert(String(b)) }
        let copy = try await synced(client, origin)
        try await copy.pull()
        #expect(try await client.documents.contents().keys.sorted() == ["a", "c"])
        #expect(try await copy.pull().isUnchanged)
        origin.late.withLock { $0.removeAll() }
        #expect(try await copy.pull().changes.added == 1)
        #expect(try await client.documents.contents() == scene.collection().contents())
        #expect(try await copy.pull().isUnchanged)
    }

    /// An origin without an identity may be a different one as soon as it is empty, before or during a pull.
    @Test(arguments: [MeddledOrigin.Request.state(1), .changes(1), .state(2)])
    func `If an origin without an identity has become empty, nothing is removed`(
        moment: MeddledOrigin.Request
    ) async throws {
        let scene = try await SyncScene()
        try await scene.apply(.add(document("a", "{}")), .add(document("b", "{}")))
        let client = try await scene.client("one")
        try await synced(client, try MeddledOrigin(try await scene.collection(), isVague: true)).pull()
        try await scene.apply(.add(document("c", "{}")))
        let origin = try MeddledOrigin(try await scene.collection(), isVague: true) { request in
            guard request == moment else { return }
            try await scene.apply(.remove("a"), .remove("b"), .remove("c"))
        }
        let error = await #expect(throws: SyncError.self) { try await synced(client, origin).pull() }
        #expect(error?.code == .otherOrigin)
        let kept = try await client.documents.contents()
        #expect(kept["a"] != nil && kept["b"] != nil)
        // The user can confirm that this is intended.
        let copy = try await synced(client, origin)
        try await copy.adoptOrigin()
        #expect(try await copy.pull().changes.removed == kept.count)
    }

    @Test func `A part whose history is replaced during a pull is read from its beginning`() async throws {
        let (scene, client) = try await filled()
        try await client.synced.pull()
        _ = try await scene.collection().results(of: try Self.number(0..<1_100, 1))
        try await scene.apply(.remove("n1299"))
        // A primary is lost, and is replaced with an empty one.
        let history = MeddledOrigin.History()
        let origin = try MeddledOrigin(try await scene.collection(), history: history) { request in
            if request == .changes(2) { history.name.withLock { $0 = "another" } }
        }
        let error = await #expect(throws: EngineError.self) { try await synced(client, origin).pull() }
        #expect(error?.code == .unreachable && error?.message.contains("nothing was removed") == true)
        #expect(try await client.documents.count() == Self.count)

        let again = try MeddledOrigin(try await scene.collection(), history: history)
        #expect(try await synced(client, again).pull().changes.removed == 1)
        #expect(again.places.withLock { $0 }.first == CollectionPart.beginning)
        #expect(try await client.documents.contents() == scene.collection().contents())
    }
}

/// Origins with a document that can't be read.
struct FlawedOriginTests {
    @Test func `A change to a document that can't be read at the origin stays queued, and other changes are pushed`()
        async throws
    {
        let scene = try await SyncScene()
        try await scene.apply(.add(document("a", #"{"t":0}"#)), .add(document("b", #"{"t":0}"#)))
        let client = try await scene.client("one")
        try await client.synced.pull()
        try await client.apply(.update(document("a", #"{"t":1}"#)), .update(document("b", #"{"t":1}"#)))
        // Another client writes invalid JSON.
        try await scene.apply(.add(document("a", #"{"t":2}"#)))
        let origin = try MeddledOrigin(try await scene.collection())
        origin.unreadable.withLock { $0 = ["a"] }
        let synced = SyncedCollection(try await client.store.copy(named: SyncScene.name)) { origin }
        let said = Mutex<[String]>([])
        let report = try await synced.push(conflicts: ConflictPolicy.client) { event in
            if case .failed(let operation, let failure) = event {
                said.withLock { $0.append("\(operation.documentID): \(failure.message)") }
            }
        }
        #expect(report.pushed == 1 && report.conflicts == 0 && report.failed == 1 && report.left == 1)
        #expect(said.withLock { $0 } == ["a: the engine's copy of the document is not JSON: a comment"])
        #expect(try await scene.collection().contents() == ["a": #"{"t":2}"#, "b": #"{"t":1}"#])
        // As soon as it can be read, the conflict is resolved.
        #expect(try await client.synced.push(conflicts: ConflictPolicy.client).pushed == 1)
        #expect(try await scene.collection().contents() == ["a": #"{"t":1}"#, "b": #"{"t":1}"#])
    }
}

/// Origins that permanently refuse every conditional write.
struct RefusingOriginTests {
    private func edited() async throws -> (scene: SyncScene, client: SyncClient) {
        let scene = try await SyncScene()
        try await scene.apply(.add(document("a", #"{"t":0}"#)), .add(document("b", "{}")))
        let client = try await scene.client("one")
        try await client.synced.pull()
        try await client.apply(.update(document("a", #"{"t":"mine"}"#)), .remove("b"), .add(document("c", "{}")))
        return (scene, client)
    }

    /// No other client has made changes, so there is no conflict, and nothing is lost.
    @Test(arguments: ConflictPolicy.allCases)
    func `If an origin refuses unchanged documents, the operations stay queued`(policy: ConflictPolicy) async throws {
        let (scene, client) = try await edited()
        let before = try await client.documents.contents()
        let origin = try MeddledOrigin(try await scene.collection(), refusesAll: true)
        let synced = SyncedCollection(try await client.store.copy(named: SyncScene.name)) { origin }
        let said = Mutex<[String]>([])
        let report = try await synced.push(conflicts: policy) { event in
            if case .failed(let operation, let failure) = event {
                said.withLock { $0.append("\(operation.documentID): \(failure.message)") }
            }
        }
        #expect(report.conflicts == 0 && report.pushed == 0 && report.failed == 3 && report.left == 3)
        #expect(origin.applied == 21)
        #expect(said.withLock { $0 }.count { $0.contains("refused the change 21 times") } == 3)
        #expect(try await client.documents.contents() == before)
        // As soon as the origin accepts them, everything is pushed.
        #expect(try await client.synced.push().pushed == 3)
        #expect(try await scene.collection().contents() == before)
    }

    @Test(arguments: ConflictPolicy.allCases)
    func `If an origin keeps changing and refusing, the push ends according to the policy`(
        policy: ConflictPolicy
    ) async throws {
        let (scene, client) = try await edited()
        let origin = try MeddledOrigin(try await scene.collection(), refusesAll: true) { request in
            guard case .versions(let number) = request else { return }
            for id in ["a", "b", "c"] {
                try await scene.apply(.add(document(try DocumentID(id), #"{"t":\#(number)}"#)))
            }
        }
        let synced = SyncedCollection(try await client.store.copy(named: SyncScene.name)) { origin }
        let report = try await synced.push(conflicts: policy)
        switch policy {
        case .client:
            #expect(report.conflicts == 63 && report.failed == 3 && report.left == 3)
            #expect(try await client.documents.contents() == ["a": #"{"t":"mine"}"#, "c": "{}"])
        case .server:
            #expect(report.conflicts == 3 && report.left == 0)
            #expect(try await client.documents.contents() == scene.collection().contents())
        case .cancel:
            #expect(report.conflicts == 1 && report.left == 3 && report.end != nil)
            #expect(try await client.documents.contents() == ["a": #"{"t":"mine"}"#, "c": "{}"])
        }
        #expect(origin.applied <= 21)
    }
}
