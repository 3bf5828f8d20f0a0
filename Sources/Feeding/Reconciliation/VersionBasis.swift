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
    /// The content of the documents, except the ID under one of these top-level keys.
    case content(idKeys: [String])

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
        idKeys: [String]
    ) -> VersionBasis {
        if let key = traits.versionKey,
            documents.allSatisfy({ KeyDigest(key).digest(of: $0.json.span, id: $0.id.utf8) != 0 })
        {
            return .key(key)
        }
        return traits.hasDocuments && !traits.isPartial ? .content(idKeys: idKeys) : .id
    }

    /// The function that computes the digest of a document's version.
    package var digest: any VersionDigest {
        switch self {
        case .id: NoDigest()
        case .key(let key): KeyDigest(key)
        case .content(let idKeys): ContentFingerprint(idKeys: idKeys)
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

/// A short digest, used for comparisons within this process.
///
/// Two different values collide with a probability of 1 in 2⁶⁴; the hash is keyed with a secret, so an attacker can't
/// construct collisions.
enum Fingerprint {
    static func of(text: String) -> UInt64 {
        var text = text
        return text.withUTF8 { of(UnsafeRawBufferPointer($0)) }
    }

    static func of(_ bytes: Span<UInt8>) -> UInt64 { bytes.withUnsafeBytes { of($0) } }

    /// Finalizes a hash; never returns 0, which means that there is no version.
    static func ending(_ hasher: Hasher) -> UInt64 { max(1, UInt64(bitPattern: Int64(hasher.finalize()))) }

    private static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        return ending(hasher)
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

/// A digest of a document's content, independent of the order of its members, the whitespace between them, the escapes
/// in its strings and the notation of its numbers, and excluding the member that only holds its ID.
///
/// If a key occurs twice, the last one counts.
///
/// This is not `ContentDigest`. A content digest is kept in journals and backups to check that a document has not
/// changed since a job, so it tolerates changes that an engine makes, such as numbers that become strings. A
/// fingerprint is used to compare a source, which has no engine, with a collection, so these changes count as
/// differences. It is valid only within one process, because each process has its own seed; at 8 bytes, millions of
/// fingerprints fit in memory.
struct ContentFingerprint: VersionDigest {
    /// The top-level keys that may hold the ID, which engines may add or omit.
    let idKeys: [String]

    func digest(of json: Span<UInt8>, id: Span<UInt8>) -> UInt64 {
        var scanner = JSONScanner(json)
        do throws(JSONError) {
            let digest = try object(in: &scanner, of: json, without: id)
            try scanner.end()
            return digest
        } catch {
            // A value that is not an object equals only a value with the same bytes.
            return Fingerprint.of(json)
        }
    }

    /// A member, identified by its key, and by its position among members with the same key.
    private struct Member {
        let key: [UInt8]
        let place: Int
        let digest: UInt64
    }

    private enum Tag {
        static let object: UInt8 = 1
        static let array: UInt8 = 2
        static let string: UInt8 = 3
        static let number: UInt8 = 4
        static let bool: UInt8 = 5
        static let null: UInt8 = 6
    }

    /// Returns the digest of an object; `id` is the document's ID if the object is the whole document.
    private func object(
        in scanner: inout JSONScanner,
        of json: Span<UInt8>,
        without id: Span<UInt8>? = nil
    ) throws(JSONError) -> UInt64 {
        var members: [Member] = []
        try scanner.enterObject()
        while let name = try scanner.nextKey() {
            let key = scanner.text(of: name)
            let start = scanner.offset
            let digest = try value(in: &scanner, of: json)
            if let id, idKeys.contains(key), isID(json.extracting(start..<scanner.offset), id) {
                members.removeAll { $0.key.elementsEqual(key.utf8) }
                continue
            }
            members.append(Member(key: Array(key.utf8), place: start, digest: digest))
        }
        members.sort { left, right in
            left.key == right.key ? left.place < right.place : left.key.lexicographicallyPrecedes(right.key)
        }
        var hasher = Hasher()
        hasher.combine(Tag.object)
        for place in members.indices where place + 1 == members.count || members[place + 1].key != members[place].key {
            hasher.combine(members[place].key)
            hasher.combine(members[place].digest)
        }
        return Fingerprint.ending(hasher)
    }

    private func value(in scanner: inout JSONScanner, of json: Span<UInt8>) throws(JSONError) -> UInt64 {
        var hasher = Hasher()
        switch try scanner.kind() {
        case .object: return try object(in: &scanner, of: json)
        case .array:
            hasher.combine(Tag.array)
            try scanner.enterArray()
            while try scanner.nextElement() { hasher.combine(try value(in: &scanner, of: json)) }
        case .string:
            hasher.combine(Tag.string)
            let token = try scanner.string()
            if token.hasEscapes {
                hasher.combine(Fingerprint.of(text: scanner.text(of: token)))
            } else {
                hasher.combine(Fingerprint.of(json.extracting(token.range)))
            }
        case .number:
            hasher.combine(Tag.number)
            PlainNumber(json.extracting(try scanner.skipValue())).hash(into: &hasher)
        case .bool:
            hasher.combine(Tag.bool)
            hasher.combine(try scanner.bool())
        case .null:
            hasher.combine(Tag.null)
            try scanner.null()
        }
        return Fingerprint.ending(hasher)
    }

    /// Returns whether a value, passed with the bytes before it, is the document's ID, either as a string or as a
    /// number in the same notation.
    private func isID(_ value: Span<UInt8>, _ id: Span<UInt8>) -> Bool {
        var scanner = JSONScanner(value)
        guard let kind = try? scanner.kind() else { return false }
        switch kind {
        case .string:
            guard let token = try? scanner.string() else { return false }
            return scanner.isEqual(token, utf8: id)
        case .number:
            guard let range = try? scanner.skipValue(), range.count == id.count else { return false }
            return id.indices.allSatisfy { value[range.lowerBound + $0] == id[$0] }
        default: return false
        }
    }
}

/// A number of any size, compared by value: `10`, `1e1` and `10.0` are equal.
private struct PlainNumber: Hashable {
    private var isNegative = false
    /// The significant digits, without leading and trailing zeros; empty for zero.
    private var digits: [UInt8] = []
    /// The power of ten of the last digit; kept as text in `farExponent` if it is too large.
    private var exponent = 0
    private var farExponent: [UInt8] = []

    /// Reads a number in validated JSON.
    init(_ text: Span<UInt8>) {
        var isFraction = false
        var place = 0
        loop: while place < text.count {
            switch text[place] {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"): break loop
            default:
                if isFraction { exponent -= 1 }
                if text[place] != UInt8(ascii: "0") || !digits.isEmpty { digits.append(text[place]) }
            }
            place += 1
        }
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
        guard !digits.isEmpty else {
            self = PlainNumber()
            return
        }
        guard place < text.count else { return }
        let written = text.extracting((place + 1)..<text.count).withUnsafeBufferPointer { Array($0) }
        if let power = Int(String(decoding: written, as: UTF8.self)), power.magnitude < 1 << 40 {
            exponent += power
        } else {
            farExponent = written
        }
    }

    private init() {}
}
