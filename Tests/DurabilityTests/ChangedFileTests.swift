import Foundation
import Glibc
import TestSupport
import Testing

/// Real processes feed a file and are killed at random moments, and the file is edited before the next one begins.
///
/// `FASTCTL_SEED` repeats the edits of a session.
@Suite(.enabled(if: ChildProgram.fastctl != nil), .timeLimit(.minutes(5)))
struct ChangedFileTests {
    @Test(arguments: ChangingFeed.Target.allCases, UInt64(0)..<2)
    func `The target matches the input of the last run, regardless of earlier files' operations`(
        target: ChangingFeed.Target,
        round: UInt64
    ) async throws {
        let seed = KillBudget.seed &+ round
        let feed = try ChangingFeed(into: target, seed: seed)
        defer { feed.end() }
        let violations = try await feed.run(kills: 8)
        #expect(violations.isEmpty, "FASTCTL_SEED=\(seed), \(target): \(violations)")
    }
}

/// A file of documents that changes between the runs of one command.
struct ChangingFeed {
    enum Target: String, CaseIterable, Sendable {
        /// The embedded store, which keeps the job itself.
        case store
        /// An engine whose jobs are kept in a journal.
        case server
    }

    private struct Line: Hashable {
        let document: Int
        let version: Int

        var text: String { #"{"id":"document-\#(document)","v":\#(version)}"# }
    }

    private let target: Target
    private let folder: TemporaryFolder
    private let server: DocumentServer
    private let proxy: FaultProxy
    private let seed: UInt64

    private static let count = 3_000

    init(into target: Target, seed: UInt64) throws {
        (self.target, self.seed) = (target, seed)
        folder = try TemporaryFolder()
        server = try DocumentServer()
        let plan = FaultPlan(on: .path("_bulk", method: "POST")) { _ in .delayRequest(.milliseconds(5)) }
        proxy = try FaultProxy(upstream: server.port, plan: plan)
    }

    func end() {
        proxy.stop()
    }

    private var place: [String] {
        ["-c", "web"] + (target == .store ? [] : ["--target", "opensearch+http://127.0.0.1:\(proxy.port)"])
    }

    /// Kills this number of runs and lets one complete; returns the problems found then.
    func run(kills: Int) async throws -> [String] {
        var random = SeededGenerator(seed: seed)
        if target == .store {
            let creation = try CommandLife(["collections", "create", "web"], as: "creation", in: folder)
            #expect(await creation.status() == 0)
        }
        var lines = (1...Self.count).map { Line(document: $0, version: 1) }
        var files: [[Line]] = []
        var edits: [String] = []
        for life in 1...kills {
            try write(lines)
            files.append(lines)
            let feed = try start("life-\(life)")
            await kill(feed, &random)
            // Requests in progress arrive before the test continues.
            try await proxy.isIdle(within: .seconds(30))
            edits.append(Self.edit(&lines, version: life + 1, earlier: files, &random))
        }
        try write(lines)
        let last = try start("last")
        let status = await last.status()
        guard status == 0 else { return ["it ended with \(status): \(last.errors)"] }
        let there = try await documents(lines)
        let wrong = lines.filter { there["document-\($0.document)"] != $0.version }
        let example = wrong.first.map { line in
            "\(wrong.count) are not as the file has them: \(line.text) is "
                + "\(there["document-\(line.document)"].map(String.init) ?? "gone"); \(edits); \(last.errors)"
        }
        let isCounted = last.errors.contains(" of \(lines.count) accepted")
        return [example, isCounted ? nil : "not all are accounted for: \(last.errors)"].compactMap { $0 }
    }

    private func write(_ lines: [Line]) throws {
        try folder.write(lines.map { $0.text + "\n" }.joined(), to: "documents.jsonl")
    }

    private func start(_ name: String) throws -> CommandLife {
        let pace = target == .store ? ["--rate", "1500"] : ["--inflight", "3"]
        let words = ["add", "documents.jsonl", "--batch-count", "40", "--linger", "0s", "--quiet"] + place + pace
        return try CommandLife(words, as: name, in: folder)
    }

    private func kill(_ life: CommandLife, _ random: inout SeededGenerator) async {
        if target == .server {
            let target = proxy.records.count + Int.random(in: 1...60, using: &random)
            await life.wait { [proxy] in proxy.records.count >= target }
        }
        await life.kill(after: .milliseconds(Int.random(in: 0...(target == .store ? 1_200 : 10), using: &random)))
        _ = await life.status()
    }

    /// Changes the file as a user with an editor does, and describes the change.
    private static func edit(
        _ lines: inout [Line],
        version: Int,
        earlier files: [[Line]],
        _ random: inout SeededGenerator
    ) -> String {
        let place = Int.random(in: 0..<lines.count, using: &random)
        switch Int.random(in: 0..<7, using: &random) {
        case 0, 1:
            lines[place] = Line(document: lines[place].document, version: version)
            return "changed \(place)"
        case 2:
            lines.insert(Line(document: count + version, version: version), at: place)
            return "inserted at \(place)"
        case 3:
            lines.remove(at: place)
            return "removed \(place)"
        case 4:
            lines.removeLast(min(lines.count / 2, lines.count - place))
            return "cut off at \(place)"
        case 5:
            lines = files.randomElement(using: &random) ?? lines
            return "put back"
        default:
            lines.append(Line(document: count + version, version: version))
            return "appended"
        }
    }

    /// Returns the versions of the existing documents.
    private func documents(_ lines: [Line]) async throws -> [String: Int] {
        guard target == .store else { return server.documents }
        try folder.write(lines.map { "document-\($0.document)\n" }.joined(), to: "ids")
        let look = try CommandLife(["get", "-"] + place, as: "look", in: folder, script: #"exec "$0" "$@" <ids"#)
        _ = await look.status()
        let pairs = look.output.split(separator: "\n").compactMap { line -> (String, Int)? in
            guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                let id = object["id"] as? String, let version = object["v"] as? Int
            else { return nil }
            return (id, version)
        }
        return Dictionary(pairs) { $1 }
    }
}
