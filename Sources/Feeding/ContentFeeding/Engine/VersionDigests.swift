/// What is made of each document of a collection where only its version counts.
public protocol VersionDigest: Sendable {
    /// Returns a number that is another one for another version; 0 if the document has no version.
    func digest(of json: Span<UInt8>, id: Span<UInt8>) -> UInt64
}

/// IDs of documents, each with the digest of its version: bytes without an allocation for each.
///
/// For each, the length of the ID less one in two bytes, the ID, and the digest in eight, low bytes first.
public struct PackedVersions: Sendable {
    /// The documents, one behind the other.
    public private(set) var bytes: [UInt8] = []
    /// The number of documents.
    public private(set) var count = 0

    /// The bytes of a record beside its ID.
    public static let overhead = 10

    /// Creates an empty list.
    public init() {}

    /// Appends a document.
    public mutating func append(_ id: Span<UInt8>, _ digest: UInt64) {
        count += 1
        let length = UInt16(truncatingIfNeeded: id.count - 1)
        bytes.append(UInt8(truncatingIfNeeded: length))
        bytes.append(UInt8(truncatingIfNeeded: length >> 8))
        id.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: digest.littleEndian) { bytes.append(contentsOf: $0) }
    }
}

/// The versions of some of the documents written after a place in a part's history.
public struct VersionPage: Sendable {
    /// The documents, in the order in which they were written.
    public var versions: PackedVersions
    /// The place up to which the history has been read now.
    public var place: Int64
    /// Whether nothing follows that can be read.
    public var isLast: Bool

    /// Creates a page of versions.
    public init(versions: PackedVersions, place: Int64, isLast: Bool) {
        self.versions = versions
        self.place = place
        self.isLast = isLast
    }
}

extension VersionedEngine {
    /// Returns the versions of the next documents, made of the documents themselves.
    public func versions(
        by digest: any VersionDigest,
        in part: CollectionPart,
        after place: Int64
    ) async throws(EngineError) -> VersionPage {
        let page = try await changes(of: SearchQuery(), in: part, after: place)
        var versions = PackedVersions()
        for document in page.documents {
            versions.append(document.id.utf8, digest.digest(of: document.json.span, id: document.id.utf8))
        }
        return VersionPage(versions: versions, place: page.place, isLast: page.isLast)
    }
}
