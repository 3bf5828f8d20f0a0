import ContentFeeding
import TestSupport
import Testing

@testable import EngineSolr

/// How much of the documents that a batch changes is held at a time.
@Suite(.timeLimit(.minutes(1)))
struct LookUpBytesTests {
    private static let limit = 20_000

    /// A core whose documents all have so many bytes, and a little more.
    private func collection(documentBytes: Int) async throws -> SolrCollection {
        let text = String(repeating: "x", count: documentBytes)
        let server = try SpeakingServer { target, body in
            if target.hasPrefix("/c/update") { return SpeakingServer.Answer(body: #"{"responseHeader":{"status":0}}"#) }
            guard target.hasPrefix("/c/get") else { return SpeakingServer.known(target, isThere: true) }
            let documents = body.split(separator: "&").map {
                #"{"id":"\#($0.dropFirst(3))","_version_":7,"t":"\#(text)"}"#
            }
            return SpeakingServer.Answer(body: #"{"response":{"docs":[\#(documents.joined(separator: ","))]}}"#)
        }
        var collection = try #require(try await server.open().collection(named: "c") as? SolrCollection)
        collection.maximumLookUpBytes = Self.limit
        return collection
    }

    private func update(_ count: Int, in collection: SolrCollection) async throws -> BatchReply {
        let items = try (0..<count).map { number in
            let patch = Document(id: try DocumentID("d\(number)"), json: Array(#"{"t":"y"}"#.utf8))
            return ContentBatch.Item(id: .first, operation: .update(patch))
        }
        let progress = FeedProgress(job: JobID(rawValue: "J"))
        return await collection.apply(ContentBatch(id: BatchID(rawValue: 1), items: items, progress: progress))
    }

    @Test(arguments: [(2, limit / 2), (300, limit / 250)])
    func aBatchOfTooLargeDocumentsIsSentInHalves(count: Int, documentBytes: Int) async throws {
        guard case .failed(let failure) = try await update(count, in: collection(documentBytes: documentBytes)) else {
            Issue.record("a batch that changes too much was sent whole")
            return
        }
        #expect(failure.kind == .split(mayHaveApplied: false))
    }

    @Test(arguments: [(1, limit), (2, limit / 4)])
    func aBatchThatFitsIsSentAndSoIsASingleDocument(count: Int, documentBytes: Int) async throws {
        let reply = try await update(count, in: collection(documentBytes: documentBytes))
        #expect(reply == .results(Array(repeating: .done(.updated), count: count)))
    }
}
