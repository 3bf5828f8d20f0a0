import TestSupport
import Testing

@testable import ContentFeeding

struct FeedAudienceTests {
    @Test func `Progress ends with the final report`() async throws {
        let feeder = DocumentFeeder(engine: InMemoryCollection())
        var progress = feeder.progress.makeAsyncIterator()
        for number in 1...5 { try await feeder.removeDocument(DocumentID("\(number)")) }
        let final = await feeder.close()
        var last: StatusReport?
        while let report = await progress.next() {
            #expect(report.counts.settled >= last?.counts.settled ?? 0)
            last = report
        }
        #expect(last?.counts == final.counts && last?.end == .completed)

        // A late listener gets only the final report.
        var late = feeder.progress.makeAsyncIterator()
        #expect(await late.next()?.counts == final.counts)
        #expect(await late.next() == nil)
    }

    @Test func `Every outcome is reported as an event`() async throws {
        let feeder = DocumentFeeder(engine: InMemoryCollection(["1", "2"]))
        let events = feeder.events.makeAsyncIterator()
        let reading = Task {
            var events = events
            var outcomes: [String: Outcome] = [:]
            while let event = try await events.next() {
                guard case .settled(let settled) = event else { continue }
                for outcome in settled { outcomes[outcome.documentID.text] = outcome.outcome }
            }
            return outcomes
        }
        for id: DocumentID in ["1", "2", "3"] { try await feeder.removeDocument(id) }
        await feeder.close()
        #expect(try await reading.value == ["1": .removed, "2": .removed, "3": .missing])
        var late = feeder.events.makeAsyncIterator()
        #expect(try await late.next() == nil)
    }

    @Test func `A reader that is too slow is informed that it missed events`() async throws {
        let audience = FeedAudience()
        var slow = FeedEvents(audience: audience).makeAsyncIterator()
        let limit = FeedEvents.maximumWaitingEvents
        let report = StatusReport(collection: "WebCollection")
        for number in 0...limit { audience.tell(.sent(BatchID(rawValue: UInt64(number)), count: 1), report) }
        audience.end(report)
        for _ in 0..<limit { #expect(try await slow.next() != nil) }
        await #expect(throws: FeedEventsMissed.self) { try await slow.next() }
    }

    @Test func `Canceling the listening task does not end the feed`() async throws {
        let feeder = DocumentFeeder(engine: InMemoryCollection(["1"]))
        let reading = Task { for await _ in feeder.progress {} }
        reading.cancel()
        await reading.value
        try await feeder.removeDocument("1")
        #expect(await feeder.close().counts.removed == 1)
    }
}
