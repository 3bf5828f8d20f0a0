import ContentFeeding
import EngineHTTP
import TestSupport
import Testing

/// A server that responds with 429 to every other request as long as it is fed.
@Suite(.needsEngines, .serialized, .timeLimit(.minutes(10)))
struct ThrottledFeedTests {
    private static let count = 20_000
    /// The number of batches in flight of the feed that does not adapt.
    private static let inFlight = 4

    /// The load that a feed put on the server.
    private struct Load {
        let requests: Int
        let refused: Int
        /// The maximum number of simultaneous requests.
        let mostAtOnce: Int
        let report: StatusReport
    }

    @Test(arguments: FaultedFeed.Product.allCases)
    func `Every operation is settled, with no more requests than with fixed batches`(
        product: FaultedFeed.Product
    ) async throws {
        let fixed = try await feed(product, "fixed") { configuration in
            configuration.batchCount = 1_000
            configuration.batchesInFlight = .fixed(Self.inFlight)
        }
        let adaptive = try await feed(product, "adaptive") { _ in }
        for load in [fixed, adaptive] {
            #expect(load.report.end == .completed && load.report.counts.isBalanced)
            #expect(load.report.counts[.removed] == Self.count)
            #expect(load.report.counts.open == 0 && load.report.errorCount == 0)
        }
        // Half of the requests are refused, regardless of the feeder's behavior, so the feeder must not send more of
        // them.
        #expect(adaptive.requests <= fixed.requests * 11 / 10)
        #expect(adaptive.mostAtOnce <= Self.inFlight)
        for (name, load) in [("fixed", fixed), ("adaptive", adaptive)] {
            print(
                "429 \(product.rawValue) \(name): \(load.requests) requests, \(load.refused) refused,"
                    + " at most \(load.mostAtOnce) at once, \(load.report.duration)"
            )
        }
    }

    /// Removes existing documents through a proxy that refuses every other request.
    private func feed(
        _ product: FaultedFeed.Product,
        _ name: String,
        _ configure: (inout FeedConfiguration) -> Void
    ) async throws -> Load {
        let live = try await product.engine()
        let behind = try await product.open(live.urls[0], ConnectionOptions())
        let collection = CollectionName("throttled-\(product.rawValue.lowercased())-\(name)")
        _ = try? await behind.delete(collection)
        let configSet = CollectionSetting(name: "configSet", value: "webcollection")
        try await behind.create(collection, settings: product == .solr ? [configSet] : [])
        let ids = (0..<Self.count).map { DocumentID(stringLiteral: "document-\($0)") }
        try await behind.collection(named: collection).load(ids)

        let proxy = try FaultProxy(before: live.urls[0])
        defer { proxy.stop() }
        let before = try await product.open(proxy.url, ConnectionOptions()).collection(named: collection)
        let filter = RequestFilter.path(product.updatePath, method: "POST")
        proxy.plan = .every(2, .answer(.throttled()), on: filter)
        var options = FeedOptions()
        configure(&options.configuration)
        let result = await OperationFeed(engine: before, options: options)
            .run(ChunkList(removing: ids, perChunk: 1_000)) { _, _ in }
        try await proxy.isIdle(within: .seconds(30))
        #expect(try await behind.collection(named: collection).count() == 0)
        _ = try await behind.delete(collection)
        let records = proxy.records.filter { $0.target.contains(product.updatePath) }
        return Load(
            requests: records.count,
            refused: records.count { $0.serverStatus == nil },
            mostAtOnce: records.mostAtOnce,
            report: result.report
        )
    }
}
