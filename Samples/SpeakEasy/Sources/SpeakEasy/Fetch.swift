import ContentFeeding
import DocumentSources
import EngineSQLite

/// Copies the program from tables and blobs into a store.
struct Fetch {
    private let path: String
    private let sources: [(collection: CollectionName, source: any DocumentSource)]

    /// Finds the sources; nothing is sent yet.
    ///
    /// - Parameters:
    ///   - path: The store, which is created if it does not exist.
    ///   - tables: The account's tables, such as `https://ACCOUNT.table.core.windows.net`.
    ///   - blobs: The account's blobs, such as `https://ACCOUNT.blob.core.windows.net`.
    /// - Throws: A `SourceError` if the addresses do not name an account.
    init(into path: String, tables: String, blobs: String) throws {
        self.path = path
        var byRow = AzureTableSource.Options()
        byRow.id = "RowKey"
        let access = HTTPAccess.azureEnvironment
        sources = [
            ("events", try AzureTableSource("\(tables)/events", options: byRow, access: access)),
            ("presenters", try AzureTableSource("\(tables)/presenters", options: byRow, access: access)),
            ("pictures", try AzureBlobSource("\(blobs)/pictures", access: access)),
        ]
    }

    func run() async throws {
        let store = try await SQLiteEngine.create(path: path)
        let known = Set(try await store.list().map(\.name))
        for (collection, source) in sources {
            if !known.contains(collection) { try await store.create(collection, settings: []) }
            let feeder = DocumentFeeder(engine: try await store.collection(named: collection))
            let reader = try await source.reader(of: .documents, from: .beginning)
            while let page = try await reader.next() {
                for entry in page.entries {
                    try await feeder.addDocument(Document(id: entry.id, json: entry.json ?? []))
                }
                for rejection in page.rejections { print("left out: \(rejection)") }
            }
            print("\(collection): \(await feeder.close().counts.accepted)")
        }
    }
}
