import CollectionSync
import ContentFeeding
import EngineSQLite
import Synchronization
import TestSupport
import Testing
import TextKit

struct SyncedCollectionTests {
    @Test func `The advice about queued changes fits the reason`() {
        func advice(left: Int, failed: Int = 0, end: String? = nil, stop: StopReason? = nil) -> String {
            var report = PushReport()
            (report.left, report.failed, report.end, report.stop) = (left, failed, end, stop)
            return report.advice(on: "a b").joined(separator: "\n")
        }
        #expect(advice(left: 1) == "1 change was made meanwhile; push again: fastctl replicas push 'a b'")
        #expect(advice(left: 3).hasPrefix("3 changes were made meanwhile"))
        #expect(advice(left: 2, end: "a conflict on 'A' was not resolved").hasPrefix("resolve conflicts"))
        #expect(!advice(left: 2, failed: 2).contains("meanwhile"))
        #expect(advice(left: 2, failed: 2).contains("undo a change"))
        #expect(advice(left: 2, failed: 1).contains("1 change was made meanwhile"))
        #expect(advice(left: 2, end: "x", stop: .interrupted) == "push again: fastctl replicas push 'a b'")
    }

    @Test func `A copy is pulled, changed without the origin, and pushed`() async throws {
        let scene = try await SyncScene()
        try await scene.apply(
            .add(document("a", #"{"t":"old a"}"#)),
            .add(document("b", #"{"t":"old b"}"#)),
            .add(document("c", #"{"t":"c"}"#))
        )
        let client = try await scene.client("one")
        #expect(try await client.synced.pull().changes.added == 3)
        #expect(try await client.documents.contents().count == 3)

        try await client.apply(
            .update(document("a", #"{"t":"new a"}"#)),
            .remove("b"),
            .add(document("d", #"{"t":"d"}"#))
        )
        #expect(try await client.synced.pendingCount == 3)
        #expect(try await scene.collection().contents()["a"] == #"{"t":"old a"}"#)
        let found = try await client.documents.find(SearchQuery(words: ["new"]), after: nil)
        #expect(found.documents.map(\.id) == ["a"])

        let report = try await client.synced.push()
        #expect(report.pushed == 3 && report.left == 0 && report.conflicts == 0)
        let expected = ["a": #"{"t":"new a"}"#, "c": #"{"t":"c"}"#, "d": #"{"t":"d"}"#]
        #expect(try await scene.collection().contents() == expected)
        #expect(try await client.documents.contents() == expected)

        let other = try await scene.client("two")
        try await other.synced.pull()
        #expect(try await other.documents.contents() == expected)
    }

    @Test func `A pull fetches new documents and removes deleted ones`() async throws {
        let scene = try await SyncScene()
        let client = try await scene.client("one")
        for number in 0..<1_200 {
            try await scene.apply(.add(document(try DocumentID("n\(number)"), #"{"n":\#(number)}"#)))
        }
        #expect(try await client.synced.pull().changes.added == 1_200)
        let nothing = try await client.synced.pull()
        #expect(nothing.isUnchanged && nothing.changes == CopyChanges())

        try await scene.apply(.update(document("n7", #"{"n":-7}"#)), .add(document("x", "{}")))
        let some = try await client.synced.pull()
        #expect(some.changes.added == 1 && some.changes.updated == 1 && !some.comparedAll)

        try await scene.apply(.remove("n8"), .add(document("y", "{}")))
        let gone = try await client.synced.pull()
        #expect(gone.changes.added == 1 && gone.changes.removed == 1 && gone.comparedAll)
        #expect(try await client.documents.contents() == scene.collection().contents())
        #expect(try await client.synced.pull().isUnchanged)
    }

    @Test func `A document that can't be read is reported, does not stop the pull, and is pulled once it can be read`()
        async throws
    {
        let scene = try await SyncScene()
        try await scene.apply(.add(document("a", "{}")), .add(document("b", "{}")), .add(document("c", "{}")))
        let origin = try MeddledOrigin(try await scene.collection())
        let client = try await scene.client("one")
        let synced = SyncedCollection(try await client.store.copy(named: SyncScene.name)) { origin }
        origin.unreadable.withLock { $0 = ["b"] }
        for _ in 1...2 {
            let error = await #expect(throws: SyncError.self) { try await synced.pull() }
            #expect(error?.code == .unreadable && error?.failure.status == .inputRejected)
            #expect(error?.message.hasPrefix("'b' in 'web' can't be read: ") == true)
            #expect(try await client.documents.contents().keys.sorted() == ["a", "c"])
        }
        origin.unreadable.withLock { $0 = [] }
        #expect(try await synced.pull().changes.added == 1)
        #expect(try await client.documents.contents().count == 3)
        #expect(try await synced.pull().isUnchanged)
    }

    @Test(arguments: [ConflictPolicy.client, .server, .cancel])
    func `A conflict is resolved according to the policy`(policy: ConflictPolicy) async throws {
        let scene = try await SyncScene()
        try await scene.apply(.add(document("a", #"{"t":1,"same":0}"#)), .add(document("b", #"{"t":1}"#)))
        let client = try await scene.client("one")
        try await client.synced.pull()
        try await client.apply(.update(document("a", #"{"t":2}"#)), .remove("b"))
        try await scene.apply(.update(document("a", #"{"t":3}"#)), .update(document("b", #"{"t":3}"#)))

        let seen = Mutex<[SyncConflict]>([])
        let report = try await client.synced.push(conflicts: policy) { event in
            if case .conflict(let conflict, _) = event { seen.withLock { $0.append(conflict) } }
        }
        let conflicts = seen.withLock { $0 }
        #expect(conflicts.first?.differingKeys == ["t"])
        #expect(conflicts.first?.localDifference == Array(#"{"t":2}"#.utf8))
        #expect(conflicts.first?.originDifference == Array(#"{"t":3}"#.utf8))
        switch policy {
        case .client:
            #expect(report.conflicts == 2 && report.left == 0)
            #expect(try await scene.collection().contents() == ["a": #"{"t":2,"same":0}"#])
        case .server:
            #expect(report.conflicts == 2 && report.left == 0)
            #expect(try await scene.collection().contents() == ["a": #"{"t":3,"same":0}"#, "b": #"{"t":3}"#])
        case .cancel:
            #expect(report.conflicts == 1 && report.left == 2 && report.end != nil)
            #expect(try await client.documents.contents() == ["a": #"{"t":2,"same":0}"#])
            await #expect(throws: SyncError.self) { try await client.synced.pull() }
            return
        }
        #expect(try await client.documents.contents() == scene.collection().contents())
    }

    @Test func `A delegate is called again while the origin keeps changing`() async throws {
        let scene = try await SyncScene()
        try await scene.apply(.add(document("a", #"{"t":0}"#)))
        let client = try await scene.client("one")
        try await client.synced.pull()
        try await client.apply(.update(document("a", #"{"t":"mine"}"#)))
        try await scene.apply(.update(document("a", #"{"t":1}"#)))
        let report = try await client.synced.push(
            conflicts: Deciding { conflict in
                if conflict.occurrence < 4 {
                    try await scene.apply(.update(document("a", #"{"t":\#(conflict.occurrence + 1)}"#)))
                }
                return .document(Array(#"{"t":"both \#(conflict.occurrence)"}"#.utf8))
            }
        )
        #expect(report.conflicts == 4 && report.left == 0)
        #expect(try await scene.collection().contents() == ["a": #"{"t":"both 4"}"#])
    }

    @Test func `If an origin never stops changing, the operation stays queued`() async throws {
        let scene = try await SyncScene()
        try await scene.apply(.add(document("a", #"{"t":0}"#)))
        let client = try await scene.client("one")
        try await client.synced.pull()
        try await client.apply(.update(document("a", #"{"t":"mine"}"#)), .add(document("b", "{}")))
        try await scene.apply(.update(document("a", #"{"t":1}"#)))
        let report = try await client.synced.push(
            conflicts: Deciding { conflict in
                try await scene.apply(.update(document("a", #"{"t":\#(conflict.occurrence + 1)}"#)))
                return .client
            }
        )
        #expect(report.conflicts == 21 && report.failed == 1 && report.left == 1)
        #expect(try await client.documents.contents()["a"] == #"{"t":"mine"}"#)
        #expect(try await scene.collection().contents()["b"] == "{}")
    }

    @Test func `The same change on both sides is not a conflict`() async throws {
        let scene = try await SyncScene()
        try await scene.apply(.add(document("a", #"{"t":0}"#)), .add(document("b", "{}")))
        let client = try await scene.client("one")
        try await client.synced.pull()
        try await client.apply(
            .update(document("a", #"{"t":1}"#)),
            .remove("b"),
            .add(document("c", #"{"id":"c", "t":2}"#))
        )
        try await scene.apply(.update(document("a", #"{"t":1}"#)), .remove("b"), .add(document("c", #"{"t":2}"#)))
        let report = try await client.synced.push(conflicts: ConflictPolicy.cancel)
        #expect(report.conflicts == 0 && report.pushed == 3 && report.left == 0)
        #expect(try await client.documents.contents() == scene.collection().contents())
    }

    @Test func `Several changes to the same document are combined`() async throws {
        let scene = try await SyncScene()
        try await scene.apply(.add(document("a", #"{"t":0}"#)))
        let client = try await scene.client("one")
        try await client.synced.pull()
        try await client.apply(.add(document("new", "{}")))
        try await client.apply(.update(document("new", #"{"t":1}"#)))
        #expect(try await client.synced.pendingCount == 1)
        try await client.apply(.remove("new"))
        #expect(try await client.synced.pendingCount == 0)
        try await client.apply(.update(document("a", #"{"t":1}"#)))
        try await client.apply(.remove("a"))
        #expect(try await client.synced.pendingCount == 1)
        let results = try await client.apply(.add(document("a", #"{"t":2}"#)))
        guard case .failed(let failure)? = results.first else {
            Issue.record("answered with \(results)")
            return
        }
        #expect(failure.code == .removalQueued)
        try await client.synced.push()
        #expect(try await scene.collection().contents().isEmpty)
        #expect(try await client.apply(.add(document("a", #"{"t":2}"#))) == [.done(.added)])
        try await client.synced.push()
        #expect(try await scene.collection().contents() == ["a": #"{"t":2}"#])
    }

    @Test(arguments: [nil] + QueuedOperation.Kind.allCases)
    func `The table of combined changes is complete`(queued: QueuedOperation.Kind?) {
        let originHasIt = queued == .update || queued == .remove
        for removes in [false, true] {
            let collapse = Collapse(queued, removes: removes, originHasIt: originHasIt)
            let kind = QueuedOperation.Kind(originHasIt: originHasIt, copyHasIt: !removes)
            if queued == .remove, !removes {
                #expect(collapse == .refuse)
            } else {
                #expect(collapse == kind.map { .keep($0) } ?? .drop)
            }
        }
    }

    @Test func `Discarding a change restores the document as it was pulled`() async throws {
        let scene = try await SyncScene()
        try await scene.apply(.add(document("a", #"{"t":0}"#)), .add(document("b", #"{"t":0}"#)))
        let client = try await scene.client("one")
        try await client.synced.pull()
        try await client.apply(.update(document("a", #"{"t":1}"#)), .remove("b"), .add(document("c", "{}")))
        #expect(try await client.synced.discard(["a", "b", "x"]) == ["a", "b"])
        #expect(try await client.documents.contents() == ["a": #"{"t":0}"#, "b": #"{"t":0}"#, "c": "{}"])
        #expect(try await client.synced.discard() == ["c"])
        #expect(try await client.synced.pendingCount == 0)
        #expect(try await client.documents.contents() == scene.collection().contents())
    }

    @Test func `A copy of selected keys leaves the other keys unchanged at the origin`() async throws {
        let scene = try await SyncScene()
        try await scene.apply(.add(document("a", #"{"t":0,"secret":1}"#)))
        let client = try await scene.client("one", keys: ["t"])
        try await client.synced.pull()
        #expect(try await client.documents.contents() == ["a": #"{"t":0}"#])
        try await client.apply(.update(document("a", #"{"t":1}"#)))
        try await client.synced.push()
        #expect(try await scene.collection().contents() == ["a": #"{"t":1,"secret":1}"#])
        try await client.apply(.update(document("a", #"{"t":2}"#)))
        try await scene.apply(.update(document("a", #"{"secret":2}"#)))
        // The origin's version has changed, but not the keys of the copy: there is no conflict.
        let report = try await client.synced.push(conflicts: ConflictPolicy.cancel)
        #expect(report.conflicts == 0 && report.left == 0)
        #expect(try await scene.collection().contents() == ["a": #"{"t":2,"secret":2}"#])
    }

    @Test func `A field can mark removed documents`() async throws {
        let scene = try await SyncScene()
        try await scene.apply(.add(document("a", "{}")), .add(document("b", "{}")))
        let client = try await scene.client("one", removedMark: .init(name: "deleted", value: "true"))
        try await client.synced.pull()
        try await scene.apply(.update(document("a", #"{"deleted":true}"#)))
        let report = try await client.synced.pull()
        #expect(report.changes.removed == 1 && !report.comparedAll)
        #expect(try await client.documents.contents() == ["b": "{}"])
    }

    @Test func `A copy of a query contains the matching documents`() async throws {
        let scene = try await SyncScene()
        try await scene.apply(.add(document("a", #"{"k":"x"}"#)), .add(document("b", #"{"k":"y"}"#)))
        let client = try await scene.client("one", query: SearchQuery(fields: [.init(name: "k", value: "x")]))
        try await client.synced.pull()
        #expect(try await client.documents.contents() == ["a": #"{"k":"x"}"#])
        try await scene.apply(.update(document("a", #"{"k":"y"}"#)), .update(document("b", #"{"k":"x"}"#)))
        try await client.synced.pull()
        #expect(try await client.documents.contents() == ["b": #"{"k":"x"}"#])
    }

    @Test func `A re-created origin is detected`() async throws {
        let scene = try await SyncScene()
        try await scene.apply(.add(document("a", #"{"t":0}"#)))
        let client = try await scene.client("one")
        try await client.synced.pull()
        try await client.apply(.update(document("a", #"{"t":"mine"}"#)))
        _ = try await scene.origin.delete(SyncScene.name)
        try await scene.origin.create(SyncScene.name, settings: [])
        try await scene.apply(.add(document("a", #"{"t":"another"}"#)))

        var error = await #expect(throws: SyncError.self) { try await client.synced.push() }
        #expect(error?.code == .otherOrigin)
        #expect(try await client.documents.contents() == ["a": #"{"t":"mine"}"#])
        try await client.synced.discard()
        error = await #expect(throws: SyncError.self) { try await client.synced.pull() }
        #expect(error?.code == .otherOrigin)
        #expect(try await client.documents.contents() == ["a": #"{"t":0}"#])

        try await client.apply(.update(document("a", #"{"t":"mine"}"#)))
        try await client.synced.adoptOrigin()
        let report = try await client.synced.push(conflicts: ConflictPolicy.client)
        #expect(report.conflicts == 1 && report.left == 0)
        #expect(try await scene.collection().contents() == ["a": #"{"t":"mine"}"#])
        try await client.synced.pull()
        #expect(try await client.documents.contents() == scene.collection().contents())
    }

    @Test func `A copy that was pushed before it was pulled remembers its origin`() async throws {
        let scene = try await SyncScene()
        let client = try await scene.client("one")
        try await client.apply(.add(document("a", "{}")))
        try await client.synced.push()
        _ = try await scene.origin.delete(SyncScene.name)
        try await scene.origin.create(SyncScene.name, settings: [])
        let error = await #expect(throws: SyncError.self) { try await client.synced.pull() }
        #expect(error?.code == .otherOrigin)
        #expect(try await client.documents.contents() == ["a": "{}"])
    }

    @Test func `A cleared origin is still recognized, and a pull empties the copy`() async throws {
        let scene = try await SyncScene()
        try await scene.apply(.add(document("a", "{}")))
        let client = try await scene.client("one")
        try await client.synced.pull()
        _ = try await scene.origin.clear(SyncScene.name)
        #expect(try await client.synced.pull().changes.removed == 1)
    }

    @Test func `A purge pushes first, and is refused if changes are still queued`() async throws {
        let scene = try await SyncScene()
        try await scene.apply(.add(document("a", #"{"t":0}"#)))
        let client = try await scene.client("one")
        try await client.synced.pull()
        try await client.apply(.update(document("a", #"{"t":1}"#)))
        try await scene.apply(.update(document("a", #"{"t":2}"#)))
        await #expect(throws: SyncError.self) { try await client.synced.purge() }
        #expect(try await client.documents.contents() == ["a": #"{"t":1}"#])
        #expect(try await client.synced.purge(isForced: true) == 1)
        #expect(try await client.documents.contents().isEmpty)
        #expect(try await client.synced.pendingCount == 0)
        #expect(try await client.synced.pull().changes.added == 1)
        #expect(try await client.documents.contents() == ["a": #"{"t":2}"#])
    }

    @Test func `A copy can't be cleared or deleted like other collections`() async throws {
        let scene = try await SyncScene()
        let client = try await scene.client("one")
        await #expect(throws: EngineError.self) { try await client.store.clear(SyncScene.name) }
        await #expect(throws: EngineError.self) { _ = try await client.store.delete(SyncScene.name) }
        #expect(try await client.store.copies() == [SyncScene.name])
        _ = try await client.store.removeCopy(SyncScene.name)
        #expect(try await client.store.copies().isEmpty)
        #expect(try await client.store.list().isEmpty)
    }

    @Test func `A copy is still a copy after all its documents were removed and it was optimized`() async throws {
        let scene = try await SyncScene()
        try await scene.apply(.add(document("a", "{}")))
        let client = try await scene.client("one")
        try await client.synced.pull()
        try await client.apply(.remove("a"))
        _ = try await client.store.optimize(SyncScene.name) { _, _ in }
        #expect(try await client.synced.pendingCount == 1)
        #expect(try await client.synced.push().pushed == 1)
        #expect(try await scene.collection().contents().isEmpty)
    }

    @Test func `Two processes can't push the same copy at the same time`() async throws {
        let scene = try await SyncScene()
        let client = try await scene.client("one")
        let copy = try await client.store.copy(named: SyncScene.name)
        let lock = try copy.lock()
        await #expect(throws: (any Error).self) { try await client.synced.push() }
        withExtendedLifetime(lock) {}
    }

    @Test func `Without changes on either side, the origin is opened only once`() async throws {
        let scene = try await SyncScene()
        let client = try await scene.client("one")
        try await client.synced.push()
        #expect(client.openings.value == 0)
        try await client.synced.pull()
        #expect(client.openings.value == 1)
    }
}
