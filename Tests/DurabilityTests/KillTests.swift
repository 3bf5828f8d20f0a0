import Foundation
import TestSupport
import Testing
import Threads

/// Real processes feed a server over a network that loses, delays and repeats requests, are killed at random moments,
/// and run again with the same command; the server's log must agree with the report of the last process.
///
/// `FASTCTL_SEED` repeats a session as far as processes can be repeated, `FASTCTL_KILLS` sets the number of kills in
/// each session, and `FASTCTL_SOAK_SECONDS` runs session after session for that time.
@Suite(.enabled(if: ChildProgram.fastctl != nil), .timeLimit(.minutes(KillBudget.soakSeconds / 60 + 5)))
struct KillTests {
    /// Two sessions of each kind run at the same time, because they wait for time to pass, not for processors.
    static let arguments = (0..<2).flatMap { round in KillSession.Kind.allCases.map { ($0, UInt64(round)) } }

    @Test(arguments: arguments)
    func `No operation is lost, reordered or misreported, whichever process is killed`(
        kind: KillSession.Kind,
        round: UInt64
    ) async throws {
        let end = ContinuousClock.now + .seconds(KillBudget.soakSeconds)
        var seed = KillBudget.seed &+ round
        repeat {
            let session = try KillSession(kind, seed: seed)
            let result = try await session.run(kills: KillBudget.kills)
            print("\(kind), seed \(seed): \(result.summary)")
            guard result.violations.isEmpty else {
                Issue.record("FASTCTL_SEED=\(seed), \(kind): \(result.violations.prefix(5))")
                return
            }
            seed &+= 2
        } while ContinuousClock.now < end
    }

    /// The control: without a journal, the last process has no information about the others.
    @Test func `Killed runs without a journal violate the promises`() async throws {
        try await expectViolation("falsely missing") { try KillSession(.removalsFromFile, seed: $0, isKept: false) }
    }

    /// The control: the purpose of the hold rule becomes visible when copies arrive later than it waits.
    @Test func `Copies that arrive later than the hold rule waits violate the promises`() async throws {
        try await expectViolation("reordered") { try KillSession(.additionsFromFile, seed: $0, late: 35_000...40_000) }
    }

    /// One of three sessions must show the effect, because whether a fault does harm depends on the scheduling of
    /// processes.
    private func expectViolation(_ name: String, in session: (UInt64) throws -> KillSession) async throws {
        for round in UInt64(0)..<3 {
            let violations = try await session(KillBudget.seed &+ round).run(kills: 4).violations
            if violations.contains(where: { $0.hasPrefix(name) }) { return }
            print("no '\(name)' with seed \(KillBudget.seed &+ round), but \(violations.prefix(5))")
        }
        Issue.record("three sessions without '\(name)', from FASTCTL_SEED=\(KillBudget.seed)")
    }
}

/// The size of the test, as set by the environment.
enum KillBudget {
    static let soakSeconds = number("FASTCTL_SOAK_SECONDS") ?? 0
    /// The values of one session.
    static let kills = number("FASTCTL_KILLS") ?? 10
    static let seed =
        ProcessInfo.processInfo.environment["FASTCTL_SEED"].flatMap(UInt64.init) ?? .random(in: 0...UInt64.max)

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }
}
