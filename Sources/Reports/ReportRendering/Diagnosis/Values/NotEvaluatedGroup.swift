import LogDiagnosis

/// Rules that could not be evaluated for the same reason.
struct NotEvaluatedGroup {
    let reason: String
    private(set) var rules: [Rule]

    /// In the order of their first rules.
    static func groups(of notEvaluated: [NotEvaluated]) -> [NotEvaluatedGroup] {
        var places: [String: Int] = [:]
        return notEvaluated.reduce(into: []) { groups, entry in
            if let place = places[entry.reason] {
                groups[place].rules.append(entry.rule)
            } else {
                places[entry.reason] = groups.count
                groups.append(NotEvaluatedGroup(reason: entry.reason, rules: [entry.rule]))
            }
        }
    }
}
