import YAML

/// A value with one thing changed.
struct Variant<Value> {
    var value: Value
    /// What was changed, for people: `without level|equals`.
    var change: String
    /// Where that stands in the rule's file.
    var place: Place?

    init(_ value: Value, _ change: String, at place: Place? = nil) {
        self.value = value
        self.change = change
        self.place = place
    }

    /// The same change of something larger.
    func lifted<Whole>(_ whole: Whole, _ path: WritableKeyPath<Whole, Value>, in name: String = "") -> Variant<Whole> {
        var changed = whole
        changed[keyPath: path] = value
        return Variant<Whole>(changed, name.isEmpty ? change : "\(name): \(change)", at: place)
    }
}

extension Array {
    /// The list without each of its elements in turn; nothing for a list of one.
    func withoutEach(_ describe: (Element) -> String, at place: Place? = nil) -> [Variant<[Element]>] {
        guard count > 1 else { return [] }
        return indices.map { index in
            var shorter = self
            let dropped = shorter.remove(at: index)
            return Variant(shorter, "without \(describe(dropped))", at: place)
        }
    }
}
