import ULSLog

/// The first abnormal row of each request, for the rules whose evidence begins with it.
struct LeadTable {
    private var leads: [GroupKey: (event: ULSEvent, last: Int64)] = [:]
    private static let maximum = 10_000

    /// Notes an abnormal event.
    mutating func note(_ event: borrowing ULSEvent, _ request: GroupKey) {
        let instant = event.time.instant
        if let index = leads.index(forKey: request) {
            leads.values[index].last = instant
            return
        }
        if leads.count >= Self.maximum {
            let request = RuleDuration.request.milliseconds
            leads = leads.filter { instant - $0.value.last <= request }
            if leads.count >= Self.maximum { leads.removeAll() }
        }
        var kept = copy event
        _ = kept.truncateMessage(to: Evidence.maximumText + 4)
        leads[request] = (kept, instant)
    }

    /// The first abnormal row of an event's request, unless it is the event itself.
    func lead(of event: borrowing ULSEvent, _ request: GroupKey) -> Evidence? {
        guard let lead = leads[request]?.event, lead.place != event.place else { return nil }
        return Evidence(lead, role: .lead)
    }
}
