@testable import ULSLog

/// Rows of a story, told in short, and the trace of it.
struct TracedRows {
    static let correlation = "3ad81d9b-c01d-4000-8000-cc75daffbf63"
    static let elsewhere = "28662262-e112-4b7b-a55c-fcc0b401f30a"

    private(set) var events: [ULSEvent] = []

    /// Adds a row `time` milliseconds after noon.
    mutating func add(
        _ message: String,
        at time: Int64?,
        thread: String = "0x0EB8",
        process: String = "0x1790",
        server: String? = "WFE1",
        level: String = "Medium",
        eventID: String = "af71",
        correlation: String = Self.correlation
    ) {
        let line = events.count + 1
        let noon: Int64 = 1_700_000_000_000
        events.append(
            ULSEvent(
                time: time.map { LogTime(clock: noon + $0, quality: .local) } ?? .none,
                place: .init(file: "WFE1.log", line: line, lineEnd: line),
                server: server,
                columns: [
                    .process: "w3wp.exe", .processID: process, .threadID: thread, .level: level, .eventID: eventID,
                    .message: message, .correlation: correlation,
                ]
            )
        )
    }

    mutating func enter(
        _ name: String,
        at time: Int64?,
        thread: String = "0x0EB8",
        server: String? = "WFE1",
        correlation: String = Self.correlation
    ) {
        add(
            "Entering monitored scope (\(name))",
            at: time,
            thread: thread,
            server: server,
            eventID: "nasq",
            correlation: correlation
        )
    }

    mutating func leave(
        _ name: String,
        after milliseconds: Double,
        at time: Int64?,
        thread: String = "0x0EB8",
        process: String = "0x1790",
        correlation: String = Self.correlation
    ) {
        add(
            "Leaving Monitored Scope (\(name)). Execution Time=\(milliseconds)",
            at: time,
            thread: thread,
            process: process,
            level: "High",
            eventID: "b4ly",
            correlation: correlation
        )
    }

    mutating func say(_ fact: String, at time: Int64?, thread: String = "0x0EB8") {
        add(fact, at: time, thread: thread, eventID: "xmnv")
    }

    func trace(limit: Int = 1000) -> RequestTrace {
        var builder = RequestTraceBuilder(correlation: Self.correlation, limit: limit)
        for event in events { builder.add(event) }
        return builder.finish()
    }
}

extension RequestTrace {
    /// The tree in one line: `A>0<3 7ms[1 2]`, scopes with their Entering and Leaving rows, events by number.
    var outline: String { Self.outline(roots) }

    private static func outline(_ nodes: [Node]) -> String {
        nodes.map { node in
            switch node {
            case .event(let event): return "\(event)"
            case .scope(let scope):
                let entering = scope.entering.map { ">\($0)" } ?? ""
                let leaving = scope.leaving.map { "<\($0)" } ?? ""
                let inside = scope.children.isEmpty ? "" : "[\(outline(scope.children))]"
                return "\(scope.name)\(entering)\(leaving)\(inside)"
            }
        }
        .joined(separator: " ")
    }

    /// How often each event stands in the tree.
    var occurrences: [Int] {
        var counts = [Int](repeating: 0, count: events.count)
        visit(roots) { counts[$0] += 1 }
        return counts
    }

    /// How many scopes stand in each other.
    var depth: Int { Self.depth(of: roots) }

    private func visit(_ nodes: [Node], _ body: (Int) -> Void) {
        for node in nodes {
            switch node {
            case .event(let event): body(event)
            case .scope(let scope):
                if let entering = scope.entering { body(entering) }
                if let leaving = scope.leaving { body(leaving) }
                visit(scope.children, body)
            }
        }
    }

    private static func depth(of nodes: [Node]) -> Int {
        nodes.map { node in
            guard case .scope(let scope) = node else { return 0 }
            return depth(of: scope.children) + 1
        }
        .max() ?? 0
    }
}
