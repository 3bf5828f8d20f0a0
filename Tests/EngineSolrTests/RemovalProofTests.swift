import ContentFeeding
import JSONText
import Synchronization
import TestSupport
import Testing

@testable import EngineSolr

/// Removals without questions, once it is proved that these are unnecessary.
@Suite(.timeLimit(.minutes(1)))
struct RemovalProofTests {
    private typealias Answer = SpeakingServer.Answer

    private static let success = #"{"responseHeader":{"status":0}"#
    private static let flat = #"{"roots":[],"ids":[]}"#

    private static func json(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.append(jsonString: text.utf8.span)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The requests to a core, by their kind.
    private final class Record: Sendable {
        private let kinds = Mutex<[String]>([])
        var all: [String] { kinds.withLock { $0 } }
        func note(_ kind: String) { kinds.withLock { $0.append(kind) } }
        func forget() { kinds.withLock { $0 = [] } }
    }

    /// A standalone core in which all documents exist except `missing`.
    private struct Core: Sendable {
        private let start = RemovalProofTests.success
        var checksMissing = true
        var missing: String?
        /// The answer to the census: the number of documents that are roots, of 5,000, and the repeated roots and IDs.
        var named = 5_000
        var repeated = RemovalProofTests.flat
        var enforcesConditions = true
        /// The reason for refusing a batch; `nil` for Solr's own.
        var reason: String?
        /// Whether a missing document is an error of its own in a successful reply.
        var toleratesErrors = false

        func open(_ record: Record) async throws -> any CollectionEngine {
            let server = try SpeakingServer { target, body in
                if target.hasPrefix("/c/update") { return update(body, record) }
                if target.hasPrefix("/c/get") {
                    record.note("get")
                    let ids = body.split(separator: "&").map { $0.dropFirst(3) }.filter { $0 != missing ?? "" }
                    let documents = ids.map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
                    let count = #""numFound":\#(ids.count)"#
                    return Answer(body: start + #","response":{\#(count),"docs":[\#(documents)]}}"#)
                }
                if target.hasPrefix("/c/schema/fields?fl=") {
                    return Answer(body: start + #","fields":[{"name":"_root_","type":"string"}]}"#)
                }
                guard target.hasPrefix("/c/select") else { return SpeakingServer.known(target, isThere: true) }
                return select(body, record)
            }
            return try await server.open(checksMissing: checksMissing).collection(named: "c")
        }

        private func select(_ body: String, _ record: Record) -> Answer {
            if body.contains("facet=true") {
                record.note("census")
                let facets = #"{"facet_queries":{"named":\#(named)},"facet_fields":\#(repeated)}"#
                return Answer(body: start + #","response":{"numFound":5000,"docs":[]},"facet_counts":\#(facets)}"#)
            }
            if body.contains("q=*%3A*") || body.contains("q=%2A%3A%2A") {
                return Answer(body: start + #","response":{"numFound":5000,"docs":[]}}"#)
            }
            record.note("nested")
            return Answer(body: start + #","response":{"numFound":0,"docs":[]}}"#)
        }

        private func update(_ body: String, _ record: Record) -> Answer {
            if let id = body.split(separator: "\"").first(where: { $0.hasPrefix("fastctl-") }) {
                record.note("test")
                return enforcesConditions
                    ? conflict("version conflict for \(id) expected=1 actual=-1") : Answer(body: start + "}")
            }
            let isConditional = body.contains(#""_version_":1"#)
            record.note(isConditional ? "conditional" : "plain")
            if isConditional, let missing, body.utf8.contains(RemovalProofTests.json(missing).utf8) {
                if toleratesErrors {
                    let error = #"{"type":"DELID","id":"\#(missing)","message":"version conflict"}"#
                    return Answer(body: #"{"responseHeader":{"status":0,"errors":[\#(error)]}}"#)
                }
                return conflict(reason ?? "version conflict for \(missing) expected=1 actual=-1")
            }
            return Answer(body: start + "}")
        }

        private func conflict(_ reason: String) -> Answer {
            let message = RemovalProofTests.json(reason)
            let error = #"{"msg":\#(message),"code":409}"#
            return Answer(status: 409, body: #"{"responseHeader":{"status":409},"error":\#(error)}"#)
        }
    }

    private func remove(_ numbers: Range<Int>, from collection: any CollectionEngine) async -> BatchReply {
        let items = numbers.map {
            ContentBatch.Item(
                id: OperationID(rawValue: UInt64($0)),
                operation: .remove(DocumentID(stringLiteral: "d\($0)"))
            )
        }
        return await collection.apply(ContentBatch(id: BatchID(rawValue: 1), items: items))
    }

    private func all(_ outcome: OperationResult, _ count: Int) -> [OperationResult] {
        Array(repeating: outcome, count: count)
    }

    private static let removed = OperationResult.done(.removed)

    @Test func `After the proofs, existing documents are removed with one request for each batch`() async throws {
        let record = Record()
        let collection = try await Core().open(record)
        #expect(await remove(1..<1_001, from: collection) == .results(all(Self.removed, 1_000)))
        #expect(record.all == ["get", "nested", "plain"])
        record.forget()
        #expect(await remove(1_001..<2_001, from: collection) == .results(all(Self.removed, 1_000)))
        #expect(record.all == ["get", "nested", "plain", "census", "test"])
        record.forget()
        #expect(await remove(2_001..<3_001, from: collection) == .results(all(Self.removed, 1_000)))
        #expect(await remove(3_001..<3_002, from: collection) == .results([Self.removed]))
        #expect(record.all == ["conditional", "conditional"])
    }

    @Test func `A missing document ends the conditional batch, and the rest is looked up`() async throws {
        let record = Record()
        let collection = try await Core(missing: "d2501").open(record)
        _ = await remove(1..<2_001, from: collection)
        record.forget()
        var expected = all(Self.removed, 1_000)
        expected[500] = .done(.missing)
        #expect(await remove(2_001..<3_001, from: collection) == .results(expected))
        #expect(record.all == ["conditional", "get", "plain"])
    }

    @Test func `A batch with a missing document is looked up, and so is the next one`() async throws {
        let record = Record()
        let collection = try await Core(missing: "d2000").open(record)
        _ = await remove(1..<2_001, from: collection)
        record.forget()
        _ = await remove(2_001..<3_001, from: collection)
        #expect(record.all == ["get", "plain", "test"])
        record.forget()
        _ = await remove(3_001..<4_001, from: collection)
        #expect(record.all == ["conditional"])
    }

    @Test func `A refusal that names no document of the batch leaves its effect unknown`() async throws {
        let reason = "version conflict for other expected=1 actual=-1"
        let record = Record()
        let collection = try await Core(missing: "d2501", reason: reason).open(record)
        _ = await remove(1..<2_001, from: collection)
        guard case .results(let results) = await remove(2_001..<3_001, from: collection) else {
            Issue.record("the batch has no results")
            return
        }
        #expect(results.allSatisfy { if case .unknown = $0 { true } else { false } })
        record.forget()
        _ = await remove(3_001..<4_001, from: collection)
        #expect(record.all == ["get", "plain"], "conditions are not used again")
    }

    /// IDs that contain Solr's own words, or characters that a message might show in another form.
    private static let unusualIDs: [String] = [
        "x y", " x ", "x\ny", "x\r\n", "\t", "\u{1}\u{7F}\u{85}\u{2028}\u{200E}", "\u{FFFF}\u{FFFE}\u{FEFF}",
        "\u{E4}", "a\u{308}", "\u{301}", "\u{20000}\u{1F600}", #""\/"#, "?", "<a>&amp;",
        "a expected=1", "a expected=1 actual=-1", "version conflict for a", "Document not found for update.  id=a",
        "Remote error message: version conflict for a expected=1 actual=-1",
        String(repeating: "x ", count: 16_383),
    ]

    @Test(arguments: unusualIDs)
    func `Of many unusual IDs, the one whose document is missing is recognized`(id: String) async throws {
        let record = Record()
        let collection = try await Core(missing: id).open(record)
        _ = await remove(1..<2_001, from: collection)
        record.forget()
        let ids = Self.unusualIDs.filter { !$0.utf8.elementsEqual(id.utf8) } + [id]
        let items = ids.enumerated().map { number, id in
            ContentBatch.Item(
                id: OperationID(rawValue: UInt64(number + 1)),
                operation: .remove(DocumentID(stringLiteral: id))
            )
        }
        let reply = await collection.apply(ContentBatch(id: BatchID(rawValue: 2), items: items))
        #expect(reply == .results(all(Self.removed, ids.count - 1) + [.done(.missing)]))
        #expect(record.all == ["conditional"])
    }

    /// In a key of numbers, Solr would remove the document 1000, or the document 0.
    @Test(arguments: ["01000", "+1000", "1e3", "1000.0", ".5", "-0", "00"])
    func `A number in another spelling is looked up`(id: String) async throws {
        let record = Record()
        let collection = try await Core(missing: id).open(record)
        _ = await remove(1..<2_001, from: collection)
        record.forget()
        let item = ContentBatch.Item(id: .first, operation: .remove(DocumentID(stringLiteral: id)))
        _ = await collection.apply(ContentBatch(id: BatchID(rawValue: 2), items: [item]))
        #expect(!record.all.contains("conditional"))
    }

    @Test(arguments: ["0", "1000", "-7", "-", "-a", "1.2.3", "99999999999999999999"])
    func `An ID that a key of numbers would keep, or that is not a number, needs no look-up`(id: String) async throws {
        let record = Record()
        let collection = try await Core(missing: "other").open(record)
        _ = await remove(1..<2_001, from: collection)
        record.forget()
        let item = ContentBatch.Item(id: .first, operation: .remove(DocumentID(stringLiteral: id)))
        _ = await collection.apply(ContentBatch(id: BatchID(rawValue: 2), items: [item]))
        #expect(record.all == ["conditional"])
    }

    @Test(arguments: unusualIDs)
    func `A conflict names an unusual ID byte by byte`(id: String) {
        let condition = UnmetCondition("version conflict for \(id) expected=1 actual=-1")
        #expect(condition.map { Array($0.id.text.utf8) } == Array(id.utf8))
        #expect(condition?.isMissing == true)
    }

    @Test func `After the last document of a batch was missing, the next batch is looked up`() async throws {
        let record = Record()
        let collection = try await Core(missing: "d3000").open(record)
        _ = await remove(1..<2_001, from: collection)
        record.forget()
        let expected = all(Self.removed, 999) + [.done(.missing)]
        #expect(await remove(2_001..<3_001, from: collection) == .results(expected))
        #expect(record.all == ["conditional"])
        record.forget()
        _ = await remove(3_001..<4_001, from: collection)
        _ = await remove(4_001..<5_001, from: collection)
        #expect(record.all == ["get", "plain", "conditional"])
    }

    @Test func `After a document was missing, the next batch is looked up even if the rest of its batch existed`()
        async throws
    {
        let record = Record()
        let collection = try await Core(missing: "d2501").open(record)
        _ = await remove(1..<2_001, from: collection)
        _ = await remove(2_001..<3_001, from: collection)
        record.forget()
        _ = await remove(3_001..<4_001, from: collection)
        _ = await remove(4_001..<5_001, from: collection)
        #expect(record.all == ["get", "plain", "conditional"])
    }

    @Test func `After a reply with errors of single documents, conditions are not used again`() async throws {
        let record = Record()
        let collection = try await Core(missing: "d2501", toleratesErrors: true).open(record)
        _ = await remove(1..<2_001, from: collection)
        record.forget()
        guard case .failed(let failure) = await remove(2_001..<3_001, from: collection) else {
            Issue.record("the reply does not show what happened to the batch")
            return
        }
        #expect(failure.kind == .ambiguous)
        #expect(record.all == ["conditional"])
        record.forget()
        _ = await remove(3_001..<4_001, from: collection)
        _ = await remove(4_001..<5_001, from: collection)
        #expect(record.all == ["get", "plain", "get", "plain"])
    }

    @Test func `A Solr that ignores conditions is asked about all documents`() async throws {
        let record = Record()
        let collection = try await Core(enforcesConditions: false).open(record)
        _ = await remove(1..<2_001, from: collection)
        record.forget()
        #expect(await remove(2_001..<3_001, from: collection) == .results(all(Self.removed, 1_000)))
        #expect(record.all == ["get", "plain"])
    }

    /// An orphan, whose root is gone, is not named; a child shares its root; and a child's ID need not be unique.
    @Test(arguments: [
        (4_999, flat), (5_000, #"{"roots":["P",2],"ids":[]}"#), (5_000, #"{"roots":[],"ids":["C",2]}"#),
        (5_000, #"{"roots":[]}"#),
    ])
    func `A collection with nested documents is asked about all documents`(named: Int, repeated: String) async throws {
        let record = Record()
        let collection = try await Core(named: named, repeated: repeated).open(record)
        _ = await remove(1..<2_001, from: collection)
        record.forget()
        _ = await remove(2_001..<3_001, from: collection)
        #expect(record.all == ["get", "nested", "plain"])
    }

    @Test func `Without look-ups, the count alone makes questions unnecessary`() async throws {
        let record = Record()
        let collection = try await Core(checksMissing: false).open(record)
        _ = await remove(1..<2_001, from: collection)
        #expect(record.all == ["nested", "plain", "census"])
        record.forget()
        #expect(await remove(2_001..<3_001, from: collection) == .results(all(.done(.gone), 1_000)))
        #expect(record.all == ["plain"])
    }

    @Test func `Additions are always looked up`() async throws {
        let record = Record()
        let collection = try await Core().open(record)
        _ = await remove(1..<2_001, from: collection)
        record.forget()
        let document = Document(id: "d1", json: Array(#"{"t":"x"}"#.utf8))
        let item = ContentBatch.Item(id: .first, operation: .add(document))
        _ = await collection.apply(ContentBatch(id: BatchID(rawValue: 2), items: [item]))
        #expect(record.all == ["get", "nested", "plain"])
    }

    @Test(arguments: [
        ("version conflict for a expected=1 actual=-1", "a", true),
        ("version conflict for a expected=1 actual=-1883227414385917952", "a", true),
        ("version conflict for a expected=1 actual=5", "a", false),
        ("version conflict for a expected=7 actual=-1", "a", false),
        ("Document not found for update.  id=a\nb", "a\nb", true),
        ("version conflict for a expected=1 actual=-1 expected=1 actual=-1", "a expected=1 actual=-1", true),
        ("version conflict for a\n b  expected=7 actual=8", "a\n b ", false),
        ("Error: Conflict\n\nRemote error message: version conflict for a expected=7 actual=8", "a", false),
        ("version conflict for Remote error message: a expected=7 actual=8", "Remote error message: a", false),
    ])
    func `A conflict names the whole ID, whatever it contains`(message: String, id: String, isMissing: Bool) {
        let condition = UnmetCondition(message)
        #expect(condition?.id.text == id && condition?.isMissing == isMissing)
    }

    @Test(arguments: [
        "version conflict for a expected=1 actual=-", "version conflict for a expected=1", "version conflict for a",
        "version conflict for  expected=1 actual=-1", "version conflict for a expected=1 actual=-1 in c",
        "a version conflict for a expected=1 actual=-1", "",
    ])
    func `Any other message names no document`(message: String) {
        #expect(UnmetCondition(message) == nil)
    }
}
