import ContentFeeding
import EngineHTTP
import JSONText
import TextKit

extension SolrCollection {
    /// The use of a field's values.
    private enum Purpose: String {
        case sorting = "sorted by"
        case counting = "counted"
    }

    /// Returns the keys of an order as Solr's fields.
    func sortFields(_ order: [SortKey]) async throws(EngineError) -> [SortField] {
        var fields: [SortField] = []
        for key in order {
            let field = try await field(key.name, for: .sorting)
            fields.append(SortField(key, putsMissingLast: field["sortMissingLast"].bool == true))
        }
        return fields
    }

    func facets(_ keys: [FacetKey], of query: SearchQuery) async throws(EngineError) -> FacetCounts {
        for key in keys { _ = try await field(key.name, for: .counting) }
        do throws(RequestFailure) {
            guard let search = try await search(query, .count) else { return Self.noFacets(keys) }
            if !search.isApproximate {
                let path = EnginePath(collection.rawValue, "select").with("wt", "json")
                let form = FormBody(search.parameters + [("json.facet", SolrFacets.request(for: keys))])
                let reply = try await solr.client.ask(path, form)
                guard var counts = SolrFacets.counts(try reply.tree(), of: keys) else {
                    throw RequestFailure.unreadable(reply.http, "it lacks the counts of some values")
                }
                // All values of a facet without others were counted by every shard.
                let partial = counts.facets.indices.filter { counts.facets[$0].other > 0 }
                if !partial.isEmpty, let reason = await doubtAboutCounts() {
                    for index in partial { counts.facets[index].accuracy = .unknown(reason) }
                }
                return counts
            }
        } catch {
            throw await solr.error(error, about: collection)
        }
        throw EngineError(
            .unsupported,
            "the values of keys in '\(collection)' can't be counted where a field of words must have a whole value: "
                + "Solr finds the value's words",
            advice: "search for the words instead, or process '-o ndjson'"
        )
    }

    /// Returns the reason why a frequent value may be absent from a facet; `nil` if one index holds all documents.
    private func doubtAboutCounts() async -> String? {
        guard let cores = try? await solr.leadingCores(of: collection) else {
            return "the number of shards is unknown, and each reports only its most frequent values"
        }
        return cores.count == 1 ? nil : "each shard reports only its most frequent values"
    }

    private static func noFacets(_ keys: [FacetKey]) -> FacetCounts {
        let facets = keys.map { Facet(key: $0.name, counts: [], other: 0, missing: 0, accuracy: .exact) }
        return FacetCounts(documents: 0, facets: facets)
    }

    /// Returns the schema's description of a field that holds whole values.
    ///
    /// Text is indexed as words. Only a `SortableTextField` also keeps whole values, and only for sorting.
    private func field(_ name: String, for purpose: Purpose) async throws(EngineError) -> JSONValue {
        let field: JSONValue?
        do throws(RequestFailure) {
            field = try await solr.field(name, of: collection)
        } catch {
            throw await solr.error(error, about: collection)
        }
        guard let field else {
            throw EngineError(
                .unsupported,
                "'\(collection)' can't be \(purpose.rawValue) '\(name)': its schema has no such field",
                advice: "check the key's spelling; to see a document: fastctl find -c \(collection) --limit 1 -o ndjson"
            )
        }
        let hasValues = field["docValues"].bool == true
        let isText = field["tokenized"].bool ?? true
        let isIndexed = field["indexed"].bool == true && field["uninvertible"].bool != false
        // In Solr's notation, these characters end a name.
        let isPlain = !name.utf8.contains { " ,()\"'".utf8.contains($0) || $0 < 0x20 }
        let reason: String
        switch purpose {
        case .sorting where !isPlain: reason = "its name is not allowed in Solr's orders"
        case .sorting where isText && !hasValues, .counting where isText:
            reason = "the field is text, which Solr divides into words"
        case _ where !hasValues && !isIndexed: reason = "the field has neither docValues nor an index of values"
        default: return field
        }
        throw EngineError(
            .unsupported,
            "'\(collection)' can't be \(purpose.rawValue) '\(name)': \(reason)",
            advice: "use a string field with docValues, such as a copyField of it, or process '-o ndjson'"
        )
    }
}

/// A key of an order, as a part of Solr's `sort`.
struct SortField: Hashable {
    private let key: SortKey
    private let putsMissingLast: Bool

    /// Creates a key; `putsMissingLast` is whether the schema puts documents without a value last, in either direction.
    ///
    /// Otherwise, Solr would sort them like zero, or like an empty text.
    init(_ key: SortKey, putsMissingLast: Bool) { (self.key, self.putsMissingLast) = (key, putsMissingLast) }

    /// Returns the parameters of an order: documents with the same values are in the order of their IDs.
    static func parameters(_ fields: [SortField], uniqueKey: String) -> [(name: String, value: String)] {
        var clauses: [String] = []
        var parameters: [(name: String, value: String)] = []
        for (index, field) in fields.enumerated() {
            let name = field.key.name
            if !field.putsMissingLast {
                clauses.append("if(exists(query($fastctl.sort\(index))),0,1) asc")
                let query = "{!lucene}\(SolrQuery.escaped(name)):[* TO *]"
                parameters.append(("fastctl.sort\(index)", query))
            }
            clauses.append("\(name) \(field.key.isDescending ? "desc" : "asc")")
        }
        if !fields.contains(where: { $0.key.name == uniqueKey }) { clauses.append("\(uniqueKey) asc") }
        return [("sort", clauses.joined(separator: ","))] + parameters
    }
}

/// Solr's counts of values: the facets of its JSON API.
enum SolrFacets {
    /// Returns the parameter `json.facet`.
    ///
    /// With `refine`, a cluster asks every shard for the counts of the values that it returns.
    static func request(for keys: [FacetKey]) -> String {
        let json = JSONWriter.object { writer in
            for (index, key) in keys.enumerated() {
                writer.object("values\(index)") { facet in
                    facet.member("type", "terms")
                    facet.member("field", key.name)
                    facet.member("limit", key.limit)
                    facet.member("missing", true)
                    facet.member("allBuckets", true)
                    facet.member("refine", true)
                }
            }
        }
        return String(decoding: json, as: UTF8.self)
    }

    /// Reads an answer; `nil` if it lacks a count, or if its counts contradict each other.
    static func counts(_ answer: JSONValue, of keys: [FacetKey]) -> FacetCounts? {
        guard let documents = answer["response"]["numFound"].int else { return nil }
        let found = answer["facets"]
        guard found["count"].int == documents else { return nil }
        var facets: [Facet] = []
        for (index, key) in keys.enumerated() {
            // Without documents, Solr returns no facets.
            guard documents > 0 else {
                facets.append(Facet(key: key.name, counts: [], other: 0, missing: 0, accuracy: .exact))
                continue
            }
            let values = found["values\(index)"]
            guard let all = values["allBuckets"]["count"].int, let missing = values["missing"]["count"].int else {
                return nil
            }
            var counts: [Facet.Count] = []
            for bucket in values["buckets"].elements {
                guard let value = value(bucket["val"]), let count = bucket["count"].int else { return nil }
                counts.append(Facet.Count(value, count))
            }
            let other = all - counts.reduce(0) { $0 + $1.documents }
            guard other >= 0, missing >= 0 else { return nil }
            facets.append(Facet(key: key.name, counts: counts, other: other, missing: missing, accuracy: .exact))
        }
        return FacetCounts(documents: documents, facets: facets)
    }

    private static func value(_ value: JSONValue) -> FacetValue? {
        switch value {
        case .string(let text): .text(text)
        case .number(let number): FacetValue(number: number)
        case .bool(let isTrue): .bool(isTrue)
        default: nil
        }
    }
}
