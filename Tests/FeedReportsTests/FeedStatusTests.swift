import ContentFeeding
import FeedReports
import ReportKit
import Testing
import TextKit

/// Exit codes of a feed.
struct FeedStatusTests {
    @Test(
        arguments: [
            (EngineError.Code.unreachable, 69), (.unusable, 69), (.locked, 75), (.diskFull, 74), (.inputOutput, 74),
            (.permission, 77), (.missingCollection, 78), (.collectionExists, 78), (.invalidName, 78),
            (.missingTarget, 78),
            (.unsupported, 78), (.rejected, 78),
        ] as [(EngineError.Code, Int32)]
    )
    func `Each engine failure has its own exit code`(code: EngineError.Code, exit: Int32) {
        #expect(ExitStatus(code).rawValue == exit)
        #expect(ExitStatus(.engine(code, message: "")).rawValue == exit)
    }

    @Test func `A feed that ends early has the exit code of its reason`() {
        #expect(ExitStatus(StopReason.interrupted).rawValue == 130)
        #expect(ExitStatus(StopReason.terminated).rawValue == 143)
        #expect(ExitStatus(StopReason.input(message: "")).rawValue == 74)
        #expect(ExitStatus(StopReason.source(.unusable, message: "")).rawValue == 69)
        #expect(ExitStatus(StopReason.source(.permission, message: "")).rawValue == 77)
        #expect(ExitStatus(StopReason.storage(message: "")).rawValue == 74)
    }
}
