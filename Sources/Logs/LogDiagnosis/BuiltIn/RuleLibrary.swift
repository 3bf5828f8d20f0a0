/// The rules that are known: those that come with the program, and those of folders that were given.
public struct RuleLibrary: Sendable {
    /// A rule, and what it was read from.
    public struct Entry: Sendable {
        public var rule: Rule
        /// The text of the rule's file.
        public var source: RuleFile
        /// The text of the file of its tests; `nil` when it has none.
        public var tests: RuleFile?
        /// Whether it comes with the program.
        public var isBuiltIn: Bool
    }

    /// By ID.
    public private(set) var entries: [Entry] = []

    /// No rules.
    public init() {}

    /// The rules that come with the program.
    public static func builtIn() throws(RuleError) -> RuleLibrary {
        var library = RuleLibrary()
        try library.add(BuiltInRules.files + BuiltInRuleTests.files, isBuiltIn: true)
        return library
    }

    /// Adds the rules of a folder; one with the ID of a rule that is there takes its place, and that of its tests.
    public mutating func add(folder: String) throws(RuleError) {
        try add(RuleFolder.read(folder), isBuiltIn: false)
    }

    /// Adds rules and tests, each called as its name says.
    mutating func add(_ texts: [RuleFile], isBuiltIn: Bool = false) throws(RuleError) {
        for text in texts where text.nominal?.isTests == false {
            let rule = try Rule(yaml: text.text, file: text.name)
            guard rule.id == text.nominal?.id else {
                throw RuleError(file: text.name, message: "its rule is \(rule.id); the file must be called like it")
            }
            let entry = Entry(rule: rule, source: text, isBuiltIn: isBuiltIn)
            if let index = index(of: rule.id) {
                entries[index] = entry
            } else {
                entries.append(entry)
            }
        }
        for text in texts {
            guard let (id, isTests) = text.nominal, isTests else { continue }
            guard let index = index(of: id) else {
                throw RuleError(file: text.name, message: "there are tests of \(id), but no such rule")
            }
            entries[index].tests = text
        }
        entries.sort { $0.rule.id < $1.rule.id }
    }

    private func index(of id: RuleID) -> Int? { entries.firstIndex { $0.rule.id == id } }

    /// The rule with an ID, and what it was read from.
    public subscript(id: RuleID) -> Entry? { entries.first { $0.rule.id == id } }

    public var rules: [Rule] { entries.map(\.rule) }

    /// All rules, ready to run.
    public func ruleSet() throws(RuleError) -> RuleSet { try Self.ruleSet(entries) }

    /// Some rules, ready to run.
    public static func ruleSet(_ entries: [Entry]) throws(RuleError) -> RuleSet {
        try RuleSet.compiled(entries.map(\.rule), areTrusted: entries.allSatisfy(\.isBuiltIn))
    }

    /// The tests of a rule; `nil` when it has none, or is not known.
    public func tests(of id: RuleID) throws(RuleError) -> RuleTestFile? {
        guard let text = self[id]?.tests else { return nil }
        return try RuleTestFile(yaml: text.text, file: text.name)
    }

    /// The tests of a rule, ready to run, all other rules at hand; `nil` when it has none.
    public func testRun(of id: RuleID) throws(RuleError) -> RuleTestRun? {
        guard let entry = self[id], let tests = try tests(of: id) else { return nil }
        return try RuleTestRun(entry.rule, tests, others: rules)
    }
}

extension RuleSet {
    /// The rules that come with the program.
    public static func builtIn() throws(RuleError) -> RuleSet { try RuleLibrary.builtIn().ruleSet() }
}
