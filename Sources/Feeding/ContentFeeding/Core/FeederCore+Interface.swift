extension FeederCore {
    /// What happens to a feed: the only way to tell the core anything.
    public enum Event: Sendable {
        /// A piece of the input, asked for by ``Command/read``.
        case input(OperationChunk)
        /// Operations that have their IDs already: the next ones, in this order.
        case pushed([ContentOperation])
        case inputEnded
        /// The input can't be read any further; what was read is still done.
        case inputFailed(String)
        /// A batch came back.
        case reply(BatchID, BatchReply)
        /// A transaction of the journal is durable.
        case recorded(JournalTransaction.ID)
        /// A transaction of the journal could not be made durable.
        case recordFailed(JournalTransaction.ID, String)
        /// The level asked for by ``Command/raise(_:)`` is reached, or can't be.
        case raised(EngineError?)
        /// Someone waits until everything accepted so far has come to `level`.
        case barrier(BarrierID, CompletionLevel)
        /// Nobody waits for that any more.
        case forget(BarrierID)
        /// The moment asked for by ``Command/wake(at:)`` has come.
        case timer
        /// Read and send nothing more; end when what is in flight has come back.
        case stop(StopReason)
    }

    /// What the core wants done.
    public enum Command: Sendable {
        /// Bring one more chunk of input.
        case read
        /// These were accepted, and have consecutive IDs from `first` on.
        case accepted(first: OperationID, operations: ArraySlice<ContentOperation>)
        /// These records of the input were refused.
        case rejected([InputRejection])
        /// Give this batch to the engine.
        case send(ContentBatch)
        /// Make this durable, and say so with ``Event/recorded(_:)``.
        case record(JournalTransaction)
        /// These operations are settled, in this order.
        case settled([OperationOutcome])
        /// Operations will be sent again after a pause, or without one.
        case retrying(count: Int, DocumentFailure, after: Duration)
        /// The way in which batches are sent has changed.
        case flow(FlowChange)
        /// Bring everything applied up to this level, and say so with ``Event/raised(_:)``.
        case raise(CompletionLevel)
        /// A barrier's condition holds, or can't be met any more.
        case reached(BarrierID, EngineError?)
        /// Send ``Event/timer`` at this moment, and forget any earlier wish.
        case wake(at: FeedInstant)
        /// It is over; nothing follows.
        case finish(FeedEnd)
    }
}
