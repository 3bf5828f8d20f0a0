import EngineHTTP
import JSONText

extension ErrorReply {
    /// Reads the engine's error in a refusal: `{"error":{"type":…,"reason":…},"status":…}`.
    ///
    /// `nil` for any other body: a proxy's page is not the engine's word.
    init?(in reply: EngineReply) {
        guard let body = try? JSONValue(reply.body) else { return nil }
        self.init(error: body["error"], status: reply.status)
    }

    init?(error: JSONValue, status: Int) {
        // For an unknown path or a wrong method, the error is a bare sentence.
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

    /// Returns the cause that `search_phase_execution_exception` and its like hide below themselves.
    private static func cause(of error: JSONValue) -> String? {
        let causes = [error["root_cause"].elements.first, error["caused_by"]].compactMap { $0?["reason"].text }
        return causes.first { $0 != error["reason"].text }
    }

    /// Classifies a failure by the engine's name for it, or by the status if the name is new to us.
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
    /// Returns the sum, clamped to what an `Int` holds: an engine's counts are not to be trusted.
    func saturatingAdd(_ other: Int) -> Int {
        let (sum, isOverflow) = addingReportingOverflow(other)
        guard isOverflow else { return sum }
        return other < 0 ? .min : .max
    }
}
