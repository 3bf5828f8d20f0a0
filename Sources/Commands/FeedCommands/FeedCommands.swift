package import ArgumentParsing
import CommandKit
import ContentFeeding
import FeedReports
import Files
import JobJournal
import ReportKit
import TextKit

/// The commands for documents, and for the collections that contain them.
package enum FeedCommandSet {
    package static let all: [any Command.Type] = [
        Remove.self, Add.self, Update.self, Copy.self, Reconcile.self, Apply.self, Undo.self, Verify.self, Get.self,
        Find.self, Exists.self, Collections.self, Contexts.self, Copies.self, SourceCommands.self, Jobs.self,
    ]

    /// The options for the place of documents and jobs, which advised commands repeat.
    package static let placeOptions = ["--target", "--context", "--content-distributor", "--journal"]

    /// Returns the names of the commands that don't repeat the options for the place of a command line.
    ///
    /// The commands for contexts describe a target instead of using it. A command that reads documents from a second
    /// place reports errors about both, so only the commands for its job and its copies certainly refer to its target.
    package static func commandsElsewhere(than words: [String]) -> [String] {
        let name = words.first ?? ""
        let hasOtherSource = CommandLineWords(words).value(of: "--source")?.contains("/") ?? false
        guard Copies.configuration.answers(to: name) || hasOtherSource && Copy.configuration.answers(to: name) else {
            return [Contexts.configuration.name]
        }
        let own: [any Command.Type] = [Copy.self, Copies.self, Jobs.self, Undo.self, Verify.self]
        let ownNames = own.map { $0.configuration.name }
        return all.map { $0.configuration.name }.filter { !ownNames.contains($0) }
    }

    /// Begins a process that runs these commands.
    package static func begin() { LockFiles.ofProcess.keep() }

    /// Ends the process's work as its last step, after its jobs have reported their end.
    package static func end() { LockFiles.ofProcess.removeAll() }
}

/// Options for the output of a feed and its destinations.
struct OutputOptions: OptionSetting {
    @Option(output: OutputForm.items)
    var form

    @Flag("--print0", help: "With -o name: end each ID with a NUL byte")
    var isNullTerminated

    @Flag("--quiet", "-q", help: "Omit the line about each item; keep errors and totals")
    var isQuiet

    @Flag("--verbose", "-v", help: "Report on standard error what is sent and retried")
    var isVerbose

    @Option(
        "--report",
        value: "FILE",
        completion: .files,
        help:
            "Write the status report to this file, complete or not at all; an existing file is removed when the run starts"
    )
    var report: String?

    @OptionGroup("Output") var progress: ProgressOptions

    func validate() throws {
        if isNullTerminated, form != .name { throw ValidationError("--print0 needs -o name") }
        try ValidationError.requireFile(report, of: "--report")
    }

    /// Refuses a report that would replace one of the files that the run needs.
    func refuseToOverwrite(_ files: [String]) throws {
        guard let path = report, let identity = FileIdentity(path) else { return }
        guard let other = files.first(where: { FileIdentity($0) == identity }) else { return }
        throw ArgumentError("--report \(path) would overwrite '\(other)', which this run needs; use another file")
    }

    /// Creates the report, and removes the report of an earlier run, which must never be mistaken for the new one.
    func newReport(in directory: String? = nil) throws -> AtomicFile? {
        guard let path = report else { return nil }
        let file = try AtomicFile(path.hasPrefix("/") ? path : (directory.map { $0 + "/" } ?? "") + path)
        try file.removeOlder()
        return file
    }

    var nameEnd: NameEnd { isNullTerminated ? .nul : .line }
    var transcript: FeedTranscript { FeedTranscript(form, isQuiet: isQuiet, nameEnd: nameEnd) }
}

extension Interruption {
    /// A stream of the signal that ends a feed.
    var whileFeeding: AsyncStream<StopReason> { stream { StopReason($0) } }
    /// The reason for a stop requested by the user or the system; `nil` if none was requested.
    var reason: StopReason? { signal.map { StopReason($0) } }
}

extension StopReason {
    fileprivate init(_ signal: StopSignal) {
        self =
            switch signal {
            case .interrupted: .interrupted
            case .terminated: .terminated
            }
    }
}
