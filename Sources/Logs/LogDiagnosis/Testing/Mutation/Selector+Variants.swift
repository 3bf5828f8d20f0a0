import TextPatterns
import YAML

extension Selector {
    /// The selector with one thing changed.
    var variants: [Variant<Selector>] {
        var variants: [Variant<Selector>] = []
        for index in cases.indices {
            if cases.count > 1 {
                var shorter = self
                shorter.cases.remove(at: index)
                variants.append(Variant(shorter, "without case \(index + 1)", at: cases[index].place))
            }
            let name = cases.count > 1 ? "case \(index + 1)" : ""
            variants += cases[index].variants.map { $0.lifted(self, \.cases[index], in: name) }
        }
        return variants
    }
}

extension SelectorCase {
    fileprivate var variants: [Variant<SelectorCase>] {
        var variants: [Variant<SelectorCase>] = []
        for index in conditions.indices {
            let condition = conditions[index]
            var shorter = self
            shorter.conditions.remove(at: index)
            variants.append(Variant(shorter, "without \(condition.words)", at: condition.place))
            variants += condition.variants.map { $0.lifted(self, \.conditions[index]) }
        }
        for index in captures.indices {
            var blind = self
            blind.captures[index].value = Self.unfit(captures[index].value)
            variants.append(
                Variant(
                    blind,
                    "without capture \(FieldCondition.quoted(captures[index].value))",
                    at: captures[index].place
                )
            )
        }
        return variants
    }

    /// A template that has the same names and fits no message: the rule may go on naming what it does not capture.
    private static func unfit(_ template: String) -> String {
        let names = CaptureTemplate(template)?.names ?? []
        return "\u{1}" + names.map { "\u{1}{\($0)}\u{1}" }.joined()
    }
}
