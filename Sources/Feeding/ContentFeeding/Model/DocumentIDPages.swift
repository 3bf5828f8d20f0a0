import Memory

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
