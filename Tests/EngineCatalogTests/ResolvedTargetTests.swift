import ContentFeeding
import EngineHTTP
import Testing

@testable import EngineCatalog

struct ResolvedTargetTests {
    @Test(arguments: [
        ("pass show hunter2", "pass …"), ("TOKEN=hunter2 vault", "TOKEN …"), ("pass", "pass"),
    ])
    func `Of a helper's command only the name is shown`(command: String, shown: String) {
        #expect(Setting(.credentialsHelper, command, .standard).shownValue == shown)
        #expect(Setting(.credentialsFile, command, .standard).shownValue == command)
    }
}
