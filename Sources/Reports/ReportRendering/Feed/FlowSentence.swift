public import ContentFeeding

/// What changed in the way batches are sent, for those who want to know everything.
public struct FlowSentence: Hashable, Sendable {
    public let text: String

    public init(_ change: FlowChange) {
        text =
            switch change {
            case .limit(let count): "at most \(Quantity(count, "batch", "batches")) in flight from now on"
            case .waiting(let failure, let time):
                "the engine does nothing; asked again in \(ShortDuration(time)): \(failure.message)"
            case .answering: "the engine works again"
            }
    }
}
