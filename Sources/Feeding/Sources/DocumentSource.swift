public import ContentFeeding

/// A place where documents are kept, from which a collection is fed, or with which it is compared: a storage account, a
/// folder, a sitemap, a database, another collection.
public protocol DocumentSource: Sendable {
    /// The source's address, without secrets.
    var name: String { get }

    /// What can be expected of its entries.
    var traits: SourceTraits { get }

    /// Opens the source, to be read from its beginning, or from where an earlier reader's page ended.
    ///
    /// Throws a ``SourceError`` if the source can't be read at all, so that nothing is sent on its behalf.
    func reader(of contents: SourceContents, from place: SourcePlace) async throws(SourceError) -> any SourceReader
}

/// The entries of a source, page by page, in constant memory.
///
/// An actor, because whoever reads asks from a task of its own.
public protocol SourceReader: Actor {
    /// Returns the next entries; `nil` at the end, which comes only after every entry was read.
    ///
    /// A page that is missing or cut, or an entry that the source does not give whole, throws: a part is never taken for
    /// the whole. May be called again after an error that is worth another try; nothing was passed over.
    func next() async throws(SourceError) -> SourcePage?
}

/// What is read of each entry.
public enum SourceContents: Hashable, Sendable {
    /// Its ID and its version, and nothing else if the source can do without.
    case versions
    /// Its document too.
    case documents
}

/// What can be expected of a source's entries.
public struct SourceTraits: Hashable, Sendable {
    /// Whether IDs come in ascending order of their bytes.
    public var isOrdered = false
    /// The top-level key of the documents that holds the version too, as in `etag`; `nil` if entries have no version.
    public var versionKey: String?
    /// Whether entries have documents; a sitemap that is not fetched has none.
    public var hasDocuments = true

    /// Creates the traits of a source whose entries have documents in any order, and no version.
    public init() {}
}

/// An entry of a source.
public struct SourceEntry: Hashable, Sendable {
    /// The ID of its document.
    public let id: DocumentID
    /// What tells this state of the entry from others, in the source's own words: an ETag, a time; `nil` if nothing does.
    public let version: String?
    /// The routing that places the document; `nil` if its ID does.
    public let routing: Routing?
    /// One JSON object; `nil` if only versions were asked for.
    public let json: [UInt8]?

    /// Creates an entry.
    public init(id: DocumentID, version: String? = nil, routing: Routing? = nil, json: [UInt8]? = nil) {
        self.id = id
        self.version = version
        self.routing = routing
        self.json = json
    }
}

/// Some entries of a source, and the place after them.
public struct SourcePage: Sendable {
    /// The entries, in the source's order.
    public var entries: [SourceEntry]
    /// What is no entry, each with its place: something is there, and nobody can say under which ID.
    public var rejections: [InputRejection]
    /// The number of further ones that are not told singly, because there are too many.
    public var unnamedRejections = 0
    /// Where reading goes on after this page.
    public var next: SourcePlace

    /// Creates a page.
    public init(entries: [SourceEntry], rejections: [InputRejection] = [], next: SourcePlace) {
        self.entries = entries
        self.rejections = rejections
        self.next = next
    }

    /// The number of all that is no entry.
    public var rejected: Int { rejections.count + unnamedRejections }
}

/// A place between two pages of a source, in the source's own form, such as a continuation token.
public struct SourcePlace: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The place before the first page.
    public static let beginning = SourcePlace(rawValue: "")
}
