import ULSLog

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
