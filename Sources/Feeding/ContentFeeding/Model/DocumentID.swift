import Glibc

/// The identity of a document within a collection: UTF-8 bytes.
///
/// Two IDs are equal when their bytes are, so `é` in one code point and `é` in two are different documents. An ID is
/// not empty, holds no NUL, and is at most ``maximumByteCount`` long; an engine may allow less.
public struct DocumentID: Sendable {
    /// The ID as text; its UTF-8 is the ID's bytes.
    public let text: String

    /// The longest ID of all engines together, in bytes.
    public static let maximumByteCount = 64 << 10

    /// Takes text for an ID, or says why it can be none.
    public init(_ text: String) throws(InvalidDocumentID) {
        try self.init(checking: text)
        guard !text.utf8.contains(0) else { throw InvalidDocumentID(.holdsNUL, byteCount: text.utf8.count) }
    }

    /// Takes bytes for an ID, or says why they can be none.
    public init(utf8 bytes: Span<UInt8>) throws(InvalidDocumentID) {
        guard let text = try? UTF8Span(validating: bytes) else {
            throw InvalidDocumentID(.notUTF8, byteCount: bytes.count)
        }
        try self.init(checking: String(copying: text))
        for index in bytes.indices where bytes[index] == 0 {
            throw InvalidDocumentID(.holdsNUL, byteCount: bytes.count)
        }
    }

    private init(checking text: String) throws(InvalidDocumentID) {
        let count = text.utf8.count
        guard count > 0 else { throw InvalidDocumentID(.empty, byteCount: 0) }
        guard count <= Self.maximumByteCount else { throw InvalidDocumentID(.tooLong, byteCount: count) }
        self.text = text
    }
}

extension DocumentID: Hashable {
    public static func == (left: Self, right: Self) -> Bool {
        let (left, right) = (left.text.utf8.span, right.text.utf8.span)
        let count = left.count
        guard count == right.count else { return false }
        return left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                return memcmp(left, right, count) == 0
            }
        }
    }

    public func hash(into hasher: inout Hasher) {
        text.utf8.span.withUnsafeBufferPointer { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension DocumentID: Comparable {
    /// Compares bytes, which is the order of code points.
    public static func < (left: Self, right: Self) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
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
