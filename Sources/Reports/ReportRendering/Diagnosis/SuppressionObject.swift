import JSONText
public import LogDiagnosis

/// A suppression as lists show it, and as `fastctl.suppression/1`.
public struct SuppressionObject: ListEntry {
    private let entry: Suppression
    private let isExpired: Bool

    /// Creates it as of a day; `nil` leaves open whether it has expired.
    public init(_ entry: Suppression, on today: CalendarDay?) {
        self.entry = entry
        isExpired = today.map(entry.isExpired) ?? false
    }

    public static let titles = ["WHAT", "UNTIL", "OWNER", "LINE", "REASON"]
    public static let alignments: [TextTable.Alignment] = [.left, .left, .left, .right]
    public static let fieldTitles = ["rule", "cluster", "until", "expired", "owner", "reason", "file", "line"]

    public var row: [String] {
        let until = entry.until.map { "\($0)\(isExpired ? " expired" : "")" } ?? "-"
        return [entry.subjectText, until, entry.owner ?? "-", "\(entry.place.line)", entry.reason]
    }

    public var fields: [String?] {
        [
            entry.rule?.text, entry.cluster, entry.until?.description, "\(isExpired)", entry.owner, entry.reason,
            entry.place.file, "\(entry.place.line)",
        ]
    }

    public var entryName: String? { entry.rule?.text ?? entry.cluster }

    public func append(to bytes: inout [UInt8]) {
        bytes.append(object: "fastctl.suppression/1") { object in
            object.member("rule", entry.rule?.text)
            object.member("cluster", entry.cluster)
            object.member("reason", entry.reason)
            object.member("owner", entry.owner)
            object.member("until", entry.until?.description)
            object.member("expired", isExpired)
            object.member("file", entry.place.file)
            object.member("line", entry.place.line)
        }
    }
}

extension Suppression {
    /// The rule whose findings it hides, if it names one.
    fileprivate var rule: RuleID? { if case .rule(let id) = subject { id } else { nil } }
    /// The ID of the kind of rows that it hides, if it names one.
    fileprivate var cluster: String? { if case .cluster(let id) = subject { id } else { nil } }
}
