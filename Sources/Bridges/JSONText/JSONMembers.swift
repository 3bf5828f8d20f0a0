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
