import TestSupport
import Testing

/// Real processes pull and push an offline copy, are killed at random moments, and run again with the same command.
///
/// The copy is edited between runs, and its origin during them. A model determines the final contents of both.
///
/// `FASTCTL_SEED` repeats a session as far as processes can be repeated; `FASTCTL_KILLS` sets the number of kills of
/// each command.
@Suite(.enabled(if: ChildProgram.fastctl != nil), .timeLimit(.minutes(5)))
struct CopyKillTests {
    @Test(arguments: CopyKillSession.Policy.allCases)
    func `A copy neither loses nor repeats documents when a process is killed`(
        policy: CopyKillSession.Policy
    ) async throws {
        var session = try await CopyKillSession(policy, seed: KillBudget.seed)
        let violations = try await session.run(rounds: 2, kills: KillBudget.kills / 2)
        print("copies, \(policy), seed \(KillBudget.seed): \(session.summary)")
        #expect(violations.isEmpty, "FASTCTL_SEED=\(KillBudget.seed), \(policy): \(violations.prefix(5))")
        #expect(session.killsInPull > 0 && session.killsInPush > 0)
    }

    /// The control: the test detects the faults when they are caused deliberately.
    @Test(arguments: CopyKillSession.Sabotage.allCases)
    func `A copy that loses or repeats documents is detected`(sabotage: CopyKillSession.Sabotage) async throws {
        var session = try await CopyKillSession(.client, seed: KillBudget.seed, sabotage: sabotage)
        let violations = try await session.run(rounds: 1, kills: 1)
        #expect(
            violations.contains { $0.hasPrefix(sabotage.finding) },
            "FASTCTL_SEED=\(KillBudget.seed): \(violations.prefix(5)), \(session.summary)"
        )
    }
}
