public import ULSLog
public import WebConfig

/// Runs rules over logs and configuration.
///
/// ```swift
/// let diagnosis = Diagnosis(rules: try .builtIn(), configs: [try .read(WebConfigSource(path: "web.config"))])
/// let report = try diagnosis.report(on: LogReader(inputs: ["/logs"]))
/// ```
public struct Diagnosis: Sendable {
    public var rules: RuleSet
    public var configs: [WebConfigFile]
    /// Files that were given and could not be taken: what they say is unknown, not no.
    public var refusedConfigs: [WebConfigError]

    public init(rules: RuleSet, configs: [WebConfigFile] = [], refusedConfigs: [WebConfigError] = []) {
        self.rules = rules
        self.configs = configs
        self.refusedConfigs = refusedConfigs
    }

    /// Reads logs and says what is wrong.
    ///
    /// - Parameter reader: where the logs are, and which events are looked at; `nil` if there are none.
    /// - Returns: The same for any number of jobs.
    /// - Throws: What the reader throws.
    public func report(on reader: LogReader?) throws -> DiagnosisReport {
        guard let reader else { return report(on: nil as RecordedLog?) }
        // What is not handed over cannot lead evidence; it is read again where that costs little.
        let canReadAgain = try reader.canReadAgain()
        let counting: DiagnosisChooser.Counting = canReadAgain || !rules.haveLeads ? .inUnits : .afterwards
        let chooser = DiagnosisChooser(rules.selectors, counting: counting)
        let run = DiagnosisReading(DiagnosisRun(self, chooser))
        let read = try reader.forEachEvent(chosenBy: chooser) { edge in
            run.run.take(edge)
        } tallies: { unit, lines in
            run.run.take(unit, lines: lines)
            chooser.note(run.run.kinds)
        } _: { event in
            run.run.take(event)
        }
        var report = run.run.finish(read, hidesRows: reader.filter.hidesRows)
        if counting == .inUnits { try report.addLeads(from: reader) }
        return report
    }

    /// Shares a run between what takes edges, what takes counts and what takes events, one after the other.
    private final class DiagnosisReading {
        var run: DiagnosisRun

        init(_ run: DiagnosisRun) { self.run = run }
    }

    /// Says what is wrong in a log that was read before.
    public func report(on log: RecordedLog?) -> DiagnosisReport {
        var run = DiagnosisRun(self)
        guard let log else { return run.finish(nil) }
        for edge in log.edges { run.take(edge) }
        for event in log.events { run.take(event) }
        return run.finish(log.report)
    }
}

/// A short log in memory: all its events, to run one rule after another over it.
public struct RecordedLog: Sendable {
    public let events: [ULSEvent]
    public let edges: [RequestEdge]
    public let report: ReadReport

    /// Reads a log wholly.
    public static func record(_ reader: LogReader) throws -> RecordedLog {
        var events: [ULSEvent] = []
        var edges: [RequestEdge] = []
        let report = try reader.forEachEvent(chosenBy: EveryEvent()) { edge in
            edges.append(edge)
        } _: { event in
            events.append(copy event)
        }
        return RecordedLog(events: events, edges: edges, report: report)
    }
}

/// Chooses all.
private struct EveryEvent: EventChooser {
    struct Matcher: MessageMatcher {
        func matches(_ message: Span<UInt8>, _ number: Int) -> Bool { true }
    }

    func choice(
        area: Span<UInt8>,
        category: Span<UInt8>,
        eventID: Span<UInt8>,
        level: Span<UInt8>
    ) -> EventChoice { .yes(0) }

    func makeMatcher() -> Matcher { Matcher() }
}

extension EventFilter {
    /// Whether it leaves out rows of requests that it wants: by servers, processes and correlations it does not.
    fileprivate var hidesRows: Bool {
        level != nil || !categories.isEmpty || !eventIDs.isEmpty || !contains.isEmpty
    }
}
