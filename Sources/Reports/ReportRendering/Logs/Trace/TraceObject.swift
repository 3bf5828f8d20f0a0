import JSONText
import ULSLog

/// `fastctl.trace/1`: a request with its events and the tree of its scopes.
enum TraceObject {
    static func append(_ trace: RequestTrace, to bytes: inout [UInt8], drain: BufferDrain) throws {
        let head = TraceHead(trace)
        try bytes.append(object: "fastctl.trace/1") { object in
            object.member("correlation", log: trace.correlation)
            object.member("name", log: trace.name)
            object.member("servers", trace.servers.map { LogString(text: $0) })
            object.member("firstTime", head.firstTime)
            object.member("lastTime", head.lastTime)
            object.member("seconds", microseconds: trace.duration)
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

    /// An event is its index into `events`; a scope is an object with its children.
    private static func append(_ nodes: [RequestTrace.Node], depth: Int, to array: inout JSONWriter) {
        for node in nodes {
            switch node {
            case .event(let index): array.value(index)
            case .scope(let scope):
                array.object { object in
                    object.member("scope", LogString(text: scope.name))
                    object.member("seconds", microseconds: scope.duration)
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

    /// The events of what is nested too deep for readers of JSON, one after the other.
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

    /// Scopes nested deeper are written flat; many readers of JSON stop at 256 levels.
    static let maximumDepth = 100
}
