/// A number and what it counts: `1 line`, `2 lines`.
public struct Quantity: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ count: Int, _ one: String, _ several: String) {
        description = "\(count) \(count == 1 ? one : several)"
    }
}
