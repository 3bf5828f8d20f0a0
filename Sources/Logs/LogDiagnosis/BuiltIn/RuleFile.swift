/// The text of a file with a rule or its tests.
public struct RuleFile: Sendable, Hashable {
    /// What errors call the file: its path, or for one that is compiled in its name, `FS0101.yaml`.
    public var name: String
    public var text: String

    public init(name: String, text: String) {
        self.name = name
        self.text = text
    }

    /// The rule that the file's name says, and whether it is for the tests; `nil` for another name.
    var nominal: (id: RuleID, isTests: Bool)? {
        let parts = (name.split(separator: "/").last ?? "").split(separator: ".").map(String.init)
        guard parts.count >= 2, parts.last == "yaml", let id = RuleID(parts[0]), id.text == parts[0] else { return nil }
        if parts.count == 2 { return (id, false) }
        return parts.count == 3 && parts[1] == "tests" ? (id, true) : nil
    }
}
