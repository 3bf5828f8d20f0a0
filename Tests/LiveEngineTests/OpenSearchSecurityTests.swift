import ContentFeeding
import EngineHTTP
import TestSupport
import Testing

@Suite(
    .enabled(if: LiveEngine.isAvailable, "FASTCTL_ENGINES does not name the folder of engines"),
    .timeLimit(.minutes(5))
)
struct OpenSearchSecurityTests {
    private let server: LiveEngine

    init() async throws { server = try await LiveEngine.shared(.openSearch, secure: true) }

    private func options(_ credentials: String?) -> ConnectionOptions {
        var options = ConnectionOptions()
        options.tls.authorityFile = server.folder + "/tls/ca.pem"
        options.credentials = credentials.map { .helper(command: "echo '\($0)'") }
        return options
    }

    private func administrator() async throws -> any CollectionAdministration {
        try await server.openRelative(options("admin:Admin-pass-1"))
    }

    @Test func aUserWithRightsFeeds() async throws {
        try await administrator().withCollection("webcollection-feeder") { _ in
            let feeder = try await server.openRelative(options("feeder:Feeder-pass-1"))
            let engine = try await feeder.collection(named: "webcollection-feeder")
            #expect(await engine.reply(to: [.add(try document("a", #"{"n":1}"#))]) == .results([.done(.added)]))
            #expect(await engine.reply(to: [.update(try document("a", #"{"n":2}"#))]) == .results([.done(.updated)]))
            #expect(try await engine.get(["a"]).first?.json == Array(#"{"n":2}"#.utf8))
            #expect(
                await engine.reply(to: [.remove("a"), .remove("b")]) == .results([.done(.removed), .done(.missing)])
            )
        }
    }

    @Test func whoMayOnlyReadIsRefusedAndFindsNothingMissing() async throws {
        try await administrator().withCollection("webcollection-reader") { owned in
            #expect(await owned.reply(to: [.add(try document("a", "{}"))]) == .results([.done(.added)]))
            try await owned.raise(to: .live)
            let reader = try await server.openRelative(options("reader:Reader-pass-1"))
            let engine = try await reader.collection(named: "webcollection-reader")
            #expect(try await engine.exists(["a", "b"]) == [true, false])
            #expect(try await engine.get(["a"]).count == 1)
            #expect(try await engine.count() == 1)
            #expect(try await engine.find(SearchQuery(), after: nil).documents.count == 1)
            for operations: [ContentOperation] in [[.remove("a")], [.remove("b")], [.remove("a"), .remove("b")]] {
                guard case .failed(let failure) = await engine.reply(to: operations) else {
                    Issue.record("a reader's removal was answered with results")
                    continue
                }
                #expect(failure.kind == .stop(.permission))
            }
            #expect(try await owned.exists(["a"]) == [true])
        }
    }

    @Test func anothersCollectionIsForbiddenAndNotMissing() async throws {
        try await administrator().withCollection("other-collection") { _ in
            let feeder = try await server.openRelative(options("feeder:Feeder-pass-1"))
            await #expect { _ = try await feeder.collection(named: "other-collection") } throws: {
                ($0 as? EngineError)?.code == .permission
            }
        }
    }

    @Test(arguments: ["admin:wrong", nil])
    func wrongCredentialsAreNamed(credentials: String?) async throws {
        let error = await #expect(throws: EngineError.self) {
            _ = try await server.openRelative(options(credentials))
        }
        #expect(error?.code == .permission)
    }

    @Test func aCertificateThatNobodyVouchesForIsRefused() async throws {
        var options = options("admin:Admin-pass-1")
        options.tls.authorityFile = nil
        let error = await #expect(throws: EngineError.self) { _ = try await server.openRelative(options) }
        #expect(error?.code == .unusable)
        #expect(error?.message.contains("certificate") == true)
    }
}
