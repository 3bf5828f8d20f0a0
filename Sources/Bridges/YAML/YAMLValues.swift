/// A value and the place where it was written, for checks after decoding.
public struct Located<Value> {
    public var value: Value
    public var place: Place

    public init(_ value: Value, at place: Place) {
        self.value = value
        self.place = place
    }
}

extension Located: Sendable where Value: Sendable {}
extension Located: Equatable where Value: Equatable {}

extension Located: Decodable where Value: Decodable {
    public init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? NodeDecoder else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not YAML"))
        }
        place = decoder.node.place
        value = try decoder.decode(Value.self)
    }
}

/// A value or a list of them: `level: High` or `level: [High, Medium]`.
public struct OneOrMany<Value> {
    public var values: [Value]

    public init(_ values: [Value]) { self.values = values }
}

extension OneOrMany: Sendable where Value: Sendable {}
extension OneOrMany: Equatable where Value: Equatable {}

extension OneOrMany: Decodable where Value: Decodable {
    public init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? NodeDecoder else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not YAML"))
        }
        if case .sequence = decoder.node.content {
            values = try decoder.decode([Value].self)
        } else {
            values = [try decoder.decode(Value.self)]
        }
    }
}

/// A mapping with keys that no type can list, in the order in which they were written.
///
/// Its keys are names chosen by the author of the document, so none of them is unknown.
public struct YAMLMapping<Value> {
    /// A key, its place, and its value.
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

/// A value of a form that only its reader knows: decoded first, interpreted later.
public indirect enum YAMLValue: Hashable, Sendable {
    case text(String)
    case list([YAMLValue])
    case mapping([String: YAMLValue])
}

extension YAMLValue: Decodable {
    public init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? NodeDecoder else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not YAML"))
        }
        self.init(decoder.node)
    }

    init(_ node: Node) {
        self =
            switch node.content {
            case .scalar(let text, _): .text(text)
            case .sequence(let items): .list(items.map(YAMLValue.init))
            case .mapping(let entries):
                .mapping(Dictionary(uniqueKeysWithValues: entries.map { ($0.key, YAMLValue($0.value)) }))
            }
    }
}
