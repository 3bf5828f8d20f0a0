import ContentFeeding
import FeedFormats
import FeedJobs
import Files
import HTTPService
import Hooks
import JSONText
import Reconciliation
import TextKit
import YAML

// MARK: Settings

/// The rules for plans.
package struct PlanSettings: Sendable, Hashable {
    /// Whether a person other than the author must approve a plan before it can be applied.
    var requiresApproval = false
    /// The number of days after which an unapplied plan expires, and an ended plan is removed.
    var keepDays = 7
    /// The maximum number of removals and replacements in a plan.
    var maximumRemovals: RemovalLimit?
    var maximumReplacements: RemovalLimit?

    /// The rules in their written form.
    struct File: Decodable {
        var approval: Located<String>?
        var keepDays: Located<Int>?
        var maximumRemovals: Located<String>?
        var maximumReplacements: Located<String>?

        enum CodingKeys: String, CodingKey {
            case approval
            case keepDays = "keep-days"
            case maximumRemovals = "max-remove"
            case maximumReplacements = "max-replace"
        }
    }

    init() {}

    init(_ file: File, _ wrong: (Place?, String, String) -> SettingsError) throws(SettingsError) {
        if let word = file.approval {
            guard ["optional", "required"].contains(word.value) else {
                throw wrong(word.place, "'\(word.value)' is neither optional nor required", "write approval: required")
            }
            requiresApproval = word.value == "required"
        }
        if let days = file.keepDays {
            // Without their jobs, which are kept for 30 days, plans can't be undone.
            guard (1...30).contains(days.value) else {
                throw wrong(days.place, "\(days.value) is not a number of days from 1 to 30", "write keep-days: 7")
            }
            keepDays = days.value
        }
        func limit(_ written: Located<String>?, _ name: String) throws(SettingsError) -> RemovalLimit? {
            guard let written else { return nil }
            guard let limit = RemovalLimit(text: written.value) else {
                throw wrong(
                    written.place,
                    "'\(written.value)' is neither a number nor a percentage",
                    "write \(name): 500, or \(name): 10%"
                )
            }
            return limit
        }
        maximumRemovals = try limit(file.maximumRemovals, "max-remove")
        maximumReplacements = try limit(file.maximumReplacements, "max-replace")
    }

    /// The time for which a plan is kept.
    var keeping: Duration { .seconds(86_400 * keepDays) }
}

// MARK: - Planning

/// The request for a plan: the documents, and the action on them.
struct PlanRequest: Sendable {
    enum Documents: Sendable {
        case ids([DocumentKey])
        case found(SearchQuery)
        case new([ContentOperation])
        /// The documents that differ from their source, according to a schedule's command.
        case differing(schedule: String)
    }

    let documents: Documents
    var kind: StoredPlan.Kind {
        switch documents {
        case .ids, .found: .remove
        case .new: .put
        case .differing: .reconcile
        }
    }

    /// The schedule specified in the request.
    var schedule: String? {
        if case .differing(let schedule) = documents { schedule } else { nil }
    }

    init(reconciling schedule: String) { documents = .differing(schedule: schedule) }

    /// Reads the body of a request: `{"remove":{"ids":[…]}}`, `{"remove":{"where":[…],"words":…}}`, `{"put":[…]}` or
    /// `{"reconcile":"SCHEDULE"}`.
    init(_ bytes: [UInt8], _ limits: DistributorLimits) throws {
        let body = try Self.members(of: bytes, "the body")
        let isSingle = body.count == 1
        switch body.first?.name {
        case "remove" where isSingle: documents = try Self.removed(body[0].value, limits)
        case "put" where isSingle: documents = .new(try Self.written(body[0].value, limits))
        case "reconcile" where isSingle:
            guard let name = (try? JSONValue(body[0].value))?.text else {
                throw ServiceProblem.invalid("reconcile", "it is not a string", "send the name of a schedule")
            }
            documents = .differing(schedule: name)
        default:
            throw ServiceProblem.invalid(
                "body",
                "it does not have exactly one of the members 'remove', 'put' and 'reconcile'",
                "send {\"remove\":{\"ids\":[…]}}, {\"remove\":{\"where\":[\"NAME=VALUE\"]}}, {\"put\":[…]} or "
                    + "{\"reconcile\":\"SCHEDULE\"}"
            )
        }
    }

    private static func written(_ json: [UInt8], _ limits: DistributorLimits) throws -> [ContentOperation] {
        var input = InputLimits()
        input.id = limits.idBytes
        let lines = try lines(of: json, "put")
        let operations = try operations(OperationText(lines.span, for: .add, source: "put", limits: input), "put")
        if let deep = operations.first(where: { !$0.json.isNested(upTo: limits.depth) }) {
            throw ServiceProblem.invalid(
                "put",
                "the document '\(deep.documentID.text)' is nested deeper than \(limits.depth) levels",
                "send documents with fewer levels"
            )
        }
        return operations
    }

    private static func removed(_ json: [UInt8], _ limits: DistributorLimits) throws -> Documents {
        let members = try members(of: json, "remove")
        guard members.count == 1, members[0].name == "ids" else { return .found(try SearchQuery(members)) }
        var input = InputLimits()
        input.id = limits.idBytes
        let lines = try lines(of: members[0].value, "ids")
        return .ids(try operations(OperationText(keys: lines.span, source: "ids", limits: input), "ids").map(\.key))
    }

    private static func operations(_ text: OperationText, _ name: String) throws -> [ContentOperation] {
        guard text.rejected == 0 else {
            let reasons = text.rejections.prefix(5).map { "element \($0.line): \($0.reason)" }.joined(separator: "; ")
            throw ServiceProblem.invalid(name, reasons, "correct the elements, and send the whole request again")
        }
        guard !text.operations.isEmpty else {
            throw ServiceProblem.invalid(name, "it is empty", "send at least one element")
        }
        return text.operations
    }

    /// Returns the members of an object, in their written form.
    fileprivate static func members(
        of json: [UInt8],
        _ name: String
    ) throws(ServiceProblem) -> [(name: String, value: [UInt8])] {
        do throws(JSONError) {
            return try JSONMembers(of: json.span).all.map { ($0.key, Array(json[$0.value])) }
        } catch {
            throw ServiceProblem(.badRequest, "notJSON", "\(name): \(error.message)", advice: "send one JSON object")
        }
    }

    /// Returns the elements of an array as the lines of a batch.
    private static func lines(of json: [UInt8], _ name: String) throws(ServiceProblem) -> [UInt8] {
        var lines: [UInt8] = []
        do throws(JSONError) {
            var scanner = JSONScanner(json.span)
            try scanner.enterArray()
            while try scanner.nextElement() {
                // In valid JSON, a line break is always whitespace between tokens.
                lines += json[try scanner.skipValue()].map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
                lines.append(0x0A)
            }
            try scanner.end()
        } catch {
            throw .invalid(name, error.message, "send an array")
        }
        return lines
    }
}

extension SearchQuery {
    /// Reads the query of a plan, whose members have the same names and meanings as the parameters of a search.
    fileprivate init(_ members: [(name: String, value: [UInt8])]) throws(ServiceProblem) {
        self.init()
        guard !members.isEmpty else {
            throw .invalid("remove", "it names no documents", "send ids, or a query such as \"where\":[\"NAME=VALUE\"]")
        }
        for member in members {
            let value = (try? JSONValue(member.value)) ?? .null
            let elements = value.text.map { [$0] } ?? value.elements.compactMap(\.text)
            guard !elements.isEmpty, value.text != nil || elements.count == value.elements.count,
                elements.allSatisfy({ !$0.isEmpty })
            else {
                throw .invalid(
                    member.name,
                    "it is neither a string nor a list of strings",
                    "leave it out, or send a string"
                )
            }
            switch member.name {
            case "query" where elements.count == 1: expression = elements[0]
            case "words": words += elements.flatMap { $0.split(separator: " ").map(String.init) }
            case "word": words += elements
            case "phrase": phrases += elements
            case "where":
                for element in elements {
                    let parts = element.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    guard parts.count == 2, !parts[0].isEmpty else {
                        throw .invalid("where", "it is not NAME=VALUE", "write where=status=stale")
                    }
                    fields.append(.init(name: String(parts[0]), value: String(parts[1])))
                }
            default:
                throw .invalid(member.name, "it is not a member of a query", "use where, words, word, phrase and query")
            }
        }
        guard expression != nil || !words.isEmpty || !phrases.isEmpty || !fields.isEmpty else {
            throw .invalid("remove", "the query has no conditions", "name the documents, for example with 'where'")
        }
    }

    /// The query as text, for the first line of a plan.
    fileprivate var summary: String {
        (words + phrases.map { "\"\($0)\"" } + fields.map { "\($0.name)=\($0.value)" }
            + [expression].compactMap(\.self)).joined(separator: " ")
    }
}

/// The writer of a plan's file: one operation for each document, on condition that the document has not changed.
///
/// The collection's rules, hooks and document form apply as in a batch, but when the plan is created rather than when
/// it is applied, so the person who approves the plan sees exactly the documents that will be written.
struct PlanMaker {
    private let grant: AccessGrant
    private let engine: any CollectionEngine
    private let writer: PlanWriter
    private(set) var counts = StoredPlan.Counts()
    /// The first refused operations, with the reasons.
    private(set) var refusals: [StoredPlan.Refusal] = []

    private static let mostRefusals = 20

    init(_ grant: AccessGrant, _ engine: any CollectionEngine, writingTo path: String) throws {
        (self.grant, self.engine) = (grant, engine)
        writer = try PlanWriter(path)
    }

    /// Writes the operations of a request, or the operations of a comparison that the request specifies.
    mutating func write(_ request: PlanRequest, _ comparison: PlanFile?, at address: String) async throws {
        guard let versions = engine.versions else {
            throw ServiceProblem(
                .unprocessable,
                EngineError.Code.unsupported.description,
                "the engine of '\(grant.collection)' does not report the versions of documents",
                advice: "change the documents without a plan"
            )
        }
        var header = PlanHeader(
            command: "content-distributor",
            createdAt: "\(UTCTimestamp(since1970: ProcessFacts.now))",
            context: nil,
            target: address,
            collection: grant.collection,
            state: try await versions.state()
        )
        if case .found(let query) = request.documents { header.query = query.summary }
        if let found = comparison?.header {
            (header.source, header.basis, header.counts) = (found.source, found.basis, found.counts)
            (header.kinds, header.minimumShare) = (found.kinds, found.minimumShare)
        }
        try writer.begin(header)
        switch request.documents {
        case .ids(let keys):
            try refuseRepetitions(keys, "ids")
            try await remove(keys, versions)
        case .found(var query):
            // This allows the query to find documents that were written just now.
            try await engine.raise(to: .live)
            query.fields += (grant.filter.fields + grant.keeping.living.fields).map {
                .init(name: $0.field, value: $0.value)
            }
            var maker = self
            try await versions.forEachFound(query) { page in
                for (key, answer) in page { try await maker.remove(key, answer) }
            }
            self = maker
        case .new(let operations):
            try refuseRepetitions(operations.map(\.key), "put")
            try await put(operations, versions)
        case .differing:
            guard let comparison else { break }
            counts.unchanged += comparison.header.counts?.same ?? 0
            var place = 0
            while let page = try comparison.next(from: place, limit: Self.pageCount, maximumBytes: Self.pageBytes) {
                try await take(page.operations, versions)
                place = page.end
            }
        }
        try writer.finish()
    }

    /// Throws if a document occurs twice, because two operations on it can't both require the version that was read.
    private func refuseRepetitions(_ keys: [DocumentKey], _ name: String) throws(ServiceProblem) {
        var seen: Set<DocumentKey> = []
        guard let again = keys.first(where: { !seen.insert($0).inserted }) else { return }
        throw .invalid(name, "the document '\(again.id.text)' occurs twice", "name each document once")
    }

    /// The maximum number of keys whose documents are in memory at once.
    private static let pageCount = 100
    /// The number of bytes after which a page of a comparison ends.
    private static let pageBytes = 8 << 20

    /// Plans the operations of a comparison, each for the version of the document that was compared.
    private mutating func take(_ operations: [ContentOperation], _ engine: any VersionedEngine) async throws {
        var answers: [VersionAnswer] = []
        try await engine.forEachVersion(at: operations.map(\.key)) { _, answer in answers.append(answer) }
        for (operation, answer) in zip(operations, answers) {
            if operation.kind == .remove {
                try await remove(operation.key, answer, compared: operation.seen)
            } else {
                try await put(operation, answer, compared: operation.seen)
            }
        }
    }

    private mutating func remove(_ keys: [DocumentKey], _ engine: any VersionedEngine) async throws {
        for start in stride(from: 0, to: keys.count, by: Self.pageCount) {
            let page = Array(keys[start..<min(start + Self.pageCount, keys.count)])
            var answers: [VersionAnswer] = []
            try await engine.forEachVersion(at: page) { _, answer in answers.append(answer) }
            for (key, answer) in zip(page, answers) { try await remove(key, answer) }
        }
    }

    private mutating func remove(
        _ key: DocumentKey,
        _ answer: VersionAnswer,
        compared version: DocumentVersion? = nil
    ) async throws {
        guard grant.owns(key.id) else {
            counts.missing += 1
            return
        }
        switch answer {
        case .absent: counts.missing += 1
        // It can't be determined whether the client may see an unreadable document.
        case .unreadable: if grant.filter.isEmpty { counts.unreadable += 1 } else { counts.missing += 1 }
        case .found(let document):
            guard grant.filter.admits(document.json.span), grant.keeping.living.admits(document.json.span) else {
                counts.missing += 1
                return
            }
            let key = DocumentKey(key.id, routing: document.routing ?? key.routing)
            guard try await hooked(.remove(key), on: document.json, as: .delete) != nil else { return }
            try writer.append(.remove(key, version ?? document.version, version == nil ? .found : .orphaned))
            counts.remove += 1
        }
    }

    private mutating func put(_ operations: [ContentOperation], _ engine: any VersionedEngine) async throws {
        for start in stride(from: 0, to: operations.count, by: Self.pageCount) {
            let page = Array(operations[start..<min(start + Self.pageCount, operations.count)])
            var answers: [VersionAnswer] = []
            try await engine.forEachVersion(at: page.map(\.key)) { _, answer in answers.append(answer) }
            for (operation, answer) in zip(page, answers) { try await put(operation, answer) }
        }
    }

    /// Plans a write of a document; `compared` is the version that a comparison has read, or `nil` if there was no
    /// document or no comparison.
    private mutating func put(
        _ operation: ContentOperation,
        _ answer: VersionAnswer,
        compared: DocumentVersion? = nil
    ) async throws {
        guard grant.owns(operation.documentID) else { return refuse(operation, ServiceProblem.notAllowed.message) }
        if case .unreadable = answer {
            if grant.filter.isEmpty { counts.unreadable += 1 } else { counts.missing += 1 }
            return
        }
        let stored = answer.document
        let isAdmitted = stored.map { grant.filter.admits($0.json.span) } ?? true
        guard isAdmitted else {
            counts.missing += 1
            return
        }
        let isLiving = stored.map { grant.keeping.living.admits($0.json.span) } ?? false
        let verb = isLiving ? HookVerb.update : .insert
        guard let hooked = try await hooked(operation, on: isLiving ? stored?.json : nil, as: verb) else { return }
        if isLiving, let stored, hooked.leaves(grant.keeping.withoutFields(stored.json), in: engine.capabilities) {
            counts.unchanged += 1
            return
        }
        let document = Document(id: hooked.documentID, json: hooked.json, routing: hooked.routing ?? stored?.routing)
        if operation.kind == .update {
            // The document was deleted after it was compared.
            guard isLiving, let version = compared ?? stored?.version else {
                counts.missing += 1
                return
            }
            try writer.append(.update(document, version, .stale))
            counts.replace += 1
            return
        }
        // A document that was changed after the comparison is left unchanged, as if it changed after the plan.
        if operation.condition != nil {
            try writer.append(.add(document, replacing: compared, compared == nil ? .missing : .stale))
            if compared == nil { counts.add += 1 } else { counts.replace += 1 }
            return
        }
        // Another client's document that was marked as deleted in the meantime must not count as absent.
        let isStrict = !grant.filter.isEmpty && grant.keeping.deleted != nil
        let version = stored?.version ?? (isStrict ? .neverWritten : nil)
        try writer.append(.add(document, replacing: version, isLiving ? .stale : .missing))
        if isLiving { counts.replace += 1 } else { counts.add += 1 }
    }

    /// Returns an operation after the hooks have been applied, checked against the rule and the allowed keys of the
    /// collection; `nil` if it was refused.
    private mutating func hooked(
        _ operation: ContentOperation,
        on stored: [UInt8]?,
        as verb: HookVerb
    ) async throws -> ContentOperation? {
        do {
            var result = operation
            if let hooks = grant.hooks, hooks.apply(to: operation) {
                result = try await hooks.applied(to: operation, on: stored, as: verb)
            }
            return try grant.checked(result)
        } catch let problem as ServiceProblem {
            refuse(operation, problem.field.map { "\($0): \(problem.message)" } ?? problem.message)
            return nil
        }
    }

    private mutating func refuse(_ operation: ContentOperation, _ reason: String) {
        counts.refused += 1
        if refusals.count < Self.mostRefusals { refusals.append(.init(id: operation.documentID.text, reason: reason)) }
    }
}

extension ContentOperation {
    /// The version of the document on which a planned operation depends; `nil` if the document must not exist.
    fileprivate var seen: DocumentVersion? {
        if case .unchanged(let version)? = condition { version } else { nil }
    }
}
