/// Counts what ``SlowReport`` says: durations by key, and the slowest single ones.
struct SlowCollector: Sendable {
    var scopes: ScopeTable
    var slowest: SlowestList

    /// Lists so many single ones.
    init(slowest: Int, scopes: ScopeTable = ScopeTable()) {
        self.scopes = scopes
        self.slowest = SlowestList(limit: slowest)
    }

    /// Counts an event, if it says that a scope was entered or left.
    mutating func add(_ event: borrowing ULSEvent) {
        let text = event[.message]
        guard let message = ScopeMessage.parse(text), let place = message.name else { return }
        let name = text.extracting(place)
        guard case .leaving(let duration) = message.kind else { return scopes.entered(name: name) }
        scopes.left(name: name, duration: duration)
        guard let duration, slowest.admits(duration) else { return }
        slowest.insert(
            SlowReport.Instance(
                name: name.text,
                isRequest: RequestName.isRequest(name),
                duration: duration,
                time: event.time,
                server: event.server,
                correlation: event.text(.correlation),
                place: event.place
            )
        )
    }

    /// Says it in a report: both lists of scopes, the slowest, and the limit if it was reached.
    func fill(_ report: inout SlowReport) {
        report.requests = scopes.durations(isRequest: true)
        report.scopes = scopes.durations(isRequest: false)
        report.slowest = slowest.instances
        report.quality.reach(.scopes, times: scopes.rowsBeyondLimit)
    }
}

extension Span<UInt8> {
    /// The bytes as text.
    var text: String { String(decoding: indices.map { self[$0] }, as: UTF8.self) }
}
