import JSONText
package import Redaction
package import ReportKit
import TextKit
package import ULSLog

/// Shows the traces of requests.
package enum TraceRenderer {
    package static let forms: [OutputForm] = [.text, .html, .markdown, .json, .ndjson, .csv]

    /// Appends the traces one after another; JSON is always an array, even if empty.
    package static func append(
        _ traces: [RequestTrace],
        as form: OutputForm = .text,
        layout: TextLayout = TextLayout(),
        csv: CSVStyle = CSVStyle(),
        redaction: RedactionSummary? = nil,
        to bytes: inout [UInt8],
        drain: BufferDrain
    ) throws {
        switch form {
        case .text:
            try RedactionNote.framing(traces.isEmpty ? nil : redaction, layout, to: &bytes) { bytes in
                for (index, trace) in traces.enumerated() {
                    if index > 0 { bytes.append(0x0A) }
                    try TraceText(trace, layout).append(to: &bytes, drain: drain)
                }
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
            var writer = LogEventWriter(form, csv: csv)
            writer.begin(in: &bytes)
            for event in traces.flatMap(\.events) {
                writer.append(event, to: &bytes)
                if bytes.count >= drainThreshold { try drain(&bytes) }
            }
            writer.end(in: &bytes)
        default: form.failAsUndeclared()
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
            let note = time.quality == .exact ? "" : ", the server's local time"
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

/// A trace to paste into a ticket: a title, a table of facts, and the tree in a code fence.
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

    /// The maximum number of columns of a message, because a ticket must be readable; other formats contain the whole
    /// message.
    private static let maximumMessageWidth = 500
}

/// A trace in readable form: its facts, then its tree.
private struct TraceText {
    private let trace: RequestTrace
    private let layout: TextLayout

    /// The number of columns of the longest name.
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

    /// Writes each event as its index into `events`, and each scope as an object with its children.
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

    /// The maximum nesting of scopes; deeper ones are written flat, because many JSON readers stop at 256 levels.
    static let maximumDepth = 100
}

/// The tree of a trace as lines: mark, time, server, level, event ID, then indented scopes and messages.
///
/// The first row shows its time of day; the others show the time elapsed since then. On a narrow terminal, scopes and
/// messages are on separate lines.
private struct TraceTree {
    private let trace: RequestTrace
    private let layout: TextLayout
    /// The number of columns beyond which a message is cut even if lines are not; `nil` for no such limit.
    private var maximumMessageWidth: Int?

    private var first: LogTime? { trace.events.first { $0.time.quality != .none }?.time }

    init(_ trace: RequestTrace, _ layout: TextLayout, maximumMessageWidth: Int? = nil) {
        self.trace = trace
        self.layout = layout
        self.maximumMessageWidth = maximumMessageWidth
    }

    func append(to bytes: inout [UInt8], drain: BufferDrain) throws {
        let gaps = Dictionary(trace.gaps.map { ($0.before, $0.milliseconds) }, uniquingKeysWith: { one, _ in one })
        let columns = TreeColumns(trace, layout)
        var server: String?
        var isFirst = true
        for line in TraceLines(trace) {
            let indices = line.events.filter(trace.events.indices.contains)
            if let pause = indices.lazy.compactMap({ gaps[$0] }).first { appendGap(pause, to: &bytes) }
            let event = indices.first.map { trace.events[$0] }
            appendMark(isFirstProblem: indices.contains { $0 == trace.firstAbnormal }, to: &bytes)
            appendTime(of: event, isFirst: isFirst, to: &bytes)
            if event != nil { isFirst = false }
            if columns.server > 0 {
                let isNew = event != nil && event?.server != server
                let shown = isNew ? lineText(event?.server ?? "-", columns: columns.server, layout) : ""
                if isNew { server = event?.server }
                bytes.append(padded: shown, to: columns.server)
                bytes.append(blanks: 2)
            }
            appendContent(of: line, indices, columns, to: &bytes)
            bytes.append(0x0A)
            if bytes.count >= drainThreshold { try drain(&bytes) }
        }
    }

    private func appendMark(isFirstProblem: Bool, to bytes: inout [UInt8]) {
        guard isFirstProblem else { return bytes.append(blanks: 2) }
        let mark = layout.isUnicode ? "▶ " : "> "
        bytes.append(blanks: 2 + Self.timeWidth + 2)
        bytes.append(.boldRed, layout) { $0.append(text: "\(mark)first problem") }
        bytes.append(0x0A)
        bytes.append(.boldRed, layout) { $0.append(text: mark) }
    }

    private func appendTime(of event: ULSEvent?, isFirst: Bool, to bytes: inout [UInt8]) {
        let start = bytes.count
        if let event, event.time.quality != .none {
            if !isFirst, let first, let passed = event.time.milliseconds(since: first) {
                bytes.append(text: passed < 0 ? "-" : "+")
                let rest = passed.magnitude
                bytes.append(text: "\(rest / 1000).")
                // Shows as many digits as the log has, which are hundredths.
                let fraction = rest % 10 == 0 ? rest % 1000 / 10 : rest % 1000
                bytes.append(text: fraction.padded(to: rest % 10 == 0 ? 2 : 3))
            } else {
                event.time.appendTimeOfDay(to: &bytes)
            }
        }
        let width = bytes.count - start
        bytes.insert(contentsOf: repeatElement(0x20, count: max(0, Self.timeWidth - width)), at: start)
        bytes.append(blanks: 2)
    }

    private func appendGap(_ milliseconds: Int64, to bytes: inout [UInt8]) {
        bytes.append(blanks: (layout.cutWidth ?? .max) < 60 ? 4 : 2 + Self.timeWidth + 2)
        let dots = layout.isUnicode ? "…" : "..."
        bytes.append(.magenta, layout) {
            $0.append(text: "\(dots) \(ShortDuration(measured: .milliseconds(milliseconds))) without a row")
        }
        bytes.append(0x0A)
    }

    fileprivate static let timeWidth = 12
    fileprivate static let levelWidth = 11
    fileprivate static let eventIDWidth = 5
}

/// The columns of a tree, depending on the terminal's width.
private struct TreeColumns {
    /// The number of columns of the server's name; 0 if all rows are from one server.
    let server: Int
    /// The number of columns for scopes and messages, with their indentation; `nil` if they are not limited.
    let content: Int?
    /// Whether scopes and messages are on separate lines.
    let isStacked: Bool

    /// The number of columns of mark, time, level and event ID, including the spaces between them.
    private static let fixed = 2 + TraceTree.timeWidth + 2 + TraceTree.levelWidth + 2 + TraceTree.eventIDWidth
    private static let maximumServer = 16
    /// The number of columns that scopes and messages need next to the others.
    private static let leastContent = 32
    /// The number of columns before scopes and messages on separate lines.
    static let stackIndent = 4
    /// The minimum number of columns of a message at any depth.
    private static let leastMessage = 24
    /// The maximum depth of indentation; deeper scopes are not indented further.
    private static let maximumDepth = 16

    init(_ trace: RequestTrace, _ layout: TextLayout) {
        let names =
            trace.servers.count > 1 ? trace.servers.map { lineText($0, columns: Self.maximumServer, layout) } : []
        let widest = names.map(SafeText.width).max() ?? 0
        let used = Self.fixed + (widest > 0 ? widest + 2 : 0) + 2
        guard let width = layout.cutWidth else {
            (server, content, isStacked) = (widest, nil, false)
            return
        }
        isStacked = width - used < Self.leastContent
        server = isStacked ? min(widest, max(0, width - Self.fixed - 2)) : widest
        content = width - (isStacked ? Self.stackIndent : used)
    }

    /// Returns the depth at which a line is shown.
    func depth(of line: TraceLine) -> Int {
        min(line.depth, Self.maximumDepth, content.map { max(0, ($0 - Self.leastMessage) / 2) } ?? .max)
    }
}

extension TraceTree {
    private func appendContent(
        of line: TraceLine,
        _ indices: [Int],
        _ columns: TreeColumns,
        to bytes: inout [UInt8]
    ) {
        let event = worst(of: indices)
        let level = event?.level ?? .unknown
        let word = lineText(level.word, columns: Self.levelWidth, layout)
        bytes.append(level.style, layout) { $0.append(text: word) }
        bytes.append(blanks: Self.levelWidth - SafeText.width(word) + 2)
        let id = lineText(event?.text(.eventID) ?? "", columns: Self.eventIDWidth, layout)
        if columns.isStacked {
            bytes.append(text: id)
            while bytes.last == 0x20 { bytes.removeLast() }
            bytes.append(0x0A)
            bytes.append(blanks: TreeColumns.stackIndent)
        } else {
            bytes.append(padded: id, to: Self.eventIDWidth)
            bytes.append(blanks: 2)
        }
        let depth = columns.depth(of: line)
        bytes.append(text: String(repeating: layout.isUnicode ? "│ " : "| ", count: depth))
        let rest = columns.content.map { $0 - 2 * depth } ?? maximumMessageWidth
        switch line.kind {
        case .event:
            if let event { bytes.append(line: event[.message], columns: rest, layout) }
        case .entering(let scope):
            append(scope, sign: layout.isUnicode ? "┌ " : "+ ", columns: rest, to: &bytes)
        case .whole(let scope):
            append(scope, sign: layout.isUnicode ? "─ " : "- ", columns: rest, to: &bytes)
        case .leaving(let scope):
            bytes.append(text: layout.isUnicode ? "└ " : "+ ")
            bytes.append(text: scope.leaving == nil ? "never left" : "left")
            if let duration = scope.microseconds {
                bytes.append(text: " after \(ShortDuration(measured: .microseconds(duration)))")
            }
        }
    }

    private func append(_ scope: RequestTrace.Scope, sign: String, columns: Int?, to bytes: inout [UInt8]) {
        var tail = scope.microseconds.map { "  \(ShortDuration(measured: .microseconds($0)))" } ?? ""
        if scope.leaving == nil { tail += "  never left" }
        if scope.entering == nil { tail += "  entered earlier" }
        bytes.append(text: sign)
        if let columns { tail = lineText(tail, columns: max(0, columns - SafeText.width(sign) - 8), layout) }
        let room = columns.map { max(8, $0 - SafeText.width(sign) - SafeText.width(tail)) }
        bytes.append(line: scope.name, columns: room, layout)
        bytes.append(.bold, layout) { $0.append(text: tail) }
    }

    /// Returns the row with the worst level among those of a line; this row is shown.
    private func worst(of indices: [Int]) -> ULSEvent? {
        indices.map { trace.events[$0] }.min { $0.level.rank < $1.level.rank }
    }
}

/// A line of the tree.
struct TraceLine {
    /// The content of a line.
    enum Kind {
        case event(Int)
        /// The start of a scope, with or without its row.
        case entering(RequestTrace.Scope)
        /// The end of a scope that has children.
        case leaving(RequestTrace.Scope)
        /// An empty scope, on one line.
        case whole(RequestTrace.Scope)
    }

    var kind: Kind
    /// The number of enclosing scopes.
    var depth: Int

    /// Indices of the rows that the line represents.
    var events: [Int] {
        switch kind {
        case .event(let index): [index]
        case .entering(let scope): scope.entering.map { [$0] } ?? []
        case .leaving(let scope): scope.leaving.map { [$0] } ?? []
        case .whole(let scope): [scope.entering, scope.leaving].compactMap(\.self)
        }
    }
}

/// The lines of a tree from top to bottom, without recursion, because the log determines how deeply scopes are nested.
struct TraceLines: Sequence, IteratorProtocol {
    private enum Step {
        case nodes(ArraySlice<RequestTrace.Node>)
        case leaving(RequestTrace.Scope)
    }

    private var steps: [Step]
    private var depth = 0

    init(_ trace: RequestTrace) { steps = [.nodes(trace.roots[...])] }

    mutating func next() -> TraceLine? {
        while let step = steps.popLast() {
            switch step {
            case .leaving(let scope):
                depth -= 1
                return TraceLine(kind: .leaving(scope), depth: depth)
            case .nodes(var rest):
                guard let node = rest.popFirst() else { continue }
                steps.append(.nodes(rest))
                return line(for: node)
            }
        }
        return nil
    }

    private mutating func line(for node: RequestTrace.Node) -> TraceLine {
        switch node {
        case .event(let index): return TraceLine(kind: .event(index), depth: depth)
        case .scope(let scope) where scope.children.isEmpty: return TraceLine(kind: .whole(scope), depth: depth)
        case .scope(let scope):
            steps.append(.leaving(scope))
            steps.append(.nodes(scope.children[...]))
            depth += 1
            return TraceLine(kind: .entering(scope), depth: depth - 1)
        }
    }
}
