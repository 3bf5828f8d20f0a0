import Synchronization

/// Page sizes, in documents.
package enum PageSize {
    package static let range = 1...1_000
    /// The size after a page that may have been too large for a reply.
    package static let smallest = 16
    /// The size for when more shards share a place than fit on a page; OpenSearch allows no more.
    package static let largest = 10_000
    /// The size of a first page with documents, while nothing is known of how large they are.
    package static let first = 100
    /// The approximate target size of a page, in bytes.
    private static let bytes = 8 << 20

    /// Returns the size of the page after one of `count` documents with `bytes`.
    package static func next(after count: Int, bytes: Int, size: Int) -> Int {
        guard count > 0 else { return size }
        let fitting = Self.bytes / max(1, bytes / count)
        return min(max(min(fitting, size * 4), smallest), range.upperBound)
    }
}

/// The size of a page of changed documents, by what the pages before it weighed.
package final class ChangePageSize: Sendable {
    private let current = Mutex(PageSize.first)

    package init() {}

    package var size: Int { current.withLock { $0 } }

    package func shrink() { current.withLock { $0 = PageSize.smallest } }

    package func learn(_ documents: Int, bytes: Int) {
        current.withLock { $0 = PageSize.next(after: documents, bytes: bytes, size: $0) }
    }
}
