import ULSLog

/// What is known of a request as a whole, by name, for the head of its trace.
struct TraceHead {
    private let trace: RequestTrace

    init(_ trace: RequestTrace) { self.trace = trace }

    /// The first event at Monitorable or worse.
    var firstProblem: ULSEvent? {
        trace.firstAbnormal.flatMap { trace.events.indices.contains($0) ? trace.events[$0] : nil }
    }

    var worst: ULSLevel? { trace.events.map(\.level).min { $0.rank < $1.rank } }

    var firstTime: LogTime? { trace.events.first?.time }
    var lastTime: LogTime? { trace.events.last?.time }

    /// Names with sentences: `Began`, `2011-09-26T10:39:40.52, local time of the server`.
    var rows: [(name: String, value: Phrase)] {
        var rows: [(name: String, value: Phrase)] = []
        if !trace.correlation.isEmpty { rows.append(("Correlation", "\(outside: trace.correlation)")) }
        if let name = trace.name { rows.append(("Request", "\(outside: name)")) }
        if !trace.servers.isEmpty {
            var servers: Phrase = ""
            for (index, server) in trace.servers.enumerated() {
                servers = servers + (index > 0 ? ", \(outside: server)" : "\(outside: server)")
            }
            rows.append((trace.servers.count == 1 ? "Server" : "Servers", servers))
        }
        if let time = firstTime, let iso = time.iso8601 {
            let note = time.quality == .exact ? "" : ", local time of the server"
            rows.append(("Began", "\(iso)\(note)"))
        }
        if let duration = trace.duration { rows.append(("Took", "\(MeasuredTime(microseconds: duration))")) }
        var events: Phrase = "\(GroupedNumber(trace.events.count))"
        if let worst, !worst.word.isEmpty { events = events + ", the worst \(outside: worst.word)" }
        rows.append(("Events", events))
        rows.append(("First problem", problem))
        if firstProblem == nil, let index = trace.firstNotable, trace.events.indices.contains(index) {
            rows.append(("Begin reading", Self.reference(to: trace.events[index])))
        }
        if let site = trace.site { rows.append(("Site", "\(outside: site)")) }
        return rows
    }

    private var problem: Phrase {
        guard let event = firstProblem else { return "none: no event at Monitorable or worse" }
        return Self.reference(to: event)
    }

    /// When, how bad, what and where.
    private static func reference(to event: ULSEvent) -> Phrase {
        let place = "\(event.place.file):\(event.place.line)"
        let (level, id) = (event.text(.level), event.text(.eventID))
        return """
            \(event.time.iso8601 ?? "-") \(outside: level) \(outside: id.isEmpty ? "-" : id) \
            at \(outside: place)
            """
    }
}
