import LogDiagnosis
import ULSLog

/// Events that stand under one heading: of one file and one request, one after the other.
struct EvidenceGroup {
    private(set) var events: [Evidence]

    /// Puts together what belongs together, in the order of the finding.
    static func groups(of evidence: some Sequence<Evidence>) -> [EvidenceGroup] {
        evidence.reduce(into: []) { groups, event in
            if let last = groups.indices.last, groups[last].takes(event) {
                groups[last].events.append(event)
            } else {
                groups.append(EvidenceGroup(events: [event]))
            }
        }
    }

    private func takes(_ event: Evidence) -> Bool {
        guard let first = events.first else { return true }
        return first.place.file == event.place.file && first.correlation == event.correlation
            && first.role == event.role
    }

    /// `file:41-46`: from the first line to the last.
    var place: String {
        guard var place = events.first?.place else { return "" }
        for event in events {
            place.line = min(place.line, event.place.line)
            place.lineEnd = max(place.lineEnd, event.place.lineEnd)
        }
        return ReportWords.place(place)
    }

    var correlation: String? { events.first?.correlation }
    var isLead: Bool { events.first?.role == .lead }
}
