import ContentFeeding
import EngineHTTP
import EngineSolr
import Foundation
import TestSupport
import Testing

/// A Solr that asks who we are, behind TLS.
@Suite(
    .enabled(if: LiveEngine.isAvailable, "FASTCTL_ENGINES does not name the folder of engines"),
    .timeLimit(.minutes(5)),
    .serialized
)
struct SolrUserTests {
    private func open(
        _ engine: LiveEngine,
        as user: String,
        in folder: TemporaryFolder
    ) async throws -> any CollectionAdministration {
        var connection = ConnectionOptions()
        connection.tls.authorityFile = engine.folder + "/tls/ca.pem"
        let file = folder.path("credentials-" + UUID().uuidString)
        _ = FileManager.default.createFile(
            atPath: file,
            contents: Data(user.utf8),
            attributes: [.posixPermissions: 0o600]
        )
        connection.credentials = .file(path: file)
        return try await SolrEngine.open(at: engine.solrNodes, connection: connection)
    }

    @Test func eachUserMayDoWhatIsTheirs() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let engine = try await LiveEngine.shared(.solr, secure: true)
        let administration = try await open(engine, as: "admin:Admin-pass-1", in: folder)
        try await administration.create("solr-users", settings: SolrLive.Kind.standalone.settings)

        // Who may feed is told all that there is to tell of documents, and nothing of how Solr is run.
        let feeding = try await open(engine, as: "feeder:Feeder-pass-1", in: folder)
        let fed = try await feeding.collection(named: "solr-users")
        #expect(await fed.reply(to: [.add(try document("a", "{}"))]) == .results([.done(.added)]))
        #expect(await fed.reply(to: [.remove("b")]) == .results([.done(.missing)]))
        await #expect { _ = try await feeding.list() } throws: { ($0 as? EngineError)?.code == .permission }
        // Of a collection that is not there Solr says to them that they may not use it.
        await #expect { _ = try await feeding.collection(named: "solr-user") } throws: {
            ($0 as? EngineError)?.code == .permission
        }

        // Who may only read is never told that a document is missing.
        let reading = try await open(engine, as: "reader:Reader-pass-1", in: folder)
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
            _ = try await open(engine, as: "reader:wrong", in: folder)
        }
        #expect(error?.code == .permission)
        #expect(try await administration.delete("solr-users") == 1)
    }
}
