import ContentFeeding
import EngineSQLite

/// Adds pages to a new store, and removes one that does not exist.
///
/// Usage: `FirstFeeder STORE`
@main
struct FirstFeeder {
    struct Page: Encodable {
        var title: String
        var year: Int
    }

    static func main() async throws {
        let store = try await SQLiteEngine.create(path: CommandLine.arguments[1])
        try await store.create("WebCollection", settings: [])
        let pages = try await store.collection(named: "WebCollection")

        let feeder = DocumentFeeder(engine: pages, missing: .warn)
        try await feeder.addDocument(Document(id: "ID1", Page(title: "The first page", year: 2011)))
        var second = DocumentBuilder(id: "ID2")
        try second.addElement(.newString("title", "The second page"))
        try second.addElement(.newInteger("year", 2012))
        try await feeder.addDocument(second.document)
        try await feeder.removeDocument("FAKEID")

        let counts = try await feeder.waitForCompletion(.secured).counts
        print("added: \(counts.added), missing: \(counts.missing)")
        for try await warning in await feeder.documentWarnings() { print(warning) }
        await feeder.close()

        for page in try await pages.find(SearchQuery(words: ["second"]), after: nil).documents { print(page.id) }
    }
}
