/// A mapping with keys that no type can list, in the order in which they were written.
///
/// Its keys are names that the author of the document gives; so none of them is unknown.
public struct YAMLMapping<Value> {
    /// A key, where it stands, and its value.
    public struct Entry {
        public var key: Located<String>
        public var value: Value

        public init(key: Located<String>, value: Value) {
            self.key = key
            self.value = value
        }
    }

    public var entries: [Entry]

    public init(entries: [Entry] = []) { self.entries = entries }

    /// The value of a key.
    public subscript(key: String) -> Value? { entries.first { $0.key.value == key }?.value }

    /// The keys, in order.
    public var keys: [String] { entries.map(\.key.value) }
}

extension YAMLMapping.Entry: Sendable where Value: Sendable {}
extension YAMLMapping: Sendable where Value: Sendable {}
extension YAMLMapping.Entry: Equatable where Value: Equatable {}
extension YAMLMapping: Equatable where Value: Equatable {}

extension YAMLMapping: Decodable where Value: Decodable {
    public init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? NodeDecoder else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not YAML"))
        }
        guard case .mapping(let written) = decoder.node.content else {
            throw decoder.error("expected a mapping, found \(decoder.node.kind)")
        }
        entries = try written.map { entry in
            let path = decoder.codingPath + [NameKey(stringValue: entry.key)]
            return Entry(
                key: Located(entry.key, at: entry.keyPlace),
                value: try NodeDecoder(entry.value, codingPath: path).decode(Value.self)
            )
        }
    }
}

private struct NameKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
