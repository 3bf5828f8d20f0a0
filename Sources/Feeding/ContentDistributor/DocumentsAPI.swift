import ContentFeeding
import Digests
import FeedJobs
import Files
import HTTPService
import Hooks
import JSONText
import TextKit

/// The requests that read, write and search for single documents, under the rules of their collection.
struct DocumentsAPI: Sendable {
    private let collections: OpenCollections
    private let target: OpenableTarget
    private let cursorKey: [UInt8]
    private let sorting = SharedCount()

    /// The number of documents on a page if the request does not specify a limit.
    private static let usualPage = 20
    /// The longest time that a write waits for the engine.
    private static let patience = Duration.seconds(10)

    init(_ collections: OpenCollections, _ target: OpenableTarget) {
        (self.collections, self.target) = (collections, target)
        var system = SystemRandomNumberGenerator()
        cursorKey = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &system) }
    }

    // MARK: Collections

    /// Returns the names of the target's collections.
    func names() async throws -> [String] { try await target.open().list().map(\.name.rawValue) }

    /// Responds with the capabilities of a collection's engine, and with the collection's size if the client requests
    /// it and may read all documents.
    func describe(
        _ request: ServedRequest,
        _ grant: AccessGrant,
        _ limits: DistributorLimits
    ) async throws -> ServedResponse {
        let asksForCount = try request.flag("count") ?? false
        // The collection is opened again, because it may have been deleted.
        let engine = try await target.open(target.collection(grant.collection.rawValue)).engine
        // An engine also counts deleted documents and other clients' documents.
        let isAll = (grant.readable?.isEmpty ?? false) && (grant.isAdmin || grant.keeping.living.isEmpty)
        let isCounted = isAll && asksForCount
        let count = isCounted ? try await engine.count() : nil
        let capabilities = engine.capabilities
        return .json { object in
            object.member("kind", "collection")
            object.member("collection", grant.collection.rawValue)
            object.member("documents", count)
            object.object("capabilities") { object in
                object.member("reportsMissing", capabilities.reportsMissing)
                object.member("keepsDocumentBytes", capabilities.keepsDocumentBytes)
                object.member("mayChangeIDKey", capabilities.mayChangeIDKey)
                object.member("keptKeys", capabilities.keptKeys + grant.keeping.names)
                object.member("takesRouting", capabilities.takesRouting)
                object.member("defaultRouting", capabilities.defaultRouting?.text)
                object.member("maximumIDBytes", capabilities.maximumIDBytes)
                object.member("readingLoss", capabilities.readingLoss)
                object.member("reportsVersions", engine.versions != nil)
                object.member("sorts", capabilities.sortsAndCounts && grant.allowsSorting)
                object.member("counts", capabilities.sortsAndCounts && grant.allowsCounting)
            }
            object.object("limits") { object in
                object.member("body", limits.body)
                object.member("batchOperations", limits.batchOperations)
            }
        }
    }

    // MARK: Reading

    static func append(_ documents: [StoredDocument], to array: inout JSONWriter, _ selection: KeySelection) throws {
        for document in documents {
            try array.object { object in
                object.member("id", document.id.text)
                object.member("routing", document.routing?.text)
                object.member("version", document.version)
                object.member("document", raw: try selection.applied(to: document.json))
            }
        }
    }

    static func append(_ documents: [UnreadableDocument], to array: inout JSONWriter) {
        for document in documents { append(document, to: &array) }
    }

    static func append(_ document: UnreadableDocument, to array: inout JSONWriter) {
        array.object { object in
            object.member("id", document.key.id.text)
            object.member("routing", document.key.routing?.text)
            object.member("bytes", document.bytes.hexadecimal)
            object.member("reason", document.reason)
        }
    }

    /// Responds with a document as it was fed, and with its version as the ETag.
    func get(_ request: ServedRequest, _ grant: AccessGrant) async throws -> ServedResponse {
        let shown = try Self.shown(to: request, grant)
        let selection = try KeySelection(request)
        let engine = try await collections.engine(named: grant.collection)
        guard let versions = engine.versions else {
            throw ServiceProblem.invalid("document", "this collection does not report versions", "use a search instead")
        }
        guard let document = try await Self.document(at: try key(of: request, grant.limits), in: versions),
            shown.admits(document.json.span)
        else { throw ServiceProblem.noDocument }
        let tag = Self.tag(of: document)
        let json = try await grant.hooks?.read(document.json) ?? document.json
        if request.headers["If-None-Match"] == tag {
            return ServedResponse(status: .notModified, headers: ["ETag": tag])
        }
        var response = ServedResponse.json(try selection.applied(to: json))
        response.headers["ETag"] = tag
        return response
    }

    /// Responds with a page of the documents that match.
    func find(_ request: ServedRequest, _ grant: AccessGrant) async throws -> ServedResponse {
        let shown = try Self.shown(to: request, grant)
        let wanted = try OrderAndFacets(request, grant)
        var query = try SearchQuery(request, shown)
        query.order = wanted.order
        // A rule can be applied only to documents that were read.
        let isOfIDs = try request.flag("documents") == false
        query.includesDocuments = !isOfIDs || !shown.isEmpty || grant.hooks?.applyToReading ?? false
        let selection = try KeySelection(request)
        let most = grant.limits.page
        guard let limit = request.queryValue("limit").map({ Int($0) }) ?? min(Self.usualPage, most),
            limit >= (wanted.facets.isEmpty ? 1 : 0), limit <= most
        else {
            throw ServiceProblem.invalid(
                "limit",
                "it is not a number from 1 to \(most)",
                "write limit=\(min(100, most))"
            )
        }
        var place = try request.queryValue("cursor").map { try self.place($0, of: query, grant) } ?? ResultPlace()
        let engine = try await collections.engine(named: grant.collection)
        let share = try wanted.share(of: sorting)
        defer { share?.giveBack() }
        let counts = try await wanted.counts(of: query, in: engine)
        var (documents, unreadable, isAtEnd): ([StoredDocument], [UnreadableDocument], Bool) = ([], [], false)
        var bytes = 0
        // The engine's page may be smaller than the client's, and may contain documents that the rule does not allow.
        while documents.count < limit, bytes < grant.limits.body, !isAtEnd {
            let page = try await engine.find(query, after: place.page)
            let rest = page.documents.dropFirst(place.skipped)
            var seen = 0
            for document in rest where documents.count < limit && bytes < grant.limits.body {
                seen += 1
                guard shown.admits(document.json.span) else { continue }
                guard let document = try await grant.shown(document) else { continue }
                documents.append(isOfIDs ? document.withoutContents : document)
                bytes += documents.last?.json.count ?? 0
            }
            if rest.count > seen {
                place.skipped += seen
            } else {
                unreadable += page.unreadable
                place = ResultPlace(page: page.next)
                isAtEnd = page.next == nil
            }
        }
        return try .json { object in
            try object.array("documents") { try Self.append(documents, to: &$0, selection) }
            object.member("unreadable", unreadable.count)
            // It is unknown whether a rule would allow the unreadable documents, or which parts a hook would hide.
            let areShown = shown.isEmpty && !(grant.hooks?.applyToReading ?? false)
            object.array("unreadableDocuments") { if areShown { Self.append(unreadable, to: &$0) } }
            object.member("next", isAtEnd ? nil : signed(place, of: query, grant))
            counts?.write(to: &object)
        }
    }

    /// Returns the fields that a document must have to be shown.
    static func shown(to request: ServedRequest, _ grant: AccessGrant) throws(ServiceProblem) -> DocumentFilter {
        var filter = grant.filter
        if try !asks(request, for: "deleted", "include", grant) { filter.fields += grant.keeping.living.fields }
        return filter
    }

    /// Returns whether a request includes an option that only administrators may use.
    private static func asks(
        _ request: ServedRequest,
        for name: String,
        _ value: String,
        _ grant: AccessGrant
    ) throws(ServiceProblem) -> Bool {
        guard let written = request.queryValue(name) else { return false }
        guard written == value else {
            throw .invalid(name, "'\(written)' is not a valid value", "write \(name)=\(value), or leave it out")
        }
        guard grant.isAdmin else { throw .notAllowed }
        return true
    }

    // MARK: Writing

    /// Adds or replaces a document, which is the body of the request.
    func put(_ request: ServedRequest, _ grant: AccessGrant) async throws -> ServedResponse {
        try await write(operation(.add, key(of: request, grant.limits), request, grant), request, grant)
    }

    /// Adds a document under a new ID.
    func post(_ request: ServedRequest, _ grant: AccessGrant) async throws -> ServedResponse {
        var system = SystemRandomNumberGenerator()
        let id = try DocumentID((grant.ownIDs ?? "") + JobID.random(using: &system).rawValue)
        let addition = try await operation(.add, DocumentKey(id, routing: request.routing), request, grant)
        var response = try await write(addition.only(.absent), request, grant)
        response.headers["Location"] = "\(request.path)/\(id.text)"
        return response
    }

    /// Merges the top-level keys of the body into a document.
    func patch(_ request: ServedRequest, _ grant: AccessGrant) async throws -> ServedResponse {
        try await write(operation(.update, key(of: request, grant.limits), request, grant), request, grant)
    }

    /// Removes a document, or marks it as deleted if the collection uses soft deletions; administrators may erase it.
    func delete(_ request: ServedRequest, _ grant: AccessGrant) async throws -> ServedResponse {
        var grant = grant
        if try Self.asks(request, for: "erase", "true", grant) { grant.keeping = DocumentKeeping() }
        return try await write(.remove(try key(of: request, grant.limits)), request, grant)
    }

    private func write(
        _ operation: ContentOperation,
        _ request: ServedRequest,
        _ grant: AccessGrant
    ) async throws -> ServedResponse {
        // This is checked before reading any document, so the response does not depend on the document's existence.
        guard grant.owns(operation.documentID) else {
            throw operation.kind == .add ? ServiceProblem.notAllowed : .noDocument
        }
        let engine = try await collections.engine(named: grant.collection)
        let hooks = grant.hooks.flatMap { $0.apply(to: operation) ? $0 : nil }
        if hooks == nil { _ = try grant.checked(operation) }
        let end = ContinuousClock.now.advanced(by: Self.patience)
        while true {
            let before = try await before(operation, request, grant, engine, hooks)
            var changed = operation
            if let hooks {
                changed = try grant.checked(await hooks.applied(to: operation, on: before.stored, as: before.verb))
            }
            var write = try grant.keeping.kept(changed, on: before.stored, at: ProcessFacts.now)
            if let condition = before.condition { write = write.only(condition) }
            let outcome = try await outcome(of: write, in: engine)
            switch outcome.outcome {
            case .added: return ServedResponse(status: .created)
            case .updated where before.isDeleted: return ServedResponse(status: .created)
            case .updated, .noop, .removed, .gone: return ServedResponse(status: .noContent)
            case .missing: throw ServiceProblem.noDocument
            default: break
            }
            let failure = outcome.issue?.failure
            if let failure, failure.isConflict {
                // Another write came first, so this one is repeated, unless the client's own condition forbids that.
                guard operation.condition == nil, ContinuousClock.now < end else {
                    throw ServiceProblem.conflict(failure.message)
                }
                // This pause keeps clients that write the same document from colliding again immediately.
                try await Task.sleep(for: .milliseconds(Int.random(in: 1...20)))
                continue
            }
            throw ServiceProblem(
                ResponseStatus(422),
                failure?.code.rawValue ?? outcome.outcome.name,
                failure?.description(of: operation.documentID, in: engine.collection) ?? "the document was not written"
            )
        }
    }

    /// The state of a document before a write.
    private struct StateBefore {
        /// The state in which the document must be when the write arrives; `nil` for any state.
        var condition: WriteCondition?
        /// The document, if it had to be read.
        var stored: [UInt8]?
        /// Whether the document is hidden from clients, because it was deleted.
        var isDeleted = false
        /// The action, if a whole document is written.
        var verb = HookVerb.write
    }

    /// Returns the state in which the document must be: the state that the client specified, that its rule was applied
    /// to, and on which the maintained fields are based.
    ///
    /// A rule about documents also applies to the stored document, which is read first and must not have changed when
    /// the write arrives.
    private func before(
        _ operation: ContentOperation,
        _ request: ServedRequest,
        _ grant: AccessGrant,
        _ engine: any CollectionEngine,
        _ hooks: CollectionHooks?
    ) async throws -> StateBefore {
        let (match, none) = (request.headers["If-Match"], request.headers["If-None-Match"])
        if operation.condition != nil { return StateBefore(condition: operation.condition, verb: .insert) }
        let keeping = grant.keeping
        let isHooked = hooks?.needStored(for: operation) ?? false
        let isConditional = match != nil || none != nil || !grant.filter.isEmpty || isHooked
        guard isConditional || keeping.needsStored(for: operation.kind) else { return StateBefore() }
        guard let versions = engine.versions else {
            if isHooked {
                throw ServiceProblem.invalid(
                    "document",
                    "this collection does not report versions, so its hooks can't examine stored documents",
                    "remove these hooks from the settings"
                )
            }
            if isConditional {
                throw ServiceProblem.invalid("If-Match", "this collection does not report versions", "leave it out")
            }
            throw ServiceProblem.invalid(
                "document",
                "this collection does not report versions, so the server can't keep fields in it",
                "remove kept-fields and soft-delete from the settings"
            )
        }
        let current = try await Self.document(at: operation.key, in: versions)
        let isAdmitted = current.map { grant.filter.admits($0.json.span) } ?? false
        let isDeleted = current.map { !keeping.living.admits($0.json.span) } ?? false
        let visible = isAdmitted && !isDeleted ? current : nil
        guard operation.kind == .add || visible != nil else { throw ServiceProblem.noDocument }
        // The ID of another client's document is not allowed either.
        guard isAdmitted || current == nil else { throw ServiceProblem.notAllowed }
        if none == "*", visible != nil { throw try await ServiceProblem.precondition(visible, grant) }
        if let match, match != visible.map(Self.tag) { throw try await ServiceProblem.precondition(visible, grant) }
        // Hooks produce a whole document, which is checked itself.
        if operation.kind == .update, let current, !grant.filter.isEmpty, !isHooked {
            try grant.refuse(try operation.merged(on: current.json))
        }
        let condition = current.map { WriteCondition.unchanged($0.version) } ?? .absent
        let verb = visible == nil ? HookVerb.insert : .update
        return StateBefore(condition: condition, stored: current?.json, isDeleted: isDeleted, verb: verb)
    }

    private func outcome(
        of operation: ContentOperation,
        in engine: any CollectionEngine
    ) async throws -> OperationOutcome {
        var options = FeedOptions()
        options.configuration.linger = .zero
        options.configuration.giveUpAfter = Self.patience
        options.configuration.deadline = Self.patience
        let feed = OperationFeed(engine: engine, options: options)
        let chunks = AsyncStream<OperationChunk> { continuation in
            continuation.yield(OperationChunk(operations: [operation]))
            continuation.finish()
        }
        var found: OperationOutcome?
        let result = await feed.run(chunks) { event, _ in
            if case .settled(let outcomes) = event { found = outcomes.first }
        }
        if let found { return found }
        let reason = if case .stopped(let reason)? = result.report.end { reason.words } else { "there was no answer" }
        throw ServiceProblem.unavailable("the engine could not confirm the write: \(reason)")
    }

    // MARK: Keys, bodies and cursors

    private func key(of request: ServedRequest, _ limits: DistributorLimits) throws -> DocumentKey {
        do {
            let id = try DocumentID(try request.parameter("document"))
            guard id.text.utf8.count <= limits.idBytes else {
                throw ServiceProblem.invalid(
                    "document",
                    "the ID has more than \(limits.idBytes) bytes",
                    "use a shorter one"
                )
            }
            return DocumentKey(id, routing: try request.routing)
        } catch let error as ServiceProblem {
            throw error
        } catch {
            throw ServiceProblem.invalid("document", "\(error)", "use an ID of at most \(limits.idBytes) bytes")
        }
    }

    /// Returns the addition or the update whose document is the body of a request.
    private func operation(
        _ kind: ContentOperation.Kind,
        _ key: DocumentKey,
        _ request: ServedRequest,
        _ grant: AccessGrant
    ) async throws -> ContentOperation {
        let bytes = try await request.body.collect(upTo: Document.maximumByteCount)
        do throws(JSONError) {
            var scanner = JSONScanner(bytes.span, maximumDepth: grant.limits.depth)
            _ = try scanner.skipValue()
            try scanner.end()
            var again = JSONScanner(bytes.span)
            try again.enterObject()
        } catch {
            let (line, column) = Self.place(of: error.offset, in: bytes)
            let reason = "line \(line), column \(column): \(error.message)"
            throw ServiceProblem(.badRequest, "notJSON", reason, advice: "send one JSON object")
        }
        do throws(MisplacedOperator) {
            return try ContentOperation(kind, written: Document(id: key.id, json: bytes, routing: key.routing))
        } catch {
            let envelope = #"feed this in a session: {"schema":"fastctl.document/1","id":"ID","document":{…}}"#
            let way = kind == .update ? #"write {"KEY":{"$set":VALUE}}"# : envelope
            let advice = "to store it as data, \(way)"
            throw ServiceProblem(.badRequest, "misplacedOperator", "the body \(error.reason)", advice: advice)
        }
    }

    static func place(of offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
        let before = bytes.prefix(offset)
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return (line, offset - start + 1)
    }

    private static func document(
        at key: DocumentKey,
        in engine: any VersionedEngine
    ) async throws -> VersionedDocument? {
        switch try await engine.versions(at: [key])[0] {
        case .found(let document): return document
        case .absent: return nil
        case .unreadable(let document):
            throw ServiceProblem(
                .unprocessable,
                "unreadable",
                document.failure.message,
                advice: "write the document again as JSON, or remove it"
            )
        }
    }

    private static func tag(of document: VersionedDocument) -> String { "\"\(document.version)\"" }

    /// A position in the results of a search: a page from the engine, and the documents on it that were already shown.
    private struct ResultPlace {
        var page: SearchCursor?
        var skipped = 0
    }

    /// Returns a position in the form that the client receives, valid only for the same query by the same client.
    private func signed(_ place: ResultPlace, of query: SearchQuery, _ grant: AccessGrant) -> String {
        let raw = Array("\(place.skipped):\(place.page?.rawValue ?? "")".utf8)
        return (signature(of: raw, query, grant) + raw).hexadecimal
    }

    private func place(
        _ text: String,
        of query: SearchQuery,
        _ grant: AccessGrant
    ) throws(ServiceProblem) -> ResultPlace {
        let bytes = [UInt8](hexadecimal: text) ?? []
        let raw = Array(bytes.dropFirst(Self.signatureBytes))
        let parts = String(decoding: raw, as: UTF8.self).split(
            separator: ":",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        guard Array(bytes.prefix(Self.signatureBytes)) == signature(of: raw, query, grant), parts.count == 2,
            let skipped = Int(parts[0])
        else {
            throw .invalid("cursor", "it comes from a different query", "use the cursor of the previous page, or none")
        }
        return ResultPlace(page: parts[1].isEmpty ? nil : SearchCursor(rawValue: String(parts[1])), skipped: skipped)
    }

    private static let signatureBytes = 16

    private func signature(of raw: [UInt8], _ query: SearchQuery, _ grant: AccessGrant) -> [UInt8] {
        var function = HMACSHA256(key: cursorKey)
        let parts =
            [grant.collection.rawValue, grant.principal, query.expression ?? ""] + query.words
            + query.phrases.flatMap { ["phrase", $0] } + query.fields.flatMap { [$0.name, $0.value] }
            + query.order.flatMap { [$0.isDescending ? "descending" : "ascending", $0.name] }
        let text = parts.flatMap { Array("\($0.utf8.count):\($0)".utf8) }
        return Array(function.digest(of: text + raw).bytes.prefix(Self.signatureBytes))
    }
}

extension StoredDocument {
    /// The document in the form of a search result without contents.
    fileprivate var withoutContents: StoredDocument {
        StoredDocument(id: id, version: version, routing: routing, json: Array("{}".utf8))
    }
}

// MARK: Problems

extension [UInt8] {
    /// Returns whether the bytes, which are empty or JSON, are nested no deeper than the given depth.
    func isNested(upTo depth: Int) -> Bool {
        guard depth < JSONScanner.maximumDepth, !isEmpty else { return true }
        var scanner = JSONScanner(span, maximumDepth: depth)
        return (try? scanner.skipValue()) != nil
    }
}

extension ServedRequest {
    /// Returns a parameter that is `true` or `false`; `nil` if it was omitted.
    func flag(_ name: String) throws(ServiceProblem) -> Bool? {
        try choice(name, of: ["true", "false"]).map { $0 == "true" }
    }

    /// The document's routing value; `nil` if it was omitted.
    var routing: Routing? {
        get throws(ServiceProblem) {
            guard let text = queryValue("routing") else { return nil }
            guard let routing = Routing(text) else {
                throw .invalid("routing", "it is empty, or too long", "write routing=VALUE, or leave it out")
            }
            return routing
        }
    }

    /// Returns a parameter that must be one of the given words; `nil` if it was omitted.
    func choice(_ name: String, of words: [String]) throws(ServiceProblem) -> String? {
        guard let value = queryValue(name) else { return nil }
        guard words.contains(value) else {
            let list = words.map { "\(name)=\($0)" }.joined(separator: " or ")
            throw .invalid(name, "'\(value)' is not a valid value", "write \(list), or leave it out")
        }
        return value
    }
}

extension ResponseStatus {
    static let notModified = ResponseStatus(304)
    static let preconditionFailed = ResponseStatus(412)
    static let unprocessable = ResponseStatus(422)
}

extension ServiceProblem {
    /// The problem of a document that does not exist, or that this client may not see.
    static let noDocument = ServiceProblem(.notFound, "noDocument", "there is no such document")
    /// The refusal of a write that the collection's rule does not allow.
    static let notAllowed = ServiceProblem(
        .forbidden,
        "notAllowed",
        "the collection's rule does not allow this",
        advice: "request a token with more rights"
    )

    static func conflict(_ message: String?) -> ServiceProblem {
        ServiceProblem(
            .preconditionFailed,
            "changed",
            message ?? "the document has changed",
            advice: "read it again, and send the change with its ETag"
        )
    }

    /// Returns the response for a condition that does not hold, with the document's version, and with the document if
    /// the client may read it.
    static func precondition(_ current: VersionedDocument?, _ grant: AccessGrant) async throws -> ServiceProblem {
        var problem = ServiceProblem(
            .preconditionFailed,
            "changed",
            current == nil ? "the document does not exist" : "the document has a different version",
            advice: "read it again, and send the change with its ETag"
        )
        if let current {
            problem.headers["ETag"] = "\"\(current.version)\""
            if grant.readable?.admits(current.json.span) ?? false {
                problem.current = current.json
                if let hooks = grant.hooks { problem.current = try await hooks.shown(current.json) }
            }
        }
        return problem
    }

    static func invalid(_ field: String, _ reason: String, _ advice: String) -> ServiceProblem {
        var problem = ServiceProblem(.unprocessable, "invalidField", "\(field): \(reason)", advice: advice)
        problem.field = field
        return problem
    }

    static func unavailable(_ message: String) -> ServiceProblem {
        ServiceProblem(.serviceUnavailable, "unavailable", message, advice: "try again", headers: ["Retry-After": "5"])
    }
}
