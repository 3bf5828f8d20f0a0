import ContentFeeding
import EngineOpenSearch
import Foundation
import HTTPClient
import TestSupport
import Testing

@testable import EngineHTTP

/// The rights in `Documentation/Reference/Rights.md`, tested with OpenSearch's security plugin: the rights in a row are
/// sufficient, and each of them is needed.
@Suite(.needsEngines, .serialized, .timeLimit(.minutes(5)))
struct MinimumRightsTests {
    struct Rights: Hashable, Sendable {
        var cluster: [String] = []
        var index: [String] = []

        static let removal = Rights(
            cluster: ["indices:data/write/bulk"],
            index: ["indices:data/write/bulk*", "indices:data/write/delete"]
        )
        static let addition = Rights(
            cluster: ["indices:data/write/bulk"],
            index: ["indices:data/write/bulk*", "indices:data/write/index", "indices:admin/mapping/put"]
        )
        static let update = Rights(
            cluster: ["indices:data/write/bulk", "indices:data/read/mget"],
            index: [
                "indices:data/write/bulk*", "indices:data/write/index", "indices:admin/mapping/put",
                "indices:data/read/mget*",
            ]
        )

        /// All subsets without one of these rights.
        var lesser: [Rights] {
            cluster.indices.map { place in
                var rights = self
                rights.cluster.remove(at: place)
                return rights
            }
                + index.indices.map { place in
                    var rights = self
                    rights.index.remove(at: place)
                    return rights
                }
        }
    }

    private static let index: CollectionName = "rights-web"

    /// Creates an index with the documents A and B.
    private static func prepare(_ folder: TemporaryFolder) async throws {
        let engine = try await LiveEngine.shared(.openSearch, secure: true)
        let options = try options(engine, "admin:Admin-pass-1", in: folder)
        let admin = try await EngineConnection(to: engine.nodes, options: options)
        _ = try await admin.send(EngineRequest(.delete, EnginePath(index.rawValue)))
        try await put(#"{"settings":{"number_of_shards":2,"number_of_replicas":0}}"#, EnginePath(index.rawValue), admin)
        for id in ["A", "B"] {
            let path = EnginePath(index.rawValue, "_doc", id).with("refresh", "true")
            try await put(#"{"n":1}"#, path, admin)
        }
    }

    private static func put(_ json: String, _ path: EnginePath, _ connection: EngineConnection) async throws {
        let reply = try await connection.send(EngineRequest(.put, path, body: Array(json.utf8)))
        try #require(reply.isSuccess, "\(path): \(String(decoding: reply.body, as: UTF8.self))")
    }

    private static func options(
        _ engine: LiveEngine,
        _ credentials: String,
        in folder: TemporaryFolder
    ) throws -> ConnectionOptions {
        let path = folder.path(UUID().uuidString)
        try credentials.write(toFile: path, atomically: false, encoding: .utf8)
        chmod(path, 0o600)
        var options = ConnectionOptions()
        options.tls.authorityFile = engine.folder + "/tls/ca.pem"
        options.credentials = .file(path: path)
        return options
    }

    /// All sets of rights that the tests need; each has a user.
    private static let all = [Rights.removal, .addition, .update].flatMap { [$0] + $0.lesser }
    private static let password = "Rights-pass-1"
    /// The password's hash with the lowest cost, because the engine compares it at each first sign-in of a user.
    private static let hash = "$2y$04$abcdefghijklmnopqrstuu2QPfuJgwWuOZa3vXrAuqtvnOIwjb8C6"

    /// Adds all users, once for all tests, because each change makes the engine load all settings and forget all
    /// sign-ins, which takes seconds.
    private static let users = Task { try await addUsers() }

    private static func name(_ number: Int) -> String { "rights-\(number)" }

    private static func addUsers() async throws {
        func list(_ rights: [String]) -> String { rights.map { "\"\($0)\"" }.joined(separator: ",") }
        let folder = try TemporaryFolder()
        let engine = try await LiveEngine.shared(.openSearch, secure: true)
        let options = try options(engine, "admin:Admin-pass-1", in: folder)
        let admin = try await EngineConnection(to: engine.nodes, options: options)
        func add(_ kind: String, _ value: (_ name: String, _ rights: Rights) -> String) async throws {
            let changes = all.enumerated().map { number, rights in
                let user = name(number)
                return #"{"op":"add","path":"/\#(user)","value":\#(value(user, rights))}"#
            }
            let path = EnginePath("_plugins", "_security", "api", kind)
            let body = Array("[\(changes.joined(separator: ","))]".utf8)
            var request = admin.httpRequest(
                EngineRequest(.put, path, body: body),
                to: admin.nodes[0],
                timeLimits: HTTPConfiguration.TimeLimits()
            )
            request.method = .patch
            request.credentials = .basic(user: "admin", password: "Admin-pass-1")
            let reply = try await admin.transport.send(request)
            try #require(reply.status == 200, "\(path): \(String(decoding: reply.body, as: UTF8.self))")
        }
        try await add("roles") { _, rights in
            #"{"cluster_permissions":[\#(list(rights.cluster))],"#
                + #""index_permissions":[{"index_patterns":["rights-*"],"allowed_actions":[\#(list(rights.index))]}]}"#
        }
        try await add("internalusers") { _, _ in #"{"hash":"\#(hash)"}"# }
        try await add("rolesmapping") { name, _ in #"{"users":["\#(name)"]}"# }
    }

    /// Opens the index as a user whose role has these rights.
    private static func collection(_ rights: Rights, in folder: TemporaryFolder) async throws -> any CollectionEngine {
        try await users.value
        let number = try #require(all.firstIndex(of: rights))
        let engine = try await LiveEngine.shared(.openSearch, secure: true)
        let options = try options(engine, "\(name(number)):\(password)", in: folder)
        let administration = try await OpenSearchEngine.open(.openSearch, at: engine.nodes, options: options)
        return try await administration.collection(named: index)
    }

    @Test func `A removal does not require permission to read, and reports the checks that it could not make`()
        async throws
    {
        let folder = try TemporaryFolder()
        try await Self.prepare(folder)
        let collection = try await Self.collection(.removal, in: folder)
        #expect(
            collection.unseen(by: FeedIntent(.remove))?.contains("do not show some properties of 'rights-web'") == true
        )
        let reply = await collection.reply(to: [.remove("A"), .remove("X")])
        #expect(reply == .results([.done(.removed), .done(.missing)]))
        let reservation = await collection.lookupReservation()
        #expect(reservation?.contains("may not search 'rights-web'") == true, "\(reservation ?? "")")
    }

    @Test func `Additions and updates require no more rights than their rows list`() async throws {
        let folder = try TemporaryFolder()
        try await Self.prepare(folder)
        let adder = try await Self.collection(.addition, in: folder)
        let added = await adder.reply(to: [.add(try document("N", #"{"fresh":"x"}"#)), .add(try document("B", "{}"))])
        #expect(added == .results([.done(.added), .done(.updated)]))
        let updater = try await Self.collection(.update, in: folder)
        let updated = await updater.reply(to: [.update(try document("A", #"{"newer":"x"}"#))])
        #expect(updated == .results([.done(.updated)]))
    }

    @Test(arguments: [ContentOperation.Kind.remove, .add, .update])
    func `Each right that a row lists is needed`(kind: ContentOperation.Kind) async throws {
        let folder = try TemporaryFolder()
        try await Self.prepare(folder)
        let rights: Rights =
            switch kind {
            case .remove: .removal
            case .add: .addition
            case .update: .update
            }
        for (number, lesser) in rights.lesser.enumerated() {
            let collection = try await Self.collection(lesser, in: folder)
            let change = try document("A", #"{"\#(kind.rawValue)\#(number)":"x"}"#)
            let operation: ContentOperation =
                switch kind {
                case .remove: .remove("A")
                case .add: .add(change)
                case .update: .update(change)
                }
            let reply = await collection.reply(to: [operation])
            guard case .failed(let failure) = reply else {
                Issue.record("\(lesser) is enough to \(kind): \(reply)")
                continue
            }
            #expect(failure.kind == .stop(.permission), "\(lesser)")
        }
    }
}
