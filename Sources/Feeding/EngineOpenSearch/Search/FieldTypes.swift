import ContentFeeding
import EngineHTTP
import JSONText

extension OpenSearchCollection {
    /// Finds out by which name each field's whole values can be compared.
    ///
    /// Text is cut into words, so `title=brown` would find every title with the word: its keyword subfield is asked,
    /// `title.keyword` where the engine made the mapping itself.
    func conditions(for fields: [SearchQuery.Field]) async throws(EngineError) -> [FieldCondition] {
        var conditions: [FieldCondition] = []
        for field in fields {
            guard !field.name.isEmpty else { throw EngineError(.rejected, "a field without a name can't have a value") }
            conditions.append(FieldCondition(name: try await comparableName(of: field), value: field.value))
        }
        return conditions
    }

    private func comparableName(of field: SearchQuery.Field) async throws(EngineError) -> String {
        let name = field.name
        let path = path(to: "_field_caps").with("fields", "\(name),\(name).*").with("ignore_unavailable", "true")
        let known = try await cluster.ask(EngineRequest(.get, path), about: collection)["fields"]
        let types = known[name].members.map(\.key)
        guard types.contains("text") || types.contains("match_only_text") else { return name }
        let subfields = known.members.filter { $0.key.hasPrefix(name + ".") && $0.value["keyword"] != .null }.map(\.key)
        if let subfield = subfields.contains(name + ".keyword") ? name + ".keyword" : subfields.min() {
            return subfield
        }
        throw EngineError(
            .unsupported,
            "the field '\(name)' of '\(collection)' is text without a keyword subfield, so its whole value can't be asked for",
            advice: "ask for words of it in the engine's own language: --query '\(name):\"WORDS\"'"
        )
    }
}
