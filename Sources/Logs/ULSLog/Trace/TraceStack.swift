/// What one thread has written for a request: scopes that are open, and what stands outside of all scopes.
struct TraceStack {
    /// Numbers of drafts, the outermost first.
    private(set) var open: [Int] = []
    /// What stands outside of all scopes.
    var items: [TraceDraft.Item] = []
    /// Which of the open scopes have a name.
    private var openNames: [String: [Int]] = [:]

    /// The innermost open scope of a name.
    func innermost(named name: String) -> Int? { openNames[name]?.last }

    mutating func push(_ draft: Int, name: String?) {
        open.append(draft)
        if let name { openNames[name, default: []].append(draft) }
    }

    /// Takes away the innermost open scope, which has this name.
    mutating func pop(name: String?) {
        open.removeLast()
        guard let name else { return }
        openNames[name]?.removeLast()
        if openNames[name]?.isEmpty == true { openNames[name] = nil }
    }
}
