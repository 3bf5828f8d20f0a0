import ContentFeeding
import EngineHTTP
import JSONText
import TextKit

extension OpenSearchCollection {
    /// Returns the keys to sort by, each with the name of the field that holds its whole values.
    func sortFields(_ order: [SortKey]) async throws(EngineError) -> [SortKey] {
        guard !order.isEmpty else { return [] }
        let names = try await valueFields(order.map(\.name), to: "sorted by")
        return zip(order, names).map { SortKey($1, isDescending: $0.isDescending) }
    }

    /// Determines the names of the fields that hold the whole values of keys; `purpose`, for error messages, is `sorted
    /// by` or `counted`.
    ///
    /// Text is indexed as separate words, so its keyword subfield is used if the mapping has one.
    func valueFields(_ keys: [String], to purpose: String) async throws(EngineError) -> [String] {
        let fields = Set(keys.flatMap { [$0, $0 + ".*"] }).sorted().joined(separator: ",")
        let path = path(to: "_field_caps").with("fields", fields).with("ignore_unavailable", "true")
        let known = try await cluster.ask(EngineRequest(.get, path), about: collection)["fields"]
        var names: [String] = []
        for key in keys { names.append(try valueField(key, known, to: purpose)) }
        return names
    }

    private func valueField(_ key: String, _ known: JSONValue, to purpose: String) throws(EngineError) -> String {
        let types = known[key].members.filter { $0.key != "unmapped" }
        if !types.isEmpty, types.allSatisfy({ $0.value["aggregatable"].bool == true }) { return key }
        let subfields = known.members.filter { member in
            member.key.hasPrefix(key + ".") && member.value["keyword"]["aggregatable"].bool == true
        }.map(\.key)
        let isText = types.contains { ["text", "match_only_text"].contains($0.key) }
        if isText, let subfield = subfields.contains(key + ".keyword") ? key + ".keyword" : subfields.min() {
            return subfield
        }
        guard !types.isEmpty else {
            throw EngineError(
                .unsupported,
                "'\(collection)' can't be \(purpose) '\(key)': its mapping has no such field",
                advice: "check the key's spelling; to see a document: fastctl find -c \(collection) --limit 1 -o ndjson"
            )
        }
        let type = isText ? "text without a keyword subfield" : types.map(\.key).sorted().joined(separator: ", ")
        throw EngineError(
            .unsupported,
            "'\(collection)' can't be \(purpose) '\(key)': the field is \(type), which keeps no whole values",
            advice: "add a keyword subfield to the mapping and feed the documents again, or process '-o ndjson'"
        )
    }
}

// MARK: - Values that are not in the index

extension OpenSearchCollection {
    /// Returns the facets, marked as approximate if documents that seem to lack a value may have one that the index
    /// ignores.
    func markingIgnored(_ counts: FacetCounts, named names: [String]) async -> FacetCounts {
        let doubtful = counts.facets.indices.filter {
            counts.facets[$0].missing > 0 && counts.facets[$0].key == names[$0]
        }
        guard !doubtful.isEmpty else { return counts }
        let fields = Set(doubtful.map { names[$0] }).sorted().joined(separator: ",")
        let path = EnginePath(collection.rawValue, "_mapping", "field", fields)
        let mappings = try? await cluster.ask(EngineRequest(.get, path)).members.map { $0.value["mappings"] }
        var counts = counts
        for index in doubtful {
            guard let reason = Self.ignorance(of: names[index], in: mappings) else { continue }
            counts.facets[index].accuracy = .unknown(reason)
        }
        return counts
    }

    /// Returns the reason why a field may lack values of its documents, according to the mapping of any of the indices.
    private static func ignorance(of name: String, in mappings: [JSONValue]?) -> String? {
        guard let mappings else { return "the mapping that would show whether the index ignores values can't be read" }
        for mapping in mappings.flatMap({ $0[name]["mapping"].members.map(\.value) }) {
            if let length = mapping["ignore_above"].int {
                return "the index ignores values of more than \(length) characters"
            }
            if mapping["ignore_malformed"].bool == true { return "the index ignores values of another type" }
        }
        return nil
    }
}

extension SortKey {
    /// Writes the key as an element of `sort`.
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.object(name) { key in
                key.member("order", isDescending ? "desc" : "asc")
                key.member("missing", "_last")
            }
        }
    }
}

/// The engine's response to the aggregations for facets.
struct FacetAnswer {
    let counts: FacetCounts

    /// Writes the member `aggs`, which counts the values of each key and the documents without a value.
    ///
    /// A keyword subfield omits values that are too long; such documents have the text field, but not the subfield.
    static func writeAggregations(of keys: [FacetKey], named names: [String], to writer: inout JSONWriter) {
        writer.object("aggs") { writer in
            for (index, key) in keys.enumerated() {
                writer.object("values\(index)") { writer in
                    writer.object("terms") { terms in
                        terms.member("field", names[index])
                        terms.member("size", key.limit)
                    }
                }
                writer.object("missing\(index)") { writer in
                    writer.object("missing") { $0.member("field", names[index]) }
                }
                guard names[index] != key.name else { continue }
                writer.object("long\(index)") { writer in
                    writer.object("filter") { writer in
                        writer.object("bool") { writer in
                            writer.object("filter") { $0.object("exists") { $0.member("field", key.name) } }
                            writer.object("must_not") { $0.object("exists") { $0.member("field", names[index]) } }
                        }
                    }
                }
            }
        }
    }

    /// Parses the engine's response; returns `nil` if a count is missing.
    init?(_ answer: JSONValue, to keys: [FacetKey], named names: [String]) {
        guard let documents = answer["hits"]["total"]["value"].int else { return nil }
        var facets: [Facet] = []
        for (index, key) in keys.enumerated() {
            let values = answer["aggregations"]["values\(index)"]
            guard let other = values["sum_other_doc_count"].int, let error = values["doc_count_error_upper_bound"].int,
                let missing = answer["aggregations"]["missing\(index)"]["doc_count"].int,
                let long = names[index] == key.name ? 0 : answer["aggregations"]["long\(index)"]["doc_count"].int
            else { return nil }
            var counts: [Facet.Count] = []
            for bucket in values["buckets"].elements {
                guard let value = Self.value(of: bucket), let count = bucket["doc_count"].int else { return nil }
                counts.append(Facet.Count(value, count))
            }
            let accuracy: Facet.Accuracy =
                switch error {
                case 0: .exact
                case 1...: .within(error)
                default: .unknown("the engine gives no bound for the error")
                }
            facets.append(
                Facet(key: key.name, counts: counts, other: other + long, missing: missing - long, accuracy: accuracy)
            )
        }
        counts = FacetCounts(documents: documents, facets: facets)
    }

    /// Returns a bucket's value; the engine returns Booleans and dates as numbers with a text representation.
    private static func value(of bucket: JSONValue) -> FacetValue? {
        let text = bucket["key_as_string"].text
        switch bucket["key"] {
        case .string(let key): return .text(key)
        case .bool(let isTrue): return .bool(isTrue)
        case .number(let number):
            guard let text else { return FacetValue(number: number) }
            if ["true", "false"].contains(text) { return .bool(text == "true") }
            return Double(text) == nil ? .text(text) : FacetValue(number: text)
        default: return nil
        }
    }
}
