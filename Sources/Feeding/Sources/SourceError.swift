/// The reason a source can't be read, or not to its end.
public struct SourceError: Error, Hashable, Sendable {
    /// The kind of failure, for programs to act on.
    public enum Code: Hashable, Sendable {
        /// The address names no source that can be read.
        case invalidAddress
        /// There is no such thing at the address.
        case missing
        /// The credentials don't allow it, or there are none.
        case permission
        /// The source does not answer, or not for now.
        case unreachable
        /// The source answers with what is no part of it, or damaged.
        case unusable
        /// The source changed in a way that makes one reading of it impossible.
        case changed
        /// The source can't do what was asked.
        case unsupported
        /// The operating system failed to read.
        case inputOutput
        /// The requesting task was canceled.
        case cancelled
    }

    /// The kind of failure.
    public let code: Code
    /// What happened and to what, as a fragment that can follow `error: `.
    public let message: String
    /// The next step; `nil` if there is none.
    public let advice: String?

    /// Creates an error.
    public init(_ code: Code, _ message: String, advice: String? = nil) {
        self.code = code
        self.message = message
        self.advice = advice
    }
}

extension SourceError: CustomStringConvertible {
    public var description: String { message + (advice.map { "; \($0)" } ?? "") }
}
