import Digests
import JSONText

/// A digest of a document's content, which distinguishes states of the document without storing them.
///
/// It does not depend on the whitespace and escapes in the JSON, or on the order of the top-level keys; if a key occurs
/// twice, the last one counts.
///
/// It is stored in journals and backups, so its definition must never change. It covers those parts of the document
/// that the engine keeps. Comparisons that only report differences use `ContentFingerprint` instead, which compares
/// contents by meaning and is never stored.
public struct ContentDigest: RawRepresentable, Hashable, Sendable {
    /// The stored form: 32 hexadecimal digits, or `none`.
    public let rawValue: String

    /// Creates a digest from its stored form; `nil` if that is invalid.
    public init?(rawValue: String) {
        let digits = rawValue.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        guard rawValue == Self.none.rawValue || rawValue.utf8.count == 2 * Self.byteCount && digits else { return nil }
        self.rawValue = rawValue
    }

    private init(trusted rawValue: String) { self.rawValue = rawValue }

    /// The digest that represents the absence of a document.
    public static let none = ContentDigest(trusted: "none")

    private static let byteCount = 16

    /// Creates the digest of a document as it is fed to, or returned by, an engine with these capabilities.
    ///
    /// The ID's key is omitted for an engine that may change it. For an engine that keeps only the meaning of
    /// documents, a list with one value equals that value, numbers and Booleans equal their text, and `null` is
    /// omitted. Keys that the target sets itself are omitted. The result is `nil` if the JSON is not a single object.
    public init?(of json: [UInt8], _ id: DocumentID, in capabilities: EngineCapabilities) {
        var content = CanonicalContent(isExact: capabilities.keepsDocumentBytes)
        do throws(JSONError) {
            try content.append(json, withoutKeyOf: capabilities.mayChangeIDKey ? id : nil, capabilities.keptKeys)
        } catch {
            return nil
        }
        var function = SHA256()
        let digits = function.digest(of: content.bytes.span).hexadecimal
        self.init(trusted: String(digits.prefix(2 * Self.byteCount)))
    }
}

extension ContentDigest: CustomStringConvertible {
    public var description: String { rawValue }
}

/// JSON in canonical form, in which each string is preceded by its length, so that different contents have different
/// forms.
private struct CanonicalContent {
    var bytes: [UInt8] = []
    /// Whether the engine returns documents exactly as they were fed, rather than only their meaning.
    let isExact: Bool

    init(isExact: Bool) { self.isExact = isExact }

    /// Appends the members of an object, sorted by their keys.
    mutating func append(_ json: [UInt8], withoutKeyOf id: DocumentID?, _ keptKeys: [String]) throws(JSONError) {
        var members: [(key: [UInt8], place: Int, value: Range<Int>)] = []
        for (place, member) in try JSONMembers(of: json.span).all.enumerated() {
            if keptKeys.contains(where: { $0.utf8.elementsEqual(member.key.utf8) }) { continue }
            members.append((Array(member.key.utf8), place, member.value))
        }
        members.sort { left, right in
            left.key == right.key ? left.place < right.place : left.key.lexicographicallyPrecedes(right.key)
        }
        for (index, member) in members.enumerated() {
            if index + 1 < members.count, members[index + 1].key == member.key { continue }
            var scanner = JSONScanner(json.span.extracting(member.value))
            if let id, try Self.isID(id, scanner) { continue }
            let start = bytes.count
            append(member.key)
            if try !append(&scanner) { bytes.removeSubrange(start...) }
        }
    }

    private static func isID(_ id: DocumentID, _ scanner: JSONScanner) throws(JSONError) -> Bool {
        var scanner = scanner
        switch try scanner.kind() {
        case .string: return try scanner.stringText() == id.text
        case .number: return scanner.rawText(try scanner.skipValue()) == id.text
        case .array, .bool, .null, .object: return false
        }
    }

    /// Appends a value; returns whether there is one.
    private mutating func append(_ scanner: inout JSONScanner) throws(JSONError) -> Bool {
        let kind = try scanner.kind()
        switch kind {
        case .object: try appendObject(&scanner)
        case .array: return try appendArray(&scanner)
        case .string: append(try scanner.stringText().utf8)
        case .number, .bool:
            let text = scanner.rawText(try scanner.skipValue())
            if isExact { bytes.append(UInt8(ascii: "=")) }
            append((isExact ? text : Self.plain(text)).utf8)
        case .null:
            try scanner.null()
            guard isExact else { return false }
            bytes.append(UInt8(ascii: "-"))
        }
        return true
    }

    private mutating func appendObject(_ scanner: inout JSONScanner) throws(JSONError) {
        bytes.append(UInt8(ascii: "{"))
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            let start = bytes.count
            append(scanner.text(of: key).utf8)
            if try !append(&scanner) { bytes.removeSubrange(start...) }
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func appendArray(_ scanner: inout JSONScanner) throws(JSONError) -> Bool {
        let start = bytes.count
        var count = 0
        bytes.append(UInt8(ascii: "["))
        try scanner.enterArray()
        while try scanner.nextElement() { count += try append(&scanner) ? 1 : 0 }
        guard isExact || count > 1 else {
            bytes.remove(at: start)
            return count == 1
        }
        bytes.append(UInt8(ascii: "]"))
        return true
    }

    /// Returns a number in a normal form, for engines that may rewrite numbers: `1.5` for `1.50`, and `2` for `2.0`.
    private static func plain(_ text: String) -> String {
        guard let number = Double(text), number.isFinite else { return text }
        return Int64(exactly: number).map { abs(number) < 0x1p53 ? String($0) : text } ?? String(number)
    }

    private mutating func append(_ text: some Collection<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: String(text.count).utf8)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(contentsOf: text)
    }
}
