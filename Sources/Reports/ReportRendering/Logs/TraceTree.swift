import TextSafety
import ULSLog

/// The tree of a trace as lines: mark, time, server, level, event ID, then indented scopes and messages.
///
/// The first row has its time of day, the others the time elapsed since then. On a narrow terminal, scopes and messages
/// get lines of their own.
struct TraceTree {
    private let trace: RequestTrace
    private let layout: TextLayout
    /// Columns beyond which a message is cut even if lines are not; `nil` for no such limit.
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
                // As many digits as the log has, which counts in hundredths.
                let fraction = rest % 10 == 0 ? rest % 1000 / 10 : rest % 1000
                let digits = String(fraction)
                let width = rest % 10 == 0 ? 2 : 3
                bytes.append(text: String(repeating: "0", count: max(0, width - digits.count)) + digits)
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

/// The columns of a tree, as the terminal's width allows.
private struct TreeColumns {
    /// Columns of the server's name; 0 if all rows are from one.
    let server: Int
    /// Columns of scopes and messages, with their indentation; `nil` for all they take.
    let content: Int?
    /// Whether scopes and messages have lines of their own.
    let isStacked: Bool

    /// Columns of mark, time, level and event ID, including the space between them.
    private static let fixed = 2 + TraceTree.timeWidth + 2 + TraceTree.levelWidth + 2 + TraceTree.eventIDWidth
    private static let maximumServer = 16
    /// Columns that scopes and messages need beside the others.
    private static let leastContent = 32
    /// Columns before scopes and messages on lines of their own.
    static let stackIndent = 4
    /// Columns that remain of a message, however deep it is.
    private static let leastMessage = 24
    /// Maximum depth of indentation; deeper scopes are not indented further.
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

    /// The depth that a line is shown at.
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
        if scope.entering == nil { tail += "  entered before" }
        bytes.append(text: sign)
        if let columns { tail = lineText(tail, columns: max(0, columns - SafeText.width(sign) - 8), layout) }
        let room = columns.map { max(8, $0 - SafeText.width(sign) - SafeText.width(tail)) }
        bytes.append(line: scope.name, columns: room, layout)
        bytes.append(.bold, layout) { $0.append(text: tail) }
    }

    /// Returns the row of a line whose level is worst: that level is shown.
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
        /// The end of a scope whose children are in between.
        case leaving(RequestTrace.Scope)
        /// A scope with nothing in it, on one line.
        case whole(RequestTrace.Scope)
    }

    var kind: Kind
    /// Number of enclosing scopes.
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
