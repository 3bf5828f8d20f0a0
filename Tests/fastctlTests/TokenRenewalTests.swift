import Foundation
import Synchronization
import TestSupport
import Testing

/// A feed whose tokens expire midway.
@Suite(.enabled(if: ChildProgram.fastctl != nil), .timeLimit(.minutes(10)))
struct TokenRenewalTests {
    /// A server that accepts each token for only a few batches, and records what it has stored.
    ///
    /// A token does not expire until every refused batch has been sent again, because a client must not be refused
    /// forever.
    private final class Gate: Sendable {
        private struct State {
            var token = 1
            var batches = 0
            var refusals = 0
            /// The refused batches that have not been sent again, by their first documents.
            var refused: Set<String> = []
            var stored: [String] = []
        }

        private let state = Mutex(State())
        private static let batchesPerToken = 20

        var tokens: Int { state.withLock { $0.token } }
        var stored: [String] { state.withLock { $0.stored } }
        var refusals: Int { state.withLock { $0.refusals } }

        func answer(_ request: String) -> (body: String, status: Int) {
            let ids = request.components(separatedBy: #""_id":""#).dropFirst().map { String($0.prefix { $0 != "\"" }) }
            return state.withLock { state in
                guard request.contains("\r\nAuthorization: Bearer t\(state.token)\r\n") else {
                    state.refusals += 1
                    state.refused.formUnion(ids.prefix(1))
                    return (#"{"error":{"type":"security_exception","reason":"token expired"},"status":401}"#, 401)
                }
                state.stored += ids
                state.refused.subtract(ids)
                state.batches += 1
                if state.batches >= Self.batchesPerToken, state.refused.isEmpty {
                    (state.token, state.batches) = (state.token + 1, 0)
                }
                let items = ids.map { #"{"index":{"_id":"\#($0)","_version":1,"result":"created","status":201}}"# }
                return (#"{"took":1,"errors":false,"items":[\#(items.joined(separator: ","))]}"#, 200)
            }
        }
    }

    @Test func `No operation is lost or sent twice when tokens expire in the middle of a feed`() throws {
        let gate = Gate()
        let server = try ScriptedOpenSearch { line, request in line.contains("_bulk") ? gate.answer(request) : nil }
        let folder = try TemporaryFolder()
        let ids = (0..<1_000).map { "D\($0)" }
        let lines = ids.map { #"{"id":"\#($0)"}"# }.joined(separator: "\n")
        try lines.write(toFile: folder.path("a.jsonl"), atomically: false, encoding: .utf8)
        // Each call prints the next token.
        let calls = folder.path("calls")
        try folder.writeScript("helper", "echo x >>'\(calls)'\necho \"Bearer t$(wc -l <'\(calls)')\"")
        let end = try ChildProgram.run(
            try #require(ChildProgram.fastctl).path,
            ["add", "-c", "web", "a.jsonl", "--batch-count", "10", "--inflight", "8", "--credentials-helper"]
                + [folder.path("helper"), "--target", "opensearch+http://127.0.0.1:\(server.port)"],
            in: folder.path(""),
            environment: RunningCommand.environment(folder)
        )
        #expect(end.status == 0, "\(end.errors)")
        #expect(end.errors.contains("1000 added of 1000"), "\(end.errors)")
        #expect(gate.stored.sorted() == ids.sorted())
        let count = try String(contentsOfFile: calls, encoding: .utf8).split(separator: "\n").count
        // The helper runs once for each token, regardless of how many batches were refused in the meantime.
        #expect(gate.tokens - 1...gate.tokens ~= count, "\(count) calls for \(gate.tokens) tokens")
        #expect(gate.refusals > 0)
    }
}
