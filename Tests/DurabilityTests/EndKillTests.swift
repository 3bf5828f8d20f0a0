import Foundation
import Glibc
import TestSupport
import Testing

/// Removals that are killed at the very end, while their counts are printed and the job ends.
@Suite(.enabled(if: ChildProgram.fastctl != nil), .timeLimit(.minutes(10)))
struct EndKillTests {
    /// Whether or not the job had ended, the same command finds it and reports the documents that it removed.
    @Test(arguments: [false, true])
    func `A document removed by a run that was killed at its end is not reported as missing`(isPiped: Bool) async throws
    {
        let folder = try TemporaryFolder()
        var random = SeededGenerator(seed: KillBudget.seed)
        let pipe = isPiped ? CommandLife.pipe(from: "ids") : nil
        func run(_ words: [String], as name: String, script: String? = nil) async throws -> CommandLife {
            let life = try CommandLife(words, as: name, in: folder, script: script)
            #expect(await life.status() == 0, "\(words): \(life.errors)")
            return life
        }
        let ids = (1...300).map { "D\($0)" }
        try folder.write(ids.map { #"{"id":"\#($0)"}"# }.joined(separator: "\n"), to: "pages.jsonl")
        try folder.write(ids.joined(separator: "\n"), to: "ids")
        _ = try await run(["collections", "create", "web"], as: "create")
        var killed = 0
        for round in 1...20 {
            _ = try await run(["add", "-c", "web", "-q", "--no-journal", "pages.jsonl"], as: "add-\(round)")
            let remove = ["remove", "-c", "web", "-q"] + (isPiped ? [] : ["--from", "ids"])
            let life = try CommandLife(remove, as: "killed-\(round)", in: folder, script: pipe)
            let pause = UInt32.random(in: 0...5_000, using: &random)
            await life.wait {
                guard life.errors.contains("300 removed") else { return false }
                usleep(pause)
                life.send(SIGKILL)
                return true
            }
            guard await life.status() == 128 + SIGKILL else { continue }
            // The lock is released in the process's last step: once it is free, the run has reported its end, and the
            // same command begins a new job.
            guard try isAnyJobLocked(in: folder) else { continue }
            killed += 1
            let again = try await run(remove, as: "again-\(round)", script: pipe)
            #expect(again.errors.contains("300 removed of 300") || again.errors.contains("300 gone"), "\(again.errors)")
        }
        print("killed at the end, with input from a \(isPiped ? "pipe" : "file"): \(killed) of 20")
        #expect(killed > 0)
    }

    private func isAnyJobLocked(in folder: TemporaryFolder) throws -> Bool {
        let files = try #require(FileManager.default.enumerator(atPath: folder.path("")))
        return files.contains { ($0 as? String)?.hasSuffix(".lock") == true }
    }
}
