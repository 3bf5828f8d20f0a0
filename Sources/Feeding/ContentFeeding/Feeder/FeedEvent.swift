/// What an observer of a feed is told, in the order in which it happens.
///
/// Operations and outcomes share memory with those they came with: keep them as ``ContentOperation/detached()`` and
/// ``OperationOutcome/detached()``.
public enum FeedEvent: Sendable {
    /// These were accepted, and have consecutive IDs from `first` on.
    case accepted(first: OperationID, operations: ArraySlice<ContentOperation>)
    /// These records of the input were refused.
    case rejected([InputRejection])
    /// These operations have their outcome.
    case settled([OperationOutcome])
    /// Operations will be sent again after a pause.
    case retrying(count: Int, DocumentFailure, after: Duration)
    /// The way in which batches are sent has changed.
    case flow(FlowChange)
    /// A batch was given to the engine.
    case sent(BatchID, count: Int)
}
