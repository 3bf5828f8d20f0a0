import ContentFeeding
import TestSupport
import Testing

/// The fault table: what goes wrong between us and a real engine, and that the account is true all the same.
@Suite(
    .enabled(if: LiveEngine.isAvailable, "FASTCTL_ENGINES does not name the engines"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct FaultTableTests {
    /// A fault that passes: the feed must come to its end, with every document of the list gone.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let faults: [Fault]
        /// Whether the batch's fate is unknown to the client: a removed document may then count as missing.
        let isAmbiguous: Bool
        /// Only where a reply has a result for each document.
        var needsItems = false

        var testDescription: String { name }

        init(_ name: String, _ faults: [Fault], ambiguous: Bool, needsItems: Bool = false) {
            (self.name, self.faults, isAmbiguous) = (name, faults, ambiguous)
            self.needsItems = needsItems
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
        Row("reply-stalled", [.stallReply(.seconds(9))], ambiguous: true),
        Row("reply-dripping", [.dripReply(bytes: 1, every: .milliseconds(100))], ambiguous: true),
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

    @Test(arguments: FaultedFeed.Product.allCases, passing)
    func `After a fault that passes, every document of the list is gone, and only those`(
        product: FaultedFeed.Product,
        row: Row
    ) async throws {
        if row.needsItems, product == .solr { return }
        let feed = try await FaultedFeed.run(product, row.name, row.faults)
        feed.expectTruth(row.name)
        #expect(feed.report.end == .completed, "\(row.name)")
        #expect(feed.report.counts.open == 0 && feed.left.isEmpty)
        let counts = feed.report.counts
        #expect(counts[.removed] + counts[.missing] == FaultedFeed.count)
        #expect(feed.report.errorCount == feed.outcomes.count { $0.issue != nil })
        if !row.isAmbiguous {
            #expect(counts[.removed] == FaultedFeed.count / 2)
            #expect(feed.report.errorCount == FaultedFeed.count / 2)
        }
        print(feed.line(product, row.name))
    }

    /// A fault that no second try can cure: the feed must stop and say why, and what it has not done is open.
    static let stopping: [(String, Fault, EngineError.Code)] = [
        ("redirect-elsewhere", .answer(.redirect(to: "http://elsewhere.example/")), .missingTarget),
        ("password-changed", .answer(.json(401, "{}")), .permission),
        ("not-allowed", .answer(.json(403, "{}")), .permission),
        ("page-not-found", .answer(.page(404, title: "Not Found")), .unusable),
        ("method-not-allowed", .answer(.page(405, title: "Method Not Allowed")), .unusable),
    ]

    @Test(arguments: FaultedFeed.Product.allCases, stopping)
    func `After a fault that stays, the feed stops and nothing is told that is not so`(
        product: FaultedFeed.Product,
        row: (name: String, fault: Fault, code: EngineError.Code)
    ) async throws {
        // Solr itself says 404 while it loads a collection, so one that is there is asked again.
        if product == .solr, row.name == "page-not-found" { return }
        let faults = [.pass] + Array(repeating: row.fault, count: 50)
        let feed = try await FaultedFeed.run(product, row.name, faults)
        feed.expectTruth(row.name)
        guard case .stopped(.engine(row.code, _)) = feed.report.end else {
            Issue.record("\(row.name): \(String(describing: feed.report.end))")
            return
        }
        #expect(feed.report.counts.open > 0)
        print(feed.line(product, row.name))
    }
}

extension FaultedFeed {
    /// The row of the table.
    func line(_ product: Product, _ name: String) -> String {
        let counts = Outcome.allCases.compactMap { report.counts[$0] > 0 ? "\($0.name) \(report.counts[$0])" : nil }
        let end = report.end.map { "\($0)" } ?? ""
        return
            "fault \(product.rawValue) \(name): \(counts.joined(separator: ", ")), open \(report.counts.open), errors "
            + "\(report.errorCount), \(requests.count) requests, \(left.count) left, \(end)"
    }
}
