import YAML

/// What a rule might be.
struct Rule: Decodable, Equatable {
    enum Level: String, CaseIterable, Decodable { case critical, error, warning, info }
    var id: String
    var level: Level?
    var tags: [String]?
    var limit: Int?
    var enabled: Bool?
}

/// Decodes a type, and returns the value or the error as text.
func outcome<Value: Decodable>(_ type: Value.Type, _ text: String, limits: YAMLLimits = YAMLLimits()) -> String {
    do {
        return "\(try YAMLDecoder(limits: limits).decode(type, from: text))"
    } catch {
        return "\(error)"
    }
}

func value<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
    try YAMLDecoder().decode(type, from: text)
}
