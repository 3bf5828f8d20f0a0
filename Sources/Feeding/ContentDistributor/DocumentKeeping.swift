import ContentFeeding
import Files
import HTTPService
import JSONText
import ServerSecurity
import Synchronization
import TextKit

/// The form of a collection's documents: the fields that the server maintains, and the keys that clients may use.
///
/// With soft deletions, all documents have a Boolean field that marks the deleted ones, because engines can search for
/// a value but not for its absence.
package struct DocumentKeeping: Sendable, Hashable {
    /// The field with the time of the first write; `nil` for none.
    var created: String?
    /// The field with the time of the last write.
    var updated: String?
    /// The field with the number of writes.
    var version: String?
    /// The field that is `true` in deleted documents and `false` in others; `nil` if a deletion removes the document.
    var deleted: String?
    /// The top-level keys that documents may have in addition to the maintained fields, in UTF-8; `nil` for all keys.
    private var keys: Set<[UInt8]>?

    /// The keys that hold the ID and the routing value of a document in a batch, which every collection accepts.
    static let keysOfBatches = ["id", "routing"]

    /// Restricts documents to the given top-level keys.
    mutating func restrict(to keys: [String]) { self.keys = Set((keys + Self.keysOfBatches).map { Array($0.utf8) }) }

    /// The fields that clients can't set.
    var names: [String] { [created, updated, version, deleted].compactMap(\.self) }

    /// The filter for documents that are not deleted.
    var living: DocumentFilter { DocumentFilter(fields: deleted.map { [($0, "false")] } ?? []) }

    /// Returns whether a write depends on the stored document.
    func needsStored(for kind: ContentOperation.Kind) -> Bool { kind == .remove ? deleted != nil : !names.isEmpty }

    // MARK: Writing

    /// Returns the first key of a document or patch that the collection does not accept.
    func unknownKey(in operation: ContentOperation) -> String? {
        guard let keys, operation.kind != .remove else { return nil }
        func isUnknown(_ key: String) -> Bool {
            !keys.contains(Array(key.utf8)) && !names.contains { $0.isSame(as: key) }
        }
        let hasPaths = operation.kind == .update && JSONPatch.hasOperators(operation.json)
        return Self.members(of: operation.json).first { member in
            // A patch may remove an unaccepted key that an older document still has.
            guard operation.kind == .add || member.kind != .null else { return false }
            // The key of an operator may be a path that begins with a key of the document.
            let first = member.key.split(separator: ".", maxSplits: 1).first.map(String.init) ?? member.key
            return isUnknown(member.key) || hasPaths && member.kind == .object && isUnknown(first)
        }?.key
    }

    /// Returns a write with the maintained fields, based on any stored document; a removal may become an update.
    ///
    /// The client's own values for the fields are refused if they differ, unless the server replaces them.
    func kept(
        _ operation: ContentOperation,
        on stored: [UInt8]?,
        at now: Duration,
        replacesFields: Bool = false
    ) throws -> ContentOperation {
        guard needsStored(for: operation.kind) else { return operation }
        var document = operation.document
        if operation.kind == .update, let stored {
            // Operators and paths are resolved first, so that they can't change a maintained field.
            let json = JSONPatch.literal(try operation.resolved(on: stored))
            document = Document(id: document.id, json: json, routing: document.routing)
        }
        if replacesFields {
            document = Document(id: document.id, json: withoutFields(document.json), routing: document.routing)
        } else {
            try refuseFields(of: document.json, unlike: stored)
        }
        let fields = try fields(of: operation.kind, on: stored, at: now)
        guard operation.kind != .remove else {
            document = Document(id: document.id, json: fields, routing: document.routing)
            return .update(document)
        }
        let json = try JSONMerge.merged(base: document.json, patch: fields) ?? document.json
        document = Document(id: document.id, json: json, routing: document.routing)
        return operation.kind == .add ? .add(document) : .update(document)
    }

    /// Refuses maintained fields unless they have the stored values, as in a document that the client has read.
    private func refuseFields(of json: [UInt8], unlike stored: [UInt8]?) throws(ServiceProblem) {
        for member in Self.members(of: json) {
            guard let name = names.first(where: { $0.isSame(as: member.key) }) else { continue }
            if let stored, let old = Self.member(name, of: stored),
                JSONTokens.areEqual(stored, old.value, json, member.value)
            {
                continue
            }
            if name == deleted, json[member.value].elementsEqual("false".utf8) { continue }
            throw .invalid(
                name,
                "the server keeps this field, and its value is different",
                "leave it out, or send its current value"
            )
        }
    }

    /// Returns a document or patch without the maintained fields.
    func withoutFields(_ json: [UInt8]) -> [UInt8] {
        let members = Self.members(of: json)
        let own = members.filter { member in !names.contains { $0.isSame(as: member.key) } }
        guard own.count < members.count else { return json }
        return JSONWriter.object { object in
            for member in own { object.member(member.key, raw: Array(json[member.value])) }
        }
    }

    /// Returns the maintained fields that a write sets, as an object.
    private func fields(
        of kind: ContentOperation.Kind,
        on stored: [UInt8]?,
        at now: Duration
    ) throws(ServiceProblem) -> [UInt8] {
        let time = UTCTimestamp(since1970: now).description
        let number = try number(after: stored)
        return JSONWriter.object { object in
            if let created {
                if let stored {
                    // If a document's first write did not pass through the server, the time of that write is unknown.
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

extension ContentOperation {
    /// Returns the document that results from applying an update to the stored one.
    func merged(on stored: [UInt8]) throws(ServiceProblem) -> [UInt8] {
        do throws(JSONPatchError) {
            return try JSONPatch.merged(base: stored, patch: json) ?? stored
        } catch {
            throw .invalidPatch(error)
        }
    }

    /// Returns the keys that an update sets in the stored document, without operators.
    fileprivate func resolved(on stored: [UInt8]) throws(ServiceProblem) -> [UInt8] {
        do throws(JSONPatchError) {
            return try JSONPatch.resolved(json, on: stored)
        } catch {
            throw .invalidPatch(error)
        }
    }
}

extension ServiceProblem {
    /// Returns the problem of an update whose keys can't be merged into the document.
    fileprivate static func invalidPatch(_ error: JSONPatchError) -> ServiceProblem {
        ServiceProblem(.unprocessable, "invalidField", error.description)
    }
}

extension String {
    /// Returns whether two keys have the same bytes, because engines compare bytes.
    fileprivate func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

// MARK: - Batches

/// An engine that maintains the fields of a collection in the documents of a batch, and marks removed documents as
/// deleted if the collection uses soft deletions.
///
/// It reads the batch's documents, and writes each on the condition that it has not changed since; a document that has
/// changed is read again with the next batch. A batch is only as atomic as in the wrapped engine.
struct KeepingEngine: WrappingEngine {
    let base: any ContentEngine
    private let keeping: @Sendable () -> DocumentKeeping
    private let sent = UnsettledStandIns()

    /// Wraps `base`; the form of its documents is requested for each batch.
    init(_ base: any ContentEngine, keeping: @escaping @Sendable () -> DocumentKeeping) {
        (self.base, self.keeping) = (base, keeping)
    }

    func apply(_ batch: ContentBatch) async -> BatchReply {
        let keeping = keeping()
        let places = batch.items.indices.filter { keeping.needsStored(for: batch.items[$0].operation.kind) }
        guard !places.isEmpty else { return await base.apply(batch) }
        var verdicts = batch.items.map { OperationVerdict.send($0.operation) }
        do throws(EngineError) {
            guard let reader = base.versions else { throw .cannotKeepFields(in: collection) }
            let now = ProcessFacts.now
            try await reader.forEachVersion(at: places.map { batch.items[$0].operation.key }) { index, answer in
                verdicts[places[index]] = verdict(on: batch.items[places[index]], answer, keeping, at: now)
            }
        } catch {
            return .failed(BatchFailure(ofReading: error))
        }
        sent.note(verdicts, of: batch)
        let reply = await batch.applied(after: verdicts) { await base.apply($0) }
        sent.forget(settledBy: reply, of: batch)
        return reply
    }

    private func verdict(
        on item: ContentBatch.Item,
        _ answer: VersionAnswer,
        _ keeping: DocumentKeeping,
        at now: Duration
    ) -> OperationVerdict {
        let operation = item.operation
        if case .unreadable(let document) = answer {
            let reason = "the server can't keep fields in it, so it was not changed: \(document.failure.message)"
            return .settled(.failed(DocumentFailure(document.failure.code, reason)))
        }
        let current = answer.document
        if item.mayHaveApplied, let result = sent.result(of: item, on: current, in: capabilities) {
            return .settled(result)
        }
        if item.mayHaveApplied, operation.isCounting { return .settled(.failed(.perhapsCounted)) }
        let isDeleted = current.map { !keeping.living.admits($0.json.span) } ?? false
        if let failure = Self.conflict(of: operation, with: current, isDeleted: isDeleted) {
            return .settled(.failed(failure))
        }
        guard operation.kind == .add || current != nil && !isDeleted else { return .settled(.done(.missing)) }
        do {
            let kept = try keeping.kept(operation, on: current?.json, at: now, replacesFields: true)
            let condition = current.map { WriteCondition.unchanged($0.version) } ?? .absent
            let outcome: Outcome = operation.kind == .remove ? .removed : isDeleted ? .added : .updated
            return .replace(OperationStandIn(for: operation, kept.only(condition), updated: outcome))
        } catch let problem as ServiceProblem {
            return .settled(.failed(DocumentFailure(.rejectedByEngine, problem.message)))
        } catch {
            return .settled(.failed(DocumentFailure(.rejectedByEngine, "the document is not a JSON object: \(error)")))
        }
    }

    /// Returns the reason why the condition of an operation does not hold; a deleted document counts as absent.
    private static func conflict(
        of operation: ContentOperation,
        with current: VersionedDocument?,
        isDeleted: Bool
    ) -> DocumentFailure? {
        switch operation.condition {
        case nil: return nil
        case .absent: return current == nil || isDeleted ? nil : .alreadyExists
        case .unchanged(.neverWritten): return current == nil ? nil : .alreadyExists
        case .unchanged(let version):
            guard current?.version != version else { return nil }
            return .versionConflict(
                current.map { "the document has version \($0.version), not \(version)" } ?? "the document is gone"
            )
        case .olderThan, .contents:
            return DocumentFailure(
                .rejectedByEngine,
                "a collection in which the server keeps fields supports conditions only on the engine's own versions"
            )
        }
    }
}

/// The stand-ins whose result is unknown; if one of them took effect, it is recognized when it is sent again.
private final class UnsettledStandIns: Sendable {
    private let all = Mutex<[OperationID: OperationStandIn]>([:])

    func note(_ verdicts: [OperationVerdict], of batch: ContentBatch) {
        all.withLock { all in
            for (item, verdict) in zip(batch.items, verdicts) {
                if case .replace(let standIn) = verdict { all[item.id] = standIn }
            }
        }
    }

    func forget(settledBy reply: BatchReply, of batch: ContentBatch) {
        all.withLock { all in
            switch reply {
            case .results(let results) where results.count == batch.items.count:
                for (item, result) in zip(batch.items, results) {
                    if case .unknown = result { continue }
                    all[item.id] = nil
                }
            case .failed(let failure):
                switch failure.kind {
                case .ambiguous, .split(mayHaveApplied: true): break
                case .definite, .permanent, .split, .tooLarge, .slowDown, .stop:
                    for item in batch.items { all[item.id] = nil }
                }
            case .results: break
            }
        }
    }

    /// Returns the result of an operation if its stand-in has produced the present document; `nil` otherwise.
    func result(
        of item: ContentBatch.Item,
        on current: VersionedDocument?,
        in capabilities: EngineCapabilities
    ) -> OperationResult? {
        guard let standIn = all.withLock({ $0[item.id] }), standIn.original == item.operation,
            standIn.operation.leaves(current?.json, in: capabilities)
        else { return nil }
        return standIn.result(.done(standIn.operation.doneBefore))
    }
}

extension EngineError {
    /// Returns the error for an engine that can't make a write conditional on an unchanged document.
    static func cannotKeepFields(in collection: CollectionName) -> EngineError {
        EngineError(
            .unsupported,
            "the engine of '\(collection)' does not report the versions of documents, so the server can't keep fields in "
                + "them",
            advice: "remove kept-fields and soft-delete from the settings"
        )
    }
}

// MARK: - Keys

/// The top-level keys of documents that a client requests: `fields=title,body`.
struct KeySelection: Hashable, Sendable {
    private let names: [String]?

    /// Reads the parameter of a request; without the parameter, whole documents are returned.
    init(_ request: ServedRequest) throws(ServiceProblem) {
        let items = request.query.filter { $0.name == "fields" }
        let names = items.flatMap { $0.value.split(separator: ",").map(String.init) }
        guard items.isEmpty || !names.isEmpty else {
            throw .invalid("fields", "it names no key", "write fields=title,body, or leave it out")
        }
        self.names = items.isEmpty ? nil : names
    }

    /// Returns a document with only the selected keys, in the document's own order.
    func applied(to json: [UInt8]) throws(JSONError) -> [UInt8] {
        guard let names else { return json }
        let members = try JSONMembers(of: json.span).all
        return JSONWriter.object { object in
            for member in members where names.contains(where: { $0.isSame(as: member.key) }) {
                object.member(member.key, raw: Array(json[member.value]))
            }
        }
    }
}
