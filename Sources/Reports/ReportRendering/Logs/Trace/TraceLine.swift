import ULSLog

/// A line of the tree.
struct TraceLine {
    /// What the line stands for.
    enum Kind {
        case event(Int)
        /// A scope is entered; its row is there or not.
        case entering(RequestTrace.Scope)
        /// A scope is left whose children stand between.
        case leaving(RequestTrace.Scope)
        /// A scope with nothing within it, on one line.
        case whole(RequestTrace.Scope)
    }

    var kind: Kind
    /// How many scopes it stands in.
    var depth: Int

    /// The rows the line stands for.
    var events: [Int] {
        switch kind {
        case .event(let index): [index]
        case .entering(let scope): scope.entering.map { [$0] } ?? []
        case .leaving(let scope): scope.leaving.map { [$0] } ?? []
        case .whole(let scope): [scope.entering, scope.leaving].compactMap(\.self)
        }
    }
}

/// The lines of a tree from top to bottom, without recursion: how deep scopes are nested is the log's to say.
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
