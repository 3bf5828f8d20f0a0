import ContentFeeding
import JSONText
import TestSupport
import Testing

@testable import EngineSolr

/// Sorting and counting use the fields that hold whole values.
@Suite(.timeLimit(.minutes(1)))
struct FieldValueTests {
    private static let fields = [
        "title": #"{"type":"text","indexed":true,"uninvertible":true,"tokenized":true,"docValues":false}"#,
        "sortable": #"{"type":"sortable","indexed":true,"uninvertible":false,"tokenized":true,"docValues":true}"#,
        "bare": #"{"type":"pint","indexed":true,"uninvertible":false,"tokenized":false,"docValues":false}"#,
        "code": #"{"type":"string","indexed":true,"tokenized":false,"docValues":true,"sortMissingLast":true}"#,
    ]

    /// Opens a collection with these fields, and one answer to every search.
    private func collection(_ answer: String = "{}") async throws -> any CollectionEngine {
        let server = try SpeakingServer { target, _ in
            for (name, field) in Self.fields where target.contains("/schema/fields/\(name)?") {
                return SpeakingServer.Answer(body: #"{"responseHeader":{"status":0},"field":\#(field)}"#)
            }
            if target.contains("/schema/fields/none") {
                let body = #"{"responseHeader":{"status":404},"error":{"msg":"No such path","code":404}}"#
                return SpeakingServer.Answer(status: 404, body: body)
            }
            return target.hasPrefix("/c/select")
                ? SpeakingServer.Answer(body: answer) : SpeakingServer.known(target, isThere: true)
        }
        return try await server.open().collection(named: "c")
    }

    @Test(arguments: [
        ("title", "divides into words"), ("bare", "neither docValues nor an index"), ("none", "no such field"),
    ])
    func `A key without whole values is refused`(key: String, reason: String) async throws {
        let collection = try await collection()
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

    @Test func `Text with docValues is sorted, but its words are not counted`() async throws {
        let empty = #"{"responseHeader":{"status":0},"response":{"numFound":0,"docs":[]},"nextCursorMark":"*"}"#
        let collection = try await collection(empty)
        var query = SearchQuery()
        query.order = [SortKey("sortable")]
        #expect(try await collection.find(query, after: nil).documents.isEmpty)
        let error = await #expect(throws: EngineError.self) {
            _ = try await collection.facets([FacetKey("sortable")], of: SearchQuery())
        }
        #expect(error?.code == .unsupported)
    }

    @Test func `A condition that Solr only approximates has no counts`() async throws {
        let collection = try await collection()
        let query = SearchQuery(fields: [.init(name: "title", value: "a b")])
        let error = await #expect(throws: EngineError.self) {
            _ = try await collection.facets([FacetKey("code")], of: query)
        }
        #expect(error?.code == .unsupported && error?.message.contains("whole value") == true)
    }

    @Test func `Documents without a value come last in either direction`() {
        let order = [
            SortField(SortKey("a_i", isDescending: true), putsMissingLast: false),
            SortField(SortKey("b_s"), putsMissingLast: true),
        ]
        let parameters = SortField.parameters(order, uniqueKey: "id")
        #expect(
            parameters.map { "\($0.name)=\($0.value)" } == [
                "sort=if(exists(query($fastctl.sort0)),0,1) asc,a_i desc,b_s asc,id asc",
                "fastctl.sort0={!lucene}a_i:[* TO *]",
            ]
        )
        let byID = SortField.parameters([SortField(SortKey("id"), putsMissingLast: true)], uniqueKey: "id")
        #expect(byID.map(\.value) == ["id asc"])
    }

    private static func answer(_ buckets: String, all: Int, count: Int = 9) -> String {
        #"{"response":{"numFound":9,"docs":[]},"facets":{"count":\#(count),"values0":{"buckets":[\#(buckets)],"#
            + #""allBuckets":{"count":\#(all)},"missing":{"count":2}}}}"#
    }

    private func counts(_ answer: String) throws -> FacetCounts? {
        SolrFacets.counts(try JSONValue(Array(answer.utf8)), of: [FacetKey("code")])
    }

    @Test func `Values keep their types, and the rest is counted`() throws {
        let buckets = #"{"val":"a","count":3},{"val":7.0,"count":2},{"val":true,"count":1}"#
        let facet = try #require(try counts(Self.answer(buckets, all: 7))?.facets.first)
        #expect(facet.counts.map(\.value) == [.text("a"), .number("7"), .bool(true)])
        #expect(facet.other == 1 && facet.missing == 2 && facet.accuracy == .exact)
    }

    @Test(arguments: [answer("", all: 1, count: 8), answer(#"{"val":"a","count":3}"#, all: 2), "{}"])
    func `Counts that contradict each other are not used`(answer: String) throws {
        #expect(try counts(answer) == nil)
    }
}
