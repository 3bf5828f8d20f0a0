public import ULSLog

/// A diagnosis of logs while they are written: what is new is told as it comes, and all of it at the end.
///
/// It begins with the end of each server's newest log. It has no clock and does not wait; see `LogFollower`.
public struct LiveDiagnosis {
    /// A run that the closures of a follower share.
    private final class State {
        var run: DiagnosisRun
        var hasChanged = true

        init(_ run: DiagnosisRun) { self.run = run }

        func take(_ event: borrowing ULSEvent) {
            run.take(event)
            hasChanged = true
        }
    }

    private let state: State
    private var follower: LogFollower
    private let filter: EventFilter
    private var known = KnownFailures()

    /// Creates the diagnosis.
    ///
    /// - Throws: A `LogError` if an input is not there, or does not grow.
    public init(_ diagnosis: Diagnosis, following reader: LogReader) throws {
        // Rows can't be read again while they are written, so all that matter are kept as they come.
        let prefilter = RulePrefilter(diagnosis.rules.selectors, counting: .afterwards)
        let state = State(DiagnosisRun(diagnosis, prefilter))
        self.state = state
        filter = reader.filter
        follower = try LogFollower(reader, chosenBy: prefilter, last: .max) { edge in
            state.run.take(edge)
            state.hasChanged = true
        }
    }

    /// The folders to be watched.
    public var folders: [String] { follower.folders }

    /// Looks for what was written since; see `LogFollower.look(at:relists:_:)`.
    public mutating func look(at now: Duration, relists: Bool) throws -> Bool {
        try follower.look(at: now, relists: relists) { [state] event, _ in state.take(event) }
    }

    /// Returns how long to wait, at most, before looking again.
    public func pause(at now: Duration) -> Duration { follower.pause(at: now) }

    /// Returns what has become known since this was asked last.
    public mutating func news() -> [DiagnosisNews] {
        guard state.hasChanged else { return [] }
        state.hasChanged = false
        return known.news(in: report(follower.report))
    }

    /// Ends the diagnosis and returns the report.
    public mutating func finish() throws -> DiagnosisReport {
        report(try follower.finish { [state] event, _ in state.take(event) })
    }

    private func report(_ log: ReadReport) -> DiagnosisReport {
        state.run.reportSoFar(log, hidesRows: filter.hidesRows, isFiltered: !filter.isEmpty)
    }
}

/// What has become known while logs are written.
public enum DiagnosisNews: Sendable {
    /// A finding that was not there, or that had another severity or verdict.
    case finding(Finding, before: Severity?)
    /// Rows of a kind that no rule explains.
    case unexplained(FailureCluster)
}

/// What has been told already.
private struct KnownFailures {
    /// Severities and verdicts by fingerprint.
    private var findings: [String: (severity: Severity, verdict: String)] = [:]
    private var clusters: Set<String> = []

    mutating func news(in report: DiagnosisReport) -> [DiagnosisNews] {
        var news: [DiagnosisNews] = []
        for finding in report.findings {
            let before = findings[finding.fingerprint]
            guard before?.severity != finding.severity || before?.verdict != finding.verdict else { continue }
            findings[finding.fingerprint] = (finding.severity, finding.verdict)
            news.append(.finding(finding, before: before?.severity))
        }
        for cluster in report.unexplained where clusters.insert(cluster.id).inserted {
            news.append(.unexplained(cluster))
        }
        return news
    }
}
