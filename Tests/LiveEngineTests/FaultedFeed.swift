import ContentFeeding
import EngineHTTP
import EngineOpenSearch
import EngineSolr
import TestSupport
import Testing

/// Removals through a proxy that misbehaves, and the engine's true state behind it.
///
/// Every second document of the list is there, and some that are not in the list: what became of each operation is
/// compared with what the engine has when all is over.
struct FaultedFeed {
    /// Whose collection is fed.
    enum Product: String, CaseIterable, Sendable {
        case openSearch
        case elasticsearch
        case solr

        /// A part of the path of requests that carry batches.
        var updatePath: String { self == .solr ? "/update" : "_bulk" }

        func engine() async throws -> LiveEngine {
            switch self {
            case .openSearch: try await .shared(.openSearch)
            case .elasticsearch: try await .shared(.elasticsearch)
            case .solr: try await .shared(.solr)
            }
        }

        func open(_ url: String, _ options: ConnectionOptions) async throws -> any CollectionAdministration {
            switch self {
            case .openSearch: try await OpenSearchEngine.open(.openSearch, at: nodes(url), options: options)
            case .elasticsearch: try await OpenSearchEngine.open(.elasticsearch, at: nodes(url), options: options)
            case .solr: try await SolrEngine.open(at: nodes(url), connection: options)
            }
        }

        private func nodes(_ url: String) -> [NodeAddress] {
            let port = url.split(separator: ":").last.map { $0.prefix { $0.isNumber } }.flatMap { Int($0) } ?? 0
            return [NodeAddress(scheme: .http, host: "127.0.0.1", port: port, path: self == .solr ? "/solr" : "")]
        }
    }

    static let count = 400
    static let batchCount = 100
    static let bystanders: [DocumentID] = (0..<20).map { DocumentID(stringLiteral: "bystander-\($0)") }

    let report: StatusReport
    let outcomes: [OperationOutcome]
    let requests: [FaultProxy.Record]
    /// Which documents of the list the engine still has when all is over.
    let left: Set<DocumentID>
    let bystandersLeft: Int

    static func isThere(_ number: UInt64) -> Bool { number % 2 == 1 }

    /// Feeds the list through a proxy with these faults on the requests that carry batches, and looks afterwards.
    static func run(_ product: Product, _ name: String, _ faults: [Fault]) async throws -> FaultedFeed {
        let live = try await product.engine()
        let proxy = try FaultProxy(before: live.urls[0])
        defer { proxy.stop() }
        let ids = (1...UInt64(count)).map { DocumentID(stringLiteral: "document-\($0)") }
        let behind = try await product.open(live.urls[0], ConnectionOptions())
        let collection = CollectionName("faults-\(product.rawValue.lowercased())-\(name)")
        _ = try? await behind.delete(collection)
        let configSet = CollectionSetting(name: "configSet", value: "webcollection")
        try await behind.create(collection, settings: product == .solr ? [configSet] : [])
        let truth = try await behind.collection(named: collection)
        let there = ids.enumerated().filter { isThere(UInt64($0.offset + 1)) }.map(\.element) + bystanders
        let documents = there.map { ContentOperation.add(Document(id: $0, json: Array("{}".utf8))) }
        guard case .results = await truth.reply(to: documents) else {
            throw LiveEngine.Failure(description: "the documents were not taken")
        }

        var options = ConnectionOptions()
        // Long enough for a busy machine: only what a row makes slow may be too slow.
        options.requestTimeout = .seconds(6)
        let before = try await product.open(proxy.url, options).collection(named: collection)
        proxy.plan = .sequence(faults, on: .path(product.updatePath, method: "POST"))
        var feeding = FeedOptions()
        feeding.configuration.batchCount = batchCount
        feeding.configuration.linger = .milliseconds(1)
        feeding.configuration.quarantine = .milliseconds(300)
        feeding.configuration.retry.base = .milliseconds(20)
        feeding.configuration.retry.maximum = .milliseconds(100)
        let chunk = OperationChunk(operations: ids.map { .remove($0) })
        var outcomes: [OperationOutcome] = []
        let chunks = AsyncStream<OperationChunk> {
            $0.yield(chunk)
            $0.finish()
        }
        let result = await OperationFeed(engine: before, options: feeding).run(chunks) { event, _ in
            if case .settled(let settled) = event { outcomes += settled }
        }

        try await proxy.isIdle(within: .seconds(30))
        let left = zip(ids, try await truth.exists(ids)).filter(\.1).map(\.0)
        let bystandersLeft = try await truth.exists(bystanders).count { $0 }
        _ = try await behind.delete(collection)
        return FaultedFeed(
            report: result.report,
            outcomes: outcomes,
            requests: proxy.records.filter { $0.target.contains(product.updatePath) },
            left: Set(left),
            bystandersLeft: bystandersLeft
        )
    }

    /// What holds whatever happened: nothing lost, nothing told twice, nothing told that is not so.
    func expectTruth(_ name: String) {
        let comment = Comment(rawValue: name)
        #expect(report.counts.isBalanced, comment)
        #expect(report.counts.accepted == Self.count, comment)
        #expect(Set(outcomes.map(\.operationID)).count == outcomes.count, comment)
        #expect(outcomes.count == report.counts.settled, comment)
        #expect(bystandersLeft == Self.bystanders.count, comment)
        for outcome in outcomes {
            let wasThere = Self.isThere(outcome.operationID.rawValue)
            switch outcome.outcome {
            case .removed:
                #expect(wasThere && !left.contains(outcome.documentID), "\(name): \(outcome)")
            case .missing:
                // An error only where it is certain; a count where our first copy may have removed it.
                #expect(!left.contains(outcome.documentID), "\(name): \(outcome)")
                #expect(!wasThere || outcome.issue == nil, "\(name): \(outcome)")
            case .gone: #expect(!left.contains(outcome.documentID), "\(name): \(outcome)")
            default: #expect(outcome.issue != nil, "\(name): \(outcome)")
            }
        }
    }
}
