import ContentFeeding
import EngineHTTP
import Testing

@testable import EngineCatalog

struct ResolvedTargetTests {
    private func target(_ address: String, _ key: ContextKey? = .credentialsFile) throws -> ResolvedTarget {
        var choice = TargetChoice(environment: [:], directory: nil)
        choice.options[.target] = address
        if let key { choice.options[key] = "x" }
        return try choice.resolve()
    }

    @Test(arguments: [
        "opensearch+https://search", "opensearch+http://localhost", "solr+http://127.0.0.1", "solr+http://[::1]",
        "sqlite:x",
    ])
    func `Where nobody on the way can read credentials there is no warning`(address: String) throws {
        #expect(try target(address).warning == nil)
        #expect(try target("opensearch+http://search", nil).warning == nil)
    }

    @Test(arguments: ["opensearch+http://search:9200", "opensearch+http://localhost,search"])
    func `Credentials that travel unencrypted are a warning that names the node`(address: String) throws {
        #expect(
            try target(address).warning == "credentials travel unencrypted to http://search:9200; use +https"
        )
    }

    @Test func `It is known which credentials run a command`() throws {
        #expect(try target("opensearch+https://search", .credentialsHelper).runsHelper)
        #expect(try !target("opensearch+https://search").runsHelper)
    }

    @Test(arguments: [
        ("pass show hunter2", "pass …"), ("TOKEN=hunter2 vault", "TOKEN …"), ("pass", "pass"),
    ])
    func `Of a helper's command only the name is shown`(command: String, shown: String) {
        #expect(Setting(.credentialsHelper, command, .standard).shownValue == shown)
        #expect(Setting(.credentialsFile, command, .standard).shownValue == command)
    }

    @Test(.timeLimit(.minutes(1)))
    func `The time of a helper is not the target's`() async throws {
        var options = EngineCatalog.Options()
        options.connection.credentials = .helper(command: "sleep 1.2; echo a:b")
        let (address, ready) = (try TargetAddress("opensearch+http://127.0.0.1:1"), options)
        let error = await #expect(throws: EngineError.self) {
            _ = try await EngineCatalog.openChecked(address, options: ready, limit: .seconds(1))
        }
        #expect(error?.code == .unreachable)
        #expect(error?.message.contains("did not answer within") == false, "\(String(describing: error))")
    }
}
