/// An event on its way into a trace, and what its message says of scopes.
struct TraceRow {
    /// Whose event it is.
    enum Owner {
        /// The request's own.
        case request
        /// Nobody's, as far as the row says.
        case nobody
        /// Another request's.
        case another
    }

    var event: ULSEvent
    var owner: Owner
    var thread: TraceThread
    /// What happened to a scope; nil if it is no row of one.
    var kind: ScopeMessage.Kind?
    /// The scope's name as written; nil if it has none.
    var name: String?

    init(_ event: ULSEvent, correlation: String) {
        self.event = event
        thread = TraceThread(event)
        let own = event.text(.correlation)
        owner = own == correlation ? .request : own.isEmpty || own == Self.noCorrelation ? .nobody : .another
        let message = event[.message]
        if let scope = ScopeMessage.parse(message) {
            kind = scope.kind
            name = scope.name.map { message.extracting($0).text }
        }
    }

    private static let noCorrelation = CorrelationID.none.description
}

extension LogTime {
    /// Microseconds on the time line that rows are ordered by; nil for a row without a time.
    var microseconds: Int64? {
        guard quality != .none else { return nil }
        let (product, isTooGreat) = instant.multipliedReportingOverflow(by: 1000)
        return isTooGreat ? nil : product
    }
}
