package import ContentFeeding
package import DocumentSources

/// The basis for comparing a source with a collection: the part that must be equal for two documents with the same ID
/// to count as the same.
package enum VersionBasis: Hashable, Sendable, CustomStringConvertible {
    /// Only the ID is compared.
    case id
    /// A top-level key that the documents of both sides have, whose values are compared like those of whole documents.
    case key(String, ContentFingerprint)
    /// The content of the documents, compared by meaning.
    case content(ContentFingerprint)

    package var description: String {
        switch self {
        case .id: "id"
        case .key(let key, _): key
        case .content: "content"
        }
    }

    /// Returns the parts of a source's entries that must be read.
    package func contents(of traits: SourceTraits) -> SourceContents {
        switch self {
        case .id: .versions
        case .key(let key, _): key == traits.versionKey ? .versions : .documents
        case .content: .documents
        }
    }

    /// Returns the basis for a source and a collection with these documents: the source's own versions if all documents
    /// have the version's key; otherwise the content of the documents, if the source contains all of it; otherwise only
    /// the IDs.
    package static func usual(
        for traits: SourceTraits,
        and documents: [VersionedDocument],
        content: ContentFingerprint
    ) -> VersionBasis {
        if let key = traits.versionKey,
            documents.allSatisfy({ KeyDigest(key, content).digest(of: $0.json.span, id: $0.id.utf8) != 0 })
        {
            return .key(key, content)
        }
        return traits.hasDocuments && !traits.isPartial ? .content(content) : .id
    }

    /// The function that computes the digest of a document's version.
    package var digest: any VersionDigest {
        switch self {
        case .id: NoDigest()
        case .key(let key, let content): KeyDigest(key, content)
        case .content(let fingerprint): fingerprint
        }
    }

    /// Returns the digest of an entry's version, which equals the result of ``digest`` for the same document in a
    /// collection.
    package func digest(of entry: SourceEntry, _ traits: SourceTraits) -> UInt64 {
        if case .key(let key, let content) = self, key == traits.versionKey {
            return entry.version.map { content.version($0) } ?? 0
        }
        guard self != .id else { return NoDigest.same }
        return entry.json.map { digest.digest(of: $0.span, id: entry.id.utf8) } ?? 0
    }
}

/// The digest for no version: documents with the same ID count as equal.
private struct NoDigest: VersionDigest {
    static let same: UInt64 = 1

    func digest(of json: Span<UInt8>, id: Span<UInt8>) -> UInt64 { Self.same }
}

/// The value of a top-level key, compared by meaning.
private struct KeyDigest: VersionDigest {
    private let key: [UInt8]
    private let content: ContentFingerprint

    init(_ key: String, _ content: ContentFingerprint) { (self.key, self.content) = (Array(key.utf8), content) }

    func digest(of json: Span<UInt8>, id: Span<UInt8>) -> UInt64 { content.version(under: key.span, in: json) }
}
