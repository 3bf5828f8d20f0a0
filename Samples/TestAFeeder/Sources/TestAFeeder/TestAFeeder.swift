import ContentFeeding
import FeedingTestKit

/// Tests a feeding program without an engine, and an engine without a program.
@main
struct TestAFeeder {
    static func main() async throws {
        // The first reply is lost, so the batch is sent again.
        let lost = BatchFailure(.ambiguous, DocumentFailure(.rejectedByEngine, "the reply was lost"))
        let collection = InMemoryCollection(["ID1", "ID2"], script: [.failed(lost)])
        let counts = try await removePages(["ID1", "ID2"], from: collection)
        print("removed: \(counts.removed), left: \(collection.ids.count), batches: \(collection.batches.count)")

        // Put your own engine here.
        try await EngineContract(InMemoryEngine(), vocabulary: .accents).check()
        print("the engine fulfills the contract")
    }

    /// The code to be tested.
    static func removePages(_ ids: [DocumentID], from collection: any ContentEngine) async throws -> FeedCounts {
        let feeder = DocumentFeeder(engine: collection)
        for id in ids { try await feeder.removeDocument(id) }
        return await feeder.close().counts
    }
}
