import ContentFeeding
import TestSupport
import Testing

@testable import EngineOpenSearch

/// Sorting and counting use the fields that contain whole values.
struct ValueFieldTests {
    private static let fields = """
        {"fields":{"title":{"text":{"aggregatable":false}},"title.keyword":{"keyword":{"aggregatable":true}},\
        "body":{"text":{"aggregatable":false}},"code":{"keyword":{"aggregatable":true}},"year":{"long":{"aggregatable":true}}}}
        """

    /// An engine with a mapping, and the same response to every search in the collection.
    private func engine(_ answer: String = "{}", mapping: String? = nil) async throws -> ScriptedEngine {
        try await ScriptedEngine { line in
            if line.contains("_field_caps") { return (Self.fields, 200) }
            if line.contains("/_mapping/field/") { return mapping.map { ($0, 200) } ?? ("{}", 403) }
            if line.contains("point_in_time") { return (#"{"pit_id":"p:1"}"#, 200) }
            return line.contains("/_search?") ? (answer, 200) : nil
        }
    }

    private func counts(
        _ aggregations: String,
        of key: String = "title",
        shards: String = "1",
        mapping: String? = nil
    ) async throws -> FacetCounts {
        let collection = try await engine(
            #"{"timed_out":false,"_shards":{"total":1,"successful":\#(shards),"skipped":0,"failed":0},"#
                + #""hits":{"total":{"value":9,"relation":"eq"},"hits":[]},"aggregations":{\#(aggregations)}}"#,
            mapping: mapping
        ).collection()
        return try await collection.facets([FacetKey(key, limit: 2)], of: SearchQuery())
    }

    private static func answer(_ buckets: String, error: Int = 0, missing: Int = 3) -> String {
        #""values0":{"doc_count_error_upper_bound":\#(error),"sum_other_doc_count":3,"buckets":[\#(buckets)]},"#
            + #""missing0":{"doc_count":\#(missing)},"long0":{"doc_count":2}"#
    }

    @Test func `Text is sorted by its keyword subfield`() async throws {
        let engine = try await engine(
            #"{"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},"hits":{"hits":[]}}"#
        )
        var query = SearchQuery()
        query.order = [SortKey("title", isDescending: true), SortKey("year")]
        #expect(try await engine.collection().find(query, after: nil).documents.isEmpty)
        let request = try #require(engine.requests("POST /_search?").first)
        #expect(
            request.contains(
                #""sort":[{"title.keyword":{"order":"desc","missing":"_last"}},"#
                    + #"{"year":{"order":"asc","missing":"_last"}},{"_doc":"asc"}]"#
            )
        )
    }

    @Test(arguments: [("body", "text without a keyword subfield"), ("none", "no such field")])
    func `A key whose whole values are not indexed is refused`(key: String, reason: String) async throws {
        let collection = try await engine().collection()
        var query = SearchQuery()
        query.order = [SortKey(key)]
        let sorted = await #expect(throws: EngineError.self) { _ = try await collection.find(query, after: nil) }
        let counted = await #expect(throws: EngineError.self) {
            _ = try await collection.facets([FacetKey(key)], of: SearchQuery())
        }
        for error in [sorted, counted] {
            #expect(error?.code == .unsupported && error?.advice != nil)
            #expect(error?.message.contains("'\(key)'") == true && error?.message.contains(reason) == true)
        }
    }

    @Test func `Values have the type of their field`() async throws {
        let buckets = """
            {"key":"red","doc_count":2},{"key":7.0,"doc_count":1},{"key":1,"key_as_string":"true","doc_count":1},\
            {"key":1709251200000,"key_as_string":"2024-03-01T00:00:00.000Z","doc_count":1}
            """
        let found = try await counts(Self.answer(buckets))
        let values: [FacetValue] = [.text("red"), .number("7"), .bool(true), .text("2024-03-01T00:00:00.000Z")]
        #expect(found.documents == 9 && found.facets.first?.counts.map(\.value) == values)
        // Two of the documents contain text that is too long for the keyword subfield.
        #expect(found.facets.first?.other == 5 && found.facets.first?.missing == 1)
    }

    @Test(
        arguments: [
            (
                #"{"type":"keyword","ignore_above":9}"#,
                Facet.Accuracy.unknown("the index ignores values of more than 9 characters")
            ),
            (#"{"type":"long","ignore_malformed":true}"#, .unknown("the index ignores values of another type")),
            (#"{"type":"keyword"}"#, .exact),
            (nil, .unknown("the mapping that would show whether the index ignores values can't be read")),
        ] as [(String?, Facet.Accuracy)]
    )
    func `A document that appears to have no value may have a value that the index ignores`(
        mapping: String?,
        accuracy: Facet.Accuracy
    ) async throws {
        let reply = mapping.map { #"{"a":{"mappings":{"code":{"full_name":"code","mapping":{"code":\#($0)}}}}}"# }
        let found = try await counts(Self.answer(""), of: "code", mapping: reply)
        #expect(found.facets.first?.accuracy == accuracy)
        #expect(found.facets.first?.other == 3 && found.facets.first?.missing == 3)
        // Without such documents, the mapping is not needed.
        let complete = try await counts(Self.answer("", missing: 0), of: "code", mapping: reply)
        #expect(complete.facets.first?.accuracy == .exact)
    }

    @Test(arguments: [
        (0, Facet.Accuracy.exact), (5, .within(5)), (-1, .unknown("the engine gives no bound for the error")),
    ])
    func `Counts are only as accurate as the engine reports`(error: Int, accuracy: Facet.Accuracy) async throws {
        let found = try await counts(Self.answer(#"{"key":"red","doc_count":2}"#, error: error))
        #expect(found.facets.first?.accuracy == accuracy)
    }

    @Test func `Counts that lack a shard are an error`() async throws {
        await #expect(throws: EngineError.self) { _ = try await counts(Self.answer(""), shards: "0") }
    }

    @Test func `A response without counts is an error`() async throws {
        let error = await #expect(throws: EngineError.self) { _ = try await counts(#""missing0":{"doc_count":1}"#) }
        #expect(error?.code == .unusable)
    }
}
