/// What has been decided about findings before a run: which are suppressed, and which are known.
///
/// A suppression comes first: what it hides is neither new nor known.
public struct FindingTriage: Sendable {
    /// What not to tell; `nil` if no file says so.
    public var suppressions: SuppressionFile?
    /// What is known; `nil` if no file says so.
    public var baseline: FindingBaseline?
    /// The day of the run; `nil` if no suppression expires.
    public var today: CalendarDay?
    /// All rules that there are, of which a run may use some; empty if that is not known.
    public var rules: Set<RuleID> = []

    /// Creates triage that changes nothing.
    public init() {}

    /// The places of findings in a report.
    enum Place {
        case new
        /// In the baseline, or as usual.
        case known
        case suppressed(Suppression)
    }

    /// Returns a finding's place, and the entries that cover it, in force or not.
    func place(of finding: Finding) -> (place: Place, covering: [Int]) {
        let covering = suppressions?.entries(covering: finding) ?? []
        if let entry = inForce(covering) { return (.suppressed(entry), covering) }
        // An error is told, however usual it is.
        let isUsual = finding.isUsual && finding.severity < .error
        return (isUsual || baseline?.knows(finding) ?? false ? .known : .new, covering)
    }

    /// Returns what hides a kind of unexplained rows, if anything does, and the entries that cover it.
    func suppression(of cluster: FailureCluster) -> (suppression: Suppression?, covering: [Int]) {
        let covering = suppressions?.entries(covering: cluster) ?? []
        return (inForce(covering), covering)
    }

    /// The first of these entries that has not expired.
    private func inForce(_ indexes: [Int]) -> Suppression? {
        indexes.lazy.compactMap { suppressions?.entries[$0] }.first { !isExpired($0) }
    }

    private func isExpired(_ suppression: Suppression) -> Bool { today.map(suppression.isExpired) ?? false }
}

/// A finding, or a kind of unexplained rows, that a suppression hides.
public struct SuppressedFinding: Sendable {
    /// What was suppressed.
    public enum Subject: Sendable {
        case finding(Finding)
        case unexplained(FailureCluster)
    }

    /// What was suppressed.
    public var subject: Subject
    /// Why it was.
    public var suppression: Suppression

    /// Creates the record of something suppressed.
    public init(_ subject: Subject, by suppression: Suppression) {
        self.subject = subject
        self.suppression = suppression
    }

    /// The finding; `nil` if it is a kind of unexplained rows.
    public var finding: Finding? { if case .finding(let finding) = subject { finding } else { nil } }
}

/// How much of what a suppression or a known finding is about a run has seen.
struct TriageScope {
    /// Whether logs, configuration and the farm's file were read to their ends, without a window or a filter.
    var isWhole: Bool
    var hasLogs: Bool
    var hasConfigs: Bool
    var hasFarm: Bool
    /// Servers of the logs and of the configuration, in lowercase.
    var servers: Set<String>
    /// Rules that were run.
    var rules: [Rule]
    /// Those that could not be evaluated, or not for all values.
    var unsure: Set<RuleID>

    /// Returns whether these servers are all in the input.
    func covers(_ named: [String]) -> Bool { named.allSatisfy { servers.contains($0.lowercased()) } }

    /// Returns whether a finding of a rule would have been found.
    func sees(_ id: RuleID) -> Bool {
        guard isWhole, !unsure.contains(id), let needs = rules.first(where: { $0.id == id })?.needs else {
            return false
        }
        return (needs.logs == nil || hasLogs) && (needs.webConfig == nil || hasConfigs)
            && (needs.farm == nil || hasFarm)
    }

    /// Returns whether what an entry hides would have been found.
    func sees(_ suppression: Suppression) -> Bool {
        // What is on another server can't be seen here.
        guard covers(suppression.match?.servers ?? []) else { return false }
        switch suppression.subject {
        case .rule(let id): return sees(id)
        // A kind of rows that is not in one log may well be in the next.
        case .cluster: return false
        }
    }
}

extension FindingTriage {
    /// Returns findings about entries that are out of date, of which `covering` are those that cover something in this
    /// run; never about one whose finding could not have been seen.
    func outdatedEntries(covering: Set<Int>, _ scope: TriageScope) -> [Finding] {
        guard let suppressions else { return [] }
        return suppressions.entries.indices.compactMap { index in
            let entry = suppressions.entries[index]
            guard let verdict = verdict(on: entry, isUsed: covering.contains(index), scope) else { return nil }
            let values = [
                Capture(name: "subject", value: entry.subjectText), Capture(name: "reason", value: entry.reason),
                Capture(name: "owner", value: entry.owner ?? ""),
                Capture(name: "until", value: entry.until?.description ?? ""),
            ].filter { !$0.value.isEmpty }
            // Entries that say the same are one and the same decision.
            let identity = values.map(\.value) + [entry.match?.identity ?? ""]
            return Finding(
                of: ProgramRule.suppression,
                verdict: verdict,
                values,
                identity: identity,
                at: entry.place
            )
        }
    }

    private func verdict(on entry: Suppression, isUsed: Bool, _ scope: TriageScope) -> String? {
        if isExpired(entry) { return isRenewed(entry) ? "replaced" : "expired" }
        if isUsed { return nil }
        if case .rule(let id) = entry.subject, !rules.isEmpty, !rules.contains(id) { return "unknown-rule" }
        return scope.sees(entry) ? "stale" : nil
    }

    /// Returns whether another entry, which is in force, hides all that an entry hid.
    private func isRenewed(_ entry: Suppression) -> Bool {
        (suppressions?.entries ?? []).contains { other in
            other.subject == entry.subject && !isExpired(other)
                && (other.match == nil || other.match?.identity == entry.match?.identity)
        }
    }

    /// Returns known findings that are gone, and the number of others that are not among those `found` either, but could
    /// not have been seen.
    func goneFindings(
        except found: Set<String>,
        _ scope: TriageScope
    ) -> (gone: [FindingBaseline.Entry], unseen: Int) {
        let missing = (baseline?.entries ?? []).filter { !found.contains($0.fingerprint) }
        let gone = missing.filter { scope.sees($0.rule) && scope.covers($0.servers) }
        return (gone, missing.count - gone.count)
    }
}
