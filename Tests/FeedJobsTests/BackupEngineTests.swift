import ContentFeeding
import EngineSQLite
import FeedFormats
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FeedJobs

struct BackupEngineTests {
    @Test func `Large documents are read in pages`() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteEngine.create(path: folder.path("store.sqlite"))
        try await store.create("web", settings: [])
        let engine = CountingEngine(base: try await store.collection(named: "web"))
        let text = String(repeating: "x", count: 700_000)
        let ids = (0..<6).map { DocumentID(stringLiteral: "\($0)") }
        for id in ids {
            _ = await engine.apply(batch([.add(Document(id: id, json: Array(#"{"t":"\#(text)"}"#.utf8)))]))
        }

        let backup = try BackupEngine(engine, for: .remove, writingTo: folder.path("backup"))
        _ = await backup.apply(batch(ids.map { .remove($0) }))
        #expect(try await engine.count() == 0)
        #expect(engine.largestPage.withLock { $0 } == 2)
        let lines = try String(contentsOfFile: folder.path("backup"), encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 6)
        for (line, id) in zip(lines, ids) { #expect(line.contains(#""id":"\#(id.text)""#)) }
    }

    @Test func `The original state of a document is saved, even if an operation is sent again`() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteEngine.create(path: folder.path("store.sqlite"))
        try await store.create("web", settings: [])
        let engine = try await store.collection(named: "web")
        func document(_ id: DocumentID, _ json: String) -> Document { Document(id: id, json: Array(json.utf8)) }
        _ = await engine.apply(batch([.add(document("old", #"{"v":0}"#))]))

        let backup = try BackupEngine(engine, for: .add, writingTo: folder.path("backup"))
        for (first, json) in [(1, #"{"v":1}"#), (1, #"{"v":1}"#), (3, #"{"v":2}"#)] {
            _ = await backup.apply(batch([.add(document("old", json)), .add(document("new", json))], from: first))
        }
        _ = await backup.apply(batch([.update(document("absent", "{}")), .remove("old"), .remove("new")], from: 5))
        let lines = try String(contentsOfFile: folder.path("backup"), encoding: .utf8).split(separator: "\n")
        let (one, two) = try (digest(#"{"v":1}"#), digest(#"{"v":2}"#))
        #expect(
            lines == [
                #"{"schema":"fastctl.document/1","id":"old","collection":"web","version":1,"routing":null,"left":"\#(one)","document":{"v":0}}"#,
                #"{"remove":"new","left":"\#(one)"}"#, left("old", two), left("new", two), left("old", "none"),
                left("new", "none"),
            ]
        )
    }

    @Test func `A document with line breaks is saved on one line`() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteEngine.create(path: folder.path("store.sqlite"))
        try await store.create("web", settings: [])
        let engine = try await store.collection(named: "web")
        let json = Array("{\n  \"t\": \"a\",\r\n  \"n\": 1.0\n}".utf8)
        _ = await engine.apply(batch([.add(Document(id: "printed", json: json))]))

        let backup = try BackupEngine(engine, for: .remove, writingTo: folder.path("backup"))
        _ = await backup.apply(batch([.remove("printed")]))
        let text = try String(contentsOfFile: folder.path("backup"), encoding: .utf8)
        #expect(text.hasSuffix(#""left":"none","document":{   "t": "a",    "n": 1.0 }}"# + "\n"))
        #expect(text.utf8.count { $0 == UInt8(ascii: "\n") } == 1)
    }

    @Test func `A document that is absent when it is removed is new when it is added later`() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteEngine.create(path: folder.path("store.sqlite"))
        try await store.create("web", settings: [])
        let engine = try await store.collection(named: "web")
        let backup = try BackupEngine(engine, for: .add, writingTo: folder.path("backup"))
        _ = await backup.apply(batch([.remove("A")]))
        _ = await backup.apply(batch([.add(Document(id: "A", json: Array(#"{"v":1}"#.utf8)))], from: 2))
        let text = try String(contentsOfFile: folder.path("backup"), encoding: .utf8)
        #expect(try text == #"{"remove":"A","left":"\#(digest(#"{"v":1}"#))"}"# + "\n")
    }

    private func digest(_ json: String) throws -> String {
        try #require(ContentDigest(of: Array(json.utf8), "any", in: EngineCapabilities())).rawValue
    }

    private func left(_ id: String, _ digest: String) -> Substring {
        #"{"schema":"fastctl.left/1","id":"\#(id)","collection":"web","routing":null,"left":"\#(digest)"}"#
    }

    @Test(arguments: [
        (EngineError.Code.unreachable, BatchFailure.Kind.definite(isCharged: false)),
        (.locked, .definite(isCharged: false)), (.permission, .stop(.permission)),
    ])
    func `An operation whose document can't be backed up is not sent`(
        code: EngineError.Code,
        kind: BatchFailure.Kind
    ) async throws {
        let folder = try TemporaryFolder()
        let backup = try BackupEngine(
            UnreadableEngine(code: code),
            for: .remove,
            writingTo: folder.path("backup")
        )
        let failure = try #require(await backup.apply(batch([.remove("A")])).failure)
        #expect(failure.kind == kind)
    }

    @Test func `A document that can't be read is not removed, and the others are backed up and removed`() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteEngine.create(path: folder.path("store.sqlite"))
        try await store.create("web", settings: [])
        let engine = FlawedEngine(base: try await store.collection(named: "web"))
        for id in ["A", "flawed", "C"] as [DocumentID] {
            _ = await engine.apply(batch([.add(Document(id: id, json: Array("{}".utf8)))]))
        }
        let backup = try BackupEngine(engine, for: .remove, writingTo: folder.path("backup"))
        let reply = await backup.apply(batch([.remove("A"), .remove("flawed"), .remove("C"), .remove("D")]))
        guard case .results(let results) = reply, results.count == 4, case .failed(let failure) = results[1] else {
            Issue.record("\(reply)")
            return
        }
        #expect(failure.message.hasPrefix("it was not backed up, so it was not changed: "))
        #expect([results[0], results[2], results[3]] == [.done(.removed), .done(.removed), .done(.missing)])
        #expect(try await engine.exists(["A", "flawed", "C"]) == [false, true, false])
        let lines = try String(contentsOfFile: folder.path("backup"), encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 2 && !lines.contains { $0.contains("flawed") })
    }

    private func batch(_ operations: [ContentOperation], from first: Int = 1) -> ContentBatch {
        let items = operations.enumerated().map {
            ContentBatch.Item(id: OperationID(rawValue: UInt64($0 + first)), operation: $1)
        }
        return ContentBatch(id: BatchID(rawValue: 1), items: items)
    }
}

/// Records how many documents were read at once.
private final class CountingEngine: ForwardingEngine {
    let base: any CollectionEngine
    let largestPage = Mutex(0)

    init(base: any CollectionEngine) { self.base = base }

    func get(_ ids: ArraySlice<DocumentID>, maximumBytes: Int) async throws(EngineError) -> DocumentPage {
        let page = try await base.get(ids, maximumBytes: maximumBytes)
        largestPage.withLock { $0 = max($0, page.documents.count) }
        return page
    }
}

/// A collection with a document that can't be read.
private struct FlawedEngine: ForwardingEngine {
    let base: any CollectionEngine

    func get(at keys: ArraySlice<DocumentKey>, maximumBytes: Int) async throws(EngineError) -> LookupPage {
        var page = try await base.get(at: keys, maximumBytes: maximumBytes)
        page.unreadable = page.documents.filter { $0.id == "flawed" }.map { document in
            UnreadableDocument(DocumentKey(document.id), bytes: Array("{/**/}".utf8), reason: "a comment")
        }
        page.documents.removeAll { $0.id == "flawed" }
        return page
    }
}

/// A collection that can't be read, and would remove everything.
private struct UnreadableEngine: ContentEngine, SearchableEngine {
    let code: EngineError.Code

    let collection: CollectionName = "web"
    let capabilities = EngineCapabilities()

    func apply(_ batch: ContentBatch) async -> BatchReply { .results(batch.items.map { _ in .done(.removed) }) }
    func raise(to level: CompletionLevel) async throws(EngineError) {}

    func get(_ ids: ArraySlice<DocumentID>, maximumBytes: Int) async throws(EngineError) -> DocumentPage {
        throw EngineError(code, "cannot be read")
    }

    func exists(_ ids: [DocumentID]) async throws(EngineError) -> [Bool] { throw EngineError(code, "cannot be read") }
    func count() async throws(EngineError) -> Int { 1 }

    func find(_ query: SearchQuery, after cursor: SearchCursor?) async throws(EngineError) -> SearchPage {
        throw EngineError(code, "cannot be read")
    }
}

struct BufferedOperationsTests {
    private func collect(
        _ count: Int,
        _ folder: TemporaryFolder,
        _ store: BufferedOperations.Store
    ) async throws
        -> BufferedOperations
    {
        let path = folder.path("ids")
        let ids = (0..<count).map { "\($0)-" + String(repeating: "x", count: 60_000) + "\n" }
        try ids.joined().write(toFile: path, atomically: false, encoding: .utf8)
        let input = try await FeedInput.open([.file(path)], for: .remove, format: .lines())
        return try await BufferedOperations.collect(input, limit: count, in: store)
    }

    private func store(in folder: TemporaryFolder) throws -> BufferedOperations.Store {
        let path = folder.path("spill")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        return BufferedOperations.Store(space: SpillSpace(in: path))
    }

    @Test func `Long IDs are written to a temporary file and read back in parts`() async throws {
        let folder = try TemporaryFolder()
        let buffered = try await collect(200, folder, try store(in: folder))
        #expect(OpenFiles.below(folder.path("spill")).count == 1)
        var ids: [String] = []
        for try await chunk in buffered {
            #expect(chunk.operations.reduce(0) { $0 + $1.byteCount } <= 4 << 20)
            ids += chunk.operations.map { String($0.documentID.text.prefix { $0 != "-" }) }
        }
        let expected: [String] = (0..<200).map { "\($0)" }
        #expect(ids == expected)
    }

    @Test func `A routing value is preserved in the temporary file`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("ids")
        try "a,u1\nb,\nc,ü2\n".write(toFile: path, atomically: false, encoding: .utf8)
        let format = InputFormat.csv(column: .number(1), routing: .number(2))
        let input = try await FeedInput.open([.file(path)], for: .remove, format: format)
        var store = try store(in: folder)
        store.window = 1
        var keys: [DocumentKey] = []
        for try await chunk in try await BufferedOperations.collect(input, limit: 3, in: store) {
            keys += chunk.operations.map(\.key)
        }
        let expected = [
            DocumentKey("a", routing: Routing("u1")), DocumentKey("b"), DocumentKey("c", routing: Routing("ü2")),
        ]
        #expect(keys == expected)
    }

    /// This also applies if only the last read returns less than requested.
    @Test(arguments: [1_000, 1_000_000]) func `A truncated file is not mistaken for a short list`(
        by count: Int
    ) async throws {
        let folder = try TemporaryFolder()
        let buffered = try await collect(200, folder, try store(in: folder))
        OpenFiles.shorten(below: folder.path("spill"), by: count)
        await #expect(throws: SpillError.self) { for try await _ in buffered {} }
    }
}
