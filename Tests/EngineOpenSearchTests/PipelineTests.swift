import ContentFeeding
import EngineHTTP
import TestSupport
import Testing

@testable import EngineOpenSearch

/// Ingest pipelines named by the user, and the end of a feed that names a wrong pipeline.
struct PipelineTests {
    private static let items = [
        ContentBatch.Item(id: .first, operation: .add(Document(id: "A", json: Array(#"{"n":1}"#.utf8))).only(.absent))
    ]

    private static func collection(
        _ pipeline: String?,
        _ server: ScriptedOpenSearch
    ) async throws -> any CollectionEngine {
        var use = OpenSearchEngine.Options()
        use.pipeline = pipeline
        let node = NodeAddress(scheme: .http, host: "127.0.0.1", port: server.port)
        return try await OpenSearchEngine.open(.openSearch, at: [node], use: use).collection(named: "web")
    }

    @Test(arguments: [
        ("dates", "&pipeline=dates"), ("_none", "&pipeline=_none"), ("a&b=c", "&pipeline=a%26b%3Dc"), (nil, nil),
    ])
    func `Each batch names the pipeline`(name: String?, parameter: String?) async throws {
        let server = try ScriptedOpenSearch { line, _ in
            guard line.contains("_bulk") else { return nil }
            return (#"{"items":[{"create":{"_id":"A","_version":1,"result":"created","status":201}}]}"#, 200)
        }
        let reply = try await Self.collection(name, server).apply(
            ContentBatch(id: .init(rawValue: 1), items: Self.items)
        )
        #expect(reply == .results([.done(.added)]))
        let request = try #require(server.requests("_bulk").first)
        #expect(request.contains(parameter ?? "filter_path") && request.contains("pipeline=") == (parameter != nil))
        #expect(request.contains(#"{"create":{"_id":"A"}}"#))
    }

    @Test func `A pipeline that does not exist stops the feed`() async throws {
        let server = try ScriptedOpenSearch { line, _ in
            guard line.contains("_bulk") else { return nil }
            let error = #"{"type":"illegal_argument_exception","reason":"pipeline with id [nope] does not exist"}"#
            return (#"{"items":[{"create":{"_id":"A","status":400,"error":\#(error)}}]}"#, 200)
        }
        let reply = try await Self.collection("nope", server).apply(
            ContentBatch(id: .init(rawValue: 1), items: Self.items)
        )
        let failure = try #require(reply.failure, "answered with \(reply)")
        #expect(failure.kind == .stop(.rejected) && failure.failure.message.contains("--pipeline"))
    }

    @Test func `An operation that only adds leaves an existing document unchanged`() async throws {
        let server = try ScriptedOpenSearch { line, _ in
            guard line.contains("_bulk") else { return nil }
            let reason = "[A]: version conflict, document already exists (current version [1])"
            let error = #"{"type":"version_conflict_engine_exception","reason":"\#(reason)"}"#
            return (#"{"items":[{"create":{"_id":"A","status":409,"error":\#(error)}}]}"#, 200)
        }
        let reply = try await Self.collection(nil, server).apply(
            ContentBatch(id: .init(rawValue: 1), items: Self.items)
        )
        guard case .results(let results) = reply, case .failed(let failure)? = results.first else {
            Issue.record("answered with \(reply)")
            return
        }
        #expect(failure == .alreadyExists)
    }

    @Test func `Updates without the right to read stop the feed`() async throws {
        let error = #"{"type":"security_exception","reason":"no permissions for [indices:data/read/mget[shard]]"}"#
        let server = try ScriptedOpenSearch { line, _ in
            line.contains("_mget") ? (#"{"docs":[{"_index":"web","_id":"A","error":\#(error)}]}"#, 200) : nil
        }
        let items = [ContentBatch.Item(id: .first, operation: .update(Document(id: "A", json: Array("{}".utf8))))]
        let reply = try await Self.collection(nil, server).apply(ContentBatch(id: .init(rawValue: 1), items: items))
        let failure = try #require(reply.failure, "answered with \(reply)")
        #expect(failure.kind == .stop(.permission) && server.requests("_bulk").isEmpty)
    }
}
