import ContentFeeding
import EngineSQLite
import FeedFormats

/// Removes the documents that a table lists in its column `URL`.
///
/// Usage: `RemoveFromTable STORE COLLECTION TABLE.csv`
@main
struct RemoveFromTable {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let store = try await SQLiteEngine.open(path: arguments[1])
        let collection = try await store.collection(named: CollectionName(arguments[2]))

        // Rows are read as fast as the engine accepts them, so the table may be larger than memory.
        let input = try await FeedInput.open([.file(arguments[3])], for: .remove, format: .csv(column: .named("URL")))
        let result = await OperationFeed(engine: collection).run(input)

        print("removed: \(result.report.counts.removed)")
        for rejection in result.report.rejections { print("line \(rejection.line): \(rejection.reason)") }
        for try await error in result.errors { print(error) }
    }
}
