/// A small JSON text as a tree; for a large one use ``JSONScanner``, which builds nothing.
///
/// The depth is limited as in a scanner. A missing value is ``null``, so that a path can be written in one line:
/// `answer["version"]["number"].text`.
public enum JSONValue: Hashable, Sendable {
    /// An object with its members in the order of the text.
    case object([Member])
    case array([JSONValue])
    case string(String)
    /// A number as written.
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

    /// The value of a member; of two with the same key the first, and ``null`` if there is none.
    public subscript(key: String) -> JSONValue { members.first { $0.key == key }?.value ?? .null }

    /// The members of an object; empty for anything else.
    public var members: [Member] {
        if case .object(let members) = self { members } else { [] }
    }

    /// The elements of an array; empty for anything else.
    public var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    public var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// A whole number, including one in quotes, as many servers write them.
    public var int: Int? {
        switch self {
        case .number(let text), .string(let text): Int(text)
        case .object, .array, .bool, .null: nil
        }
    }

    /// A count of something; a number below zero counts as zero.
    public var amount: Int? { int.map { max(0, $0) } }

    /// A Boolean, including one in quotes.
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

/// The members of one JSON object, each with its location in the bytes; the whole text is checked.
public struct JSONMembers: Hashable, Sendable {
    public struct Member: Hashable, Sendable {
        /// The key as text, unescaped.
        public let key: String
        /// The bytes of the key, with its quotes.
        public let keyRange: Range<Int>
        public let kind: JSONKind
        /// The bytes of the value, without blanks around it.
        public let value: Range<Int>
    }

    /// All members in the order in which they are written.
    public let all: [Member]
    /// The bytes of the object, with its braces.
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

    /// The member with this key, compared by bytes; of several the last, as in most JSON readers.
    public subscript(key: String) -> Member? {
        all.last { $0.key.utf8.elementsEqual(key.utf8) }
    }

    /// The first key found to be repeated, if any.
    public var duplicateKey: String? {
        var seen: Set<[UInt8]> = []
        return all.first { !seen.insert(Array($0.key.utf8)).inserted }?.key
    }
}
