import JSONText
public import Redaction
public import ULSLog

/// Shows the traces of requests.
public enum TraceRenderer {
    /// Appends the traces one after another; JSON is always an array, even if empty.
    public static func append(
        _ traces: [RequestTrace],
        as format: LogTraceFormat = .text,
        layout: TextLayout = TextLayout(),
        csv: CSVStyle = CSVStyle(),
        redaction: RedactionSummary? = nil,
        to bytes: inout [UInt8],
        drain: BufferDrain
    ) throws {
        switch format {
        case .text:
            for (index, trace) in traces.enumerated() {
                if index > 0 { bytes.append(0x0A) }
                try TraceText(trace, layout).append(to: &bytes, drain: drain)
            }
        case .html:
            TraceHTML(traces, redaction).append(to: &bytes)
            try drain(&bytes)
        case .markdown:
            for (index, trace) in traces.enumerated() {
                if index > 0 { bytes.append(0x0A) }
                try TraceMarkdown.append(trace, to: &bytes)
                try drain(&bytes)
            }
            RedactionNote.appendMarkdown(redaction, to: &bytes)
        case .json:
            bytes.append(text: "[" as StaticString)
            for (index, trace) in traces.enumerated() {
                if index > 0 { bytes.append(text: ",\n " as StaticString) }
                try TraceObject.append(trace, to: &bytes, drain: drain)
            }
            bytes.append(text: "]\n" as StaticString)
        case .ndjson, .csv:
            var writer = LogEventWriter(format == .csv ? .csv : .ndjson, csv: csv)
            writer.begin(in: &bytes)
            for event in traces.flatMap(\.events) {
                writer.append(event, to: &bytes)
                if bytes.count >= drainThreshold { try drain(&bytes) }
            }
            writer.end(in: &bytes)
        }
    }
}

/// Named facts about a whole request, for the head of its trace.
struct TraceHead {
    private let trace: RequestTrace

    init(_ trace: RequestTrace) { self.trace = trace }

    /// The first event at Monitorable or worse.
    var firstProblem: ULSEvent? {
        trace.firstAbnormal.flatMap { trace.events.indices.contains($0) ? trace.events[$0] : nil }
    }

    var worst: ULSLevel? { trace.events.map(\.level).min { $0.rank < $1.rank } }

    var firstTime: LogTime? { trace.events.first?.time }
    var lastTime: LogTime? { trace.events.last?.time }

    /// Names with their values: `Began`, `2011-09-26T10:39:40.52, local time of the server`.
    var rows: [(name: String, value: Phrase)] {
        var rows: [(name: String, value: Phrase)] = []
        if !trace.correlation.isEmpty { rows.append(("Correlation", "\(untrusted: trace.correlation)")) }
        if let name = trace.name { rows.append(("Request", "\(untrusted: name)")) }
        if !trace.servers.isEmpty {
            var servers: Phrase = ""
            for (index, server) in trace.servers.prefix(ReportWords.maximumServers).enumerated() {
                servers = servers + (index > 0 ? ", \(untrusted: server)" : "\(untrusted: server)")
            }
            let rest = trace.servers.count - ReportWords.maximumServers
            if rest > 0 { servers = servers + " and \(Quantity(grouped: rest)) more" }
            rows.append((trace.servers.count == 1 ? "Server" : "Servers", servers))
        }
        if let time = firstTime, let iso = time.iso8601 {
            let note = time.quality == .exact ? "" : ", local time of the server"
            rows.append(("Began", "\(iso)\(note)"))
        }
        if let duration = trace.microseconds {
            rows.append(("Took", "\(ShortDuration(measured: .microseconds(duration)))"))
        }
        var events: Phrase = "\(Quantity(grouped: trace.events.count))"
        if let worst, !worst.word.isEmpty { events = events + ", the worst \(untrusted: worst.word)" }
        rows.append(("Events", events))
        rows.append(("First problem", problem))
        if firstProblem == nil, let index = trace.firstNotable, trace.events.indices.contains(index) {
            rows.append(("Begin reading", Self.reference(to: trace.events[index])))
        }
        if let site = trace.site { rows.append(("Site", "\(untrusted: site)")) }
        return rows
    }

    private var problem: Phrase {
        guard let event = firstProblem else { return "none: no event at Monitorable or worse" }
        return Self.reference(to: event)
    }

    /// Returns an event's time, level, ID and place.
    private static func reference(to event: ULSEvent) -> Phrase {
        let place = "\(event.place.file):\(event.place.line)"
        let (level, id) = (event.text(.level), event.text(.eventID))
        return """
            \(event.time.iso8601 ?? "-") \(untrusted: level) \(untrusted: id.isEmpty ? "-" : id) \
            at \(untrusted: place)
            """
    }
}

/// A trace to paste into a ticket: a title, a table of facts, and the tree in a fence.
private enum TraceMarkdown {
    static func append(_ trace: RequestTrace, to bytes: inout [UInt8]) throws {
        bytes.append(text: "## Request " as StaticString)
        bytes.append(markdownCode: trace.name ?? trace.correlation)
        bytes.append(text: "\n\n| | |\n| --- | --- |\n" as StaticString)
        for (name, value) in TraceHead(trace).rows {
            bytes.append(text: "| \(name) | ")
            value.appendMarkdown(to: &bytes)
            bytes.append(text: " |\n" as StaticString)
        }
        bytes.append(0x0A)
        var tree: [UInt8] = []
        try TraceTree(trace, TextLayout(), maximumMessageWidth: maximumMessageWidth).append(to: &tree) { _ in }
        bytes.append(markdownFence: tree)
    }

    /// Maximum columns of a message, because a ticket must be readable; other formats have the whole message.
    private static let maximumMessageWidth = 500
}

/// A trace for people: its facts, then its tree.
private struct TraceText {
    private let trace: RequestTrace
    private let layout: TextLayout

    /// Columns of the longest name.
    private static let nameWidth = 13

    init(_ trace: RequestTrace, _ layout: TextLayout) {
        self.trace = trace
        self.layout = layout
    }

    func append(to bytes: inout [UInt8], drain: BufferDrain) throws {
        for (name, value) in TraceHead(trace).rows {
            bytes.append(.bold, layout) { $0.append(padded: name, to: Self.nameWidth) }
            bytes.append(blanks: 2)
            let column = Self.nameWidth + 2
            value.appendLines(to: &bytes, layout, from: column, indent: column)
        }
        bytes.append(0x0A)
        try TraceTree(trace, layout).append(to: &bytes, drain: drain)
    }
}

/// `fastctl.trace/1`: a request with its events and the tree of its scopes.
private enum TraceObject {
    static func append(_ trace: RequestTrace, to bytes: inout [UInt8], drain: BufferDrain) throws {
        let head = TraceHead(trace)
        try bytes.append(object: "fastctl.trace/1") { object in
            object.member("correlation", log: trace.correlation)
            object.member("name", log: trace.name)
            object.member("servers", trace.servers.map { $0 })
            object.member("firstTime", head.firstTime)
            object.member("lastTime", head.lastTime)
            object.member("seconds", microseconds: trace.microseconds)
            object.member("worstLevel", log: head.worst?.word)
            object.member("firstAbnormal", trace.firstAbnormal)
            object.array("gaps") { array in
                for gap in trace.gaps {
                    array.object { object in
                        object.member("before", gap.before)
                        object.member("seconds", Seconds(milliseconds: gap.milliseconds))
                    }
                }
            }
            try object.array("events") { array in
                var one: [UInt8] = []
                for event in trace.events {
                    one.removeAll(keepingCapacity: true)
                    LogEventObject.append(event, to: &one)
                    array.raw(one.span)
                    try array.drain { if $0.count >= drainThreshold { try drain(&$0) } }
                }
            }
            object.array("tree") { append(trace.roots, depth: 0, to: &$0) }
        }
    }

    /// Writes each event as its index into `events`, each scope as an object with its children.
    private static func append(_ nodes: [RequestTrace.Node], depth: Int, to array: inout JSONWriter) {
        for node in nodes {
            switch node {
            case .event(let index): array.value(index)
            case .scope(let scope):
                array.object { object in
                    object.member("scope", scope.name)
                    object.member("seconds", microseconds: scope.microseconds)
                    object.member("entering", scope.entering)
                    object.member("leaving", scope.leaving)
                    object.array("children") { children in
                        guard depth < maximumDepth else { return appendFlat(scope.children, to: &children) }
                        append(scope.children, depth: depth + 1, to: &children)
                    }
                }
            }
        }
    }

    /// Writes the events of scopes nested too deeply for JSON readers, one after another.
    private static func appendFlat(_ nodes: [RequestTrace.Node], to array: inout JSONWriter) {
        var rest = Array(nodes.reversed())
        while let node = rest.popLast() {
            switch node {
            case .event(let index): array.value(index)
            case .scope(let scope):
                if let entering = scope.entering { array.value(entering) }
                if let leaving = scope.leaving { rest.append(.event(leaving)) }
                rest.append(contentsOf: scope.children.reversed())
            }
        }
    }

    /// Maximum nesting of scopes; deeper ones are written flat, because many JSON readers stop at 256 levels.
    static let maximumDepth = 100
}
