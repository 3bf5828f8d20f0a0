import Glibc

/// A failure on a file or folder: what was tried, where, and what stood against it.
///
/// Callers word it for their readers; most of them have advice that only they can give.
public struct FileError: Error, Hashable, Sendable {
    /// The step that failed.
    public enum Operation: Hashable, Sendable {
        case open, read, list, create, write
        /// Putting a finished file in its place.
        case replace
    }

    /// The cause of a failure.
    public enum Reason: Hashable, Sendable {
        /// The system's error, by its `errno`.
        case system(CInt)
        /// It is a folder, and a file was expected.
        case folder
        /// It is a pipe, a socket or a device: reading it might wait forever.
        case special
        /// A file has more bytes than allowed.
        case tooLarge
        /// A folder has more names than allowed.
        case tooMany
    }

    public var operation: Operation
    public var path: String
    public var reason: Reason

    public init(_ operation: Operation, _ path: String, _ reason: Reason) {
        self.operation = operation
        self.path = path
        self.reason = reason
    }

    /// Creates an error from the system's last one on this thread.
    init(_ operation: Operation, _ path: String) { self.init(operation, path, .system(errno)) }

    /// The system's error, if it was the cause.
    public var code: CInt? { if case .system(let code) = reason { code } else { nil } }

    /// Whether the system has no more memory or open files to give, which says nothing about the file.
    public var isShortage: Bool { code == EMFILE || code == ENFILE || code == ENOMEM }

    /// Whether the path leads to nothing.
    public var isMissing: Bool { code == ENOENT || code == ENOTDIR }
}

extension FileError.Reason: CustomStringConvertible {
    /// The cause in words, those of the system where it has some.
    public var description: String {
        switch self {
        case .system(let code): unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
        case .folder: "it is a folder"
        case .special: "it is a pipe or a device, and no file"
        case .tooLarge: "it is too large"
        case .tooMany: "too many files are in it"
        }
    }
}
