/// The value by which an engine places a document, where that is not its ID: a custom `_routing`.
///
/// Two documents of one collection may have the same ID if their routings differ, and a document is found by its ID
/// alone only if its routing is known.
public struct Routing: Sendable {
    /// The value as it was given to the engine; not empty.
    public let text: String

    /// The longest value that an engine can index, in bytes of UTF-8.
    public static let maximumByteCount = 32_766

    /// Creates a routing; `nil` if the text is empty or too long to be one.
    public init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.maximumByteCount else { return nil }
        self.text = text
    }

    var byteCount: Int { text.utf8.count }
}

extension Routing: Hashable {
    /// Compares bytes, as engines do: `==` of text would take NFC and NFD for the same.
    public static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

extension Routing: CustomStringConvertible {
    public var description: String { text }
}

/// A document to look up: its ID, and its routing if that is known.
public struct DocumentKey: Hashable, Sendable {
    /// The document's ID.
    public let id: DocumentID
    /// The routing; `nil` if the document has none, or none is known.
    public let routing: Routing?

    /// Creates a key.
    public init(_ id: DocumentID, routing: Routing? = nil) {
        self.id = id
        self.routing = routing
    }

    /// Returns the key with an ID in its own memory, for keys that are kept for long.
    public func detached() -> DocumentKey { DocumentKey(id.detached(), routing: routing) }
}

/// What was found of the first of some documents.
public struct LookupPage: Sendable {
    /// The documents found, in the order of the keys.
    ///
    /// A key without a routing may stand for several.
    public var documents: [StoredDocument]
    /// Whether each key examined has a document; the others are still to be looked up.
    public var answers: [Bool]

    /// Creates a page.
    public init(documents: [StoredDocument], answers: [Bool]) {
        self.documents = documents
        self.answers = answers
    }
}

extension SearchableEngine {
    /// Looks IDs up, for an engine that knows no routing.
    public func get(at keys: ArraySlice<DocumentKey>, maximumBytes: Int) async throws(EngineError) -> LookupPage {
        try refuseRouting(in: keys)
        let page = try await get(keys.map(\.id)[...], maximumBytes: maximumBytes)
        // Documents come in the order of the IDs; IDs without one are left out.
        var found = page.documents.makeIterator()
        var next = found.next()
        let answers = keys.prefix(page.looked).map { key in
            guard next?.id == key.id else { return false }
            next = found.next()
            return true
        }
        return LookupPage(documents: page.documents, answers: answers)
    }

    /// Looks IDs up, for an engine that knows no routing.
    public func exists(at keys: [DocumentKey]) async throws(EngineError) -> [Bool] {
        try refuseRouting(in: keys[...])
        return try await exists(keys.map(\.id))
    }

    /// Returns `nil`: nothing can escape a lookup by ID where documents have no routing.
    public func lookupReservation() async -> String? { nil }

    private func refuseRouting(in keys: ArraySlice<DocumentKey>) throws(EngineError) {
        guard let key = keys.first(where: { $0.routing != nil }) else { return }
        throw EngineError(
            .unsupported,
            "'\(key.id)' comes with the routing '\(key.routing?.text ?? "")', but '\(collection)' knows documents by ID only",
            advice: "leave the routing out of the input"
        )
    }
}

extension DocumentFailure {
    /// A document with a routing for an engine that has no place for one.
    static func routingUnknown(_ routing: Routing) -> DocumentFailure {
        DocumentFailure(
            .rejectedByEngine,
            "it comes with the routing '\(routing)', which this engine can't keep; leave the routing out of the input"
        )
    }
}
