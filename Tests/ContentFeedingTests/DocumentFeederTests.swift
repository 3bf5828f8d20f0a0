import TestSupport
import Testing

@testable import ContentFeeding

struct DocumentFeederTests {
    @Test func `The interface works as FAST programmers expect`() async throws {
        let feeder = DocumentFeeder(engine: InMemoryCollection(["ID1", "ID2", "ID4"]))
        for id: DocumentID in ["ID1", "ID2", "FAKEID", "ID4"] { try await feeder.removeDocument(id) }
        let status = try await feeder.waitForCompletion()
        #expect(status.errorCount == 1)
        var lines: [String] = []
        for try await error in await feeder.documentErrors() { lines.append(error.description) }
        #expect(
            lines == [
                "Operation ID: 3 Document ID: FAKEID Error Code: 3 Description: "
                    + "Document e14c677abdbd9678dbfe1e5580de9aef_WebCollection does not exist"
            ]
        )
        #expect(await feeder.close().counts.removed == 3)
    }

    @Test func `A missing document is treated according to the feeder's policy`() async throws {
        for (policy, errors, warnings) in [(MissingPolicy.error, 1, 0), (.warn, 0, 1), (.ignore, 0, 0)] {
            let feeder = DocumentFeeder(engine: InMemoryCollection(), missing: policy)
            try await feeder.removeDocument("FAKEID")
            let status = try await feeder.waitForCompletion()
            #expect(status.errorCount == errors && status.warningCount == warnings && status.counts.missing == 1)
            #expect(try await feeder.documentErrors().all().map(\.number) == Array(repeating: 3, count: errors))
            #expect(
                try await feeder.documentWarnings().all().map(\.description)
                    == Array(
                        repeating: "Operation ID: 1 Document ID: FAKEID Warning Code: 3 Description: "
                            + "Document e14c677abdbd9678dbfe1e5580de9aef_WebCollection does not exist",
                        count: warnings
                    )
            )
            await feeder.close()
        }
        var options = FeedOptions()
        options.configuration.missing = .ignore
        let feeder = DocumentFeeder(engine: InMemoryCollection(), options: options)
        try await feeder.removeDocument("FAKEID")
        #expect(await feeder.close().errorCount == 0)
    }

    @Test func `Operation IDs are consecutive, starting at one`() async throws {
        let feeder = DocumentFeeder(engine: InMemoryCollection())
        #expect(try await feeder.removeDocument("a").rawValue == 1)
        try await feeder.waitForCompletion()
        #expect(try await feeder.removeDocument("a").rawValue == 2)
        #expect(await feeder.close().counts.accepted == 2)
    }

    @Test func `Many tasks can push operations at the same time`() async throws {
        let engine = InMemoryCollection()
        let feeder = DocumentFeeder(engine: engine)
        try await withThrowingTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<3000 {
                        let document = Document(id: try DocumentID("\(task)-\(number)"), json: Array("{}".utf8))
                        try await feeder.addDocument(document)
                    }
                }
            }
            try await group.waitForAll()
        }
        let report = await feeder.close()
        #expect(report.counts[.added] == 24_000)
        #expect(engine.ids.count == 24_000)
    }

    @Test func `Waiting for the level live raises the requested level`() async throws {
        let engine = InMemoryCollection()
        let feeder = DocumentFeeder(engine: engine)
        try await feeder.removeDocument("a")
        try await feeder.waitForCompletion(.live)
        #expect(engine.raised == [.live])
        await feeder.close()
    }

    @Test func `A deadline that has passed throws, and the report lists the open operations`() async throws {
        let failure = DocumentFailure(.rejectedByEngine, "later", disposition: .retryable)
        let engine = InMemoryCollection(script: [.failed(BatchFailure(.slowDown(.milliseconds(300)), failure))])
        let feeder = DocumentFeeder(engine: engine)
        try await feeder.removeDocument("a")
        let error = await #expect(throws: DocumentFeederError.self) {
            try await feeder.waitForCompletion(deadline: .milliseconds(20))
        }
        #expect(error?.code == .deadline)
        #expect(await feeder.statusReport().counts.open == 1)
        #expect(await feeder.close().counts.open == 0)
    }

    @Test func `A closed feeder accepts no operation and reports that it is closed`() async throws {
        let feeder = DocumentFeeder(engine: InMemoryCollection())
        await feeder.close()
        await #expect(throws: DocumentFeederError.self) { try await feeder.removeDocument("a") }
        #expect(await feeder.close().counts.accepted == 0)
    }

    @Test func `If the engine stops, all waiting callers are resumed`() async throws {
        let failure = DocumentFailure(.rejectedByEngine, "the disk is full")
        let engine = InMemoryCollection(script: [.failed(BatchFailure(.stop(.diskFull), failure))])
        let feeder = DocumentFeeder(engine: engine)
        try await feeder.removeDocument("a")
        let error = await #expect(throws: DocumentFeederError.self) { try await feeder.waitForCompletion() }
        #expect(error?.description == "the disk is full")
        #expect(await feeder.close().counts.open == 1)
    }

    @Test func `Every operation with an ID is accounted for even if the engine stops`() async throws {
        let failure = DocumentFailure(.rejectedByEngine, "the disk is full")
        var options = FeedOptions()
        options.configuration.windowCount = 10
        let engine = InMemoryCollection(script: [.failed(BatchFailure(.stop(.diskFull), failure))])
        let feeder = DocumentFeeder(engine: engine, options: options)
        var given = 0
        while given < 5000, let id = try? await feeder.removeDocument(DocumentID("\(given)")) {
            given += 1
            #expect(id.rawValue == UInt64(given))
        }
        let report = await feeder.close()
        #expect(report.counts.accepted == given)
        #expect(report.counts.isBalanced)
        let error = await #expect(throws: DocumentFeederError.self) { try await feeder.waitForCompletion() }
        #expect(error?.code == .stopped)
    }

    @Test func `A slow engine slows down the caller`() async throws {
        var options = FeedOptions()
        options.configuration.windowCount = 10
        options.configuration.batchBytes = 100_000
        let engine = StuckEngine()
        let feeder = DocumentFeeder(engine: engine, options: options)
        let pusher = Task {
            var pushed = 0
            let json = [UInt8](repeating: 0x20, count: 10_000)
            while (try? await feeder.addDocument(Document(id: DocumentID("\(pushed)"), json: json))) != nil {
                pushed += 1
            }
            return pushed
        }
        for _ in 0..<50 { _ = try? await feeder.waitForCompletion(deadline: .milliseconds(1)) }
        #expect(await feeder.statusReport().counts.open < 60)
        pusher.cancel()
        #expect(await pusher.value < 100)
        engine.release()
        await feeder.close()
    }

    @Test func `A waiting caller that is canceled is resumed`() async throws {
        let engine = StuckEngine()
        let feeder = DocumentFeeder(engine: engine)
        try await feeder.removeDocument("a")
        let waiter = Task { try await feeder.waitForCompletion() }
        waiter.cancel()
        let error = await #expect(throws: DocumentFeederError.self) { try await waiter.value }
        #expect(error?.code == .cancelled)
        engine.release()
        #expect(await feeder.close().counts.open == 0)
    }
}

/// An engine that does not reply until it is released.
private final class StuckEngine: ContentEngine {
    let collection: CollectionName = "WebCollection"
    let capabilities = EngineCapabilities()
    private let gate: AsyncStream<Void>
    private let opener: AsyncStream<Void>.Continuation

    init() { (gate, opener) = AsyncStream.makeStream() }

    func release() { opener.finish() }

    func apply(_ batch: ContentBatch) async -> BatchReply {
        for await _ in gate {}
        return .results(batch.items.map { _ in .done(.removed) })
    }

    func raise(to level: CompletionLevel) async throws(EngineError) {}
}

struct FeedInstantTests {
    @Test func `Times are precise to the nanosecond`() {
        let aBitMore = Duration(secondsComponent: 0, attosecondsComponent: 1)
        let moment = FeedInstant(sinceStart: .seconds(3) + .nanoseconds(7) + aBitMore)
        #expect(moment.sinceStart == .seconds(3) + .nanoseconds(7))
        #expect(moment + .nanoseconds(1) - moment == .nanoseconds(1))
        #expect(moment > .start)
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(300 * 365 * 86_400)])
    func `An event too far in the future never occurs`(wait: Duration) {
        #expect(FeedInstant(sinceStart: wait) == .never)
        #expect(FeedInstant.start + wait == .never)
        #expect(FeedInstant(sinceStart: .seconds(5)) + wait == .never)
        #expect(FeedInstant(sinceStart: .zero - wait) < .start)
        #expect(FeedInstant(sinceStart: .seconds(-5)) + (.zero - wait) < .start)
    }
}
