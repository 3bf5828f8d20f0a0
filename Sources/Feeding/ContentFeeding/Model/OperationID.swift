/// The place of an operation in its job or feeder, from 1.
public struct OperationID: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The first operation of every job.
    public static let first = OperationID(rawValue: 1)

    public var next: OperationID { OperationID(rawValue: rawValue + 1) }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension OperationID: CustomStringConvertible {
    public var description: String { String(rawValue) }
}
