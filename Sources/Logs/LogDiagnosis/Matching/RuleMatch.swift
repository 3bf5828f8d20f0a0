import TextPatterns
import ULSLog

/// The selectors of one rule that an event meets.
struct RuleMatch {
    let rule: Int
    /// A bit for each selector.
    private(set) var selectors: UInt64 = 0
    /// The first value of each name.
    private(set) var captures: [Capture] = []

    init(rule: Int) { self.rule = rule }

    /// Adds a case that the event meets.
    mutating func add(_ met: CompiledCase, _ event: borrowing ULSEvent) {
        selectors |= 1 << UInt64(met.selector)
        for template in met.captures {
            guard let found = template.captures(in: event[.message]) else { continue }
            for name in template.names where !captures.contains(where: { $0.name == name }) {
                if let value = found[name] { captures.append(Capture(name: name, value: value)) }
            }
        }
    }
}
