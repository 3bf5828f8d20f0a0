public import ContentFeeding
import JSONText
import TextKit

/// The rules that every engine must satisfy, regardless of its implementation.
///
/// ```swift
/// @Test func `The engine fulfills the contract`() async throws {
///     try await EngineContract(try await MyEngine.open("…")).check()
/// }
/// ```
///
/// Checking requires an administration that may create and delete collections whose names start with `contract-`, or
/// with another prefix. Only guarantees that the engine's capabilities declare are checked. No test framework is
/// needed: violations are thrown as errors.
public struct EngineContract {
    let administration: any CollectionAdministration
    /// Settings for an engine whose collections split text into words differently by default.
    let settings: [CollectionSetting]
    let words: ContractVocabulary
    private let prefix: String

    /// Creates the contract of an engine.
    ///
    /// - Parameters:
    ///   - administration: The open engine.
    ///   - settings: Settings of the collections that the check creates.
    ///   - vocabulary: Documents that the engine's collections can store.
    ///   - prefix: The prefix of the collections' names; different prefixes allow simultaneous checks of one engine.
    public init(
        _ administration: any CollectionAdministration,
        settings: [CollectionSetting] = [],
        vocabulary: ContractVocabulary = .json,
        prefix: String = "contract-"
    ) {
        (self.administration, self.settings, words) = (administration, settings, vocabulary)
        self.prefix = prefix
    }

    /// Checks every rule, each in its own collection.
    ///
    /// Throws ``ContractBroken`` with all violated rules, or the `EngineError` that prevented a check.
    public func check() async throws {
        let violations = try await violations()
        if !violations.isEmpty { throw ContractBroken(violations: violations) }
    }

    /// Checks every rule, and returns the violations.
    public func violations() async throws -> [ContractViolation] {
        let record = ContractRecord()
        try await inCollection("operations", record) { try await operations(on: $0) }
        try await inCollection("order", record) { try await orderAcrossBatches(on: $0) }
        try await inCollection("results", record) { try await oneResultForEachOperation(on: $0) }
        try await inCollection("ids", record) { try await hurtfulIDs(on: $0) }
        try await inCollection("reading", record) { try await reading(on: $0) }
        try await inCollection("find", record) { try await finding(on: $0) }
        try await inCollection("sort", record) { try await sorting(on: $0) }
        try await collections(record)
        return record.violations
    }

    private func inCollection(
        _ name: String,
        _ record: ContractRecord,
        _ body: (ContractCollection) async throws -> Void
    ) async throws {
        let name = CollectionName(prefix + name)
        try await administration.create(name, settings: settings)
        try await body(ContractCollection(try await administration.collection(named: name), record))
        _ = try await administration.delete(name)
    }

    private func operations(on target: ContractCollection) async throws {
        let (n, new, deep) = (words.number, words.text, words.whole)
        let json = #"{"id":"a","\#(n)":1,"\#(deep.name)":\#(deep.first)}"#
        try await target.expect(.add("a", json), .added)
        try await target.expect(.add("a", json), .updated)
        try await target.expectDocument("a", json)

        try await target.expect(.update("a", #"{"\#(n)":2,"\#(new)":"é"}"#), .updated)
        try await target.expectDocument("a", #"{"id":"a","\#(n)":2,"\#(deep.name)":\#(deep.first),"\#(new)":"é"}"#)
        try await target.expect(.update("a", #"{"\#(n)":2}"#), .noop)
        try await target.expect(.update("a", #"{"\#(deep.name)":\#(deep.second),"\#(new)":null}"#), .updated)
        try await target.expectDocument("a", #"{"id":"a","\#(n)":2,"\#(deep.name)":\#(deep.second)}"#)

        try await target.expect(.update("b", #"{"\#(n)":2}"#), .missing)
        try await target.expect(.remove("b"), target.absent)
        try await target.expect(.remove("a"), target.removed)
        try await target.expect(.remove("a"), target.absent)
        try await target.expect(.update("a", #"{"\#(n)":2}"#), .missing)
        target.record.expect(try await target.json(of: "a"), nil, "a removed document can't be read")
        target.record.expect(try await target.engine.count(), 0, "removed documents are not counted")

        try await target.expect(.add("a", json), .added)
        try await target.expectDocument("a", json)
        target.record.expect(try await target.engine.count(), 1, "a document that is added again is counted once")
        try await operators(on: target)
    }

    private func operators(on target: ContractCollection) async throws {
        let (n, deep) = (words.number, words.whole)
        try await target.expect(.update("a", #"{"\#(n)":{"$inc":2}}"#), .updated)
        try await target.expectDocument("a", #"{"id":"a","\#(n)":3,"\#(deep.name)":\#(deep.first)}"#)
        try await target.expect(.update("a", #"{"\#(n)":{"$inc":0}}"#), .noop)
        let refused = try await target.apply([.update("a", #"{"\#(n)":{"$push":1}}"#)])
        let isRefused = if case .failed? = refused.first { true } else { false }
        target.record.expect(isRefused, "an unknown operator is refused", "\(refused)")

        try await target.expect(.update("c", #"{"\#(n)":{"$inc":2}}"#), .missing)
        guard (try? await target.engine.check(FeedIntent(.update, addsMissing: true))) != nil else { return }
        try await target.expect(.update("c", #"{"id":"c","\#(n)":{"$inc":2}}"#), .added, addsMissing: true)
        try await target.expect(.update("c", #"{"\#(n)":{"$inc":2}}"#), .updated, addsMissing: true)
        try await target.expectDocument("c", #"{"id":"c","\#(n)":4}"#)
        let upsert = ContentOperation.update("d", #"{"\#(n)":{"$inc":2}}"#).adding(Array(#"{"id":"d","\#(n)":7}"#.utf8))
        try await target.expect(upsert, .added, addsMissing: true)
        try await target.expectDocument("d", #"{"id":"d","\#(n)":7}"#)
        try await target.expect(upsert, .updated, addsMissing: true)
        try await target.expectDocument("d", #"{"id":"d","\#(n)":9}"#)
    }

    private func orderAcrossBatches(on target: ContractCollection) async throws {
        for round in 0..<20 {
            try await target.expect(.add("a", #"{"\#(words.number)":\#(round)}"#), round == 0 ? .added : .updated)
        }
        try await target.expectDocument("a", #"{"\#(words.number)":19}"#)
        let first = try await target.engine.get(["a"]).first?.version
        try await target.expect(.add("a", "{}"), .updated)
        let second = try await target.engine.get(["a"]).first?.version
        if let first, let second {
            target.record.expect(first < second, "a version grows with each change", "\(first), then \(second)")
        }
    }

    private func oneResultForEachOperation(on target: ContractCollection) async throws {
        for count in [0, 1, 2, 100] {
            let added = try await target.apply(
                (0..<count).map { .add("\(count)-\($0)", #"{"\#(words.number)":\#($0)}"#) }
            )
            let expected = Array(repeating: OperationResult.done(.added), count: count)
            target.record.expect(added, expected, "each operation of a batch has one result")
        }
        // Every other document exists; the batch is sorted neither by ID nor by order of addition.
        let removals = (0..<200).map { ContentOperation.remove(DocumentID(stringLiteral: "100-\(($0 * 77) % 200)")) }
        let results = try await target.apply(removals)
        let expected = (0..<200).map { ($0 * 77) % 200 < 100 ? target.removed : target.absent }
        target.record.expect(results, expected.map { .done($0) }, "results are in the order of the batch")
        target.record.expect(try await target.engine.count(), 3, "documents that were not removed still exist")
    }

    private func hurtfulIDs(on target: ContractCollection) async throws {
        let limit = target.engine.capabilities.maximumIDBytes
        let ids = try HurtfulText.all.filter { $0.utf8.count <= limit }.map { try DocumentID($0) }
        let added = try await target.apply(
            ids.enumerated().map { .add(Document(id: $1, json: Array(#"{"\#(words.text)":"common \#($0)"}"#.utf8))) }
        )
        let (law, all) = ("an ID is only bytes", Set(ids))
        target.record.expect(added, Array(repeating: .done(.added), count: ids.count), law)
        target.record.expect(try await target.engine.count(), ids.count, law)
        target.record.expect(try await target.engine.exists(ids), Array(repeating: true, count: ids.count), law)
        target.record.expect(try await target.engine.get(ids).map(\.id), ids, law)
        target.record.expect(Set(try await target.find(SearchQuery(words: ["common"])).map(\.id)), all, law)
        for (index, id) in ids.enumerated() {
            let law = "the removal of \(id.text.debugDescription) removes no other document"
            target.record.expect(try await target.apply([.remove(id)]), [.done(target.removed)], law)
            target.record.expect(try await target.engine.exists(ids), ids.indices.map { $0 > index }, law)
        }
        target.record.expect(try await target.engine.count(), 0, "removed documents are not counted")
    }

    private func reading(on target: ContractCollection) async throws {
        func json(_ number: Int) -> String {
            #"{ "\#(words.number)" : \#(number).0,"\#(words.text)":"\u00e9é" }"#
        }
        _ = try await target.apply((0..<10).map { .add("\($0)", json($0)) })
        let documents = try await target.engine.get(["7", "none", "0", "7"])
        target.record.expect(documents.map(\.id), ["7", "0", "7"], "documents are returned in the order of the IDs")
        // If the engine declares this capability, it returns the bytes as they were fed, without reformatting them.
        try await target.expectDocument("7", json(7))
        let exist = try await target.engine.exists(["7", "none", "0", "7"])
        target.record.expect(exist, [true, false, true, true], "each ID has an answer, in the order of the IDs")
        target.record.expect(try await target.engine.get([]).isEmpty, "without IDs there are no documents")
        // A page ends with the document that reaches the limit, and at least one ID is examined.
        let ids: [DocumentID] = ["none", "7", "0", "no", "3"]
        let size = documents.first?.json.count ?? 0
        for (bytes, looked) in [(0, 1), (1, 2), (size, 2), (size + 1, 3), (3 * size, 5), (.max, 5)] {
            let page = try await target.engine.get(ids[...], maximumBytes: bytes)
            let law = "a page ends with the document that reaches the limit"
            target.record.expect(page.looked, looked, law)
            target.record.expect(page.documents.map(\.id), ids.prefix(looked).filter { !$0.text.hasPrefix("no") }, law)
        }
        let rest = try await target.engine.get(ids[3...], maximumBytes: .max).documents.map(\.id)
        target.record.expect(rest, ["3"], "reading resumes in the middle of the IDs")
        target.record.expect(try await target.engine.exists([]).isEmpty, "without IDs there are no answers")
    }

    private func collections(_ record: ContractRecord) async throws {
        let name = CollectionName(prefix + "collections")
        try await expectFailure(.missingCollection, of: name, record) { _ = try await administration.show(name) }
        try await expectFailure(.missingCollection, of: name, record) { _ = try await administration.clear(name) }
        try await expectFailure(.missingCollection, of: name, record) { _ = try await administration.delete(name) }
        try await expectFailure(.missingCollection, of: name, record) {
            _ = try await administration.collection(named: name)
        }
        try await administration.create(name, settings: settings)
        try await expectFailure(.collectionExists, of: name, record) {
            try await administration.create(name, settings: settings)
        }
        try await expectFailure(.invalidName, of: "a/b", record) {
            try await administration.create("a/b", settings: settings)
        }

        let target = ContractCollection(try await administration.collection(named: name), record)
        _ = try await target.apply((0..<5).map { .add("\($0)", "{}") })
        _ = try await target.apply([.remove("0")])
        record.expect(try await administration.show(name).documents, 4, "a collection shows its live documents")
        let listed = try await administration.list().filter { $0.name == name }.map(\.documents)
        record.expect(listed, [4], "a list shows the live documents of each collection")
        // Some engines keep data that copies of a collection may still need, so not all space has to be freed.
        let waiting = try await administration.show(name).waiting
        let merged = try await administration.optimize(name) { _, _ in }.merged
        let left = try await administration.show(name).waiting
        record.expect(left, waiting - merged, "merged documents are no longer pending")
        record.expect(try await administration.clear(name), 4, "clearing returns the number of documents")
        record.expect(try await target.engine.count(), 0, "a cleared collection is empty")
        _ = try await target.apply([.add("0", "{}")])
        record.expect(try await administration.delete(name), 1, "deleting returns the number of documents")

        let item = ContentBatch.Item(id: .first, operation: .remove("0"))
        let reply = await target.engine.apply(ContentBatch(id: BatchID(rawValue: 1), items: [item]))
        let isStopped =
            if case .failed(let failure) = reply { failure.kind == .stop(.missingCollection) } else { false }
        record.expect(
            isStopped,
            "a missing collection is not reported as a missing document",
            "the reply to the batch was \(reply)"
        )
    }

    private func expectFailure(
        _ code: EngineError.Code,
        of name: CollectionName,
        _ record: ContractRecord,
        _ body: () async throws -> Void
    ) async throws {
        let law = "the error \(code) names the collection"
        do {
            try await body()
            record.expect(false, law, "there was no error about \(name)")
        } catch let error as EngineError {
            record.expect(
                error.code == code && error.message.contains(name.rawValue),
                law,
                "it is \(error.code): \(error)"
            )
        }
    }
}

extension EngineContract {
    func finding(on target: ContractCollection) async throws {
        _ = try await target.apply(words.findable.sorted { $0.key < $1.key }.map { .add($0.key, $0.value) })

        func ids(_ query: SearchQuery) async throws -> [String] {
            try await target.find(query).map(\.id.text).sorted()
        }
        func expect(_ found: [String], _ expected: [String]) {
            target.record.expect(found, expected, "all conditions of a query hold for the found documents")
        }
        expect(try await ids(SearchQuery()), ["a", "b", "c", "d"])
        expect(try await ids(SearchQuery(words: ["quick"])), ["a", "b"])
        expect(try await ids(SearchQuery(words: ["BROWN", "fox"])), ["a", "b", "c"])
        expect(try await ids(SearchQuery(words: ["fox", "nothing"])), [])
        expect(try await ids(SearchQuery(words: words.accented)), ["b"])
        expect(try await ids(SearchQuery(phrases: ["brown fox"])), ["a"])
        expect(try await ids(SearchQuery(phrases: ["slow food"])), ["a"])
        expect(try await ids(SearchQuery(words: ["quick"], phrases: ["brown dog"])), ["b"])
        // A phrase never matches across two strings.
        expect(try await ids(SearchQuery(phrases: ["red slow"])), [])

        expect(try await ids(SearchQuery(fields: [.init(name: words.color, value: "red")])), ["c"])
        expect(try await ids(SearchQuery(fields: [.init(name: "title", value: "brown")])), ["c"])
        expect(try await ids(SearchQuery(fields: [.init(name: "title", value: "quick")])), [])
        expect(try await ids(SearchQuery(fields: [.init(name: words.year, value: "1999")])), ["a", "b"])
        expect(try await ids(SearchQuery(words: ["fox"], fields: [.init(name: words.flag, value: "true")])), ["c"])

        // No text typed by a user is treated as an error or an operator.
        for text in HurtfulText.queries {
            _ = try await ids(SearchQuery(words: [text]))
            _ = try await ids(SearchQuery(phrases: [text]))
        }
        expect(try await ids(SearchQuery(words: ["quick OR keys"])), [])
        expect(try await ids(SearchQuery(words: ["qui*"])), [])
        expect(try await ids(SearchQuery(words: ["quick", "***"])), [])

        try await target.expect(.add("a", #"{"title":"another"}"#), .updated)
        try await target.expect(.remove("b"), target.removed)
        expect(try await ids(SearchQuery(words: ["quick"])), [])
        expect(try await ids(SearchQuery(words: ["another"])), ["a"])
        try await pages(of: target)
    }

    private func pages(of target: ContractCollection) async throws {
        let many = (0..<1_200).map { ContentOperation.add("many-\($0)", #"{"\#(words.text)":"plenty"}"#) }
        _ = try await target.apply(many)
        let found = try await target.find(SearchQuery(words: ["plenty"])).map(\.id)
        target.record.expect(found.count, 1_200, "pages contain all documents found")
        target.record.expect(Set(found).count, 1_200, "pages contain no document twice")
    }
}

extension EngineContract {
    /// Checks sorting and counting, unless the engine supports neither.
    fileprivate func sorting(on target: ContractCollection) async throws {
        guard target.engine.capabilities.sortsAndCounts else { return try await refusals(of: target) }
        let (color, n) = (words.color, words.number)
        _ = try await target.apply([
            .add("e", #"{"\#(color)":"red","\#(n)":10}"#), .add("a", #"{"\#(color)":"green","\#(n)":-5}"#),
            .add("d", #"{"\#(color)":"red","\#(n)":9}"#), .add("b", #"{"\#(n)":100}"#),
            .add("c", #"{"\#(color)":"blue"}"#), .add("f", #"{"\#(color)":"red","\#(n)":10}"#),
        ])
        func expect(_ order: [SortKey], _ expected: [[String]]) async throws {
            var query = SearchQuery()
            query.order = order
            var found = try await target.find(query).map(\.id.text)[...]
            // The order of documents with equal values is up to the engine.
            let groups = expected.map { group in
                defer { found = found.dropFirst(group.count) }
                return found.prefix(group.count).sorted()
            }
            let law = "documents are sorted by \(order.map(\.name).joined(separator: ", ")), those without a value last"
            target.record.expect(groups, expected, law)
            target.record.expect(found.count, 0, "a sorted search contains no document twice")
        }
        try await expect([SortKey(n)], [["a"], ["d"], ["e", "f"], ["b"], ["c"]])
        try await expect([SortKey(n, isDescending: true)], [["b"], ["e", "f"], ["d"], ["a"], ["c"]])
        try await expect([SortKey(color), SortKey(n)], [["c"], ["a"], ["d"], ["e", "f"], ["b"]])
        try await expect(
            [SortKey(color, isDescending: true), SortKey(n, isDescending: true)],
            [["e", "f"], ["d"], ["a"], ["c"], ["b"]]
        )
        try await counting(on: target)
        try await sortedPages(of: target)
    }

    private func counting(on target: ContractCollection) async throws {
        let (color, n) = (words.color, words.number)
        let all = try await target.engine.facets([FacetKey(color), FacetKey(color, limit: 1)], of: SearchQuery())
        target.record.expect(all.documents, 6, "facets have the number of documents found")
        let counts = all.facets.first?.counts ?? []
        target.record.expect(counts.first, Facet.Count(.text("red"), 3), "the most frequent value comes first")
        target.record.expect(
            Set(counts.dropFirst()),
            [Facet.Count(.text("green"), 1), Facet.Count(.text("blue"), 1)],
            "a facet counts each value"
        )
        for facet in all.facets {
            let sum = facet.counts.reduce(facet.other + facet.missing) { $0 + $1.documents }
            target.record.expect(sum, 6, "the counts of a facet add up to the documents")
            target.record.expect(facet.missing, 1, "a facet counts the documents without a value")
        }
        target.record.expect(all.facets.last?.counts.count, 1, "a facet has no more values than requested")
        target.record.expect(all.facets.last?.other, 2, "a facet counts the documents with other values")
        let red = try await target.engine.facets([FacetKey(n)], of: SearchQuery(words: ["red"]))
        target.record.expect(red.documents, 3, "facets count only the documents found")
        target.record.expect(
            red.facets.first?.counts,
            [Facet.Count(.number("10"), 2), Facet.Count(.number("9"), 1)],
            "a facet counts the values of the documents found"
        )
    }

    private func sortedPages(of target: ContractCollection) async throws {
        let many = (0..<1_200).map { ContentOperation.add("many-\($0)", #"{"\#(words.number)":\#(1_000 + $0 / 3)}"#) }
        _ = try await target.apply(many)
        var query = SearchQuery()
        query.order = [SortKey(words.number, isDescending: true)]
        let found = try await target.find(query).map(\.id.text)
        target.record.expect(found.count, 1_206, "pages of a sorted search contain all documents found")
        target.record.expect(Set(found).count, 1_206, "pages of a sorted search contain no document twice")
        let numbers = found.prefix(1_200).compactMap { Int($0.dropFirst(5)).map { $0 / 3 } }
        target.record.expect(numbers, numbers.sorted(by: >), "pages of a sorted search are in order")
    }

    /// An engine that can't sort must not return documents in a different order or invented counts.
    private func refusals(of target: ContractCollection) async throws {
        var query = SearchQuery()
        query.order = [SortKey(words.number)]
        let sorted = await refusal { _ = try await target.engine.find(query, after: nil) }
        target.record.expect(sorted, .unsupported, "an engine that can't sort refuses to")
        let key = FacetKey(words.number)
        let counted = await refusal { _ = try await target.engine.facets([key], of: SearchQuery()) }
        target.record.expect(counted, .unsupported, "an engine that can't count values refuses to")
    }

    private func refusal(_ body: () async throws -> Void) async -> EngineError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? EngineError)?.code
        }
    }
}

/// A collection under test, with functions that number operations and batches and make applied operations visible.
final class ContractCollection {
    let engine: any CollectionEngine
    private var nextOperation = OperationID.first
    private var nextBatch: UInt64 = 1

    let record: ContractRecord

    init(_ engine: any CollectionEngine, _ record: ContractRecord) { (self.engine, self.record) = (engine, record) }

    /// The outcome that an engine reports for a document that it removed.
    var removed: Outcome { engine.capabilities.reportsMissing ? .removed : .gone }

    /// The outcome that the engine reports for a document that did not exist.
    var absent: Outcome { engine.capabilities.reportsMissing ? .missing : .gone }

    func apply(_ operations: [ContentOperation], addsMissing: Bool = false) async throws -> [OperationResult] {
        let items = operations.map { operation in
            defer { nextOperation = nextOperation.next }
            return ContentBatch.Item(id: nextOperation, operation: operation)
        }
        defer { nextBatch += 1 }
        let batch = ContentBatch(id: BatchID(rawValue: nextBatch), items: items, addsMissing: addsMissing)
        let reply = await engine.apply(batch)
        guard case .results(let results) = reply else {
            record.expect(false, "a batch that can be applied has results", "\(items.count) operations: \(reply)")
            return []
        }
        try await engine.raise(to: .live)
        return results
    }

    func expect(_ operation: ContentOperation, _ outcome: Outcome, addsMissing: Bool = false) async throws {
        let law = "the outcome of \(operation.kind) of '\(operation.documentID)'"
        record.expect(try await apply([operation], addsMissing: addsMissing), [.done(outcome)], law)
    }

    func json(of id: DocumentID) async throws -> String? {
        try await engine.get([id]).first.map { String(decoding: $0.json, as: UTF8.self) }
    }

    /// Expects the document to exist and to match what was fed: byte for byte if the engine declares this, otherwise in
    /// its contents apart from the ID.
    func expectDocument(_ id: DocumentID, _ json: String) async throws {
        let found = try await self.json(of: id)
        let isSame =
            if engine.capabilities.keepsDocumentBytes {
                found == json
            } else {
                found.map { DocumentMeaning($0) == DocumentMeaning(json) } ?? false
            }
        record.expect(isSame, "a document is read as it was fed", "expected \(json), found \(found ?? "nothing")")
    }

    /// Returns the documents of all pages.
    func find(_ query: SearchQuery) async throws -> [StoredDocument] {
        var documents: [StoredDocument] = []
        var cursor: SearchCursor?
        repeat {
            let page = try await engine.find(query, after: cursor)
            documents += page.documents
            cursor = page.next
        } while cursor != nil
        return documents
    }
}

/// The contents of a document apart from its ID, independent of the order of keys and the notation of numbers.
private indirect enum DocumentMeaning: Equatable {
    case members([String: DocumentMeaning])
    case elements([DocumentMeaning])
    case number(Double)
    case other(JSONValue)

    init?(_ json: String) {
        guard let value = try? JSONValue(Array(json.utf8)) else { return nil }
        self.init(value)
        guard case .members(var members) = self else { return }
        members["id"] = nil
        self = .members(members)
    }

    private init(_ value: JSONValue) {
        switch value {
        case .object(let members):
            self = .members(
                Dictionary(members.map { ($0.key, DocumentMeaning($0.value)) }, uniquingKeysWith: { _, last in last })
            )
        case .array(let elements): self = .elements(elements.map { DocumentMeaning($0) })
        case .number(let text): self = Double(text).map { .number($0) } ?? .other(value)
        case .string, .bool, .null: self = .other(value)
        }
    }
}

extension ContentOperation {
    static func add(_ id: String, _ json: String) -> Self {
        .add(Document(id: DocumentID(stringLiteral: id), json: Array(json.utf8)))
    }

    static func update(_ id: String, _ json: String) -> Self {
        .update(Document(id: DocumentID(stringLiteral: id), json: Array(json.utf8)))
    }
}

/// The documents of the contract, in a form that an engine's collections can store.
///
/// Most engines accept any JSON object. An engine with a schema may derive types from names of fields, or not support
/// nested objects; such an engine is checked in the same way, with suitable documents.
public struct ContractVocabulary: Sendable {
    /// A field for whole numbers.
    var number = "n"
    /// A field for text that is searched by words.
    var text = "text"
    /// A field whose value is replaced as a whole, and two values for it.
    var whole = (name: "deep", first: #"{"x":1}"#, second: #"{"y":1}"#)
    /// Documents for searches; their meaning is the same for all engines.
    var findable = [
        "a": #"{"title":"The quick brown fox","tags":["red","slow food"],"year":1999}"#,
        "b": #"{"title":"Café Zürich","body":{"text":"quick: the brown dog's fox"},"year":"1999"}"#,
        "c": #"{"title":"brown","other":"fox","color":"red","flag":true}"#,
        "d": #"{"quick":1,"title":"keys are not searched"}"#,
    ]
    /// Words that find `Café Zürich`.
    var accented = ["cafe", "zurich"]
    /// Names of fields in ``findable``.
    var color = "color"
    var year = "year"
    var flag = "flag"

    /// A vocabulary for engines that accept any JSON object and ignore accents in searches.
    public static let json = ContractVocabulary()

    /// A vocabulary for engines that accept any JSON object and ignore only case in searches.
    public static let accents = ContractVocabulary(accented: ["café", "zürich"])

    /// A vocabulary for engines whose field names end in their type, and which ignore only case in searches.
    public static let suffixes = ContractVocabulary(
        number: "n_i",
        text: "text_t",
        whole: (name: "deep_s", first: #""x""#, second: #""y""#),
        findable: [
            "a": #"{"title":"The quick brown fox","tags_t":"red","body_t":"slow food","year_i":1999}"#,
            "b": #"{"title":"Café Zürich","body_t":"quick: the brown dog, fox","year_i":"1999"}"#,
            "c": #"{"title":"brown","other_t":"fox","color_s":"red","flag_s":"true"}"#,
            "d": #"{"quick_i":1,"title":"keys are not searched"}"#,
        ],
        accented: ["café", "zürich"],
        color: "color_s",
        year: "year_i",
        flag: "flag_s"
    )
}

/// A violation of a rule by an engine.
public struct ContractViolation: Hashable, Sendable, CustomStringConvertible {
    /// The rule, as a sentence.
    public let law: String
    /// The engine's actual and expected behavior; empty if the rule alone is clear enough.
    public let detail: String

    /// The rule, and how it was violated.
    public var description: String { detail.isEmpty ? law : "\(law): \(detail)" }
}

/// The error of an engine that violates some of the rules.
public struct ContractBroken: Error, Hashable, Sendable, CustomStringConvertible {
    /// The violations, in the order in which the rules were checked.
    public let violations: [ContractViolation]

    /// The violations, one per line.
    public var description: String { violations.map { "\n- \($0)" }.joined() }
}

/// The violations found so far.
///
/// This is a class, because all parts of a check add their violations to it, one after another.
final class ContractRecord {
    private(set) var violations: [ContractViolation] = []

    func expect(_ holds: Bool, _ law: String, _ detail: String = "") {
        if !holds { violations.append(ContractViolation(law: law, detail: detail)) }
    }

    func expect<Value: Equatable>(_ found: Value, _ expected: Value, _ law: String) {
        expect(found == expected, law, "expected \(expected), found \(found)")
    }
}

/// Texts that have caused bugs in programs, used as IDs and queries in tests of engines.
public enum HurtfulText {
    /// All texts.
    ///
    /// No two texts have the same bytes; none is empty or contains a NUL.
    public static let all: [String] =
        queries + [
            String(repeating: "0123456789abcdef", count: 256),
            "caf\u{E9}", "cafe\u{301}", "CAF\u{C9}",
            "a", "A", " a", "a ", " ", "\t", "\n", "a\nb", "\r\n", "\u{1}", "\u{7F}", "\u{85}", "\u{2028}",
            "\u{202E}gnp.exe", "\u{200B}", "\u{FEFF}bom", "\u{FFFD}", "\u{10FFFF}", "\u{F000}",
            "../../etc/passwd", "/", ".", "..", "-n", "--", "-rf", "%00", "%2e%2e", "a%20b", "_id", "_doc", "?q=1", "#",
            "http://host/a b?c=d&e=f#g", "C:\\temp\\x", "\\", "\\u0000", "NULL", "null", "0", "1e3", "true",
        ]

    /// The texts with a special meaning in some query language.
    public static let queries = [
        "'", "''", "\"", "\"\"", "`", ";", "'; DROP TABLE document_1; --", "x' OR '1'='1", "%", "_", "?", "?1", ":a",
        "@a",
        "*", "***", "a*", "^a", "a^2", "NEAR", "NEAR(a b)", "NEAR/2", "AND", "OR", "NOT", "a AND", "a NOT b", "a - b",
        "-a", "+a", "(", ")", "((a)", "{a b}:c", "text:a", "text : a", "rowid", "[a TO b]", "a~", "a\\", "/a/", "&&",
        "||",
        "!", "😀", "👩‍👩‍👧", "\u{301}", "日本語", "ﬁ", "ß", "İ",
    ]
}
