/// A law of engines that an engine has broken.
public struct ContractViolation: Hashable, Sendable, CustomStringConvertible {
    /// The law, as a sentence.
    public let law: String
    /// What the engine did, and what it should have done; empty if the law says it all.
    public let detail: String

    /// The law, and what was done instead.
    public var description: String { detail.isEmpty ? law : "\(law): \(detail)" }
}

/// An engine keeps not all of its laws.
public struct ContractBroken: Error, Hashable, Sendable, CustomStringConvertible {
    /// The laws that were broken, in the order in which they were checked.
    public let violations: [ContractViolation]

    /// One line for each law.
    public var description: String { violations.map { "\n- \($0)" }.joined() }
}

/// The violations found so far.
///
/// A class, because all parts of one check write to it, one after the other.
final class ContractRecord {
    private(set) var violations: [ContractViolation] = []

    func expect(_ holds: Bool, _ law: String, _ detail: String = "") {
        if !holds { violations.append(ContractViolation(law: law, detail: detail)) }
    }

    func expect<Value: Equatable>(_ found: Value, _ expected: Value, _ law: String) {
        expect(found == expected, law, "expected \(expected), found \(found)")
    }
}
