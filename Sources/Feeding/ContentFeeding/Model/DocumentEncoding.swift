import JSONText

extension Document {
    /// Creates a document from any value that encodes as an object: a struct, or a dictionary with text as its keys.
    ///
    /// ```swift
    /// struct Page: Encodable { var title: String; var year: Int }
    /// let document = try Document(id: "ID1", Page(title: "The first page", year: 2011))
    /// ```
    ///
    /// Properties become keys in the order in which they are encoded; a property that is `nil` has no key.
    ///
    /// Types of Foundation encode themselves in ways that only Foundation's encoders understand: a `Date` is a number of
    /// seconds since 2001. Give a date as text in ISO 8601, as engines expect it; see ``DocumentElement/newDate(_:secondsSince1970:)``.
    public init(
        id: DocumentID,
        _ value: some Encodable,
        routing: Routing? = nil
    ) throws(DocumentEncodingError) {
        let json = try JSONNode(encoding: value).json
        guard json.first == UInt8(ascii: "{") else {
            throw DocumentEncodingError(
                .noObject,
                "a \(type(of: value)) is written as one value; a document needs names: use a struct or a dictionary"
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

/// The reason a value can't be written as a document.
public struct DocumentEncodingError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Hashable, Sendable {
        /// The value is a number, a text or a list.
        case noObject
        /// The document already has an element of this name: FAST's `DuplicateElementException`.
        case duplicateElement
        /// The document would be larger than ``Document/maximumByteCount``.
        case tooLarge
        /// Values are nested too deeply.
        case tooDeep
        /// JSON has no notation for a value.
        case notRepresentable
        /// The value's own encoding threw an error.
        case ownEncoding
    }

    /// The kind of failure.
    public let code: Code
    /// What is wrong, as a sentence without its end.
    public let message: String
    /// The place in the value: keys and numbers of elements, separated by dots; empty for the value itself.
    public let path: String
    /// The error that the value's own encoding threw; `nil` if it is ours.
    public let cause: (any Error)?

    init(_ code: Code, _ message: String, path: String = "", cause: (any Error)? = nil) {
        (self.code, self.message, self.path, self.cause) = (code, message, path, cause)
    }

    /// The message, behind the place if there is one.
    public var description: String { path.isEmpty ? message : "\(path): \(message)" }
}

/// The JSON of a value while it is encoded.
///
/// A class, because containers that an encoder hands out write into it at any time, in any order.
final class JSONNode {
    private enum Content {
        case empty
        /// Text that is already JSON.
        case scalar([UInt8])
        case array([JSONNode])
        case object(keys: [String], places: [String: Int], nodes: [JSONNode])
    }

    private var content = Content.empty
    /// The place in the whole value.
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

    // MARK: What containers do

    var count: Int { if case .array(let nodes) = content { nodes.count } else { 0 } }

    func becomeObject() { if case .empty = content { content = .object(keys: [], places: [:], nodes: []) } }

    func becomeArray() { if case .empty = content { content = .array([]) } }

    func set(null: Void) { content = .scalar(Array("null".utf8)) }

    func set(_ value: some JSONWritable) {
        var writer = JSONWriter()
        writer.value(value)
        content = .scalar(writer.takeBytes())
    }

    /// Writes a number in the notation of its own type: a `Float` of 0.1 is `0.1`.
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

    /// Returns the node of a key; the second value of a key replaces the first.
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

    /// Returns the node of one more element.
    func element() -> JSONNode {
        let node = JSONNode(at: path + [PathKey(intValue: count)])
        guard case .array(var nodes) = content else { return node }
        content = .empty
        nodes.append(node)
        content = .array(nodes)
        return node
    }
}
