import ArgumentParsing
import ReportRendering

/// Options for whether and how a job can be resumed.
struct JournalOptions: OptionSetting {
    @Option(
        "--journal",
        value: "DIR",
        completion: .files,
        help: "The folder that keeps jobs of remote targets (default: fastctl/jobs below $XDG_STATE_HOME)"
    )
    var folder: String?

    @Flag("--no-journal", help: "Keep no journal: the run can't be resumed")
    var isOff

    @Flag("--resume", help: "Only resume: refuse an input that differs from the unfinished job's")
    var isResuming

    @Flag("--restart", help: "Begin anew, even if the same command has an unfinished job")
    var isRestarting

    @Flag("--queue", help: "Only accept the work: nothing is sent before 'fastctl jobs push'")
    var isQueueing

    @Option("--spool-max", value: "SIZE", help: "The maximum disk space for what comes through a pipe")
    var largestSpool = ByteCount(bytes: 8 << 30)

    @Option("--job", value: "ID", help: .hidden("The job to resume, with the input that it has kept"))
    var job: String?

    @Option("--retry", value: "ID", help: .hidden("The job whose failed operations are the input"))
    var retried: String?

    static let exclusive = [
        ["--resume", "--restart", "--no-journal"], ["--queue", "--no-journal"], ["--queue", "--resume"],
    ]

    func validate() throws {
        if folder == "" { throw ValidationError("--journal needs the name of a folder") }
    }

    /// Throws if the work is only to be accepted: nothing keeps what a source has.
    func refuseForSource() throws {
        if isQueueing { throw ValidationError("--queue cannot keep a source; run it when both answer") }
    }

    /// The folder of the jobs of remote targets.
    var directory: String { get throws { try Self.directory(folder) } }

    /// Returns the folder of that name, or the user's own.
    static func directory(_ folder: String?) throws -> String {
        if let folder { return ProcessEnvironment.absolutePath(of: folder) }
        let environment = ProcessEnvironment.values
        let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        guard let base = state ?? environment["HOME"].map({ $0 + "/.local/state" }), base.hasPrefix("/") else {
            throw CommandFailure(
                .configuration,
                "no folder for the journal: neither XDG_STATE_HOME nor HOME is set",
                advice: "name one with --journal DIR, or run with --no-journal"
            )
        }
        return base + "/fastctl/jobs"
    }
}
