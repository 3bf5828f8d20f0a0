import Foundation
import Glibc
import TestSupport
import Testing

/// A job from its first process to its last one, and the verdict on it.
struct KillSession {
    /// The kind of operations, and the kind of their input.
    enum Kind: String, CaseIterable, Sendable, CustomStringConvertible {
        case removalsFromFile, removalsFromPipe, additionsFromFile, additionsFromPipe

        var isRemoval: Bool { self == .removalsFromFile || self == .removalsFromPipe }
        var isPiped: Bool { self == .removalsFromPipe || self == .additionsFromPipe }
        var description: String { rawValue }
    }

    struct Result {
        let violations: [String]
        let summary: String
    }

    private let kind: Kind
    private let seed: UInt64
    private let work: KillWork
    private let folder: TemporaryFolder
    private let server: DocumentServer
    private let proxy: FaultProxy
    private let isKept: Bool

    /// The maximum number of processes in one session, including those that were killed and those that gave up.
    private static let mostLives = 200

    /// Copies of requests arrive after `late` milliseconds; the client waits half a minute longer than a request may
    /// take.
    ///
    /// A job that is not kept has no journal.
    init(_ kind: Kind, seed: UInt64, late: ClosedRange<Int> = 50...20_000, isKept: Bool = true) throws {
        (self.kind, self.seed, self.isKept) = (kind, seed, isKept)
        work = KillWork(isRemoval: kind.isRemoval, seed: seed)
        folder = try TemporaryFolder()
        try folder.write(work.input, to: "input")
        server = try DocumentServer(holding: work.present, refused: 3, seed: seed)
        proxy = try FaultProxy(upstream: server.port, plan: Self.plan(seed, late))
    }

    /// Returns a slow network in which nearly a quarter of all requests or replies are lost, cut off, refused or late.
    private static func plan(_ seed: UInt64, _ late: ClosedRange<Int>) -> FaultPlan {
        FaultPlan(on: .path("_bulk", method: "POST")) { number in
            var random = SeededGenerator(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
            func milliseconds(_ range: ClosedRange<Int>) -> Duration {
                .milliseconds(Int.random(in: range, using: &random))
            }
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<3: return .resetBeforeServer
            case 3..<5: return .resetWithinRequest(after: Int.random(in: 1...2_000, using: &random))
            case 5..<8: return .resetAfterServer
            case 8..<10: return .truncateReply(after: Int.random(in: 0...500, using: &random))
            case 10..<12: return .breakReply(after: Int.random(in: 0...500, using: &random))
            // The client has given up by then, but its request is still carried out.
            case 12..<14: return .delayRequest(milliseconds(1_100...4_000))
            case 14: return .stallReply(milliseconds(1_100...1_500))
            case 15..<19: return .deliverLate(after: milliseconds(late))
            case 19..<21: return .answer(.throttled(429))
            case 21: return .answer(.page(503, title: "503 Service Unavailable"))
            case 22: return .answerAfterServer(.page(504, title: "504 Gateway Time-out"))
            default: return .delayRequest(milliseconds(2...25))
            }
        }
    }

    private var words: [String] {
        let command = kind.isRemoval ? ["remove"] : ["add", "--format", "jsonl"]
        let input = kind.isPiped ? [] : kind.isRemoval ? ["--from", "input"] : ["input"]
        return command + input + (isKept ? [] : ["--no-journal"]) + [
            "-c", "web", "--target", "opensearch+http://127.0.0.1:\(proxy.port)", "--request-timeout", "1s",
            "--batch-count", "20", "--linger", "5ms", "--retries", "60", "-o", "ndjson", "--report", "report.json",
        ]
    }

    /// Runs the command, kills it this number of times, and lets the last run complete.
    func run(kills: Int) async throws -> Result {
        defer { proxy.stop() }
        let start = ContinuousClock.now
        var random = SeededGenerator(seed: seed ^ 0x6B69_6C6C)
        var (killed, lives) = (0, 0)
        var last: CommandLife
        var status: Int32
        repeat {
            lives += 1
            last = try CommandLife(
                words,
                as: "life-\(lives)",
                in: folder,
                script: kind.isPiped ? CommandLife.pipe(from: "input") : nil
            )
            if killed < kills { await end(last, &random) }
            status = await last.status()
            if status == 128 + SIGKILL { killed += 1 }
            // A process that has written the complete report may have ended the job; the next run would be a new job.
            if status == 128 + SIGKILL, FinalReport(folder.text("report.json"))?.isWhole == true { status = 0 }
        } while ![0, 1].contains(status) && lives < Self.mostLives
        let duration = ContinuousClock.now - start
        // Late copies must no longer change anything.
        try await proxy.isIdle(within: .seconds(60))
        let violations =
            [0, 1].contains(status)
            ? check(lives)
            : ["it ended with \(status) after \(lives) lives: \(last.errors.suffix(500))"]
        let faults = proxy.records.count { $0.fault != "pass" && $0.fault != "delayRequest" }
        return Result(
            violations: violations,
            summary: "\(killed) kills, \(lives) lives, \(server.deeds.count) writes of \(work.operations.count), "
                + "\(faults) faults, \(Int(duration / .seconds(1))) s"
        )
    }

    /// Kills the command at any time from its first instruction on, or once it has sent a few more requests.
    private func end(_ life: CommandLife, _ random: inout SeededGenerator) async {
        if Int.random(in: 0..<4, using: &random) > 0 {
            let target = proxy.records.count { $0.target.contains("_bulk") } + Int.random(in: 1...12, using: &random)
            await life.wait { [proxy] in proxy.records.count { $0.target.contains("_bulk") } >= target }
        }
        await life.kill(after: .milliseconds(Int.random(in: 0...60, using: &random)))
    }
}

extension KillSession {
    /// All discrepancies between the last report, the events of all processes and the server's log.
    private func check(_ lives: Int) -> [String] {
        var violations: [String] = []
        guard let report = FinalReport(folder.text("report.json")) else { return ["there is no report"] }
        let counts = report.counts
        let settled = counts.filter { !["accepted", "open", "rejectedInput"].contains($0.key) }.values.reduce(0, +)
        if counts["accepted"] != work.operations.count || counts["open"] != 0 || settled != work.operations.count {
            violations.append("the counts do not add up to \(work.operations.count): \(counts)")
        }
        if Set(report.errors).count != report.errors.count { violations.append("an error is listed twice") }
        var events: [Int: String] = [:]
        for life in 1...lives {
            for event in SettledEvent.all(in: folder.text("life-\(life).out"))
            where events.updateValue(event.outcome, forKey: event.operation) != nil {
                violations.append("operation \(event.operation) was announced twice, at last in life \(life)")
            }
        }
        // These reports explain the violations.
        if let reason = (1...lives).map({ folder.text("life-\($0).err") }).first(where: { $0.contains("sent again") }) {
            violations.insert("all operations were sent again: \(reason.prefix(500))", at: 0)
        }
        let history = Dictionary(grouping: server.deeds, by: \.document)
        return violations + (kind.isRemoval ? checkRemovals(report, events, history) : checkAdditions(events, history))
    }

    private func checkRemovals(
        _ report: FinalReport,
        _ events: [Int: String],
        _ history: [String: [DocumentServer.Deed]]
    ) -> [String] {
        var violations: [String] = []
        let present = Set(work.present)
        let left = server.documents.keys.filter { present.contains($0) }
        if !left.isEmpty { violations.append("lost: \(left.count) are still there, such as \(left.first ?? "")") }
        let missing = Set(report.errors)
        if missing.count != report.counts["missing"] { violations.append("missing and errors differ") }
        for id in missing where present.contains(id) { violations.append("falsely missing: \(id)") }
        let absent = work.operations.count { !present.contains($0.document) }
        if report.counts["removed", default: 0] > present.count || missing.count > absent {
            violations.append("wrong: \(report.counts)")
        }
        for (number, outcome) in events {
            let id = work.operations[number - 1].document
            let isRight =
                switch outcome {
                case "removed": history[id]?.contains { $0.wasPresent } == true
                case "missing": !present.contains(id) && history[id] != nil && missing.contains(id)
                case "gone": history[id] != nil
                default: false
                }
            if !isRight { violations.append("wrong: operation \(number) on \(id) is called \(outcome)") }
        }
        return violations
    }

    private func checkAdditions(_ events: [Int: String], _ history: [String: [DocumentServer.Deed]]) -> [String] {
        var violations: [String] = []
        for (id, version) in work.lastVersions {
            let versions = (history[id] ?? []).map { $0.version ?? -1 }
            if versions != versions.sorted() { violations.append("reordered: \(id) was written as \(versions)") }
            if Set(versions) != Set(1...version) { violations.append("lost: \(id) was written as \(versions)") }
            if server.documents[id] != version { violations.append("wrong: \(id) is not at version \(version)") }
        }
        for (number, outcome) in events {
            let id = work.operations[number - 1].document
            let isRight =
                switch outcome {
                case "added": history[id]?.contains { !$0.wasPresent } == true
                case "updated": history[id]?.contains { $0.wasPresent } == true
                default: false
                }
            if !isRight { violations.append("wrong: operation \(number) on \(id) is called \(outcome)") }
        }
        return violations
    }
}

/// The operations of a session: removals of different documents, a tenth of which do not exist, or additions that
/// contain some documents twice, with a different version each time.
private struct KillWork {
    struct Operation {
        let document: String
        /// `nil` for a removal.
        let version: Int?
    }

    let operations: [Operation]
    /// The documents that exist at the start.
    let present: [String]

    init(isRemoval: Bool, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        if isRemoval {
            operations = (1...2_500).map { Operation(document: "document-\($0)", version: nil) }
            present = operations.map(\.document).filter { _ in Int.random(in: 0..<10, using: &random) > 0 }
        } else {
            var versions: [Int: Int] = [:]
            operations = (1...2_000).map { place in
                // Some versions follow each other immediately, some after a thousand other documents.
                let other = Int.random(in: 1...place, using: &random)
                let isSecond = Int.random(in: 0..<3, using: &random) == 0 && versions[other] == 1
                let number = isSecond ? other : place
                versions[number, default: 0] += 1
                return Operation(document: "document-\(number)", version: versions[number])
            }
            present = []
        }
    }

    var input: String {
        operations.map { operation in
            operation.version.map { #"{"id":"\#(operation.document)","v":\#($0)}"# } ?? operation.document
        }
        .joined(separator: "\n") + "\n"
    }

    var lastVersions: [String: Int] {
        Dictionary(operations.map { ($0.document, $0.version ?? 0) }) { max($0, $1) }
    }
}

/// The report of the process that ran to completion.
private struct FinalReport {
    let counts: [String: Int]
    /// The documents among its errors.
    let errors: [String]
    /// Whether its job was completed.
    let isWhole: Bool

    init?(_ text: String) {
        guard let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any],
            let counts = object["counts"] as? [String: Int], let errors = object["errors"] as? [[String: Any]]
        else { return nil }
        self.counts = counts
        isWhole = [0, 1].contains(object["exitCode"] as? Int)
        self.errors = errors.compactMap { $0["documentID"] as? String }
    }
}

/// A line of a process's output.
private struct SettledEvent: Decodable {
    let operation: Int
    let outcome: String

    private enum CodingKeys: String, CodingKey {
        case operation = "operationID"
        case outcome
    }

    /// Returns the events in a process's output, whose last line may have been cut off.
    static func all(in text: String) -> [SettledEvent] {
        text.split(separator: "\n").compactMap { line in
            line.hasSuffix("}") ? try? JSONDecoder().decode(SettledEvent.self, from: Data(line.utf8)) : nil
        }
    }
}
