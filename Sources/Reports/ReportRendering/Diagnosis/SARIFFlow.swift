import JSONText
public import LogDiagnosis
import ULSLog

extension DiagnosisReport {
    /// The correlations of the requests that findings show first, worst findings first, each once.
    public func requests(maximum: Int) -> [String] {
        var requests: [String] = []
        for correlation in findings.lazy.compactMap(\.request) where !requests.contains(correlation) {
            requests.append(correlation)
            if requests.count == maximum { break }
        }
        return requests
    }
}

extension Finding {
    /// The correlation of the first event of the evidence that has one.
    fileprivate var request: String? { evidence.lazy.compactMap(\.correlation).first }
}

/// The request of a finding as SARIF tells how a program came to a place: a thread flow, step by step.
///
/// With its trace, all rows of the request are steps, nested as its scopes are; without it, the evidence of the request
/// is. A flow has at most ``maximumSteps``: the evidence and the problems first, then the rest from the beginning.
struct SARIFFlow {
    private struct Step {
        var event: Evidence
        var nesting: Int
        /// Whether it is a row at Monitorable or worse.
        var isProblem: Bool
        var isEvidence: Bool

        /// What SARIF calls its importance to somebody who reads the flow.
        var importance: String { isEvidence ? "essential" : isProblem ? "important" : "unimportant" }
        var rank: Int { isEvidence ? 0 : isProblem ? 1 : 2 }
    }

    private let correlation: String
    private let steps: [Step]
    /// The number of steps that are left out.
    let omitted: Int

    /// GitHub keeps the first 1,000 steps of all flows of a result; fewer are easier to read.
    static let maximumSteps = 100
    /// Characters of a step's message.
    private static let maximumText = 300

    /// Creates the flow from the traces that are known, by correlation; `nil` if there would be less than two steps.
    init?(_ finding: Finding, _ traces: [String: RequestTrace]) {
        guard let correlation = finding.request else { return nil }
        self.correlation = correlation
        let places = Set(finding.evidence.map(\.place))
        var all: [Step] = []
        if let trace = traces[correlation] {
            Self.visit(trace.roots) { index, nesting in
                guard trace.events.indices.contains(index) else { return }
                let event = trace.events[index]
                all.append(
                    Step(
                        event: Evidence(
                            place: event.place,
                            time: event.time,
                            server: event.server,
                            eventID: event.text(.eventID),
                            level: event.level.word,
                            text: event.text(.message)
                        ),
                        nesting: nesting,
                        isProblem: event.level.isAbnormal,
                        isEvidence: places.contains(event.place)
                    )
                )
            }
        } else {
            all = finding.evidence.filter { $0.correlation == correlation }.map {
                Step(event: $0, nesting: 0, isProblem: false, isEvidence: true)
            }
        }
        guard all.count > 1 else { return nil }
        let kept = all.indices.sorted { (all[$0].rank, $0) < (all[$1].rank, $1) }.prefix(Self.maximumSteps).sorted()
        steps = kept.map { all[$0] }
        omitted = all.count - kept.count
    }

    /// Visits all events of a tree in order, with the number of scopes around each; without recursion, because scopes
    /// may be nested as deeply as a log likes.
    private static func visit(_ roots: [RequestTrace.Node], _ body: (_ event: Int, _ nesting: Int) -> Void) {
        var rest = roots.reversed().map { (node: $0, nesting: 0) }
        while let (node, nesting) = rest.popLast() {
            switch node {
            case .event(let index): body(index, nesting)
            case .scope(let scope):
                if let entering = scope.entering { body(entering, nesting) }
                if let leaving = scope.leaving { rest.append((.event(leaving), nesting)) }
                rest += scope.children.reversed().map { ($0, nesting + 1) }
            }
        }
    }

    /// Writes the member `codeFlows`.
    func write(to result: inout JSONWriter) {
        result.array("codeFlows") { flows in
            flows.object { flow in
                flow.object("message") { message in
                    let rest = omitted > 0 ? "; \(Quantity(grouped: omitted, "event", "events")) left out" : ""
                    message.member("text", SARIFText.message(["request \(correlation)\(rest)"]))
                }
                flow.array("threadFlows") { threads in
                    threads.object { thread in
                        thread.member("id", correlation)
                        thread.array("locations") { locations in
                            for (number, step) in steps.enumerated() {
                                locations.object { Self.write(step, number: number + 1, to: &$0) }
                            }
                        }
                    }
                }
            }
        }
    }

    private static func write(_ step: Step, number: Int, to object: inout JSONWriter) {
        let event = step.event
        object.object("location") { location in
            location.object("message") { message in
                let words = [event.time.iso8601, event.server, event.level, event.eventID, event.text]
                let text = words.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
                message.member("text", SARIFText.message([SARIFText.plain(text, maximum: maximumText)]))
            }
            SARIFLocation.writeMembers(of: FindingPlace(event), to: &location)
        }
        object.member("executionOrder", number)
        object.member("nestingLevel", step.nesting)
        object.member("importance", step.importance)
        // A server's local time is no instant, and SARIF takes only UTC.
        guard event.time.quality == .exact, event.time.instant >= 0 else { return }
        let instant = Duration.milliseconds(event.time.instant)
        object.member("executionTimeUtc", UTCTimestamp(since1970: instant).description)
    }
}
