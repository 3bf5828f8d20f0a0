import ContentFeeding
import JSONText

extension UpdateDocument {
    /// Returns whether a stored document holds the values of all fields, in the form in which Solr keeps them.
    ///
    /// A field for several values returns a single value as a list, and a field for `float` rounds its numbers. Otherwise,
    /// the values are compared by their meaning, like those of a verification.
    func isHeld(by document: StoredDocument) -> Bool {
        guard let members = try? JSONMembers(of: document.json.span).all else { return false }
        var places: [[UInt8]: Range<Int>] = [:]
        for member in members { places[Array(member.key.utf8)] = member.value }
        return fields.allSatisfy { field in
            let stored = places[Array(field.name.utf8)].map { HeldValues(document.json[$0]) } ?? HeldValues()
            return HeldValues(field.json[...]).areHeld(by: stored)
        }
    }
}

/// The values of a field: none, one or a list.
private struct HeldValues {
    private var all: [[UInt8]] = []

    /// The comparison of values by their meaning.
    private static let meaning = {
        var capabilities = EngineCapabilities()
        capabilities.keepsDocumentBytes = false
        return ContentFingerprint(for: capabilities, idKeys: [])
    }()

    init() {}

    init(_ json: ArraySlice<UInt8>) {
        let json = Array(json)
        guard let values = try? Self.values(of: json) else {
            all = [json]
            return
        }
        all = values.filter { $0 != Array("null".utf8) }
    }

    private static func values(of json: [UInt8]) throws(JSONError) -> [[UInt8]] {
        var scanner = JSONScanner(json.span)
        guard try scanner.kind() == .array else { return [json] }
        var values: [[UInt8]] = []
        try scanner.enterArray()
        while try scanner.nextElement() { values.append(Array(json[try scanner.skipValue()])) }
        return values
    }

    func areHeld(by stored: HeldValues) -> Bool {
        all.count == stored.all.count
            && zip(all, stored.all).allSatisfy { Self.isRounded($0, to: $1) || Self.digest($0) == Self.digest($1) }
    }

    private static func digest(_ value: [UInt8]) -> UInt64 {
        let object = JSONWriter.object { $0.member("v", raw: value) }
        return meaning.digest(of: object.span, id: [UInt8]().span)
    }

    /// Returns whether the stored number is the one to which a `float` rounds the sent number.
    private static func isRounded(_ sent: [UInt8], to stored: [UInt8]) -> Bool {
        func number(_ json: [UInt8]) -> String? {
            guard case .number(let text)? = try? JSONValue(json) else { return nil }
            return text
        }
        guard let sent = number(sent).flatMap({ Float($0) }), let stored = number(stored), sent == Float(stored) else {
            return false
        }
        // Solr writes a `float` with a point and at most nine digits, unlike an integer and most `double` numbers.
        let mantissa = stored.prefix { $0 != "E" && $0 != "e" }
        let digits = mantissa.filter { $0.isNumber }.drop { $0 == "0" }
        return sent.isFinite && mantissa.contains(".") && digits.count <= 9
    }
}
