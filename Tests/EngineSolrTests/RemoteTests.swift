import ContentFeeding
import TestSupport
import Testing

@testable import EngineSolr

/// A Solr on another machine.
@Suite(.timeLimit(.minutes(1)))
struct RemoteTests {
    @Test func largeUpdatesGoUncompressed() async throws {
        let server = try SpeakingServer { target, body in
            guard target.hasPrefix("/c/update") else {
                return target.hasPrefix("/c/get")
                    ? SpeakingServer.Answer(body: #"{"response":{"docs":[]}}"#)
                    : SpeakingServer.known(target, isThere: true)
            }
            let isReadable = body.utf8.count >= 9_000 && body.hasPrefix(#"{"delete":["#)
            return SpeakingServer.Answer(
                status: isReadable ? 200 : 400,
                body: #"{"responseHeader":{"status":\#(isReadable ? 0 : 400)},"error":{"msg":"not JSON"}}"#
            )
        }
        let collection = try await server.openAsRemote().collection(named: "c")
        let items = try (0..<1_000).map {
            ContentBatch.Item(id: .first, operation: .remove(try DocumentID("document-\($0)")))
        }
        let progress = FeedProgress(job: JobID(rawValue: "J"))
        let batch = ContentBatch(id: BatchID(rawValue: 1), items: items, progress: progress)
        #expect(await collection.apply(batch) == .results(Array(repeating: .done(.missing), count: 1_000)))
    }
}
