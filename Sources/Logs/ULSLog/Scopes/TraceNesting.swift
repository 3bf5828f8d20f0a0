import TextKit
import ULSRows

/// A nesting of a request's events into scopes.
///
/// Each thread has its own stack. A Leaving row closes
/// 1. the innermost open scope of its name on its thread, along with all scopes open inside it, which were never left.
///    The service numbers a repeated name when leaving the scope (`X#1`), but not when entering it, so `X` also matches
///    if no `X#1` is open;
/// 2. else, if the row is that of a request, the open request of that name in the same process, because requests change
///    threads;
/// 3. else the innermost open scope of its thread, if that scope has no name because of an unfilled template;
/// 4. else no open scope. The row becomes a scope without an Entering row. Everything that its thread has written since
///    the calculated beginning of the scope (the row's time minus the duration) is put into that scope.
struct TraceNesting {
    /// The maximum nesting level, which is lower than that of a trace because threads are put into the request at the
    /// end.
    private static let maximumLevel = RequestTrace.maximumDepth - 2

    var drafts: [TraceDraft] = []
    /// The stacks, in the order of their first events.
    private var stacks: [TraceStack] = []
    private var stackNumbers: [TraceThread: Int] = [:]
    /// The stack on which a request was last entered.
    private var requests: [RequestPlace: Int] = [:]
    /// The time of each event, in microseconds.
    private var times: [Int64?] = []

    private struct RequestPlace: Hashable {
        var process: TraceThread.Process
        var name: String
    }

    /// Takes the next event.
    mutating func add(_ row: TraceRow) {
        let event = times.count
        times.append(row.event.time.microseconds)
        let stack = number(of: row.thread)
        switch row.kind {
        case nil: append(.event(event), to: stacks[stack].open.last, of: stack)
        case .entering?: enter(row, event, stack)
        case .leaving(let duration)?: leave(row, event, stack, duration)
        }
    }

    /// Returns the open scope that a Leaving row with this name would close on its own thread.
    func openScope(named name: String, of thread: TraceThread) -> TraceDraft? {
        stackNumbers[thread].flatMap { openScope(named: name, on: $0) }.map { drafts[$0] }
    }

    private func openScope(named name: String, on stack: Int) -> Int? {
        if let draft = stacks[stack].innermost(named: name) { return draft }
        guard let sign = name.utf8.lastIndex(of: UInt8(ascii: "#")),
            name.utf8[sign...].dropFirst().allSatisfy(\.isDigit)
        else { return nil }
        return stacks[stack].innermost(named: String(name[..<sign]))
    }

    private mutating func number(of thread: TraceThread) -> Int {
        if let number = stackNumbers[thread] { return number }
        stacks.append(TraceStack())
        stackNumbers[thread] = stacks.count - 1
        return stacks.count - 1
    }

    private mutating func enter(_ row: TraceRow, _ event: Int, _ stack: Int) {
        let draft = drafts.count
        let isOutermost = stacks[stack].open.isEmpty
        let parent = container(of: stack)
        drafts.append(
            TraceDraft(
                name: row.name,
                entering: event,
                start: times[event],
                first: event,
                parent: parent,
                level: parent.map { drafts[$0].level + 1 } ?? 0
            )
        )
        append(.scope(draft), to: parent, of: stack)
        stacks[stack].push(draft, name: row.name)
        if isOutermost, let name = row.name, drafts[draft].isRequest {
            requests[RequestPlace(process: row.thread.process, name: name)] = stack
        }
    }

    private mutating func leave(_ row: TraceRow, _ event: Int, _ stack: Int, _ duration: Int64?) {
        if let name = row.name, let draft = openScope(named: name, on: stack) {
            finish(draft, of: stack, event, duration)
        } else if let name = row.name,
            let place = requests.removeValue(forKey: RequestPlace(process: row.thread.process, name: name)),
            let request = stacks[place].open.first, drafts[request].name == name
        {
            finish(request, of: place, event, duration)
        } else if let top = stacks[stack].open.last, drafts[top].name == nil {
            finish(top, of: stack, event, duration)
            drafts[top].name = row.name
        } else {
            leaveUnentered(row, event, stack, duration)
        }
    }

    /// Closes an open scope and the scopes inside it.
    private mutating func finish(_ draft: Int, of stack: Int, _ event: Int, _ duration: Int64?) {
        while let top = stacks[stack].open.last, top != draft { close(top, of: stack) }
        drafts[draft].leaving = event
        drafts[draft].duration = duration
        close(draft, of: stack)
    }

    private mutating func close(_ draft: Int, of stack: Int) {
        stacks[stack].pop(name: drafts[draft].name)
        guard let parent = drafts[draft].parent else { return }
        drafts[parent].height = max(drafts[parent].height, drafts[draft].height + 1)
    }

    private mutating func leaveUnentered(_ row: TraceRow, _ event: Int, _ stack: Int, _ duration: Int64?) {
        let parent = container(of: stack)
        var draft = TraceDraft(
            name: row.name,
            leaving: event,
            duration: duration,
            first: event,
            parent: parent,
            level: parent.map { drafts[$0].level + 1 } ?? 0
        )
        if let time = times[event], let duration {
            let (start, isTooSmall) = time.subtractingReportingOverflow(duration)
            draft.start = isTooSmall ? nil : start
        }
        while let start = draft.start, let item = lastItem(in: parent, of: stack), fits(item, in: draft, since: start) {
            removeLastItem(in: parent, of: stack)
            draft.items.append(item)
            draft.first = first(of: item)
            draft.height = max(draft.height, height(of: item))
        }
        draft.items.reverse()
        if let parent { drafts[parent].height = max(drafts[parent].height, draft.height + 1) }
        drafts.append(draft)
        append(.scope(drafts.count - 1), to: parent, of: stack)
    }

    /// Returns whether an item began after `start`, the time at which the scope began, and may be nested in it.
    private func fits(_ item: TraceDraft.Item, in draft: TraceDraft, since start: Int64) -> Bool {
        guard draft.level + height(of: item) <= Self.maximumLevel else { return false }
        return switch item {
        case .event(let event): times[event].map { $0 >= start } ?? false
        case .scope(let scope): drafts[scope].start.map { $0 >= start } ?? false
        }
    }
}

extension TraceNesting {
    /// Returns the first event in an item.
    func first(of item: TraceDraft.Item) -> Int {
        switch item {
        case .event(let event): event
        case .scope(let draft): drafts[draft].first
        }
    }

    /// Returns the depth of nested scopes in an item, including itself.
    private func height(of item: TraceDraft.Item) -> Int {
        switch item {
        case .event: 0
        case .scope(let draft): drafts[draft].height + 1
        }
    }

    /// Returns the innermost open scope that may contain another scope; nil if none.
    private func container(of stack: Int) -> Int? {
        var container = stacks[stack].open.last
        while let draft = container, drafts[draft].level >= Self.maximumLevel { container = drafts[draft].parent }
        return container
    }

    private func lastItem(in draft: Int?, of stack: Int) -> TraceDraft.Item? {
        guard let draft else { return stacks[stack].items.last }
        return drafts[draft].items.last
    }

    private mutating func removeLastItem(in draft: Int?, of stack: Int) {
        if let draft { drafts[draft].items.removeLast() } else { stacks[stack].items.removeLast() }
    }

    private mutating func append(_ item: TraceDraft.Item, to draft: Int?, of stack: Int) {
        if let draft { drafts[draft].items.append(item) } else { stacks[stack].items.append(item) }
    }
}

extension TraceNesting {
    /// Returns the scope of the entire request: the first top-level scope that is a request or a job.
    ///
    /// A scope with the request's known name is preferred, because services that a request calls also log theirs.
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

    /// The entire request and the stack that it is on.
    struct Request {
        var draft: Int
        var stack: Int
    }

    /// Returns the tree, in which everything that other threads wrote while the request was open is part of the
    /// request.
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
                    microseconds: draft.duration,
                    children: draft.items.map(node)
                )
            )
        }
    }
}

/// The output of a thread for a request: open scopes, and items outside all scopes.
private struct TraceStack {
    /// The numbers of drafts, outermost first.
    private(set) var open: [Int] = []
    /// The items outside all scopes.
    var items: [TraceDraft.Item] = []
    /// The open scopes by name.
    private var openNames: [String: [Int]] = [:]

    /// Returns the innermost open scope with a name.
    func innermost(named name: String) -> Int? { openNames[name]?.last }

    mutating func push(_ draft: Int, name: String?) {
        open.append(draft)
        if let name { openNames[name, default: []].append(draft) }
    }

    /// Removes the innermost open scope, which has this name.
    mutating func pop(name: String?) {
        open.removeLast()
        guard let name else { return }
        openNames[name]?.removeLast()
        if openNames[name]?.isEmpty == true { openNames[name] = nil }
    }
}

/// The thread that wrote a row: scopes nest within a thread, regardless of the request it works for.
struct TraceThread: Hashable {
    /// A process, whose ID is unique only on its server.
    struct Process: Hashable {
        var server: String
        var id: String
    }

    var process: Process
    private var id: String

    init(_ event: borrowing ULSEvent) {
        process = Process(server: event.server ?? "", id: event.text(.processID))
        id = event.text(.threadID)
    }
}
