import CollectionSync
import ContentFeeding
import EngineCatalog
import FeedFormats
import FeedReports
import Files
import Glibc
import JobJournal
import LogDiagnosis
import Reconciliation
import ReportKit
import Sources
import Threads
import ULSLog
import WebConfig

/// A command's failure: its exit code, what happened, and what to do next.
struct CommandFailure: Error, Sendable {
    let status: ExitStatus
    let message: String
    let advice: String?

    init(_ status: ExitStatus, _ message: String, advice: String?) {
        self.status = status
        self.message = message
        self.advice = advice
    }

    static func interrupted(_ reason: StopReason) -> Self {
        Self(
            ExitStatus(reason),
            "interrupted before anything was sent",
            advice: "run it again: \(CommandLineWords.ofProcess)"
        )
    }
}

extension CommandFailure {
    /// Turns any error that a command can throw into words and an exit code; the only place that does so.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as EngineError:
            self.init(ExitStatus(error.code), error.message, advice: error.advice ?? error.code.advice)
        case let error as FileError: self.init(error)
        case let error as InputError:
            self.init(ExitStatus(error.code), error.description, advice: error.code.advice)
        case let error as SourceError: self.init(ExitStatus(error.code), error.message, advice: error.advice)
        case let shortage as SystemShortage:
            self.init(.exhausted, "\(shortage)", advice: shortage.advice)
        case let error as SpillError:
            self.init(
                .inputOutput,
                error.description,
                advice: "check that disk, free some space on it, or raise --max-spill"
            )
        case let error as SyncError:
            self.init(error.code == .workLeft ? .documentsFailed : .refused, error.message, advice: error.advice)
        case let error as PlanError: self.init(ExitStatus(error.code), error.message, advice: error.advice)
        case let error as JobError: self.init(ExitStatus(error.code), error.message, advice: error.advice)
        case let error as LogError:
            self.init(ExitStatus(error.code), error.message, advice: error.advice)
        case let error as LogSourceError:
            self.init(ExitStatus(error.code), error.message, advice: error.advice)
        case let error as WebConfigError:
            // The description itself says what to do.
            self.init(ExitStatus(error.code), error.description, advice: nil)
        case let error as RuleError:
            self.init(.configuration, error.description, advice: nil)
        case is CancellationError:
            self.init(.interrupted, "interrupted", advice: "run it again: \(CommandLineWords.ofProcess)")
        default:
            self.init(.unbalanced, "\(error)", advice: "please report this: it is a bug in this program")
        }
    }
}

extension CommandFailure {
    /// Words the failure to write a file.
    private init(_ error: FileError) {
        switch error.operation {
        case _ where error.isShortage:
            self.init(
                .exhausted,
                "cannot use '\(error.path)': \(error.reason)",
                advice: "raise the limit of open files (ulimit -n), then run it again"
            )
        case .create, .replace:
            self.init(
                .outputNotCreated,
                "cannot create '\(error.path)': \(error.reason)",
                advice: "use a file in a folder that you can write to"
            )
        default:
            self.init(
                .inputOutput,
                "cannot write '\(error.path)': \(error.reason)",
                advice: Self.adviceOnWriting(error.code)
            )
        }
    }
}

extension CommandFailure {
    /// Returns what to do about an error in writing, which is not always a full disk.
    static func adviceOnWriting(_ code: CInt?) -> String {
        switch code {
        case ENOSPC, EDQUOT: "free some disk space, or write elsewhere"
        case EFBIG: "raise the limit of the size of files (ulimit -f), or write elsewhere"
        case EBADF: "leave it open, or redirect it to a file"
        case EPIPE: "its reader has gone: let it read to the end, or write to a file"
        case EIO: "check the disk, or write elsewhere"
        default: "write elsewhere"
        }
    }
}

extension CommandLineWords {
    /// The command line as typed, with the program's usual name.
    ///
    /// A helper's command may hold a secret and is cut off after its name, as everywhere.
    static var ofProcess: CommandLineWords {
        let words = CommandLineWords(["fastctl"] + CommandLine.arguments.dropFirst())
        guard let helper = words.value(of: "--credentials-helper") else { return words }
        let setting = Setting(.credentialsHelper, helper, .option("--credentials-helper"))
        return words.setting("--credentials-helper", to: setting.shownValue)
    }
}

extension ExitStatus {
    fileprivate init(_ code: InputError.Code) {
        self =
            switch code {
            case .cannotRead, .spoolFull, .spoolFailed: .inputOutput
            case .exhausted: .exhausted
            case .changed: .inputRejected
            default: .inputNotOpened
            }
    }
}

extension ExitStatus {
    fileprivate init(_ code: SourceError.Code) {
        self =
            switch code {
            case .invalidAddress: .usage
            case .missing: .inputNotOpened
            case .permission: .permission
            case .unreachable, .unusable, .changed: .targetUnusable
            case .unsupported: .configuration
            case .inputOutput: .inputOutput
            case .cancelled: .interrupted
            }
    }
}

extension ExitStatus {
    fileprivate init(_ code: PlanError.Code) {
        self =
            switch code {
            case .cannotOpen: .inputNotOpened
            case .cannotRead: .inputOutput
            case .malformed, .truncated: .inputRejected
            case .edited: .refused
            }
    }
}

extension ExitStatus {
    fileprivate init(_ code: JobError.Code) {
        self =
            switch code {
            case .missing, .ended: .configuration
            case .running, .superseded: .incomplete
            case .unsafeFolder, .notCreated: .outputNotCreated
            case .blank, .unusable, .inputOutput: .inputOutput
            }
    }
}

extension ExitStatus {
    fileprivate init(_ code: LogError.Code) {
        self =
            switch code {
            case .usage: .usage
            case .cannotRead: .inputOutput
            default: .inputNotOpened
            }
    }
}

extension ExitStatus {
    fileprivate init(_ code: LogSourceError.Code) {
        self =
            switch code {
            case .cannotRead, .damaged, .tooLarge: .inputOutput
            case .unknownEncoding: .usage
            case .exhausted: .exhausted
            default: .inputNotOpened
            }
    }
}

extension ExitStatus {
    fileprivate init(_ code: WebConfigError.Code) {
        self =
            switch code {
            case .badLabel: .usage
            case .cannotOpen, .notFound: .inputNotOpened
            case .changed, .nothingToUndo: .refused
            case .cannotWrite: .outputNotCreated
            default: .inputRejected
            }
    }
}

extension InputError.Code {
    fileprivate var advice: String {
        switch self {
        case .missing: "check the path; nothing was sent"
        case .exhausted: "raise the limit of open files (ulimit -n); nothing was sent"
        case .permission: "make it readable, or pipe it in; nothing was sent"
        case .directory: "name each file in it with --from; nothing was sent"
        case .unknownColumn:
            "name the ID column with --column for removals, or --field for documents; nothing was sent"
        case .malformedHeader: "correct the first row; nothing was sent"
        case .wrongFormat: "use --format to name its format; nothing was sent"
        case .cannotOpen: "nothing was sent"
        case .cannotRead: "run it again when the input can be read"
        case .changed: "put it back as it was, or run the job's own command again, which begins a new job"
        case .spoolFull, .spoolFailed: "free some space, raise --spool-max, or run with --no-journal"
        }
    }
}

extension EngineError.Code {
    /// Advice for when the engine gives none.
    fileprivate var advice: String? {
        switch self {
        case .unreachable: "check the address, and whether the engine is running"
        case .unusable: "use another store with --target, or restore this one from a backup"
        case .locked: "run it again, or wait longer with --busy-timeout"
        case .diskFull: "free some disk space, then run it again"
        case .inputOutput: "check the disk, then run it again"
        case .permission: "check the owner of the file and its folder"
        case .exhausted: "raise the limits of this process (ulimit -n, -u, -v), then run it again"
        case .missingCollection: "list the collections: fastctl collections list"
        case .collectionExists: "see what is in it: fastctl collections show NAME"
        case .missingTarget: "create it: fastctl collections create NAME"
        default: nil
        }
    }
}
