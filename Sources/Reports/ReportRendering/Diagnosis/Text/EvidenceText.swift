import LogDiagnosis
import TextSafety

/// What a finding rests on, for people: events under their file and request, then elements of web.config.
///
/// What a log says stands behind `| `, so that no line begins with it.
struct EvidenceText {
    private let finding: Finding
    private let layout: TextLayout
    private let indent: Int
    private let mark: String

    /// More events or elements than these are in the data formats.
    static let maximum = 10

    /// Takes the finding and what stands left of each line, and of each event.
    init(_ finding: Finding, _ layout: TextLayout, indent: Int = FindingText.indent, mark: String = "| ") {
        self.finding = finding
        self.layout = layout
        self.indent = indent
        self.mark = mark
    }

    func append(to bytes: inout [UInt8]) {
        var label = indent == 0 ? "" : "  evidence"
        var correlation: String?
        for group in EvidenceGroup.groups(of: finding.evidence.prefix(Self.maximum)) {
            append(group, label, namesCorrelation: group.correlation != correlation, to: &bytes)
            label = ""
            correlation = group.correlation
        }
        appendRest(finding.evidence.count, "event", "events", to: &bytes)
        for config in finding.config.prefix(Self.maximum) {
            append(config, label, to: &bytes)
            label = ""
        }
        appendRest(finding.config.count, "element", "elements", to: &bytes)
    }

    private func append(
        _ group: EvidenceGroup,
        _ label: String,
        namesCorrelation: Bool,
        to bytes: inout [UInt8]
    ) {
        appendHead(label, to: &bytes)
        let place = lineText(group.place, layout) + (group.isLead ? "   begin reading here" : "")
        bytes.append(text: place)
        if namesCorrelation, let correlation = group.correlation {
            let words = "correlation " + lineText(correlation, columns: Self.maximumCorrelation, layout)
            // Whole, so that it can be copied: on a line of its own where there is no room.
            if indent + SafeText.width(place) + 3 + SafeText.width(words) > layout.width ?? .max {
                bytes.append(0x0A)
                bytes.append(blanks: indent)
            } else {
                bytes.append(blanks: 3)
            }
            bytes.append(text: words)
        }
        bytes.append(0x0A)
        for event in group.events {
            bytes.append(blanks: indent)
            append(event, to: &bytes)
            bytes.append(0x0A)
        }
    }

    /// Appends `| b9y3  Failed to open the file …`, cut at the terminal's edge.
    private func append(_ event: Evidence, to bytes: inout [UInt8]) {
        let id = lineText(event.eventID, columns: Self.maximumID, layout)
        let ellipsis = event.isTruncated ? "…" : ""
        bytes.append(text: mark)
        bytes.append(padded: id, to: Self.idWidth)
        bytes.append(blanks: 2)
        let taken = indent + mark.utf8.count + 2 + max(Self.idWidth, SafeText.width(id))
        bytes.append(line: event.text + ellipsis, columns: layout.width.map { max(16, $0 - taken) }, layout)
    }

    private func append(_ config: ConfigEvidence, _ label: String, to bytes: inout [UInt8]) {
        appendHead(label, to: &bytes)
        bytes.append(line: config.at, layout)
        bytes.append(blanks: 3)
        bytes.append(line: config.text, columns: Self.elementWidth, layout)
        if let owner = config.owner {
            bytes.append(text: " (" as StaticString)
            bytes.append(line: owner, layout)
            bytes.append(text: ")" as StaticString)
        }
        bytes.append(0x0A)
    }

    private func appendHead(_ label: String, to bytes: inout [UInt8]) {
        bytes.append(label.isEmpty ? .plain : .bold, layout) { $0.append(text: label) }
        bytes.append(blanks: indent - label.utf8.count)
    }

    private func appendRest(_ count: Int, _ one: String, _ several: String, to bytes: inout [UInt8]) {
        guard count > Self.maximum else { return }
        bytes.append(blanks: indent)
        let rest = GroupedNumber.of(count - Self.maximum, "more \(one)", "more \(several)")
        bytes.append(text: "and \(rest): -o json has all\n")
    }

    /// Event IDs have four or five characters.
    private static let idWidth = 4
    /// What is longer is none.
    private static let maximumID = 16
    private static let maximumCorrelation = 64
    /// An element with more attributes than that is in the data formats.
    private static let elementWidth = 200
}
