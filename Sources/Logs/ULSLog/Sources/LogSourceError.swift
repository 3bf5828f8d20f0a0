/// Why logs cannot be found, opened or read.
public struct LogSourceError: Error, Hashable, Sendable {
    public var code: Code
    /// The path, `standard input`, or the value that was given.
    public var source: String
    /// The entry of an archive that was being read.
    public var entry: String?
    /// What is wrong, as a fragment without the source.
    public var reason: String
    /// What to do about it, if there is something.
    public var advice: String?

    public init(_ code: Code, source: String, entry: String? = nil, reason: String, advice: String? = nil) {
        self.code = code
        self.source = source
        self.entry = entry
        self.reason = reason
        self.advice = advice
    }

    /// The thing and what is wrong with it, without advice.
    public var message: String {
        let place = entry.map { "\($0) in '\(source)'" } ?? "'\(source)'"
        return "\(code.verb) \(place): \(reason)"
    }
}

extension LogSourceError: CustomStringConvertible {
    public var description: String { advice.map { "\(message); \($0)" } ?? message }
}

extension LogSourceError {
    /// The kinds of failure.
    public struct Code: Hashable, Sendable {
        private enum Wrapped {
            case cannotRead, damaged, encrypted, missing, nothingFound, permission, special, tooLarge, tooMany
            case unknownEncoding, unsupported
        }
        private let wrapped: Wrapped

        /// The system failed to open or to read it.
        public static let cannotRead = Code(wrapped: .cannotRead)
        /// An archive ends too early, or its bytes are not what they claim to be.
        public static let damaged = Code(wrapped: .damaged)
        /// A password is needed.
        public static let encrypted = Code(wrapped: .encrypted)
        /// There is no such file.
        public static let missing = Code(wrapped: .missing)
        /// A folder, a pattern or an archive holds no log.
        public static let nothingFound = Code(wrapped: .nothingFound)
        /// The user may not read it.
        public static let permission = Code(wrapped: .permission)
        /// It is a device or a socket.
        public static let special = Code(wrapped: .special)
        /// An archive gives more than allowed, in bytes or in entries.
        public static let tooLarge = Code(wrapped: .tooLarge)
        /// More files than allowed.
        public static let tooMany = Code(wrapped: .tooMany)
        /// No encoding has this name.
        public static let unknownEncoding = Code(wrapped: .unknownEncoding)
        /// It is of a format that is not read, or not read from a pipe.
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
