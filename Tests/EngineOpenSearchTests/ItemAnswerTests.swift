import ContentFeeding
import TestSupport
import Testing

@testable import EngineOpenSearch

struct ItemAnswerTests {
    /// What one item with an error means when others of its batch succeeded, and when all are like it.
    struct Row: Sendable, CustomTestStringConvertible {
        let status: Int
        let type: String
        let alone: Meaning
        let all: BatchFailure.Kind?

        enum Meaning { case failed, notNow, outdated, unknown }

        var testDescription: String { "\(status) \(type)" }
    }

    private static let rows = [
        Row(status: 429, type: "es_rejected_execution_exception", alone: .notNow, all: .slowDown(.zero)),
        Row(status: 429, type: "rejected_execution_exception", alone: .notNow, all: .slowDown(.zero)),
        Row(status: 429, type: "circuit_breaking_exception", alone: .notNow, all: .slowDown(.zero)),
        Row(status: 429, type: "a_name_of_tomorrow", alone: .notNow, all: .slowDown(.zero)),
        Row(status: 409, type: "version_conflict_engine_exception", alone: .outdated, all: nil),
        Row(status: 404, type: "index_not_found_exception", alone: .notNow, all: .stop(.missingCollection)),
        Row(status: 403, type: "cluster_block_exception", alone: .notNow, all: .slowDown(.seconds(30))),
        Row(status: 429, type: "cluster_block_exception", alone: .notNow, all: .slowDown(.seconds(30))),
        Row(status: 400, type: "index_closed_exception", alone: .notNow, all: .slowDown(.seconds(30))),
        Row(status: 403, type: "security_exception", alone: .notNow, all: .stop(.permission)),
        Row(status: 400, type: "mapper_parsing_exception", alone: .failed, all: nil),
        Row(status: 400, type: "routing_missing_exception", alone: .failed, all: nil),
        Row(status: 404, type: "document_missing_exception", alone: .failed, all: nil),
        // A shard that moves.
        Row(status: 404, type: "shard_not_found_exception", alone: .unknown, all: nil),
        Row(status: 404, type: "illegal_index_shard_state_exception", alone: .unknown, all: nil),
        Row(status: 408, type: "timeout_exception", alone: .unknown, all: nil),
        Row(status: 413, type: "too_large", alone: .failed, all: nil),
        Row(status: 500, type: "exception", alone: .unknown, all: nil),
        Row(status: 503, type: "unavailable_shards_exception", alone: .unknown, all: nil),
        Row(status: 503, type: "cluster_block_exception", alone: .unknown, all: nil),
        Row(status: 0, type: "", alone: .unknown, all: nil),
        Row(status: -1, type: "x", alone: .unknown, all: nil),
        Row(status: Int.max, type: "x", alone: .unknown, all: nil),
    ]

    private func reply(_ items: [String]) throws -> BatchReply {
        var plan = BulkPlan(count: items.count)
        for place in items.indices { plan.send(.delete(DocumentID(stringLiteral: "\(place)")), for: place) }
        let body = #"{"items":[\#(items.joined(separator: ","))]}"#
        return plan.reply(try BulkReply.answers(in: Array(body.utf8), to: plan.actions))
    }

    private func item(_ place: Int, _ row: Row) -> String {
        let error = #"{"type":"\#(row.type)","reason":"the reason"}"#
        return #"{"delete":{"_id":"\#(place)","status":\#(row.status),"error":\#(error)}}"#
    }

    @Test(arguments: rows)
    func oneOfSeveral(row: Row) throws {
        let good = #"{"delete":{"_id":"0","result":"deleted","status":200}}"#
        guard case .results(let results) = try reply([good, item(1, row)]), results.count == 2 else {
            Issue.record("no results")
            return
        }
        #expect(results[0] == .done(.removed))
        switch (results[1], row.alone) {
        case (.failed(let failure), .failed), (.notNow(let failure), .notNow), (.outdated(let failure), .outdated),
            (.unknown(let failure), .unknown):
            #expect(failure.message.contains(row.type) && failure.message.contains("the reason"))
        default: Issue.record("taken for \(results[1])")
        }
    }

    @Test(arguments: rows)
    func allOfABatch(row: Row) throws {
        switch (try reply([item(0, row), item(1, row)]), row.all) {
        case (.failed(let failure), let kind?):
            #expect(failure.kind == kind)
            #expect(failure.failure.message.contains(row.type))
        case (.results, nil): break
        case (let reply, _): Issue.record("answered with \(reply)")
        }
    }

    @Test func whatNobodyAnswersMayHaveHappened() throws {
        guard case .results(let results) = try reply(["{}", "{}"]) else {
            Issue.record("no results")
            return
        }
        for case .done in results { Issue.record("an outcome was invented") }
        #expect(results.count == 2)
    }

    @Test func whatIsKnownWithoutAskingKeepsItsPlace() {
        var plan = BulkPlan(count: 3)
        plan.send(.delete("a"), for: 0)
        plan.settle(1, .done(.missing))
        plan.send(.delete("c"), for: 2)
        let reply = plan.reply([.result(.done(.removed)), .result(.done(.missing))])
        #expect(reply == .results([.done(.removed), .done(.missing), .done(.missing)]))
        // Too few answers leave the others unclear, in their places.
        let words: [String] =
            switch plan.reply([nil]) {
            case .results(let results):
                results.map { result in
                    switch result {
                    case .done(let outcome): outcome.name
                    case .unknown: "unknown"
                    case .failed, .notNow, .outdated: "else"
                    }
                }
            case .failed: []
            }
        #expect(words == ["unknown", "missing", "unknown"])
        var known = BulkPlan(count: 1)
        known.settle(0, .done(.noop))
        #expect(known.reply([]) == .results([.done(.noop)]))
        #expect(BulkPlan(count: 0).reply([]) == .results([]))
    }
}
