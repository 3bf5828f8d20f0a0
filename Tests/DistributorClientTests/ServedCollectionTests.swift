import ContentFeeding
import EngineSQLite
import Foundation
import HTTPService
import TestSupport
import Testing

@testable import ContentDistributor
@testable import DistributorClient

/// The client library with a server in this process.
struct ServedCollectionTests {
    /// A server with the collections `Open`, for everyone, and `Tenants`, for users and their own documents.
    private final class Server: Sendable {
        let folder: TemporaryFolder
        let http: HTTPServer
        let tokens: AccessTokens
        private let distributor: ContentDistributor

        init() async throws {
            folder = try TemporaryFolder()
            var settings = DistributorSettings(state: folder.path("state"))
            settings.target = "sqlite:" + folder.path("store.sqlite")
            let verbs = AccessVerb.allCases
            for (name, rule) in [("Open", "everyone"), ("Tenants", "user.tenant == document.tenant")] {
                settings.collections[name] = CollectionRules()
                for verb in verbs { settings.collections[name]?.rules[verb] = try AccessRule(rule) }
            }
            try FileManager.default.createDirectory(atPath: settings.state, withIntermediateDirectories: true)
            let store = try await SQLiteEngine.create(path: folder.path("store.sqlite"))
            for name in settings.collections.keys {
                try await store.create(CollectionName(rawValue: name), settings: [])
            }
            tokens = try AccessTokens(path: settings.state + "/access.sqlite")
            distributor = try await ContentDistributor(settings) { _ in }
            http = try HTTPServer(ServerConfiguration(), router: distributor.router)
        }

        func client(_ tenant: String? = nil) async throws -> DistributorClient {
            guard let tenant else { return try DistributorClient("http://127.0.0.1:\(http.port)/") }
            let token = try await tokens.create("test", .user, claims: ["tenant": tenant], at: .seconds(1)).secret
            return try DistributorClient("http://127.0.0.1:\(http.port)", token: token)
        }

        func end() async {
            await http.shutDown(within: .zero)
            await distributor.drain()
            folder.remove()
        }
    }

    /// Runs a test against a server.
    private func withServer(_ body: (Server) async throws -> Void) async throws {
        let server = try await Server()
        do { try await body(server) } catch {
            await server.end()
            throw error
        }
        await server.end()
    }

    private func json(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test(arguments: ["D1", "a/b?c#d", "...", "% +&=", "\u{e4}\u{1F600}", "\"quoted\""])
    func `Documents with any ID can be written, read, changed and removed`(id: String) async throws {
        try await withServer { server in
            let open = try await server.client().collection("Open")
            #expect(try await open.document(id) == nil)
            #expect(try await open.put(json(#"{"title":"one","n":1}"#), as: id))
            #expect(try await !open.put(json(#"{"title":"two","n":2}"#), as: id))
            try await open.patch(json(#"{"n":null,"more":true}"#), into: id)
            let document = try #require(try await open.document(id))
            #expect(String(decoding: document.json, as: UTF8.self) == #"{"title":"two","more":true}"#)
            #expect(document.id == id)
            #expect(try await open.remove(id))
            #expect(try await !open.remove(id))
        }
    }

    @Test func `A document that has changed is not overwritten, and is included in the refusal`() async throws {
        try await withServer { server in
            let open = try await server.client().collection("Open")
            try await open.put(json(#"{"n":1}"#), as: "D", if: .absent)
            let version = try #require(try await open.document("D")?.version)
            try await open.put(json(#"{"n":2}"#), as: "D", if: .unchanged(version))
            let late = await #expect(throws: DistributorError.self) {
                try await open.put(json(#"{"n":3}"#), as: "D", if: .unchanged(version))
            }
            #expect(late?.status == 412)
            #expect(late?.current.map { String(decoding: $0, as: UTF8.self) } == #"{"n":2}"#)
            #expect(late?.isTemporary == false)
            let taken = await #expect(throws: DistributorError.self) {
                try await open.put(json(#"{"n":3}"#), as: "D", if: .absent)
            }
            #expect(taken?.status == 412)
        }
    }

    @Test func `Pages contain every matching document once, with versions that can be used as conditions`() async throws
    {
        try await withServer { server in
            let tenants = try await server.client("a").collection("Tenants")
            let others = try await server.client("b").collection("Tenants")
            var expected: Set<String> = []
            for number in 1...25 {
                let kind = number.isMultiple(of: 2) ? "even" : "odd"
                let id = try await tenants.insert(json(#"{"tenant":"a","kind":"\#(kind)"}"#))
                if kind == "odd" { expected.insert(id) }
                _ = try await others.insert(json(#"{"tenant":"b","kind":"\#(kind)"}"#))
            }
            var (found, cursor): ([ServedDocument], String?) = ([], nil)
            repeat {
                let page = try await tenants.find(.init(where: ["kind": "odd"]), limit: 4, after: cursor)
                #expect(page.documents.count <= 4 && page.unreadable == 0)
                found += page.documents
                cursor = page.next
            } while cursor != nil
            #expect(found.count == expected.count)
            #expect(Set(found.map(\.id)) == expected)
            #expect(found.allSatisfy { String(decoding: $0.json, as: UTF8.self).contains(#""tenant":"a""#) })
            let first = try #require(found.first)
            let version = try #require(try await tenants.document(first.id)?.version)
            try await tenants.patch(json(#"{"kind":"done"}"#), into: first.id, if: .unchanged(version))
        }
    }

    @Test func `Refusals have the server's code, and documents that a client may not see are reported as missing`()
        async throws
    {
        try await withServer { server in
            let (mine, other) = (try await server.client("a"), try await server.client("b"))
            try await mine.collection("Tenants").put(json(#"{"tenant":"a"}"#), as: "D")
            #expect(try await other.collection("Tenants").document("D") == nil)
            let anonymous = await #expect(throws: DistributorError.self) {
                _ = try await server.client().collection("Tenants").document("D")
            }
            #expect(anonymous?.status == 401)
            #expect(anonymous?.code == "noToken")
            #expect(anonymous?.requestID != nil)
            #expect(try await mine.collections().sorted() == ["Open", "Tenants"])
            let wrong = await #expect(throws: DistributorError.self) {
                try await mine.collection("Tenants").put(json("{"), as: "D")
            }
            #expect(wrong?.status == 400)
        }
    }

    @Test
    func `Changes arrive in order, filtered by the rule and the selection, from the point where the list was read`()
        async throws
    {
        try await withServer { server in
            let mine = try await server.client("a").collection("Tenants")
            let others = try await server.client("b").collection("Tenants")
            let selection = ServedCollection.Selection(where: ["open": "yes"])
            let place = try await mine.place()
            try await mine.put(json(#"{"tenant":"a","open":"yes","n":1}"#), as: "D1")
            try await others.put(json(#"{"tenant":"b","open":"yes"}"#), as: "D2")
            try await mine.put(json(#"{"tenant":"a","open":"no"}"#), as: "D3")
            try await mine.patch(json(#"{"n":2}"#), into: "D1")
            try await mine.patch(json(#"{"open":"no"}"#), into: "D1")
            try await mine.put(json(#"{"tenant":"a","open":"yes"}"#), as: "end")
            var changes: [ServedChange] = []
            for try await change in mine.changes(selection, after: place) {
                changes.append(change)
                if change.id == "end" || change.kind == .reset { break }
            }
            #expect(changes.map { "\($0.kind) \($0.id)" } == ["added D1", "updated D1", "removed D1", "added end"])
            let texts = changes.map { $0.json.map { String(decoding: $0, as: UTF8.self) } }
            #expect(texts[1] == #"{"tenant":"a","open":"yes","n":2}"#)
            #expect(texts[2] == nil)
            // After any of these positions, the remaining changes arrive.
            var rest: [ServedChange] = []
            for try await change in mine.changes(selection, after: changes[0].place) {
                rest.append(change)
                if change.id == "end" || change.kind == .reset { break }
            }
            #expect(rest == Array(changes.dropFirst()))
            // A position from another server can't be continued from, and changes are not skipped silently.
            for try await change in mine.changes(selection, after: "0000000000000000-1") {
                #expect(change.kind == .reset)
                break
            }
        }
    }

    @Test func `An unreachable server causes an error that may be temporary`() async throws {
        // The port of a server that has ended would soon be reused by another server.
        let open = try DistributorClient("http://127.0.0.1:1").collection("Open")
        let error = await #expect(throws: DistributorError.self) { _ = try await open.document("D") }
        #expect(error?.code == "noAnswer")
        #expect(error?.isTemporary == true)
        #expect(throws: DistributorError.self) { try DistributorClient("search.example") }
    }
}
