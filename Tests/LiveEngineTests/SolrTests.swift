import ContentFeeding
import EngineSolr
import TestSupport
import Testing

@Suite(
    .enabled(if: LiveEngine.isAvailable, "FASTCTL_ENGINES does not name the folder of engines"),
    .timeLimit(.minutes(5)),
    .serialized
)
struct SolrTests {
    @Test(arguments: [(SolrLive.Kind.standalone, true), (.standalone, false), (.cloud, true)])
    func keepsTheLawsOfEngines(kind: SolrLive.Kind, checksMissing: Bool) async throws {
        let solr = try await SolrLive.shared(kind)
        let administration = try await solr.open(checksMissing: checksMissing)
        try await EngineContract(administration, settings: kind.settings, vocabulary: .suffixes).check()
    }

    @Test(arguments: SolrLive.Kind.allCases)
    func idsThatMeanSomethingToSolrAreOnlyIDs(kind: SolrLive.Kind) async throws {
        let solr = try await SolrLive.shared(kind)
        let ids: [DocumentID] = [
            "a,b", "a\\,b", ",", "\\", "${x}", "${x:y}", "$${x}", "{!func}1", "a!b", "x/3!y", "a!b!c", "!", "*:*",
            "_version_", "{\"set\":1}", "+", "%2C", "\u{1}\u{1F}",
            DocumentID(stringLiteral: String(repeating: "x", count: 32_766)),
        ]
        try await solr.withCollection("solr-ids") { collection in
            try await collection.load(ids)
            #expect(try await collection.count() == ids.count)
            #expect(try await collection.exists(ids) == Array(repeating: true, count: ids.count))
            #expect(try await collection.get(ids).map(\.id) == ids)
            var query = SearchQuery()
            query.includesDocuments = false
            #expect(Set(try await collection.find(query, after: nil).documents.map(\.id)) == Set(ids))
            let results = ids.map { _ in OperationResult.done(.removed) }
            #expect(await collection.reply(to: ids.map { .remove($0) }) == .results(results))
            #expect(try await collection.exists(ids) == Array(repeating: false, count: ids.count))
        }
    }

    @Test(arguments: SolrLive.Kind.allCases)
    func concurrentUpdatesOfADocumentLoseNone(kind: SolrLive.Kind) async throws {
        let solr = try await SolrLive.shared(kind)
        try await solr.withCollection("solr-conflict") { collection in
            try await collection.load(["a"])
            let replies = await withTaskGroup { group in
                for number in 0..<16 {
                    group.addTask {
                        let json = Array(#"{"f\#(number)_i":1}"#.utf8)
                        let reply = await collection.reply(to: [.update(Document(id: "a", json: json))])
                        return (number, reply)
                    }
                }
                return await group.reduce(into: [Int: BatchReply]()) { $0[$1.0] = $1.1 }
            }
            let json = String(decoding: try await collection.get(["a"]).first?.json ?? [], as: UTF8.self)
            for (number, reply) in replies {
                guard case .results(let results) = reply else {
                    Issue.record("update \(number) was answered with \(reply)")
                    continue
                }
                let isDone = results == [.done(.updated)]
                if !isDone, case .outdated? = results.first {} else if !isDone { Issue.record("\(results)") }
                #expect(json.contains("\"f\(number)_i\":1") == isDone)
            }
        }
    }

    @Test(arguments: SolrLive.Kind.allCases)
    func aDocumentThatDoesNotFitTheSchemaSpoilsOnlyItself(kind: SolrLive.Kind) async throws {
        let solr = try await SolrLive.shared(kind)
        try await solr.withCollection("solr-misfit") { collection in
            let ids = (0..<40).map { DocumentID(stringLiteral: "\($0)") }
            let chunk = OperationChunk(
                operations: ids.map { id in
                    let json = id == "17" ? #"{"n_i":"no number"}"# : #"{"n_i":1}"#
                    return ContentOperation.add(Document(id: id, json: Array(json.utf8)))
                },
                end: InputOffset(source: 0, byte: 40),
                input: InputTally(lines: 40)
            )
            let result = await OperationFeed(engine: collection).run(ChunkList([chunk]))
            #expect(result.report.end == .completed)
            #expect(result.errors.map(\.documentID) == ["17"])
            let found = try await collection.exists(ids)
            #expect(found == ids.map { $0 != "17" })
        }
    }

    @Test(arguments: SolrLive.Kind.allCases, [true, false])
    func aHundredThousandRemovalsAddUp(kind: SolrLive.Kind, checksMissing: Bool) async throws {
        let solr = try await SolrLive.shared(kind)
        let name = CollectionName("solr-removals-\(checksMissing ? "checked" : "unchecked")")
        try await solr.withCollection(name, checksMissing: checksMissing) { collection in
            let ids = (0..<100_000).map { DocumentID(stringLiteral: "document \($0)") }
            try await collection.load(Array(ids[..<50_000]))
            #expect(try await collection.count() == 50_000)
            var options = FeedOptions()
            options.configuration.missing = .ignore
            options.configuration.level = .live
            let clock = ContinuousClock()
            let start = clock.now
            let report = await OperationFeed(engine: collection, options: options)
                .run(ChunkList(removing: ids, perChunk: 1_000)).report
            print("solr \(kind.rawValue), \(checksMissing ? "checked" : "unchecked"): \(clock.now - start)")
            #expect(report.end == .completed)
            #expect(report.counts.isBalanced)
            #expect(report.counts[.removed] == (checksMissing ? 50_000 : 0))
            #expect(report.counts[.missing] == (checksMissing ? 50_000 : 0))
            #expect(report.counts[.gone] == (checksMissing ? 0 : 100_000))
            #expect(try await collection.count() == 0)
        }
    }
}
