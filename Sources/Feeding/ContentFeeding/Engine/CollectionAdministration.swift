/// An open engine at an address, which manages its collections and binds to one of them.
public protocol CollectionAdministration: Sendable {
    /// The address with which the engine was opened, without secrets.
    var target: String { get }
    /// The product and its version, such as `OpenSearch 2.19`, as far as the engine reports them; `nil` if unknown.
    var product: String? { get }
    /// The engine's interface for aliases; `nil` if it has no aliases.
    var aliasing: (any AliasAdministration)? { get }
    /// The engine's interface for the definitions of collections; `nil` if they can't be kept in a file.
    var defining: (any DefinitionAdministration)? { get }
    /// The engine's interface for clearing collections at a limited rate; `nil` if it clears them at once.
    var pacedClearing: (any PacedClearing)? { get }
    /// The engine's interface for the health of collections; `nil` if it reports none.
    var healthReporting: (any HealthReporting)? { get }

    func list() async throws(EngineError) -> [CollectionDescription]
    func show(_ name: CollectionName) async throws(EngineError) -> CollectionDescription
    /// Creates a collection; `settings` are specific to the engine.
    func create(_ name: CollectionName, settings: [CollectionSetting]) async throws(EngineError)
    /// Removes all documents but keeps the collection, and returns the number of documents removed.
    func clear(_ name: CollectionName) async throws(EngineError) -> Int
    /// Removes the collection with its documents, and returns the number of documents removed; `nil` if it can't be
    /// determined.
    func delete(_ name: CollectionName) async throws(EngineError) -> Int?
    /// Merges pending changes and frees space.
    ///
    /// `progress` is called from time to time with the number of documents processed and the total.
    func optimize(
        _ name: CollectionName,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws(EngineError) -> OptimizationReport

    /// Binds to one collection, or fails with `missingCollection` and advice.
    func collection(named name: CollectionName) async throws(EngineError) -> any CollectionEngine
}

extension CollectionAdministration {
    /// Returns `nil` for an engine that does not name its product.
    public var product: String? { nil }
    /// Returns `nil` for an engine without aliases.
    public var aliasing: (any AliasAdministration)? { nil }
    /// Returns `nil` for an engine whose collections can't be defined in a file.
    public var defining: (any DefinitionAdministration)? { nil }
    /// Returns `nil` for an engine that clears a collection at once.
    public var pacedClearing: (any PacedClearing)? { nil }
    /// Returns `nil` for an engine that does not report the health of its collections.
    public var healthReporting: (any HealthReporting)? { nil }
}

extension HealthReporting {
    /// Returns the engine itself.
    public var healthReporting: (any HealthReporting)? { self }
}

extension AliasAdministration {
    /// Returns the engine itself.
    public var aliasing: (any AliasAdministration)? { self }
}

extension PacedClearing {
    /// Returns the engine itself.
    public var pacedClearing: (any PacedClearing)? { self }
}

/// An engine that clears a collection page by page, so the rate can be limited.
public protocol PacedClearing: CollectionAdministration {
    /// Removes all documents, as ``CollectionAdministration/clear(_:)`` does, but no more than this many per second.
    func clear(_ name: CollectionName, documentsPerSecond: Double) async throws(EngineError) -> Int
}

/// An engine that reports whether the parts of a collection are available.
public protocol HealthReporting: CollectionAdministration {
    /// Returns the present health of a collection.
    func health(of name: CollectionName) async throws(EngineError) -> CollectionHealth
}

/// The availability of a collection's parts, in the words of OpenSearch and Elasticsearch.
public enum CollectionHealth: String, Hashable, Sendable, CaseIterable, Comparable {
    /// Some documents can't be reached.
    case red
    /// All documents can be reached, but some have fewer copies than the collection should have.
    case yellow
    /// All copies of all documents are available.
    case green

    public static func < (one: Self, other: Self) -> Bool {
        allCases.firstIndex(of: one) ?? 0 < allCases.firstIndex(of: other) ?? 0
    }
}

/// A collection's size and settings.
public struct CollectionDescription: Hashable, Sendable {
    /// The collection's name.
    public var name: CollectionName
    /// The number of live documents; `nil` if it is unknown because the collection is closed or a part of it does not
    /// respond.
    public var documents: Int?
    /// The number of documents that were removed or replaced but are not yet merged away.
    public var waiting: Int
    /// The size on disk; `nil` if the engine does not report it.
    public var bytes: Int?
    /// The settings, in the engine's own terms.
    public var settings: [CollectionSetting]
    /// The reason why the counts are unknown, in one sentence; `nil` if they are known.
    public var flaw: String?

    /// Creates a description.
    public init(name: CollectionName, documents: Int?, waiting: Int, bytes: Int?, settings: [CollectionSetting] = []) {
        self.name = name
        self.documents = documents
        self.waiting = waiting
        self.bytes = bytes
        self.settings = settings
    }
}

/// A setting in the engine's own terms.
public struct CollectionSetting: Hashable, Sendable {
    /// The setting's name.
    public var name: String
    /// The setting's value.
    public var value: String

    /// Creates a setting.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// The result of an optimization.
public struct OptimizationReport: Hashable, Sendable {
    /// The number of documents permanently removed by merging.
    public var merged: Int
    /// The size on disk before the optimization.
    public var bytesBefore: Int
    /// The size on disk after the optimization.
    public var bytesAfter: Int

    /// Creates the result of an optimization.
    public init(merged: Int, bytesBefore: Int, bytesAfter: Int) {
        self.merged = merged
        self.bytesBefore = bytesBefore
        self.bytesAfter = bytesAfter
    }
}

/// An open engine whose collections can have aliases that can be moved to another collection in one step.
public protocol AliasAdministration: CollectionAdministration {
    /// Returns the aliases, sorted by name.
    func aliases() async throws(EngineError) -> [CollectionAlias]

    /// Points `alias` at one collection instead of the previous ones.
    ///
    /// The change is atomic: no request finds the alias missing, or pointing at both the old and the new collection.
    ///
    /// If the alias does not exist, it is created. If the alias has properties that would be lost, such as a filter,
    /// the method throws and changes nothing.
    ///
    /// - Returns: The collections to which the alias previously pointed.
    func point(_ alias: CollectionName, to collection: CollectionName) async throws(EngineError) -> [CollectionName]
}

/// An alias: another name for one or more collections.
public struct CollectionAlias: Hashable, Sendable {
    /// The alias itself.
    public var name: CollectionName
    /// The collections to which the alias refers, sorted by name.
    public var collections: [CollectionName]

    /// Creates an alias of these collections.
    public init(name: CollectionName, collections: [CollectionName]) {
        self.name = name
        self.collections = collections
    }
}

/// A search query whose conditions must all hold.
public struct SearchQuery: Hashable, Sendable {
    /// The words that must occur somewhere in the document's strings.
    public var words: [String]
    /// The sequences of words that must occur.
    public var phrases: [String]
    /// The top-level fields that must have exactly the given value.
    public var fields: [Field]
    /// A query in the engine's own language, which must match as well.
    public var expression: String?
    /// Whether to return the documents themselves; if not, each match has an empty object.
    public var includesDocuments = true
    /// The keys by which the matches are sorted, the most important first; empty for the engine's own order.
    ///
    /// Only an engine with ``EngineCapabilities/sortsAndCounts`` supports an order; the others refuse it.
    public var order: [SortKey] = []

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
    /// A number that increases with each change to the document; `nil` if the engine has no such number.
    public let version: Int64?
    /// The routing value that places the document; `nil` if its ID places it.
    public let routing: Routing?
    /// The document as one JSON object, with the bytes that were fed.
    public let json: [UInt8]

    /// Creates a document as an engine returns it.
    public init(id: DocumentID, version: Int64?, routing: Routing? = nil, json: [UInt8]) {
        self.id = id
        self.version = version
        self.routing = routing
        self.json = json
    }
}

/// A document whose stored bytes can't be read as JSON, for example because it contains comments or is nested too
/// deeply.
public struct UnreadableDocument: Hashable, Sendable {
    /// The document's ID, and the routing value that places it.
    public let key: DocumentKey
    /// The stored bytes.
    public let bytes: [UInt8]
    /// The defect of the bytes, as a sentence fragment.
    public let reason: String

    /// Creates a document that can't be read.
    public init(_ key: DocumentKey, bytes: [UInt8], reason: String) {
        (self.key, self.bytes, self.reason) = (key, bytes, reason)
    }

    /// The failure to report for an operation that needs the contents of the document.
    public var failure: DocumentFailure {
        DocumentFailure(.rejectedByEngine, "the engine's copy of the document is not JSON: \(reason)")
    }
}

/// The documents found for the first IDs of a list.
public struct DocumentPage: Sendable {
    /// The documents that exist, in the order of the IDs.
    public var documents: [StoredDocument]
    /// The number of IDs examined, including IDs without a document.
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
    /// The documents found that can't be read.
    public var unreadable: [UnreadableDocument] = []
    /// The position at which the next page starts; `nil` if this page is the last.
    public var next: SearchCursor?

    /// Creates a page.
    public init(documents: [StoredDocument], next: SearchCursor?) {
        self.documents = documents
        self.next = next
    }
}

/// A position between two pages, in the engine's own format.
public struct SearchCursor: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}
