import Digests
import Glibc
package import JSONText
import TextKit

// MARK: Operations

/// A change to one document of a collection.
///
/// A feed accesses each operation many times, usually only for its ID, so a simple removal stores only the ID.
public struct ContentOperation: Hashable, Sendable {
    /// The effect on the document.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Replaces the whole document, or creates it.
        case add
        /// Merges top-level keys into the document; `null` removes a key, and operators such as `$inc` compute values.
        case update
        case remove
    }

    /// The ID of the document.
    public let documentID: DocumentID
    /// The properties that only some operations have; `nil` for a removal that has only an ID, which makes it cheap to
    /// copy.
    private let details: Details?
    /// The effect on the document.
    public let kind: Kind

    private final class Details: Hashable, Sendable {
        let json: [UInt8]
        let routing: Routing?
        let condition: WriteCondition?
        let whole: [UInt8]?

        init(
            json: consuming [UInt8],
            routing: consuming Routing?,
            condition: WriteCondition?,
            whole: consuming [UInt8]?
        ) {
            (self.json, self.routing, self.condition, self.whole) = (json, routing, condition, whole)
        }

        static func == (one: Details, other: Details) -> Bool {
            one === other
                || (one.json == other.json && one.routing == other.routing && one.condition == other.condition
                    && one.whole == other.whole)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(json)
            hasher.combine(routing)
            hasher.combine(condition)
            hasher.combine(whole)
        }
    }

    private init(
        _ kind: Kind,
        _ documentID: consuming DocumentID,
        json: consuming [UInt8] = [],
        routing: consuming Routing?,
        condition: WriteCondition? = nil,
        whole: consuming [UInt8]? = nil
    ) {
        self.kind = kind
        self.documentID = documentID
        let isBare = json.isEmpty && routing == nil && condition == nil
        details = isBare ? nil : Details(json: json, routing: routing, condition: condition, whole: whole)
    }

    private init(_ kind: Kind, _ documentID: consuming DocumentID, _ details: Details?) {
        (self.kind, self.documentID, self.details) = (kind, documentID, details)
    }

    /// The document or the patch, as ``Document/json``; empty for a removal.
    public var json: [UInt8] { details?.json ?? [] }

    /// The routing value given by the input; `nil` if there is none.
    public var routing: Routing? { details?.routing }

    /// The condition that the document must meet for the operation to be carried out; `nil` for none.
    public var condition: WriteCondition? { details?.condition }

    /// The whole document that an update adds if its document does not exist, as one JSON object; `nil` if that is the
    /// patch applied to an empty object.
    package var wholeDocument: [UInt8]? { details?.whole }

    /// Returns an update with the whole document that it adds if its document does not exist.
    package func adding(_ whole: [UInt8]?) -> Self {
        Self(kind, documentID, json: json, routing: routing, condition: condition, whole: whole)
    }

    /// The contents as a journal stores them: ``json``, and after a NUL, which JSON never contains, the whole document.
    package var journalJSON: [UInt8] { wholeDocument.map { json + [0] + $0 } ?? json }

    /// Creates an update from contents in a journal.
    package static func update(journaled document: Document) -> Self {
        guard let end = document.json.firstIndex(of: 0) else { return .update(document) }
        let patch = Document(id: document.id, json: Array(document.json[..<end]), routing: document.routing)
        return Self.update(patch).adding(Array(document.json[(end + 1)...]))
    }

    /// Replaces the whole document, or creates it.
    public static func add(_ document: Document) -> Self {
        Self(.add, document.id, json: document.json, routing: document.routing)
    }

    /// Merges top-level keys into the document; `null` removes a key.
    public static func update(_ patch: Document) -> Self {
        Self(.update, patch.id, json: patch.json, routing: patch.routing)
    }

    /// Creates an addition or an update from a document that was written for it.
    ///
    /// - Throws: `MisplacedOperator` if an operator such as `$inc` would be stored instead of being applied. Stored
    ///   documents, and those from other programs, may contain such values as data: they need ``add(_:)`` or
    ///   ``update(_:)``.
    package init(_ kind: Kind, written document: Document) throws(MisplacedOperator) {
        if let found = JSONPatch.misplacedOperator(in: document.json, isPatch: kind == .update) { throw found }
        self = kind == .update ? .update(document) : .add(document)
    }

    /// Removes a document.
    public static func remove(_ id: consuming DocumentID) -> Self { Self(.remove, id, routing: nil) }

    /// Removes a document that has a routing value.
    public static func remove(_ key: DocumentKey) -> Self { Self(.remove, key.id, routing: key.routing) }

    /// Returns the operation with a condition; if the condition is not met, the operation fails with
    /// ``DocumentFailure/Code/versionConflict`` or ``DocumentFailure/Code/alreadyExists``.
    ///
    /// This requires a ``VersionedEngine``. A feed with ``FeedConfiguration/addsOnlyNew`` sets its own condition on
    /// each operation that it sends.
    package func only(_ condition: WriteCondition) -> Self {
        Self(kind, documentID, json: json, routing: routing, condition: condition, whole: wholeDocument)
    }

    /// Returns the operation with a routing value, unless it has its own.
    package func routed(to routing: Routing) -> Self {
        guard self.routing == nil else { return self }
        return Self(kind, documentID, json: json, routing: routing, condition: condition, whole: wholeDocument)
    }

    /// The added document or the patch, with its ID; not meaningful for a removal.
    package var document: Document { Document(id: documentID, json: json, routing: routing) }

    /// The document's ID, with the routing value given by the input.
    public var key: DocumentKey { DocumentKey(documentID, routing: routing) }

    /// Returns a copy whose document ID has its own memory, for operations that are kept for a long time.
    public func detached() -> ContentOperation {
        ContentOperation(kind, documentID.detached(), details)
    }

    /// Returns whether a document (or its absence) is the result of the operation.
    public func leaves(_ json: [UInt8]?, in capabilities: EngineCapabilities) -> Bool {
        guard kind != .remove, let json else { return kind == .remove && json == nil }
        // After the document was added, the patch was not applied to it.
        if let wholeDocument, Self.add(Document(id: documentID, json: wholeDocument)).leaves(json, in: capabilities) {
            return true
        }
        guard let wanted = kind == .add ? self.json : merged(into: json) else { return false }
        if wanted == json { return true }
        let digest = ContentDigest(of: wanted, documentID, in: capabilities)
        return digest != nil && digest == ContentDigest(of: json, documentID, in: capabilities)
    }

    /// Returns the document that results from adding or updating an existing one; `nil` if there is none.
    package func result(on json: [UInt8]) -> [UInt8]? {
        switch kind {
        case .add: self.json
        case .update: merged(into: json)
        case .remove: nil
        }
    }

    /// Returns the digest of the document (or of its absence) that results from the operation; `nil` if the operation
    /// can't be carried out.
    package func digest(
        ofResultOn json: [UInt8]?,
        addsMissing: Bool = false,
        in capabilities: EngineCapabilities
    ) -> ContentDigest? {
        switch kind {
        case .add: ContentDigest(of: self.json, documentID, in: capabilities)
        case .update:
            (json == nil && addsMissing ? try? addedDocument().json : json.flatMap(merged(into:)))
                .flatMap { ContentDigest(of: $0, documentID, in: capabilities) }
        case .remove: ContentDigest.none
        }
    }

    /// Whether a document with this routing value is in a different place from the operation's document.
    package func isElsewhere(_ routing: Routing?, in capabilities: EngineCapabilities) -> Bool {
        routing != (self.routing ?? capabilities.defaultRouting)
    }

    /// Returns a document merged with the patch; `nil` if either of them is not an object.
    private func merged(into json: [UInt8]) -> [UInt8]? {
        do throws(JSONPatchError) {
            return try JSONPatch.merged(base: json, patch: self.json) ?? json
        } catch {
            return nil
        }
    }

    /// Whether carrying out the operation twice has a different result from carrying it out once, as with a counter, or
    /// if the first time adds the whole document, and the second time changes it.
    package var isCounting: Bool { kind == .update && (wholeDocument != nil || JSONPatch.isCounting(json)) }

    /// Returns the document that an update adds if it does not exist: its own, or the patch applied to an empty object.
    package func addedDocument() throws(JSONPatchError) -> Document {
        if let wholeDocument { return Document(id: documentID, json: wholeDocument, routing: routing) }
        let empty = Array("{}".utf8)
        return Document(id: documentID, json: try JSONPatch.merged(base: empty, patch: json) ?? empty, routing: routing)
    }

    /// The operation's size in a batch and in the window, in bytes.
    public var byteCount: Int {
        guard let details else { return documentID.byteCount }
        let contents = details.json.count + (details.whole?.count ?? 0)
        return documentID.byteCount + contents + (details.routing?.byteCount ?? 0)
    }
}

/// A document to be fed into a collection: its ID, and a JSON object that is never re-encoded.
///
/// The bytes are checked once, when they are read, and sent unchanged to an engine that accepts JSON.
public struct Document: Hashable, Sendable {
    /// The document's ID.
    public let id: DocumentID
    /// The contents as one JSON object in UTF-8, without a line ending.
    public let json: [UInt8]
    /// The routing value that places the document; `nil` if its ID places it, or if no routing value is known.
    public let routing: Routing?

    /// The maximum size of a document, in bytes.
    public static let maximumByteCount = 16 << 20

    /// Creates a document from JSON that has already been checked; use ``init(id:_:routing:)`` for any other value.
    public init(id: DocumentID, json: [UInt8], routing: Routing? = nil) {
        self.id = id
        self.json = json
        self.routing = routing
    }
}

/// The position of an operation in its job or feeder, starting at 1.
public struct OperationID: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The ID of the first operation of every job.
    public static let first = OperationID(rawValue: 1)

    /// The following ID.
    public var next: OperationID { OperationID(rawValue: rawValue + 1) }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension OperationID: CustomStringConvertible {
    public var description: String { String(rawValue) }
}

/// The name of a collection, as the engine uses it (an *index* in OpenSearch, a *core* or *collection* in Solr).
///
/// The name is sent to the engine unchanged; each engine has its own naming rules.
public struct CollectionName: RawRepresentable, Hashable, Comparable, Sendable, ExpressibleByStringLiteral {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a name; the engine decides whether it is valid.
    public init(_ text: String) { rawValue = text }
    public init(stringLiteral text: String) { rawValue = text }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension CollectionName: CustomStringConvertible {
    public var description: String { rawValue }
}

/// The value that an engine uses instead of the ID to place a document: a custom `_routing`.
///
/// Two documents of a collection may have the same ID if their routing values differ; a document that has a routing
/// value can't be found by its ID alone.
public struct Routing: Sendable {
    /// The value as it is passed to the engine, which is not empty.
    public let text: String

    /// The longest value that an engine can index, in bytes of UTF-8.
    public static let maximumByteCount = 32_766

    /// Creates a routing value; `nil` if the text is empty or too long.
    public init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.maximumByteCount else { return nil }
        self.text = text
    }

    var byteCount: Int { text.utf8.count }
}

extension Routing: Hashable {
    /// Compares the bytes, as engines do, because `==` on strings would treat NFC and NFD as equal.
    public static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

extension Routing: CustomStringConvertible {
    public var description: String { text }
}

extension DocumentFailure {
    /// Returns the failure of an operation whose ID several documents have.
    package static func ambiguous(_ routings: [Routing?]) -> DocumentFailure {
        DocumentFailure(
            .rejectedByEngine,
            "\(routings.count) documents have this ID, \(named(routings)); specify the routing of one of them"
        )
    }

    /// Returns the failure of an operation on a document that is not at the place given by the input.
    package static func elsewhere(_ given: Routing?, _ routings: [Routing?]) -> DocumentFailure {
        DocumentFailure(
            .rejectedByEngine,
            "no document with this ID has the routing value '\(given?.text ?? "")', but there is one \(named(routings))"
        )
    }

    private static func named(_ routings: [Routing?]) -> String {
        let names = routings.map { $0.map { "'\($0)'" } ?? "none" }.sorted()
        let more = names.count > maximumNamed ? ", …" : ""
        return "with the routing \(names.prefix(maximumNamed).joined(separator: " and "))\(more)"
    }

    private static let maximumNamed = 10
}

/// The key of a document to look up: its ID, and its routing value if known.
public struct DocumentKey: Hashable, Sendable {
    /// The document's ID.
    public let id: DocumentID
    /// The routing value; `nil` if the document has none, or if it is unknown.
    public let routing: Routing?

    /// Creates a key.
    public init(_ id: DocumentID, routing: Routing? = nil) {
        self.id = id
        self.routing = routing
    }

    /// Returns the key with an ID in its own memory, for keys that are kept for a long time.
    public func detached() -> DocumentKey { DocumentKey(id.detached(), routing: routing) }
}

/// The results of looking up the first documents of a list.
public struct LookupPage: Sendable {
    /// The documents found, in the order of the keys.
    ///
    /// A key without a routing value may match several documents.
    public var documents: [StoredDocument]
    /// The documents found that can't be read.
    public var unreadable: [UnreadableDocument] = []
    /// Whether a document was found, for each key examined so far; the remaining keys have not been looked up yet.
    public var answers: [Bool]

    /// Creates a page.
    public init(documents: [StoredDocument], answers: [Bool]) {
        self.documents = documents
        self.answers = answers
    }
}

extension SearchableEngine {
    /// Looks up documents by their IDs, for an engine without routing values.
    public func get(at keys: ArraySlice<DocumentKey>, maximumBytes: Int) async throws(EngineError) -> LookupPage {
        try refuseRouting(in: keys)
        let page = try await get(keys.map(\.id)[...], maximumBytes: maximumBytes)
        // Documents are in the order of the IDs; IDs without a document are skipped.
        var found = page.documents.makeIterator()
        var next = found.next()
        let answers = keys.prefix(page.looked).map { key in
            guard next?.id == key.id else { return false }
            next = found.next()
            return true
        }
        return LookupPage(documents: page.documents, answers: answers)
    }

    /// Looks up documents by their IDs, for an engine without routing values.
    public func exists(at keys: [DocumentKey]) async throws(EngineError) -> [Bool] {
        try refuseRouting(in: keys[...])
        return try await exists(keys.map(\.id))
    }

    /// Returns `nil`, because without routing values, a lookup by ID can find every document.
    public func lookupReservation() async -> String? { nil }

    private func refuseRouting(in keys: ArraySlice<DocumentKey>) throws(EngineError) {
        guard let key = keys.first(where: { $0.routing != nil }) else { return }
        throw EngineError(
            .unsupported,
            "'\(key.id)' has the routing value '\(key.routing?.text ?? "")', but '\(collection)' identifies documents by ID only",
            advice: "omit the routing from the input"
        )
    }
}

extension DocumentFailure {
    /// Returns the failure of an operation that has a routing value, although the engine does not support routing
    /// values.
    static func routingUnknown(_ routing: Routing) -> DocumentFailure {
        DocumentFailure(
            .rejectedByEngine,
            "it has the routing value '\(routing)', which this engine can't store; omit the routing from the input"
        )
    }
}

// MARK: IDs

/// The identity of a document within a collection: UTF-8 bytes.
///
/// IDs are equal if their bytes are equal, so `é` as one code point and `é` as two code points are different IDs. An ID
/// is not empty, contains no NUL, and is at most ``maximumByteCount`` bytes long; an engine may allow less.
///
/// IDs may share memory (``DocumentIDPages``), so copying an ID does not copy its bytes. To keep an ID for a long time,
/// store the result of ``detached()``.
public struct DocumentID: Sendable {
    private let page: BytePage
    private let start: UInt32
    private let count: UInt32

    /// The maximum length of an ID across all engines, in bytes.
    public static let maximumByteCount = 64 << 10

    /// Creates an ID from text; throws if the text is not a valid ID.
    public init(_ text: String) throws(InvalidDocumentID) { try self.init(utf8: text.utf8.span) }

    /// Creates an ID from bytes; throws if they are not a valid ID.
    public init(utf8 bytes: Span<UInt8>) throws(InvalidDocumentID) {
        try Self.check(bytes)
        self.init(copying: bytes)
    }

    /// Throws if the bytes are not a valid ID.
    fileprivate static func check(_ bytes: Span<UInt8>) throws(InvalidDocumentID) {
        guard (try? UTF8Span(validating: bytes)) != nil else {
            throw InvalidDocumentID(.notUTF8, byteCount: bytes.count)
        }
        guard !bytes.isEmpty else { throw InvalidDocumentID(.empty, byteCount: 0) }
        guard bytes.count <= maximumByteCount else { throw InvalidDocumentID(.tooLong, byteCount: bytes.count) }
        let holdsNUL = bytes.withUnsafeBytes { $0.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false }
        guard !holdsNUL else { throw InvalidDocumentID(.holdsNUL, byteCount: bytes.count) }
    }

    /// Creates an ID by copying checked bytes into separate memory.
    private init(copying bytes: Span<UInt8>) {
        let page = BytePage(capacity: bytes.count)
        page.write(bytes, at: 0)
        self.init(on: page, from: 0, count: bytes.count)
    }

    init(on page: BytePage, from start: Int, count: Int) {
        (self.page, self.start, self.count) = (page, UInt32(start), UInt32(count))
    }

    /// The ID's bytes.
    public var utf8: Span<UInt8> {
        @_lifetime(borrow self)
        get { _overrideLifetime(page.bytes(from: Int(start), count: Int(count)), borrowing: self) }
    }

    /// The number of bytes in the ID.
    public var byteCount: Int { Int(count) }

    /// The ID as a newly created string, whose UTF-8 is the ID's bytes.
    public var text: String { utf8.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }

    /// Whether the ID shares its memory with no other ID.
    var isAlone: Bool { page.capacity == byteCount }

    /// Returns the ID in its own memory, so it can be kept without keeping the IDs with which it shares memory.
    public func detached() -> DocumentID { isAlone ? self : DocumentID(copying: utf8) }
}

extension DocumentID: Hashable {
    public static func == (left: Self, right: Self) -> Bool {
        left.count == right.count && order(left, right) == 0
    }

    public func hash(into hasher: inout Hasher) {
        utf8.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

extension DocumentID: Comparable {
    /// Compares the bytes, which results in the order of code points.
    public static func < (left: Self, right: Self) -> Bool {
        let order = order(left, right)
        return order == 0 ? left.count < right.count : order < 0
    }

    /// Compares the bytes up to the length of the shorter ID, and returns a negative number, zero or a positive number,
    /// like `memcmp`.
    private static func order(_ left: Self, _ right: Self) -> Int32 {
        left.utf8.withUnsafeBytes { first in
            right.utf8.withUnsafeBytes { second in
                guard let first = first.baseAddress, let second = second.baseAddress else { return 0 }
                return memcmp(first, second, Int(min(left.count, right.count)))
            }
        }
    }
}

extension DocumentID: CustomStringConvertible {
    public var description: String { text }
}

extension DocumentID: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        do {
            self = try DocumentID(text)
        } catch {
            preconditionFailure("'\(text)' is not a valid document ID: \(error)")
        }
    }
}

/// The reason why text or bytes can't be a document ID.
public struct InvalidDocumentID: Error, Hashable, Sendable {
    /// The rule that was broken.
    public enum Reason: Hashable, Sendable {
        case empty
        case holdsNUL
        case notUTF8
        case tooLong
    }

    /// The rule that was broken.
    public let reason: Reason
    /// The length of the rejected input, in bytes.
    public let byteCount: Int

    init(_ reason: Reason, byteCount: Int) {
        self.reason = reason
        self.byteCount = byteCount
    }
}

extension InvalidDocumentID: CustomStringConvertible {
    public var description: String {
        switch reason {
        case .empty: "a document ID cannot be empty"
        case .holdsNUL: "a document ID cannot contain a NUL byte"
        case .notUTF8: "a document ID must be UTF-8"
        case .tooLong:
            "a document ID can have at most \(DocumentID.maximumByteCount) bytes; this one has \(byteCount)"
        }
    }
}

/// A source of document IDs that share memory.
///
/// Creating a million IDs takes only a few thousand allocations, and copying an ID takes none.
///
/// A page lives as long as any of its IDs; use ``DocumentID/detached()`` to keep an ID longer than the others.
public final class DocumentIDPages {
    private var page = BytePage(capacity: 0)
    private var used = 0

    private static let pageSize = 4096
    /// The maximum length of an ID that shares a page, in bytes; a longer ID gets its own page.
    private static let longestShared = 512

    /// Creates a source of IDs.
    public init() {}

    /// Creates an ID from bytes; throws if they are not a valid ID.
    public func id(utf8 bytes: Span<UInt8>) throws(InvalidDocumentID) -> DocumentID {
        guard bytes.count <= Self.longestShared else { return try DocumentID(utf8: bytes) }
        try DocumentID.check(bytes)
        if bytes.count > page.capacity - used {
            page = BytePage(capacity: Self.pageSize)
            used = 0
        }
        page.write(bytes, at: used)
        defer { used += bytes.count }
        return DocumentID(on: page, from: used, count: bytes.count)
    }
}

/// FAST's internal name for a document: `md5(id)_collection`, as its messages print it.
public struct InternalID: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// Creates the name by hashing the UTF-8 bytes of the ID.
    public init(_ documentID: DocumentID, in collection: CollectionName) {
        var md5 = MD5()
        description = md5.digest(of: documentID.utf8).hexadecimal + "_" + collection.rawValue
    }
}

extension DocumentFailure {
    /// Returns the sentence about the failure for the status report.
    ///
    /// For a missing document, this is FAST's own sentence: `Document e14c…_WebCollection does not exist`.
    public func description(of documentID: DocumentID, in collection: CollectionName) -> String {
        guard code == .documentMissing else { return message }
        return "Document \(InternalID(documentID, in: collection)) does not exist"
    }
}

/// The rules of an engine for the names of its collections, including the rules that apply to all engines.
package struct CollectionNameRules: Sendable {
    private let kind: String
    private let maximumByteCount: Int
    private let usable: String
    private let flaw: @Sendable (String) -> String?

    /// Creates the rules of an engine.
    ///
    /// `flaw` returns the engine's objection to a name that is neither empty nor too long, as words that can follow
    /// `it`, or `nil` if there is no objection. `kind` is the engine's term for such a name, and `usable` is advice
    /// that can follow `use`.
    package init(
        _ kind: String = "collection name",
        maximumByteCount: Int,
        usable: String = "letters, digits, '-', '_' and '.', as in WebCollection",
        _ flaw: @escaping @Sendable (String) -> String?
    ) {
        (self.kind, self.maximumByteCount, self.usable, self.flaw) = (kind, maximumByteCount, usable, flaw)
    }

    /// Returns the defect of a name, as a sentence; `nil` if the name is valid.
    package func flaw(of name: CollectionName) -> String? {
        let count = name.rawValue.utf8.count
        if count == 0 { return "it is empty" }
        if count > maximumByteCount { return "it is \(count) bytes long, but at most \(maximumByteCount) are allowed" }
        return flaw(name.rawValue).map { "it \($0)" }
    }

    package func validate(_ name: CollectionName) throws(EngineError) {
        guard let flaw = flaw(of: name) else { return }
        throw EngineError(.invalidName, "'\(name)' is not a valid \(kind): \(flaw)", advice: "use \(usable)")
    }
}

extension CollectionName {
    /// Whether the name consists only of ASCII letters, digits, `_`, `-` and `.`.
    package var isPlain: Bool {
        rawValue.utf8.allSatisfy { $0.isLetterOrDigit || "_-.".utf8.contains($0) }
    }
}
