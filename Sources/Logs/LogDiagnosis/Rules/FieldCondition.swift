import Spelling
public import YAML

/// A condition on one field of an event: `message|contains|all: [a, b]`.
///
/// Texts are compared without regard to ASCII case.
public struct FieldCondition: Sendable, Hashable {
    /// How a value is compared.
    public enum Comparison: String, Sendable, CaseIterable {
        case equals
        case contains
        case startsWith = "startswith"
        case endsWith = "endswith"
        /// `*` is any text, `?` any byte; nothing else is special.
        case glob
        /// A regular expression without back-references and look-around.
        case expression = "re"
        /// At least; of levels, as bad or worse.
        case atLeast = "gte"
        /// At most; of levels, as bad or milder.
        case atMost = "lte"
        /// Whether there is a text at all: `true` or `false`.
        case exists
    }

    public var field: EventField
    public var comparison: Comparison
    /// Whether all values must be met, not one of them.
    public var needsAll: Bool
    public var values: [String]
    public var place: Place

    init(key: Located<String>, values: [Located<String>]) throws {
        let parts = key.value.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        guard let field = EventField(rawValue: parts[0]) else {
            throw Self.unknown(parts[0], "field", EventField.allCases.map(\.rawValue) + ["capture"], key.place)
        }
        self.field = field
        var comparison: Comparison?
        var quantifier: String?
        for part in parts.dropFirst() {
            if ["any", "all"].contains(part), quantifier == nil {
                quantifier = part
            } else if comparison == nil, quantifier == nil, part == "in" || part == "equals" {
                comparison = .equals
            } else if comparison == nil, quantifier == nil, let known = Comparison(rawValue: part) {
                comparison = known
            } else {
                let modifiers = ["in", "any", "all"] + Comparison.allCases.map(\.rawValue)
                throw Self.unknown(part, "modifier", modifiers, key.place)
            }
        }
        self.comparison = comparison ?? .equals
        needsAll = quantifier == "all"
        self.values = values.map(\.value)
        place = key.place
        if values.isEmpty { throw YAMLError(message: "\u{201C}\(key.value)\u{201D} needs a value", place: key.place) }
        try checkValues(values)
    }

    private func checkValues(_ values: [Located<String>]) throws {
        for value in values {
            switch comparison {
            case .exists where !["true", "false"].contains(value.value):
                throw YAMLError(message: "exists takes true or false", place: value.place)
            case .atLeast, .atMost:
                if field == .level { continue }
                guard field == .executionTime, Double(value.value) != nil else {
                    throw YAMLError(message: "gte and lte are for level and execution_ms", place: value.place)
                }
            case .equals, .contains, .startsWith, .endsWith, .glob, .expression:
                if field == .executionTime {
                    throw YAMLError(message: "execution_ms takes gte, lte or exists", place: value.place)
                }
                if value.value.isEmpty { throw YAMLError(message: "an empty text is no condition", place: value.place) }
            case .exists: continue
            }
        }
    }

    private static func unknown(_ text: String, _ what: String, _ known: [String], _ place: Place) -> YAMLError {
        let hint =
            text.nearest(in: known).map { "did you mean \u{201C}\($0)\u{201D}?" }
            ?? "there are \(known.joined(separator: ", "))"
        return YAMLError(message: "unknown \(what) \u{201C}\(text)\u{201D}; \(hint)", place: place)
    }
}
