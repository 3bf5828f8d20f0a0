import ContentFeeding
import EngineHTTP
import EngineOpenSearch
import EngineSolr
import TestSupport
import Testing

/// The fault table: failures between this program and a real engine, despite which the report must be correct.
@Suite(.needsEngines, .serialized, .timeLimit(.minutes(10)))
struct FaultTableTests {
    /// A temporary fault: the feed must complete, with every document of the list removed.
    struct Row: Sendable {
        let name: String
        let faults: [Fault]
        /// Whether the batch's fate is unknown to the client: a removed document may then count as missing.
        let isAmbiguous: Bool
        /// Whether the fault applies only to replies with a result for each document.
        var needsItems = false
        /// The time limit of requests: long enough for a busy machine, unless the fault itself exceeds it.
        var requestTimeout = Duration.seconds(6)

        init(_ name: String, _ faults: [Fault], ambiguous: Bool, needsItems: Bool = false) {
            (self.name, self.faults, isAmbiguous) = (name, faults, ambiguous)
            self.needsItems = needsItems
        }

        /// Returns the row with a shorter time limit, which may also interrupt other requests: they are sent again.
        func timingOut(after limit: Duration) -> Row {
            var row = self
            row.requestTimeout = limit
            return row
        }
    }

    static let passing: [Row] = [
        Row("nothing", [], ambiguous: false),
        Row("reset-before-the-server", [.resetBeforeServer, .pass, .resetBeforeServer], ambiguous: true),
        Row(
            "reset-within-the-request",
            [.resetWithinRequest(after: 700), .resetWithinRequest(after: 50)],
            ambiguous: true
        ),
        Row("reset-after-the-server", [.resetAfterServer, .resetAfterServer], ambiguous: true),
        Row(
            "delivered-late",
            [.deliverLate(after: .milliseconds(100)), .deliverLate(after: .milliseconds(200))],
            ambiguous: true
        ),
        Row("reply-cut-off", [.truncateReply(after: 30), .pass, .truncateReply(after: 0)], ambiguous: true),
        Row("reply-broken-off", [.breakReply(after: 30), .breakReply(after: 1)], ambiguous: true),
        Row("reply-stalled", [.stallReply(.seconds(5))], ambiguous: true).timingOut(after: .seconds(3)),
        Row("reply-dripping", [.dripReply(bytes: 1, every: .milliseconds(100))], ambiguous: true)
            .timingOut(after: .seconds(3)),
        Row("reply-dripping-in-time", [.dripReply(bytes: 400, every: .milliseconds(5))], ambiguous: false),
        Row("page-of-a-proxy-unseen", [.answer(.page(502)), .answer(.page(504))], ambiguous: true),
        Row(
            "page-of-a-proxy-after-the-server",
            [.answerAfterServer(.page(502)), .answerAfterServer(.page(200, title: "Hello"))],
            ambiguous: true
        ),
        Row("unavailable", [.answer(.throttled(503)), .answer(.throttled(503, retryAfter: 1))], ambiguous: true),
        Row(
            "throttled",
            [.answer(.throttled()), .answer(.throttled()), .answer(.throttled(retryAfter: 1))],
            ambiguous: false
        ),
        Row("storm-of-throttling", Array(repeating: .answer(.throttled()), count: 12), ambiguous: false),
        Row("no-http", [.raw(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8))], ambiguous: true),
        Row("replies-of-other-requests", [.swapReplies, .swapReplies], ambiguous: true, needsItems: true),
        Row("one-result-lost", [.edit(.droppingLast())], ambiguous: true, needsItems: true),
        Row("one-result-twice", [.edit(.repeatingLast())], ambiguous: true, needsItems: true),
        Row("results-swapped", [.edit(.swappingEnds())], ambiguous: true, needsItems: true),
        Row("too-large", [.answer(.json(413, "{}")), .pass, .answer(.json(413, "{}"))], ambiguous: false),
    ]

    @Test(arguments: FaultedFeed.Product.allCases)
    func `After a temporary fault, exactly the listed documents have been removed`(
        product: FaultedFeed.Product
    ) async throws {
        try await FaultedFeed.withCollection(of: product) { collection in
            for row in Self.passing where !row.needsItems || product != .solr {
                let feed = try await FaultedFeed.run(
                    product,
                    row.faults,
                    in: collection,
                    requestTimeout: row.requestTimeout
                )
                feed.expectTruth(row.name)
                #expect(feed.report.end == .completed, "\(row.name)")
                #expect(feed.report.counts.open == 0 && feed.left.isEmpty, "\(row.name)")
                let counts = feed.report.counts
                let gone = counts[.gone]
                #expect(counts[.removed] + counts[.missing] + gone == FaultedFeed.count, "\(row.name)")
                #expect(feed.report.errorCount == feed.outcomes.count { $0.issue != nil }, "\(row.name)")
                if !row.isAmbiguous {
                    let half = FaultedFeed.count / 2
                    #expect([counts[.removed], feed.report.errorCount, gone] == [half, half, 0], "\(row.name)")
                }
                print(feed.line(product, row.name))
            }
        }
    }

    /// A fault that retries can't overcome: the feed must stop and report the reason, and all operations that were not
    /// carried out remain open.
    static let stopping: [(String, Fault, EngineError.Code)] = [
        ("redirect-elsewhere", .answer(.redirect(to: "http://elsewhere.example/")), .missingTarget),
        ("password-changed", .answer(.json(401, "{}")), .permission),
        ("not-allowed", .answer(.json(403, "{}")), .permission),
        ("page-not-found", .answer(.page(404, title: "Not Found")), .unusable),
        ("method-not-allowed", .answer(.page(405, title: "Method Not Allowed")), .unusable),
    ]

    @Test(arguments: FaultedFeed.Product.allCases)
    func `After a permanent fault, the feed stops and its report is correct`(
        product: FaultedFeed.Product
    ) async throws {
        try await FaultedFeed.withCollection(of: product) { collection in
            for (name, fault, code) in Self.stopping {
                // Solr itself responds with 404 while it loads a collection, so requests to an existing collection are
                // repeated.
                if product == .solr, name == "page-not-found" { continue }
                let faults = [.pass] + Array(repeating: fault, count: 50)
                let feed = try await FaultedFeed.run(product, faults, in: collection)
                feed.expectTruth(name)
                guard case .stopped(.engine(code, _)) = feed.report.end else {
                    Issue.record("\(name): \(String(describing: feed.report.end))")
                    continue
                }
                #expect(feed.report.counts.open > 0, "\(name)")
                print(feed.line(product, name))
            }
        }
    }
}

extension FaultedFeed {
    /// Returns the row of the table.
    func line(_ product: Product, _ name: String) -> String {
        let counts = Outcome.allCases.compactMap { report.counts[$0] > 0 ? "\($0.name) \(report.counts[$0])" : nil }
        let end = report.end.map { "\($0)" } ?? ""
        return
            "fault \(product.rawValue) \(name): \(counts.joined(separator: ", ")), open \(report.counts.open), errors "
            + "\(report.errorCount), \(requests.count) requests, \(left.count) left, \(end)"
    }
}

/// Removals through a misbehaving proxy, and the engine's true state behind it.
///
/// Every second document of the list exists, and so do some that are not in the list: the outcome of each operation is
/// compared with the contents of the engine at the end.
struct FaultedFeed {
    /// The engine whose collection is fed.
    enum Product: String, CaseIterable, Sendable {
        case openSearch
        case elasticsearch
        case solr

        /// Part of the path of requests that contain batches.
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
    /// The documents of the list that the engine still has at the end.
    let left: Set<DocumentID>
    let bystandersLeft: Int

    static func isThere(_ number: UInt64) -> Bool { number % 2 == 1 }

    /// Creates a collection for any number of runs, because an engine takes longer for that than for a run.
    static func withCollection(of product: Product, _ body: (CollectionName) async throws -> Void) async throws {
        let engine = try await product.open(try await product.engine().urls[0], ConnectionOptions())
        let collection = CollectionName("faults-\(product.rawValue.lowercased())")
        _ = try? await engine.delete(collection)
        let configSet = CollectionSetting(name: "configSet", value: "webcollection")
        try await engine.create(collection, settings: product == .solr ? [configSet] : [])
        try await body(collection)
        _ = try await engine.delete(collection)
    }

    /// Feeds the list through a proxy with these faults on the requests that contain batches, and then examines the
    /// engine.
    static func run(
        _ product: Product,
        _ faults: [Fault],
        in collection: CollectionName,
        requestTimeout: Duration = .seconds(6)
    ) async throws -> FaultedFeed {
        let live = try await product.engine()
        let proxy = try FaultProxy(before: live.urls[0])
        defer { proxy.stop() }
        let ids = (1...UInt64(count)).map { DocumentID(stringLiteral: "document-\($0)") }
        let behind = try await product.open(live.urls[0], ConnectionOptions())
        let truth = try await behind.collection(named: collection)
        let there = ids.enumerated().filter { isThere(UInt64($0.offset + 1)) }.map(\.element) + bystanders
        let documents = there.map { ContentOperation.add(Document(id: $0, json: Array("{}".utf8))) }
        guard case .results = await truth.reply(to: documents) else {
            throw LiveEngine.Failure(description: "the documents were not taken")
        }

        var options = ConnectionOptions()
        options.requestTimeout = requestTimeout
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
        return FaultedFeed(
            report: result.report,
            outcomes: outcomes,
            requests: proxy.records.filter { $0.target.contains(product.updatePath) },
            left: Set(left),
            bystandersLeft: bystandersLeft
        )
    }

    /// The rules that hold in every case: nothing is lost, reported twice or reported falsely.
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
                // This is an error only if it is certain that the document did not exist, and is only counted if the
                // first copy of the request may have removed it.
                #expect(!left.contains(outcome.documentID), "\(name): \(outcome)")
                #expect(!wasThere || outcome.issue == nil, "\(name): \(outcome)")
            case .gone: #expect(!left.contains(outcome.documentID), "\(name): \(outcome)")
            default: #expect(outcome.issue != nil, "\(name): \(outcome)")
            }
        }
    }
}
