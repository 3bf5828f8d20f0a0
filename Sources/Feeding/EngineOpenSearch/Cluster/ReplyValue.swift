import JSONText

/// What a small reply says, as a tree: for requests that are asked once, never for bulk replies.
///
/// As deep as ``JSONText/JSONScanner/maximumDepth``, and as large as a reply may be.
indirect enum ReplyValue: Hashable, Sendable {
    case object([Member])
    case array([ReplyValue])
    case string(String)
    /// As it is written.
    case number(String)
    case bool(Bool)
    case null

    struct Member: Hashable, Sendable {
        let key: String
        let value: ReplyValue
    }

    init(_ json: [UInt8]) throws(JSONError) {
        var scanner = JSONScanner(json.span)
        self = try scanner.replyValue()
        try scanner.end()
    }

    /// A member of an object; `null` where there is none.
    subscript(key: String) -> ReplyValue { members.first { $0.key == key }?.value ?? .null }

    var members: [Member] {
        if case .object(let members) = self { members } else { [] }
    }

    var elements: [ReplyValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// A whole number, also one in quotes: `_cat` writes all of them so.
    var int: Int? {
        switch self {
        case .number(let text), .string(let text): Int(text)
        default: nil
        }
    }

    /// How many there are of something: a number below zero counts as none.
    var count: Int? { int.map { max(0, $0) } }

    var isTrue: Bool {
        switch self {
        case .bool(let isTrue): isTrue
        case .string(let text): text == "true"
        default: false
        }
    }

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

extension JSONScanner {
    fileprivate mutating func replyValue() throws(JSONError) -> ReplyValue {
        switch try kind() {
        case .object:
            var members: [ReplyValue.Member] = []
            try enterObject()
            while let key = try nextKey() {
                let name = text(of: key)
                members.append(ReplyValue.Member(key: name, value: try replyValue()))
            }
            return .object(members)
        case .array:
            var elements: [ReplyValue] = []
            try enterArray()
            while try nextElement() { elements.append(try replyValue()) }
            return .array(elements)
        case .string: return .string(try stringText())
        case .number:
            let token = try number()
            return .number(rawText(token.range))
        case .bool: return .bool(try bool())
        case .null:
            try null()
            return .null
        }
    }
}
