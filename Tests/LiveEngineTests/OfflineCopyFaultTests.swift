import CollectionSync
import ContentFeeding
import EngineHTTP
import EngineOpenSearch
import EngineSQLite
import Foundation
import TestSupport
import Testing

/// Offline copies of a real engine whose network fails midway, or that fails itself.
@Suite(.needsEngines, .serialized, .timeLimit(.minutes(10)))
struct OfflineCopyFaultTests {
    private static let count = 2_500
    private static let settings = [CollectionSetting(name: "number_of_shards", value: "3")]

    /// An index behind a proxy, and a copy of it.
    private struct Scene {
        let administration: any CollectionAdministration
        let origin: any CollectionEngine
        let proxy: FaultProxy
        let synced: SyncedCollection
        let documents: any CollectionEngine

        func count(_ part: String) async throws -> Int {
            var count = 0
            var cursor: SearchCursor?
            repeat {
                let page = try await documents.find(SearchQuery(), after: cursor)
                count += page.documents.count { String(decoding: $0.json, as: UTF8.self).contains(part) }
                cursor = page.next
            } while cursor != nil
            return count
        }
    }

    private func withScene(_ name: CollectionName, _ body: (Scene) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let server = try await LiveEngine.shared(.openSearch)
        let administration = try await server.openRelative()
        try await administration.withCollection(name, settings: Self.settings) { origin in
            let proxy = try FaultProxy(before: server.urls[0])
            defer { proxy.stop() }
            let store = try await SQLiteEngine.create(path: folder.path("store"))
            try await store.createCopy("copy", of: CopyOrigin(target: administration.target, collection: name))
            var options = ConnectionOptions()
            options.requestTimeout = .seconds(5)
            let node = NodeAddress(scheme: .http, host: "127.0.0.1", port: Int(proxy.port))
            var feed = SyncOptions()
            feed.feed.configuration.giveUpAfter = .seconds(5)
            let synced = SyncedCollection(try await store.copy(named: "copy"), options: feed) { [options] in
                try await OpenSearchEngine.open(.openSearch, at: [node], options: options).collection(named: name)
            }
            try await body(
                Scene(
                    administration: administration,
                    origin: origin,
                    proxy: proxy,
                    synced: synced,
                    documents: try await store.collection(named: "copy")
                )
            )
        }
    }

    private func fill(_ origin: any CollectionEngine, _ value: Int) async throws {
        for start in stride(from: 0, to: Self.count, by: 500) {
            _ = await origin.reply(
                to: try (start..<start + 500).map { .add(try document("d\($0)", #"{"v":\#(value)}"#)) }
            )
        }
    }

    /// Returns the requests for pages of a shard, from the second page of a pull on, as a condition for the proxy.
    private static func fromSecondPage(_ fault: Fault) -> FaultPlan {
        FaultPlan(on: .path("preference=_shards")) { $0 == 0 ? .pass : fault }
    }

    static let faults: [Fault] = [
        .edit(
            .json("a shard failed") { page in
                page["_shards"] = ["total": 1, "successful": 0, "failed": 1, "failures": [["reason": ["reason": "r"]]]]
                page["hits"] = ["hits": [Any]()]
            }
        ),
        .edit(
            .json("no shard was asked") { page in
                page["_shards"] = ["total": 0, "successful": 0, "failed": 0]
                page["hits"] = ["hits": [Any]()]
            }
        ),
        .edit(
            .json("a part of the page in time") { page in
                page["timed_out"] = true
                if var hits = page["hits"] as? [String: Any] {
                    hits["hits"] = [Any]()
                    page["hits"] = hits
                }
            }
        ),
        .truncateReply(after: 2_000), .breakReply(after: 2_000), .resetBeforeServer,
        .answer(.page(502)), .answer(.json(200, "{}")),
    ]

    @Test(arguments: faults)
    func `A pull that loses a page removes nothing, keeps the documents it read, and resumes at that page`(
        fault: Fault
    ) async throws {
        try await withScene("copy-page") { scene in
            try await fill(scene.origin, 0)
            try await scene.synced.pull()
            try await fill(scene.origin, 1)
            _ = await scene.origin.reply(to: [.remove("d0"), .remove("d1")])

            scene.proxy.plan = Self.fromSecondPage(fault)
            let error = await #expect(throws: EngineError.self) { try await scene.synced.pull() }
            #expect([.unreachable, .unusable].contains(error?.code), "\(fault): \(String(describing: error))")
            #expect(try await scene.documents.count() == Self.count)
            let read = try await scene.count(#""v":1"#)
            #expect(read > 0 && read < Self.count)

            scene.proxy.plan = .none
            let report = try await scene.synced.pull()
            #expect(report.changes.updated == Self.count - 2 - read && report.changes.removed == 2)
            #expect(try await scene.count(#""v":1"#) == Self.count - 2)
            #expect(try await scene.synced.pull().isUnchanged)
            print("\(fault): \(read) read before it, \(error?.message ?? "")")
        }
    }

    @Test(arguments: [false, true])
    func `If an index is re-created during a pull, nothing is removed`(hasDocument: Bool) async throws {
        try await withScene("copy-anew-midway") { scene in
            try await fill(scene.origin, 0)
            try await scene.synced.pull()
            try await fill(scene.origin, 1)
            _ = await scene.origin.reply(to: [.remove("d0")])

            let index = try await LiveEngine.shared(.openSearch).urls[0] + "/copy-anew-midway"
            let anew = ReplyEdit("created anew") { _ in
                let body = #"{"settings":{"number_of_shards":3}}"#
                let put = "curl -sf -X PUT -H 'Content-Type: application/json' -d '\(body)' '\(index)'"
                _ = system("curl -sf -X DELETE '\(index)' >/dev/null && \(put) >/dev/null")
                guard hasDocument else { return }
                let post = "curl -sf -X POST -H 'Content-Type: application/json' -d '{}'"
                _ = system("\(post) '\(index)/_doc/new?refresh=true' >/dev/null")
            }
            scene.proxy.plan = .sequence([.pass, .edit(anew)], on: .path("preference=_shards"))
            let error = await #expect(throws: SyncError.self) { try await scene.synced.pull() }
            #expect(error?.code == .otherOrigin)
            #expect(try await scene.documents.count() == Self.count)
            let again = await #expect(throws: SyncError.self) { try await scene.synced.pull() }
            #expect(again?.code == .otherOrigin)
        }
    }

    private static let refusal = #"""
        {"took":1,"errors":true,"items":[{"index":{"_index":"copy-refused","_id":"a","status":409,
        "error":{"type":"version_conflict_engine_exception","reason":"[a]: version conflict"}}}]}
        """#

    /// Bulk requests that the engine does not see, with responses that no engine should send: a conflict, or the
    /// refusal of a gateway.
    @Test(arguments: [ProxiedReply.json(200, refusal), .json(412, #"{"error":"Precondition Failed"}"#)])
    func `A push ends if a server keeps refusing, and the operation stays queued`(reply: ProxiedReply) async throws {
        try await withScene("copy-refused") { scene in
            _ = await scene.origin.reply(to: [.add(try document("a", #"{"v":0}"#))])
            try await scene.synced.pull()
            _ = await scene.documents.reply(to: [.update(try document("a", #"{"v":1}"#))])
            scene.proxy.plan = .always(.answer(reply), on: .path("_bulk"))
            for policy in ConflictPolicy.allCases {
                let report = try await scene.synced.push(conflicts: policy)
                #expect(report.left == 1 && report.pushed == 0 && report.conflicts == 0)
                #expect(report.failed == 1 || report.end != nil)
                print("\(reply.status), \(policy): \(report)")
            }
            scene.proxy.plan = .none
            #expect(try await scene.synced.push().pushed == 1)
            #expect(try await scene.origin.get(["a"]).first?.version == 2)
        }
    }

    @Test func `A change that was carried out but reported as a conflict is not sent again`() async throws {
        try await withScene("copy-lied") { scene in
            _ = await scene.origin.reply(to: [.add(try document("a", #"{"v":0}"#))])
            try await scene.synced.pull()
            _ = await scene.documents.reply(to: [.update(try document("a", #"{"v":1}"#))])
            let lie = Self.refusal.replacing("copy-refused", with: "copy-lied")
            scene.proxy.plan = .always(.answerAfterServer(.json(200, lie)), on: .path("_bulk"))
            let report = try await scene.synced.push()
            #expect(report.pushed == 1 && report.left == 0)
            #expect(try await scene.origin.get(["a"]).first?.version == 2)
        }
    }
}
