public import ContentFeeding
import Testing

/// The laws that every engine keeps, whatever it is made of.
///
/// An engine's tests call ``check()`` with an administration that may create and delete the collections
/// `contract-…`; what the engine's capabilities don't promise is not asked of it.
public struct EngineContract {
    let administration: any CollectionAdministration
    /// For an engine whose collections cut text into words otherwise unless they are told.
    let settings: [CollectionSetting]
    let words: ContractVocabulary

    public init(
        _ administration: any CollectionAdministration,
        settings: [CollectionSetting] = [],
        vocabulary: ContractVocabulary = .json
    ) {
        (self.administration, self.settings, words) = (administration, settings, vocabulary)
    }

    /// Checks every law, each in a collection of its own.
    public func check() async throws {
        try await inCollection("operations") { try await operations(on: $0) }
        try await inCollection("order") { try await orderAcrossBatches(on: $0) }
        try await inCollection("results") { try await oneResultForEachOperation(on: $0) }
        try await inCollection("ids") { try await hurtfulIDs(on: $0) }
        try await inCollection("reading") { try await reading(on: $0) }
        try await inCollection("find") { try await finding(on: $0) }
        try await collections()
    }

    private func inCollection(_ name: String, _ body: (ContractCollection) async throws -> Void) async throws {
        let name = CollectionName("contract-" + name)
        try await administration.create(name, settings: settings)
        try await body(ContractCollection(try await administration.collection(named: name)))
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
        #expect(try await target.json(of: "a") == nil)
        #expect(try await target.engine.count() == 0)

        try await target.expect(.add("a", json), .added)
        try await target.expectDocument("a", json)
        #expect(try await target.engine.count() == 1)
    }

    private func orderAcrossBatches(on target: ContractCollection) async throws {
        for round in 0..<20 {
            try await target.expect(.add("a", #"{"\#(words.number)":\#(round)}"#), round == 0 ? .added : .updated)
        }
        try await target.expectDocument("a", #"{"\#(words.number)":19}"#)
        let first = try await target.engine.get(["a"]).first?.version
        try await target.expect(.add("a", "{}"), .updated)
        let second = try await target.engine.get(["a"]).first?.version
        if let first, let second { #expect(first < second) }
    }

    private func oneResultForEachOperation(on target: ContractCollection) async throws {
        for count in [0, 1, 2, 100] {
            let added = try await target.apply(
                (0..<count).map { .add("\(count)-\($0)", #"{"\#(words.number)":\#($0)}"#) }
            )
            #expect(added == Array(repeating: .done(.added), count: count))
        }
        // Every other one is there; neither the order of IDs nor that of adding is the order of the batch.
        let removals = (0..<200).map { ContentOperation.remove(DocumentID(stringLiteral: "100-\(($0 * 77) % 200)")) }
        let results = try await target.apply(removals)
        let expected = (0..<200).map { ($0 * 77) % 200 < 100 ? target.removed : target.absent }
        #expect(results == expected.map { .done($0) })
        #expect(try await target.engine.count() == 3)
    }

    private func hurtfulIDs(on target: ContractCollection) async throws {
        let limit = target.engine.capabilities.maximumIDBytes
        let ids = try HurtfulText.all.filter { $0.utf8.count <= limit }.map { try DocumentID($0) }
        let added = try await target.apply(
            ids.enumerated().map { .add(Document(id: $1, json: Array(#"{"\#(words.text)":"common \#($0)"}"#.utf8))) }
        )
        #expect(added == Array(repeating: .done(.added), count: ids.count))
        #expect(try await target.engine.count() == ids.count)
        #expect(try await target.engine.exists(ids) == Array(repeating: true, count: ids.count))
        #expect(try await target.engine.get(ids).map(\.id) == ids)
        #expect(Set(try await target.find(SearchQuery(words: ["common"])).map(\.id)) == Set(ids))
        for (index, id) in ids.enumerated() {
            #expect(try await target.apply([.remove(id)]) == [.done(target.removed)], "\(id.text.debugDescription)")
            let rest = ids.count - index - 1
            #expect(try await target.engine.count() == rest)
            #expect(try await target.engine.exists([id]) == [false])
        }
    }

    private func reading(on target: ContractCollection) async throws {
        func json(_ number: Int) -> String {
            #"{ "\#(words.number)" : \#(number).0,"\#(words.text)":"\u00e9é" }"#
        }
        _ = try await target.apply((0..<10).map { .add("\($0)", json($0)) })
        let documents = try await target.engine.get(["7", "none", "0", "7"])
        #expect(documents.map(\.id) == ["7", "0", "7"])
        // Where an engine says so, the bytes come back as they were fed: nobody formats them anew.
        try await target.expectDocument("7", json(7))
        #expect(try await target.engine.exists(["7", "none", "0", "7"]) == [true, false, true, true])
        #expect(try await target.engine.get([]).isEmpty)
        // A limit ends a page at the document that reaches it, and one ID at least is looked at.
        let ids: [DocumentID] = ["none", "7", "0", "no", "3"]
        let size = documents.first?.json.count ?? 0
        for (bytes, looked) in [(0, 1), (1, 2), (size, 2), (size + 1, 3), (3 * size, 5), (.max, 5)] {
            let page = try await target.engine.get(ids[...], maximumBytes: bytes)
            #expect(page.looked == looked)
            #expect(page.documents.map(\.id) == ids.prefix(looked).filter { !$0.text.hasPrefix("no") })
        }
        #expect(try await target.engine.get(ids[3...], maximumBytes: .max).documents.map(\.id) == ["3"])
        #expect(try await target.engine.exists([]).isEmpty)
    }

    private func collections() async throws {
        let name: CollectionName = "contract-collections"
        try await expectFailure(.missingCollection, naming: name) { _ = try await administration.show(name) }
        try await expectFailure(.missingCollection, naming: name) { _ = try await administration.clear(name) }
        try await expectFailure(.missingCollection, naming: name) { _ = try await administration.delete(name) }
        try await expectFailure(.missingCollection, naming: name) {
            _ = try await administration.collection(named: name)
        }
        try await administration.create(name, settings: settings)
        try await expectFailure(.collectionExists, naming: name) {
            try await administration.create(name, settings: settings)
        }
        try await expectFailure(.invalidName, naming: "a/b") {
            try await administration.create("a/b", settings: settings)
        }

        let target = ContractCollection(try await administration.collection(named: name))
        _ = try await target.apply((0..<5).map { .add("\($0)", "{}") })
        _ = try await target.apply([.remove("0")])
        #expect(try await administration.show(name).documents == 4)
        #expect(try await administration.list().filter { $0.name == name }.map(\.documents) == [4])
        // Some engines keep what copies of a collection may still need, so not all of it need go.
        let waiting = try await administration.show(name).waiting
        let merged = try await administration.optimize(name) { _, _ in }.merged
        #expect(try await administration.show(name).waiting == waiting - merged)
        #expect(try await administration.clear(name) == 4)
        #expect(try await target.engine.count() == 0)
        _ = try await target.apply([.add("0", "{}")])
        #expect(try await administration.delete(name) == 1)

        // A collection that is gone is no missing document.
        let item = ContentBatch.Item(id: .first, operation: .remove("0"))
        let reply = await target.engine.apply(
            ContentBatch(id: BatchID(rawValue: 1), items: [item])
        )
        guard case .failed(let failure) = reply else {
            Issue.record("a missing collection was answered with \(reply)")
            return
        }
        #expect(failure.kind == .stop(.missingCollection))
    }

    private func expectFailure(
        _ code: EngineError.Code,
        naming name: CollectionName,
        _ body: () async throws -> Void
    ) async throws {
        let error = await #expect(throws: EngineError.self) { try await body() }
        #expect(error?.code == code)
        #expect(error?.message.contains(name.rawValue) == true)
    }
}

extension EngineContract {
    func finding(on target: ContractCollection) async throws {
        _ = try await target.apply(words.findable.sorted { $0.key < $1.key }.map { .add($0.key, $0.value) })

        func ids(_ query: SearchQuery) async throws -> [String] {
            try await target.find(query).map(\.id.text).sorted()
        }
        #expect(try await ids(SearchQuery()) == ["a", "b", "c", "d"])
        #expect(try await ids(SearchQuery(words: ["quick"])) == ["a", "b"])
        #expect(try await ids(SearchQuery(words: ["BROWN", "fox"])) == ["a", "b", "c"])
        #expect(try await ids(SearchQuery(words: ["fox", "nothing"])) == [])
        #expect(try await ids(SearchQuery(words: words.accented)) == ["b"])
        #expect(try await ids(SearchQuery(phrases: ["brown fox"])) == ["a"])
        #expect(try await ids(SearchQuery(phrases: ["slow food"])) == ["a"])
        #expect(try await ids(SearchQuery(words: ["quick"], phrases: ["brown dog"])) == ["b"])
        // No phrase reaches from one string into the next.
        #expect(try await ids(SearchQuery(phrases: ["red slow"])) == [])

        #expect(try await ids(SearchQuery(fields: [.init(name: words.color, value: "red")])) == ["c"])
        #expect(try await ids(SearchQuery(fields: [.init(name: "title", value: "brown")])) == ["c"])
        #expect(try await ids(SearchQuery(fields: [.init(name: "title", value: "quick")])) == [])
        #expect(try await ids(SearchQuery(fields: [.init(name: words.year, value: "1999")])) == ["a", "b"])
        #expect(try await ids(SearchQuery(words: ["fox"], fields: [.init(name: words.flag, value: "true")])) == ["c"])

        // Nothing that a user can type is an error, and none of it is an operator.
        for text in HurtfulText.queries {
            _ = try await ids(SearchQuery(words: [text]))
            _ = try await ids(SearchQuery(phrases: [text]))
        }
        #expect(try await ids(SearchQuery(words: ["quick OR keys"])) == [])
        #expect(try await ids(SearchQuery(words: ["qui*"])) == [])
        #expect(try await ids(SearchQuery(words: ["quick", "***"])) == [])

        try await target.expect(.add("a", #"{"title":"another"}"#), .updated)
        try await target.expect(.remove("b"), target.removed)
        #expect(try await ids(SearchQuery(words: ["quick"])) == [])
        #expect(try await ids(SearchQuery(words: ["another"])) == ["a"])
        try await pages(of: target)
    }

    private func pages(of target: ContractCollection) async throws {
        let many = (0..<1_200).map { ContentOperation.add("many-\($0)", #"{"\#(words.text)":"plenty"}"#) }
        _ = try await target.apply(many)
        let found = try await target.find(SearchQuery(words: ["plenty"])).map(\.id)
        #expect(found.count == 1_200 && Set(found).count == 1_200)
    }
}
