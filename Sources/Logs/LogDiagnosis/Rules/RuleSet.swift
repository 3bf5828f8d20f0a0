/// Rules that are run together, ready for events.
public struct RuleSet: Sendable {
    /// By ID.
    public let rules: [Rule]
    let selectors: CompiledSelectors
    /// The numbers of the rules, each before those that it supersedes.
    let order: [Int]

    /// Compiles what rules look for.
    ///
    /// - Parameter rules: in any order.
    /// - Throws: Two rules of one ID, rules that supersede each other, an expression that can't be compiled.
    public init(_ rules: [Rule]) throws(RuleError) { self = try Self.compiled(rules, areTrusted: false) }

    private init(rules: [Rule], selectors: CompiledSelectors, order: [Int]) {
        self.rules = rules
        self.selectors = selectors
        self.order = order
    }

    /// Compiles rules; those that come with the program were tried when it was tested.
    static func compiled(_ rules: [Rule], areTrusted: Bool) throws(RuleError) -> RuleSet {
        let rules = rules.sorted { $0.id < $1.id }
        for (one, next) in zip(rules, rules.dropFirst()) where one.id == next.id {
            throw RuleError(file: "\(one.id).yaml", message: "there are two rules \(one.id)")
        }
        let selectors = try CompiledSelectors(rules, areTrusted: areTrusted)
        return RuleSet(rules: rules, selectors: selectors, order: try order(rules))
    }

    /// Whether some rule's evidence begins with the first problem of a request.
    var haveLeads: Bool { rules.contains { $0.lead != nil } }

    private static func order(_ rules: [Rule]) throws(RuleError) -> [Int] {
        var order: [Int] = []
        var left = Array(rules.indices)
        while !left.isEmpty {
            let free = left.filter { number in
                !left.contains { $0 != number && rules[$0].supersedes.contains(rules[number].id) }
            }
            guard !free.isEmpty else {
                let names = left.map { rules[$0].id.text }.joined(separator: ", ")
                throw RuleError(file: "rules", message: "these supersede each other: \(names)")
            }
            order += free
            left.removeAll { free.contains($0) }
        }
        return order
    }
}
