import YAML

/// Where everything in a rule's file stands, by the keys that lead there.
struct RuleOutline: Sendable {
    private var place: Place
    private var children: [String: RuleOutline] = [:]

    /// The place of what keys and indexes lead to, or of the deepest that is there.
    subscript(path: String...) -> Place { self[path] }

    subscript(path: [String]) -> Place {
        guard let first = path.first, let child = children[first] else { return place }
        return child[Array(path.dropFirst())]
    }

    /// `nil` for a text that is no YAML.
    init?(yaml: String) {
        guard let outline: RuleOutline = try? YAMLDecoder(limits: Rule.limits).decode(from: yaml) else { return nil }
        self = outline
    }
}

extension RuleOutline: Decodable {
    init(from decoder: any Decoder) throws {
        let written = try Located<YAMLValue>(from: decoder)
        place = written.place
        switch written.value {
        case .text: break
        case .list:
            for (index, item) in try [RuleOutline](from: decoder).enumerated() { children["\(index)"] = item }
        case .mapping:
            for entry in try YAMLMapping<RuleOutline>(from: decoder).entries {
                var child = entry.value
                child.place = entry.key.place
                children[entry.key.value] = child
            }
        }
    }
}
