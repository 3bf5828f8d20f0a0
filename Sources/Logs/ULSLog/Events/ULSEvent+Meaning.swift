extension ULSEvent {
    /// The request or job that it belongs to; `nil` where the row says none.
    public var correlationID: CorrelationID? {
        guard let id = CorrelationID(self[.correlation]), id != .none else { return nil }
        return id
    }

    /// How long the scope took that a "Leaving Monitored Scope" row leaves, in milliseconds, to a thousandth.
    ///
    /// `nil` for other rows, and where the number can't be understood. Servers of many languages write a decimal comma.
    public var scopeMilliseconds: Double? {
        guard let message = ScopeMessage.parse(self[.message]), case .leaving(let duration?) = message.kind else {
            return nil
        }
        return Double(duration) / 1000
    }
}
