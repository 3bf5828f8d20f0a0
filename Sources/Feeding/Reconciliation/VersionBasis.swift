package import ContentFeeding
package import DocumentSources
import JSONText

/// The basis for comparing a source with a collection: the part that must be equal for two documents with the same ID
/// to count as the same.
package enum VersionBasis: Hashable, Sendable, CustomStringConvertible {
    /// Only the ID is compared.
    case id
    /// A top-level key that the documents of both sides have.
    case key(String)
    /// The content of the documents, compared by meaning.
    case content(ContentFingerprint)

    package var description: String {
        switch self {
        case .id: "id"
        case .key(let key): key
        case .content: "content"
        }
    }

    /// Returns the parts of a source's entries that must be read.
    package func contents(of traits: SourceTraits) -> SourceContents {
        switch self {
        case .id: .versions
        case .key(let key): key == traits.versionKey ? .versions : .documents
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
            documents.allSatisfy({ KeyDigest(key).digest(of: $0.json.span, id: $0.id.utf8) != 0 })
        {
            return .key(key)
        }
        return traits.hasDocuments && !traits.isPartial ? .content(content) : .id
    }

    /// The function that computes the digest of a document's version.
    package var digest: any VersionDigest {
        switch self {
        case .id: NoDigest()
        case .key(let key): KeyDigest(key)
        case .content(let fingerprint): fingerprint
        }
    }

    /// Returns the digest of an entry's version, which equals the result of ``digest`` for the same document in a
    /// collection.
    package func digest(of entry: SourceEntry, _ traits: SourceTraits) -> UInt64 {
        if case .key(let key) = self, key == traits.versionKey {
            return entry.version.map { Fingerprint.of(text: $0) } ?? 0
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

/// The value of a top-level key as written, if it is a string, a number or a Boolean.
private struct KeyDigest: VersionDigest {
    private let key: [UInt8]

    init(_ key: String) { self.key = Array(key.utf8) }

    func digest(of json: Span<UInt8>, id: Span<UInt8>) -> UInt64 {
        var scanner = JSONScanner(json)
        // A document that is not an object does not have the key.
        return (try? found(&scanner, in: json)) ?? 0
    }

    private func found(_ scanner: inout JSONScanner, in json: Span<UInt8>) throws(JSONError) -> UInt64 {
        var digest: UInt64 = 0
        try scanner.enterObject()
        while let name = try scanner.nextKey() {
            guard scanner.isEqual(name, utf8: key.span) else {
                try scanner.skipValue()
                continue
            }
            // If a key occurs twice, the last one counts.
            switch try scanner.kind() {
            case .string:
                let token = try scanner.string()
                digest =
                    token.hasEscapes
                    ? Fingerprint.of(text: scanner.text(of: token)) : Fingerprint.of(json.extracting(token.range))
            case .number, .bool: digest = Fingerprint.of(json.extracting(try scanner.skipValue()))
            case .object, .array, .null:
                try scanner.skipValue()
                digest = 0
            }
        }
        return digest
    }
}
