import JSONText
import TextKit

extension Document {
    /// Creates a document from any value that encodes as an object: a struct, or a dictionary with strings as keys.
    ///
    /// ```swift
    /// struct Page: Encodable { var title: String; var year: Int }
    /// let document = try Document(id: "ID1", Page(title: "The first page", year: 2011))
    /// ```
    ///
    /// Properties become keys in the order in which they are encoded; a property that is `nil` has no key.
    ///
    /// Foundation's types encode themselves in ways that only Foundation's encoders understand: a `Date`, for example,
    /// becomes a number of seconds since 2001. Pass a date as an ISO 8601 string, as engines expect it; see
    /// ``DocumentElement/newDate(_:secondsSince1970:)``.
    public init(
        id: DocumentID,
        _ value: some Encodable,
        routing: Routing? = nil
    ) throws(DocumentEncodingError) {
        let json = try JSONNode(encoding: value).json
        guard json.first == UInt8(ascii: "{") else {
            throw DocumentEncodingError(
                .noObject,
                "a \(type(of: value)) is encoded as a single value; a document needs named members: use a struct or a dictionary"
            )
        }
        try Self.check(byteCount: json.count)
        self.init(id: id, json: json, routing: routing)
    }

    static func check(byteCount: Int, path: String = "") throws(DocumentEncodingError) {
        guard byteCount > maximumByteCount else { return }
        throw DocumentEncodingError(
            .tooLarge,
            "the document would have \(byteCount) bytes, but at most \(maximumByteCount) are allowed",
            path: path
        )
    }
}

/// The reason why a value can't be encoded as a document.
public struct DocumentEncodingError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Hashable, Sendable {
        /// The value is not an object, but a number, a string or an array.
        case noObject
        /// The document already has an element with this name: FAST's `DuplicateElementException`.
        case duplicateElement
        /// The document would be larger than ``Document/maximumByteCount``.
        case tooLarge
        /// The values are nested too deeply.
        case tooDeep
        /// JSON has no representation for a value.
        case notRepresentable
        /// The value's own encoding threw an error.
        case ownEncoding
    }

    /// The kind of failure.
    public let code: Code
    /// The defect, as a sentence without a period.
    public let message: String
    /// The path to the defect in the value, as keys and indices of elements separated by dots; empty for the value
    /// itself.
    public let path: String
    /// The error thrown by the value's own encoding; `nil` for an error of the encoder.
    public let cause: (any Error)?

    init(_ code: Code, _ message: String, path: String = "", cause: (any Error)? = nil) {
        (self.code, self.message, self.path, self.cause) = (code, message, path, cause)
    }

    /// The message, preceded by the path if there is one.
    public var description: String { path.isEmpty ? message : "\(path): \(message)" }
}

/// The JSON of a value while it is encoded.
///
/// This is a class, because the containers that an encoder hands out can write to it at any time, in any order.
final class JSONNode {
    private enum Content {
        case empty
        /// The text of a value, which is already JSON.
        case scalar([UInt8])
        case array([JSONNode])
        case object(keys: [String], places: [String: Int], nodes: [JSONNode])
    }

    private var content = Content.empty
    /// The path of the node in the whole value.
    let path: [any CodingKey]

    private init(at path: [any CodingKey]) { self.path = path }

    /// Encodes a whole value.
    convenience init(encoding value: some Encodable) throws(DocumentEncodingError) {
        self.init(at: [])
        do { try encode(value) } catch {
            throw Self.encodingError(error)
        }
    }

    private static func encodingError(_ error: any Error) -> DocumentEncodingError {
        switch error {
        case let error as DocumentEncodingError: error
        case EncodingError.invalidValue(_, let context):
            DocumentEncodingError(.ownEncoding, context.debugDescription, path: text(context.codingPath), cause: error)
        default: DocumentEncodingError(.ownEncoding, "\(error)", cause: error)
        }
    }

    private static func text(_ path: [any CodingKey]) -> String {
        path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }

    var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.takeBytes()
    }

    private func write(to writer: inout JSONWriter) {
        switch content {
        case .empty: writer.object { _ in }
        case .scalar(let json): writer.raw(json)
        case .array(let nodes):
            writer.array { writer in for node in nodes { node.write(to: &writer) } }
        case .object(let keys, _, let nodes):
            writer.object { writer in
                for (key, node) in zip(keys, nodes) {
                    writer.key(key)
                    node.write(to: &writer)
                }
            }
        }
    }

    // MARK: Containers

    var count: Int { if case .array(let nodes) = content { nodes.count } else { 0 } }

    func becomeObject() { if case .empty = content { content = .object(keys: [], places: [:], nodes: []) } }

    func becomeArray() { if case .empty = content { content = .array([]) } }

    func set(null: Void) { content = .scalar(Array("null".utf8)) }

    func set(_ value: some JSONWritable) {
        var writer = JSONWriter()
        writer.value(value)
        content = .scalar(writer.takeBytes())
    }

    /// Writes a number with the precision of its own type: a `Float` of 0.1 is `0.1`.
    func set(number value: some BinaryFloatingPoint & CustomStringConvertible) throws {
        guard value.isFinite else {
            throw DocumentEncodingError(.notRepresentable, "JSON has no notation for \(value)", path: Self.text(path))
        }
        let text = value.description
        content = .scalar(Array((text.hasSuffix(".0") ? String(text.dropLast(2)) : text).utf8))
    }

    func set(number value: some BinaryInteger) { content = .scalar(Array(String(value).utf8)) }

    func encode(_ value: some Encodable) throws {
        guard path.count < JSONScanner.maximumDepth else {
            throw DocumentEncodingError(
                .tooDeep,
                "the value is nested more than \(JSONScanner.maximumDepth) levels deep",
                path: Self.text(path)
            )
        }
        try value.encode(to: DocumentEncoder(node: self))
    }

    /// Returns the node for a key; a second value of the same key replaces the first.
    func child(_ key: any CodingKey) -> JSONNode {
        let node = JSONNode(at: path + [key])
        guard case .object(var keys, var places, var nodes) = content else { return node }
        content = .empty
        if let place = places[key.stringValue] {
            nodes[place] = node
        } else {
            places[key.stringValue] = nodes.count
            keys.append(key.stringValue)
            nodes.append(node)
        }
        content = .object(keys: keys, places: places, nodes: nodes)
        return node
    }

    /// Returns the node for one more element.
    func element() -> JSONNode {
        let node = JSONNode(at: path + [PathKey(intValue: count)])
        guard case .array(var nodes) = content else { return node }
        content = .empty
        nodes.append(node)
        content = .array(nodes)
        return node
    }
}

/// An encoder that encodes values into the nodes of a document's JSON.
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

/// A key in a document's path that no type declares.
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

    // The standard library's numbers and strings encode themselves into a single value.
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

/// A document that is built element by element, like FAST's `IDocument`.
///
/// ```swift
/// var page = DocumentBuilder(id: "ID1")
/// try page.addElement(.newString("title", "The first page"))
/// try page.addElement(.newInteger("year", 2011))
/// try await feeder.addDocument(page.document)
/// ```
///
/// A type that is `Encodable` needs no builder: see ``Document/init(id:_:routing:)``.
public struct DocumentBuilder: Sendable {
    /// The document's ID.
    public let id: DocumentID
    /// The routing value that places the document; `nil` if its ID places it.
    public var routing: Routing?

    private var names: Set<String> = []
    /// The object so far, without its closing brace.
    private var json: [UInt8] = [UInt8(ascii: "{")]

    /// Begins a document without elements.
    public init(id: DocumentID, routing: Routing? = nil) { (self.id, self.routing) = (id, routing) }

    /// Adds an element.
    ///
    /// Throws, leaving the document unchanged, if it already has an element with this name, as FAST does, or if it
    /// would become larger than ``Document/maximumByteCount``.
    public mutating func addElement(_ element: DocumentElement) throws(DocumentEncodingError) {
        guard !names.contains(element.name) else {
            throw DocumentEncodingError(
                .duplicateElement,
                "the document '\(id)' already has an element of this name",
                path: element.name
            )
        }
        var writer = JSONWriter()
        writer.value(element.name)
        let key = writer.takeBytes()
        // The three extra bytes are a comma, a colon and the closing brace.
        try Document.check(byteCount: json.count + key.count + element.json.count + 3, path: element.name)
        if !names.isEmpty { json.append(UInt8(ascii: ",")) }
        names.insert(element.name)
        json += key
        json.append(UInt8(ascii: ":"))
        json += element.json
    }

    /// The document with the elements added so far.
    public var document: Document { Document(id: id, json: json + [UInt8(ascii: "}")], routing: routing) }
}

/// An element of a document: its name and its value.
public struct DocumentElement: Hashable, Sendable {
    /// The name of the element: a field of the collection.
    public let name: String
    /// The value, as JSON.
    let json: [UInt8]

    /// Creates an element from any value that can be encoded: a number, an array, a struct or `nil`.
    public init(_ name: String, _ value: some Encodable) throws(DocumentEncodingError) {
        self.name = name
        json = try JSONNode(encoding: value).json
    }

    private init(_ name: String, writing value: some JSONWritable) {
        self.name = name
        var writer = JSONWriter()
        writer.value(value)
        json = writer.takeBytes()
    }

    /// Creates an element from a string.
    public static func newString(_ name: String, _ value: String) -> Self { Self(name, writing: value) }

    /// Creates an element from an integer.
    public static func newInteger(_ name: String, _ value: Int) -> Self { Self(name, writing: value) }

    /// Creates an element from a point in time, formatted as engines expect it: in ISO 8601 format, in UTC, with
    /// milliseconds.
    ///
    /// With Foundation, the value for `seconds` is `date.timeIntervalSince1970`. Returns `nil` for a date outside the
    /// years 1 to 9999.
    public static func newDate(_ name: String, secondsSince1970 seconds: Double) -> Self? {
        UTCDate(secondsSince1970: seconds).map { Self(name, writing: $0.text) }
    }

    /// Creates an element from bytes, encoded as base64.
    public static func newByteArray(_ name: String, _ value: [UInt8]) -> Self {
        Self(name, writing: Base64.text(value))
    }
}

/// A point in time, as calendar components in UTC.
private struct UTCDate {
    private let date: CivilDate
    private let millisecond: Int

    private static let dayLength = 86_400_000

    /// Creates the point in time; `nil` if it is not in the years 1 to 9999.
    init?(secondsSince1970 seconds: Double) {
        let milliseconds = (seconds * 1000).rounded()
        guard (-62_135_596_800_000..<253_402_300_800_000).contains(milliseconds) else { return nil }
        let count = Int(milliseconds)
        let dayNumber = (count >= 0 ? count : count - Self.dayLength + 1) / Self.dayLength
        millisecond = count - dayNumber * Self.dayLength
        date = CivilDate(days: Int64(dayNumber))
    }

    /// The point in time in ISO 8601 format, such as `2011-09-26T14:03:07.250Z`.
    var text: String {
        let (minutes, rest) = millisecond.quotientAndRemainder(dividingBy: 60_000)
        let time = [minutes / 60, minutes % 60, rest / 1000].map { $0.padded(to: 2) }.joined(separator: ":")
        return "\(date)T\(time).\((rest % 1000).padded(to: 3))Z"
    }
}
