import ContentFeeding
import EngineSQLite
import FoundationEssentials
import Sources

/// Events, who speaks there, and what they look like: kept somewhere else, asked for here.
///
/// Usage: `SpeakEasy STORE EVENTS PRESENTERS PICTURES`, a new store and the addresses of three sources. Credentials of
/// Azure Storage come from its own tools' variables, such as `AZURE_STORAGE_CONNECTION_STRING`.
@main
struct SpeakEasy {
    static func main() async throws {
        let store = try await SQLiteEngine.create(path: CommandLine.arguments[1])
        for (name, address) in zip(["Events", "Presenters", "Pictures"], CommandLine.arguments[2...]) {
            try await store.create(CollectionName(name), settings: [])
            try await fill(store.collection(named: CollectionName(name)), from: address)
        }
        let program = Program(
            events: try await store.collection(named: "Events"),
            presenters: try await store.collection(named: "Presenters"),
            pictures: try await store.collection(named: "Pictures")
        )
        for event in try await program.events() {
            let presenter = try await program.presenter(of: event)
            print("\(event.start.prefix(10))  \(event.title), by \(presenter?.name ?? "somebody")")
        }
        for presenter in try await program.presenters() {
            let count = try await program.events(of: presenter).count
            let picture = try await program.picture(of: presenter) ?? "no picture"
            print("\(presenter.name): \(count == 1 ? "1 event" : "\(count) events"), \(picture)")
        }
    }

    /// Adds what a source has, and says what it can't give.
    static func fill(_ collection: any ContentEngine, from text: String) async throws {
        let source = try SourceCatalog(environment: ProcessInfo.processInfo.environment).open(SourceAddress(text))
        let feeder = DocumentFeeder(engine: collection)
        let reader = try await source.reader(of: .documents, from: .beginning)
        while let page = try await reader.next() {
            for rejection in page.rejections { print("left out: \(rejection)") }
            for entry in page.entries {
                guard let json = entry.json else { continue }
                try await feeder.addDocument(Document(id: entry.id, json: json))
            }
        }
        try await feeder.waitForCompletion(.secured)
        await feeder.close()
    }
}

struct Event: Decodable {
    let title, start, presenter: String

    enum CodingKeys: String, CodingKey {
        case title = "Title"
        case start = "Start"
        case presenter = "Presenter"
    }
}

struct Presenter: Decodable {
    let id, name: String
    let picture: String?

    enum CodingKeys: String, CodingKey {
        case id
        case name = "Name"
        case picture = "Picture"
    }
}

/// The questions of the pages: events soonest first, one event's presenter, one presenter's events and picture.
struct Program {
    let events, presenters, pictures: any SearchableEngine

    func events() async throws -> [Event] {
        try await all(SearchQuery(), in: events).sorted { $0.start < $1.start }
    }

    func presenter(of event: Event) async throws -> Presenter? {
        try await one(event.presenter, in: presenters)
    }

    func presenters() async throws -> [Presenter] {
        try await all(SearchQuery(), in: presenters).sorted { $0.name < $1.name }
    }

    func events(of presenter: Presenter) async throws -> [Event] {
        let query = SearchQuery(fields: [SearchQuery.Field(name: "Presenter", value: presenter.id)])
        return try await all(query, in: events).sorted { $0.start < $1.start }
    }

    /// The picture's name, if there is one.
    func picture(of presenter: Presenter) async throws -> String? {
        guard let name = presenter.picture, try await pictures.exists([DocumentID(name)]) == [true] else { return nil }
        return name
    }

    private func one<Item: Decodable>(_ id: String, in collection: any SearchableEngine) async throws -> Item? {
        let page = try await collection.get([DocumentID(id)], maximumBytes: 1 << 20)
        return try page.documents.first.map { try JSONDecoder().decode(Item.self, from: Data($0.json)) }
    }

    private func all<Item: Decodable>(_ query: SearchQuery, in collection: any SearchableEngine) async throws -> [Item]
    {
        var items: [Item] = []
        var cursor: SearchCursor?
        repeat {
            let page = try await collection.find(query, after: cursor)
            items += try page.documents.map { try JSONDecoder().decode(Item.self, from: Data($0.json)) }
            cursor = page.next
        } while cursor != nil
        return items
    }
}
