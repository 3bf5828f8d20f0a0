/// A small JSON text as a tree; for a large one use ``JSONScanner``, which does not build values.
///
/// The depth is limited as in a scanner. A missing value is ``null``, so a path can be written as one expression:
/// `answer["version"]["number"].text`.
package enum JSONValue: Hashable, Sendable {
    /// An object with its members in the order of the text.
    case object([Member])
    case array([JSONValue])
    case string(String)
    /// A number as written.
    case number(String)
    case bool(Bool)
    case null

    package struct Member: Hashable, Sendable {
        package let key: String
        package let value: JSONValue

        package init(key: String, value: JSONValue) { (self.key, self.value) = (key, value) }
    }

    package init(_ json: [UInt8]) throws(JSONError) {
        var scanner = JSONScanner(json.span)
        self = try scanner.value()
        try scanner.end()
    }

    /// The value of a member; the first one if there are several with the same key, and ``null`` if there is none.
    package subscript(key: String) -> JSONValue { members.first { $0.key == key }?.value ?? .null }

    /// The members of an object; empty for anything else.
    package var members: [Member] {
        if case .object(let members) = self { members } else { [] }
    }

    /// The elements of an array; empty for anything else.
    package var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// A whole number, including one in quotes, as many servers write them.
    package var int: Int? {
        switch self {
        case .number(let text), .string(let text): Int(text)
        case .object, .array, .bool, .null: nil
        }
    }

    /// A count; negative numbers count as zero.
    package var amount: Int? { int.map { max(0, $0) } }

    /// A Boolean, including one in quotes.
    package var bool: Bool? {
        switch self {
        case .bool(let value): value
        case .string("true"): true
        case .string("false"): false
        case .object, .array, .string, .number, .null: nil
        }
    }
}

extension JSONValue: JSONWritable {
    /// Writes the value; a number is written as it was read.
    package func write(to writer: inout JSONWriter) {
        switch self {
        case .object(let members):
            writer.object { writer in
                for member in members { writer.member(member.key, member.value) }
            }
        case .array(let elements): elements.write(to: &writer)
        case .string(let text): text.write(to: &writer)
        case .number(let text): writer.raw(Array(text.utf8))
        case .bool(let isTrue): isTrue.write(to: &writer)
        case .null: writer.null()
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
package struct JSONMembers: Hashable, Sendable {
    package struct Member: Hashable, Sendable {
        /// The key as text, unescaped.
        package let key: String
        /// The bytes of the key, with its quotes.
        package let keyRange: Range<Int>
        package let kind: JSONKind
        /// The bytes of the value, without the white space around it.
        package let value: Range<Int>
    }

    /// All members in the order in which they are written.
    package let all: [Member]
    /// The bytes of the object, with its braces.
    package let range: Range<Int>

    /// Finds the members of a text that is one object.
    package init(of json: Span<UInt8>) throws(JSONError) {
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

    /// The member with this key, compared by bytes; the last one if there are several, as in most JSON readers.
    package subscript(key: String) -> Member? {
        all.last { $0.key.utf8.elementsEqual(key.utf8) }
    }

    /// The first repeated key, if any.
    package var duplicateKey: String? {
        var seen: Set<[UInt8]> = []
        return all.first { !seen.insert(Array($0.key.utf8)).inserted }?.key
    }
}

/// The string values in a JSON text, for searching; keys are not included.
package enum JSONStrings {
    /// Calls `body` with each string value, in order; the whole text is checked.
    package static func visit(_ json: Span<UInt8>, _ body: (String) -> Void) throws(JSONError) {
        var scanner = JSONScanner(json)
        try scanner.visitStrings { scanner, token in body(scanner.text(of: token)) }
        try scanner.end()
    }

    /// Appends each string value in UTF-8, followed by `separator`; the whole text is checked.
    package static func append(_ json: Span<UInt8>, separator: UInt8, to output: inout [UInt8]) throws(JSONError) {
        var scanner = JSONScanner(json)
        try scanner.visitStrings { scanner, token in
            scanner.append(token, to: &output)
            output.append(separator)
        }
        try scanner.end()
    }

    /// The values that equal a text.
    package enum Equality: Sendable {
        /// The same string, or a number or Boolean that is written like this.
        case written
        /// The same string, or an array that contains it.
        case listed
    }

    /// Returns whether the object has this field at its top level, with a value that equals `text`.
    package static func field(
        _ name: String,
        of json: Span<UInt8>,
        equals text: String,
        by equality: Equality = .written
    ) throws(JSONError) -> Bool {
        var scanner = JSONScanner(json)
        var isEqual = false
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            guard scanner.isEqual(key, name) else {
                try scanner.skipValue()
                continue
            }
            isEqual = false
            switch (try scanner.kind(), equality) {
            case (.string, _): isEqual = try scanner.nextString(is: text)
            case (.number, .written), (.bool, .written):
                let value = try scanner.skipValue()
                isEqual = scanner.rawText(value).utf8.elementsEqual(text.utf8)
            case (.array, .listed):
                try scanner.enterArray()
                while try scanner.nextElement() {
                    if try scanner.kind() != .string {
                        try scanner.skipValue()
                    } else if try scanner.nextString(is: text) {
                        isEqual = true
                    }
                }
            default: try scanner.skipValue()
            }
        }
        try scanner.end()
        return isEqual
    }
}

extension JSONScanner {
    fileprivate mutating func nextString(is text: String) throws(JSONError) -> Bool {
        let token = try string()
        return isEqual(token, text)
    }

    fileprivate mutating func visitStrings(
        _ visit: (borrowing JSONScanner, JSONStringToken) -> Void
    ) throws(JSONError) {
        switch try kind() {
        case .object:
            try enterObject()
            while try nextKey() != nil { try visitStrings(visit) }
        case .array:
            try enterArray()
            while try nextElement() { try visitStrings(visit) }
        case .string:
            let token = try string()
            visit(self, token)
        case .number, .bool, .null: try skipValue()
        }
    }
}

/// A merge of one JSON object into another, at the top level only.
package enum JSONMerge {
    /// Returns the object with the keys of `patch` replaced or appended, and those that are `null` in it removed.
    ///
    /// All other bytes of `base` remain unchanged. A value counts as changed unless both contain the same tokens in the
    /// same order: white space and the escaping of strings are ignored, but the order of members and the notation of
    /// numbers are not (`1` and `1.0` differ). If a key occurs twice, the last one counts.
    ///
    /// - Returns: The object, or `nil` if nothing changes.
    /// - Throws: A ``JSONError`` if one of the two is not a JSON object.
    package static func merged(base: [UInt8], patch: [UInt8]) throws(JSONError) -> [UInt8]? {
        let members = try JSONMembers(of: base.span)
        let changes = try JSONMembers(of: patch.span)
        let old = lastPlaces(members)
        let edits = lastPlaces(changes).filter { key, place in
            let change = changes.all[place]
            guard let oldPlace = old[key] else { return change.kind != .null }
            return change.kind == .null
                || !JSONTokens.areEqual(base, members.all[oldPlace].value, patch, change.value)
        }
        guard !edits.isEmpty else { return nil }

        var output = Array(base[...members.range.lowerBound])
        var begins = true
        // The start of the white space before the next member.
        var start = members.range.lowerBound + 1
        // The white space before the last member, which is repeated before appended members.
        var blanks = 0..<0
        for (index, member) in members.all.enumerated() {
            let key = Array(member.key.utf8)
            let edit = edits[key].map { changes.all[$0] }
            let isLast = index == members.all.count - 1
            let end = isLast ? member.value.upperBound : comma(behind: member.value.upperBound, in: base)
            blanks = start..<member.keyRange.lowerBound
            if edit == nil || edit?.kind != .null && old[key] == index {
                if !begins { output.append(UInt8(ascii: ",")) }
                begins = false
                output += base[start..<member.value.lowerBound]
                output += edit.map { patch[$0.value] } ?? base[member.value]
                output += base[member.value.upperBound..<end]
            }
            start = end + (isLast ? 0 : 1)
        }
        for place in edits.filter({ old[$0.key] == nil }).values.sorted() {
            if !begins { output.append(UInt8(ascii: ",")) }
            begins = false
            output += base[blanks]
            output += patch[changes.all[place].keyRange]
            output.append(UInt8(ascii: ":"))
            output += patch[changes.all[place].value]
        }
        return output + base[start...]
    }

    private static func comma(behind offset: Int, in json: [UInt8]) -> Int {
        json[offset...].firstIndex(of: UInt8(ascii: ",")) ?? offset
    }

    /// Returns the index of each key's member; if a key occurs twice, the index of the last.
    private static func lastPlaces(_ members: JSONMembers) -> [[UInt8]: Int] {
        Dictionary(members.all.enumerated().map { (Array($1.key.utf8), $0) }) { $1 }
    }
}

/// The top-level keys by which two JSON objects differ.
///
/// Values are compared by their tokens in order, as in ``JSONMerge``, so white space and escapes are ignored, but the
/// notation of numbers is not. If a key occurs twice, the last one counts.
package struct JSONDifference: Hashable, Sendable {
    /// Keys that only the new object has, in its order.
    package private(set) var added: [String] = []
    /// Keys that both objects have with different values, in the order of the new object.
    package private(set) var changed: [String] = []
    /// Keys that only the old object has, in its order.
    package private(set) var removed: [String] = []

    /// Compares two objects.
    ///
    /// `isIgnored` is called with each key that only one of the objects has, and with its value as JSON.
    ///
    /// - Throws: A ``JSONError`` if one of the two is not a JSON object.
    package init(
        from old: [UInt8],
        to new: [UInt8],
        ignoring isIgnored: (_ key: String, _ value: ArraySlice<UInt8>) -> Bool = { _, _ in false }
    ) throws(JSONError) {
        let (before, after) = (try JSONMembers(of: old.span), try JSONMembers(of: new.span))
        let (oldPlaces, newPlaces) = (Self.lastPlaces(before), Self.lastPlaces(after))
        for (place, member) in after.all.enumerated() where newPlaces[Array(member.key.utf8)] == place {
            guard let oldPlace = oldPlaces[Array(member.key.utf8)] else {
                if !isIgnored(member.key, new[member.value]) { added.append(member.key) }
                continue
            }
            if !JSONTokens.areEqual(old, before.all[oldPlace].value, new, member.value) { changed.append(member.key) }
        }
        for (place, member) in before.all.enumerated() where oldPlaces[Array(member.key.utf8)] == place {
            guard newPlaces[Array(member.key.utf8)] == nil, !isIgnored(member.key, old[member.value]) else { continue }
            removed.append(member.key)
        }
    }

    /// Whether the objects have the same keys and values.
    package var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }

    private static func lastPlaces(_ members: JSONMembers) -> [[UInt8]: Int] {
        Dictionary(members.all.enumerated().map { (Array($1.key.utf8), $0) }) { $1 }
    }
}
