import ContentFeeding
import TestSupport
import Testing

@testable import EngineSolr

/// What becomes of a batch that a cluster took after a pause, when it is looked at again.
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
        let progress = FeedProgress(job: JobID(rawValue: "J"))
        return await collection.apply(ContentBatch(id: BatchID(rawValue: 1), items: items, progress: progress))
    }

    private let refused = OperationResult.failed(DocumentFailure(.rejectedByEngine))

    @Test func whatTheLookUpConfirmsIsDone() async throws {
        let reply = try await reply(milliseconds: 400, get: Answer(body: #"{"response":{"docs":[]}}"#))
        #expect(reply == .results([.done(.gone), refused]))
    }

    @Test(arguments: [
        Answer(status: 403, body: "<html>"), Answer(status: 404, body: "<html>"), Answer(status: 500, body: ""),
        Answer(status: 429, body: #"{"responseHeader":{"status":429},"error":{"msg":"m","code":429}}"#),
        Answer(status: 409, body: #"{"responseHeader":{"status":409},"error":{"msg":"m","code":409}}"#),
        Answer(status: 400, body: #"{"responseHeader":{"status":400},"error":{"msg":"m","code":400}}"#),
        Answer(body: "<html>"), Answer(body: "{}"),
    ])
    func aLookUpThatFailsTakesNoUpdateBack(answer: SpeakingServer.Answer) async throws {
        guard case .results(let results) = try await reply(milliseconds: 400, get: answer) else {
            Issue.record("an update that Solr had taken was called a failure")
            return
        }
        guard case .unknown = results.first else {
            Issue.record("a removal that nobody could look at is \(results)")
            return
        }
        #expect(results.last == refused)
    }

    @Test func anUpdateWithoutAPauseIsNotLookedAt() async throws {
        let reply = try await reply(milliseconds: 399, get: Answer(status: 500))
        #expect(reply == .results([.done(.gone), refused]))
    }
}
