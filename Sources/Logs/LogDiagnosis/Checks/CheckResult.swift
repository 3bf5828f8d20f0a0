import ULSLog

/// The result of a check.
struct CheckResult: Sendable {
    var truth: Ternary
    /// The number of events, groups, or values counted.
    var count = 0
    /// Whether there may be more than ``count``: a limit was reached.
    var isAtLeast = false
    var tally = Tally()
    /// Elements of web.config that make the check true.
    var config: [ConfigEvidence] = []
    /// Sentences on what the farm's file says that makes the check true.
    var farm: [String] = []
    /// Groups whose events are evidence; `nil` if all events that meet the check's selectors are.
    var groups: Set<GroupKey>?
    /// The grouping of ``groups``.
    var grouping = Grouping.request

    init(_ truth: Ternary) { self.truth = truth }

    /// Returns whether an event that meets the check's selectors is evidence.
    func isEvidence(_ event: EventGroups) -> Bool {
        guard truth == .yes else { return false }
        return groups?.contains(event[grouping]) ?? true
    }
}

/// The state of a check on logs while events arrive.
protocol CheckState {
    /// Takes the next event that meets one of its rule's selectors.
    mutating func take(_ match: borrowing MatchedEvent)

    /// Returns the result when no more events arrive.
    func result(_ extent: LogExtent, _ edges: RequestEdges) -> CheckResult

    /// The number of times each limit was reached.
    var reached: [DiagnosisLimit: Int] { get }
}

/// A summary of the events that a check counted.
struct Tally: Sendable {
    /// The number of events or groups.
    private(set) var count = 0
    private(set) var servers: Set<String> = []
    private(set) var first: LogTime?
    private(set) var last: LogTime?
    private(set) var evidence: [Evidence] = []
    /// The first abnormal row of the first event's request, if the rule asks for it.
    private(set) var firstAbnormal: Evidence?
    private(set) var captures: [Capture] = []

    /// The most events whose text is kept, unless the first group has more.
    private static let maximumEvidence = 5
    private static let maximumServers = 1000
    private static let maximumCaptures = 32

    /// Counts an event.
    mutating func add(_ match: borrowing MatchedEvent) {
        if count == 0 { firstAbnormal = match.firstAbnormal }
        count += 1
        if evidence.count < Self.maximumEvidence { evidence.append(match.evidence) }
        note(match.event.time, match.event.server, match.captures)
    }

    /// Counts a group made up of these events.
    mutating func add(_ events: [Sighting]) {
        if count == 0 { firstAbnormal = events.first?.firstAbnormal }
        count += 1
        let keepsEvidence = evidence.isEmpty || evidence.count + events.count <= Self.maximumEvidence
        for event in events {
            if keepsEvidence { evidence.append(event.evidence) }
            note(event.evidence.time, event.evidence.server, event.captures)
        }
    }

    /// Notes when and where an event was that is not counted, because it may have been already.
    mutating func extend(_ match: borrowing MatchedEvent) { note(match.event.time, match.event.server, []) }

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

/// The part of an event that a check keeps in case it counts later.
struct Sighting: Sendable {
    var evidence: Evidence
    fileprivate var captures: [Capture]
    var firstAbnormal: Evidence?

    init(_ match: borrowing MatchedEvent) {
        evidence = match.evidence
        captures = match.captures
        firstAbnormal = match.firstAbnormal
    }
}

/// An event that meets selectors of a rule.
struct MatchedEvent {
    var event: ULSEvent
    /// A bit for each selector of the rule.
    var selectors: UInt64
    var captures: [Capture]
    var groups: EventGroups
    /// The first abnormal row of its request, if the rule asks for it.
    var firstAbnormal: Evidence?

    /// Returns whether the event meets a selector.
    func meets(_ selector: Int) -> Bool { selectors & (1 << UInt64(selector)) != 0 }

    /// Returns the value of a capture.
    func capture(_ name: String) -> String? { captures.first { $0.name == name }?.value }

    var evidence: Evidence { Evidence(event) }
}

extension Evidence {
    init(_ event: borrowing ULSEvent, role: Role = .match) {
        let message = event[.message]
        let isTruncated = message.count > Self.maximumText
        var end = min(message.count, Self.maximumText)
        // Don't cut within a character.
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
