import Digests
import Glibc
import TextKit

/// The identity of a document within a collection: UTF-8 bytes.
///
/// IDs are equal when their bytes are, so `é` as one code point and `é` as two are different documents. An ID is not
/// empty, contains no NUL, and is at most ``maximumByteCount`` bytes long; an engine may allow less.
///
/// IDs may share memory (``DocumentIDPages``): copying one copies no bytes, and one that is kept for long is
/// ``detached()``.
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

    /// Copies checked bytes into separate memory.
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

    /// Returns the ID in its own memory, to be kept when the IDs it came with are released.
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
    /// Compares the bytes, which gives the order of code points.
    public static func < (left: Self, right: Self) -> Bool {
        let order = order(left, right)
        return order == 0 ? left.count < right.count : order < 0
    }

    /// Compares the bytes at positions that both IDs have; the result is negative, zero or positive, as with `memcmp`.
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

/// The reason text or bytes can't be a document ID.
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
        case .holdsNUL: "a document ID cannot hold a NUL byte"
        case .notUTF8: "a document ID must be UTF-8"
        case .tooLong:
            "a document ID has at most \(DocumentID.maximumByteCount) bytes; this one has \(byteCount)"
        }
    }
}

/// A source of document IDs that share memory: a million of them take a few thousand allocations, and copying one
/// touches no memory of its own.
///
/// A page lives as long as any of its IDs; keep an ID that outlives the others as ``DocumentID/detached()``.
public final class DocumentIDPages {
    private var page = BytePage(capacity: 0)
    private var used = 0

    private static let pageSize = 4096
    /// The longest ID that shares a page, in bytes; longer ones get a page to themselves.
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

    /// Hashes the UTF-8 bytes of the ID.
    public init(_ documentID: DocumentID, in collection: CollectionName) {
        var md5 = MD5()
        description = md5.digest(of: documentID.utf8).hexadecimal + "_" + collection.rawValue
    }
}

extension DocumentFailure {
    /// Returns the sentence for the status report.
    ///
    /// For a missing document, it is FAST's own: `Document e14c…_WebCollection does not exist`.
    public func description(of documentID: DocumentID, in collection: CollectionName) -> String {
        guard code == .documentMissing else { return message }
        return "Document \(InternalID(documentID, in: collection)) does not exist"
    }
}

/// An engine's rules for the names of its collections; what all engines refuse is worded here.
package struct CollectionNameRules: Sendable {
    private let kind: String
    private let maximumByteCount: Int
    private let usable: String
    private let flaw: @Sendable (String) -> String?

    /// Creates the rules of an engine.
    ///
    /// `flaw` returns what the engine refuses in a name that is neither empty nor too long, in words that follow `it`;
    /// `nil` if nothing. `kind` is what the engine calls such a name, and `usable` follows `use`.
    package init(
        _ kind: String = "collection name",
        maximumByteCount: Int,
        usable: String = "letters, digits, '-', '_' and '.', as in WebCollection",
        _ flaw: @escaping @Sendable (String) -> String?
    ) {
        (self.kind, self.maximumByteCount, self.usable, self.flaw) = (kind, maximumByteCount, usable, flaw)
    }

    /// Returns what is wrong with a name, as a sentence; `nil` if nothing is.
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
    /// Whether it has only ASCII letters, digits, `_`, `-` and `.`.
    package var isPlain: Bool {
        rawValue.utf8.allSatisfy { $0.isLetterOrDigit || "_-.".utf8.contains($0) }
    }
}
