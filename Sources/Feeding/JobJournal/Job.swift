public import ContentFeeding
public import TextKit

/// The description of a feed that can be resumed, with its command and its origin.
public struct JobDescription: Hashable, Sendable {
    /// The job's name.
    public let id: JobID
    /// The SHA-256 digest of the properties that make two commands the same job: operation, target, collection, input
    /// and its format.
    public let identity: [UInt8]
    /// The kind of the job's operations.
    public let kind: ContentOperation.Kind
    /// The target's address, without secrets.
    public let target: String
    /// The collection that the job changes.
    public let collection: CollectionName
    /// The identity that distinguished the collection from others of the same name when the job began; `nil` if it had
    /// none.
    public let incarnation: String?
    /// The words of the command line, without the program's name.
    public let words: [String]
    /// The folder in which the command ran.
    public let directory: String
    /// The file that stores the data from standard input; `nil` if there is none.
    public let spool: String?
    /// The time when the command started, as the time since 1970.
    public let startedAt: Duration

    /// Creates the description of a job.
    public init(
        id: JobID,
        identity: [UInt8],
        kind: ContentOperation.Kind,
        target: String,
        collection: CollectionName,
        incarnation: String? = nil,
        words: [String],
        directory: String,
        spool: String?,
        startedAt: Duration
    ) {
        self.id = id
        self.identity = identity
        self.kind = kind
        self.target = target
        self.collection = collection
        self.incarnation = incarnation
        self.words = words
        self.directory = directory
        self.spool = spool
        self.startedAt = startedAt
    }
}

/// A job as stored in its journal.
public struct JobRecord: Hashable, Sendable {
    /// The stage that a job can be in.
    public enum Stage: String, Hashable, Sendable, CaseIterable {
        /// Accepted, but nothing has been sent yet.
        case queued
        /// Begun, and neither finished nor canceled; it is running if a process holds its lock.
        case open
        /// Fed completely; some documents may have failed.
        case finished
        /// Canceled by the user.
        case cancelled

        /// Whether there is work left to do.
        public var isUnfinished: Bool { self == .queued || self == .open }
    }

    /// The description of the job.
    public let job: JobDescription
    /// The stage that the job has reached.
    public let stage: Stage
    /// The number of times that a process has claimed the job.
    public let epoch: Int
    /// The time of the last change, as the time since 1970.
    public let changedAt: Duration
    /// The number of settled operations by outcome.
    public let counts: FeedCounts
    /// The counts for the input read so far.
    public let input: InputTally
    /// The highest number of an operation known to be accepted.
    public let acceptedThrough: OperationID
    /// The number of operations that the last run had accepted when it ended; `nil` if it was killed, or is running.
    public let acceptedAtEnd: Int?
    /// The highest number of an operation that may have been sent without a known reply; 0 if there is none, or if the
    /// engine keeps the progress itself.
    public let leasedThrough: OperationID
    /// The number of document errors so far.
    public let errors: Int
    /// The number of document warnings so far.
    public let warnings: Int
    /// The files to which the job's runs have backed up documents, oldest first.
    public let backups: [String]
    /// The seals of the backup files, as of the end of the runs that wrote them, if known.
    public let seals: [String: BackupSeal]
    /// The position in the input up to which all operations are settled.
    public let progress: FeedProgress
    /// The earlier run whose operations are sent again; `nil` if there is none.
    public let repeated: RepeatedRun?
}

extension JobRecord {
    init(new job: JobDescription, _ stage: Stage) {
        self.init(
            job: job,
            stage: stage,
            epoch: 0,
            changedAt: job.startedAt,
            counts: FeedCounts(),
            input: InputTally(),
            acceptedThrough: OperationID(rawValue: 0),
            acceptedAtEnd: nil,
            leasedThrough: OperationID(rawValue: 0),
            errors: 0,
            warnings: 0,
            backups: [],
            seals: [:],
            progress: FeedProgress(job: job.id),
            repeated: nil
        )
    }
}

extension JobRecord {
    /// The number of operations that the job has accepted, whether settled or open.
    public var accepted: Int {
        max(acceptedAtEnd ?? Int(clamping: acceptedThrough.rawValue), counts.settled)
    }

    /// The number of accepted operations that have not settled yet.
    public var open: Int { accepted - counts.settled }

    /// Whether more operations than ``accepted`` may have been accepted, because the last run was killed or is still
    /// reading.
    public var isAcceptedAtLeast: Bool {
        switch stage {
        case .queued, .finished: false
        case .open, .cancelled: acceptedAtEnd == nil
        }
    }

    /// The known status of an operation in the job's input.
    public enum Fate: Hashable, Sendable {
        /// The operation has settled.
        case settled
        /// The operation may have been sent, but no reply is known.
        case unknown
        /// The operation was not sent.
        case unsent
        /// The operation was added to the input after the job had ended.
        case later
    }

    /// Returns the known status of the operation with this number.
    public func fate(of operation: OperationID) -> Fate {
        // The end of a finished job settles operations that were never part of a batch.
        if stage == .finished { return operation <= acceptedThrough ? .settled : .later }
        if progress.isSettled(operation) { return .settled }
        if repeated?.isSettled(operation) == true { return .unknown }
        return operation <= leasedThrough ? .unknown : .unsent
    }
}

/// A summary of a job's complete backup file, used to detect lost and changed lines.
public struct BackupSeal: Hashable, Sendable {
    /// The number of line ends.
    public let lines: Int
    /// The digest of all bytes, in hexadecimal digits.
    public let digest: String

    /// Creates a seal.
    public init(lines: Int, digest: String) { (self.lines, self.digest) = (lines, digest) }
}

extension BackupSeal {
    /// The seal as a word of the journal.
    var word: String { "\(lines) \(digest)" }

    /// Parses the word; returns `nil` if it is invalid.
    init?(word: String) {
        let parts = word.split(separator: " ")
        guard parts.count == 2, let lines = Int(parts[0]) else { return nil }
        self.init(lines: lines, digest: String(parts[1]))
    }
}

/// A failure to store or resume a job.
public struct JobError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, for programs to act on.
    public enum Code: Hashable, Sendable {
        /// No job has this name.
        case missing
        /// Another process is working on the job.
        case running
        /// Another process has taken the job over.
        case superseded
        /// The job has no operations left to send.
        case ended
        /// The journal is damaged, or was written by a newer version.
        case unusable
        /// The folder's file system does not reliably preserve data or locks.
        case unsafeFolder
        /// The folder or a file in it can't be created or opened.
        case notCreated
        /// The disk is full, or can't be written or read.
        case inputOutput
    }

    /// The kind of failure.
    public let code: Code
    /// A description of the failure, naming the object, as a fragment that can follow `error: `.
    public let message: String
    /// The next step for the user; `nil` if there is none.
    public let advice: String?

    /// Creates an error.
    public init(_ code: Code, _ message: String, advice: String? = nil) {
        self.code = code
        self.message = message
        self.advice = advice
    }

    public var description: String { message + (advice.map { "; \($0)" } ?? "") }
}

/// The notation of a condition in a journal: a word, usually followed by a colon and a value.
extension WriteCondition {
    var journalText: String {
        switch self {
        case .absent: Word.absent.rawValue
        case .unchanged(let version): "\(Word.unchanged):\(version.rawValue)"
        case .olderThan(let version): "\(Word.older):\(version)"
        case .contents(let contents): "\(Word.contents):\(contents.map(\.rawValue).joined(separator: ","))"
        }
    }

    /// Parses a condition; returns `nil` if this version of the program does not support it.
    init?(journalText text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let rest = parts.count == 2 ? String(parts[1]) : nil
        switch (Word(rawValue: String(parts[0])), rest) {
        case (.absent, nil): self = .absent
        case (.unchanged, let version?): self = .unchanged(DocumentVersion(rawValue: version))
        case (.older, let version?):
            guard let version = Int64(version) else { return nil }
            self = .olderThan(version)
        case (.contents, let list?):
            let digests = list.split(separator: ",").map { ContentDigest(rawValue: String($0)) }
            guard digests.allSatisfy({ $0 != nil }) else { return nil }
            self = .contents(digests.compactMap(\.self))
        default: return nil
        }
    }

    private enum Word: String {
        case absent, unchanged, older, contents
    }
}

// MARK: - For people

extension JobError: AdvisedError {
    /// The error as shown to users, with its exit status.
    public var failure: Failure {
        Failure(ExitStatus(code), message, advice: advice)
    }
}

extension ExitStatus {
    fileprivate init(_ code: JobError.Code) {
        self =
            switch code {
            case .missing, .ended: .configuration
            case .running, .superseded: .incomplete
            case .unsafeFolder, .notCreated: .outputNotCreated
            case .unusable, .inputOutput: .inputOutput
            }
    }
}

// MARK: - Errors and warnings

/// The errors and warnings of a job, page by page.
package struct IssuePages: AsyncSequence, Sendable {
    let ledger: JobLedger
    let id: JobID
    let done: Int

    package struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        fileprivate let ledger: JobLedger
        fileprivate let id: JobID
        fileprivate var done: Int

        package mutating func next() async throws(JobError) -> [OperationOutcome]? {
            let page = try await ledger.issues(of: id, after: done)
            done += page.count
            return page.isEmpty ? nil : page
        }
    }

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(ledger: ledger, id: id, done: done) }
}
