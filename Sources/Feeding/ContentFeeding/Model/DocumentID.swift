import Digests
import Glibc
import Memory

/// The identity of a document within a collection: UTF-8 bytes.
///
/// Two IDs are equal when their bytes are, so `é` in one code point and `é` in two are different documents. An ID is
/// not empty, holds no NUL, and is at most ``maximumByteCount`` long; an engine may allow less.
///
/// Its bytes may lie with those of other IDs (``DocumentIDPages``): a copy copies none of them, and one that is kept for
/// long is ``detached()``.
public struct DocumentID: Sendable {
    private let page: BytePage
    private let start: UInt32
    private let count: UInt32

    /// The longest ID of all engines together, in bytes.
    public static let maximumByteCount = 64 << 10

    /// Takes text for an ID, or says why it can be none.
    public init(_ text: String) throws(InvalidDocumentID) { try self.init(utf8: text.utf8.span) }

    /// Takes bytes for an ID, or says why they can be none.
    public init(utf8 bytes: Span<UInt8>) throws(InvalidDocumentID) {
        try Self.check(bytes)
        self.init(copying: bytes)
    }

    /// Says why bytes can be no ID, if that is so.
    fileprivate static func check(_ bytes: Span<UInt8>) throws(InvalidDocumentID) {
        guard (try? UTF8Span(validating: bytes)) != nil else {
            throw InvalidDocumentID(.notUTF8, byteCount: bytes.count)
        }
        guard !bytes.isEmpty else { throw InvalidDocumentID(.empty, byteCount: 0) }
        guard bytes.count <= maximumByteCount else { throw InvalidDocumentID(.tooLong, byteCount: bytes.count) }
        let holdsNUL = bytes.withUnsafeBytes { $0.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false }
        guard !holdsNUL else { throw InvalidDocumentID(.holdsNUL, byteCount: bytes.count) }
    }

    /// Takes bytes that were checked into memory of their own.
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

    /// How many bytes the ID has.
    public var byteCount: Int { Int(count) }

    /// The ID as text, which is made anew; its UTF-8 is the ID's bytes.
    public var text: String { utf8.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }

    /// Whether its bytes lie with no others.
    var isAlone: Bool { page.capacity == byteCount }

    /// The same ID, whose bytes lie with no others: for one that is kept when those it came with are forgotten.
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
    /// Compares bytes, which is the order of code points.
    public static func < (left: Self, right: Self) -> Bool {
        let order = order(left, right)
        return order == 0 ? left.count < right.count : order < 0
    }

    /// Below zero, zero or above, as the bytes that both have are before, equal or behind.
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
            preconditionFailure("'\(text)' is no document ID: \(error)")
        }
    }
}

/// Why text or bytes can't be a document ID.
public struct InvalidDocumentID: Error, Hashable, Sendable {
    /// What is wrong with it.
    public enum Reason: Hashable, Sendable {
        case empty
        case holdsNUL
        case notUTF8
        case tooLong
    }

    public let reason: Reason
    /// The length of what was given, in bytes.
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
            "a document ID is at most \(DocumentID.maximumByteCount) bytes long, this one has \(byteCount)"
        }
    }
}

/// Makes document IDs whose bytes lie together: a million of them take some thousand pieces of memory, and copying one
/// touches no memory of its own.
///
/// A page lives as long as one of its IDs does; one that is to outlive the others is kept as ``DocumentID/detached()``.
public final class DocumentIDPages {
    private var page = BytePage(capacity: 0)
    private var used = 0

    private static let pageSize = 4096
    /// Longer IDs have a page to themselves.
    private static let longestShared = 512

    public init() {}

    /// Takes bytes for an ID, or says why they can be none.
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

/// FAST's internal name of a document: `md5(id)_collection`, as its messages print it.
public struct InternalID: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// Hashes the UTF-8 bytes of the ID.
    public init(_ documentID: DocumentID, in collection: CollectionName) {
        var md5 = MD5()
        description = md5.digest(of: documentID.utf8).hexadecimal + "_" + collection.rawValue
    }
}

extension DocumentFailure {
    /// The sentence for the status report.
    ///
    /// A missing document has FAST's own: `Document e14c…_WebCollection does not exist`.
    public func description(of documentID: DocumentID, in collection: CollectionName) -> String {
        guard code == .documentMissing else { return message }
        return "Document \(InternalID(documentID, in: collection)) does not exist"
    }
}
