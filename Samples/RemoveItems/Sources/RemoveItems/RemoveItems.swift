import ContentFeeding
import EngineSQLite
import Glibc

/// Removes documents from a collection.
///
/// Usage: `RemoveItems STORE COLLECTION ID...`
@main
struct RemoveItems {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count > 2 else {
            print("usage: RemoveItems STORE COLLECTION ID...")
            exit(64)
        }
        let store = try await SQLiteEngine.open(path: arguments[1])
        let collection = try await store.collection(named: CollectionName(arguments[2]))
        let status = try await remove(arguments.dropFirst(2), from: collection)
        exit(status.hasDocumentErrors || status.counts.open > 0 ? 1 : 0)
    }

    static func remove(_ items: ArraySlice<String>, from collection: any ContentEngine) async throws -> StatusReport {
        let feeder = DocumentFeeder(engine: collection)

        for item in items {
            let operation = try await feeder.removeDocument(DocumentID(item))
            print("Removing item '\(item)'. Operation ID: \(operation)")
        }

        // An operation is queued when `removeDocument` returns; its outcome is known only after this call.
        let status = try await feeder.waitForCompletion(.secured, deadline: .seconds(60))

        if status.counts.open > 0 { print("Not done within a minute: \(status.counts.open)") }
        if status.hasDocumentErrors { print("Total Errors: \(status.errorCount)") }
        for try await error in await feeder.documentErrors() { print(error) }

        await feeder.close()
        return status
    }
}
