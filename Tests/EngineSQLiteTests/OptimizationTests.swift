import ContentFeeding
import EngineSQLite
import Foundation
import SQLiteStore
import Synchronization
import TestSupport
import Testing

struct OptimizationTests {
    private struct Stop: Error {}

    private func fill(_ store: TestStore, _ count: Int = 3_000) async throws {
        for start in stride(from: 0, to: count, by: 500) {
            try await store.collection.apply(
                (start..<start + 500).map { .add(document("doc-\($0)", #"{"text":"number\#($0) common"}"#)) }
            )
        }
    }

    @Test func `Merged rows disappear, and the others are still found`() async throws {
        let store = try await TestStore()
        try await fill(store)
        let gone = (0..<3_000).filter { $0 % 3 == 0 }
        try await store.collection.apply(gone.map { .remove(DocumentID(stringLiteral: "doc-\($0)")) })
        let steps = Mutex<[Int]>([])
        let report = try await store.engine.optimize(TestStore.name) { done, total in
            #expect(total == 1_000)
            steps.withLock { $0.append(done) }
        }
        #expect(report.merged == 1_000 && report.bytesAfter < report.bytesBefore)
        #expect(steps.withLock { $0.first } == 0 && steps.withLock { $0.last } == 1_000)
        try store.expectSoundFile()
        let counted = try store.counted()
        #expect(counted == (2_000, 0))
        #expect(try await store.collection.find(SearchQuery(words: ["number3"]), after: nil).documents.isEmpty)
        #expect(try await store.collection.find(SearchQuery(words: ["number4"]), after: nil).documents.count == 1)
        let again = try await store.engine.optimize(TestStore.name) { _, _ in }
        #expect(again.merged == 0 && again.bytesAfter == again.bytesBefore)
    }

    /// The work fails after the first step, then after the second, and so on, until it succeeds.
    @Test func `An optimization that is stopped at any point can be resumed`() async throws {
        let store = try await TestStore()
        try await fill(store, 5_000)
        try await store.collection.apply((0..<4_500).map { .remove(DocumentID(stringLiteral: "doc-\($0)")) })
        var stops = 0
        while true {
            let left = Mutex(stops % 3)
            var optimization = Optimization(of: TestStore.name, in: store.engine.store) { _, _ in }
            optimization.rowsPerStep = 300
            optimization.afterStep = { () throws(EngineError) in
                guard
                    left.withLock({
                        $0 -= 1
                        return $0 >= 0
                    })
                else { throw EngineError(.cancelled, "stopped") }
            }
            do {
                _ = try await optimization.run()
                break
            } catch {
                #expect(error.code == .cancelled)
            }
            stops += 1
            let shown = try await store.engine.show(TestStore.name)
            let counted = try store.counted()
            #expect(shown.documents == 500 && counted.documents == 500 && shown.waiting == counted.waiting)
            #expect(try await store.collection.find(SearchQuery(words: ["common"]), after: nil).documents.count == 500)
            try #require(stops < 100)
        }
        #expect(stops > 3)
        try store.expectSoundFile()
    }

    @Test func `A deletion that is stopped at any point can be resumed`() async throws {
        let store = try await TestStore()
        try await fill(store)
        try await store.engine.store.write { connection in
            try CollectionRecord.find(TestStore.name, in: connection).retire(in: connection)
        }
        #expect(try await store.engine.list().isEmpty)
        try await store.engine.create("other", settings: [])
        // Any purge also deletes the leftovers of others.
        #expect(try await store.engine.delete("other") == 0)
        let connection = try Connection(path: store.path)
        #expect(try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name GLOB 'document*'") == 0)
        #expect(try connection.integer("SELECT count(*) FROM collection") == 0)
        #expect(try connection.pageCounts().bytes < 100_000)
    }

    @Test func `Other processes can feed during an optimization`() async throws {
        let store = try await TestStore()
        try await fill(store)
        try await store.collection.apply((0..<2_500).map { .remove(DocumentID(stringLiteral: "doc-\($0)")) })
        let other = try await SQLiteEngine.open(path: store.path).collection(named: TestStore.name)
        async let report = store.engine.optimize(TestStore.name) { _, _ in }
        for round in 0..<50 {
            let id = "late-\(round)"
            #expect(try await other.apply([.add(document(id, #"{"t":"late"}"#))]) == [.done(.added)])
            if round % 2 == 0 { try await other.apply([.remove(DocumentID(stringLiteral: id))], from: 2) }
        }
        #expect(try await report.merged >= 2_500)
        #expect(try await other.count() == 525)
        #expect(try await other.find(SearchQuery(words: ["late"]), after: nil).documents.count == 25)
        try store.expectSoundFile()
    }

    @Test(arguments: ["merge", "empty", "clear", "delete"])
    func `No part of a removed document remains in the file`(by way: String) async throws {
        let store = try await TestStore()
        try await fill(store, 2_000)
        let secrets = (0..<200).map { "zecret\(String($0 * 7_919, radix: 36))q" }
        for (index, secret) in secrets.enumerated() {
            let json = #"{"key":"\#(secret)key","text":"common \#(secret) number\#(index)"}"#
            try await store.collection.apply([.add(document(secret + "id", json))])
        }
        #expect(!places(of: "zecret", in: store).isEmpty)
        let all = way == "empty" ? (0..<2_000).map { DocumentID(stringLiteral: "doc-\($0)") } : []
        try await store.collection.apply(
            (secrets.map { DocumentID(stringLiteral: $0 + "id") } + all).map { .remove($0) }
        )
        switch way {
        case "clear": _ = try await store.engine.clear(TestStore.name)
        case "delete": _ = try await store.engine.delete(TestStore.name)
        default: _ = try await store.engine.optimize(TestStore.name) { _, _ in }
        }
        #expect(places(of: "zecret", in: store) == [])
        try store.expectSoundFile()
    }

    /// Pages are split, merged and reused, and copies must not remain in their gaps.
    @Test(arguments: [2, 10, 11])
    func `No text of removed documents remains in the file after many additions and removals`(seed: UInt64) async throws
    {
        let store = try await TestStore()
        var generator = SeededGenerator(seed: seed)
        for round in 0..<4 {
            let names = (0..<1_000).map {
                "\($0 % 2 == 0 ? "zecret" : "open")/\(round)/\(generator.next() % 100_000)/\($0)"
            }
            try await store.collection.apply(
                names.map { name in
                    let words = (0..<Int.random(in: 1..<300, using: &generator)).map { "w\($0 % 17)" }
                    return .add(document(name, #"{"t":"\#(words.joined(separator: " ")) \#(name)"}"#))
                }
            )
            let secrets = names.filter { $0.hasPrefix("zecret") }.shuffled(using: &generator)
            try await store.collection.apply(secrets.map { .remove(DocumentID(stringLiteral: $0)) })
            _ = try await store.engine.optimize(TestStore.name) { _, _ in }
            #expect(places(of: "zecret", in: store) == [])
        }
    }

    /// Returns the places in the store's files where the text appears.
    private func places(of text: String, in store: TestStore) -> [String] {
        ["", "-wal"].flatMap { suffix in
            let data = FileManager.default.contents(atPath: store.path + suffix) ?? Data()
            var places: [String] = []
            var start = data.startIndex
            while places.count < 5, let range = data[start...].range(of: Data(text.utf8)) {
                let around = data[max(0, range.lowerBound - 20)..<min(data.endIndex, range.upperBound + 20)]
                places.append(
                    "\(suffix) page \(range.lowerBound / 4_096 + 1): \(String(decoding: around, as: UTF8.self))"
                )
                start = range.upperBound
            }
            return places
        }
    }
}
