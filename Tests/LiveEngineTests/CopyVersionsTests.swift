import CollectionSync
import ContentFeeding
import TestSupport
import Testing

/// Copies whose documents keep the numbers of their versions.
@Suite(.needsEngines, .timeLimit(.minutes(5)))
struct CopyVersionsTests {
    @Test func `A copy replaces older documents, and keeps newer ones`() async throws {
        let from = try await LiveEngine.shared(.openSearch).openRelative()
        let to = try await LiveEngine.shared(.elasticsearch).openRelative()
        try await from.withCollection("copy-versions") { source in
            for number in 1...3 {
                let documents = try ["old", "same", "new"].map { try document($0, #"{"n":\#(number)}"#) }
                _ = await source.reply(to: documents.map { .add($0) })
            }
            try await to.withCollection("copy-versions") { target in
                let before = await target.reply(to: [
                    .add(try document("old", #"{"n":0}"#)).only(.olderThan(2)),
                    .add(try document("same", #"{"n":0}"#)).only(.olderThan(3)),
                    .add(try document("new", #"{"n":0}"#)).only(.olderThan(9)),
                ])
                #expect(before == .results(Array(repeating: .done(.added), count: 3)))
                let results = try await copy(source, into: target)
                #expect(results == ["old": .done(.updated), "same": .done(.stale), "new": .done(.stale)])
                let found = try await target.get(["old", "same", "new"])
                #expect(found.map(\.version) == [3, 3, 9])
                #expect(
                    found.map { String(decoding: $0.json, as: UTF8.self) } == [#"{"n":3}"#, #"{"n":0}"#, #"{"n":0}"#]
                )
                // Copied again: nothing is newer.
                #expect(try await copy(source, into: target).values.allSatisfy { $0 == .done(.stale) })
            }
        }
    }

    @Test func `Version numbers from Solr are kept on other engines`() async throws {
        let to = try await LiveEngine.shared(.openSearch).openRelative()
        try await SolrLive.shared(.standalone).withCollection("copy-versions-solr") { source in
            try await source.load(["a", "b"])
            try await to.withCollection("copy-versions-solr") { target in
                let results = try await copy(source, into: target)
                #expect(results == ["a": .done(.added), "b": .done(.added)])
                let numbers = try await target.get(["a", "b"]).map(\.version)
                #expect(try await source.get(["a", "b"]).map(\.version) == numbers)
            }
        }
    }

    /// Copies all documents, and returns the outcome of each.
    private func copy(
        _ source: any CollectionEngine,
        into target: any CollectionEngine
    ) async throws -> [DocumentID: OperationResult] {
        let versioned = try #require(source as? any VersionedEngine)
        let origin = CopyOrigin(target: "somewhere", collection: source.collection, idKey: "")
        let reader = try #require(
            try await CollectionReader.open(versioned, of: origin, keepsRouting: true, keepsVersions: true)
        )
        var found: [DocumentID: OperationResult] = [:]
        while let chunk = try await reader.next() {
            guard case .results(let results) = await target.reply(to: chunk.operations) else { continue }
            for (operation, result) in zip(chunk.operations, results) { found[operation.documentID] = result }
        }
        return found
    }
}
