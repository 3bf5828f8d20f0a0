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

/// The members of one JSON object, each with its place in the bytes; the whole text is checked.
public struct JSONMembers: Hashable, Sendable {
    public struct Member: Hashable, Sendable {
        /// What the key says.
        public let key: String
        /// Where the key stands, with its quotes.
        public let keyRange: Range<Int>
        public let kind: JSONKind
        /// Where the value stands, without blanks around it.
        public let value: Range<Int>
    }

    /// In the order they are written in.
    public let all: [Member]
    /// Where the object stands, with its braces.
    public let range: Range<Int>

    /// Finds the members of a text that is one object.
    public init(of json: Span<UInt8>) throws(JSONError) {
        var scanner = JSONScanner(json)
        var members: [Member] = []
        guard try scanner.kind() == .object else { throw scanner.unexpected("an object") }
        let start = scanner.offset
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            let kind = try scanner.kind()
            let value = try scanner.skipValue()
            members.append(
                Member(
                    key: scanner.text(of: key),
                    keyRange: key.range.lowerBound - 1..<key.range.upperBound + 1,
                    kind: kind,
                    value: value
                )
            )
        }
        range = start..<scanner.offset
        try scanner.end()
        all = members
    }

    /// The member with this key, compared by bytes; of several the last, as most readers of JSON have it.
    public subscript(key: String) -> Member? {
        all.last { $0.key.utf8.elementsEqual(key.utf8) }
    }

    /// A key that occurs more than once.
    public var duplicateKey: String? {
        var seen: Set<[UInt8]> = []
        return all.first { !seen.insert(Array($0.key.utf8)).inserted }?.key
    }
}
