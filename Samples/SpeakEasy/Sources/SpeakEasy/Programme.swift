import ContentFeeding
import EngineSQLite
import Foundation

/// A talk, as the table describes it.
struct Event: Decodable {
    let id: String
    let title: String
    let begins: Date
    let place: String
    let seats: Int
    /// The ID of the presenter.
    let presenter: String
}

/// A person who gives talks.
struct Presenter: Decodable {
    let id: String
    let name: String
    let title: String
    let biography: String
    /// The name of the picture's blob.
    let picture: String
}

/// A presenter's picture, with the metadata of its blob.
struct Picture: Decodable {
    let contentType: String
    /// The picture, which is Base64 in JSON.
    let content: Data
}

/// The events, presenters and pictures in a store, which a phone can show without contacting the account again.
struct Programme {
    private let events: any CollectionEngine
    private let presenters: any CollectionEngine
    private let pictures: any CollectionEngine

    init(in store: SQLiteEngine) async throws {
        events = try await store.collection(named: "events")
        presenters = try await store.collection(named: "presenters")
        pictures = try await store.collection(named: "pictures")
    }

    /// Returns the events, soonest first; if a presenter is given, only that presenter's events.
    func events(of presenter: Presenter? = nil) async throws -> [Event] {
        let fields = presenter.map { [SearchQuery.Field(name: "presenter", value: $0.id)] } ?? []
        let query = SearchQuery(fields: fields)
        var found: [Event] = []
        var cursor: SearchCursor?
        repeat {
            let page = try await events.find(query, after: cursor)
            found += try page.documents.map { try decoded($0) }
            cursor = page.next
        } while cursor != nil
        return found.sorted { $0.begins < $1.begins }
    }

    /// Returns the event with that ID; `nil` if there is none.
    func event(_ id: DocumentID) async throws -> Event? { try await first(id, in: events) }

    /// Returns the presenter of an event; `nil` if the presenter is unknown.
    func presenter(of event: Event) async throws -> Presenter? { try await presenter(DocumentID(event.presenter)) }

    /// Returns the presenter with that ID; `nil` if there is none.
    func presenter(_ id: DocumentID) async throws -> Presenter? { try await first(id, in: presenters) }

    /// Returns a presenter's picture; `nil` if there is none.
    func picture(of presenter: Presenter) async throws -> Picture? {
        try await first(DocumentID(presenter.picture), in: pictures)
    }

    private func first<Value: Decodable>(_ id: DocumentID, in collection: any CollectionEngine) async throws -> Value? {
        try await collection.get([id]).first.map { try decoded($0) }
    }

    private func decoded<Value: Decodable>(_ document: StoredDocument) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(Value.self, from: Data(document.json))
    }
}
