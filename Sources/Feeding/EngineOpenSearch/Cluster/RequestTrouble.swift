import EngineHTTP

/// A request that came to no result, before it is decided what that means for whom.
struct RequestTrouble: Error {
    let trouble: EngineTrouble

    init(_ trouble: EngineTrouble) { self.trouble = trouble }

    /// The status of a refusal.
    var status: Int? {
        if case .refused(let reply, _) = trouble { reply.status } else { nil }
    }

    /// What the engine itself says of its refusal.
    var complaint: EngineComplaint? {
        if case .refused(_, let complaint) = trouble { complaint } else { nil }
    }

    /// Whether there was no whole reply to a request that was sent: it lasted too long, or said too much.
    var isReplyLost: Bool {
        if case .noReply(let failure) = trouble { !failure.isNotSent } else { false }
    }

    /// Whether the engine does not know the request at all, as an older version may not.
    var isUnknownRequest: Bool {
        guard let status else { return false }
        return [400, 404, 405].contains(status) && complaint?.kind != .missingCollection
    }
}
