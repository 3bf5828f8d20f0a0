/// Encodes values into the nodes of a document's JSON.
struct DocumentEncoder: Encoder {
    let node: JSONNode

    var codingPath: [any CodingKey] { node.path }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeObject()
        return KeyedEncodingContainer(KeyedNode(node: node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeArray()
        return UnkeyedNode(node: node)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleNode(node: node) }
}

/// A key of a document's path that no type declares.
struct PathKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(intValue: Int) { (stringValue, self.intValue) = (String(intValue), intValue) }
    init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
}

private struct SingleNode: SingleValueEncodingContainer {
    let node: JSONNode

    var codingPath: [any CodingKey] { node.path }

    func encodeNil() { node.set(null: ()) }
    func encode(_ value: Bool) { node.set(value) }
    func encode(_ value: String) { node.set(value) }
    func encode(_ value: Double) throws { try node.set(number: value) }
    func encode(_ value: Float) throws { try node.set(number: value) }
    func encode(_ value: Int) { node.set(number: value) }
    func encode(_ value: Int8) { node.set(number: value) }
    func encode(_ value: Int16) { node.set(number: value) }
    func encode(_ value: Int32) { node.set(number: value) }
    func encode(_ value: Int64) { node.set(number: value) }
    func encode(_ value: Int128) { node.set(number: value) }
    func encode(_ value: UInt) { node.set(number: value) }
    func encode(_ value: UInt8) { node.set(number: value) }
    func encode(_ value: UInt16) { node.set(number: value) }
    func encode(_ value: UInt32) { node.set(number: value) }
    func encode(_ value: UInt64) { node.set(number: value) }
    func encode(_ value: UInt128) { node.set(number: value) }
    func encode(_ value: some Encodable) throws { try node.encode(value) }
}

private struct KeyedNode<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: JSONNode

    var codingPath: [any CodingKey] { node.path }

    func encodeNil(forKey key: Key) { node.child(key).set(null: ()) }

    // The numbers and texts of the standard library encode themselves into a single value.
    func encode(_ value: some Encodable, forKey key: Key) throws { try node.child(key).encode(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        DocumentEncoder(node: node.child(key)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        DocumentEncoder(node: node.child(key)).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { DocumentEncoder(node: node.child(PathKey(stringValue: "super"))) }
    func superEncoder(forKey key: Key) -> any Encoder { DocumentEncoder(node: node.child(key)) }
}

private struct UnkeyedNode: UnkeyedEncodingContainer {
    let node: JSONNode

    var codingPath: [any CodingKey] { node.path }
    var count: Int { node.count }

    func encodeNil() { node.element().set(null: ()) }
    func encode(_ value: some Encodable) throws { try node.element().encode(value) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        DocumentEncoder(node: node.element()).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        DocumentEncoder(node: node.element()).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { DocumentEncoder(node: node.element()) }
}
