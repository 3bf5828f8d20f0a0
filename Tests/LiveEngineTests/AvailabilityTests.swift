import Foundation
import TestSupport
import Testing

/// Where changes are checked before they are taken, the engines must be there.
struct AvailabilityTests {
    @Test(.enabled(if: ProcessInfo.processInfo.environment["CI"] != nil, "only where CI is set"))
    func theEnginesAreThere() {
        #expect(LiveEngine.absence == nil)
    }

    @Test(.enabled(if: LiveEngine.isAvailable, "FASTCTL_ENGINES does not name the folder of engines"))
    func anEngineStarts() async throws {
        let engine = try await LiveEngine.shared(.solr)
        #expect(engine.urls.count == 1)
    }
}
