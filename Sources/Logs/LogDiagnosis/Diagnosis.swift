public import ULSLog
public import WebConfig

/// A diagnosis of logs and configuration by rules.
///
/// ```swift
/// let diagnosis = Diagnosis(rules: try .builtIn(), configs: [try .read(WebConfigSource(path: "web.config"))])
/// let report = try diagnosis.report(on: LogReader(inputs: ["/logs"]))
/// ```
public struct Diagnosis: Sendable {
    /// The rules that are tried.
    public var rules: RuleSet
    /// The web.config files that checks look at.
    public var configs: [WebConfigFile]
    /// Files that were given but refused: their contents are unknown, not absent.
    public var refusedConfigs: [WebConfigError]
    /// What the farm is made of; `nil` if no file says so.
    public var farm: FarmFacts?
    /// What is normal, from another log: kinds of rows and findings below error that are no more frequent are not reported
    /// again.
    public var normal: NormalFailures?
    /// What has been decided about findings: which are suppressed, and which are known.
    public var triage = FindingTriage()
    /// Whether the report describes the log as a normal one, to compare others with, which takes a while.
    public var describesNormal = false
    /// Whether rows that are noise are findings, as the tests of such rules want it.
    var showsNoise = false

    /// Creates a diagnosis.
    public init(rules: RuleSet, configs: [WebConfigFile] = [], refusedConfigs: [WebConfigError] = []) {
        self.rules = rules
        self.configs = configs
        self.refusedConfigs = refusedConfigs
    }

    /// Reads logs and reports what is wrong.
    ///
    /// - Parameter reader: the logs, and which of their events to examine; `nil` if there are no logs.
    /// - Returns: The report, which is the same for any number of jobs.
    /// - Throws: Any error that the reader throws.
    public func report(on reader: LogReader?) throws -> DiagnosisReport {
        guard var reader else { return report(on: nil as RecordedLog?) }
        try reader.findLogs()
        // Events that are not handed over cannot lead evidence; they are read again where that costs little.
        let canReadAgain = try reader.canReadAgain()
        let counting: RulePrefilter.Counting = canReadAgain || !rules.haveLeads ? .inUnits : .afterwards
        let isPaste = try reader.detectPaste()
        let prefilter = RulePrefilter(rules.selectors, counting: counting, isPaste: isPaste)
        let run = DiagnosisReading(DiagnosisRun(self, prefilter))
        prefilter.note(run.run.kinds)
        let read = try reader.forEachEvent(chosenBy: prefilter) { edge in
            run.run.take(edge)
        } tallies: { unit, lines in
            run.run.take(unit, lines: lines)
            prefilter.note(run.run.kinds)
        } _: { event in
            run.run.take(event)
        }
        var report = run.run.finish(
            read,
            hidesRows: reader.filter.hidesRows,
            isFiltered: !reader.filter.isEmpty,
            hasWindow: !reader.window.isAll
        )
        if counting == .inUnits { try report.addLeads(from: reader, rules) }
        return report
    }

    /// A run shared by the closures that take edges, counts, and events, one after the other.
    private final class DiagnosisReading {
        var run: DiagnosisRun

        init(_ run: DiagnosisRun) { self.run = run }
    }

    /// Reports what is wrong in a log that has already been read.
    public func report(on log: RecordedLog?) -> DiagnosisReport {
        var run = DiagnosisRun(self)
        guard let log else { return run.finish(nil) }
        for edge in log.edges { run.take(edge) }
        for event in log.events { run.take(event) }
        return run.finish(log.report)
    }
}

/// A short log in memory, with all its events, so that one rule after another can run over it.
public struct RecordedLog: Sendable {
    /// The events that any rule selects.
    public let events: [ULSEvent]
    /// Where requests begin and end.
    public let edges: [RequestEdge]
    /// What was read.
    public let report: ReadReport

    /// Reads an entire log.
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

/// A prefilter of every event.
private struct EveryEvent: EventPrefilter {
    struct Matcher: MessageMatcher {
        func matches(_ message: Span<UInt8>, _ number: Int) -> Bool { true }
    }

    func choice(
        area: Span<UInt8>,
        category: Span<UInt8>,
        eventID: Span<UInt8>,
        level: Span<UInt8>
    ) -> PrefilterResult { .yes(0) }

    func makeMatcher() -> Matcher { Matcher() }
}

extension EventFilter {
    /// Whether the filter hides rows of requests that it selects; servers, processes, and correlations don't.
    var hidesRows: Bool {
        level != nil || !categories.isEmpty || !eventIDs.isEmpty || examinesMessages || !excludedCategories.isEmpty
            || !excludedEventIDs.isEmpty
    }
}
