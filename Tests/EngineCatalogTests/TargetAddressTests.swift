import ContentFeeding
import EngineCatalog
import TestSupport
import Testing

struct TargetAddressTests {
    @Test(arguments: ["/var/lib/store.sqlite", "store.sqlite", "./a b/é.db", "C:odd"])
    func aFileIsWhatFollowsTheScheme(path: String) throws {
        #expect(try TargetAddress("sqlite:" + path).location == .sqlite(path: path))
        #expect(try TargetAddress("SQLite:" + path).description == "sqlite:" + path)
    }

    @Test(arguments: [
        ("distributor://h:1", EngineError.Code.unsupported, "this version", "sqlite:PATH"),
        ("sqlit:/x", .unsupported, "'sqlit'", "did you mean 'sqlite:'?"),
        ("postgres:x", .unsupported, "'postgres'", "supported: sqlite:PATH"),
        ("/var/lib/store.sqlite", .missingTarget, "no scheme", "sqlite:/var/lib/store.sqlite"),
        ("", .missingTarget, "no scheme", "sqlite:PATH"),
        ("sqlite:", .missingTarget, "names no file", "sqlite:PATH"),
    ])
    func othersAreRefusedWithAdvice(text: String, code: EngineError.Code, message: String, advice: String) {
        let error = #expect(throws: EngineError.self) { _ = try TargetAddress(text) }
        #expect(error?.code == code)
        #expect(error?.message.contains(message) == true, "\(String(describing: error))")
        #expect(error?.advice?.contains(advice) == true, "\(String(describing: error?.advice))")
    }

    @Test func theEnvironmentDecidesWhereNothingElseDoes() throws {
        func path(_ environment: [String: String]) throws -> String {
            try TargetAddress.standard(environment: environment).description
        }
        let home = ["HOME": "/home/u"]
        #expect(try path(home) == "sqlite:/home/u/.local/share/fastctl/store.sqlite")
        let data = home.merging(["XDG_DATA_HOME": "/data"]) { $1 }
        #expect(try path(data) == "sqlite:/data/fastctl/store.sqlite")
        #expect(try path(data.merging(["FASTCTL_TARGET": "sqlite:x"]) { $1 }) == "sqlite:x")
        #expect(try path(home.merging(["XDG_DATA_HOME": "relative", "FASTCTL_TARGET": ""]) { $1 }) == path(home))
        let error = #expect(throws: EngineError.self) { _ = try TargetAddress.standard(environment: [:]) }
        #expect(error?.code == .missingTarget && error?.advice?.contains("--target") == true)
    }

    @Test func onlyCreateMakesAStore() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let address = TargetAddress(.sqlite(path: folder.path("store.sqlite")))
        let error = await #expect(throws: EngineError.self) { _ = try await EngineCatalog.open(address) }
        #expect(error?.code == .missingTarget)
        try await EngineCatalog.create(address).create("web", settings: [])
        let engine = try await EngineCatalog.open(address)
        #expect(engine.target == address.description)
        #expect(try await engine.list().map(\.name) == ["web"])
    }
}
