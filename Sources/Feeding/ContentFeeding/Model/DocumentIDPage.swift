/// Memory for the bytes of document IDs.
///
/// What an ID has of it is written before the ID is made, and never again.
final class DocumentIDPage: @unchecked Sendable {
    private let memory: UnsafeMutableBufferPointer<UInt8>

    init(capacity: Int) { memory = .allocate(capacity: capacity) }

    deinit { memory.deallocate() }

    var capacity: Int { memory.count }

    func write(_ bytes: Span<UInt8>, at place: Int) {
        bytes.withUnsafeBufferPointer { bytes in
            _ = memory.extracting(place..<place + bytes.count).initialize(fromContentsOf: bytes)
        }
    }

    /// Lives as long as the page does.
    @_lifetime(borrow self)
    func bytes(from start: Int, count: Int) -> Span<UInt8> {
        let bytes = UnsafeBufferPointer(memory.extracting(start..<start + count)).span
        return _overrideLifetime(bytes, borrowing: self)
    }
}

/// Makes document IDs whose bytes lie together: a million of them take some thousand pieces of memory, and copying one
/// touches no memory of its own.
///
/// A page lives as long as one of its IDs does; one that is to outlive the others is kept as ``DocumentID/detached()``.
public final class DocumentIDPages {
    private var page = DocumentIDPage(capacity: 0)
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
            page = DocumentIDPage(capacity: Self.pageSize)
            used = 0
        }
        page.write(bytes, at: used)
        defer { used += bytes.count }
        return DocumentID(on: page, from: used, count: bytes.count)
    }
}
