/// Why an input can't be opened or read.
public struct InputError: Error, Hashable, Sendable {
    public enum Code: Hashable, Sendable {
        case missing
        case permission
        case directory
        /// The column asked for is not in the table; nothing was sent.
        case unknownColumn
        /// The first row of a table is not a row.
        case malformedHeader
        /// It does not begin as its format does; nothing was sent.
        case wrongFormat
        /// It is not the input that an earlier run has read.
        case changed
        /// Anything else that the system says on opening.
        case cannotOpen
        /// Reading failed after the input had been opened.
        case cannotRead
    }

    public var code: Code
    /// A path, `standard input` or `argument`.
    public var source: String
    /// What is wrong, without the source.
    public var reason: String

    public init(_ code: Code, source: String, reason: String) {
        self.code = code
        self.source = source
        self.reason = reason
    }
}

extension InputError: CustomStringConvertible {
    public var description: String {
        switch code {
        case .missing, .permission, .directory, .cannotOpen: "cannot open '\(source)': \(reason)"
        case .cannotRead: "cannot read '\(source)': \(reason)"
        case .unknownColumn, .malformedHeader, .wrongFormat, .changed: "\(source): \(reason)"
        }
    }
}
