import CollectionSync
import ContentFeeding
import EngineSQLite
import FeedFormats
import Foundation
import TestSupport
import Testing

@testable import ContentDistributor
@testable import EngineDistributor
@testable import FeedJobs

/// The versions of documents accessed through a server: conditions, histories, undo, and copies under a rule.
@Suite(.timeLimit(.minutes(3)))
struct DistributedVersionsTests {
    private static let name: CollectionName = "WebCollection"

    /// Returns the documents with the given IDs in the store behind the server.
    private func stored(_ ids: DocumentID..., in front: Front) async throws -> [String?] {
        let found = try await front.store.collection(named: Self.name).get(ids)
        return ids.map { id in found.first { $0.id == id }.map { String(decoding: $0.json, as: UTF8.self) } }
    }

    // MARK: Conditions

    @Test func `An operation is carried out only on the version that its condition names`() async throws {
        let front = try await Front()
        let engine = try await front.web()
        let versions = try #require(engine.versions)
        _ = await engine.apply(ContentBatch([.add("a", "{\"n\":1}"), .add("b", "{\"n\":1}")]))
        let before = try await versions.versions(at: [DocumentKey("a"), DocumentKey("none"), DocumentKey("b")])
        let (a, b) = (try #require(before[0].document), try #require(before[2].document))
        #expect(before[1] == .absent && a.json == Array("{\"n\":1}".utf8))
        _ = await engine.apply(ContentBatch([.add("b", "{\"n\":2}")], from: 3))
        let batch = ContentBatch(
            [
                ContentOperation.add("a", "{\"n\":3}").only(.unchanged(a.version)),
                ContentOperation.remove("b").only(.unchanged(b.version)),
                ContentOperation.add("c").only(.absent),
            ],
            from: 4
        )
        guard case .results(let results) = await engine.apply(batch), results.count == 3 else {
            Issue.record("the batch has no results")
            return
        }
        #expect(results[0] == .done(.updated) && results[2] == .done(.added))
        guard case .failed(let failure) = results[1] else {
            Issue.record("answered with \(results[1])")
            return
        }
        #expect(failure.code == .versionConflict)
        let again = await engine.apply(ContentBatch([ContentOperation.add("c", "{\"n\":9}").only(.absent)], from: 7))
        #expect(again == .results([.failed(.alreadyExists)]))
        #expect(try await stored("a", "b", in: front) == ["{\"n\":3}", "{\"n\":2}"])
        #expect(try await stored("c", in: front) == ["{}"])
        await front.stop()
    }

    /// The members of bare documents are data of the client, not conditions.
    @Test func `Only envelopes and removals have conditions`() throws {
        let lines = """
            {"id":"a","onVersion":"7"}
            {"schema":"fastctl.document/1","id":"b","onVersion":null,"document":{}}
            {"schema":"fastctl.document/1","id":"c","document":{"onVersion":"7"}}
            {"remove":"d","onVersion":"8"}
            {"remove":"e"}

            """
        let text = OperationText(Array(lines.utf8).span, for: .add, source: "batch", limits: InputLimits())
        #expect(text.rejected == 0)
        let version = WriteCondition.unchanged(DocumentVersion(rawValue: "8"))
        #expect(text.operations.map(\.condition) == [nil, .absent, nil, version, nil])
        let again = OperationText.bytes(of: text.operations)
        #expect(
            OperationText(again.span, for: .add, source: "batch", limits: InputLimits()).operations == text.operations
        )
        let removals = OperationText(
            Array("\"x\"\n{\"remove\":\"d\",\"onVersion\":\"8\"}\n".utf8).span,
            for: .remove,
            source: "batch",
            limits: InputLimits()
        )
        #expect(removals.operations.map(\.condition) == [nil, version])
    }

    // MARK: Undo

    /// Changes three documents and adds one, with a backup, then changes one of them again, and undoes the first
    /// changes.
    private func changeAndUndo(in engine: any CollectionEngine, _ front: Front) async throws -> FeedResult {
        let path = front.folder.path("backup.jsonl")
        let backup = try BackupEngine(engine, for: .add, writingTo: path)
        let operations = [ContentOperation.add("a", "{\"n\":2}"), .remove("b"), .add("c", "{\"n\":2}"), .add("d")]
        let fed = await OperationFeed(engine: backup).run(ChunkList([OperationChunk(operations: operations)]))
        #expect(fed.report.counts.isBalanced && fed.report.counts[.failed] == 0)
        _ = await engine.apply(ContentBatch([.add("c", "{\"n\":3}")], from: 4))

        var dialect = InputDialect()
        dialect.isBackup = true
        let input = try await FeedInput.open([.file(path)], for: .add, format: .jsonLines(), dialect: dialect)
        return await OperationFeed(engine: engine).run(input)
    }

    @Test func `Undo through the server restores only documents that have not changed since`() async throws {
        let front = try await Front()
        let engine = try await front.web()
        _ = await engine.apply(ContentBatch([.add("a", "{\"n\":1}"), .add("b", "{\"n\":1}"), .add("c", "{\"n\":1}")]))
        let undone = try await changeAndUndo(in: engine, front)
        #expect(undone.report.counts[.failed] == 1, "\(undone.report.counts)")
        #expect(try await stored("a", "b", in: front) == ["{\"n\":1}", "{\"n\":1}"])
        #expect(try await stored("c", "d", in: front) == ["{\"n\":3}", nil])
        await front.stop()
    }

    // MARK: Histories

    @Test func `A history is read through the server page by page, exactly as the engine reports it`() async throws {
        let front = try await Front()
        let engine = try await front.web()
        let versions = try #require(engine.versions)
        let direct = try #require(try await front.store.collection(named: Self.name).versions)
        _ = await engine.apply(ContentBatch((0..<1_200).map { .add("d\($0)", "{\"n\":\($0 % 2)}") }))
        _ = await engine.apply(ContentBatch([.remove("d7")], from: 1_201))
        let state = try await versions.state()
        #expect(try await state == direct.state())
        #expect(try await versions.count(of: SearchQuery()) == 1_199)
        let part = try #require(state.parts.first)
        let query = SearchQuery(fields: [.init(name: "n", value: "1")])
        var (place, pages, found) = (CollectionPart.beginning, 0, [VersionedDocument]())
        while true {
            let page = try await versions.changes(of: query, in: part, after: place)
            let same = try await direct.changes(of: query, in: part, after: place)
            #expect(page.documents == same.documents && page.place == same.place && page.isLast == same.isLast)
            found += page.documents
            (place, pages) = (page.place, pages + 1)
            if page.isLast { break }
        }
        #expect(found.count == 599 && pages > 1)
        let ids = found.map(\.id)
        let answers = try await versions.versions(at: (ids + ["d7"]).map { DocumentKey($0) })
        #expect(answers.map(\.document) == found.map { $0 } + [nil])
        await front.stop()
    }

    @Test func `Documents removed through the server are marked as deleted, and do not appear in any history`()
        async throws
    {
        let front = try await Front { settings in
            var rules = CollectionRules()
            rules.keeping.deleted = "deleted"
            settings.collections[Self.name.rawValue] = rules
        }
        let direct = try await front.store.collection(named: Self.name)
        let living = "{\"deleted\":false}"
        _ = await direct.apply(ContentBatch([.add("a", living), .add("b", "{\"deleted\":true}"), .add("c", living)]))
        let engine = try await front.web()
        let versions = try #require(engine.versions)
        let state = try await versions.state()
        #expect(state.contents != nil && state.contents != "3")
        let part = try #require(state.parts.first)
        let page = try await versions.changes(of: SearchQuery(), in: part, after: CollectionPart.beginning)
        #expect(page.documents.map(\.id) == ["a", "c"] && page.isLast)
        let answers = try await versions.versions(at: [DocumentKey("b"), DocumentKey("c")])
        #expect(answers.map { $0.document?.id } == [nil, "c"])
        let removed = await engine.apply(ContentBatch([.remove("a"), .remove("b")], from: 4))
        #expect(removed == .results([.done(.removed), .done(.missing)]))
        #expect(try await stored("a", in: front) == ["{\"deleted\":true}"])
        #expect(try await engine.exists(["a", "b", "c"]) == [false, false, true])
        await front.stop()
    }

    @Test func `Undo restores documents with server-maintained fields`() async throws {
        let front = try await Front { settings in
            var rules = CollectionRules()
            (rules.keeping.version, rules.keeping.deleted) = ("version", "deleted")
            settings.collections[Self.name.rawValue] = rules
        }
        let engine = try await front.web()
        #expect(engine.capabilities.keptKeys == ["version", "deleted"])
        _ = await engine.apply(ContentBatch([.add("a", "{\"n\":1}"), .add("b", "{\"n\":1}"), .add("c", "{\"n\":1}")]))
        let undone = try await changeAndUndo(in: engine, front)
        #expect(undone.report.counts[.failed] == 1, "\(undone.report.counts)")
        func text(_ n: Int, _ version: Int) -> String { "{\"n\":\(n),\"version\":\(version),\"deleted\":false}" }
        #expect(try await stored("a", "b", "c", in: front) == [text(1, 3), text(1, 3), text(3, 3)])
        #expect(try await engine.exists(["d"]) == [false])
        await front.stop()
    }

    @Test func `A replica of a collection with server-maintained fields can push, and pulls the server's version`()
        async throws
    {
        let front = try await Front { settings in
            var rules = CollectionRules()
            (rules.keeping.version, rules.keeping.deleted) = ("version", "deleted")
            settings.collections[Self.name.rawValue] = rules
        }
        let engine = try await front.web()
        _ = await engine.apply(ContentBatch([.add("a", "{\"n\":1}"), .add("b", "{\"n\":1}")]))
        let store = try await SQLiteEngine.create(path: front.folder.path("copy.sqlite"))
        try await store.createCopy("copy", of: CopyOrigin(target: "distributor", collection: Self.name))
        let local = try await store.collection(named: "copy")
        let synced = SyncedCollection(try await store.copy(named: "copy")) { engine }
        #expect(try await synced.pull().changes.added == 2)
        _ = await local.apply(
            ContentBatch([.add("a", "{\"n\":2,\"version\":1}"), .remove("b"), .add("c", "{\"n\":3}")])
        )
        let report = try await synced.pull(conflicts: ConflictPolicy.client)
        #expect(report.push.pushed == 3 && report.push.left == 0 && report.push.failed == 0, "\(report.push)")
        func text(_ n: Int, _ version: Int, _ isDeleted: Bool = false) -> String {
            "{\"n\":\(n),\"version\":\(version),\"deleted\":\(isDeleted)}"
        }
        #expect(try await stored("a", "b", "c", in: front) == [text(2, 2), text(1, 2, true), text(3, 1)])
        _ = try await synced.pull()
        let documents = try await local.find(SearchQuery(), after: nil).documents
        #expect(Set(documents.map { String(decoding: $0.json, as: UTF8.self) }) == [text(2, 2), text(3, 1)])
        await front.stop()
    }

    // MARK: Copies under a rule

    /// Two tenants in one collection, and a copy of the first one's documents.
    @Test func `A tenant's replica contains, pushes and removes only the tenant's own documents`() async throws {
        let front = try await Front { settings in
            var rules = CollectionRules()
            for verb in AccessVerb.allCases { rules.rules[verb] = try AccessRule("user.tenant == document.tenant") }
            settings.collections[Self.name.rawValue] = rules
        }
        let tokens = try AccessTokens(path: front.folder.path("state") + "/access.sqlite")
        let token = try await tokens.create("ann", .user, claims: ["tenant": "a"], at: .seconds(1))
        try front.write(token.secret, to: "ann")
        let all = try await front.store.collection(named: Self.name)
        func own(_ n: Int) -> String { "{\"tenant\":\"a\",\"n\":\(n)}" }
        let foreign = "{\"tenant\":\"b\",\"n\":1}"
        _ = await all.apply(
            ContentBatch([.add("a1", own(1)), .add("a2", own(1)), .add("a3", own(1)), .add("b1", foreign)])
        )
        let engine = try await front.web(token: "ann")
        let versions = try #require(engine.versions)
        let hidden = try await versions.versions(at: [DocumentKey("b1"), DocumentKey("a1")])
        #expect(hidden[0] == .absent && hidden[1].document?.id == "a1")
        #expect(try await versions.count(of: SearchQuery()) == nil)

        let store = try await SQLiteEngine.create(path: front.folder.path("copy.sqlite"))
        try await store.createCopy("copy", of: CopyOrigin(target: "distributor", collection: Self.name))
        let local = try await store.collection(named: "copy")
        let synced = SyncedCollection(try await store.copy(named: "copy")) { engine }
        func texts() async throws -> [String: String] {
            let documents = try await local.find(SearchQuery(), after: nil).documents
            return Dictionary(
                uniqueKeysWithValues: documents.map { ($0.id.text, String(decoding: $0.json, as: UTF8.self)) }
            )
        }
        #expect(try await synced.pull().changes.added == 3)
        #expect(try await texts() == ["a1": own(1), "a2": own(1), "a3": own(1)])

        // A deletion at the origin and one in the copy, a conflict, a new document in the copy, and changes by the
        // other tenant.
        let fact = await all.apply(ContentBatch([.remove("a1"), .add("a2", own(2)), .add("b2", foreign)], from: 5))
        #expect(fact == .results([.done(.removed), .done(.updated), .done(.added)]))
        _ = await local.apply(ContentBatch([.add("a2", own(3)), .remove("a3"), .add("a4", own(4))]))
        let report = try await synced.pull(conflicts: ConflictPolicy.client)
        #expect(report.push.conflicts == 1 && report.push.left == 0 && report.push.failed == 0)
        #expect(try await texts() == ["a2": own(3), "a4": own(4)])
        #expect(try await stored("a2", "a4", in: front) == [own(3), own(4)])
        #expect(try await stored("a1", "a3", in: front) == [nil, nil])
        #expect(try await stored("b1", "b2", in: front) == [foreign, foreign])
        _ = try await synced.purge()
        #expect(try await texts().isEmpty)

        // A condition can't reach another tenant's document or its version, even by guessing.
        let version = try #require(try await all.versions?.versions(at: [DocumentKey("b1")])[0].document?.version)
        let attack = [
            ContentOperation.add("b1", own(9)).only(.unchanged(version)), .add("b2", own(9)).only(.absent),
        ]
        guard case .results(let results) = await engine.apply(ContentBatch(attack, from: 100)) else {
            Issue.record("the batch was refused as a whole")
            return
        }
        for result in results {
            guard case .failed(let failure) = result else {
                Issue.record("answered with \(result)")
                continue
            }
            #expect(failure.isConflict && !failure.message.contains(version.rawValue))
        }
        guard case .failed = await engine.apply(ContentBatch([.add("a5", own(5))], from: 102)),
            case .failed = await engine.apply(
                ContentBatch([ContentOperation.add("x", foreign).only(.absent)], from: 103)
            )
        else {
            Issue.record("a batch was accepted that the rule does not allow")
            return
        }
        #expect(try await stored("b1", "x", in: front) == [foreign, nil])
        await front.stop()
    }
}
