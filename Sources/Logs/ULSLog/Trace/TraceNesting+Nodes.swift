extension TraceNesting {
    /// The scope that is the whole request: the first one outside of all scopes that is a request or a job.
    ///
    /// One of the name that the request is known by comes before any other: services that a request calls log theirs too.
    func request(named name: String?) -> Request? {
        var requests: [Request] = []
        for (number, stack) in stacks.enumerated() {
            for case .scope(let draft) in stack.items where drafts[draft].isRequest {
                requests.append(Request(draft: draft, stack: number))
            }
        }
        return requests.min { one, two in
            let (first, second) = (drafts[one.draft], drafts[two.draft])
            let isNamed = (first.name == name, second.name == name)
            return isNamed.0 == isNamed.1 ? first.first < second.first : isNamed.0
        }
    }

    /// The whole request, and the stack that it stands on.
    struct Request {
        var draft: Int
        var stack: Int
    }

    /// The tree: what other threads wrote while the request was open stands in the request.
    mutating func nodes(of request: Request?) -> [RequestTrace.Node] {
        var outside: [TraceDraft.Item] = []
        var inside: [TraceDraft.Item] = []
        for (number, stack) in stacks.enumerated() {
            for item in stack.items {
                if let request, request.stack != number, isOpen(request.draft, at: first(of: item)) {
                    inside.append(item)
                } else {
                    outside.append(item)
                }
            }
        }
        if let request {
            inside += drafts[request.draft].items
            inside.sort { first(of: $0) < first(of: $1) }
            drafts[request.draft].items = inside
        }
        outside.sort { first(of: $0) < first(of: $1) }
        return outside.map(node)
    }

    private func isOpen(_ draft: Int, at event: Int) -> Bool {
        let draft = drafts[draft]
        if let leaving = draft.leaving, event > leaving { return false }
        if let entering = draft.entering { return event > entering }
        guard let start = draft.start, let time = times[event] else { return event > draft.first }
        return time >= start
    }

    private func node(_ item: TraceDraft.Item) -> RequestTrace.Node {
        switch item {
        case .event(let event): return .event(event)
        case .scope(let number):
            let draft = drafts[number]
            return .scope(
                RequestTrace.Scope(
                    name: draft.name ?? "",
                    entering: draft.entering,
                    leaving: draft.leaving,
                    duration: draft.duration,
                    children: draft.items.map(node)
                )
            )
        }
    }
}
