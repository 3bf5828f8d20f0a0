public import ContentFeeding

/// The laws that every engine keeps, whatever it is made of.
///
/// ```swift
/// @Test func `Keeps the laws of engines`() async throws {
///     try await EngineContract(try await MyEngine.open("…")).check()
/// }
/// ```
///
/// It needs an administration that may create and delete the collections `contract-…`, or those of another prefix. What
/// the engine's capabilities don't promise is not asked of it. No test framework is needed: what is broken is thrown.
public struct EngineContract {
    let administration: any CollectionAdministration
    /// For an engine whose collections cut text into words otherwise unless they are told.
    let settings: [CollectionSetting]
    let words: ContractVocabulary
    private let prefix: String

    /// Creates the contract of an engine.
    ///
    /// - Parameters:
    ///   - administration: The open engine.
    ///   - settings: Settings of the collections that the check creates.
    ///   - vocabulary: Documents that the engine's collections can hold.
    ///   - prefix: The beginning of the collections' names, for checks of one engine at the same time.
    public init(
        _ administration: any CollectionAdministration,
        settings: [CollectionSetting] = [],
        vocabulary: ContractVocabulary = .json,
        prefix: String = "contract-"
    ) {
        (self.administration, self.settings, words) = (administration, settings, vocabulary)
        self.prefix = prefix
    }

    /// Checks every law, each in a collection of its own.
    ///
    /// Throws ``ContractBroken`` with all laws that were broken, or the `EngineError` that kept one from being checked.
    public func check() async throws {
        let violations = try await violations()
        if !violations.isEmpty { throw ContractBroken(violations: violations) }
    }

    /// Checks every law, and returns those that were broken.
    public func violations() async throws -> [ContractViolation] {
        let record = ContractRecord()
        try await inCollection("operations", record) { try await operations(on: $0) }
        try await inCollection("order", record) { try await orderAcrossBatches(on: $0) }
        try await inCollection("results", record) { try await oneResultForEachOperation(on: $0) }
        try await inCollection("ids", record) { try await hurtfulIDs(on: $0) }
        try await inCollection("reading", record) { try await reading(on: $0) }
        try await inCollection("find", record) { try await finding(on: $0) }
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
        // Every other one is there; neither the order of IDs nor that of adding is the order of the batch.
        let removals = (0..<200).map { ContentOperation.remove(DocumentID(stringLiteral: "100-\(($0 * 77) % 200)")) }
        let results = try await target.apply(removals)
        let expected = (0..<200).map { ($0 * 77) % 200 < 100 ? target.removed : target.absent }
        target.record.expect(results, expected.map { .done($0) }, "results are in the order of the batch")
        target.record.expect(try await target.engine.count(), 3, "what was not removed is still there")
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
            target.record.expect(try await target.engine.count(), ids.count - index - 1, law)
            target.record.expect(try await target.engine.exists([id]), [false], law)
        }
    }

    private func reading(on target: ContractCollection) async throws {
        func json(_ number: Int) -> String {
            #"{ "\#(words.number)" : \#(number).0,"\#(words.text)":"\u00e9é" }"#
        }
        _ = try await target.apply((0..<10).map { .add("\($0)", json($0)) })
        let documents = try await target.engine.get(["7", "none", "0", "7"])
        target.record.expect(documents.map(\.id), ["7", "0", "7"], "documents come in the order of the IDs")
        // Where an engine says so, the bytes come back as they were fed: nobody formats them anew.
        try await target.expectDocument("7", json(7))
        let exist = try await target.engine.exists(["7", "none", "0", "7"])
        target.record.expect(exist, [true, false, true, true], "each ID has an answer, in their order")
        target.record.expect(try await target.engine.get([]).isEmpty, "without IDs there are no documents")
        // A limit ends a page at the document that reaches it, and one ID at least is looked at.
        let ids: [DocumentID] = ["none", "7", "0", "no", "3"]
        let size = documents.first?.json.count ?? 0
        for (bytes, looked) in [(0, 1), (1, 2), (size, 2), (size + 1, 3), (3 * size, 5), (.max, 5)] {
            let page = try await target.engine.get(ids[...], maximumBytes: bytes)
            let law = "a page ends with the document that reaches the limit"
            target.record.expect(page.looked, looked, law)
            target.record.expect(page.documents.map(\.id), ids.prefix(looked).filter { !$0.text.hasPrefix("no") }, law)
        }
        let rest = try await target.engine.get(ids[3...], maximumBytes: .max).documents.map(\.id)
        target.record.expect(rest, ["3"], "reading goes on in the middle of the IDs")
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
        // Some engines keep what copies of a collection may still need, so not all of it need go.
        let waiting = try await administration.show(name).waiting
        let merged = try await administration.optimize(name) { _, _ in }.merged
        let left = try await administration.show(name).waiting
        record.expect(left, waiting - merged, "what is merged waits no longer")
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
            "a collection that is gone is no missing document",
            "the batch was answered with \(reply)"
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
            target.record.expect(found, expected, "all conditions of a query hold for what is found")
        }
        expect(try await ids(SearchQuery()), ["a", "b", "c", "d"])
        expect(try await ids(SearchQuery(words: ["quick"])), ["a", "b"])
        expect(try await ids(SearchQuery(words: ["BROWN", "fox"])), ["a", "b", "c"])
        expect(try await ids(SearchQuery(words: ["fox", "nothing"])), [])
        expect(try await ids(SearchQuery(words: words.accented)), ["b"])
        expect(try await ids(SearchQuery(phrases: ["brown fox"])), ["a"])
        expect(try await ids(SearchQuery(phrases: ["slow food"])), ["a"])
        expect(try await ids(SearchQuery(words: ["quick"], phrases: ["brown dog"])), ["b"])
        // No phrase reaches from one string into the next.
        expect(try await ids(SearchQuery(phrases: ["red slow"])), [])

        expect(try await ids(SearchQuery(fields: [.init(name: words.color, value: "red")])), ["c"])
        expect(try await ids(SearchQuery(fields: [.init(name: "title", value: "brown")])), ["c"])
        expect(try await ids(SearchQuery(fields: [.init(name: "title", value: "quick")])), [])
        expect(try await ids(SearchQuery(fields: [.init(name: words.year, value: "1999")])), ["a", "b"])
        expect(try await ids(SearchQuery(words: ["fox"], fields: [.init(name: words.flag, value: "true")])), ["c"])

        // Nothing that a user can type is an error, and none of it is an operator.
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
        target.record.expect(found.count, 1_200, "pages hold all that is found")
        target.record.expect(Set(found).count, 1_200, "pages hold nothing twice")
    }
}
