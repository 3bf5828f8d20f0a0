/// A search query, all of whose conditions must hold.
public struct SearchQuery: Hashable, Sendable {
    /// Words that must occur somewhere in the document's strings.
    public var words: [String]
    /// Word sequences that must occur.
    public var phrases: [String]
    /// Top-level fields that must have exactly this value.
    public var fields: [Field]
    /// A query in the engine's own language, which must match as well.
    public var expression: String?
    /// Whether to return the documents themselves; if not, each match comes with an empty object.
    public var includesDocuments = true

    /// A top-level field, and the value that it must have.
    public struct Field: Hashable, Sendable {
        /// The field's name.
        public var name: String
        /// The value, as text.
        public var value: String

        /// Creates a condition on a field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Creates a query; without conditions, it matches every document.
    public init(words: [String] = [], phrases: [String] = [], fields: [Field] = []) {
        self.words = words
        self.phrases = phrases
        self.fields = fields
    }
}

/// A document as stored by the engine.
public struct StoredDocument: Hashable, Sendable {
    /// The document's ID.
    public let id: DocumentID
    /// A number that grows with each change of the document; `nil` if the engine has none.
    public let version: Int64?
    /// The routing that places the document; `nil` if its ID does.
    public let routing: Routing?
    /// One JSON object, in the bytes that were fed.
    public let json: [UInt8]

    /// Creates a document as an engine returns it.
    public init(id: DocumentID, version: Int64?, routing: Routing? = nil, json: [UInt8]) {
        self.id = id
        self.version = version
        self.routing = routing
        self.json = json
    }
}

/// The documents found for the first of some IDs.
public struct DocumentPage: Sendable {
    /// The documents that exist, in the order of the IDs.
    public var documents: [StoredDocument]
    /// The number of IDs examined, including those without a document.
    public var looked: Int

    /// Creates a page.
    public init(documents: [StoredDocument], looked: Int) {
        self.documents = documents
        self.looked = looked
    }
}

/// A page of the results of a search.
public struct SearchPage: Sendable {
    /// The documents found, in the engine's order.
    public var documents: [StoredDocument]
    /// The start of the next page; `nil` if this one is the last.
    public var next: SearchCursor?

    /// Creates a page.
    public init(documents: [StoredDocument], next: SearchCursor?) {
        self.documents = documents
        self.next = next
    }
}

/// A position between two pages, in the engine's own form.
public struct SearchCursor: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}
