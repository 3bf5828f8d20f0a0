import ContentFeeding
import HTTPClient
import Synchronization
import Testing

@testable import EngineHTTP

/// The times at which credentials are read again, with a clock that the test sets.
@Suite(.timeLimit(.minutes(1)))
struct CredentialRenewalTests {
    /// A clock, and a source whose contents the test sets; `nil` represents a failure.
    private final class Source: Sendable {
        private struct State {
            var seconds = 1_000_000
            var token: String? = "A"
            var lifetime: Int?
            var reads = 0
        }

        private let state = Mutex(State())

        var reads: Int { state.withLock { $0.reads } }

        func advance(_ seconds: Int) { state.withLock { $0.seconds += seconds } }

        func give(_ token: String?, for lifetime: Int? = nil) {
            state.withLock { ($0.token, $0.lifetime) = (token, lifetime) }
        }

        func keeper(_ source: CredentialSource = .helper(command: "x")) async throws -> CredentialKeeper {
            try await CredentialKeeper(
                source,
                clock: { self.state.withLock { WallTime(seconds: $0.seconds) } },
                load: { () async throws(EngineError) in try self.load() }
            )
        }

        private func load() throws(EngineError) -> LoadedCredentials {
            let (token, end) = state.withLock { state in
                state.reads += 1
                return (state.token, state.lifetime.map { WallTime(seconds: state.seconds + $0) })
            }
            guard let token else { throw EngineError(.permission, "the source is away") }
            return LoadedCredentials(.sent(.bearer(token: token)), end: end)
        }
    }

    private static func token(_ token: String) -> LoadedCredentials.Proof { .sent(.bearer(token: token)) }

    @Test func `Credentials are read again shortly before they expire`() async throws {
        let source = Source()
        source.give("A", for: 3_600)
        let keeper = try await source.keeper()
        source.give("B", for: 3_600)
        source.advance(3_299)
        #expect(await keeper.inUse().proof == Self.token("A") && source.reads == 1)
        source.advance(1)
        #expect(await keeper.inUse().proof == Self.token("B") && source.reads == 2)
        #expect(await keeper.inUse().number == 1 && source.reads == 2)
    }

    @Test func `Credentials that do not expire are kept`() async throws {
        let source = Source()
        let keeper = try await source.keeper()
        source.advance(1_000_000)
        #expect(await keeper.inUse().proof == Self.token("A") && source.reads == 1)
    }

    @Test func `An unavailable source is retried later, and the current credentials stay in use`() async throws {
        let source = Source()
        source.give("A", for: 100)
        let keeper = try await source.keeper()
        source.give(nil)
        source.advance(95)
        for _ in 0..<3 { #expect(await keeper.inUse().proof == Self.token("A")) }
        #expect(source.reads == 2)
        source.give("B")
        source.advance(10)
        #expect(await keeper.inUse().proof == Self.token("B") && source.reads == 3)
    }

    @Test func `A source that returns expired credentials is not read for each request`() async throws {
        let source = Source()
        source.give("A", for: -5)
        let keeper = try await source.keeper()
        for _ in 0..<5 { _ = await keeper.inUse() }
        #expect(source.reads == 1)
        source.advance(10)
        _ = await keeper.inUse()
        #expect(source.reads == 2)
    }

    @Test func `A source without newer credentials is read once for many refusals`() async throws {
        let source = Source()
        let keeper = try await source.keeper()
        let refused = await keeper.inUse()
        for _ in 0..<20 { #expect(await keeper.renewed(after: refused) == nil) }
        #expect(source.reads == 2)
        source.give("B")
        source.advance(10)
        // The second refusal gets the credentials that were read for the first one; its request may still request
        // others if these are also refused.
        for asks in [true, false] {
            let newer = await keeper.renewed(after: refused)
            #expect(newer?.version.proof == Self.token("B"))
            #expect(newer?.wasAsked == asks)
        }
        #expect(source.reads == 3)
    }

    @Test func `Credentials from a variable are not read again`() async throws {
        let source = Source()
        source.give("A", for: 1)
        let keeper = try await source.keeper(.environment(variable: "X"))
        source.give("B")
        source.advance(100)
        let version = await keeper.inUse()
        #expect(await keeper.renewed(after: version) == nil)
        #expect(source.reads == 1)
    }
}
