import ContentFeeding
import Synchronization
import TestSupport
import Testing

@testable import EngineSolr

struct BatchPlanTests {
    private func items(_ operations: [ContentOperation]) -> [ContentBatch.Item] {
        operations.enumerated().map { ContentBatch.Item(id: OperationID(rawValue: UInt64($0) + 1), operation: $1) }
    }

    private func document(_ id: DocumentID, _ json: String) -> Document { Document(id: id, json: Array(json.utf8)) }

    private func stored(_ id: DocumentID, _ json: String) -> [DocumentID: StoredDocument] {
        [id: StoredDocument(id: id, version: 7, json: Array(json.utf8))]
    }

    private func plan(
        _ operations: [ContentOperation],
        found: [DocumentID: StoredDocument] = [:],
        checksMissing: Bool = true,
        addsMissing: Bool = false
    ) -> BatchPlan {
        BatchPlan(
            ContentBatch(id: BatchID(rawValue: 1), items: items(operations), addsMissing: addsMissing),
            found: found,
            checksMissing: checksMissing,
            uniqueKey: "id"
        )
    }

    @Test func `Operators are applied here, and the result is sent on condition that the document has not changed`() {
        let operations: [ContentOperation] = [
            .update(document("a", #"{"n.x":{"$inc":2},"t":{"$add":["b"]}}"#)),
            .update(document("b", #"{"n":{"$inc":2}}"#)),
        ]
        var changed = plan(operations, found: stored("a", #"{"id":"a","n.x":1,"t":"a"}"#), addsMissing: true)
        #expect(changed.results == [.done(.updated), .done(.added)])
        #expect(changed.countedVersions == ["a": DocumentVersion(rawValue: "7")])
        #expect(
            String(decoding: changed.takeBody(), as: UTF8.self)
                == #"{"add":{"doc":{"id":"a","_version_":7,"n.x":{"set":3},"t":{"set":["a","b"]}}},"#
                + #""add":{"doc":{"id":"b","_version_":-1,"n":2}}}"#
        )
    }

    @Test func `The whole document of an update is added if there is none`() {
        let operations: [ContentOperation] = ["a", "b"].map {
            .update(document($0, #"{"t":"new"}"#)).adding(Array(#"{"t":"first","n":1}"#.utf8))
        }
        var changed = plan(operations, found: stored("a", #"{"id":"a","t":"a"}"#), addsMissing: true)
        #expect(changed.results == [.done(.updated), .done(.added)])
        // If the request is interrupted, the second time would change the document that the first one added.
        #expect(changed.countedVersions == ["a": DocumentVersion(rawValue: "7")])
        #expect(
            String(decoding: changed.takeBody(), as: UTF8.self)
                == #"{"add":{"doc":{"id":"a","_version_":7,"t":{"set":"new"}}},"#
                + #""add":{"doc":{"id":"b","_version_":-1,"t":"first","n":1}}}"#
        )
    }

    @Test func `A counter is not applied to a document without a version`() {
        let unversioned = StoredDocument(id: "a", version: nil, json: Array(#"{"n":1}"#.utf8))
        let plan = plan([.update(document("a", #"{"n":{"$inc":2}}"#))], found: ["a": unversioned])
        guard case .failed(let failure)? = plan.results.first else { return #expect(plan.places.isEmpty) }
        #expect(failure.message.contains("_version_"))
    }

    @Test func `A counter that may have been sent is sent again only to the same version`() {
        let update = ContentOperation.update(document("a", #"{"n":{"$inc":1}}"#))
        let counted = CountedVersions()
        let sent: [DocumentID: DocumentVersion] = ["a": DocumentVersion(rawValue: "7")]
        let first = ContentBatch(id: BatchID(rawValue: 1), items: [.init(id: .first, operation: update)])
        let again = ContentBatch(
            id: BatchID(rawValue: 2),
            items: [.init(id: .first, operation: update, mayHaveApplied: true)]
        )
        func results(_ version: Int64) -> [OperationResult] {
            let document = StoredDocument(id: "a", version: version, json: Array(#"{"n":1}"#.utf8))
            return BatchPlan(again, found: ["a": document], checksMissing: true, uniqueKey: "id", counted: counted)
                .results
        }
        #expect(results(7) == [.failed(.perhapsCounted)], "this process has not sent it")
        let failure = DocumentFailure(.attemptsExhausted, "no reply", disposition: .retryable)
        counted.note(sent, .failed(BatchFailure(.ambiguous, failure)), to: first)
        #expect(results(7) == [.done(.updated)])
        counted.note(sent, .results([.notNow(failure)]), to: again)
        #expect(results(7) == [.done(.updated)], "the first copy is still open")
        #expect(results(8) == [.failed(.perhapsCounted)])
        counted.note(sent, .results([.done(.updated)]), to: again)
        #expect(results(7) == [.failed(.perhapsCounted)], "it is settled")
    }

    @Test func `The lookup classifies removals, but all of them are sent`() {
        let plan = plan([.remove("a"), .remove("b")], found: stored("b", "{}"))
        #expect(plan.results == [.done(.missing), .done(.removed)])
        #expect(plan.places.count == 2)
    }

    @Test func `Removals without a lookup have the outcome gone`() {
        #expect(plan([.remove("a")], checksMissing: false).results == [.done(.gone)])
        #expect(BatchPlan.lookUps(items([.remove("a")]), checksMissing: false).isEmpty)
    }

    @Test func `Commands are in the order of the batch`() {
        var plan = plan(
            [
                .remove("a"), .add(document("b", "{}")), .update(document("c", #"{"t":"x"}"#)),
                .update(document("d", #"{"t":"x"}"#)), .add(document("e", "[]")), .remove("f"),
            ],
            found: stored("c", #"{"t":"y"}"#),
            checksMissing: false
        )
        #expect(plan.results.count == 6)
        #expect(plan.results[..<4] == [.done(.gone), .done(.added), .done(.updated), .done(.missing)])
        #expect(plan.results[5] == .done(.gone))
        #expect(plan.places == [0, 1, 2, 5])
        let body = String(decoding: plan.takeBody(), as: UTF8.self)
        #expect(
            body == #"{"delete":["a"],"add":{"doc":{"id":"b"}},"#
                + #""add":{"doc":{"id":"c","_version_":7,"t":{"set":"x"}}},"delete":["f"]}"#
        )
    }

    @Test func `Additions and updates are always looked up`() {
        let batch = items([.remove("a"), .add(document("b", "{}")), .update(document("c", "{}"))])
        #expect(BatchPlan.lookUps(batch, checksMissing: false) == ["b", "c"])
        #expect(BatchPlan.lookUps(batch, checksMissing: true) == ["a", "b", "c"])
    }

    @Test func `Additions report whether the document existed`() {
        let plan = plan([.add(document("a", "{}")), .add(document("b", "{}"))], found: stored("b", "{}"))
        #expect(plan.results == [.done(.added), .done(.updated)])
    }

    @Test(arguments: [
        (#"{"t":"x"}"#, OperationResult.done(.noop)), (#"{"t":"\u0078"}"#, .done(.noop)), ("{}", .done(.noop)),
        (#"{"none":null}"#, .done(.noop)), (#"{"id":"other"}"#, .done(.noop)),
        (#"{"t":"y"}"#, .done(.updated)), (#"{"t":null}"#, .done(.updated)), (#"{"u":1}"#, .done(.updated)),
    ])
    func `An update is sent if it changes something`(patch: String, result: OperationResult) {
        let plan = plan([.update(document("a", patch))], found: stored("a", #"{"id":"a","t":"x"}"#))
        #expect(plan.results == [result])
        #expect(plan.places.count == (result == .done(.updated) ? 1 : 0))
    }

    @Test func `An update of a nonexistent document is reported as missing and not sent`() {
        let plan = plan([.update(document("a", #"{"t":1}"#))])
        #expect(plan.results == [.done(.missing)])
        #expect(plan.places.isEmpty)
    }

    @Test func `A refused document does not affect the others`() {
        let plan = plan([.add(document("a", #"{"deep":{}}"#)), .remove("b")])
        guard case .failed = plan.results.first else {
            Issue.record("a nested document was planned as \(plan.results)")
            return
        }
        #expect(plan.places == [1])
    }

    @Test func `The documents that a tolerant reply names fail`() {
        let operations: [ContentOperation] = [.add(document("a", "{}")), .remove("b"), .remove("c")]
        let plan = plan(operations)
        let error = ReplyHeader.ItemError(type: "ADD", id: "a", message: "unknown field")
        let results = plan.results(after: [error], of: items(operations))
        let failure = DocumentFailure(.rejectedByEngine, "unknown field")
        #expect(results == [.failed(failure), .done(.missing), .done(.missing)])
    }

    @Test(arguments: ["", "other", "cafe\u{301}"])
    func `A tolerant reply about other documents is not trusted`(id: String) {
        let operations = [ContentOperation.remove("caf\u{E9}")]
        let error = ReplyHeader.ItemError(type: "DELID", id: id, message: "")
        #expect(plan(operations).results(after: [error], of: items(operations)) == nil)
    }

    @Test func `A tolerant reply distinguishes IDs by their bytes`() {
        let operations: [ContentOperation] = [.remove("caf\u{E9}"), .remove("cafe\u{301}")]
        let error = ReplyHeader.ItemError(type: "DELID", id: "caf\u{E9}", message: "m")
        let results = plan(operations).results(after: [error], of: items(operations))
        #expect(results?.map(\.kind) == ["failed", "done"])
    }

    @Test func `Operations that a later lookup does not confirm are ambiguous`() {
        let operations: [ContentOperation] = [
            .remove("a"), .remove("b"), .add(document("c", "{}")), .add(document("d", "{}")),
        ]
        let before = stored("c", "{}").merging(stored("b", "{}")) { $1 }
        let plan = plan(operations, found: before)
        let results = plan.results(plan.results, confirmedBy: before, before: before, of: items(operations))
        #expect(results.map(\.kind) == ["done", "in transit", "in transit", "in transit"])
        let after: [DocumentID: StoredDocument] = [
            "c": StoredDocument(id: "c", version: 8, json: []), "d": StoredDocument(id: "d", version: nil, json: []),
        ]
        let confirmed = plan.results(plan.results, confirmedBy: after, before: before, of: items(operations))
        #expect(confirmed == plan.results)
    }

    private let conflicting: [ContentOperation] = [
        .remove("a"), .update(Document(id: "b", json: Array(#"{"t":1}"#.utf8))), .remove("c"),
    ]

    @Test(arguments: ["version conflict for b expected=7 actual=8", "Document not found for update.  id=b"])
    func `On a standalone Solr, a conflict stops the batch immediately`(reason: String) {
        let plan = plan(conflicting, found: stored("b", "{}"))
        let results = plan.results(afterConflict: reason, of: items(conflicting), inOrder: true)
        #expect(results?.map(\.kind) == ["done", "outdated", "notNow"])
    }

    @Test func `A conflict in a cluster makes the other operations ambiguous`() {
        let plan = plan(conflicting, found: stored("b", "{}"))
        let reason = "version conflict for b expected=7 actual=8"
        let results = plan.results(afterConflict: reason, of: items(conflicting), inOrder: false)
        #expect(results?.map(\.kind) == ["unknown", "outdated", "unknown"])
    }

    @Test func `A cluster may name several documents, and each is a conflict`() {
        let operations: [ContentOperation] = ["a", "b", "c", "d"].map { .update(document($0, #"{"t":1}"#)) }
        let found = ["a", "b", "c", "d"].map { stored($0, "{}") }.reduce(into: [:]) { $0.merge($1) { old, _ in old } }
        let plan = plan(operations, found: found)
        let message = """
            2 Async exceptions during distributed update:\u{20}
            Error from server at http://h:1/solr/c: null

            request: http://h:1/solr/c

            Remote error message: version conflict for d expected=1 actual=-1
            Error from server at http://h:2/solr/c: null
            Remote error message: Async exception: Remote error message: version conflict for b expected=7 actual=8
            """
        let results = plan.results(afterConflict: message, of: items(operations), inOrder: false)
        #expect(results?.map(\.kind) == ["unknown", "outdated", "unknown", "outdated"])
        // A standalone Solr stops at the first one, so such a message is not its own.
        #expect(plan.results(afterConflict: message, of: items(operations), inOrder: true) == nil)
    }

    @Test(arguments: [true, false])
    func `Of several commands for a document, none is known to be the refused one`(inOrder: Bool) {
        let operations: [ContentOperation] = ["a", "b", "b"].map { .update(document($0, #"{"t":1}"#)) }
        let plan = plan(operations, found: stored("b", "{}"))
        let message = "version conflict for b expected=7 actual=8"
        #expect(plan.results(afterConflict: message, of: items(operations), inOrder: inOrder) == nil)
    }

    @Test(arguments: [
        "version conflict for bb expected=7 actual=8", "version conflict for a expected=7 actual=8",
        "version conflict for b expected=7", "the field t: version conflict for b expected=7 actual=8", "id=", "",
    ])
    func `A conflict that names none of the batch's updates yields no results`(reason: String) {
        let plan = plan(conflicting, found: stored("b", "{}"))
        #expect(plan.results(afterConflict: reason, of: items(conflicting), inOrder: true) == nil)
    }

    @Test(arguments: [
        ("ERROR: [doc=b] unknown field 'x'", 1), ("Error from server at u: ERROR: [doc=b] unknown field 'x'", 1),
        ("Exception writing document id c to the index; possible analysis error: immense term", 2),
        ("ERROR: [doc=c] Error adding field 'n'='ERROR: [doc=b] '", 2), ("ERROR: [doc=a] unknown field 'x'", nil),
        ("ERROR: [doc=bb] unknown field 'x'", nil), ("missing content stream", nil), ("", nil),
    ])
    func `The first document that a reason names was rejected`(reason: String, place: Int?) {
        let operations: [ContentOperation] = [.remove("a"), .add(document("b", "{}")), .add(document("c", "{}"))]
        #expect(plan(operations).place(rejectedBy: reason, of: items(operations)) == place)
        // Of two commands for the document, either may have been rejected.
        let twice = operations + [.add(document("b", "{}"))]
        #expect(plan(twice).place(rejectedBy: reason, of: items(twice)) == (place == 1 ? nil : place))
    }

    @Test func `After a rejection, only what the real-time get proves is done`() {
        let operations: [ContentOperation] = [
            .remove("gone"), .add(document("new", #"{"t":1}"#)), .add(document("none", #"{"t":1}"#)),
            .update(document("same", #"{"t":1}"#)), .update(document("set", #"{"t":1}"#)),
            .update(document("other", #"{"t":1}"#)), .update(document("counted", #"{"t":{"$inc":1}}"#)),
            .update(document("same", #"{"t":{"$inc":1}}"#)), .remove("unseen"),
        ]
        func found(_ ids: [DocumentID], _ version: Int64, _ json: String) -> [DocumentID: StoredDocument] {
            let documents = ids.map { StoredDocument(id: $0, version: version, json: Array(json.utf8)) }
            return Dictionary(uniqueKeysWithValues: documents.map { ($0.id, $0) })
        }
        let before = found(["gone", "same", "set", "other", "counted"], 7, #"{"t":0}"#)
        let after = found(["same"], 7, #"{"t":0}"#).merging(found(["new", "set", "counted"], 8, #"{"t":1}"#)) { $1 }
            .merging(found(["other"], 8, #"{"t":2}"#)) { $1 }
        let plan = plan(operations, found: before)
        // A standalone Solr has executed nothing after its response, so an unchanged version is a proof.
        for (inOrder, undone, counter) in [(false, [2, 3, 8], "unknown"), (true, [2, 3, 7, 8], "done")] {
            var results = plan.results
            let rest = plan.unsettle(
                &results,
                at: plan.places,
                after: after,
                before: before,
                of: items(operations),
                inOrder: inOrder
            )
            #expect(rest == undone)
            let kinds = ["done", "done", "done", "done", "done", "unknown", "unknown", counter, "done"]
            #expect(results.map(\.kind) == kinds)
        }
    }

    @Test(arguments: [
        ("1", "[1]", true), ("[1]", "1", true), ("[]", nil, true), ("null", nil, true), ("1", nil, false),
        ("3.14159265358979", "3.1415927", true), ("[3.14159265358979,0.1]", "[3.1415927,0.1]", true),
        ("3.14159265358979", "3.141593", false), ("123456789", "1.23456792E8", true),
        ("123456789", "123456792", false), ("0.1", "0.10000000149", false),
        (#""2026-11-29T12:00:00.000Z""#, #""2026-11-29T12:00:00Z""#, true), (#""a""#, #"["a","b"]"#, false),
        ("1", #""1""#, true), (#""3.14159265358979""#, "3.1415927", false),
    ])
    func `After a rejection, a value in the form in which Solr keeps it was written`(
        sent: String,
        stored: String?,
        isHeld: Bool
    ) throws {
        let operation = ContentOperation.add(document("a", #"{"f":\#(sent)}"#))
        let json = stored.map { #"{"id":"a","f":\#($0),"other":1}"# } ?? #"{"id":"a"}"#
        let after = StoredDocument(id: "a", version: 8, json: Array(json.utf8))
        let plan = plan([operation])
        var results = plan.results
        let rest = plan.unsettle(
            &results,
            at: plan.places,
            after: ["a": after],
            before: [:],
            of: items([operation]),
            inOrder: false
        )
        #expect(rest.isEmpty)
        #expect(results.map(\.kind) == [isHeld ? "done" : "unknown"])
    }

    @Test func `A counter that a standalone Solr changed before a document that it wrote is done`() {
        let count = ContentOperation.update(document("counted", #"{"n":{"$inc":1}}"#))
        let add = ContentOperation.add(document("new", #"{"t":1}"#))
        func stored(_ id: DocumentID, _ version: Int64, _ json: String) -> StoredDocument {
            StoredDocument(id: id, version: version, json: Array(json.utf8))
        }
        let before: [DocumentID: StoredDocument] = ["counted": stored("counted", 7, #"{"n":4}"#)]
        let counted: [DocumentID: StoredDocument] = ["counted": stored("counted", 8, #"{"n":5}"#)]
        let again: [DocumentID: StoredDocument] = ["counted": stored("counted", 9, #"{"n":6}"#)]
        let new: [DocumentID: StoredDocument] = ["new": stored("new", 8, #"{"t":1}"#)]
        let other: [DocumentID: StoredDocument] = ["new": stored("new", 8, #"{"t":2}"#)]
        typealias Documents = [DocumentID: StoredDocument]
        typealias Row = (operations: [ContentOperation], after: Documents, inOrder: Bool, kind: String)
        let rows: [Row] = [
            ([count, add], counted.merging(new) { $1 }, true, "done"),
            ([count, add], counted.merging(new) { $1 }, false, "unknown"),
            ([add, count], counted.merging(new) { $1 }, true, "unknown"),
            ([count, add], counted.merging(other) { $1 }, true, "unknown"),
            ([count, add], counted, true, "unknown"), ([count, add], again.merging(new) { $1 }, true, "unknown"),
        ]
        for row in rows {
            let plan = plan(row.operations, found: before)
            var results = plan.results
            _ = plan.unsettle(
                &results,
                at: plan.places,
                after: row.after,
                before: before,
                of: items(row.operations),
                inOrder: row.inOrder
            )
            let place = row.operations[0].isCounting ? 0 : 1
            #expect(results[place].kind == row.kind, "\(row)")
        }
    }
}

/// The results of a batch in which Solr rejects documents by name.
@Suite(.timeLimit(.minutes(1)))
struct IsolationTests {
    private typealias Answer = SpeakingServer.Answer

    /// Returns the reply to a real-time get of `id=…&id=…`, in which each existing document has the value 1 under a key.
    private static func documents(_ body: String, key: String = "x", _ exists: (String) -> Bool) -> Answer {
        let ids = body.split(separator: "&").map { String($0.dropFirst(3)) }
        let documents = ids.filter(exists).map { #"{"id":"\#($0)","_version_":7,"\#(key)":1}"# }
        if ids.count == 1 { return Answer(body: #"{"doc":\#(documents.first ?? "null")}"#) }
        let list = documents.joined(separator: ",")
        return Answer(body: #"{"response":{"numFound":\#(documents.count),"docs":[\#(list)]}}"#)
    }

    @Test func `If Solr names no rejected document, the stored documents show which commands were executed`()
        async throws
    {
        let stored = Mutex<Set<String>>([])
        let server = try SpeakingServer { target, body in
            if target.hasPrefix("/c/update") {
                for id in ["a", "b", "bad", "c", "d"] where body.contains(#""id":"\#(id)""#) {
                    // Like Solr, it stops at the document that it rejects.
                    if id == "bad" {
                        return Answer(
                            status: 400,
                            body: #"{"responseHeader":{"status":400},"error":{"msg":"no reason","code":400}}"#
                        )
                    }
                    _ = stored.withLock { $0.insert(id) }
                }
                return Answer(body: #"{"responseHeader":{"status":0}}"#)
            }
            return target.hasPrefix("/c/get")
                ? Self.documents(body) { id in stored.withLock { $0.contains(id) } }
                : SpeakingServer.known(target, isThere: true)
        }
        let items = (["a", "b", "bad", "c", "d"] as [DocumentID]).map {
            ContentBatch.Item(id: .first, operation: .add(Document(id: $0, json: Array(#"{"x":1}"#.utf8))))
        }
        let collection = try await server.open().collection(named: "c")
        let reply = await collection.apply(ContentBatch(id: BatchID(rawValue: 1), items: items))
        guard case .results(let results) = reply else {
            Issue.record("the batch has no results: \(reply)")
            return
        }
        #expect(results.map(\.kind) == ["done", "done", "failed", "done", "done"])
        #expect([0, 1, 3, 4].allSatisfy { results[$0] == .done(.added) })
    }

    @Test func `Neighbors of rejected documents have their own outcomes, and counters are sent once`() async throws {
        let bodies = Mutex<[String]>([])
        let server = try SpeakingServer { target, body in
            if target.hasPrefix("/c/update") {
                bodies.withLock { $0.append(body) }
                // Like Solr, it stops at the first document that it rejects.
                let bad = ["bad1", "bad2"].first { body.contains($0) }
                guard let bad else { return Answer(body: #"{"responseHeader":{"status":0}}"#) }
                let reason = "ERROR: [doc=\(bad)] unknown field 'x'"
                return Answer(
                    status: 400,
                    body: #"{"responseHeader":{"status":400},"error":{"msg":"\#(reason)","code":400}}"#
                )
            }
            return target.hasPrefix("/c/get")
                ? Self.documents(body, key: "n") { $0.hasPrefix("n") } : SpeakingServer.known(target, isThere: true)
        }
        let count = Array(#"{"n":{"$inc":1}}"#.utf8)
        let bad = Array(#"{"x":1}"#.utf8)
        let operations: [ContentOperation] = [
            .add(Document(id: "a", json: bad)), .update(Document(id: "n1", json: count)),
            .add(Document(id: "bad1", json: bad)), .update(Document(id: "n2", json: count)),
            .add(Document(id: "bad2", json: bad)), .add(Document(id: "z", json: bad)),
        ]
        let items = operations.enumerated().map {
            ContentBatch.Item(id: OperationID(rawValue: UInt64($0) + 1), operation: $1)
        }
        let collection = try await server.open().collection(named: "c")
        let reply = await collection.apply(ContentBatch(id: BatchID(rawValue: 1), items: items))
        guard case .results(let results) = reply else {
            Issue.record("the batch has no results: \(reply)")
            return
        }
        #expect(results.map(\.kind) == ["done", "done", "failed", "done", "failed", "done"])
        #expect([0, 1, 3, 5].map { results[$0] } == [.done(.added), .done(.updated), .done(.updated), .done(.added)])
        let sent = bodies.withLock { $0 }
        #expect(sent.count == 3)
        #expect(sent.map { $0.contains("n1") } == [true, false, false])
        #expect(sent.map { $0.contains("n2") } == [true, true, false])
    }

    /// A cluster may not name the document, and then only halves reveal it.
    @Test(arguments: [true, false])
    func `Each of many rejected documents is found quickly, with its own reason`(isNamed: Bool) async throws {
        let count = 128
        let bad = Set(isNamed ? (40..<110).map { "d\($0)" } : ["d3", "d64", "d127"])
        let stored = Mutex<Set<String>>([])
        let sent = Mutex<[Int]>([])
        let server = try SpeakingServer { target, body in
            if target.hasPrefix("/c/update") {
                let ids = body.split(separator: #""id":""#).dropFirst().map { String($0.prefix { $0 != "\"" }) }
                sent.withLock { $0.append(ids.count) }
                for id in ids {
                    guard bad.contains(id) else {
                        _ = stored.withLock { $0.insert(id) }
                        continue
                    }
                    let reason = isNamed ? "ERROR: [doc=\(id)] unknown field" : "no reason but (\(id))"
                    let error = #""error":{"msg":"\#(reason)","code":400}"#
                    return Answer(status: 400, body: #"{"responseHeader":{"status":400},\#(error)}"#)
                }
                return Answer(body: #"{"responseHeader":{"status":0}}"#)
            }
            return target.hasPrefix("/c/get")
                ? Self.documents(body) { id in stored.withLock { $0.contains(id) } }
                : SpeakingServer.known(target, isThere: true)
        }
        let items = (0..<count).map {
            let document = Document(id: DocumentID(stringLiteral: "d\($0)"), json: Array(#"{"x":1}"#.utf8))
            return ContentBatch.Item(id: OperationID(rawValue: UInt64($0) + 1), operation: .add(document))
        }
        let collection = try await server.open().collection(named: "c")
        let reply = await collection.apply(ContentBatch(id: BatchID(rawValue: 1), items: items))
        guard case .results(let results) = reply else {
            Issue.record("the batch has no results: \(reply)")
            return
        }
        for (place, result) in results.enumerated() {
            guard bad.contains("d\(place)") else {
                #expect(result == .done(.added))
                continue
            }
            guard case .failed(let failure) = result else {
                Issue.record("a rejected document is \(result)")
                continue
            }
            let name = isNamed ? "[doc=d\(place)]" : "(d\(place))"
            #expect(failure.message.contains(name), "\(failure.message)")
        }
        let sizes = sent.withLock { $0 }
        // Twice the logarithm of 128 for each document, and the batch itself.
        #expect(sizes.count <= (isNamed ? 2 * bad.count + 1 : bad.count * 2 * 7 + 1))
        #expect(sizes.reduce(0, +) <= count * 9)
    }
}

extension OperationResult {
    fileprivate var kind: String {
        switch self {
        case .done: "done"
        case .failed: "failed"
        case .notNow: "notNow"
        case .outdated: "outdated"
        case .unknown(_, answered: false): "in transit"
        case .unknown(_, answered: true): "unknown"
        }
    }
}

/// The results of a batch that a cluster accepted after a pause, determined by looking up its documents again.
@Suite(.timeLimit(.minutes(1)))
struct ConfirmationTests {
    private typealias Answer = SpeakingServer.Answer

    private func reply(milliseconds: Int, get: SpeakingServer.Answer) async throws -> BatchReply {
        let update = Answer(
            body: #"{"responseHeader":{"status":0,"QTime":\#(milliseconds),"errors":[{"type":"DELID","id":"b"}]}}"#
        )
        let collection = try await SpeakingServer.cloud(update: update, get: get).open().collection(named: "c")
        let ids: [DocumentID] = ["a", "b"]
        let items = ids.map { ContentBatch.Item(id: .first, operation: .remove($0)) }
        return await collection.apply(ContentBatch(id: BatchID(rawValue: 1), items: items))
    }

    private let refused = OperationResult.failed(DocumentFailure(.rejectedByEngine))

    @Test func `Operations that the lookup confirms are done`() async throws {
        let reply = try await reply(milliseconds: 400, get: Answer(body: #"{"response":{"numFound":0,"docs":[]}}"#))
        #expect(reply == .results([.done(.gone), refused]))
    }

    @Test(arguments: [
        Answer(status: 403, body: "<html>"), Answer(status: 404, body: "<html>"), Answer(status: 500, body: ""),
        Answer(status: 429, body: #"{"responseHeader":{"status":429},"error":{"msg":"m","code":429}}"#),
        Answer(status: 409, body: #"{"responseHeader":{"status":409},"error":{"msg":"m","code":409}}"#),
        Answer(status: 400, body: #"{"responseHeader":{"status":400},"error":{"msg":"m","code":400}}"#),
        Answer(body: "<html>"), Answer(body: "{}"),
    ])
    func `A failed lookup does not make an update fail`(answer: SpeakingServer.Answer) async throws {
        guard case .results(let results) = try await reply(milliseconds: 400, get: answer) else {
            Issue.record("an update that Solr had taken was called a failure")
            return
        }
        guard case .unknown(_, answered: false) = results.first else {
            Issue.record("a removal that nobody could look at is \(results)")
            return
        }
        #expect(results.last == refused)
    }

    @Test func `An update that was accepted without a pause is not looked up again`() async throws {
        let reply = try await reply(milliseconds: 399, get: Answer(status: 500))
        #expect(reply == .results([.done(.gone), refused]))
    }
}
