import ContentFeeding
import EngineSQLite
import TestSupport
import Testing

struct ContractTests {
    @Test func keepsTheLawsOfEngines() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await EngineContract(try await SQLiteEngine.create(path: folder.path("store.sqlite"))).check()
    }
}
