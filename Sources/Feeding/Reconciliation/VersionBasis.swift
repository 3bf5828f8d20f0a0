public import ContentFeeding
import JSONText
public import Sources

/// By what a source and a collection are compared: what must be equal for two documents of one ID to be the same.
public enum VersionBasis: Hashable, Sendable, CustomStringConvertible {
    /// Nothing: the ID is enough.
    case id
    /// A top-level key that documents of both sides have.
    case key(String)
    /// What the documents hold, but for the ID under one of these top-level keys.
    case content(idKeys: [String])

    public var description: String {
        switch self {
        case .id: "id"
        case .key(let key): key
        case .content: "content"
        }
    }

    /// What has to be read of a source's entries.
    public func contents(of traits: SourceTraits) -> SourceContents {
        switch self {
        case .id: .versions
        case .key(let key): key == traits.versionKey ? .versions : .documents
        case .content: .documents
        }
    }

    /// Returns the basis for a source and a collection of which these are documents: the source's own versions if all of
    /// the documents have its key, else their content, else nothing but IDs.
    public static func usual(
        for traits: SourceTraits,
        and documents: [VersionedDocument],
        idKeys: [String]
    ) -> VersionBasis {
        if let key = traits.versionKey,
            documents.allSatisfy({ KeyDigest(key).digest(of: $0.json.span, id: $0.id.utf8) != 0 })
        {
            return .key(key)
        }
        return traits.hasDocuments ? .content(idKeys: idKeys) : .id
    }

    /// What makes a digest of a document's version.
    public var digest: any VersionDigest {
        switch self {
        case .id: NoDigest()
        case .key(let key): KeyDigest(key)
        case .content(let idKeys): ContentFingerprint(idKeys: idKeys)
        }
    }

    /// Returns the digest of an entry's version, as ``digest`` makes it of the document in a collection.
    public func digest(of entry: SourceEntry, _ traits: SourceTraits) -> UInt64 {
        if case .key(let key) = self, key == traits.versionKey {
            return entry.version.map { Fingerprint.of(text: $0) } ?? 0
        }
        guard self != .id else { return NoDigest.same }
        return entry.json.map { digest.digest(of: $0.span, id: entry.id.utf8) } ?? 0
    }
}

/// A short digest for comparisons within this process.
///
/// Two different values have the same one in one case of 2⁶⁴: the hash has a secret key, so nobody can look for such values.
enum Fingerprint {
    static func of(text: String) -> UInt64 {
        var text = text
        return text.withUTF8 { of(UnsafeRawBufferPointer($0)) }
    }

    static func of(_ bytes: Span<UInt8>) -> UInt64 { bytes.withUnsafeBytes { of($0) } }

    /// Ends a hash; never returns 0, which stands for nothing.
    static func ending(_ hasher: Hasher) -> UInt64 { max(1, UInt64(bitPattern: Int64(hasher.finalize()))) }

    private static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        return ending(hasher)
    }
}

/// No version: documents of one ID are the same.
private struct NoDigest: VersionDigest {
    static let same: UInt64 = 1

    func digest(of json: Span<UInt8>, id: Span<UInt8>) -> UInt64 { Self.same }
}

/// The value of a top-level key, if it is text, a number or a Boolean: as it is written.
private struct KeyDigest: VersionDigest {
    private let key: [UInt8]

    init(_ key: String) { self.key = Array(key.utf8) }

    func digest(of json: Span<UInt8>, id: Span<UInt8>) -> UInt64 {
        var scanner = JSONScanner(json)
        // A document that is no object has no such key.
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
            // Of a key that occurs twice, the last one counts.
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
