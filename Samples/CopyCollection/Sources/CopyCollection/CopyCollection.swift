import CollectionSync
import ContentFeeding
import EngineSQLite

/// Changes an offline copy of a collection, and synchronizes it with its origin.
///
/// Usage: `CopyCollection ORIGIN STORE`, where both are paths of new stores.
@main
struct CopyCollection {
    static func main() async throws {
        let server = try await SQLiteEngine.create(path: CommandLine.arguments[1])
        try await server.create("Pages", settings: [])
        let origin = try await server.collection(named: "Pages")
        try await add(["ID1", "ID2"], to: origin)

        let store = try await SQLiteEngine.create(path: CommandLine.arguments[2])
        try await store.createCopy("Pages", of: CopyOrigin(target: server.target, collection: "Pages"))
        let copy = SyncedCollection(try await store.copy(named: "Pages"), origin: { origin })
        print("pulled: \(try await copy.pull().changes.added)")

        try await add(["ID3"], to: store.collection(named: "Pages"))
        print("waiting: \(try await copy.pendingCount)")
        try await copy.push()
        print("at the origin: \(try await origin.count())")
    }

    static func add(_ ids: [DocumentID], to collection: any ContentEngine) async throws {
        let feeder = DocumentFeeder(engine: collection)
        for id in ids { try await feeder.addDocument(Document(id: id, ["title": "Page \(id)"])) }
        await feeder.close()
    }
}
