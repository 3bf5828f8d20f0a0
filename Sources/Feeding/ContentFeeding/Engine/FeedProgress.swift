/// A job's progress, in constant space: what a resumed job needs besides its input.
///
/// Operations before ``lowestUnsettled`` are settled; for later ones, ``settled`` says which are. Reading the input
/// again from ``offset`` yields the operations from ``firstOperation`` on.
public struct FeedProgress: Hashable, Sendable {
    /// The job.
    public var job: JobID
    /// The place in the input where ``firstOperation`` begins.
    public var offset: InputOffset
    /// The digest of the input before ``offset``, as the chunk had it that ends there; empty if it was not computed.
    public var inputDigest: [UInt8]
    /// The place up to which the input was read for the last operation that is settled, or may have been carried out.
    ///
    /// Such operations are known by their numbers: an input that differs before this place is another one. `nil` if
    /// none of them comes after ``offset``, or if nobody knows, as of a job that an earlier version began.
    public var sentThrough: InputMark?
    /// The ID of the first operation read from ``offset``; at most ``lowestUnsettled``.
    public var firstOperation: OperationID
    /// The first operation that is not settled.
    public var lowestUnsettled: OperationID
    /// Bit `i` is set when operation `lowestUnsettled + i` is settled; least significant bit first, without trailing
    /// zero bytes.
    public var settled: [UInt8]

    /// Creates the progress of a job.
    public init(
        job: JobID,
        offset: InputOffset = .start,
        inputDigest: [UInt8] = [],
        sentThrough: InputMark? = nil,
        firstOperation: OperationID = .first,
        lowestUnsettled: OperationID = .first,
        settled: [UInt8] = []
    ) {
        self.job = job
        self.offset = offset
        self.inputDigest = inputDigest
        self.sentThrough = sentThrough.flatMap { $0.offset > offset ? $0 : nil }
        self.firstOperation = firstOperation
        self.lowestUnsettled = lowestUnsettled
        self.settled = settled
    }

    /// The number of settled operations.
    public var settledCount: Int {
        Int(lowestUnsettled.rawValue - 1) + settled.reduce(0) { $0 + $1.nonzeroBitCount }
    }

    /// The highest operation known to be settled; `nil` if there is none.
    public var highestSettled: OperationID? {
        guard let last = settled.lastIndex(where: { $0 != 0 }) else {
            return lowestUnsettled == .first ? nil : OperationID(rawValue: lowestUnsettled.rawValue - 1)
        }
        let bit = UInt64(last * 8 + 7 - settled[last].leadingZeroBitCount)
        return OperationID(rawValue: lowestUnsettled.rawValue + bit)
    }

    /// Returns whether an operation has its outcome.
    public func isSettled(_ id: OperationID) -> Bool {
        guard id >= lowestUnsettled else { return true }
        let index = Int(clamping: id.rawValue - lowestUnsettled.rawValue)
        return index >> 3 < settled.count && settled[index >> 3] & (1 << (index & 7)) != 0
    }
}

/// A place in a job's input: the source, and the number of bytes into it.
public struct InputOffset: Hashable, Comparable, Sendable {
    /// The number of the source: a file, a pipe, the arguments.
    public var source: Int
    /// The bytes of the source before this place.
    public var byte: UInt64

    /// Creates a place.
    public init(source: Int, byte: UInt64) {
        self.source = source
        self.byte = byte
    }

    /// The beginning of the first source.
    public static let start = InputOffset(source: 0, byte: 0)

    public static func < (left: Self, right: Self) -> Bool {
        (left.source, left.byte) < (right.source, right.byte)
    }
}

/// A place in a job's input, and what tells whether all that comes before it is still the same.
public struct InputMark: Hashable, Sendable {
    /// The place, at the end of a chunk.
    public var offset: InputOffset
    /// The digest of the input before it, as the chunk had it.
    public var digest: [UInt8]

    /// Creates a mark.
    public init(_ offset: InputOffset, digest: [UInt8]) {
        (self.offset, self.digest) = (offset, digest)
    }
}

/// The name of a job: letters and digits, unique without coordination.
public struct JobID: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Returns a name of 80 random bits: 16 letters and digits of Crockford's base 32.
    public static func random(using generator: inout some RandomNumberGenerator) -> JobID {
        let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        return JobID(rawValue: String((0..<16).map { _ in alphabet[Int.random(in: 0..<32, using: &generator)] }))
    }
}

extension JobID: CustomStringConvertible {
    public var description: String { rawValue }
}
