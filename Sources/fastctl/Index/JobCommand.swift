import ArgumentParsing
import Glibc
import JobJournal
import ReportRendering

/// The command line of a job, to be run once more in its own folder.
struct JobCommand {
    private let job: KeptJob
    private let words: [String]

    /// Creates the command line; `option` names the job in it, and `progress` replaces what it said of progress.
    init(_ job: KeptJob, _ option: String, _ progress: ProgressStyle) throws {
        self.job = job
        var words = job.record.job.words
        if progress.choice != .auto {
            words = CommandLineWords(words).setting("--progress", to: progress.choice.rawValue).words
        }
        if let interval = progress.interval {
            words = CommandLineWords(words).setting("--stats-interval", to: interval.argumentText).words
        }
        try Self.refuseHelper(in: words, of: job)
        let verb = words.first ?? ""
        // What a push has still to send is in the queue of its copy.
        if verb == "copies" {
            self.words = words
            return
        }
        words.removeAll { $0 == "--queue" }
        self.words = [verb, "\(option)=\(job.id)"] + words.dropFirst()
    }

    /// Refuses words of which a helper's were cut off.
    static func refuseHelper(in words: [String], of job: KeptJob) throws {
        guard words.isEmpty || words.contains("--credentials-helper") else { return }
        throw CommandFailure(
            .configuration,
            "the command of job \(job.id) is not kept: it names a helper, whose command may hold a secret",
            advice: "run the same command again"
        )
    }

    /// Replaces this process by the command.
    func replaceProcess() throws -> ExitCode {
        guard chdir(job.record.job.directory) == 0 else { throw Self.missingFolder(of: job) }
        var arguments = (["fastctl"] + words).map { strdup($0) } + [nil]
        execv("/proc/self/exe", &arguments)
        throw refused(errno)
    }

    /// Runs the command as a process of its own, and returns its exit code.
    func run() throws -> ExitCode {
        let here = ProcessEnvironment.currentFolder
        guard chdir(job.record.job.directory) == 0 else { throw Self.missingFolder(of: job) }
        defer { chdir(here) }
        var arguments = (["fastctl"] + words).map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child = pid_t()
        let error = posix_spawn(&child, "/proc/self/exe", nil, nil, &arguments, environ)
        guard error == 0 else { throw refused(error) }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return ExitCode(rawValue: status & 0x7F == 0 ? (status >> 8) & 0xFF : ExitStatus.terminated.rawValue)
    }

    private func refused(_ error: Int32) -> CommandFailure {
        CommandFailure(.exhausted, "cannot run the command again: \(String(cString: strerror(error)))", advice: nil)
    }

    /// A job whose folder is gone, where its relative paths would lead.
    static func missingFolder(of job: KeptJob) -> CommandFailure {
        CommandFailure(
            .inputNotOpened,
            "the folder of job \(job.id) is gone: '\(job.record.job.directory)'",
            advice: "create it, or discard the job"
        )
    }
}
