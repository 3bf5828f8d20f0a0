/// What stands in a test for `<name>`.
struct Placeholders {
    private var values: [(name: String, value: String)] = []

    func adding(_ name: String, _ value: String) -> Placeholders {
        var longer = self
        longer.values.append((name, value))
        return longer
    }

    /// What tells the test from the others of its `each`: ` (tag: b9y3)`.
    var suffix: String {
        values.isEmpty ? "" : " (" + values.map { "\($0.name): \($0.value)" }.joined(separator: ", ") + ")"
    }

    func filling(_ text: String) -> String {
        values.reduce(text) { $0.replacing("<\($1.name)>", with: $1.value) }
    }

    func filling(_ text: String?) -> String? { text.map(filling) }
}
