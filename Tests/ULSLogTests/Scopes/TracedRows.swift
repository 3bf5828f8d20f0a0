@testable import ULSLog
@testable import ULSRows

/// Rows in short notation, and their trace.
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
    /// The tree in one line, such as `A>0<3 7ms[1 2]`: scopes with their Entering and Leaving rows, and events by
    /// number.
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

    /// The number of times that each event occurs in the tree.
    var occurrences: [Int] {
        var counts = [Int](repeating: 0, count: events.count)
        visit(roots) { counts[$0] += 1 }
        return counts
    }

    /// The maximum depth of nested scopes.
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

/// The request in the sample with the tracing problem: rows of two threads, the first without a correlation.
enum TracingRequest {
    static let name = "Request (POST:http://test-sp:80/_vti_bin/owssvr.dll?CS=65001)"

    static var rows: TracedRows {
        var rows = TracedRows()
        rows.enter(name, at: 520, server: nil, correlation: "")
        rows.add("Name=\(name)", at: 520, server: nil, eventID: "xmnv")
        func write(_ eventID: String, _ level: String, _ message: String, at time: Int64) {
            rows.add(message, at: time, thread: "0x173C", server: nil, level: level, eventID: eventID)
        }
        write("af71", "Medium", "HTTP Request method: POST", at: 600)
        write("af75", "Medium", "Overridden HTTP request method: POST", at: 600)
        write("af74", "Medium", "HTTP request URL: /_vti_bin/owssvr.dll?CS=65001", at: 600)
        for file in ["wss.en-US.resx", "wss.resx"] {
            let path = #"C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\\#(file)"#
            write("b9y3", "High", "Failed to open the file '\(path)'.", at: 690)
            write("b9y4", "High", #"#20015: Cannot open "": no such file or folder."#, at: 690)
            write("b9y4", "High", #"(#2: Cannot open "": no such file or folder.)"#, at: 690)
            write("b9y9", "High", #"Failed to read resource file "\#(path)" from feature id "(null)"."#, at: 690)
            write("8e26", "Medium", "Failed to open the language resource keyfile wss.", at: 690)
        }
        let token = "Localized resource for token 'multipages_direction_dir_value%>' could not be found"
        write("8l3c", "Medium", token + #" for file with path: "(unavailable)"."#, at: 690)
        rows.add(
            "Leaving Monitored Scope (\(name)). Execution Time=206.33069286739",
            at: 730,
            server: nil,
            eventID: "b4ly"
        )
        return rows
    }
}
