/// How many batches may be with the engine at the same time; the engine's own limit holds as well.
public enum BatchesInFlight: Hashable, Sendable {
    /// As few as bring the most, found while feeding.
    case adaptive
    /// Always up to this many.
    case fixed(Int)
}
