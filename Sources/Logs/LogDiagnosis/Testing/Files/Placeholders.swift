/// What stands in a test for `<name>`.
struct Placeholders {
    private var values: [(name: String, value: String)] = []

    /// The most bytes of a value.
    static let maximumValue = 256

    func adding(_ name: String, _ value: String) -> Placeholders {
        var longer = self
        longer.values.append((name, value))
        return longer
    }

    /// What tells the test from the others of its `each`: ` (tag: b9y3)`.
    var suffix: String {
        values.isEmpty ? "" : " (" + values.map { "\($0.name): \($0.value)" }.joined(separator: ", ") + ")"
    }

    /// The text with its placeholders filled, each once: what a value holds is not looked at again.
    func filling(_ text: String) -> String {
        guard !values.isEmpty else { return text }
        var filled = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "<") {
            filled += rest[..<start]
            rest = rest[start...]
            if let match = values.first(where: { rest.hasPrefix("<\($0.name)>") }) {
                filled += match.value
                rest = rest.dropFirst(match.name.count + 2)
            } else {
                filled += "<"
                rest = rest.dropFirst()
            }
        }
        return filled + rest
    }

    func filling(_ text: String?) -> String? { text.map(filling) }
}
