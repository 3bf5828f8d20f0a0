import ContentFeeding
import EngineSolr
import TestSupport
import Testing

/// A SolrCloud of three nodes that loses one, also while it is fed.
@Suite(.needsEngines, .breaks(.solr), .serialized, .timeLimit(.minutes(5)))
struct SolrNodeLossTests {
    @Test func `A lost shard does not cause removals`() async throws {
        let fragile = try await FragileCollection(.solrCloud, on: BreakableCluster.whole())
        try await fragile.loseShard()
        try await fragile.expectCopyKept()
    }

    @Test(arguments: [1, 2])
    func `When nodes are lost, no operation is lost or counted twice`(lost: Int) async throws {
        let solr = SolrLive(kind: .cloud, engine: try await BreakableCluster.whole())
        let administration = try await solr.open()
        let name = CollectionName("solr-loss-\(lost)")
        try await administration.create(name, settings: SolrLive.Kind.cloud.settings)
        let collection = try await administration.collection(named: name)
        let kept = (0..<500).map { DocumentID(stringLiteral: "kept \($0)") }
        let removed = (0..<30_000).map { DocumentID(stringLiteral: "removed \($0)") }
        try await collection.load(kept + removed)

        var options = FeedOptions()
        options.configuration.retry.attempts = 1_000
        options.configuration.batchCount = 200
        var settled: [DocumentID: Int] = [:]
        var words: [DocumentID: String] = [:]
        let (kills, kill) = AsyncStream<Void>.makeStream()
        let killer = Task {
            for await _ in kills {
                try await solr.engine.node(lost, .kill)
                return
            }
        }
        let result = await OperationFeed(engine: collection, options: options)
            .run(ChunkList(removing: removed, perChunk: 200)) { event, _ in
                guard case .settled(let outcomes) = event else { return }
                for outcome in outcomes {
                    settled[outcome.documentID, default: 0] += 1
                    words[outcome.documentID] = "\(outcome.outcome) at \(settled.count) after \(outcome.attempts)"
                }
                if settled.count > 5_000 { kill.yield() }
            }
        kill.finish()
        try await killer.value

        let report = result.report
        print("solr loses node \(lost): \(report.counts[.removed]) removed, \(report.counts[.missing]) missing,")
        print("\(report.resentBatches) of \(report.sentBatches) batches sent again, \(report.duration)")
        #expect(report.end == .completed)
        #expect(report.counts.isBalanced)
        #expect(settled.count == removed.count)
        #expect(settled.values.allSatisfy { $0 == 1 })
        // A document whose removal was sent twice may be reported as missing, which is then not an error.
        #expect(report.counts[.removed] + report.counts[.missing] + report.counts[.gone] == removed.count)
        #expect(try result.errors.all().isEmpty)
        let left = zip(removed, try await collection.exists(removed)).filter(\.1).map(\.0)
        let stories = left.prefix(5).map { "\($0): \(words[$0] ?? "never settled")" }
        #expect(left.isEmpty, "\(left.count) are still there: \(stories)")
        #expect(try await collection.exists(kept) == Array(repeating: true, count: kept.count))
    }
}
