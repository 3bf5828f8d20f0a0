import ContentFeeding
import EngineSQLite
import Foundation
import SQLiteStore
import TestSupport
import Testing

/// Other processes read while documents are erased from a store.
struct ReaderTests {
    private func holds(_ text: String, _ store: TestStore) -> Bool {
        ["", "-wal"].contains {
            FileManager.default.contents(atPath: store.path + $0)?.range(of: Data(text.utf8)) != nil
        }
    }

    /// Opens the store again, with a short time limit for locks.
    private func impatient(_ store: TestStore) async throws -> SQLiteEngine {
        var options = SQLiteEngine.Options()
        options.busyTimeout = .milliseconds(50)
        return try await SQLiteEngine.open(path: store.path, options: options)
    }

    @Test(arguments: [1, 2]) func `Text that a reader can still see is not reported as erased`(
        documents: Int
    ) async throws {
        let store = try await TestStore()
        let texts = ["zecretzecret", "open"].prefix(documents)
        try await store.collection.apply(texts.map { .add(document($0, #"{"t":"\#($0)"}"#)) })
        _ = try await store.engine.optimize(TestStore.name) { _, _ in }
        let engine = try await impatient(store)
        do {
            let reader = try Connection(path: store.path)
            try reader.execute("BEGIN")
            #expect(try reader.integer("SELECT count(*) FROM collection") == 1)
            try await store.collection.apply([.remove("zecretzecret")])
            for _ in 1...2 {
                let error = await #expect(throws: EngineError.self) {
                    _ = try await engine.optimize(TestStore.name) { _, _ in }
                }
                #expect(error?.code == .locked && error?.advice?.contains("again") == true)
                #expect(error?.message.contains("may still be in the") == true)
                #expect(error?.message.contains(store.path) == true)
            }
            #expect(holds("zecretzecret", store))
            try reader.execute("ROLLBACK")
        }
        let report = try await engine.optimize(TestStore.name) { _, _ in }
        #expect(!holds("zecretzecret", store))
        #expect(try FileManager.default.attributesOfItem(atPath: store.path)[.size] as? Int == report.bytesAfter)
        try store.expectSoundFile()
    }

    @Test func `Clearing a collection also reports text that remains`() async throws {
        let store = try await TestStore()
        try await store.collection.apply([.add(document("a", #"{"t":"zecretzecret"}"#))])
        let engine = try await impatient(store)
        do {
            let reader = try Connection(path: store.path)
            try reader.execute("BEGIN")
            #expect(try reader.integer("SELECT count(*) FROM collection") == 1)
            let error = await #expect(throws: EngineError.self) { _ = try await engine.clear(TestStore.name) }
            #expect(error?.code == .locked && error?.message.contains("is empty, but") == true)
            try reader.execute("ROLLBACK")
        }
        _ = try await engine.optimize(TestStore.name) { _, _ in }
        #expect(!holds("zecretzecret", store))
    }
}

struct SearchTests {
    @Test func `Pages are limited by count and by bytes`() async throws {
        let store = try await TestStore()
        try await store.collection.apply((0..<501).map { .add(document("s\($0)", #"{"t":"small"}"#)) })
        let big = String(repeating: "x", count: 1_500_000)
        try await store.collection.apply((0..<5).map { .add(document("b\($0)", #"{"t":"large \#(big)"}"#)) })

        let first = try await store.collection.find(SearchQuery(words: ["small"]), after: nil)
        #expect(first.documents.count == 500)
        let second = try await store.collection.find(SearchQuery(words: ["small"]), after: first.next)
        #expect(second.documents.map(\.id) == ["s500"] && second.next == nil)

        let large = try await store.collection.find(SearchQuery(words: ["large"]), after: nil)
        #expect(large.documents.map(\.id) == ["b0", "b1", "b2"] && large.next != nil)
        let rest = try await store.collection.find(SearchQuery(words: ["large"]), after: large.next)
        #expect(rest.documents.map(\.id) == ["b3", "b4"] && rest.next == nil)

        let all = try await store.collection.find(SearchQuery(), after: second.next)
        #expect(all.documents.first?.id == "s0" && all.documents.first?.version == 1)
        let error = await #expect(throws: EngineError.self) {
            _ = try await store.collection.find(SearchQuery(), after: SearchCursor(rawValue: "x"))
        }
        #expect(error?.code == .rejected)
    }

    @Test func `If more than 32 sorted searches are open, the oldest one is closed`() async throws {
        let store = try await TestStore()
        try await store.collection.apply((0..<501).map { .add(document("s\($0)", #"{"n":\#($0)}"#)) })
        var query = SearchQuery()
        query.order = [SortKey("n", isDescending: true)]
        var cursors: [SearchCursor] = []
        for _ in 0..<33 {
            let page = try await store.collection.find(query, after: nil)
            cursors.append(try #require(page.next))
        }
        let closed = await #expect(throws: EngineError.self) {
            try await store.collection.find(query, after: cursors[0])
        }
        #expect(closed?.code == .rejected && closed?.message == "the sorted search is no longer open")
        for cursor in [cursors[1], cursors[32]] {
            let last = try await store.collection.find(query, after: cursor)
            #expect(last.documents.map(\.id) == ["s0"] && last.next == nil)
        }
    }

    @Test func `Documents are returned in the order of their last change`() async throws {
        let store = try await TestStore()
        try await store.collection.apply(["a", "b", "c"].map { .add(document($0, #"{"t":"w"}"#)) })
        try await store.collection.apply([.update(document("a", #"{"n":1}"#))])
        let found = try await store.collection.find(SearchQuery(words: ["w"]), after: nil).documents
        #expect(found.map(\.id) == ["b", "c", "a"])
        #expect(found.map(\.version) == [2, 3, 4])
    }

    @Test(arguments: [
        ("wi-fi", true), ("wifi", false), ("WI FI", true), ("2.5", true), ("straße", true), ("strasse", false),
        ("\u{F000}", false), ("end start", false), ("end \u{F000} start", false), ("a\0b", false), ("…", false),
        ("😀", false),
        ("e\u{301}t\u{E9}", true), ("日本", false), ("日本語", true),
    ])
    func `Query words are split in the same way as text`(word: String, isFound: Bool) async throws {
        let store = try await TestStore()
        let json = ##"{"t":["Wi-Fi 2.5 Straße été 日本語 😀 a\u0000b end","start …"],"d":{"n":null}}"##
        try await store.collection.apply([.add(document("a", json))])
        for query in [SearchQuery(words: [word]), SearchQuery(phrases: [word])] {
            #expect(try await store.collection.find(query, after: nil).documents.count == (isFound ? 1 : 0))
        }
    }

    @Test func `An update with operators can add a missing document`() async throws {
        let store = try await TestStore()
        let patches = [
            (#"{"id":"a","n":{"$inc":1},"t":{"$add":["x"]}}"#, Outcome.added), (#"{"n":{"$inc":1}}"#, .updated),
        ]
        for (number, (json, outcome)) in patches.enumerated() {
            let patch = ContentOperation.update(Document(id: "a", json: Array(json.utf8)))
            let item = ContentBatch.Item(id: OperationID(rawValue: UInt64(number) + 1), operation: patch)
            let batch = ContentBatch(id: BatchID(rawValue: UInt64(number) + 1), items: [item], addsMissing: true)
            #expect(await store.collection.apply(batch) == .results([.done(outcome)]))
        }
        let json = try await store.collection.get(["a"]).first?.json ?? []
        #expect(String(decoding: json, as: UTF8.self) == #"{"id":"a","n":2,"t":["x"]}"#)
        try store.expectSoundFile()
    }

    @Test func `Anything but an object is refused, and the rest of the batch is applied`() async throws {
        let store = try await TestStore()
        let results = try await store.collection.apply([
            .add(document("a", "[1]")), .add(document("b", "{}")), .add(document("c", #"{"a":"#)),
            .add(document("d", #"{"t":"\#(String(repeating: "y", count: 16 << 20))"}"#)),
        ])
        guard results.count == 4, case .failed(let first) = results[0], case .failed(let last) = results[3] else {
            Issue.record("answered with \(results.map { String(describing: $0).prefix(80) })")
            return
        }
        #expect(first.code == .rejectedByEngine && results[1] == .done(.added) && last.code == .documentTooLarge)
        #expect(try await store.collection.count() == 1)
    }
}

struct ContractTests {
    @Test func `The engine fulfills the contract`() async throws {
        let folder = try TemporaryFolder()
        try await EngineContract(try await SQLiteEngine.create(path: folder.path("store.sqlite"))).check()
    }
}

/// Random batches, compared with a dictionary.
struct ModelTests {
    @Test(arguments: 1...4)
    func `The collection behaves like a dictionary`(seed: UInt64) async throws {
        let store = try await TestStore()
        var generator = SeededGenerator(seed: seed)
        var model: [DocumentID: Int] = [:]
        var next: UInt64 = 1
        for round in 0..<60 {
            let ids = (0..<80).map { DocumentID(stringLiteral: "doc/\($0)") }.shuffled(using: &generator)
            var operations: [ContentOperation] = []
            var expected: [Outcome] = []
            for id in ids.prefix(Int.random(in: 0...30, using: &generator)) {
                let value = Int.random(in: 0..<3, using: &generator)
                let document = Document(id: id, json: Array(#"{"word":"value\#(value)"}"#.utf8))
                switch Int.random(in: 0..<3, using: &generator) {
                case 0:
                    operations.append(.add(document))
                    expected.append(model[id] == nil ? .added : .updated)
                    model[id] = value
                case 1:
                    operations.append(.update(document))
                    expected.append(model[id] == nil ? .missing : model[id] == value ? .noop : .updated)
                    if model[id] != nil { model[id] = value }
                default:
                    operations.append(.remove(id))
                    expected.append(model.removeValue(forKey: id) == nil ? .missing : .removed)
                }
            }
            let results = try await store.collection.apply(operations, from: next)
            #expect(results == expected.map { .done($0) })
            next += UInt64(operations.count)
            if round % 7 == 6 { _ = try await store.engine.optimize(TestStore.name) { _, _ in } }
            try await expect(store, model)
        }
        try store.expectSoundFile()
    }

    private func expect(_ store: TestStore, _ model: [DocumentID: Int]) async throws {
        let shown = try await store.engine.show(TestStore.name)
        let counted = try store.counted()
        #expect(shown.documents == model.count && counted.documents == model.count)
        #expect(shown.waiting == counted.waiting)
        for value in 0..<3 {
            let found = try await store.collection.find(SearchQuery(words: ["value\(value)"]), after: nil)
            #expect(Set(found.documents.map(\.id)) == Set(model.filter { $0.value == value }.keys))
        }
    }
}
