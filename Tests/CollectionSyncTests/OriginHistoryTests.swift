import CollectionSync
import ContentFeeding
import EngineSQLite
import Foundation
import Synchronization
import TestSupport
import Testing

/// Origins whose history does not contain every change: stores that are restored from a backup, and documents that
/// start to match a query without being written.
struct OriginHistoryTests {
    /// An origin whose store is reopened for each write, as it is by commands, and a copy of it.
    private struct Scene {
        let folder: TemporaryFolder
        let copy: any LocalCopy
        let documents: any CollectionEngine
        let synced: SyncedCollection

        init(removedMark: SearchQuery.Field? = nil) async throws {
            let folder = try TemporaryFolder()
            let path = folder.path("origin.sqlite")
            let store = try await SQLiteEngine.create(path: folder.path("copy.sqlite"))
            let origin = CopyOrigin(target: "sqlite:\(path)", collection: SyncScene.name, removedMark: removedMark)
            try await store.createCopy(SyncScene.name, of: origin)
            try await SQLiteEngine.create(path: path).create(SyncScene.name, settings: [])
            copy = try await store.copy(named: SyncScene.name)
            documents = try await store.collection(named: SyncScene.name)
            synced = SyncedCollection(copy) {
                try await SQLiteEngine.create(path: path).collection(named: SyncScene.name)
            }
            self.folder = folder
        }

        func origin() async throws -> any CollectionEngine {
            try await SQLiteEngine.create(path: folder.path("origin.sqlite")).collection(named: SyncScene.name)
        }

        func write(_ operations: ContentOperation...) async throws {
            _ = try await origin().results(of: operations)
        }

        func backUp() throws {
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path(suffix)) {
                try FileManager.default.copyItem(atPath: path(suffix), toPath: folder.path("backup" + suffix))
            }
        }

        func putBack() throws {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path(suffix)) }
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: folder.path("backup" + suffix)) {
                try FileManager.default.copyItem(atPath: folder.path("backup" + suffix), toPath: path(suffix))
            }
        }

        private func path(_ suffix: String) -> String { folder.path("origin.sqlite" + suffix) }
    }

    private static func number(_ id: Int, _ value: Int = 0) throws -> ContentOperation {
        .add(document(try DocumentID("k\(id)"), #"{"v":\#(value)}"#))
    }

    /// The loss (rows after the origin's last one, a removal without a row, or both) and the writes after it (none, as
    /// many rows, or more).
    @Test(arguments: [true, false], [0, 2, 9])
    func `Documents are compared by content with a store that was restored from a backup`(
        loses rows: Bool,
        thenWrites count: Int
    ) async throws {
        let scene = try await Scene()
        for id in 0..<5 { try await scene.write(Self.number(id)) }
        try await scene.synced.pull()
        try scene.backUp()
        if rows { try await scene.write(Self.number(1, 1), Self.number(5)) }
        try await scene.write(.remove("k2"))
        try await scene.synced.pull()
        try scene.putBack()
        for id in 0..<count { try await scene.write(Self.number(10 + id)) }

        let report = try await scene.synced.pull()
        #expect(report.originWentBack && !report.isUnchanged)
        #expect(report.comparison?.contains("restored from a backup") == true)
        #expect(try await scene.documents.contents() == scene.origin().contents())
        let next = try await scene.synced.pull()
        #expect(next.isUnchanged && !next.originWentBack)
    }

    @Test func `Documents that exist only in the lost history are removed, even if removals are marked`() async throws {
        let scene = try await Scene(removedMark: SearchQuery.Field(name: "gone", value: "yes"))
        try await scene.write(Self.number(0))
        try scene.backUp()
        try await scene.write(Self.number(1))
        try await scene.synced.pull()
        try scene.putBack()
        #expect(try await scene.synced.pull().changes.removed == 1)
        #expect(try await scene.documents.contents().keys.sorted() == ["k0"])
    }

    /// The row that the copy has seen is now used by another version.
    @Test func `A push to a restored store detects the changes of other writers`() async throws {
        let scene = try await Scene()
        try await scene.write(Self.number(0))
        try scene.backUp()
        try await scene.write(Self.number(0, 1))
        try await scene.synced.pull()
        try scene.putBack()
        try await scene.write(Self.number(0, 2))
        _ = try await scene.documents.results(of: [Self.number(0, 3)])

        let report = try await scene.synced.push()
        #expect(report.originWentBack && report.conflicts == 1 && report.pushed == 0 && report.left == 1)
        #expect(try await scene.origin().contents() == ["k0": #"{"v":2}"#])
    }

    /// The store is opened for writing more often than the number of stretches that are kept.
    @Test func `A pull compares all documents if the previous pull was very long ago`() async throws {
        let scene = try await Scene()
        try await scene.write(Self.number(0))
        try await scene.synced.pull()
        for value in 1...1_001 { try await scene.write(Self.number(0, value)) }
        let report = try await scene.synced.pull()
        #expect(report.originWentBack && report.changes.updated == 1)
        #expect(try await scene.documents.contents() == scene.origin().contents())
    }

    @Test func `A document that appears in no history is pulled when IDs are compared`() async throws {
        let scene = try await SyncScene()
        try await scene.apply(.add(document("a", "{}")), .add(document("b", #"{"x":1}"#)))
        let client = try await scene.client("one")
        let origin = try await Self.hiding("b", at: scene)
        let synced = SyncedCollection(try await client.store.copy(named: SyncScene.name)) { origin }
        #expect(try await synced.pull().changes.added == 1)
        try await scene.apply(.add(document("c", "{}")))
        let report = try await synced.pull()
        #expect(report.changes.added == 2 && report.comparedAll)
        #expect(try await client.documents.contents() == scene.collection().contents())
    }

    @Test func `If the query of a copy may depend on the time, each pull compares all IDs`() async throws {
        let scene = try await SyncScene()
        let json = #"{"at":"now"}"#
        try await scene.apply(.add(document("a", json)), .add(document("b", json)))
        let client = try await scene.client("one", query: SearchQuery(fields: [.init(name: "at", value: "now")]))
        let origin = try await Self.hiding("b", at: scene)
        let synced = SyncedCollection(try await client.store.copy(named: SyncScene.name)) { origin }
        #expect(try await synced.pull().changes.added == 1)
        let report = try await synced.pull()
        #expect(report.changes.added == 1 && report.dependsOnTime && !report.isUnchanged)
        #expect(report.comparison?.contains("depend on the time") == true)
        #expect(try await client.documents.contents() == scene.collection().contents())
    }

    /// Returns an origin whose history does not contain a document, as if it had not matched when it was written.
    private static func hiding(_ id: DocumentID, at scene: SyncScene) async throws -> MeddledOrigin {
        let collection = try await scene.collection()
        let hidden = try #require(try await collection.find(SearchQuery(), after: nil).documents.first { $0.id == id })
        let origin = try MeddledOrigin(collection)
        origin.late.withLock { _ = $0.insert("\(hidden.version ?? 0)") }
        return origin
    }

    @Test(arguments: [
        ("at:[* TO now]", true), ("at:[NOW-1DAY/DAY TO *]", true), ("at:>now-1d", true), ("title:nowhere", false),
        ("known", false), ("unknow*", false),
    ])
    func `References to the time in a query are recognized`(expression: String, dependsOnTime: Bool) {
        var query = SearchQuery()
        query.expression = expression
        #expect(CopyOrigin(target: "t", collection: "c", query: query).dependsOnTime == dependsOnTime)
    }
}
