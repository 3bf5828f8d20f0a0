import ArchiveStream
import Files
import Glibc
import Spelling

/// The reason why logs can't be found, opened or read.
public struct LogSourceError: Error, Hashable, Sendable {
    /// The kind of failure.
    public var code: Code
    /// The path, `standard input`, or the value given.
    public var source: String
    /// The archive entry being read.
    public var entry: String?
    /// The problem, as a fragment without the source.
    public var reason: String
    /// The remedy, if there is one.
    public var advice: String?

    /// Creates an error about a source, or an entry in it.
    public init(_ code: Code, source: String, entry: String? = nil, reason: String, advice: String? = nil) {
        self.code = code
        self.source = source
        self.entry = entry
        self.reason = reason
        self.advice = advice
    }

    /// The source and its problem, without advice.
    public var message: String {
        let place = entry.map { "\($0) in '\(source)'" } ?? "'\(source)'"
        return "\(code.verb) \(place): \(reason)"
    }
}

extension LogSourceError: CustomStringConvertible {
    public var description: String { advice.map { "\(message); \($0)" } ?? message }
}

extension LogSourceError {
    /// The kind of a failure.
    public struct Code: Hashable, Sendable {
        private enum Wrapped {
            case cannotRead, damaged, encrypted, exhausted, missing, nothingFound, permission, special, tooLarge,
                tooMany
            case unknownEncoding, unsupported
        }
        private let wrapped: Wrapped

        /// The system failed to open or read it.
        public static let cannotRead = Code(wrapped: .cannotRead)
        /// An archive ends too early, or its bytes are not what they claim to be.
        public static let damaged = Code(wrapped: .damaged)
        /// A password is needed.
        public static let encrypted = Code(wrapped: .encrypted)
        /// The system has no more memory or open files to give.
        public static let exhausted = Code(wrapped: .exhausted)
        /// There is no such file.
        public static let missing = Code(wrapped: .missing)
        /// A folder, a pattern or an archive holds no log.
        public static let nothingFound = Code(wrapped: .nothingFound)
        /// The user has no permission to read it.
        public static let permission = Code(wrapped: .permission)
        /// It is a device or a socket.
        public static let special = Code(wrapped: .special)
        /// An archive holds more than allowed, in bytes or in entries.
        public static let tooLarge = Code(wrapped: .tooLarge)
        /// There are more files than allowed.
        public static let tooMany = Code(wrapped: .tooMany)
        /// No encoding has this name.
        public static let unknownEncoding = Code(wrapped: .unknownEncoding)
        /// The format can't be read, or not from a pipe.
        public static let unsupported = Code(wrapped: .unsupported)

        fileprivate var verb: String {
            switch wrapped {
            case .missing, .permission, .special: "cannot open"
            case .unknownEncoding: "cannot use"
            default: "cannot read"
            }
        }
    }
}

extension LogSourceError {
    /// Creates an error for `source` from the archive reader's error.
    init(_ error: ArchiveError, source: String) {
        let (code, advice): (Code, String?) =
            switch error.code {
            case .cannotRead: (.cannotRead, nil)
            case .encrypted: (.encrypted, "unpack it and give the folder")
            case .needsFile: (.unsupported, "save it to a file and give the file")
            case .suspiciousRatio, .tooLarge, .tooManyEntries: (.tooLarge, "unpack it and give the folder")
            default: (.damaged, "copy it again; the rest of it was not read")
            }
        self.init(code, source: source, entry: error.entry, reason: error.message, advice: advice)
    }
}

extension LogSourceError {
    /// The most names compared with the missing one.
    private static let comparedNames = 10_000

    /// Creates an error from `errno` for a path just not found, with the nearest name in its folder.
    init(missing path: String) {
        self.init(errno: errno, source: path)
        guard code == .missing else { return }
        let name = String(path.lastPathComponent)
        let folder = String(path.dropLast(name.count))
        let names = try? Folder.names(folder.isEmpty ? "." : folder, maximum: Self.comparedNames)
        guard let names else {
            advice = "check the path: its folder does not exist either"
            return
        }
        advice = name.nearest(in: names.filter { !$0.hasPrefix(".") }).map { "did you mean '\(folder + $0)'?" }
    }
}

extension LogSourceError {
    /// Creates an error from the system's code for a file.
    init(errno number: CInt, source: String) {
        let code: Code =
            switch number {
            case ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG: .missing
            case EACCES, EPERM: .permission
            case ENXIO: .special
            case EMFILE, ENFILE, ENOMEM: .exhausted
            default: .cannotRead
            }
        let advice: String? =
            switch number {
            case EACCES, EPERM: "give this user permission to read it, or copy it"
            case EIO, ESTALE: "copy it from its disk or share, and read the copy"
            case EMFILE, ENFILE: "raise the limit on open files (ulimit -n)"
            default: nil
            }
        self.init(code, source: source, reason: Self.text(number), advice: advice)
    }

    /// Returns the system's message, as a fragment: `no such file or directory`.
    private static func text(_ number: CInt) -> String {
        guard let text = unsafe strerror(number) else { return "error \(number)" }
        let sentence = unsafe String(cString: text)
        return sentence.prefix(1).lowercased() + sentence.dropFirst()
    }
}
