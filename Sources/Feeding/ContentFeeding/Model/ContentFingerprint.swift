import JSONText
import TextKit

/// A digest of a document's content by its meaning, with which contents are compared.
///
/// It does not depend on the order of keys, the whitespace and escapes in the JSON, the notation of numbers (`1` and
/// `1.0`) or the notation of times with a zone (`2026-11-29T12:00:00Z` and `2026-11-29T13:00:00.000+01:00`). If a key
/// occurs twice, the last one counts. The ID is omitted where the engine may add or omit it, and so are the keys that
/// the target sets itself.
///
/// For an engine that keeps only the meaning of documents, a list with one value equals that value, numbers and
/// Booleans equal their text, a number with a fraction has the precision of a `Double`, `null` is omitted, and a time
/// without a zone is in UTC.
///
/// This is not ``ContentDigest``. A content digest is kept in journals and backups, with which documents are restored
/// byte for byte, so it depends on the notation. A fingerprint is valid only within one process, because each process
/// has its own seed; at 8 bytes, millions of fingerprints fit in memory.
package struct ContentFingerprint: VersionDigest, Hashable {
    /// Whether the engine returns only the meaning of documents.
    private let isLoose: Bool
    /// The top-level keys that may hold the ID; `nil` if each may.
    private let idKeys: [String]?
    private let keptKeys: [String]

    /// Creates a comparison of documents that come from, or are sent to, an engine with these capabilities.
    ///
    /// The ID is omitted under `idKeys`; by default, under each top-level key if the engine may add or omit it, and
    /// otherwise under none.
    package init(for capabilities: EngineCapabilities = EngineCapabilities(), idKeys: [String]? = nil) {
        isLoose = !capabilities.keepsDocumentBytes
        keptKeys = capabilities.keptKeys
        self.idKeys = idKeys ?? (capabilities.mayChangeIDKey ? nil : [])
    }

    /// Returns the digest of a document; a text that is not an object equals only a text with the same bytes.
    package func digest(of json: Span<UInt8>, id: Span<UInt8>) -> UInt64 {
        members(of: json, id: id).map(Self.digest) ?? Fingerprint.of(json)
    }

    /// A member of an object: the hash of its key, and the digest of its value.
    package struct Member: Hashable, Sendable {
        package let key: UInt64
        package let value: UInt64

        /// The value of a key that a document must not have.
        package static let absent: UInt64 = 0

        package init(key: UInt64, value: UInt64) { (self.key, self.value) = (key, value) }
    }

    /// Returns the members of a document that are compared, sorted by the hashes of their keys; `nil` if the text is not
    /// an object.
    ///
    /// With `isPatch`, the text is an update without operators, and a key that it removes has the value
    /// ``Member/absent``. `naming` is called with the hash and the name of each key.
    package func members(
        of json: Span<UInt8>,
        id: Span<UInt8>,
        isPatch: Bool = false,
        naming: (UInt64, String) -> Void = { _, _ in }
    ) -> [Member]? {
        var scanner = JSONScanner(json)
        do throws(JSONError) {
            let members = try object(in: &scanner, of: json, without: id, isPatch: isPatch, naming)
            try scanner.end()
            return members
        } catch {
            return nil
        }
    }

    // MARK: Versions

    /// Returns the digest of the value of a top-level key, which serves as the document's version; 0 if it is not a
    /// string, a number or a Boolean.
    ///
    /// Values are compared as in whole documents, except that a number or a Boolean also equals its text: sources have
    /// versions as text. If the engine may turn a value into a list of that value, the two are equal.
    package func version(under key: Span<UInt8>, in json: Span<UInt8>) -> UInt64 {
        var scanner = JSONScanner(json)
        // A document that is not an object does not have the key.
        return (try? version(under: key, in: &scanner, of: json)) ?? 0
    }

    /// Returns the digest of a source's own version, which equals ``version(under:in:)`` for the same value.
    package func version(_ text: String) -> UInt64 { digest(ofText: text.utf8.span) }

    private func version(
        under key: Span<UInt8>,
        in scanner: inout JSONScanner,
        of json: Span<UInt8>
    ) throws(JSONError) -> UInt64 {
        var digest: UInt64 = 0
        try scanner.enterObject()
        while let name = try scanner.nextKey() {
            // If a key occurs twice, the last one counts.
            if scanner.isEqual(name, utf8: key) {
                digest = try version(in: &scanner, of: json)
            } else {
                try scanner.skipValue()
            }
        }
        return digest
    }

    private func version(in scanner: inout JSONScanner, of json: Span<UInt8>) throws(JSONError) -> UInt64 {
        switch try scanner.kind() {
        case .string: return try value(in: &scanner, of: json) ?? 0
        case .number:
            let text = json.extracting(try scanner.skipValue())
            let number = isLoose ? PlainNumber(asStored: text) : PlainNumber(text)
            return Self.digest(ofString: number.text.span)
        case .bool: return Self.digest(ofString: "\(try scanner.bool())".utf8.span)
        case .array where isLoose:
            var (digest, count): (UInt64, Int) = (0, 0)
            try scanner.enterArray()
            while try scanner.nextElement() {
                digest = try version(in: &scanner, of: json)
                count += 1
            }
            return count == 1 ? digest : 0
        case .object, .array, .null:
            try scanner.skipValue()
            return 0
        }
    }

    // MARK: Values

    private enum Tag {
        static let object: UInt8 = 1
        static let array: UInt8 = 2
        static let string: UInt8 = 3
        static let number: UInt8 = 4
        static let bool: UInt8 = 5
        static let null: UInt8 = 6
        static let instant: UInt8 = 7
    }

    private static func digest(of members: [Member]) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(Tag.object)
        for member in members { hasher.combine(member) }
        return Fingerprint.ending(hasher)
    }

    /// Returns the members of an object; `id` is the document's ID if the object is the whole document.
    private func object(
        in scanner: inout JSONScanner,
        of json: Span<UInt8>,
        without id: Span<UInt8>? = nil,
        isPatch: Bool = false,
        _ naming: (UInt64, String) -> Void = { _, _ in }
    ) throws(JSONError) -> [Member] {
        var found: [(key: UInt64, place: Int, value: UInt64?)] = []
        try scanner.enterObject()
        while let name = try scanner.nextKey() {
            let key =
                name.hasEscapes
                ? Fingerprint.of(text: scanner.text(of: name)) : Fingerprint.of(json.extracting(name.range))
            let start = scanner.offset
            let isNull = try scanner.kind() == .null
            var value = try value(in: &scanner, of: json)
            if let id {
                if isPatch, isNull || value == nil { value = Member.absent }
                let text = scanner.text(of: name)
                naming(key, text)
                if isOmitted(text, json.extracting(start..<scanner.offset), id) { value = nil }
            }
            found.append((key, start, value))
        }
        found.sort { $0.key == $1.key ? $0.place < $1.place : $0.key < $1.key }
        var members: [Member] = []
        members.reserveCapacity(found.count)
        for (index, member) in found.enumerated() {
            let isLast = index + 1 == found.count || found[index + 1].key != member.key
            if isLast, let value = member.value { members.append(Member(key: member.key, value: value)) }
        }
        return members
    }

    /// Returns the digest of a value; `nil` if the engine treats it as no value.
    private func value(in scanner: inout JSONScanner, of json: Span<UInt8>) throws(JSONError) -> UInt64? {
        switch try scanner.kind() {
        case .object: return Self.digest(of: try object(in: &scanner, of: json))
        case .array: return try array(in: &scanner, of: json)
        case .string:
            let token = try scanner.string()
            guard token.hasEscapes else { return digest(ofText: json.extracting(token.range)) }
            return digest(ofText: Array(scanner.text(of: token).utf8).span)
        case .number:
            let text = json.extracting(try scanner.skipValue())
            if isLoose {
                let stored = PlainNumber(asStored: text).text
                return Self.digest(ofString: stored.span)
            }
            var hasher = Hasher()
            hasher.combine(Tag.number)
            hasher.combine(PlainNumber(text))
            return Fingerprint.ending(hasher)
        case .bool:
            let isTrue = try scanner.bool()
            if isLoose { return Self.digest(ofString: "\(isTrue)".utf8.span) }
            var hasher = Hasher()
            hasher.combine(Tag.bool)
            hasher.combine(isTrue)
            return Fingerprint.ending(hasher)
        case .null:
            try scanner.null()
            if isLoose { return nil }
            var hasher = Hasher()
            hasher.combine(Tag.null)
            return Fingerprint.ending(hasher)
        }
    }

    private func array(in scanner: inout JSONScanner, of json: Span<UInt8>) throws(JSONError) -> UInt64? {
        var hasher = Hasher()
        hasher.combine(Tag.array)
        var count = 0
        var last: UInt64?
        try scanner.enterArray()
        while try scanner.nextElement() {
            guard let value = try value(in: &scanner, of: json) else { continue }
            hasher.combine(value)
            count += 1
            last = value
        }
        return isLoose && count < 2 ? last : Fingerprint.ending(hasher)
    }

    private func digest(ofText text: Span<UInt8>) -> UInt64 {
        guard let instant = Instant(text, assumesUTC: isLoose) else { return Self.digest(ofString: text) }
        var hasher = Hasher()
        hasher.combine(Tag.instant)
        hasher.combine(instant)
        return Fingerprint.ending(hasher)
    }

    private static func digest(ofString text: Span<UInt8>) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(Tag.string)
        hasher.combine(Fingerprint.of(text))
        return Fingerprint.ending(hasher)
    }

    // MARK: Omitted keys

    private func isOmitted(_ key: String, _ value: Span<UInt8>, _ id: Span<UInt8>) -> Bool {
        // In Swift, strings are equal if they look the same, regardless of their bytes.
        func isAmong(_ keys: [String]) -> Bool { keys.contains { $0.utf8.elementsEqual(key.utf8) } }
        if !keptKeys.isEmpty, isAmong(keptKeys) { return true }
        return idKeys.map(isAmong) ?? true && Self.isID(value, id)
    }

    /// Returns whether a value, passed with the bytes before it, is the document's ID, either as a string or as a
    /// number in the same notation.
    private static func isID(_ value: Span<UInt8>, _ id: Span<UInt8>) -> Bool {
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

/// A short digest, used for comparisons within this process.
///
/// Two different values collide with a probability of 1 in 2⁶⁴; the hash is keyed with a secret, so an attacker can't
/// construct collisions.
package enum Fingerprint {
    package static func of(text: String) -> UInt64 {
        var text = text
        return text.withUTF8 { of(UnsafeRawBufferPointer($0)) }
    }

    package static func of(_ bytes: Span<UInt8>) -> UInt64 { bytes.withUnsafeBytes { of($0) } }

    /// Finalizes a hash; never returns 0, which means that there is no version.
    package static func ending(_ hasher: Hasher) -> UInt64 { max(1, UInt64(bitPattern: Int64(hasher.finalize()))) }

    private static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        return ending(hasher)
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

    /// The largest power of ten that is written with zeros.
    private static let mostZeros = 40

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

    /// Reads a number as an engine does that keeps a number with a fraction or an exponent as a `Double`.
    init(asStored text: Span<UInt8>) {
        let written = text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        let isWhole = !written.utf8.contains { ".eE".utf8.contains($0) }
        guard !isWhole, let value = Double(written), value.isFinite else {
            self.init(text)
            return
        }
        let rounded = Array("\(value)".utf8)
        self.init(rounded.span)
    }

    /// The number as an engine writes it into a text: `1.5`, `20`, `-0.05`; numbers with many zeros have an exponent.
    var text: [UInt8] {
        if digits.isEmpty { return [UInt8(ascii: "0")] }
        let zero = UInt8(ascii: "0")
        let sign = isNegative ? [UInt8(ascii: "-")] : []
        guard farExponent.isEmpty, abs(exponent) <= Self.mostZeros else {
            return sign + digits + [UInt8(ascii: "e")] + (farExponent.isEmpty ? Array("\(exponent)".utf8) : farExponent)
        }
        if exponent >= 0 { return sign + digits + [UInt8](repeating: zero, count: exponent) }
        let padded = [UInt8](repeating: zero, count: max(0, 1 - exponent - digits.count)) + digits
        return sign + padded.dropLast(-exponent) + [UInt8(ascii: ".")] + padded.suffix(-exponent)
    }
}

/// A point in time, compared by value: `2026-11-29T12:00:00Z` and `2026-11-29T13:00+01:00` are equal.
private struct Instant: Hashable {
    /// The number of seconds since 1970.
    private let seconds: Int64
    /// The digits of the fraction of a second, without trailing zeros.
    private let fraction: [UInt8]

    private static let lengths = 10...40

    /// Reads a time in ISO 8601 notation, `YYYY-MM-DDTHH:MM[:SS[.F]]` with a zone; `nil` for any other text.
    ///
    /// With `assumesUTC`, the zone and the time of day may be absent.
    init?(_ text: Span<UInt8>, assumesUTC: Bool) {
        // Nearly all texts differ from a time in one of these characters.
        guard Self.lengths.contains(text.count), text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-") else {
            return nil
        }
        var reader = ZonedTimeReader(text)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), let date = CivilDate(year: Int64(year), month: month, day: day)
        else { return nil }
        var time = (seconds: 0, fraction: [UInt8](), offset: 0)
        if reader.isAtEnd {
            guard assumesUTC else { return nil }
        } else {
            guard reader.skip("T") || assumesUTC && reader.skip(" "), let clock = reader.clock() else { return nil }
            (time.seconds, time.fraction) = clock
            if let offset = reader.zone() { time.offset = offset } else if !assumesUTC { return nil }
            guard reader.isAtEnd else { return nil }
        }
        seconds = date.days * 86_400 + Int64(time.seconds - time.offset)
        fraction = time.fraction
    }
}

/// A reader of the parts of a time.
private struct ZonedTimeReader {
    private let text: [UInt8]
    private var place = 0

    init(_ text: Span<UInt8>) { self.text = text.withUnsafeBufferPointer { Array($0) } }

    var isAtEnd: Bool { place == text.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard place < text.count, text[place] == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    /// Reads a number with this many digits.
    mutating func number(_ count: Int) -> Int? {
        guard place + count <= text.count else { return nil }
        var number = 0
        for place in place..<(place + count) {
            guard text[place].isDigit else { return nil }
            number = number * 10 + Int(text[place] - UInt8(ascii: "0"))
        }
        place += count
        return number
    }

    /// Reads `HH:MM[:SS[.F]]`, as seconds and the digits of the fraction.
    mutating func clock() -> (Int, [UInt8])? {
        guard let hour = number(2), hour < 24, skip(":"), let minute = number(2), minute < 60 else { return nil }
        guard skip(":") else { return (hour * 3600 + minute * 60, []) }
        guard let second = number(2), second < 60 else { return nil }
        var fraction: [UInt8] = []
        if skip(".") {
            while place < text.count, text[place].isDigit {
                fraction.append(text[place])
                place += 1
            }
            if fraction.isEmpty { return nil }
            while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
        }
        return (hour * 3600 + minute * 60 + second, fraction)
    }

    /// Reads `Z` or `±HH[:MM]`, as seconds; `nil` if there is no zone.
    mutating func zone() -> Int? {
        if skip("Z") { return 0 }
        let sign: Int
        if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
        guard let hour = number(2), hour < 24 else { return nil }
        if isAtEnd { return sign * hour * 3600 }
        _ = skip(":")
        guard let minute = number(2), minute < 60 else { return nil }
        return sign * (hour * 3600 + minute * 60)
    }
}
