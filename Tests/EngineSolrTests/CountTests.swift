import ContentFeeding
import Synchronization
import TestSupport
import Testing

@testable import EngineSolr

/// How many documents a collection is said to have.
@Suite(.timeLimit(.minutes(1)))
struct CountTests {
    private typealias Answer = SpeakingServer.Answer

    /// Whether searches see what was applied.
    private final class View: Sendable {
        let isCurrent = Mutex(false)
    }

    /// Counts in a core that has 3 documents, of which searches see 5 until a commit.
    private func count(commit: SpeakingServer.Answer) async throws -> Int {
        let view = View()
        let server = try SpeakingServer { target, _ in
            if target.hasPrefix("/c/update"), target.contains("softCommit=true") {
                if commit.status == 200 { view.isCurrent.withLock { $0 = true } }
                return commit
            }
            guard target.hasPrefix("/c/select") else { return SpeakingServer.known(target, isThere: true) }
            let count = view.isCurrent.withLock { $0 } ? 3 : 5
            return Answer(body: #"{"responseHeader":{"status":0},"response":{"numFound":\#(count),"docs":[]}}"#)
        }
        return try await server.open().collection(named: "c").count()
    }

    @Test func whatWasRemovedBeforeIsNotCounted() async throws {
        #expect(try await count(commit: Answer(body: #"{"responseHeader":{"status":0}}"#)) == 3)
    }

    @Test func whoMayNotCommitIsToldWhatSearchesSee() async throws {
        #expect(try await count(commit: Answer(status: 403, body: "<html>", type: "text/html")) == 5)
    }

    @Test func aCommitThatFailsIsNoCount() async throws {
        let error = await #expect(throws: EngineError.self) {
            _ = try await count(commit: Answer(status: 500, body: ""))
        }
        #expect(error != nil)
    }
}
