import JSONText

/// A JSON text as values: for the small replies of administration, never for documents.
enum JSONTree: Hashable {
    case object([String: JSONTree])
    case array([JSONTree])
    case string(String)
    /// As it is written.
    case number(String)
    case bool(Bool)
    case null

    init(_ bytes: [UInt8]) throws(JSONError) {
        var scanner = JSONScanner(bytes.span)
        self = try scanner.tree()
        try scanner.end()
    }

    /// The member of an object; `nil` where there is none, or no object.
    subscript(key: String) -> JSONTree? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }

    var members: [String: JSONTree]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    var elements: [JSONTree]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// A whole number that fits; Solr writes some of them as strings.
    var int: Int? {
        switch self {
        case .number(let text), .string(let text): Int(text)
        case .object, .array, .bool, .null: nil
        }
    }

    /// True or false; Solr writes some of them as strings.
    var bool: Bool? {
        switch self {
        case .bool(let value): value
        case .string("true"): true
        case .string("false"): false
        case .object, .array, .string, .number, .null: nil
        }
    }
}

extension JSONScanner {
    /// Scanners nest only so deep, so this does too.
    fileprivate mutating func tree() throws(JSONError) -> JSONTree {
        switch try kind() {
        case .object:
            var members: [String: JSONTree] = [:]
            try enterObject()
            while let key = try nextKey() { members[text(of: key)] = try tree() }
            return .object(members)
        case .array:
            var elements: [JSONTree] = []
            try enterArray()
            while try nextElement() { elements.append(try tree()) }
            return .array(elements)
        case .string: return .string(try stringText())
        case .number:
            let range = try skipValue()
            return .number(rawText(range))
        case .bool: return .bool(try bool())
        case .null:
            try null()
            return .null
        }
    }
}
