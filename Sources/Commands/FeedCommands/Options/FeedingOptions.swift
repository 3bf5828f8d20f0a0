package import ArgumentParsing
import CommandKit
package import ContentFeeding
import EngineCatalog
package import FeedJobs
import Files
import ReportKit
import TextKit

// MARK: Sending and journals

/// Options that determine how operations are sent, and when they count as done.
struct FeedingOptions: OptionSetting {
    @Option("--wait", value: "LEVEL", help: "The stage at which operations count as done")
    var level = CompletionLevel.secured

    @Option(
        "--batch-count",
        value: "N",
        help:
            "The maximum number of operations in a batch (default: adaptive, 1000 to 8000; 4000 for the embedded store)"
    )
    var batchCount: Int?

    @Option(
        "--batch-bytes",
        value: "SIZE",
        help: "The maximum size of IDs and documents in a batch (default: 1M or more)"
    )
    var batchBytes: ByteCount?

    @Option("--linger", value: "DURATION", help: "How long to wait before sending a batch that is not full")
    var linger = Duration.milliseconds(100)

    @Option(
        "--inflight",
        value: "N",
        help: "The number of batches in flight (default: adaptive, the smallest number that reaches full speed)"
    )
    var inFlight: Int?

    @Option("--rate", value: "RATE", help: "The maximum number of operations per second, or per minute as in 600/m")
    var rate: OperationRate?

    @Option("--retries", value: "N", help: "The number of times an operation is retried before it fails")
    var retries = 9

    @Option("--timeout", value: "DURATION", help: "How long an operation may take (default: no limit)")
    var timeout: Duration?

    @Option("--give-up-after", value: "DURATION", help: "Stop after this long without any success (0: never)")
    var giveUpAfter = Duration.seconds(15 * 60)

    @Option("--deadline", value: "DURATION", help: "Stop when the run has taken this long (default: never)")
    var deadline: Duration?

    @Option("--halt", value: "LIMIT", help: "Stop when this many documents have failed: fail=N or fail=N%")
    var halt: HaltPolicy?

    @Option("--max-spill", value: "SIZE", help: "The maximum disk space for data that does not fit in memory")
    var maximumSpill = ByteCount(bytes: 4 << 30)

    func validate() throws {
        if let batchCount, batchCount < 1 { throw ValidationError("--batch-count must be at least 1") }
        if let batchBytes, batchBytes.bytes < 1 { throw ValidationError("--batch-bytes must be at least 1") }
        if let inFlight, !(1...Self.maximumInFlight).contains(inFlight) {
            throw ValidationError("--inflight must be between 1 and \(Self.maximumInFlight)")
        }
        if timeout == .zero { throw ValidationError("--timeout must be longer than 0") }
        if deadline == .zero { throw ValidationError("--deadline must be longer than 0") }
        if !(0...1_000_000).contains(retries) { throw ValidationError("--retries must be between 0 and 1000000") }
    }

    func options(missing: MissingPolicy) -> FeedOptions {
        var options = FeedOptions()
        options.configuration.missing = missing
        options.configuration.level = level
        options.configuration.batchCount = batchCount
        options.configuration.batchBytes = batchBytes?.bytes
        options.configuration.linger = linger
        options.configuration.windowBytes = windowBytes
        options.configuration.retry.attempts = retries + 1
        options.configuration.operationTimeout = timeout
        options.configuration.batchesInFlight = inFlight.map { .fixed($0) } ?? .adaptive
        options.configuration.rate = rate
        options.configuration.giveUpAfter = giveUpAfter == .zero ? nil : giveUpAfter
        options.configuration.deadline = deadline
        options.configuration.halt = halt
        options.maximumSpillBytes = maximumSpill.bytes
        return options
    }

    /// The maximum number of batches in flight, which is more than any server processes at the same time.
    private static let maximumInFlight = 1024

    /// The maximum number of bytes of open operations: a few batches of the usual size, because keeping more documents
    /// in memory does not improve speed.
    private var windowBytes: Int { min(max(16 << 20, 4 * min(batchBytes?.bytes ?? 0, 16 << 20)), 64 << 20) }
}

extension OperationRate: ArgumentValue {
    /// Reads a rate: `500` and `500/s` are the same, and `90/m` is a rate per minute.
    package init(argument word: String) throws(ArgumentExpectation) {
        let parts = word.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let periods: [Substring: Duration] = ["s": .seconds(1), "m": .seconds(60)]
        guard let count = parts.first.flatMap({ Int($0) }), (1...Self.maximumCount).contains(count),
            let period = parts.count == 1 ? .seconds(1) : periods[parts[1]]
        else { throw ArgumentExpectation("a rate such as 500, 500/s or 90/m") }
        self.init(count, per: period)
    }

    package var argumentText: String { "\(count)/\(period == .seconds(1) ? "s" : "m")" }
}

extension HaltPolicy: ArgumentValue {
    /// Reads `fail=10` or `fail=5%`.
    package init(argument word: String) throws(ArgumentExpectation) {
        let value = word.hasPrefix("fail=") ? word.dropFirst(5) : ""
        if value.hasSuffix("%"), let share = Double(value.dropLast()), share > 0, share <= 100 {
            self = .percent(share)
        } else if let count = Int(value), count >= 1 {
            self = .errors(count)
        } else {
            throw ArgumentExpectation("a number of documents such as fail=10, or a share such as fail=5%")
        }
    }

    package var argumentText: String {
        switch self {
        case .errors(let count): "fail=\(count)"
        case .percent(let share): "fail=\(share)%"
        }
    }
}

/// Options that determine whether and how a job can be resumed.
struct JournalOptions: OptionSetting {
    @Option(
        "--journal",
        value: "DIR",
        completion: .files,
        help: "The folder for jobs with remote targets (default: fastctl/jobs below $XDG_STATE_HOME)"
    )
    var folder: String?

    @Flag("--no-journal", help: "Keep no journal: the run can't be resumed")
    var isOff

    @Flag("--resume", help: "Only resume: refuse an input that differs from the unfinished job's")
    var isResuming

    @Flag("--restart", help: "Start over, even if the same command has an unfinished job")
    var isRestarting

    @Option("--job", value: "ID", help: .hidden("The job to resume, with the input that it has kept"))
    var job: String?

    static let exclusive = [["--resume", "--restart", "--no-journal"]]

    func validate() throws {
        if folder == "" { throw ValidationError("--journal needs a folder name") }
    }

    /// The rules for keeping the job.
    var policy: JobPolicy {
        var policy = JobPolicy(folder: Self.namedOrOwn(folder))
        policy.isOff = isOff
        policy.isResuming = isResuming
        policy.isRestarting = isRestarting
        policy.job = job.map { JobID(rawValue: $0) }
        return policy
    }

    /// Returns the folder with that name, or otherwise the user's own; throws if there is neither.
    static func directory(_ folder: String?) throws -> String { try JobPolicy(folder: namedOrOwn(folder)).directory }

    private static func namedOrOwn(_ folder: String?) -> String? {
        folder.map { ProcessFacts.absolutePath(of: $0) } ?? ProcessEnvironment.stateFolder.map { $0 + "/jobs" }
    }
}

/// The option that 'jobs retry' adds when it runs the command of an ended job again.
struct RetryOptions: OptionSetting {
    @Option("--retry", value: "ID", help: .hidden("The job whose failed operations are the input"))
    var name: String?

    /// The job whose failed operations are the input; `nil` for the command's own input.
    var job: JobID? { name.map { JobID(rawValue: $0) } }
}

/// Options for input from files and pipes, which can be kept until it is sent.
struct QueueOptions: OptionSetting {
    @Flag("--queue", help: "Queue the operations; nothing is sent until 'fastctl jobs push'")
    var isQueueing

    @Option("--spool-max", value: "SIZE", help: "The maximum disk space for input from a pipe")
    var largestSpool = ByteCount(bytes: 8 << 30)

    static let exclusive = [["--queue", "--no-journal"], ["--queue", "--resume"]]

    /// Throws if the work is to be queued, because a source's entries are not kept.
    func refuseForSource() throws {
        if isQueueing {
            throw ValidationError("--queue cannot store a source; run the command when both sides are reachable")
        }
    }
}

/// Options for aliases, which can be filtered only in OpenSearch and Elasticsearch.
struct AliasOptions: OptionSetting {
    @Flag(
        "--ignore-alias-filter",
        help: "Access documents by ID through a filtered alias, even if its filter excludes them"
    )
    var ignoresFilter

    func apply(to target: inout OpenableTarget) { target.options.ignoresAliasFilter = ignoresFilter }
}

/// Options for ingest pipelines, which OpenSearch and Elasticsearch have.
struct PipelineOptions: OptionSetting {
    @Option(
        "--pipeline",
        value: "NAME|_none",
        completion: .values(["_none"]),
        help: "The OpenSearch or Elasticsearch ingest pipeline to use instead of the index's own (_none: none)"
    )
    private var name: String?

    /// The maximum length in bytes, which exceeds that of any pipeline's name.
    private static let longestName = 512

    func validate() throws {
        guard let name else { return }
        let isPlain = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard !name.isEmpty, name.utf8.count <= Self.longestName, isPlain else {
            throw ValidationError("the value of --pipeline is not a valid pipeline name")
        }
    }

    func apply(to target: inout OpenableTarget) throws {
        guard let name else { return }
        switch target.resolved.address.location {
        case .openSearch, .elasticsearch: target.options.pipeline = name
        case .sqlite, .solr, .distributor:
            throw ArgumentError(
                "--pipeline is for OpenSearch and Elasticsearch, and the target is neither",
                advice: "Leave it out"
            )
        }
    }
}

/// Options for the key that contains a document's ID, which OpenSearch and Elasticsearch don't need.
struct IDKeyOptions: OptionSetting {
    @Flag(
        "--id-in-source",
        help: "Store the ID's key in each document, even if the mapping refuses it or the document lacks it"
    )
    var isInSource

    /// Applies the options; `field` is the key of the ID in the input.
    func apply(field: String?, to target: inout OpenableTarget) {
        target.options.idKey = field ?? target.options.idKey
        target.options.keepsIDInSource = isInSource
    }
}

// MARK: Guards

/// Options that guard against removing the wrong documents.
struct RemovalGuards: OptionSetting {
    @OptionGroup("Guards") var dryRun: DryRunOptions

    @Option(
        "--max-remove",
        value: "N|N%",
        help: "Send nothing if there are more removals than this number, or this share of the collection"
    )
    var maximum: RemovalLimit?

    @Option(
        "--backup",
        value: "FILE",
        completion: .files,
        help: "Save each document to this new file before it is removed; 'fastctl undo JOB' restores them"
    )
    var backup: String?

    @Option(
        "--verify",
        value: "sample:N",
        withoutValue: .all,
        help: "At the end, look up every ID, or a random sample of N; any that still exists is an error"
    )
    var verification: VerificationScope?

    @OptionGroup("Guards") var alias: AliasOptions
    @OptionGroup("Guards") var protection: ProtectionOptions

    func validate() throws {
        try ValidationError.requireFile(backup, of: "--backup")
        if verification == .content {
            throw ValidationError("--verify=content compares contents, and a removal leaves none: use --verify")
        }
    }
}

/// Options for a dry run, which only shows the effects of the real run.
struct DryRunOptions: OptionSetting {
    @Option(
        "--dry-run",
        "-n",
        "--what-if",
        value: "SIDE",
        withoutValue: .client,
        help: "Only show what would be done; =server looks up the documents, and shows what would change"
    )
    var side: DryRunSide?

    @Flag("--all", help: "With --dry-run: show every item, not only the first ten")
    var showsAll

    func validate() throws {
        if showsAll, side == nil {
            throw ValidationError("--all shows every item of a dry run, so it needs --dry-run")
        }
    }

    /// Refuses an option that has no meaning if nothing is sent.
    func refuse(_ option: String, if isGiven: Bool, because reason: String) throws {
        guard side != nil, isGiven else { return }
        throw ValidationError("\(option) and --dry-run cannot be used together: \(reason)")
    }
}

/// Options that guard adding and updating.
struct FeedGuards: OptionSetting {
    @OptionGroup("Guards") var dryRun: DryRunOptions

    @Option(
        "--backup",
        value: "FILE",
        completion: .files,
        help: "Save each document to this new file before it changes; 'fastctl undo JOB' restores everything"
    )
    var backup: String?

    @Option(
        "--verify",
        value: "content|sample:N",
        withoutValue: .all,
        help:
            "At the end, look up every ID, or a random sample of N; a document that does not exist, or whose content differs in meaning from the added document, is an error; content also compares the keys that updates sent, and fails if a content can't be compared"
    )
    var verification: VerificationScope?

    @OptionGroup("Guards") var alias: AliasOptions
    @OptionGroup("Guards") var protection: ProtectionOptions

    func validate() throws {
        try ValidationError.requireFile(backup, of: "--backup")
        try dryRun.refuse("--backup", if: backup != nil, because: "nothing is changed")
        try dryRun.refuse("--verify", if: verification != nil, because: "nothing is changed")
    }
}

/// Options that guard a run that always backs up its changes: carrying out a plan, and undoing a job.
struct BackedUpGuards: OptionSetting {
    @OptionGroup("Guards") var dryRun: DryRunOptions

    @Option(
        "--max-remove",
        value: "N|N%",
        help: "Send nothing if there are more removals than this number, or this share of the collection"
    )
    var maximum: RemovalLimit?

    @Option(
        "--backup",
        value: "FILE",
        completion: .files,
        help: "Save each document to this new file before it changes (default: a file next to the job's journal)"
    )
    var backup: String?

    @OptionGroup("Guards") var protection: ProtectionOptions

    func validate() throws {
        try ValidationError.requireFile(backup, of: "--backup")
        try dryRun.refuse("--backup", if: backup != nil, because: "nothing is changed")
    }
}

/// A guard against removals among documents that are added or updated.
struct RemovalsAmongDocuments: OptionSetting {
    @Option(
        "--max-remove",
        value: "N|N%",
        help: "Send nothing if the input removes more documents than this number or share; reads files twice"
    )
    var maximum: RemovalLimit?
}

extension MissingPolicy: ArgumentValue {}
extension CompletionLevel: ArgumentValue {}

/// The point at which a dry run stops.
enum DryRunSide: String, CaseIterable, ArgumentValue {
    /// Only the input is read; the store is not contacted.
    case client
    /// The documents are also looked up in the store.
    case server
}

extension VerificationScope: ArgumentValue {
    /// The largest sample, because it is held in memory.
    private static let maximumSample = 100_000

    package init(argument word: String) throws(ArgumentExpectation) {
        let prefix = "sample:"
        if word == "all" {
            self = .all
        } else if word == "content" {
            self = .content
        } else if word.hasPrefix(prefix), let count = Int(word.dropFirst(prefix.count)), count > 0,
            count <= Self.maximumSample
        {
            self = .sample(count)
        } else {
            throw ArgumentExpectation("'all', 'content', or 'sample:N' with N from 1 to \(Self.maximumSample)")
        }
    }

    package var argumentText: String {
        switch self {
        case .all: "all"
        case .sample(let count): "sample:\(count)"
        case .content: "content"
        }
    }
}

extension RemovalLimit: ArgumentValue {
    /// Reads `500`, or `10%`.
    package init(argument word: String) throws(ArgumentExpectation) {
        guard let limit = RemovalLimit(text: word) else {
            throw ArgumentExpectation("a number such as 500, or a share such as 10%")
        }
        self = limit
    }

    package var argumentText: String { text }
}
