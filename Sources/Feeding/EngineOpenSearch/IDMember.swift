import ContentFeeding
import JSONText

/// The key of a fed document that holds its ID, and whether the engine is to store it as a field.
///
/// The engine has the ID anyway. The key stays as it was fed, with two exceptions: an index that would refuse it does
/// not get it, and an update adds it to no document that was fed without it.
struct IDMember: Hashable, Sendable {
    let name: String
    /// Whether each document is to have the key.
    let isRequired: Bool
    /// Whether the index refuses the key.
    let isRefused: Bool

    /// Returns the document to store in place of `document`.
    func stored(_ document: Document) throws(JSONError) -> [UInt8] {
        if isRequired { return try required(in: document.json, document.id) }
        guard isRefused, let key = try keyIfID(in: document) else { return document.json }
        return try without(key, document.json)
    }

    /// Returns the changes to make to `base` in place of `patch`.
    func changes(_ patch: Document, to base: [UInt8]) throws(JSONError) -> [UInt8] {
        guard !isRequired, let key = try keyIfID(in: patch), try Self.place(of: name, in: base) == nil else {
            return patch.json
        }
        return try without(key, patch.json)
    }

    private func without(_ key: [UInt8], _ json: [UInt8]) throws(JSONError) -> [UInt8] {
        try JSONMerge.merged(base: json, patch: key) ?? json
    }

    /// Returns a patch that removes the key, if its value is the document's ID; another value is the document's own.
    private func keyIfID(in document: Document) throws(JSONError) -> [UInt8]? {
        guard let place = try Self.place(of: name, in: document.json) else { return nil }
        let value = try JSONValue(Array(document.json[place]))
        let text: String? = if case .number(let number) = value { number } else { value.text }
        guard let text, text.utf8.elementsEqual(document.id.text.utf8) else { return nil }
        var writer = JSONWriter()
        writer.object { writer in writer.member(name, raw: Array("null".utf8)) }
        return writer.takeBytes()
    }

    private func required(in json: [UInt8], _ id: DocumentID) throws(JSONError) -> [UInt8] {
        guard try Self.place(of: name, in: json) == nil else { return json }
        var writer = JSONWriter()
        writer.object { writer in writer.member(name, id.text) }
        return try JSONMerge.merged(base: json, patch: writer.takeBytes()) ?? json
    }

    /// Returns the place of a top-level key's value; of duplicates, the last.
    private static func place(of name: String, in json: [UInt8]) throws(JSONError) -> Range<Int>? {
        var scanner = JSONScanner(json.span)
        var place: Range<Int>?
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            let isOurs = scanner.isEqual(key, name)
            let value = try scanner.skipValue()
            if isOurs { place = value }
        }
        return place
    }
}
