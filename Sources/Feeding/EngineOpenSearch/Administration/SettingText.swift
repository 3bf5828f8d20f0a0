import JSONText

extension JSONValue {
    /// As a setting is written; a list with commas.
    var settingText: String {
        switch self {
        case .string(let text), .number(let text): text
        case .bool(let isTrue): isTrue ? "true" : "false"
        case .null: ""
        case .array(let elements): elements.map(\.settingText).joined(separator: ",")
        case .object(let members): members.map { "\($0.key)=\($0.value.settingText)" }.joined(separator: ",")
        }
    }
}
