import ContentFeeding
import EngineHTTP
import EngineSolr
import Foundation
import TestSupport
import Testing

/// The rights in `Documentation/Reference/Rights.md`, tested with Solr's rule-based authorization: the rights in a row
/// are sufficient, and each of them is needed.
@Suite(.needsEngines, .serialized, .timeLimit(.minutes(5)))
struct SolrRightsTests {
    /// The operation, with or without a lookup before it.
    struct Row: Sendable, CustomTestStringConvertible {
        let kind: ContentOperation.Kind
        var checksMissing = true
        let permissions: [String]

        static let all = [
            Row(kind: .remove, checksMissing: false, permissions: ["update"]),
            Row(kind: .remove, permissions: ["update", "read"]),
            Row(kind: .add, permissions: ["update", "read"]),
            Row(kind: .update, permissions: ["update", "read"]),
        ]

        var testDescription: String { checksMissing ? kind.rawValue : "\(kind.rawValue) without a look-up" }

        var operation: ContentOperation {
            get throws {
                let change = try document("A", #"{"n_i":\#(Int.random(in: 0..<1_000_000))}"#)
                return switch kind {
                case .remove: .remove("A")
                case .add: .add(change)
                case .update: .update(change)
                }
            }
        }
    }

    private static let collection: CollectionName = "solr-rights"

    /// A Solr with sign-in and TLS, whose permissions only this suite changes.
    private static let solr = Task { try await SecureSolr(.shared(.solr, secure: true)) }

    @Test func `Each user can do what their permissions allow`() async throws {
        let folder = try TemporaryFolder()
        let solr = try await Self.solr.value
        try await solr.restorePermissions(in: folder)
        let administration = try await solr.open("admin:Admin-pass-1", in: folder)
        try await administration.create("solr-users", settings: SolrLive.Kind.standalone.settings)

        // A user who may feed has access to everything about documents, but to nothing about the operation of Solr.
        let feeding = try await solr.open("feeder:Feeder-pass-1", in: folder)
        let fed = try await feeding.collection(named: "solr-users")
        #expect(await fed.reply(to: [.add(try document("a", "{}"))]) == .results([.done(.added)]))
        #expect(await fed.reply(to: [.remove("b")]) == .results([.done(.missing)]))
        await #expect { _ = try await feeding.list() } throws: { ($0 as? EngineError)?.code == .permission }
        // To these users, Solr reports a missing collection as forbidden, so only the first batch shows that it is
        // missing.
        let absent = try await feeding.collection(named: "solr-user")
        for operation in [ContentOperation.remove("a"), .add(try document("a", "{}"))] {
            guard case .failed(let failure) = await absent.reply(to: [operation]) else {
                Issue.record("a collection that is not there answered")
                continue
            }
            #expect([.stop(.permission), .stop(.missingCollection)].contains(failure.kind), "\(failure)")
        }

        // For a user who may only read, a document is never reported as missing.
        let reading = try await solr.open("reader:Reader-pass-1", in: folder)
        let read = try await reading.collection(named: "solr-users")
        #expect(try await read.exists(["a", "b"]) == [true, false])
        for id: DocumentID in ["a", "b"] {
            guard case .failed(let failure) = await read.reply(to: [.remove(id)]) else {
                Issue.record("a reader's removal was answered")
                continue
            }
            #expect(failure.kind == .stop(.permission))
        }
        #expect(try await read.exists(["a"]) == [true])

        let error = await #expect(throws: EngineError.self) {
            _ = try await solr.open("reader:wrong", in: folder)
        }
        #expect(error?.code == .permission)
        #expect(try await administration.delete("solr-users") == 1)
    }

    @Test(arguments: Row.all)
    func `The rights in each row are sufficient, and each of them is needed`(row: Row) async throws {
        let solr = try await Self.solr.value
        let folder = try TemporaryFolder()
        try await solr.load(Self.collection, in: folder)
        for place in row.permissions.indices {
            var lesser = row.permissions
            lesser.remove(at: place)
            guard let refusal = try await solr.reply(to: row, lesser, Self.collection, in: folder) else { continue }
            guard case .failed(let failure) = refusal else {
                Issue.record("\(lesser) is enough to \(row.testDescription): \(refusal)")
                continue
            }
            #expect(failure.kind == .stop(.permission), "\(lesser)")
        }
        let expected: Outcome =
            switch row.kind {
            case .remove: row.checksMissing ? .removed : .gone
            case .add, .update: .updated
            }
        let reply = try await solr.reply(to: row, row.permissions, Self.collection, in: folder)
        #expect(reply == .results([.done(expected)]))
    }

    @Test func `Missing rights to read are reported`() async throws {
        let solr = try await Self.solr.value
        let folder = try TemporaryFolder()
        try await solr.load(Self.collection, in: folder)
        let blind = try await solr.open(with: ["update"], in: folder).collection(named: Self.collection)
        #expect(blind.unseen(by: FeedIntent(.remove))?.contains("nested documents") == true)
        let reader = try await solr.open(with: ["read"], in: folder).collection(named: Self.collection)
        #expect(reader.unseen(by: FeedIntent(.remove)) == nil)
        #expect(try await reader.count() == 1)
        #expect(await reader.countReservation()?.contains("may not commit") == true)
        // For a user who may list collections, a missing collection is detected when it is opened; for others, only the
        // first batch shows that it is missing.
        let missing: CollectionName = "solr-rights-none"
        let asking = try await solr.open(with: ["read", "config-read", "core-admin-read"], in: folder)
        let error = await #expect(throws: EngineError.self) { _ = try await asking.collection(named: missing) }
        #expect(error?.code == .missingCollection)
    }
}

/// Solr with users and permissions, and requests as its administrator.
private struct SecureSolr {
    private let engine: LiveEngine

    init(_ engine: LiveEngine) { self.engine = engine }

    /// Fills the collection with one document.
    func load(_ name: CollectionName, in folder: TemporaryFolder) async throws {
        let administration = try await open("admin:Admin-pass-1", in: folder)
        _ = try? await administration.delete(name)
        try await administration.create(name, settings: SolrLive.Kind.standalone.settings)
        try await administration.collection(named: name).load(["A"])
    }

    /// Returns the reply to a row's operation of a user with these permissions; `nil` if the collection can't be
    /// opened.
    func reply(
        to row: SolrRightsTests.Row,
        _ permissions: [String],
        _ name: CollectionName,
        in folder: TemporaryFolder
    ) async throws -> BatchReply? {
        let administration = try await open(with: permissions, checksMissing: row.checksMissing, in: folder)
        do {
            let collection = try await administration.collection(named: name)
            try await collection.check(FeedIntent(row.kind))
            return await collection.reply(to: [try row.operation])
        } catch let error as EngineError where error.code == .permission {
            return nil
        }
    }

    /// Opens Solr as a new user with these of Solr's predefined permissions.
    func open(
        with permissions: [String],
        checksMissing: Bool = true,
        in folder: TemporaryFolder
    ) async throws -> any CollectionAdministration {
        let user = "u" + UUID().uuidString
        let password = "Rights-" + UUID().uuidString
        let admin = try await EngineConnection(
            to: engine.solrNodes,
            options: try options("admin:Admin-pass-1", in: folder)
        )
        try await post(#"{"set-user":{"\#(user)":"\#(password)"}}"#, to: "authentication", admin)
        try await post(#"{"set-user-role":{"\#(user)":["\#(user)"]}}"#, to: "authorization", admin)
        for permission in permissions {
            let rule = #"{"name":"\#(permission)","role":["admin","\#(user)"],"before":1}"#
            try await post(#"{"set-permission":\#(rule)}"#, to: "authorization", admin)
        }
        return try await open("\(user):\(password)", checksMissing: checksMissing, in: folder)
    }

    func open(
        _ credentials: String,
        checksMissing: Bool = true,
        in folder: TemporaryFolder
    ) async throws -> any CollectionAdministration {
        var use = SolrEngine.Options()
        use.checksMissing = checksMissing
        let options = try options(credentials, in: folder)
        return try await SolrEngine.open(at: engine.solrNodes, options: use, connection: options)
    }

    /// Gives every user their initial permissions, regardless of those that other tests have added.
    func restorePermissions(in folder: TemporaryFolder) async throws {
        let options = try options("admin:Admin-pass-1", in: folder)
        let admin = try await EngineConnection(to: engine.solrNodes, options: options)
        let rules = [("update", #"["admin","feeder"]"#), ("read", #"["admin","feeder","reader"]"#)]
        for (permission, roles) in rules {
            let rule = #"{"name":"\#(permission)","role":\#(roles),"before":1}"#
            try await post(#"{"set-permission":\#(rule)}"#, to: "authorization", admin)
        }
    }

    private func post(_ json: String, to place: String, _ admin: EngineConnection) async throws {
        let reply = try await admin.send(EngineRequest(.post, EnginePath("admin", place), body: Array(json.utf8)))
        try #require(reply.isSuccess, "\(json): \(String(decoding: reply.body, as: UTF8.self))")
    }

    private func options(_ credentials: String, in folder: TemporaryFolder) throws -> ConnectionOptions {
        var options = try engine.connection(as: credentials, in: folder)
        options.compressesRequests = false
        return options
    }
}
