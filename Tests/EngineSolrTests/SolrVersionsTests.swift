import ContentFeeding
import EngineHTTP
import TestSupport
import Testing

@testable import EngineSolr

/// A Solr collection as the origin of copies: its reports about its shards, and conditional writes.
@Suite(.timeLimit(.minutes(1)))
struct SolrVersionsTests {
    private typealias Answer = SpeakingServer.Answer

    private static let success = #"{"responseHeader":{"status":0}"#
    private static let version: Int64 = 1_882_625_667_683_581_952

    private static func fingerprint(documents: Int, versions: Int? = nil, last: Int64 = version) -> String {
        #""fingerprint":{"maxVersionEncountered":\#(last),"versionsHash":-5,"numDocs":\#(documents),"#
            + #""numVersions":\#(versions ?? documents)}"#
    }

    private static func shard(_ name: String, state: String = "active", leader: String = "active") -> String {
        #""\#(name)":{"state":"\#(state)","replicas":{"a":{"core":"c_\#(name)_a","state":"active"},"#
            + #""b":{"core":"c_\#(name)_b","state":"\#(leader)","leader":"true"}}}"#
    }

    /// A core, or a cluster with these shards, that returns the same fingerprint and page of documents for each
    /// request.
    private func origin(
        shards: [String] = [],
        fingerprint: String = fingerprint(documents: 2),
        page: String = #""response":{"numFound":0,"docs":[]}"#
    ) async throws -> any VersionedEngine {
        let cluster = shards.joined(separator: ",")
        let server = try SpeakingServer { target, _ in
            if target.contains("CLUSTERSTATUS") {
                let collection =
                    #""c":{"creationTimeMillis":17,"shards":{\#(cluster)},"router":{"name":"compositeId"}}"#
                return Answer(body: Self.success + #","cluster":{"collections":{\#(collection)}}}"#)
            }
            if target.contains("getFingerprint") { return Answer(body: Self.success + ",\(fingerprint)}") }
            if target.contains("/select") { return Answer(body: Self.success + ",\(page)}") }
            guard !cluster.isEmpty else { return SpeakingServer.known(target, isThere: true) }
            if target.hasPrefix("/admin/info/system") {
                return Answer(body: Self.success + #","mode":"solrcloud","lucene":{"solr-spec-version":"9.10.0"}}"#)
            }
            if target.hasPrefix("/admin/collections") { return Answer(body: Self.success + #","collections":["c"]}"#) }
            return SpeakingServer.known(target, isThere: true)
        }
        let collection = try await server.open(checksMissing: true).collection(named: "c")
        return try #require(collection as? any VersionedEngine)
    }

    @Test func `A core's state includes its fingerprint`() async throws {
        let state = try await origin().state()
        let settled = Self.version - 60_000 << 20
        let part = CollectionPart(name: "c", history: "", last: Self.version, readable: Self.version, settled: settled)
        #expect(state == CollectionState(identity: "", parts: [part], contents: "c=2:-5"))
        #expect(!state.isEmpty)
    }

    @Test(arguments: [0, Int64.min, Int64.max])
    func `A core without documents has no last change`(last: Int64) async throws {
        let state = try await origin(fingerprint: Self.fingerprint(documents: 0, last: last)).state()
        #expect(state.isEmpty && state.parts.first?.settled == CollectionPart.beginning)
    }

    @Test func `A cluster's state comes from the leaders of its active shards`() async throws {
        let shards = [
            Self.shard("s1_1"), Self.shard("s1_0"), Self.shard("s1", state: "inactive"),
            Self.shard("s1_2", state: "construction"),
        ]
        let state = try await origin(shards: shards).state()
        #expect(state.parts.map(\.name) == ["s1_0", "s1_1"])
        #expect(state.identity == "c of 17" && state.contents == "s1_0=2:-5 s1_1=2:-5")
    }

    @Test func `A shard without a leader is an error`() async throws {
        let shards = [Self.shard("s1"), Self.shard("s2", leader: "down")]
        let error = await #expect(throws: EngineError.self) { try await origin(shards: shards).state() }
        #expect(error?.code == .unreachable)
        #expect(error?.message.contains("shard s2 of 'c' has no leader") == true)
    }

    @Test(arguments: ["\"fingerprint\":{}", fingerprint(documents: 3, versions: 2)])
    func `A core that does not report every version can't be copied`(fingerprint: String) async throws {
        let error = await #expect(throws: EngineError.self) { try await origin(fingerprint: fingerprint).state() }
        #expect(error?.code == .unsupported)
        #expect(error?.advice?.contains("_version_") == true)
    }

    private func changes(_ page: String) async throws -> ChangePage {
        let origin = try await origin(page: page)
        let part = try #require(try await origin.state().parts.first)
        return try await origin.changes(of: SearchQuery(), in: part, after: CollectionPart.beginning)
    }

    @Test func `A page contains each document with its version`() async throws {
        let docs = #"{"id":"a","t":1,"_version_":5},{"id":"b","_version_":7}"#
        let page = try await changes(#""response":{"numFound":2,"docs":[\#(docs)]}"#)
        #expect(page.isLast && page.place == Self.version)
        #expect(page.documents.map(\.version.rawValue) == ["5", "7"])
        #expect(page.documents.first?.json == Array(#"{"id":"a","t":1}"#.utf8))
    }

    @Test(arguments: [
        #""response":{"numFound":2,"docs":[{"id":"a","_version_":5}]}"#,
        #""response":{"numFound":1,"docs":[]}"#, #""response":{"docs":[]}"#, #""docs":[]"#,
        #""response":{"numFound":1,"docs":[{"id":"a"}]}"#,
    ])
    func `An incomplete page is refused`(page: String) async throws {
        await #expect(throws: EngineError.self) { try await changes(page) }
    }
}

/// Operations that are conditional on a version, as one request.
struct ConditionalBatchTests {
    private let found: [DocumentID: StoredDocument] = [
        "a": StoredDocument(id: "a", version: 7, json: Array("{}".utf8)),
        "b": StoredDocument(id: "b", version: 8, json: Array("{}".utf8)),
    ]

    private func document(_ id: DocumentID) -> Document { Document(id: id, json: Array(#"{"t":1}"#.utf8)) }

    private func unchanged(_ version: String) -> WriteCondition { .unchanged(DocumentVersion(rawValue: version)) }

    private func items(_ operations: [ContentOperation]) -> [ContentBatch.Item] {
        operations.enumerated().map { ContentBatch.Item(id: OperationID(rawValue: UInt64($0) + 1), operation: $1) }
    }

    private func plan(_ operations: [ContentOperation]) -> BatchPlan {
        BatchPlan(
            ContentBatch(id: BatchID(rawValue: 1), items: items(operations)),
            found: found,
            checksMissing: false,
            uniqueKey: "id"
        )
    }

    @Test func `Each command specifies the version for which it was made`() {
        var plan = plan([
            .remove("a").only(unchanged("7")), .add(document("b")).only(unchanged("8")),
            .add(document("c")).only(.absent), .update(document("a")).only(unchanged("7")), .remove("d"),
        ])
        let body = String(decoding: plan.takeBody(), as: UTF8.self)
        #expect(
            body == #"{"delete":{"id":"a","_version_":7},"add":{"doc":{"id":"b","_version_":8,"t":1}},"#
                + #""add":{"doc":{"id":"c","_version_":-1,"t":1}},"#
                + #""add":{"doc":{"id":"a","_version_":7,"t":{"set":1}}},"delete":["d"]}"#
        )
        #expect(
            BatchPlan.lookUps(items([.remove("a").only(unchanged("7")), .remove("d")]), checksMissing: false) == ["a"]
        )
        #expect(BatchPlan.extent(items([.remove("a").only(unchanged("7"))])) == .versions)
    }

    @Test func `Operations on changed documents are not sent`() {
        let plan = plan([
            .remove("a").only(unchanged("6")), .add(document("b")).only(.absent),
            .update(document("c")).only(unchanged("9")), .remove("a").only(.unchanged(.unknown)),
        ])
        #expect(plan.places.isEmpty)
        #expect(
            plan.results == [
                .failed(.versionConflict("the document has version 7, not 6")),
                .failed(.alreadyExists), .failed(.versionConflict("the document is gone")),
                .failed(.versionConflict("the document has version 7, not ?")),
            ]
        )
    }

    @Test func `A change between the lookup and the command is also a conflict`() {
        let operations: [ContentOperation] = [
            .remove("a").only(unchanged("7")), .add(document("b")).only(unchanged("8")), .remove("d"),
        ]
        let reason = "version conflict for b expected=8 actual=9"
        let results = plan(operations).results(afterConflict: reason, of: items(operations), inOrder: true)
        guard case .failed(let failure)? = results?[1], case .notNow? = results?[2] else {
            Issue.record("\(String(describing: results))")
            return
        }
        #expect(failure.code == .versionConflict)
        #expect(results?.first == .done(.gone))
    }
}

/// The documents that Solr names when it refuses a command, among documents whose IDs look the same on one line.
@Suite(.timeLimit(.minutes(1)))
struct NamedDocumentTests {
    private typealias Answer = SpeakingServer.Answer

    /// Commands that Solr carries out only if their documents have not changed.
    enum Kind: CaseIterable {
        case remove, add, update, plainUpdate
    }

    private static let twins: [DocumentID] = ["a b", "a\nb"]

    /// Returns the ID as it is escaped in JSON.
    private static func escaped(_ id: DocumentID) -> String {
        id.text.split(separator: "\n").joined(separator: #"\n"#)
    }

    /// Returns the results of operations on the twins if Solr refuses the command for the one at `place`.
    private func results(
        of operation: (DocumentID) -> ContentOperation,
        refusedAt place: Int,
        status: Int,
        message: (String) -> String,
        exist: Bool = true
    ) async throws -> [OperationResult] {
        let refused = Self.escaped(Self.twins[place])
        let refusal = Answer(
            status: status,
            body: #"{"responseHeader":{"status":\#(status)},"error":{"msg":"\#(message(refused))"}}"#
        )
        let server = try SpeakingServer { target, body in
            if target.hasPrefix("/c/update") {
                return body.contains(#""\#(refused)""#) ? refusal : Answer(body: #"{"responseHeader":{"status":0}}"#)
            }
            guard target.hasPrefix("/c/get") else { return SpeakingServer.known(target, isThere: true) }
            let isOne = body.split(separator: "&").count == 1
            let found = exist ? Self.twins.map { #"{"id":"\#(Self.escaped($0))","_version_":7,"t":0}"# } : []
            if isOne { return Answer(body: #"{"doc":null}"#) }
            let list = #""numFound":\#(found.count),"docs":[\#(found.joined(separator: ","))]"#
            return Answer(body: #"{"response":{\#(list)}}"#)
        }
        let items = Self.twins.enumerated().map {
            ContentBatch.Item(id: OperationID(rawValue: UInt64($0) + 1), operation: operation($1))
        }
        let collection = try await server.open(checksMissing: true).collection(named: "c")
        let reply = await collection.apply(ContentBatch(id: BatchID(rawValue: 1), items: items))
        guard case .results(let results) = reply else {
            Issue.record("the batch has no results: \(reply)")
            return []
        }
        return results
    }

    private func document(_ id: DocumentID) -> Document { Document(id: id, json: Array(#"{"t":1}"#.utf8)) }

    private func operation(_ kind: Kind, on id: DocumentID) -> ContentOperation {
        let condition = WriteCondition.unchanged(DocumentVersion(rawValue: "7"))
        return switch kind {
        case .remove: .remove(id).only(condition)
        case .add: .add(document(id)).only(condition)
        case .update: .update(document(id)).only(condition)
        case .plainUpdate: .update(document(id))
        }
    }

    private func isConflict(_ result: OperationResult, _ kind: Kind) -> Bool {
        switch result {
        case .failed(let failure): failure.code == .versionConflict && kind != .plainUpdate
        case .outdated: kind == .plainUpdate
        case .done, .notNow, .unknown: false
        }
    }

    @Test(arguments: [0, 1], Kind.allCases)
    func `Only the document that changed has a conflict, not the one whose ID looks the same`(
        place: Int,
        kind: Kind
    ) async throws {
        let results = try await results(
            of: { operation(kind, on: $0) },
            refusedAt: place,
            status: 409,
            message: { "version conflict for \($0) expected=7 actual=8" }
        )
        try #require(results.count == 2)
        #expect(isConflict(results[place], kind), "\(results)")
        switch results[1 - place] {
        case .done: #expect(place == 1, "the command after the conflict was not carried out")
        case .notNow: #expect(place == 0, "the command before the conflict was carried out")
        case let other: Issue.record("\(other)")
        }
    }

    @Test(arguments: [0, 1])
    func `Only the rejected document fails, not the one whose ID looks the same`(place: Int) async throws {
        let results = try await results(
            of: { .add(document($0)) },
            refusedAt: place,
            status: 400,
            message: { "ERROR: [doc=\($0)] unknown field 't'" },
            exist: false
        )
        guard results.count == 2, case .failed(let failure) = results[place] else {
            Issue.record("\(results)")
            return
        }
        #expect(failure.message.contains("ERROR: [doc=a b] unknown field 't'"), "the message is shown on one line")
        #expect(results[1 - place] == .done(.added))
    }
}
