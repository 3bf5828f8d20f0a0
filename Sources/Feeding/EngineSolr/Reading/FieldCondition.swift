import ContentFeeding
import EngineHTTP
import JSONText

/// A field that must have exactly this value.
struct FieldCondition: Hashable {
    var name: String
    var value: String
    /// Solr finds the field by its words only, so what it finds must be compared.
    var isTokenized: Bool

    /// Whether a document that Solr found has the value: as its only one, or one of a list.
    func holds(in json: [UInt8]) -> Bool {
        guard isTokenized else { return true }
        return (try? hasValue(json)) ?? false
    }

    private func hasValue(_ json: [UInt8]) throws(JSONError) -> Bool {
        var scanner = JSONScanner(json.span)
        var isEqual = false
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            guard scanner.isEqual(key, name) else {
                try scanner.skipValue()
                continue
            }
            switch try scanner.kind() {
            case .string: isEqual = try scanner.nextString(is: value)
            case .array:
                try scanner.enterArray()
                while try scanner.nextElement() {
                    if try scanner.kind() == .string {
                        if try scanner.nextString(is: value) { isEqual = true }
                    } else {
                        try scanner.skipValue()
                    }
                }
            case .object, .number, .bool, .null: try scanner.skipValue()
            }
        }
        return isEqual
    }
}

extension JSONScanner {
    fileprivate mutating func nextString(is text: String) throws(JSONError) -> Bool {
        let token = try string()
        return isEqual(token, text)
    }
}

extension SolrInstance {
    /// What the schema says of a condition's field; `nil` when there is no such field, so no document has it.
    func condition(
        _ field: SearchQuery.Field,
        in collection: CollectionName
    ) async throws(SolrTrouble) -> FieldCondition? {
        let path = EnginePath(collection.rawValue, "schema", "fields", field.name).with("includeDynamic", "true")
            .with("showDefaults", "true")
        do {
            let answer = try await client.tree(path)["field"]
            return FieldCondition(
                name: field.name,
                value: field.value,
                isTokenized: answer["tokenized"].bool ?? true
            )
        } catch {
            // Solr's own words: there is no such field. Anybody else's 404 is a trouble.
            guard error.refusal == 404, error.complaint != nil else { throw error }
            return nil
        }
    }
}
