package import ArgumentParsing
import CommandKit
package import ContentFeeding
package import FeedJobs

/// Options that guard against removing the wrong documents.
struct RemovalGuards: OptionSetting {
    @OptionGroup("Guards") var dryRun: DryRunOptions

    @Option(
        "--max-remove",
        value: "N|N%",
        help: "Send nothing if there are more removals than this, or than this share of the collection"
    )
    var maximum: RemovalLimit?

    @Option(
        "--backup",
        value: "FILE",
        completion: .files,
        help: "Save each document to this new file before it is removed; 'fastctl add FILE' restores them"
    )
    var backup: String?

    @Option(
        "--verify",
        value: "sample:N",
        withoutValue: .all,
        help: "Afterwards look up every ID, or a random sample of N; any that still exists is an error"
    )
    var verification: VerificationScope?

    @OptionGroup("Guards") var alias: AliasOptions
    @OptionGroup("Guards") var protection: ProtectionOptions

    func validate() throws { try ValidationError.requireFile(backup, of: "--backup") }
}

/// Options for a run that only shows what would be done.
struct DryRunOptions: OptionSetting {
    @Option(
        "--dry-run",
        "-n",
        "--what-if",
        value: "SIDE",
        withoutValue: .client,
        help: "Only show what would be done; =server looks the documents up, and says what would change"
    )
    var side: DryRunSide?

    @Flag("--all", help: "With --dry-run: show every item, not only the first ten")
    var showsAll

    func validate() throws {
        if showsAll, side == nil { throw ValidationError("--all needs --dry-run") }
    }

    /// Refuses an option that has no meaning where nothing is sent.
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
        help: "Save each document to this new file before it changes; 'fastctl add FILE' puts everything back"
    )
    var backup: String?

    @Option(
        "--verify",
        value: "sample:N",
        withoutValue: .all,
        help: "Afterwards look up every ID, or a random sample of N; any that does not exist is an error"
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

/// Options that guard a run which always backs up what it changes: carrying out a plan, and taking back a job.
struct BackedUpGuards: OptionSetting {
    @OptionGroup("Guards") var dryRun: DryRunOptions

    @Option(
        "--max-remove",
        value: "N|N%",
        help: "Send nothing if there are more removals than this, or than this share of the collection"
    )
    var maximum: RemovalLimit?

    @Option(
        "--backup",
        value: "FILE",
        completion: .files,
        help: "Save each document to this new file before it changes (default: a file beside the job's journal)"
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
        help: "Send nothing if the input removes more documents than this, or than this share; reads files twice"
    )
    var maximum: RemovalLimit?
}

extension MissingPolicy: ArgumentValue {}
extension CompletionLevel: ArgumentValue {}

/// The point where a dry run stops.
enum DryRunSide: String, CaseIterable, ArgumentValue {
    /// Input only; no store is touched.
    case client
    /// Lookup of the documents in the store.
    case server
}

extension VerificationScope: ArgumentValue {
    /// The largest sample, because it is held in memory.
    private static let maximumSample = 100_000

    package init(argument word: String) throws(ArgumentExpectation) {
        let prefix = "sample:"
        if word == "all" {
            self = .all
        } else if word.hasPrefix(prefix), let count = Int(word.dropFirst(prefix.count)), count > 0,
            count <= Self.maximumSample
        {
            self = .sample(count)
        } else {
            throw ArgumentExpectation("'all', or 'sample:N' with N from 1 to \(Self.maximumSample)")
        }
    }

    package var argumentText: String {
        switch self {
        case .all: "all"
        case .sample(let count): "sample:\(count)"
        }
    }
}

extension RemovalLimit: ArgumentValue {
    /// Reads `500`, or `10%`.
    package init(argument word: String) throws(ArgumentExpectation) {
        if word.hasSuffix("%"), let value = Double(word.dropLast()), value >= 0, value <= 100 {
            self = .percent(value)
        } else if let value = Int(word), value >= 0 {
            self = .count(value)
        } else {
            throw ArgumentExpectation("a number such as 500, or a share such as 10%")
        }
    }

    package var argumentText: String {
        switch self {
        case .count(let count): "\(count)"
        case .percent(let share): "\(share)%"
        }
    }
}
