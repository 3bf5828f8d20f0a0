import ContentFeeding
import FeedJobs
import Foundation
import JobJournal

/// Removes documents with a backup.
///
/// If it is killed and run again, it resumes where it stopped; `undo` reverts its changes.
///
/// Usage: `GuardedRemoval STORE COLLECTION undo|ID…`
@main
struct GuardedRemoval {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let target = try OpenableTarget("sqlite:" + arguments[1], RemarkPrinter { print($0) })
        let collection = target.collection(arguments[2])
        let plan: FeedPlan
        if arguments[3] == "undo" {
            let jobs = try await JobShelf.existing(of: target.open()).jobs().jobs
            plan = try await FeedPlan.undoing(jobs[0].id, at: target, in: collection)
        } else {
            plan = removal(of: Array(arguments[3...]), at: target, in: collection)
        }
        let sent = try await plan.prepare().send { event, report in
            if case .settled = event { print("settled: \(report.counts.settled)") }
        }
        _ = try await sent.conclude { _ in
            print("removed: \(sent.result.report.counts[.removed]), added: \(sent.result.report.counts[.added])")
        }
    }

    /// A slow removal that first saves each document next to its job.
    static func removal(of ids: [String], at target: OpenableTarget, in collection: CollectionChoice) -> FeedPlan {
        var plan = FeedPlan(.remove, PendingInput(ids: ids), at: target, in: collection)
        plan.isAlwaysBackedUp = true
        plan.options.configuration.rate = OperationRate(100, per: .seconds(1))
        return plan
    }

    /// Prints a line immediately, even to a pipe.
    static func print(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
