/// What to find: all conditions must hold.
public struct SearchQuery: Hashable, Sendable {
    /// Words that must occur somewhere in the document's strings.
    public var words: [String]
    /// Word sequences that must occur.
    public var phrases: [String]
    /// Top-level fields that must have exactly this value.
    public var fields: [Field]
    /// A query in the engine's own language, which must hold as well.
    public var expression: String?
    /// Whether the documents themselves are wanted; if not, each found one comes with an empty object.
    public var includesDocuments = true

    public struct Field: Hashable, Sendable {
        public var name: String
        public var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    public init(words: [String] = [], phrases: [String] = [], fields: [Field] = []) {
        self.words = words
        self.phrases = phrases
        self.fields = fields
    }
}

/// A document as the engine has it.
public struct StoredDocument: Hashable, Sendable {
    public let id: DocumentID
    /// Grows with each change of the document; `nil` where the engine has none.
    public let version: Int64?
    /// One JSON object, the bytes as they were fed.
    public let json: [UInt8]

    public init(id: DocumentID, version: Int64?, json: [UInt8]) {
        self.id = id
        self.version = version
        self.json = json
    }
}

/// The documents of the first of some IDs.
public struct DocumentPage: Sendable {
    public var documents: [StoredDocument]
    /// How many of the IDs were looked at, those without a document included.
    public var looked: Int

    public init(documents: [StoredDocument], looked: Int) {
        self.documents = documents
        self.looked = looked
    }
}

public struct SearchPage: Sendable {
    public var documents: [StoredDocument]
    /// Where the next page begins; `nil` when this one is the last.
    public var next: SearchCursor?

    public init(documents: [StoredDocument], next: SearchCursor?) {
        self.documents = documents
        self.next = next
    }
}

/// A place between two pages, in the engine's own words.
public struct SearchCursor: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}
