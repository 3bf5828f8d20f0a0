import ContentFeeding
import HTTPService
import JSONText
import TextKit

/// The form of a collection's documents: the fields that the server keeps in them, and the keys that clients may use.
///
/// All documents have a Boolean that marks deleted ones, because engines find a value, but not the absence of one.
package struct DocumentKeeping: Sendable, Hashable {
    /// The field with the time of the first write; `nil` for none.
    var created: String?
    /// The field with the time of the last write.
    var updated: String?
    /// The field with the number of writes.
    var version: String?
    /// The field that is `true` in deleted documents and `false` in others; `nil` if a deletion removes the document.
    var deleted: String?
    /// The top-level keys that documents may have besides the kept fields, in UTF-8; `nil` for all.
    private var keys: Set<[UInt8]>?

    /// The keys that hold the ID and the routing of a document in a batch; every collection accepts them.
    static let keysOfBatches = ["id", "routing"]

    /// Refuses keys that are not among those allowed.
    mutating func restrict(to keys: [String]) { self.keys = Set((keys + Self.keysOfBatches).map { Array($0.utf8) }) }

    /// The fields that clients can't set.
    private var names: [String] { [created, updated, version, deleted].compactMap(\.self) }

    /// The fields of documents that are not deleted.
    var living: DocumentFilter { DocumentFilter(fields: deleted.map { [($0, "false")] } ?? []) }

    /// Whether a write depends on the stored document; a write in a batch must not.
    func needsStored(for kind: ContentOperation.Kind) -> Bool { kind == .remove ? deleted != nil : !names.isEmpty }

    // MARK: Writing

    /// Returns the first key of a document or patch that the collection does not accept.
    func unknownKey(in operation: ContentOperation) -> String? {
        guard let keys, operation.kind != .remove else { return nil }
        return Self.members(of: operation.json).first { member in
            // A patch may remove a key that an older document still has.
            guard operation.kind == .add || member.kind != .null else { return false }
            return !keys.contains(Array(member.key.utf8)) && !names.contains { $0.isSame(as: member.key) }
        }?.key
    }

    /// Returns a write with the kept fields in it, based on the stored document if there is one; a removal may become
    /// an update.
    func kept(
        _ operation: ContentOperation,
        on stored: [UInt8]?,
        at now: Duration
    ) throws -> ContentOperation {
        guard needsStored(for: operation.kind) else { return operation }
        try refuseFields(of: operation, unlike: stored)
        let fields = try fields(of: operation.kind, on: stored, at: now)
        var document = operation.document
        guard operation.kind != .remove else {
            document = Document(id: document.id, json: fields, routing: document.routing)
            return .update(document)
        }
        let json = try JSONMerge.merged(base: document.json, patch: fields) ?? document.json
        document = Document(id: document.id, json: json, routing: document.routing)
        return operation.kind == .add ? .add(document) : .update(document)
    }

    /// Refuses kept fields with values that differ from the stored ones: a client can send back what it has read.
    private func refuseFields(of operation: ContentOperation, unlike stored: [UInt8]?) throws(ServiceProblem) {
        for member in Self.members(of: operation.json) {
            guard let name = names.first(where: { $0.isSame(as: member.key) }) else { continue }
            if let stored, let old = Self.member(name, of: stored),
                JSONTokens.areEqual(stored, old.value, operation.json, member.value)
            {
                continue
            }
            if name == deleted, operation.json[member.value].elementsEqual("false".utf8) { continue }
            throw .invalid(
                name,
                "the server keeps this field, and its value is different",
                "leave it out, or send its current value"
            )
        }
    }

    /// Returns the kept fields that a write sets, as an object.
    private func fields(
        of kind: ContentOperation.Kind,
        on stored: [UInt8]?,
        at now: Duration
    ) throws(ServiceProblem) -> [UInt8] {
        let time = UTCTimestamp(since1970: now).description
        let number = try number(after: stored)
        var writer = JSONWriter()
        writer.object { object in
            if let created {
                if let stored {
                    // The first write of a document that did not pass through the server is not known.
                    if kind == .add, let old = Self.member(created, of: stored) {
                        object.member(created, raw: Array(stored[old.value]))
                    }
                } else {
                    object.member(created, time)
                }
            }
            if let updated { object.member(updated, time) }
            if let version { object.member(version, number) }
            if let deleted, kind != .update { object.member(deleted, kind == .remove) }
        }
        return writer.takeBytes()
    }

    private func number(after stored: [UInt8]?) throws(ServiceProblem) -> Int {
        guard let version, let stored, let old = Self.member(version, of: stored) else { return 1 }
        guard old.kind == .number, let number = Int(String(decoding: stored[old.value], as: UTF8.self)), number < .max
        else {
            throw .invalid(
                version,
                "the stored document has a value there that can't be increased",
                "erase the document, or specify another field in the settings"
            )
        }
        return number + 1
    }

    // MARK: Members

    /// Returns the members of an object; bytes that are not an object are refused elsewhere.
    private static func members(of json: [UInt8]) -> [JSONMembers.Member] {
        do throws(JSONError) {
            return try JSONMembers(of: json.span).all
        } catch {
            return []
        }
    }

    private static func member(_ name: String, of json: [UInt8]) -> JSONMembers.Member? {
        members(of: json).last { $0.key.isSame(as: name) }
    }
}

extension String {
    /// Whether two keys have the same bytes, as engines compare them.
    fileprivate func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

/// The top-level keys of documents that a client requests: `fields=title,body`.
struct KeySelection: Hashable, Sendable {
    private let names: [String]?

    /// Reads the parameter of a request; without it, documents are whole.
    init(_ request: ServedRequest) throws(ServiceProblem) {
        let items = request.query.filter { $0.name == "fields" }
        let names = items.flatMap { $0.value.split(separator: ",").map(String.init) }
        guard items.isEmpty || !names.isEmpty else {
            throw .invalid("fields", "it names no key", "write fields=title,body, or leave it out")
        }
        self.names = items.isEmpty ? nil : names
    }

    /// Returns a document with only these keys, in its own order.
    func applied(to json: [UInt8]) throws(JSONError) -> [UInt8] {
        guard let names else { return json }
        let members = try JSONMembers(of: json.span).all
        var writer = JSONWriter()
        writer.object { object in
            for member in members where names.contains(where: { $0.isSame(as: member.key) }) {
                object.member(member.key, raw: Array(json[member.value]))
            }
        }
        return writer.takeBytes()
    }
}
