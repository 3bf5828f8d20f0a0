import ContentFeeding
import Testing

struct CompletionTests {
    @Test func aFeedEndsWhenItsInputHasEndedAndEverythingIsSettled() {
        var harness = CoreHarness()
        _ = harness.remove("a")
        let batch = harness.handle(.inputEnded).sent[0]
        #expect(harness.reply(batch, .results([.done(.removed)])).end == .completed)
    }

    @Test func emptyInputEndsAtOnce() {
        var harness = CoreHarness()
        #expect(harness.handle(.inputEnded).end == .completed)
    }

    @Test func aHigherLevelIsAskedForOnceAtTheEnd() {
        var configuration = FeedConfiguration()
        configuration.level = .live
        var harness = CoreHarness(configuration)
        _ = harness.remove("a")
        let batch = harness.handle(.inputEnded).sent[0]
        let settled = harness.reply(batch, .results([.done(.removed)]))
        #expect(settled.raises == .live)
        #expect(settled.end == nil)
        #expect(harness.handle(.raised(nil)).end == .completed)
    }

    @Test func aLevelThatCannotBeReachedStopsTheFeed() {
        var configuration = FeedConfiguration()
        configuration.level = .live
        var harness = CoreHarness(configuration)
        #expect(harness.handle(.inputEnded).raises == .live)
        let end = harness.handle(.raised(EngineError(.unreachable, "gone"))).end
        #expect(end == .stopped(.engine(.unreachable, message: "gone")))
    }

    @Test func stoppingWaitsForWhatIsInFlightAndSendsNothingMore() {
        var configuration = FeedConfiguration()
        configuration.batchCount = 1
        configuration.batchesInFlight = .fixed(1)
        var harness = CoreHarness(configuration)
        let batch = harness.remove("a", "b").sent[0]
        #expect(harness.handle(.stop(.interrupted)).end == nil)
        let commands = harness.reply(batch, .results([.done(.removed)]))
        #expect(commands.sent.isEmpty)
        #expect(commands.end == .stopped(.interrupted))
        #expect(harness.core.counts.open == 1)
    }

    @Test func inputThatArrivesAfterTheStopIsNotAccepted() {
        var configuration = FeedConfiguration()
        configuration.batchCount = 1
        var harness = CoreHarness(configuration)
        let batch = harness.remove("a").sent[0]
        _ = harness.handle(.stop(.interrupted))
        _ = harness.remove("b")
        #expect(harness.core.counts.accepted == 1)
        #expect(harness.reply(batch, .results([.done(.removed)])).end == .stopped(.interrupted))
    }

    @Test func whatWasReadBeforeAReadErrorIsStillDone() {
        var harness = CoreHarness()
        _ = harness.remove("a")
        let batch = harness.handle(.inputFailed("the disk is gone")).sent[0]
        let end = harness.reply(batch, .results([.done(.removed)])).end
        #expect(end == .stopped(.input(message: "the disk is gone")))
        #expect(harness.core.counts[.removed] == 1)
    }

    @Test func withAJournalABatchIsSentAfterItsLeaseIsRecorded() throws {
        var harness = CoreHarness(isJournaled: true)
        _ = harness.remove("a")
        let ended = harness.handle(.inputEnded)
        #expect(ended.sent.isEmpty)
        let lease = try #require(ended.recorded)
        #expect(lease.leasedThrough.rawValue == 1)
        let batch = harness.handle(.recorded(lease.id)).sent[0]
        let replied = harness.reply(batch, .results([.done(.missing)]))
        #expect(replied.settled.isEmpty)
        let settling = try #require(replied.recorded)
        #expect(settling.issues.map(\.documentID) == ["a"])
        #expect(settling.counts[.missing] == 1)
        let last = harness.handle(.recorded(settling.id))
        #expect(last.settled.map(\.outcome) == [.missing])
        #expect(last.end == .completed)
    }

    @Test func aResumedFeedTakesUpWhatWasTriedAgain() throws {
        var harness = CoreHarness(isJournaled: true)
        let ids: [DocumentID] = ["a", "b", "c"]
        _ = harness.handle(.input(OperationChunk(operations: ids.map { .remove($0) })))
        let lease = try #require(harness.handle(.inputEnded).recorded)
        let batch = harness.handle(.recorded(lease.id)).sent[0]
        let settling = try #require(
            harness.reply(batch, .results([.done(.removed), .unknown(.test), .done(.removed)])).recorded
        )
        var resumed = FeederCore(
            job: JobID(rawValue: "TEST"),
            isJournaled: true,
            resuming: JournalState(settling),
            seed: 1
        )
        // Everything is settled or has a row, so the input goes on after it.
        #expect(settling.progress.firstOperation.rawValue == 4)
        let commands = resumed.handle(.inputEnded, at: .start)
        let again = try #require(commands.recorded)
        let sent = resumed.handle(.recorded(again.id), at: .start).sent
        #expect(sent.map(\.documentIDs) == [["b"]])
        #expect(resumed.counts.accepted == 3)
        #expect(resumed.counts[.removed] == 2)
    }

    @Test(arguments: [false, true])
    func aJournalThatFailsEndsTheFeedAndEverythingIsAccountedFor(failsAtFirst: Bool) throws {
        var harness = CoreHarness(isJournaled: true)
        _ = harness.remove("a")
        var transaction = try #require(harness.handle(.inputEnded).recorded)
        if !failsAtFirst {
            let batch = harness.handle(.recorded(transaction.id)).sent[0]
            transaction = try #require(harness.reply(batch, .results([.done(.removed)])).recorded)
        }
        let commands = harness.handle(.recordFailed(transaction.id, "the disk is full"))
        #expect(commands.sent.isEmpty)
        #expect(commands.end == .stopped(.storage(message: "the disk is full")))
        #expect(commands.settled.map(\.outcome) == (failsAtFirst ? [] : [.removed]))
        #expect(harness.core.counts.open == (failsAtFirst ? 1 : 0))
        #expect(harness.core.counts.isBalanced)
    }

    @Test func aBarrierIsReachedThoughTheJournalIsAlwaysBusy() throws {
        var harness = CoreHarness(isJournaled: true)
        _ = harness.handle(.pushed([.remove("first")]))
        var commands = harness.handle(.barrier(BarrierID(rawValue: 1), .secured))
        var rounds = 0
        while !commands.reached.contains(BarrierID(rawValue: 1)), rounds < 20 {
            rounds += 1
            let transaction = try #require(commands.recorded)
            commands = harness.handle(.pushed([.remove(DocumentID(stringLiteral: "\(rounds)"))]))
            commands += harness.handle(.recorded(transaction.id))
            for batch in commands.sent {
                commands += harness.reply(batch, .results(batch.items.map { _ in .done(.removed) }))
            }
        }
        #expect(rounds < 5)
    }

    @Test func pushedOperationsCountAlsoAfterTheStop() {
        var harness = CoreHarness()
        _ = harness.handle(.pushed([.remove("a")]))
        #expect(harness.handle(.stop(.interrupted)).end == .stopped(.interrupted))
        _ = harness.handle(.pushed([.remove("b")]))
        #expect(harness.core.counts.accepted == 2)
        #expect(harness.core.counts.open == 2)
        #expect(harness.core.counts.isBalanced)
    }

    @Test func aLimitOfNoneIsTakenForOne() {
        var configuration = FeedConfiguration()
        (configuration.batchCount, configuration.windowCount, configuration.batchesInFlight) = (0, 0, .fixed(-1))
        var harness = CoreHarness(configuration)
        #expect(harness.handle(.timer).asksForInput)
        #expect(harness.remove("a").sent.map(\.documentIDs) == [["a"]])
    }
}
