import Foundation
import Glibc
import TestSupport
import Testing

/// A job with a backup that is killed, and an undo that is killed repeatedly.
@Suite(.enabled(if: ChildProgram.fastctl != nil), .timeLimit(.minutes(10)))
struct UndoKillTests {
    @Test(arguments: [true, false])
    func `A killed job is undone completely, even if the undo is killed too`(isResumed: Bool) async throws {
        let folder = try TemporaryFolder()
        var random = SeededGenerator(seed: KillBudget.seed)
        var lives = 0
        /// Runs the command to its end, or kills it after this time; returns its exit code.
        func run(_ words: [String], killedAfter pause: Duration? = nil) async throws -> (status: Int32, output: String)
        {
            lives += 1
            let life = try CommandLife(words, as: "life-\(lives)", in: folder)
            if let pause { await life.kill(after: pause) }
            return (await life.status(), life.output)
        }
        func documents() async throws -> Set<Substring> {
            let found = try await run(["find", "-c", "web", "-o", "ndjson"]).output.split(separator: "\n")
            return Set(found.map { $0[($0.range(of: #""document":"#)?.upperBound ?? $0.startIndex)...] })
        }

        #expect(try await run(["collections", "create", "web"]).status == 0)
        let before = (1...3_000).map { #"{"id":"D\#($0)","v":0}"# }
        try folder.write(before.joined(separator: "\n"), to: "before.jsonl")
        #expect(try await run(["add", "-c", "web", "-q", "before.jsonl"]).status == 0)
        let original = try await documents()
        let changes = (1...4_000).map { number in
            switch number % 5 {
            case 0: #"{"remove":"D\#(number % 3_000 + 1)"}"#
            case 1: #"{"id":"N\#(number)","v":1}"#
            default: #"{"id":"D\#(number % 3_000 + 1)","v":\#(number)}"#
            }
        }
        try folder.write(changes.joined(separator: "\n"), to: "changes.jsonl")
        let job = ["add", "-c", "web", "-q", "changes.jsonl", "--batch-count", "20", "--missing", "ignore", "--backup"]
        for number in 1...3 {
            lives += 1
            // The delay is many seconds, because on a busy machine the command would otherwise be done before it is
            // killed, and the next run would be a new job.
            let life = try CommandLife(job + ["b\(number)", "--rate", "500"], as: "life-\(lives)", in: folder)
            let (backup, size) = (folder.path("b\(number)"), Int.random(in: 1...60_000, using: &random))
            // A command that is killed before it has saved anything has not changed anything either. The polling thread
            // kills it, because this task may have to wait for tests that block other threads.
            await life.wait {
                guard Self.size(of: backup) >= size else { return false }
                life.send(SIGKILL)
                return true
            }
            #expect(await life.status() == 128 + SIGKILL)
        }
        if isResumed { #expect(try await run(job + ["b"]).status == 0) }
        let listed = try await run(["jobs", "list", "-o", "name"]).output.split(separator: "\n")
        let name = try #require(listed.first.map(String.init))
        try folder.write(#"{"id":"D1","by":"somebody else"}"#, to: "foreign.jsonl")
        #expect(try await run(["add", "-c", "web", "-q", "foreign.jsonl"]).status == 0)

        let undo = ["undo", name, "-q", "--batch-count", "20"]
        for _ in 0..<6 {
            _ = try await run(undo, killedAfter: .milliseconds(Int.random(in: 100...500, using: &random)))
        }
        let last = try await run(undo)
        #expect(last.status == 0 || last.status == 1, "\(folder.text("life-\(lives).err"))")
        let left = try await documents()
        let expected = original.filter { !$0.contains(#""D1""#) }.union([#"{"id":"D1","by":"somebody else"}}"#])
        #expect(left == expected, "seed \(KillBudget.seed): \(left.symmetricDifference(expected).prefix(3))")
    }

    private static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
