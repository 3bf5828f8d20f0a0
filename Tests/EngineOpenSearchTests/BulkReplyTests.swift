import ContentFeeding
import Foundation
import TestSupport
import Testing

@testable import EngineOpenSearch

struct BulkReplyTests {
    private static let actions: [BulkAction] = [
        .delete("a"), .delete("b"), .index("c", json: Array("{}".utf8), since: nil),
    ]

    private func answers(_ items: String, to actions: [BulkAction] = Self.actions) throws -> [ItemAnswer?] {
        try BulkReply.answers(in: Array(#"{"took":1,"errors":false,"items":[\#(items)]}"#.utf8), to: actions)
    }

    private func results(_ items: String) throws -> [OperationResult?] { try answers(items).map { $0?.result } }

    @Test func `Each item is matched to its operation`() throws {
        let found = try results(
            #"{"delete":{"_id":"a","result":"deleted","status":200}},"#
                + #"{"delete":{"_id":"b","result":"not_found","status":404}},"#
                + #"{"index":{"_id":"c","result":"created","status":201}}"#
        )
        #expect(found == [.done(.removed), .done(.missing), .done(.added)])
    }

    @Test func `Members of an item can be in any order, among other members`() throws {
        let found = try results(
            #"{"delete":{"status":200,"_shards":{"total":2},"result":"deleted","_seq_no":4,"_id":"a"}},"#
                + #"{"delete":{"_index":"w","result":"deleted","_id":"b","status":200}},"#
                + #"{"index":{"_id":"c","result":"updated","status":200}}"#
        )
        #expect(found == [.done(.removed), .done(.removed), .done(.updated)])
    }

    @Test(arguments: [
        // The ID or the name of the other item, a missing ID, a missing result, words that engines never use, and a
        // status that does not match.
        #"{"delete":{"_id":"b","result":"deleted","status":200}}"#,
        #"{"index":{"_id":"a","result":"deleted","status":200}}"#,
        #"{"delete":{"result":"deleted","status":200}}"#,
        #"{"delete":{"_id":"a","status":200}}"#,
        #"{"delete":{"_id":"a","result":"vanished","status":200}}"#,
        #"{"delete":{"_id":"a","result":"deleted","status":404}}"#,
        #"{"delete":{"_id":"a","result":"not_found","status":200}}"#,
        #"{"delete":{"_id":"a","result":"deleted"}}"#,
        #"{"delete":{"_id":7,"result":"deleted","status":200}}"#,
        #"{}"#,
        #"{"delete":{"_id":"a","result":"deleted","status":200},"delete":{"_id":"b","result":"deleted","status":200}}"#,
    ])
    func `An item that does not clearly belong to an operation is ignored`(item: String) throws {
        #expect(try answers(item, to: [.delete("a")]) == [nil])
    }

    private func reason(_ error: String) throws -> String {
        let item = #"{"index":{"_id":"c","status":400,"error":\#(error)}}"#
        guard case .failed(let failure)? = try answers(item, to: [Self.actions[2]]).first??.result else {
            return "none"
        }
        return failure.message
    }

    @Test func `The causes of an error are part of the reason`() throws {
        let duplicate = #"{"type":"json_parse_exception","reason":"Duplicate field 'a'"}"#
        let parse = #"{"type":"x","reason":"failed to parse","caused_by":\#(duplicate)}"#
        #expect(
            try reason(#"{"type":"mapper_parsing_exception","reason":"failed to parse","caused_by":\#(parse)}"#)
                == "the engine responded with 400: mapper_parsing_exception: failed to parse: Duplicate field 'a'"
        )
        #expect(try reason(#"{"type":"x","reason":"no","caused_by":null}"#) == "the engine responded with 400: x: no")
        #expect(try reason(#"{"type":"x","reason":"","caused_by":\#(duplicate)}"#).hasSuffix("x: Duplicate field 'a'"))
        #expect(try reason(#"{"type":"x","caused_by":"y"}"#).hasSuffix("x: no reason given"))
    }

    @Test(arguments: [(0, 450), (450, 450), (2_000, 450), (450, 2_000)])
    func `The root cause is shown whole unless it is very long`(outer: Int, root: Int) throws {
        let cause = String(repeating: "c", count: root) + " the cause"
        let quoted = String(repeating: "q", count: outer)
        let middle = #"{"type":"y","reason":"failed \#(quoted)","caused_by":{"type":"z","reason":"\#(cause)"}}"#
        let shown = try reason(#"{"type":"x","reason":"failed \#(quoted): \#(cause)","caused_by":\#(middle)}"#)
        #expect(shown.contains(root < 500 ? cause : String(cause.prefix(500)) + "…"), "\(shown)")
        #expect(shown.count < 1_100)
        // An error without a cause is not truncated before its own limit.
        #expect(try reason(#"{"type":"x","reason":"\#(cause)","root_cause":[{"reason":"\#(cause)"}]}"#).count < 560)
    }

    @Test func `If there are many long causes, the first ones and the root cause are shown`() throws {
        var error = #"{"type":"x","reason":"the last"}"#
        for level in (0..<20).reversed() {
            let long = level == 1 ? String(repeating: "y", count: 10_000) : ""
            error = #"{"type":"x","reason":"level \#(level)\#(long).","caused_by":\#(error)}"#
        }
        let shown = try reason(error)
        #expect(shown.contains("level 0.: level 1yyy") && shown.contains("level 6.") && !shown.contains("level 7."))
        #expect(shown.count < 500 && shown.hasSuffix(": the last"))
    }

    @Test func `Swapped items are not matched to any operation`() throws {
        let found = try answers(
            #"{"delete":{"_id":"b","result":"deleted","status":200}},{"delete":{"_id":"a","result":"deleted","status":200}}"#,
            to: [.delete("a"), .delete("b")]
        )
        #expect(found == [nil, nil])
    }

    @Test func `Operations without an item in the reply stay open`() throws {
        #expect(try results(#"{"delete":{"_id":"a","result":"deleted","status":200}}"#) == [.done(.removed), nil, nil])
        #expect(try results("") == [nil, nil, nil])
    }

    @Test func `Surplus items are not matched to other operations`() throws {
        let item = #"{"delete":{"_id":"a","result":"deleted","status":200}}"#
        #expect(try answers("\(item),\(item)", to: [.delete("a")]).map { $0?.result } == [.done(.removed)])
    }

    @Test(arguments: [
        "", "<html><body>502 Bad Gateway</body></html>", "[]", "{}", #"{"items":{}}"#, #"{"items":[1]}"#,
        #"{"items":[]}x"#, #"{"items":[],"items":[]}"#, #"{"items":[{"delete":[]}]}"#,
        #"{"items":[{"delete":{"_id":"a","status":99999999999999999999999}}]}"#,
        #"{"items":[{"delete":{"_id":"a","status":1e300}}]}"#, "{\"items\":[{\"delete\":{\"_id\":\"a\u{0}\"}}]}",
        #"{"items":[{"delete":{"_id":"a","result":"deleted","status":200}}"#,
        #"{"items":[{"delete":{"_id":"a","x":\#(String(repeating: "[", count: 10_000))"#,
    ])
    func `Anything but a bulk reply is an error`(body: String) {
        #expect(throws: (any Error).self) { try BulkReply.answers(in: Array(body.utf8), to: [.delete("a")]) }
    }

    @Test func `IDs in a reply are matched by their bytes`() throws {
        var random = SeededGenerator(seed: 8)
        for _ in 0..<50 {
            let count = Int.random(in: 0...40, using: &random)
            let actions = try HurtfulText.all.shuffled(using: &random).prefix(count).map {
                BulkAction.delete(try DocumentID($0))
            }
            let expected = actions.map { _ in Bool.random(using: &random) }
            let items = zip(actions, expected).map { action, isFound in
                let result: [String: Any] =
                    isFound ? ["result": "deleted", "status": 200] : ["result": "not_found", "status": 404]
                return ["delete": result.merging(["_id": action.id.text]) { $1 }]
            }
            let body = try JSONSerialization.data(withJSONObject: ["items": items])
            let found = try BulkReply.answers(in: Array(body), to: actions).map { $0?.result }
            #expect(found == expected.map { .done($0 ? .removed : .missing) })
        }
    }

    @Test func `A truncated reply is an error`() throws {
        let body = Array(
            #"{"took":1,"items":[{"delete":{"_id":"a","result":"deleted","status":200}},{"delete":{"_id":"\u0062","error":{"type":"x","reason":"y"},"status":500}}]}"#
                .utf8
        )
        #expect(try BulkReply.answers(in: body, to: [.delete("a"), .delete("b")]).count == 2)
        for end in body.indices {
            #expect(throws: (any Error).self) {
                try BulkReply.answers(in: Array(body[..<end]), to: [.delete("a"), .delete("b")])
            }
        }
    }

    private static let plain = [BulkAction.delete("a"), .delete("b"), .delete("c"), .index("é", json: [], since: nil)]
    private static let plainBodies = [#"{"took":12,"errors":false,"#, #"{"errors":false,"took":12,"#].map {
        $0 + Self.plainItems
    }
    private static let plainItems =
        #""items":["#
        + #"{"delete":{"_index":"w","_id":"a","_version":2,"result":"deleted","status":200}},"#
        + #"{"delete":{"_index":"w","_id":"b","_version":1,"result":"not_found","status":404}},"#
        + #"{"delete":{"_index":"w","_id":"c","_version":3,"result":"not_found","status":404}},"#
        + #"{"index":{"_index":"w","_id":"é","_version":1,"result":"created","status":201}}]}"#

    @Test(arguments: plainBodies)
    func `A reply in the usual form is read by comparing bytes`(text: String) throws {
        let body = Array(text.utf8)
        let expected: [ItemAnswer?] = [
            .result(.done(.removed)), .result(.done(.missing)), .absentSinceRecently, .result(.done(.added)),
        ]
        #expect(PlainBulkReply.answers(in: body, to: Self.plain, from: "w") == expected)
        #expect(try BulkReply.answers(in: body, to: Self.plain, from: "w") == expected)
    }

    @Test(arguments: plainBodies)
    func `The byte comparison always agrees with the parser`(text: String) throws {
        let body = Array(text.utf8)
        for place in body.indices {
            for byte in [UInt8(ascii: "0"), UInt8(ascii: "9"), UInt8(ascii: "\""), UInt8(ascii: "a"), 0x20, 0, 0xFF] {
                var changed = body
                changed[place] = byte
                guard let compared = PlainBulkReply.answers(in: changed, to: Self.plain, from: "w") else { continue }
                // A number with a leading zero is not valid JSON, but its meaning is clear.
                guard let read = try? BulkReply.answers(in: changed, to: Self.plain, from: "w") else { continue }
                #expect(compared == read)
            }
            #expect(PlainBulkReply.answers(in: Array(body[..<place]), to: Self.plain, from: "w") == nil)
        }
        #expect(PlainBulkReply.answers(in: body + [0x20], to: Self.plain, from: "w") == nil)
        #expect(PlainBulkReply.answers(in: body, to: Array(Self.plain.dropLast()), from: "w") == nil)
        #expect(PlainBulkReply.answers(in: body, to: Self.plain + [.delete("x")], from: "w") == nil)
    }
}

struct ItemAnswerTests {
    /// The meaning of an item with an error if others in its batch succeeded, and if all have the same error.
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
        Row(status: 400, type: "index_closed_exception", alone: .notNow, all: .stop(.rejected)),
        Row(status: 403, type: "security_exception", alone: .notNow, all: .stop(.permission)),
        Row(status: 400, type: "mapper_parsing_exception", alone: .failed, all: nil),
        Row(status: 400, type: "routing_missing_exception", alone: .failed, all: nil),
        Row(status: 404, type: "document_missing_exception", alone: .failed, all: nil),
        // A shard that is being moved.
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
    func `The failure of one of several operations has the result of its row in the table`(row: Row) throws {
        let good = #"{"delete":{"_id":"0","result":"deleted","status":200}}"#
        guard case .results(let results) = try reply([good, item(1, row)]), results.count == 2 else {
            Issue.record("no results")
            return
        }
        #expect(results[0] == .done(.removed))
        switch (results[1], row.alone) {
        case (.failed(let failure), .failed), (.notNow(let failure), .notNow), (.outdated(let failure), .outdated),
            (.unknown(let failure, _), .unknown):
            #expect((row.type.isEmpty || failure.message.contains(row.type)) && failure.message.contains("the reason"))
        default: Issue.record("taken for \(results[1])")
        }
    }

    /// A mapping error quotes the value, which may be a whole document.
    @Test func `A reason that quotes a document is truncated`() throws {
        let words = String(repeating: "ü", count: 2_000_000)
        let error = #"{"type":"mapper_parsing_exception","reason":"\#(words)"}"#
        let good = #"{"delete":{"_id":"0","result":"deleted","status":200}}"#
        let bad = #"{"delete":{"_id":"1","status":400,"error":\#(error)}}"#
        guard case .results(let results) = try reply([good, bad]), case .failed(let failure) = results[1] else {
            Issue.record("not a failure of one document")
            return
        }
        #expect(failure.message.contains("üü…") && failure.message.count < 1000)
    }

    @Test(arguments: rows)
    func `The failure of all operations of a batch has the result of its row in the table`(row: Row) throws {
        switch (try reply([item(0, row), item(1, row)]), row.all) {
        case (.failed(let failure), let kind?):
            #expect(failure.kind == kind)
            #expect(failure.failure.message.contains(row.type))
        case (.results, nil): break
        case (let reply, _): Issue.record("answered with \(reply)")
        }
    }

    @Test func `An operation without a result may have taken effect`() throws {
        guard case .results(let results) = try reply(["{}", "{}"]) else {
            Issue.record("no results")
            return
        }
        for case .done in results { Issue.record("an outcome was invented") }
        #expect(results.count == 2)
    }

    @Test func `Results that are known in advance keep their positions`() {
        var plan = BulkPlan(count: 3)
        plan.send(.delete("a"), for: 0)
        plan.settle(1, .done(.missing))
        plan.send(.delete("c"), for: 2)
        let reply = plan.reply([.result(.done(.removed)), .result(.done(.missing))])
        #expect(reply == .results([.done(.removed), .done(.missing), .done(.missing)]))
        // If there are too few responses, the results of the remaining operations are unknown, in their positions.
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
