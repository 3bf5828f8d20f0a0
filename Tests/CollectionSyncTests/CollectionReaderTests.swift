import CollectionSync
import ContentFeeding
import Synchronization
import TestSupport
import Testing

/// Readings of a collection for a copy: complete and unchanged, or with an error.
struct CollectionReaderTests {
    private static let count = 1_300

    private static func number(_ range: Range<Int>, _ value: Int) throws -> [ContentOperation] {
        try range.map { .add(document(try DocumentID("n\($0)"), #"{"n":\#($0),"v":\#(value)}"#)) }
    }

    /// Returns a scene whose origin has 1,300 documents, on three pages.
    private func filled() async throws -> SyncScene {
        let scene = try await SyncScene()
        _ = try await scene.collection().results(of: try Self.number(0..<Self.count, 0))
        return scene
    }

    private func reader(
        _ origin: MeddledOrigin,
        keys: [String] = [],
        keepsVersions: Bool = false,
        from offset: InputOffset = .start,
        expecting digest: [UInt8] = []
    ) async throws -> CollectionReader? {
        let origins = CopyOrigin(target: "somewhere", collection: SyncScene.name, keys: keys, idKey: "")
        return try await CollectionReader.open(
            origin,
            of: origins,
            keepsRouting: true,
            keepsVersions: keepsVersions,
            from: offset,
            expecting: digest
        )
    }

    /// Reads to the end, and returns the final state of the documents.
    private func documents(of reader: CollectionReader) async throws -> [String: String] {
        var found: [String: String] = [:]
        while let chunk = try await reader.next() {
            for operation in chunk.operations {
                found[operation.documentID.text] = String(decoding: operation.json, as: UTF8.self)
            }
        }
        return found
    }

    @Test func `Documents are read completely, or with only the requested keys`() async throws {
        let scene = try await filled()
        let origin = try MeddledOrigin(try await scene.collection())
        let all = try await documents(of: try #require(try await reader(origin)))
        #expect(all.count == Self.count && all["n7"] == #"{"n":7,"v":0}"#)
        let some = try await documents(of: try #require(try await reader(origin, keys: ["v"])))
        #expect(some.count == Self.count && some["n7"] == #"{"v":0}"#)
    }

    @Test func `A document that can't be read is rejected by its ID, and all other documents are read`() async throws {
        let scene = try await filled()
        let origin = try MeddledOrigin(try await scene.collection())
        origin.unreadable.withLock { $0 = ["n7", "n1299"] }
        let reader = try #require(try await reader(origin))
        var (read, rejections, rejected) = (0, [String](), 0)
        while let chunk = try await reader.next() {
            read += chunk.operations.count
            rejected += chunk.input.rejected
            rejections += chunk.rejections.map { "\($0)" }
        }
        #expect(read == Self.count - 2 && rejected == 2)
        let reason = "can't be read: the engine's copy of the document is not JSON: a comment"
        #expect(rejections == ["n7", "n1299"].map { "\(SyncScene.name): '\($0)' \(reason)" })
    }

    @Test func `Documents keep their version numbers if requested`() async throws {
        let scene = try await filled()
        let origin = try MeddledOrigin(try await scene.collection())
        let keeping = try #require(try await reader(origin, keepsVersions: true))
        var numbers: [Int64] = []
        while let chunk = try await keeping.next() {
            for operation in chunk.operations {
                guard case .olderThan(let number)? = operation.condition else {
                    Issue.record("\(operation.documentID) has no number")
                    return
                }
                numbers.append(number)
            }
        }
        #expect(numbers.count == Self.count && Set(numbers).count == Self.count && numbers.allSatisfy { $0 > 0 })
        let leaving = try #require(try await reader(origin))
        #expect(try await leaving.next()?.operations.allSatisfy { $0.condition == nil } == true)
    }

    @Test func `Documents that are written during reading are also read`() async throws {
        let scene = try await filled()
        let origin = try MeddledOrigin(try await scene.collection()) { request in
            guard request == .changes(2) else { return }
            // A document that was read, one that was not, and a new one.
            _ = try await scene.collection().results(of: try Self.number(3..<4, 1))
            _ = try await scene.collection().results(of: try Self.number(1_299..<1_301, 1))
        }
        let reader = try #require(try await reader(origin))
        let found = try await documents(of: reader)
        #expect(found.count == Self.count + 1)
        #expect(found.filter { $0.value.contains(#""v":1"#) }.keys.sorted() == ["n1299", "n1300", "n3"])
        #expect(try await reader.next() == nil)
    }

    /// A write in progress hides later ones, although their senders have been told that they are stored.
    @Test func `Changes that can't be read yet are read before reading ends`() async throws {
        let scene = try await filled()
        let meddled = Mutex<MeddledOrigin?>(nil)
        let origin = try MeddledOrigin(try await scene.collection()) { request in
            if request == .state(3) { meddled.withLock { $0 }?.unreplicated.withLock { $0 = 0 } }
        }
        meddled.withLock { $0 = origin }
        origin.unreplicated.withLock { $0 = 3 }
        let reader = try #require(try await reader(origin))
        #expect(try await documents(of: reader).count == Self.count)
    }

    /// The last documents are still being sent when the end of the collection has been read.
    @Test func `At the end of the collection, everything is fed before changes are looked for`() async throws {
        let scene = try await filled()
        let states = Mutex(0)
        let origin = try MeddledOrigin(try await scene.collection()) { request in
            if case .state = request { states.withLock { $0 += 1 } }
        }
        let reader = try #require(try await reader(origin))
        var (pauses, ids) = (0, [String]())
        while let chunk = try await reader.next() {
            ids += chunk.operations.map(\.documentID.text)
            guard chunk.precedesPause else { continue }
            #expect(chunk.operations.isEmpty && states.withLock { $0 } == 1 + pauses)
            pauses += 1
            // One more document arrives while the last ones are being sent.
            if pauses == 1 { _ = try await scene.collection().results(of: try Self.number(7_000..<7_001, 0)) }
        }
        #expect(pauses == 2 && ids.count == Self.count + 1 && ids.last == "n7000")
    }

    @Test func `A collection whose changes never become readable is not considered complete`() async throws {
        let scene = try await filled()
        let origin = try MeddledOrigin(try await scene.collection())
        origin.unreplicated.withLock { $0 = 1 }
        let reader = try #require(try await reader(origin))
        let error = await #expect(throws: EngineError.self) { try await documents(of: reader) }
        #expect(error?.code == .collectionChanged)
    }

    @Test func `A failed page can be requested again without skipping any document`() async throws {
        let scene = try await filled()
        let origin = try MeddledOrigin(try await scene.collection()) { request in
            if request == .changes(2) || request == .state(2) { throw EngineError(.unreachable, "no answer") }
        }
        let reader = try #require(try await reader(origin))
        var ids: [String] = []
        var failures = 0
        while true {
            do {
                guard let chunk = try await reader.next() else { break }
                ids += chunk.operations.map(\.documentID.text)
            } catch {
                failures += 1
            }
        }
        #expect(failures == 2)
        #expect(ids.count == Self.count && Set(ids).count == Self.count)
    }

    @Test func `Reading continues after any chunk, unless the collection has changed`() async throws {
        let scene = try await filled()
        let origin = try MeddledOrigin(try await scene.collection())
        let first = try #require(try await reader(origin))
        let chunk = try #require(try await first.next())
        let second = try await reader(origin, from: chunk.end, expecting: chunk.digest)
        let rest = try await documents(of: try #require(second))
        let read = Set(chunk.operations.map(\.documentID.text))
        #expect(!read.isEmpty && read.isDisjoint(with: rest.keys) && read.count + rest.count == Self.count)

        _ = try await scene.collection().results(of: try Self.number(0..<1, 1))
        #expect(try await reader(origin, from: chunk.end, expecting: chunk.digest) == nil)
        // Different keys make different documents.
        #expect(try await reader(origin, keys: ["v"], expecting: chunk.digest) == nil)
    }

    @Test func `Reading fewer documents than the collection's count is an error`() async throws {
        let scene = try await filled()
        let origin = try MeddledOrigin(try await scene.collection())
        origin.late.withLock { $0 = ["700", "701"] }
        let reader = try #require(try await reader(origin))
        let error = await #expect(throws: EngineError.self) { try await documents(of: reader) }
        #expect(error?.code == .unusable)
        #expect(error?.message.contains("1300 matching documents, but 1298 were read") == true)
    }

    @Test func `Reading a part whose history was replaced causes an error`() async throws {
        let scene = try await filled()
        let history = MeddledOrigin.History()
        let origin = try MeddledOrigin(try await scene.collection(), history: history) { request in
            if request == .changes(3) { history.name.withLock { $0 = "another" } }
        }
        let reader = try #require(try await reader(origin))
        let error = await #expect(throws: EngineError.self) { try await documents(of: reader) }
        #expect(error?.code == .collectionChanged)
    }

    @Test func `A collection that keeps changing is not considered complete`() async throws {
        let scene = try await filled()
        let origin = try MeddledOrigin(try await scene.collection()) { request in
            if case .state(let number) = request {
                _ = try await scene.collection().results(of: try Self.number(5_000 + number..<5_001 + number, 0))
            }
        }
        let reader = try #require(try await reader(origin))
        let error = await #expect(throws: EngineError.self) { try await documents(of: reader) }
        #expect(error?.code == .collectionChanged && error?.message.contains("kept changing") == true)
    }

    /// Late changes have a number below the last one, as in a core of Solr.
    @Test func `A change that becomes visible late is read`() async throws {
        let scene = try await filled()
        let meddled = Mutex<MeddledOrigin?>(nil)
        let origin = try MeddledOrigin(try await scene.collection(), isVague: true) { request in
            if request == .state(2) { meddled.withLock { $0 }?.late.withLock { $0 = [] } }
        }
        meddled.withLock { $0 = origin }
        origin.late.withLock { $0 = ["1299"] }
        let reader = try #require(try await reader(origin))
        #expect(try await documents(of: reader).count == Self.count)
    }
}
