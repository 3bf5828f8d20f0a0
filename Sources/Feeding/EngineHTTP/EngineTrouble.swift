/// Everything that can stand in place of a result: what the failure table starts from.
public enum EngineTrouble: Sendable {
    /// There is no whole reply.
    case noReply(EngineFailure)
    /// A reply that is no success, and what the engine says in it; `nil` where nothing in it is the engine's own.
    case refused(EngineReply, EngineComplaint?)
    /// A success that can't be understood: not JSON, the wrong number of items, items of other documents.
    case unreadable(EngineReply, String)
}
