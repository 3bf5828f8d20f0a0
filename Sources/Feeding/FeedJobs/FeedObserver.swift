public import ContentFeeding
import Glibc
public import TextKit

/// The receiver of whatever a feed has to report to people before, between and after its events.
public protocol FeedObserver: Sendable {
    /// Receives a remark: a line for people, such as `resuming job 01J…: 2 operations were settled`.
    func remark(_ line: String)
}

/// An observer that ignores all remarks.
public struct SilentObserver: FeedObserver {
    /// Creates an observer that ignores all remarks.
    public init() {}

    /// Ignores a remark.
    public func remark(_ line: String) {}
}

/// An observer that calls a function for each remark.
public struct RemarkPrinter: FeedObserver {
    private let print: @Sendable (String) -> Void

    /// Creates an observer that calls a function for each remark.
    public init(_ print: @escaping @Sendable (String) -> Void) { self.print = print }

    /// Calls the function.
    public func remark(_ line: String) { print(line) }
}

/// Rules for keeping a job, so that the same plan resumes it after an interruption.
public struct JobPolicy: Sendable {
    /// The folder that keeps jobs of remote targets; `nil` if there is none.
    ///
    /// An embedded store keeps its own.
    public var folder: String?
    /// Whether nothing is kept: the run can't be resumed.
    public var isOff = false
    /// Whether an input that differs from that of the unfinished job is refused, instead of beginning a new job.
    public var isResuming = false
    /// Whether unfinished jobs of the same plan are cancelled.
    public var isRestarting = false
    /// The most bytes on disk for what comes through a pipe.
    public var maximumSpoolBytes = 8 << 30
    /// The job to resume, with the input that it has kept.
    public var job: JobID?
    /// The job whose failed operations are the input.
    public var retried: JobID?

    /// Creates the usual rules.
    public init(folder: String? = nil) { self.folder = folder }

    /// The folder of the jobs of remote targets.
    package var directory: String {
        get throws(FeedJobError) {
            if let folder { return folder }
            throw FeedJobError(
                .configuration,
                "no folder for the journal: neither XDG_STATE_HOME nor HOME is set",
                advice: "name one with --journal DIR, or run with --no-journal"
            )
        }
    }
}

/// The most documents to remove: `500`, or `10%` of those in the collection.
public enum RemovalLimit: Hashable, Sendable {
    case count(Int)
    case percent(Double)

    /// Returns the limit in operations, for a collection of this many documents.
    public func operations(of documents: Int) -> Int {
        switch self {
        case .count(let count): count
        case .percent(let share):
            // The largest counts, rounded to a `Double`, exceed `Int`.
            min(documents, Int(exactly: (Double(documents) * share / 100).rounded(.down)) ?? documents)
        }
    }
}

/// The documents read again at the end: all, or a random sample.
public enum VerificationScope: Hashable, Sendable {
    case all
    case sample(Int)
}

/// The failure of a feed before anything is sent, or after everything is.
public struct FeedJobError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Hashable, Sendable {
        /// The plan contradicts itself.
        case usage
        /// The target is not what the job or the plan needs.
        case configuration
        /// The input is not what the job was begun with, or is damaged.
        case inputRejected
        /// An input or backup can't be opened.
        case inputNotOpened
        /// A guard refuses the feed.
        case refused
        /// A file can't be created.
        case outputNotCreated
        /// A file can't be written.
        case inputOutput
        /// More than memory or disk can hold.
        case exhausted
    }

    /// The kind of failure, for programs to act on.
    public let code: Code
    /// What happened, as a fragment that can follow `error: `.
    public let message: String
    /// What to do next; `nil` if there is no advice.
    public let advice: String?

    /// Creates an error.
    public init(_ code: Code, _ message: String, advice: String? = nil) {
        self.code = code
        self.message = message
        self.advice = advice
    }

    public var description: String { advice.map { "\(message); \($0)" } ?? message }
}

extension FeedJobError: AdvisedError {
    public var failure: Failure { Failure(status, message, advice: advice) }

    private var status: ExitStatus {
        switch code {
        case .usage: .usage
        case .configuration: .configuration
        case .inputRejected: .inputRejected
        case .inputNotOpened: .inputNotOpened
        case .refused: .refused
        case .outputNotCreated: .outputNotCreated
        case .inputOutput: .inputOutput
        case .exhausted: .exhausted
        }
    }
}

/// The folder and the time of this process, which jobs remember.
package enum ProcessFacts {
    /// The folder that relative paths begin at.
    package static var folder: String {
        guard let path = getcwd(nil, 0) else { return "." }
        defer { free(path) }
        return String(cString: path)
    }

    package static func absolutePath(of path: String) -> String { path.hasPrefix("/") ? path : folder + "/" + path }

    /// The current time, counted from 1970.
    package static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
