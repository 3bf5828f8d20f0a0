import ContentFeeding
import Dispatch
import FeedFormats
import FeedJobs
import Foundation

/// A server that feeds each file that appears in a folder, and ends on SIGTERM.
///
/// Each file is one job: if this server is stopped or killed, the next one resumes where it stopped. Files must be
/// complete when they are moved into the folder.
///
/// Usage: `FeedingService STORE COLLECTION FOLDER`
@main
struct FeedingService {
    let target: OpenableTarget
    let collection: CollectionChoice
    let folder: URL

    static func main() async throws {
        let arguments = CommandLine.arguments
        let target = try OpenableTarget("sqlite:" + arguments[1], RemarkPrinter { print($0) })
        let service = FeedingService(
            target: target,
            collection: target.collection(arguments[2]),
            folder: URL(filePath: arguments[3])
        )
        let work = Task { try await service.serve() }
        // Cancellation ends a feed as Ctrl-C does: it waits for the batches in flight, and sends nothing more.
        signal(SIGTERM, SIG_IGN)
        let signals = DispatchSource.makeSignalSource(signal: SIGTERM)
        signals.setEventHandler { @Sendable in work.cancel() }
        signals.resume()
        try await work.value
        print("stopped")
    }

    /// Feeds files until the task is canceled.
    func serve() async throws {
        while !Task.isCancelled {
            for file in try waitingFiles() where !Task.isCancelled {
                let done = file.appendingPathExtension("done")
                if try await feed(file) { try FileManager.default.moveItem(at: file, to: done) }
            }
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Feeds a file, and returns whether all of its operations have settled.
    func feed(_ file: URL) async throws -> Bool {
        let input = PendingInput(sources: [.file(file.path)], format: .jsonLines())
        var plan = FeedPlan(.add, input, at: target, in: collection)
        plan.failedRecords = file.path + ".failed"
        // Slow enough for searches to stay fast.
        plan.options.configuration.rate = OperationRate(1_000, per: .seconds(1))
        let sent = try await plan.prepare().send()
        _ = try await sent.conclude { _ in
            let counts = sent.result.report.counts
            print("\(file.lastPathComponent): \(counts.added) added, \(counts.failed) failed, \(counts.open) open")
        }
        return sent.result.report.end == .completed
    }

    /// The files that have not been fed completely, sorted by name.
    func waitingFiles() throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "jsonl" }.sorted { $0.path < $1.path }
    }

    /// Prints a line immediately, even to a pipe.
    static func print(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    private func print(_ line: String) { Self.print(line) }
}
