import Redaction
import ULSLog

/// The traces of requests as a page: what went wrong first, where the time went, and every row.
struct TraceHTML {
    private let traces: [RequestTrace]
    private let redaction: RedactionSummary?

    /// Bytes of the first problem's message in the first sentence; all of it is in its row.
    private static let longestMessage = 200
    /// The most scopes in a picture of where the time went.
    private static let maximumScopes = 60

    init(_ traces: [RequestTrace], _ redaction: RedactionSummary?) {
        (self.traces, self.redaction) = (traces, redaction)
    }

    func append(to bytes: inout [UInt8]) {
        let ends = PageWords.ends(
            of: traces.flatMap { trace in
                [trace.events.first?.time, trace.events.last?.time].compactMap(\.self)
            }
        )
        let noun = traces.count == 1 ? "Request" : "Requests"
        var document = HTMLDocument(title: noun + PageWords.window(ends.first, ends.last)) { page in
            page.redaction(redaction)
            guard !traces.isEmpty else { return page.paragraph("No event has this correlation.", class: "verdict") }
            for (number, trace) in traces.enumerated() {
                page.element("p", ["class": "verdict \(Self.style(of: trace))"]) { page in
                    if traces.count > 1 {
                        page.link(to: "request-\(number + 1)") { $0.text("Request \(number + 1)") }
                        page.text(": ")
                    }
                    page.text(sentence(on: trace))
                }
                page.lineEnd()
            }
            var counts: [Int: Int] = [:]
            for event in traces.flatMap(\.events) { counts[event.level.rank, default: 0] += 1 }
            page.levelFilter(counts)
        }
        for (number, trace) in traces.enumerated() {
            let title = traces.count == 1 ? "The request" : "Request \(number + 1)"
            document.section("request-\(number + 1)", title, share: max(1, trace.events.count)) { page in
                page.facts(TraceHead(trace).rows)
                page.table(waterfall(of: trace))
                page.table(rows(of: trace))
            }
        }
        document.append(to: &bytes)
    }

    /// Returns how long it took and what went wrong first.
    private func sentence(on trace: RequestTrace) -> Phrase {
        let events = Quantity(grouped: trace.events.count, "event", "events")
        let took: Phrase =
            trace.microseconds.map { "It took \("\(ShortDuration(measured: .microseconds($0)))", .bold), " }
            ?? "It took an unknown time, "
        let begin = took + "with \(events). "
        guard let problem = TraceHead(trace).firstProblem else {
            return begin + "No event is at Monitorable or worse."
        }
        let after = elapsed(problem.time, trace).map { " after \($0)" } ?? ""
        let server: Phrase = problem.server.map { " on \(untrusted: $0)" } ?? ""
        let message = HTMLExcerpt(problem.text(.message), maximum: Self.longestMessage)
        let rest: Phrase = message.missing > 0 ? "…" : ""
        return begin + "The first problem came\(after)\(server): \(untrusted: message.text)" + rest
    }

    private static func style(of trace: RequestTrace) -> String {
        guard let worst = TraceHead(trace).worst, worst.isAbnormal else { return "good" }
        return worst.rank <= 2 ? "error" : "warning"
    }

    private func start(of trace: RequestTrace) -> LogTime? { trace.events.first { $0.time.quality != .none }?.time }

    private func elapsed(_ time: LogTime, _ trace: RequestTrace) -> String? {
        guard let start = start(of: trace), let passed = time.milliseconds(since: start) else { return nil }
        return "\(ShortDuration(measured: .milliseconds(passed)))"
    }
}

extension TraceHTML {
    /// A scope on the picture of where the time went.
    private struct Stretch {
        var scope: RequestTrace.Scope
        var depth: Int
        var start: Int64
        var duration: Int64
        var isOpen: Bool
    }

    /// Returns the longest scopes, by their start, with a bar for when each ran.
    private func waterfall(of trace: RequestTrace) -> HTMLTable {
        var table = HTMLTable(
            "Where the time went",
            [
                .init(title: "Scope", isWide: true), .init(title: "Began after", isNumber: true),
                .init(title: "Took", isNumber: true), .init(title: "When", isWide: true),
            ]
        )
        let stretches = stretches(of: trace)
        let whole = stretches.map { $0.start + $0.duration }.max() ?? 0
        guard stretches.count > 1, whole > 0 else { return table }
        let longest = stretches.indices.sorted {
            stretches[$0].duration != stretches[$1].duration ? stretches[$0].duration > stretches[$1].duration : $0 < $1
        }
        let kept = Set(longest.prefix(Self.maximumScopes))
        for (index, stretch) in stretches.enumerated() where kept.contains(index) {
            let took: Phrase =
                stretch.isOpen ? "never left" : "\(ShortDuration(measured: .microseconds(stretch.duration)))"
            table.append([
                HTMLTable.Cell(
                    content: { $0.text(untrusted: stretch.scope.name) },
                    style: Self.indentation(stretch.depth)
                ),
                .phrase("\(ShortDuration(measured: .microseconds(stretch.start)))"), .phrase(took),
                HTMLTable.Cell(content: { Self.write(stretch, whole, to: &$0) }, style: "when"),
            ])
        }
        table.omitted = stretches.count - kept.count
        table.nouns = ("shorter scope", "shorter scopes")
        return table
    }

    private static func write(_ stretch: Stretch, _ whole: Int64, to page: inout HTMLWriter) {
        let place = Int(Double(stretch.start) / Double(whole) * 10_000)
        let length = max(50, Int(Double(stretch.duration) / Double(whole) * 10_000))
        page.element("svg", ["class": "stretch", "aria-hidden": "true", "height": "12", "width": "100%"]) { page in
            page.element(
                "rect",
                [
                    "x": HTMLWriter.percent(min(place, 9950)), "width": HTMLWriter.percent(length), "height": "12",
                    "class": stretch.isOpen ? "f3" : "f5", "fill": stretch.isOpen ? "#c77700" : "#2e6fb7",
                ]
            )
        }
    }

    /// Returns the scopes whose times are known, in microseconds since the first event, in the order of the tree.
    private func stretches(of trace: RequestTrace) -> [Stretch] {
        guard let start = start(of: trace) else { return [] }
        func microseconds(_ index: Int?) -> Int64? {
            guard let index, trace.events.indices.contains(index) else { return nil }
            return trace.events[index].time.milliseconds(since: start).map { max(0, $0) * 1000 }
        }
        let end = microseconds(trace.events.indices.last) ?? 0
        return TraceLines(trace).compactMap { line in
            let scope: RequestTrace.Scope
            switch line.kind {
            case .entering(let entered), .whole(let entered): scope = entered
            case .event, .leaving: return nil
            }
            let left = microseconds(scope.leaving)
            let known = scope.microseconds ?? left.flatMap { left in microseconds(scope.entering).map { left - $0 } }
            guard let began = microseconds(scope.entering) ?? left.map({ max(0, $0 - (known ?? 0)) }) else {
                return nil
            }
            return Stretch(
                scope: scope,
                depth: line.depth,
                start: began,
                duration: max(0, known ?? end - began),
                isOpen: scope.leaving == nil
            )
        }
    }

    /// Returns the class that indents a cell.
    private static func indentation(_ depth: Int) -> String? { depth > 0 ? "d\(min(depth, 12))" : nil }
}

extension TraceHTML {
    /// Returns all rows, indented by the scopes they are in.
    private func rows(of trace: RequestTrace) -> HTMLTable {
        let hasServers = trace.servers.count > 1
        var table = HTMLTable(
            "All rows of the request",
            [.init(title: "Time"), .init(title: "After", isNumber: true)]
                + (hasServers ? [.init(title: "Server")] : [])
                + [.init(title: "Level"), .init(title: "Event"), .init(title: "Message", isWide: true)]
        )
        let gaps = Dictionary(trace.gaps.map { ($0.before, $0.milliseconds) }, uniquingKeysWith: { one, _ in one })
        for line in TraceLines(trace) {
            let indices = line.events.filter(trace.events.indices.contains)
            guard let event = indices.map({ trace.events[$0] }).min(by: { $0.level.rank < $1.level.rank }) else {
                continue
            }
            let isProblem = indices.contains { $0 == trace.firstAbnormal }
            let pause = indices.lazy.compactMap { gaps[$0] }.first
            var cells: [HTMLTable.Cell] = [
                .phrase("\(Self.clock(event.time))"), .phrase("\(elapsed(event.time, trace) ?? "–")"),
            ]
            if hasServers { cells.append(.untrusted(event.server)) }
            cells += [
                .phrase("\(untrusted: event.level.word)", event.level.style.name), .code(event.text(.eventID)),
                HTMLTable.Cell(
                    content: { page in
                        if let pause {
                            page.element("p", ["class": "remark"]) {
                                $0.text("\(ShortDuration(measured: .milliseconds(pause))) without a row")
                            }
                        }
                        if isProblem { page.element("p", ["class": "remark bad"]) { $0.text("First problem") } }
                        Self.write(line, event, to: &page)
                    },
                    style: Self.indentation(line.depth)
                ),
            ]
            table.append(cells, rank: event.level.rank, style: isProblem ? "first" : nil)
        }
        table.omitted = trace.omitted
        table.command = trace.correlation.isEmpty ? nil : "fastctl logs trace \(trace.correlation) -o json"
        return table
    }

    private static func clock(_ time: LogTime) -> String {
        var bytes: [UInt8] = []
        time.appendTimeOfDay(to: &bytes)
        return bytes.isEmpty ? "–" : String(decoding: bytes, as: UTF8.self)
    }

    private static func write(_ line: TraceLine, _ event: ULSEvent, to page: inout HTMLWriter) {
        switch line.kind {
        case .event:
            page.message(event.text(.message))
        case .entering(let scope), .whole(let scope):
            page.element("span", ["class": "scope"]) { $0.text(untrusted: scope.name) }
            if let duration = scope.microseconds { page.text(" \(ShortDuration(measured: .microseconds(duration)))") }
            if scope.leaving == nil { page.text(" never left") }
            if scope.entering == nil { page.text(" entered before") }
        case .leaving(let scope):
            page.text("left ")
            page.element("span", ["class": "scope"]) { $0.text(untrusted: scope.name) }
        }
    }
}
