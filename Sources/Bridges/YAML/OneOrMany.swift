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
