/// A piece of input, read and checked: what a feeder draws at once.
public struct OperationChunk: Sendable {
    public var operations: [ContentOperation]
    /// Where the input goes on after this chunk.
    public var end: InputOffset
    /// What was read for it, and what of that was no operation.
    public var input: InputTally
    /// Records that are no operation, each with its place.
    public var rejections: [InputRejection]

    public init(
        operations: [ContentOperation] = [],
        end: InputOffset = .start,
        input: InputTally = InputTally(),
        rejections: [InputRejection] = []
    ) {
        self.operations = operations
        self.end = end
        self.input = input
        self.rejections = rejections
    }
}

/// Counts what was read.
public struct InputTally: Hashable, Sendable {
    /// Lines, or records where a format has no lines.
    public var lines = 0
    public var blank = 0
    public var rejected = 0
    public var bytes = 0

    public init(lines: Int = 0, blank: Int = 0, rejected: Int = 0, bytes: Int = 0) {
        self.lines = lines
        self.blank = blank
        self.rejected = rejected
        self.bytes = bytes
    }

    public static func += (left: inout Self, right: Self) {
        left.lines += right.lines
        left.blank += right.blank
        left.rejected += right.rejected
        left.bytes += right.bytes
    }
}

/// A record of the input that is no operation: where it stands, and what is wrong with it.
public struct InputRejection: Hashable, Sendable {
    /// A file's name, `standard input` or `argument`.
    public var source: String
    /// From 1.
    public var line: Int
    public var reason: String

    public init(source: String, line: Int, reason: String) {
        self.source = source
        self.line = line
        self.reason = reason
    }
}

extension InputRejection: CustomStringConvertible {
    public var description: String { "\(source):\(line): \(reason)" }
}
