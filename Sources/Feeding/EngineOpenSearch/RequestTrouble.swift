import EngineHTTP
import JSONText

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

extension EngineComplaint {
    /// What the engine says in a refusal: `{"error":{"type":…,"reason":…},"status":…}`.
    ///
    /// `nil` for every body that is not built so: a proxy's page is no word of the engine.
    init?(in reply: EngineReply) {
        guard let body = try? JSONValue(reply.body) else { return nil }
        self.init(error: body["error"], status: reply.status)
    }

    init?(error: JSONValue, status: Int) {
        // Of an unknown path and a wrong method the engine speaks in a bare sentence.
        if let sentence = error.text {
            self.init(Self.kind(of: "", status), type: "error", reason: sentence)
            return
        }
        guard let type = error["type"].text else { return nil }
        let reasons = [error["reason"].text, Self.cause(of: error)].compactMap { $0 }
        self.init(
            Self.kind(of: type, status),
            type: type,
            reason: reasons.isEmpty ? "no reason given" : reasons.joined(separator: ": ")
        )
    }

    /// What `search_phase_execution_exception` and its like hide below themselves.
    private static func cause(of error: JSONValue) -> String? {
        let causes = [error["root_cause"].elements.first, error["caused_by"]].compactMap { $0?["reason"].text }
        return causes.first { $0 != error["reason"].text }
    }

    /// What the engine's name for it means; the status where the name is new to us.
    static func kind(of type: String, _ status: Int) -> Kind {
        switch type {
        case "es_rejected_execution_exception", "rejected_execution_exception",
            "opensearch_rejected_execution_exception", "circuit_breaking_exception",
            "too_many_requests_exception":
            .throttled
        case "cluster_block_exception", "index_closed_exception": status == 503 ? .other : .blocked
        case "index_not_found_exception": .missingCollection
        case "version_conflict_engine_exception": .conflict
        case "security_exception", "authorization_exception": .forbidden
        default: Kind(status: status)
        }
    }
}

extension Int {
    /// The sum; the largest number where it is larger: what an engine counts is not to be trusted.
    func saturatingAdd(_ other: Int) -> Int {
        let (sum, isOverflow) = addingReportingOverflow(other)
        guard isOverflow else { return sum }
        return other < 0 ? .min : .max
    }
}
