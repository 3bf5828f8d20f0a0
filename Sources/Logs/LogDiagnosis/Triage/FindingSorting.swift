/// The findings of one run, sorted as they come into new, known and suppressed ones.
struct FindingSorting {
    private let triage: FindingTriage
    private var known: [Finding] = []
    private var suppressed: [SuppressedFinding] = []
    /// Known and new ones, for a baseline.
    private var told: [FindingBaseline.Entry] = []
    /// The fingerprints of all findings.
    private var fingerprints: Set<String> = []
    /// The suppressions that cover something, in force or not.
    private var covering: Set<Int> = []

    init(_ triage: FindingTriage) { self.triage = triage }

    /// Takes the findings of a rule; returns those that are new, in the same order.
    mutating func take(_ findings: [Finding]) -> [Finding] {
        var new: [Finding] = []
        for finding in findings {
            fingerprints.insert(finding.fingerprint)
            let (place, covering) = triage.place(of: finding)
            self.covering.formUnion(covering)
            switch place {
            case .new: new.append(finding)
            case .known: known.append(finding)
            case .suppressed(let suppression):
                suppressed.append(SuppressedFinding(.finding(finding), by: suppression))
                continue
            }
            told.append(FindingBaseline.Entry(finding))
        }
        return new
    }

    /// Takes the kinds of unexplained rows that are suppressed.
    mutating func take(_ clusters: ClusterReport) {
        suppressed += clusters.suppressed
        covering.formUnion(clusters.covering)
    }

    /// Adds what is known or suppressed to a report, and findings about suppressions that are out of date.
    consuming func finish(_ report: inout DiagnosisReport, _ scope: TriageScope) {
        report.triage = triage
        report.known = known.sorted(by: Finding.isBefore)
        for index in report.known.indices { report.known[index].read() }
        report.suppressed = suppressed
        report.baseline = FindingBaseline(told)
        (report.gone, report.unseenKnown) = triage.goneFindings(except: fingerprints, scope)
        guard triage.suppressions != nil else { return }
        let outdated = triage.outdatedEntries(covering: covering, scope)
        if outdated.isEmpty { report.passed.append(ProgramRule.suppression) }
        report.findings = (report.findings + outdated).sorted(by: Finding.isBefore)
    }
}
