/// What a small JSON text says, as a tree; a large one is walked over with ``JSONScanner``, which builds nothing.
///
/// It is as deep as a scanner goes. What is not there is ``null``, so that a path can be asked for in one line:
/// `answer["version"]["number"].text`.
public enum JSONValue: Hashable, Sendable {
    /// In the order of the text.
    case object([Member])
    case array([JSONValue])
    case string(String)
    /// As it is written.
    case number(String)
    case bool(Bool)
    case null

    public struct Member: Hashable, Sendable {
        public let key: String
        public let value: JSONValue
    }

    public init(_ json: [UInt8]) throws(JSONError) {
        var scanner = JSONScanner(json.span)
        self = try scanner.value()
        try scanner.end()
    }

    /// A member of an object, of two with the same key the first; ``null`` where there is none.
    public subscript(key: String) -> JSONValue { members.first { $0.key == key }?.value ?? .null }

    /// None for what is no object.
    public var members: [Member] {
        if case .object(let members) = self { members } else { [] }
    }

    /// None for what is no array.
    public var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    public var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// A whole number, also one in quotes, as many servers write them.
    public var int: Int? {
        switch self {
        case .number(let text), .string(let text): Int(text)
        case .object, .array, .bool, .null: nil
        }
    }

    /// How many there are of something; a number below zero counts as none.
    public var amount: Int? { int.map { max(0, $0) } }

    /// True or false, also in quotes.
    public var bool: Bool? {
        switch self {
        case .bool(let value): value
        case .string("true"): true
        case .string("false"): false
        case .object, .array, .string, .number, .null: nil
        }
    }
}

extension JSONScanner {
    fileprivate mutating func value() throws(JSONError) -> JSONValue {
        switch try kind() {
        case .object:
            var members: [JSONValue.Member] = []
            try enterObject()
            while let key = try nextKey() {
                let name = text(of: key)
                members.append(JSONValue.Member(key: name, value: try value()))
            }
            return .object(members)
        case .array:
            var elements: [JSONValue] = []
            try enterArray()
            while try nextElement() { elements.append(try value()) }
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
