import ContentFeeding
import Digests
import FeedFormats
import HTTPService
import JSONText
import TextKit

/// The requests for many documents of a collection at once, under the collection's rules: documents are looked up by
/// their keys, or listed in the order of the engine's history.
///
/// Responses are the engine's own, but without the documents that the client may not read, as if these did not exist.
struct ListingAPI: Sendable {
    private let collections: OpenCollections
    private let contentsKey: [UInt8]

    /// The number of keys whose versions are read from the engine at once: the initial number, and the maximum while
    /// documents are small.
    private static let (firstKeys, mostKeys) = (32, 1_000)
    /// The number of bytes in documents above which fewer keys are read at once.
    private static let pageBytes = 4 << 20

    init(_ collections: OpenCollections) {
        self.collections = collections
        var system = SystemRandomNumberGenerator()
        contentsKey = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &system) }
    }

    private func versioned(_ engine: any CollectionEngine) throws(ServiceProblem) -> any VersionedEngine {
        guard let versions = engine.versions else {
            throw ServiceProblem(
                .unprocessable,
                EngineError.Code.unsupported.description,
                "the engine of '\(engine.collection)' does not report the versions of documents",
                advice: "use only requests that work without versions"
            )
        }
        return versions
    }

    // MARK: Lookups

    /// Responds with the documents of the first keys in the request, and with the existence of each document.
    func lookUp(_ request: ServedRequest, _ grant: AccessGrant) async throws -> ServedResponse {
        let asksForVersions = try request.flag("versions") ?? false
        let extent = try request.choice("documents", of: ["true", "false", "whole"])
        let body = try await request.body.collect(upTo: grant.limits.body)
        let text = OperationText(keys: body.span, source: "lookup", limits: InputLimits())
        guard text.rejected == 0 else { throw ServiceProblem.rejected(text.rejections, count: text.rejected) }
        guard let bytes = Int(request.queryValue("bytes") ?? "\(grant.limits.body)"), bytes >= 0 else {
            throw ServiceProblem.invalid("bytes", "it is not a number of bytes", "write bytes=1000000")
        }
        let keys = text.operations.map(\.key)
        let limit = min(bytes, grant.limits.body)
        let shown = try DocumentsAPI.shown(to: request, grant)
        let engine = try await collections.engine(named: grant.collection)
        if asksForVersions {
            let answers = try await versions(at: keys, upTo: limit, shown, in: try versioned(engine))
            return .json(Self.object(of: try await grant.hooks?.shown(answers) ?? answers))
        }
        var page = LookupPage(documents: [], answers: [])
        let hooks = grant.hooks.flatMap { $0.applyToReading ? $0 : nil }
        if extent == "false", shown.isEmpty, hooks == nil {
            page.answers = try await engine.exists(at: keys)
        } else if !keys.isEmpty {
            page =
                extent == "whole"
                ? try await engine.copies(at: keys[...], maximumBytes: limit)
                : try await engine.get(at: keys[...], maximumBytes: limit)
            if !shown.isEmpty { page = page.only(page.documents.filter { shown.admits($0.json.span) }, keys) }
            if let hooks { page = page.only(try await hooks.shown(page.documents), keys) }
        }
        let reservation = await engine.lookupReservation()
        let selection = try KeySelection(request)
        return try .json { object in
            try object.array("documents") { try DocumentsAPI.append(page.documents, to: &$0, selection) }
            object.array("unreadable") { DocumentsAPI.append(page.unreadable, to: &$0) }
            object.member("answers", page.answers)
            object.member("reservation", reservation)
        }
    }

    /// Returns an answer for each of the first keys, up to a total of about `limit` bytes of documents.
    private func versions(
        at keys: [DocumentKey],
        upTo limit: Int,
        _ shown: DocumentFilter,
        in engine: any VersionedEngine
    ) async throws -> [VersionAnswer] {
        var answers: [VersionAnswer] = []
        var (count, bytes) = (Self.firstKeys, 0)
        while answers.count < keys.count, answers.isEmpty || bytes < limit {
            let page = Array(keys[answers.count..<min(answers.count + count, keys.count)])
            let found = try await engine.allVersions(at: page)
            let size = found.reduce(0) { $0 + $1.byteCount }
            count = size > Self.pageBytes ? max(1, count / 2) : min(2 * count, Self.mostKeys)
            bytes += size
            answers += found.map { $0.admitted(by: shown) }
        }
        return answers
    }

    // MARK: History

    /// Responds with the latest position in the history of each part of the collection, and with the number of matching
    /// documents if the client requests it and the engine can count them.
    func state(_ request: ServedRequest, _ grant: AccessGrant) async throws -> ServedResponse {
        let shown = try DocumentsAPI.shown(to: request, grant)
        let query = try SearchQuery(request, shown)
        let (isSettled, asksForCount) = (try request.flag("settle") ?? false, try request.flag("count") ?? false)
        let engine = try versioned(await collections.engine(named: grant.collection))
        if isSettled { try await engine.settle() }
        var state = try await engine.state()
        // The fingerprint of the contents may include the number of documents, but the number of other clients'
        // documents must not be revealed.
        if !shown.isEmpty, let contents = state.contents {
            var function = HMACSHA256(key: contentsKey)
            let text = "\(grant.collection.rawValue.utf8.count):\(grant.collection.rawValue)\(contents)"
            state.contents = function.digest(of: Array(text.utf8)).bytes.hexadecimal
        }
        // An engine counts all results of its query, but a rule may exclude some of them.
        let isCounted = shown.isEmpty && asksForCount
        let count = isCounted ? try await engine.count(of: query) : nil
        return .json { object in
            object.member("kind", "state")
            object.member("identity", state.identity)
            object.member("contents", state.contents)
            object.member("count", count)
            object.array("parts") { parts in
                for part in state.parts { Self.append(part, to: &parts) }
            }
        }
    }

    private static func append(_ part: CollectionPart, to array: inout JSONWriter) {
        array.object { object in
            object.member("name", part.name)
            object.member("history", part.history)
            object.member("last", part.last)
            object.member("readable", part.readable)
            object.member("settled", part.settled == .max ? nil : part.settled)
            object.array("stretches") { stretches in
                for stretch in part.stretches {
                    stretches.object { object in
                        object.member("name", stretch.name)
                        object.member("start", stretch.start)
                    }
                }
            }
        }
    }

    /// Responds with the next documents written after a position in the history of a part: one page of the engine.
    func changes(_ request: ServedRequest, _ grant: AccessGrant) async throws -> ServedResponse {
        let shown = try DocumentsAPI.shown(to: request, grant)
        let query = try SearchQuery(request, shown)
        guard let name = request.queryValue("part"), !name.isEmpty else {
            throw ServiceProblem.invalid("part", "it is missing", "write the name of one of the parts in 'state'")
        }
        let through = try Self.place("through", of: request)
        let place = try Self.place("after", of: request)
        let part = CollectionPart(name: name, history: "", last: through, readable: through)
        let engine = try versioned(await collections.engine(named: grant.collection))
        let page = try await engine.changes(of: query, in: part, after: place)
        let answers =
            page.documents.map { VersionAnswer.found($0).admitted(by: shown) }
            + page.unreadable.map { VersionAnswer.unreadable($0).admitted(by: shown) }
        let seen = try await grant.hooks?.shown(answers) ?? answers
        return .json(Self.object(of: seen.filter { $0 != .absent }, page))
    }

    private static func place(_ name: String, of request: ServedRequest) throws(ServiceProblem) -> Int64 {
        guard let place = request.queryValue(name).flatMap({ Int64($0) }), place >= CollectionPart.beginning else {
            throw .invalid(name, "it is not a position in a history", "write a number from \(CollectionPart.beginning)")
        }
        return place
    }

    /// Returns an object with a member for each answer, which is `null` if there is no document.
    private static func object(of answers: [VersionAnswer], _ page: ChangePage? = nil) -> [UInt8] {
        JSONWriter.object { object in
            object.array("versions") { array in
                for answer in answers {
                    switch answer {
                    case .absent: array.null()
                    case .unreadable(let document): DocumentsAPI.append(document, to: &array)
                    case .found(let document):
                        array.object { object in
                            object.member("id", document.id.text)
                            object.member("routing", document.routing?.text)
                            object.member("version", document.version.rawValue)
                            object.member("number", document.number)
                            object.member("document", raw: document.json)
                        }
                    }
                }
            }
            if let page {
                object.member("place", page.place)
                object.member("isLast", page.isLast)
            }
        }
    }

    // MARK: Batches under hooks and a rule

    /// Returns the operations of a batch after applying the collection's hooks and checking the client's rule.
    func examined(_ text: OperationText, _ grant: AccessGrant) async throws -> [ContentOperation] {
        guard let hooks = grant.hooks, text.operations.contains(where: hooks.apply) else {
            return try await examined(text.operations, grant)
        }
        let engine = try await collections.engine(named: grant.collection)
        return try await examined(try await hooks.applied(to: text, grant) { try versioned(engine) }, grant)
    }

    /// Returns the operations of a batch in the form allowed for a client whose rule depends on documents' contents.
    ///
    /// Each operation must have a condition, so that it applies only to the state of the document that is checked now.
    /// An operation on a different state, or on another client's document, gets a condition that never holds.
    func examined(_ operations: [ContentOperation], _ grant: AccessGrant) async throws -> [ContentOperation] {
        guard !grant.filter.isEmpty else { return operations }
        guard operations.allSatisfy({ grant.owns($0.documentID) }) else { throw ServiceProblem.notAllowed }
        guard operations.allSatisfy({ $0.condition != nil }) else { throw ServiceProblem.unconditional }
        for operation in operations where operation.kind == .add { try grant.refuse(operation.json) }
        let engine = try versioned(await collections.engine(named: grant.collection))
        var examined = operations
        // The ID of a deleted document is available only to its owner.
        let places = operations.indices.filter { place in
            operations[place].condition != .absent || operations[place].kind != .add || grant.keeping.deleted != nil
        }
        var problem: ServiceProblem?
        try await engine.forEachVersion(at: places.map { operations[$0].key }) { index, answer in
            let operation = operations[places[index]]
            if operation.condition == .absent, operation.kind == .add {
                examined[places[index]] = operation.only(grant.condition(ofAddingOver: answer))
                return
            }
            guard let document = answer.document, operation.condition == .unchanged(document.version),
                grant.filter.admits(document.json.span)
            else {
                examined[places[index]] = operation.only(.unchanged(.unknown))
                return
            }
            guard operation.kind == .update else { return }
            do {
                try grant.refuse(try operation.merged(on: document.json))
            } catch let refusal as ServiceProblem {
                problem = refusal
            } catch {
                problem = .notAllowed
            }
        }
        if let problem { throw problem }
        return examined
    }
}

extension AccessGrant {
    /// Returns the condition under which a client whose rule depends on documents' contents may add a document with an
    /// ID that must be available.
    fileprivate func condition(ofAddingOver answer: VersionAnswer) -> WriteCondition {
        guard let document = answer.document, !keeping.living.admits(document.json.span),
            filter.admits(document.json.span)
        else { return .unchanged(.neverWritten) }
        return .unchanged(document.version)
    }
}

extension SearchQuery {
    /// Reads the query of a request about documents, with the fields that documents must have to be shown.
    ///
    /// The rule's fields and the field that marks deletions are conditions of the query itself, so pages are full.
    init(_ request: ServedRequest, _ shown: DocumentFilter) throws(ServiceProblem) {
        self.init()
        expression = request.queryValue("query")
        for item in request.query where item.name == "words" {
            words += item.value.split(separator: " ").map(String.init)
        }
        words += request.query.filter { $0.name == "word" }.map(\.value)
        phrases = request.query.filter { $0.name == "phrase" }.map(\.value)
        for item in request.query where item.name == "where" {
            let parts = item.value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw .invalid("where", "it is not NAME=VALUE", "write where=status=stale")
            }
            fields.append(.init(name: String(parts[0]), value: String(parts[1])))
        }
        fields += shown.fields.map { .init(name: $0.field, value: $0.value) }
    }
}

extension VersionAnswer {
    /// Returns the answer for a client that may see only some documents, which does not reveal whether an unreadable
    /// document is one of them.
    fileprivate func admitted(by filter: DocumentFilter) -> VersionAnswer {
        guard !filter.isEmpty else { return self }
        guard let document, filter.admits(document.json.span) else { return .absent }
        return self
    }
}

extension ServiceProblem {
    /// The response to a batch without conditions from a client whose rule depends on documents' contents.
    fileprivate static let unconditional = ServiceProblem(
        .forbidden,
        "notAllowed",
        "the collection's rule depends on documents' contents, and the batch has operations without a version",
        advice: "give each line 'onVersion', or write documents one by one"
    )
}

extension LookupPage {
    /// Returns the page with only some of its documents, as if the others did not exist.
    fileprivate func only(_ documents: [StoredDocument], _ keys: [DocumentKey]) -> LookupPage {
        let places = Dictionary(grouping: documents, by: \.id)
        return LookupPage(
            documents: documents,
            answers: zip(keys, answers).map { key, _ in
                places[key.id]?.contains { key.routing == nil || $0.routing == key.routing } ?? false
            }
        )
    }
}
