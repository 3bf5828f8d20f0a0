import ULSLog

/// What is remembered of the events that a check counted.
struct Tally: Sendable {
    /// Events, or groups of them.
    private(set) var count = 0
    private(set) var servers: Set<String> = []
    private(set) var first: LogTime?
    private(set) var last: LogTime?
    private(set) var evidence: [Evidence] = []
    /// That of the first event.
    private(set) var lead: Evidence?
    private(set) var captures: [Capture] = []

    /// Events whose text is kept.
    private static let maximumEvidence = 5
    private static let maximumServers = 64
    private static let maximumCaptures = 32

    /// Counts an event.
    mutating func add(_ match: borrowing MatchedEvent) {
        if count == 0 { lead = match.lead }
        count += 1
        if evidence.count < Self.maximumEvidence { evidence.append(match.evidence) }
        note(match.event.time, match.event.server, match.captures)
    }

    /// Counts a group that these events make up.
    mutating func add(_ events: [Sighting]) {
        if count == 0 { lead = events.first?.lead }
        count += 1
        let keepsEvidence = evidence.isEmpty || evidence.count + events.count <= Self.maximumEvidence
        for event in events {
            if keepsEvidence { evidence.append(event.evidence) }
            note(event.evidence.time, event.evidence.server, event.captures)
        }
    }

    private mutating func note(_ time: LogTime, _ server: String?, _ captures: [Capture]) {
        if let server, servers.count < Self.maximumServers { servers.insert(server) }
        if time.quality != .none {
            if first.map({ time.instant < $0.instant }) ?? true { first = time }
            if last.map({ time.instant > $0.instant }) ?? true { last = time }
        }
        for capture in captures where self.captures.count < Self.maximumCaptures {
            if !self.captures.contains(where: { $0.name == capture.name }) { self.captures.append(capture) }
        }
    }
}

/// What a check keeps of an event that may come to count.
struct Sighting: Sendable {
    var evidence: Evidence
    var captures: [Capture]
    var lead: Evidence?

    init(_ match: borrowing MatchedEvent) {
        evidence = match.evidence
        captures = match.captures
        lead = match.lead
    }
}
