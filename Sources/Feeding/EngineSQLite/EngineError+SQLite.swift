import ContentFeeding
import Glibc
import JobJournal
import SQLiteStore

extension EngineError {
    /// Creates an error that names the store, says what is wrong and what to do.
    init(any error: any Error, path: String, busyTimeout: Duration) {
        if let error = error as? EngineError {
            self = error
        } else if let error = error as? JobError {
            self.init(error.code == .superseded ? .locked : .unusable, error.message, advice: error.advice)
        } else if let error = error as? SQLiteError {
            self.init(error, path: path, busyTimeout: busyTimeout)
        } else {
            self.init(.unusable, "\(path): \(error)", cause: error)
        }
    }

    private init(_ error: SQLiteError, path: String, busyTimeout: Duration) {
        let (code, what, advice) = Self.meaning(of: error, busyTimeout)
        self.init(code, "\(path): \(what)", advice: advice, cause: error)
    }

    private static func meaning(of error: SQLiteError, _ busyTimeout: Duration) -> (Code, String, String?) {
        // Without memory or descriptors every call fails in a way of its own, and none is the store's fault.
        if Code(systemError: error.systemError) == .exhausted {
            return (.exhausted, "the system refuses what the store needs: \(error.systemMessage)", nil)
        }
        return switch error.code {
        case .busy:
            (
                .locked, "another process has been writing for more than \(busyTimeout.formattedSeconds)",
                "run the same command again, or wait longer with --busy-timeout"
            )
        case .full: (.diskFull, "the disk is full", "free some space, and run the same command again")
        case .inputOutput: (.inputOutput, "the disk can't be read or written: \(error)", "check the disk")
        case .readOnly:
            (.permission, "the store can't be written: \(error.message)", "check the owner of the file and its folder")
        case .cannotOpen:
            (
                error.systemError == 0 ? .unusable : Code(systemError: error.systemError),
                "the store can't be opened: \(error.message)", "check the permissions of the file and its folder"
            )
        case .corrupt:
            (.unusable, "the store is damaged: \(error.message)", "restore it, or feed its documents to a new one")
        case .notADatabase: (.unusable, "the file is not a fastctl store", "name another file")
        case .blank:
            (.unusable, "the file is empty, not a store yet", "create a collection in it, or name another file")
        case .wrongApplication: (.unusable, error.message, "name another file")
        case .newerSchema:
            (.unusable, "the store was made by a newer version of fastctl: \(error.message)", "use that version")
        case .moved:
            (
                .unusable, error.message,
                "find out who did that; end every run before a store is moved, together with its -wal and -shm files"
            )
        case .interrupted: (.cancelled, "cancelled", nil)
        case .tooBig: (.rejected, "a document is too large: \(error.message)", nil)
        default: (.unusable, "SQLite failed: \(error)", "this is a bug in fastctl or a damaged store")
        }
    }
}

extension SQLiteError {
    fileprivate var systemMessage: String { String(cString: strerror(systemError)) }
}

extension Duration {
    var formattedSeconds: String {
        let milliseconds = Int(self / .milliseconds(1))
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }
}

extension BatchFailure {
    /// Stops the job: the transaction came to nothing, and so will the next one.
    init(stop error: EngineError) {
        let retryable: Set<EngineError.Code> = [.locked, .diskFull, .inputOutput, .cancelled]
        self.init(
            .stop(error.code),
            DocumentFailure(
                DocumentFailure.Code(rawValue: error.code.description),
                error.message,
                disposition: retryable.contains(error.code) ? .retryable : .operatorAction
            )
        )
    }
}
