import ContentFeeding
import FeedFormats
import HTTPService
import Hooks
import JSONText
import ServerSecurity
import TextKit

/// The hooks of a collection, for one request.
///
/// Hooks see a document as it will be after the write: a patch is first merged into the stored document. The
/// collection's rules, maintained fields and allowed keys are applied to the result of the hooks, so hooks can't bypass
/// them.
struct CollectionHooks: Sendable {
    let hooks: DocumentHooks
    let facts: HookFacts
    let programs: HookPrograms
    /// The maximum nesting depth of documents.
    let depth: Int

    /// Whether the hooks may change or refuse what clients read.
    var applyToReading: Bool { hooks.apply(to: .read) }

    /// Returns whether hooks apply to an operation.
    func apply(to operation: ContentOperation) -> Bool {
        switch operation.kind {
        case .add: hooks.apply(to: .write)
        case .update: hooks.apply(to: .update)
        case .remove: hooks.apply(to: .delete)
        }
    }

    /// Returns whether the result for an operation depends on the stored document or its existence.
    func needStored(for operation: ContentOperation) -> Bool {
        switch operation.kind {
        case .add: hooks.distinguishesInserts
        case .update: hooks.apply(to: .update)
        case .remove: hooks.needDocument(for: .delete)
        }
    }

    // MARK: Writing

    /// Returns an operation after the hooks have been applied, in which a patch becomes a whole document.
    ///
    /// The stored document is `nil` if it does not exist, or if ``needStored(for:)`` is false.
    func applied(
        to operation: ContentOperation,
        on stored: [UInt8]?,
        as verb: HookVerb
    ) async throws -> ContentOperation {
        let before = operation.document
        switch operation.kind {
        case .remove:
            _ = try await run(.delete, stored ?? Array("{}".utf8))
            return operation
        case .update:
            guard hooks.apply(to: .update), let stored else { return operation }
            let merged = try operation.merged(on: stored)
            let document = Document(id: before.id, json: try await run(.update, merged), routing: before.routing)
            let write = ContentOperation.add(document)
            return operation.condition.map { write.only($0) } ?? write
        case .add:
            let json = try await run(verb, before.json)
            guard json != before.json else { return operation }
            let write = ContentOperation.add(Document(id: before.id, json: json, routing: before.routing))
            return operation.condition.map { write.only($0) } ?? write
        }
    }

    private func run(_ verb: HookVerb, _ json: [UInt8]) async throws -> [UInt8] {
        do {
            let result = try await hooks.applied(for: verb, to: json, facts, programs)
            guard result != json else { return json }
            guard result.count <= Document.maximumByteCount, result.isNested(upTo: depth) else {
                throw ServiceProblem(
                    .unprocessable,
                    "tooLarge",
                    "with the fields that the server adds, the document is too large or nested too deeply",
                    advice: "send a smaller document"
                )
            }
            return result
        } catch let refusal as HookRefusal {
            throw ServiceProblem(of: refusal)
        }
    }

    // MARK: Reading

    /// Returns a document in the form that clients may see; throws if a program refuses to show it.
    func read(_ json: [UInt8]) async throws -> [UInt8] {
        guard applyToReading else { return json }
        return try await run(.read, json)
    }

    /// Returns a document in a list in the form that clients may see; `nil` if a program refuses to show it.
    func shown(_ json: [UInt8]) async throws -> [UInt8]? {
        guard applyToReading else { return json }
        do {
            return try await hooks.applied(for: .read, to: json, facts, programs)
        } catch is HookRefusal {
            return nil
        }
    }

    func shown(_ document: StoredDocument) async throws -> StoredDocument? {
        guard let json = try await shown(document.json) else { return nil }
        return StoredDocument(id: document.id, version: document.version, routing: document.routing, json: json)
    }

    func shown(_ documents: [StoredDocument]) async throws -> [StoredDocument] {
        var all: [StoredDocument] = []
        for document in documents {
            if let document = try await shown(document) { all.append(document) }
        }
        return all
    }

    /// Returns answers without the documents that must not be shown.
    ///
    /// Unreadable documents are among those, because a hook can't change their bytes.
    func shown(_ answers: [VersionAnswer]) async throws -> [VersionAnswer] {
        guard applyToReading else { return answers }
        var all: [VersionAnswer] = []
        all.reserveCapacity(answers.count)
        for answer in answers {
            guard var document = answer.document, let json = try await shown(document.json) else {
                all.append(.absent)
                continue
            }
            document.json = json
            all.append(.found(document))
        }
        return all
    }

    // MARK: Batches

    /// Returns the operations of a batch after the hooks have been applied; a refused line refuses the whole batch.
    ///
    /// If the hooks of an operation depend on the stored document, the operation must specify the document's version,
    /// and is performed only on that version. If the stored version is different, the operation gets a condition that
    /// never holds, and its hooks do not run.
    func applied(
        to text: OperationText,
        _ grant: AccessGrant,
        in engine: () throws -> any VersionedEngine
    ) async throws -> [ContentOperation] {
        var rejections: [InputRejection] = []
        var operations = text.operations
        func reject(_ index: Int, _ reason: String) {
            rejections.append(InputRejection(source: "batch", line: text.lines[index], reason: reason))
        }
        let places = operations.indices.filter { needsVersion(operations[$0]) }
        for place in places where operations[place].condition == nil {
            reject(place, "the collection's hooks examine the stored document, and 'onVersion' is missing")
        }
        guard rejections.isEmpty else { throw ServiceProblem.rejected(rejections, count: rejections.count) }
        let stored = places.isEmpty ? [:] : try await stored(places, of: operations, grant, in: engine())
        for (index, operation) in text.operations.enumerated() where apply(to: operation) {
            guard !needsVersion(operation) || stored[index] != nil else {
                operations[index] = operation.only(.unchanged(.unknown))
                continue
            }
            do {
                operations[index] = try await applied(to: operation, on: stored[index], as: Self.verb(of: operation))
            } catch let problem as ServiceProblem {
                // A program's message does not necessarily name the field.
                let isNamed = problem.field.map { problem.message.contains("'\($0)'") } ?? true
                reject(index, (isNamed ? "" : "\(problem.field ?? ""): ") + problem.message)
                continue
            }
            if let key = grant.keeping.unknownKey(in: operations[index]) {
                reject(index, "the collection does not accept the key '\(key)'")
            }
        }
        guard rejections.isEmpty else { throw ServiceProblem.rejected(rejections, count: rejections.count) }
        return operations
    }

    private func needsVersion(_ operation: ContentOperation) -> Bool {
        operation.kind != .add && needStored(for: operation)
    }

    /// The action of a line with a whole document.
    private static func verb(of operation: ContentOperation) -> HookVerb {
        switch operation.condition {
        case .absent?: .insert
        case .unchanged?: .update
        default: .write
        }
    }

    /// Returns the stored documents whose version matches the condition of their operation, by the operation's index.
    private func stored(
        _ places: [Int],
        of operations: [ContentOperation],
        _ grant: AccessGrant,
        in engine: any VersionedEngine
    ) async throws -> [Int: [UInt8]] {
        var (stored, bytes) = ([Int: [UInt8]](), 0)
        let limit = 4 * grant.limits.body
        try await engine.forEachVersion(at: places.map { operations[$0].key }) { index, answer in
            guard let document = answer.document,
                operations[places[index]].condition == .unchanged(document.version),
                grant.filter.admits(document.json.span)
            else { return }
            bytes += document.json.count
            if bytes <= limit { stored[places[index]] = document.json }
        }
        guard bytes <= limit else {
            throw ServiceProblem(
                .contentTooLarge,
                "batchTooLarge",
                "the stored documents of the batch have \(bytes) bytes in total, more than \(limit)",
                advice: "send smaller batches"
            )
        }
        return stored
    }
}

extension AccessGrant {
    /// Returns a document in the form that the hooks show; `nil` if they hide it.
    func shown(_ document: StoredDocument) async throws -> StoredDocument? {
        guard let hooks, hooks.applyToReading else { return document }
        return try await hooks.shown(document)
    }

    /// Returns an operation after checking it against the collection's rule and allowed keys.
    func checked(_ operation: ContentOperation) throws(ServiceProblem) -> ContentOperation {
        if let key = keeping.unknownKey(in: operation) {
            throw ServiceProblem.invalid(key, "the collection does not accept this key", "leave it out")
        }
        if operation.kind == .add { try refuse(operation.json) }
        return operation
    }
}

extension HookFacts {
    /// Creates the facts about a request; for an endpoint, there is no collection.
    init(_ request: ServedRequest, _ token: AccessToken?, collection: String = "", address: String, at now: Duration) {
        var user: [String: Value]?
        if let token {
            var values = token.claims.mapValues { claim -> Value in
                switch claim {
                case .text(let text): .text(text)
                case .list(let texts): .list(texts)
                }
            }
            if values["name"] == nil { values["name"] = .text(token.name) }
            // A claim must never make a user an administrator.
            values["role"] = .text(token.role.rawValue)
            user = values
        }
        self.init(
            collection: collection,
            user: user,
            request: [
                "address": .text(address),
                "id": .text(request.id),
                "method": .text(request.method.rawValue),
                "path": .text(request.path),
                "time": .text(UTCTimestamp(since1970: now).description),
            ]
        )
    }
}

extension ServiceProblem {
    /// Creates the response of a hook that refuses an action.
    init(of refusal: HookRefusal) {
        self.init(ResponseStatus(refusal.status), "refused", refusal.message)
        field = refusal.field
    }

    /// The error code in the response to a request for which a program failed.
    static let hookFailed = "hookFailed"

    /// Creates the response to a request for which a program failed.
    init(of failure: HookFailure) {
        if failure.isBusy {
            self = .unavailable("a program of this server is busy")
        } else {
            self.init(
                .internalServerError,
                Self.hookFailed,
                "a program of this server failed, and nothing was done",
                advice: "look for the request ID in the server's log"
            )
        }
    }
}
