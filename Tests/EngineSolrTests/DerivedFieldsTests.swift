import ContentFeeding
import EngineHTTP
import JSONText
import Synchronization
import TestSupport
import Testing

@testable import EngineSolr

/// Fields that Solr has filled from others.
@Suite(.timeLimit(.minutes(1)))
struct DerivedFieldsTests {
    private typealias Answer = SpeakingServer.Answer

    private static let copies = #"""
        [{"source":"title","dest":"all"},{"source":"body_*","dest":"all"},{"source":"*_t","dest":"text"},
        {"source":"*_i","dest":"*_s"},{"source":"price","dest":"*_c"},{"source":"*","dest":"_text_"}]
        """#

    private static func fed(_ json: String) throws -> (json: String, targets: Set<String>) {
        let rules = CopyRules(try JSONValue(Array(#"{"copyFields":\#(copies)}"#.utf8)))
        var targets: Set<String> = []
        let fed = rules.fed(Array(json.utf8), except: "id", &targets)
        return (String(decoding: fed, as: UTF8.self), targets)
    }

    @Test(arguments: [
        (#"{"id":"1","title":"t","all":["t"]}"#, #"{"id":"1","title":"t"}"#, ["all"]),
        (#"{"id":"1","body_de":"t","all":["t"]}"#, #"{"id":"1","body_de":"t"}"#, ["all"]),
        (#"{"id":"1","a_t":"t","text":"t"}"#, #"{"id":"1","a_t":"t"}"#, ["text"]),
        (#"{"id":"1","n_i":1,"n_s":"1","m_s":"2"}"#, #"{"id":"1","n_i":1,"m_s":"2"}"#, ["*_s"]),
        (#"{"id":"1","price":1,"x_c":"1"}"#, #"{"id":"1","price":1}"#, ["*_c"]),
        (#"{"id":"1","_text_":["1"]}"#, #"{"id":"1"}"#, ["_text_"]),
    ])
    func `A field that Solr fills from another field of the document is omitted`(
        json: String,
        left: String,
        targets: [String]
    ) throws {
        let fed = try Self.fed(json)
        #expect(fed.json == left)
        #expect(fed.targets == Set(targets))
    }

    @Test(arguments: [
        #"{"id":"1","all":["fed itself"]}"#, #"{"id":"1","text":"no source"}"#, #"{"id":"1","x_c":"1"}"#,
        #"{ "id": "1", "titles": "t", "allx": 1 }"#, "{}",
    ])
    func `A field that Solr does not fill from another field of the document is kept`(json: String) throws {
        let fed = try Self.fed(json)
        #expect(fed.json == json)
        #expect(fed.targets.isEmpty)
    }

    /// Returns a Solr with one document, and the remarks about it.
    private func collection(
        copies: Answer
    ) async throws -> (collection: any CollectionEngine, remarks: @Sendable () -> [String]) {
        let document = #"{"id":"a","title":["one"],"all":["one"],"_version_":5}"#
        let page = #"{"responseHeader":{"status":0},"response":{"numFound":1,"docs":[\#(document)]}"#
        let server = try SpeakingServer { target, _ in
            if target.contains("/schema/copyfields") { return copies }
            if target.contains("/select") { return Answer(body: page + #","nextCursorMark":"*"}"#) }
            if target.contains("getFingerprint") {
                let fingerprint =
                    #"{"maxVersionEncountered":5,"versionsHash":1,"numDocs":1,"numVersions":1}"#
                return Answer(body: #"{"responseHeader":{"status":0},"fingerprint":\#(fingerprint)}"#)
            }
            if target.hasPrefix("/c/get") { return Answer(body: page + "}") }
            return SpeakingServer.known(target, isThere: true)
        }
        let remarks = Remarks()
        let engine = try await SolrEngine.open(at: [server.node], remark: remarks.add)
        return (try await engine.collection(named: "c"), { withExtendedLifetime(server) { remarks.all } })
    }

    private final class Remarks: Sendable {
        private let kept = Mutex<[String]>([])
        func add(_ remark: String) { kept.withLock { $0.append(remark) } }
        var all: [String] { kept.withLock { $0 } }
    }

    private static let all = #"{"responseHeader":{"status":0},"copyFields":[{"source":"title","dest":"all"}]}"#

    @Test func `Every way of reading a document omits a derived field, and reports it once`() async throws {
        let (collection, remarks) = try await collection(copies: Answer(body: Self.all))
        let versioned = try #require(collection.versions)
        let part = CollectionPart(name: "c", history: "", last: 5, readable: 5, settled: 5)
        let changes = try await versioned.changes(of: SearchQuery(), in: part, after: CollectionPart.beginning)
        var found = changes.documents.map(\.json)
        found += try await collection.find(SearchQuery(), after: nil).documents.map(\.json)
        found += try await collection.get(["a"]).map(\.json)
        found += try await collection.copies(at: [DocumentKey("a")], maximumBytes: .max).documents.map(\.json)
        found += try await versioned.versions(at: [DocumentKey("a")]).compactMap { $0.document?.json }
        #expect(
            found.map { String(decoding: $0, as: UTF8.self) }
                == Array(repeating: #"{"id":"a","title":["one"]}"#, count: 5)
        )
        #expect(
            remarks() == [
                "the documents of 'c' are read without the fields that Solr fills from others (copyField): all"
            ]
        )
    }

    @Test func `A user without access to the schema is informed that the field may be included`() async throws {
        let (collection, remarks) = try await collection(copies: SpeakingServer.forbidden)
        for _ in 1...2 {
            let json = try await collection.find(SearchQuery(), after: nil).documents.first?.json
            #expect(json == Array(#"{"id":"a","title":["one"],"all":["one"]}"#.utf8))
        }
        #expect(remarks().count == 1)
        #expect(remarks().first?.contains("these credentials do not show its schema") == true)
    }
}
