import ULSLog

/// What a check came to.
struct CheckResult: Sendable {
    var truth: Ternary
    /// How many events, groups or values were counted.
    var count = 0
    var tally = Tally()
    /// Elements of web.config that make it true.
    var config: [ConfigEvidence] = []
    /// Groups of which the events are evidence; `nil`: all events of its selectors are.
    var groups: Set<GroupKey>?
    /// How it is grouped, for ``groups``.
    var grouping = Grouping.request

    init(_ truth: Ternary) { self.truth = truth }

    /// Whether an event of its selectors is evidence.
    func isEvidence(_ event: EventGroups) -> Bool {
        guard truth == .yes else { return false }
        return groups?.contains(event[grouping]) ?? true
    }
}

/// A check on logs while events come.
protocol CheckState {
    /// Takes the next event that meets one of its rule's selectors.
    mutating func take(_ match: borrowing MatchedEvent)

    /// What it comes to when no more events come.
    func result(_ extent: LogExtent, _ edges: RequestEdges) -> CheckResult

    /// How often a limit was reached.
    var reached: [DiagnosisLimit: Int] { get }
}

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
    fileprivate var captures: [Capture]
    var lead: Evidence?

    init(_ match: borrowing MatchedEvent) {
        evidence = match.evidence
        captures = match.captures
        lead = match.lead
    }
}

/// An event that selectors of a rule match.
struct MatchedEvent {
    var event: ULSEvent
    /// A bit for each selector of the rule.
    var selectors: UInt64
    var captures: [Capture]
    var groups: EventGroups
    /// The first abnormal row of its request, where the rule asks for it.
    var lead: Evidence?

    /// Whether it meets a selector.
    func meets(_ selector: Int) -> Bool { selectors & (1 << UInt64(selector)) != 0 }

    /// The value of a capture.
    func capture(_ name: String) -> String? { captures.first { $0.name == name }?.value }

    var evidence: Evidence { Evidence(event) }
}

extension Evidence {
    init(_ event: borrowing ULSEvent, role: Role = .match) {
        let message = event[.message]
        let isTruncated = message.count > Self.maximumText
        var end = min(message.count, Self.maximumText)
        // Not within a character.
        while isTruncated, end > 0, message[end] & 0xC0 == 0x80 { end -= 1 }
        let correlation = event.text(.correlation)
        self.init(
            role: role,
            place: event.place,
            time: event.time,
            server: event.server,
            eventID: event.text(.eventID),
            level: event.text(.level),
            category: event.text(.category),
            correlation: correlation.isEmpty ? nil : correlation,
            text: message.extracting(first: end).text,
            isTruncated: isTruncated
        )
    }
}
