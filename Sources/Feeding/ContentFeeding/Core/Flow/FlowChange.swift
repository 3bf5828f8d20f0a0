/// How the way in which batches are sent has changed.
public enum FlowChange: Hashable, Sendable {
    /// From now on at most this many batches are in flight.
    case limit(Int)
    /// The engine does nothing; nothing is sent until it is asked again after this time.
    case waiting(DocumentFailure, for: Duration)
    /// It works again.
    case answering
}

/// What an observer has been told of the flow last.
struct ToldFlow: Hashable, Sendable {
    var limit = 0
    var nextProbe: FeedInstant?
    var isWaiting = false
}
