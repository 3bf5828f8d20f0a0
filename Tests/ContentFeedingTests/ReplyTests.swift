import ContentFeeding
import Testing

struct ReplyTests {
    private func sentBatch(_ harness: inout CoreHarness, _ ids: DocumentID...) -> ContentBatch {
        _ = harness.handle(.input(OperationChunk(operations: ids.map { .remove($0) })))
        return harness.handle(.timer, after: .milliseconds(100)).sent[0]
    }

    @Test(arguments: [
        (MissingPolicy.error, 1, true), (.warn, 1, false), (.ignore, 0, false),
    ])
    func aMissingDocumentIsWhatThePolicySays(policy: MissingPolicy, issues: Int, isError: Bool) {
        var configuration = FeedConfiguration()
        configuration.missing = policy
        var harness = CoreHarness(configuration)
        let batch = sentBatch(&harness, "FAKEID")
        let outcomes = harness.reply(batch, .results([.done(.missing)])).settled
        #expect(outcomes.map(\.outcome) == [.missing])
        #expect(outcomes.compactMap(\.issue).count == issues)
        #expect(outcomes.contains { $0.issue?.isError ?? false } == isError)
    }

    @Test func aMissingDocumentAfterAnUnclearSendIsNoError() throws {
        var harness = CoreHarness()
        let batch = sentBatch(&harness, "a")
        let retry = try #require(harness.reply(batch, .failed(BatchFailure(.ambiguous, .test))).wake)
        let again =
            harness.handle(.timer, after: retry - harness.now + .milliseconds(100)).sent
            + harness.handle(.timer, after: .milliseconds(100)).sent
        let outcome = try #require(harness.reply(again[0], .results([.done(.missing)])).settled.first)
        #expect(outcome.outcome == .missing)
        #expect(outcome.issue == nil)
        #expect(outcome.attempts == 2)
    }

    @Test func aMissingDocumentAfterARefusedSendIsAnError() throws {
        var harness = CoreHarness()
        let batch = sentBatch(&harness, "a")
        _ = harness.reply(batch, .failed(BatchFailure(.definite(isCharged: true), .test)))
        let again = harness.handle(.timer, after: .seconds(1)).sent + harness.handle(.timer, after: .seconds(1)).sent
        let outcome = try #require(harness.reply(again[0], .results([.done(.missing)])).settled.first)
        #expect(outcome.issue?.failure.code == .documentMissing)
    }

    @Test func afterAnUnclearSendTheNextOperationOnTheDocumentWaitsForTheQuarantine() {
        var configuration = FeedConfiguration()
        configuration.quarantine = .seconds(60)
        var harness = CoreHarness(configuration)
        let batch = sentBatch(&harness, "a", "a")
        _ = harness.reply(batch, .failed(BatchFailure(.ambiguous, .test)))
        let again = harness.handle(.timer, after: .seconds(1)).sent + harness.handle(.timer, after: .seconds(1)).sent
        #expect(harness.reply(again[0], .results([.done(.removed)])).sent.isEmpty)
        #expect(harness.handle(.timer, after: .seconds(57)).sent.isEmpty)
        let released = harness.handle(.timer, after: .seconds(1)).sent + harness.handle(.timer, after: .seconds(1)).sent
        #expect(released.map { $0.items.map(\.id.rawValue) } == [[2]])
    }

    @Test func attemptsAreCountedAndThenGivenUp() throws {
        var configuration = FeedConfiguration()
        configuration.retry.attempts = 3
        var harness = CoreHarness(configuration)
        var batch = sentBatch(&harness, "a")
        for _ in 0..<2 {
            _ = harness.reply(batch, .failed(BatchFailure(.definite(isCharged: true), .test)))
            batch =
                (harness.handle(.timer, after: .seconds(40)).sent + harness.handle(.timer, after: .seconds(1)).sent)[0]
        }
        let outcome = try #require(
            harness.reply(batch, .failed(BatchFailure(.definite(isCharged: true), .test))).settled.first
        )
        #expect(outcome.outcome == .failed)
        #expect(outcome.issue?.failure.message == "given up after 3 attempts: simulated")
    }

    @Test func aPauseThatTheEngineAsksForCostsNoAttempt() {
        var configuration = FeedConfiguration()
        configuration.retry.attempts = 2
        var harness = CoreHarness(configuration)
        var batch = sentBatch(&harness, "a")
        for _ in 0..<5 {
            let paused = harness.reply(batch, .failed(BatchFailure(.slowDown(.seconds(2)), .test)))
            #expect(paused.sent.isEmpty)
            batch = harness.handle(.timer, after: .seconds(2)).sent[0]
        }
        #expect(harness.reply(batch, .results([.done(.removed)])).settled.map(\.outcome) == [.removed])
    }

    @Test func aBatchThatIsTooLargeIsHalvedUntilTheCulpritIsAlone() {
        var configuration = FeedConfiguration()
        configuration.batchCount = 4
        var harness = CoreHarness(configuration)
        var waiting = harness.remove("a", "b", "poison", "d").sent
        var outcomes: [String: Outcome] = [:]
        while let batch = waiting.popLast() {
            let isPoisoned = batch.documentIDs.contains("poison")
            let reply: BatchReply =
                isPoisoned
                ? .failed(BatchFailure(.split(mayHaveApplied: false), .test))
                : .results(Array(repeating: .done(.removed), count: batch.items.count))
            let commands = harness.reply(batch, reply)
            waiting += commands.sent
            for outcome in commands.settled { outcomes[outcome.documentID.text] = outcome.outcome }
        }
        #expect(outcomes == ["a": .removed, "b": .removed, "poison": .failed, "d": .removed])
    }

    @Test func theWrongNumberOfResultsIsAnUnclearReply() {
        var harness = CoreHarness()
        let batch = sentBatch(&harness, "a", "b")
        let commands = harness.reply(batch, .results([.done(.removed)]))
        #expect(commands.settled.isEmpty)
        #expect(harness.core.openCount == 2)
    }

    @Test func anEngineThatCannotGoOnStopsTheFeedAndLosesNothing() {
        var harness = CoreHarness()
        let batch = sentBatch(&harness, "a", "b")
        let commands = harness.reply(batch, .failed(BatchFailure(.stop(.diskFull), .test)))
        #expect(commands.end == .stopped(.engine(.diskFull, message: "simulated")))
        #expect(harness.core.counts.open == 2)
        #expect(harness.core.counts.isBalanced)
    }

    @Test func anOperationExpiresWhileItWaitsForItsNextAttempt() {
        var configuration = FeedConfiguration()
        configuration.operationTimeout = .seconds(5)
        var harness = CoreHarness(configuration)
        let batch = sentBatch(&harness, "a")
        _ = harness.reply(batch, .failed(BatchFailure(.slowDown(.seconds(60)), .test)))
        let outcomes = harness.handle(.timer, after: .seconds(5)).settled
        #expect(outcomes.map(\.outcome) == [.expired])
        #expect(outcomes.first?.issue?.failure.code == .expired)
    }

    @Test func anOperationInFlightAtItsDeadlineKeepsTheOutcomeThatItComesBackWith() {
        var configuration = FeedConfiguration()
        configuration.operationTimeout = .seconds(5)
        var harness = CoreHarness(configuration)
        let batch = sentBatch(&harness, "a")
        #expect(harness.handle(.timer, after: .seconds(9)).settled.isEmpty)
        #expect(harness.reply(batch, .results([.done(.removed)])).settled.map(\.outcome) == [.removed])
    }

    @Test func manyOperationsOnOneDocumentMayExpireTogether() {
        var configuration = FeedConfiguration()
        configuration.operationTimeout = .seconds(1)
        configuration.windowCount = 200_000
        var harness = CoreHarness(configuration)
        let operations = Array(repeating: ContentOperation.remove("a"), count: 100_000)
        let batch = harness.handle(.pushed(operations)).sent + harness.handle(.timer, after: .milliseconds(100)).sent
        _ = harness.handle(.timer, after: .seconds(2))
        let outcomes = harness.reply(batch[0], .results([.done(.removed)])).settled
        #expect(outcomes.count == 100_000)
        #expect(outcomes.dropFirst().allSatisfy { $0.outcome == .expired })
    }

    @Test func manyOperationsOnOneDocumentMayBeRefusedTogether() {
        var capabilities = EngineCapabilities()
        capabilities.maximumBatchBytes = 10
        var harness = CoreHarness(capabilities: capabilities)
        let large = ContentOperation.add(Document(id: "a", json: Array(repeating: 0x20, count: 50)))
        let operations = [.remove("a")] + Array(repeating: large, count: 50_000)
        let sent = harness.handle(.pushed(operations)).sent + harness.handle(.timer, after: .milliseconds(100)).sent
        let outcomes = harness.reply(sent[0], .results([.done(.removed)])).settled
        #expect(outcomes.count { $0.issue?.failure.code == .documentTooLarge } == 50_000)
    }

    @Test func anOperationWhoseTimeRanOutBehindAHoldIsNotSent() {
        var configuration = FeedConfiguration()
        configuration.operationTimeout = .seconds(5)
        configuration.quarantine = .seconds(60)
        var harness = CoreHarness(configuration)
        let batch = sentBatch(&harness, "a", "a")
        _ = harness.reply(batch, .results([.unknown(.test)]))
        let again = harness.handle(.timer, after: .seconds(1)).sent + harness.handle(.timer, after: .seconds(1)).sent
        _ = harness.reply(again[0], .results([.done(.removed)]))
        var late = harness.handle(.timer, after: .seconds(10))
        late += harness.handle(.timer, after: .seconds(100))
        late += harness.handle(.timer, after: .seconds(1))
        #expect(late.sent.isEmpty)
        #expect(late.settled.map(\.outcome) == [.expired])
    }

    @Test func afterAStopNothingExpiresThatWasNotSent() {
        var configuration = FeedConfiguration()
        configuration.operationTimeout = .seconds(5)
        configuration.batchCount = 1
        configuration.batchesInFlight = .fixed(1)
        var harness = CoreHarness(configuration)
        let batch = harness.remove("a", "b").sent[0]
        _ = harness.handle(.stop(.interrupted))
        _ = harness.handle(.timer, after: .seconds(9))
        let commands = harness.reply(batch, .results([.done(.removed)]))
        #expect(commands.settled.map(\.documentID) == ["a"])
        #expect(harness.core.counts.open == 1)
    }

    @Test func whatTheEnginePutsOffCostsNoAttemptAndIsOnePause() {
        var configuration = FeedConfiguration()
        configuration.retry.attempts = 2
        var harness = CoreHarness(configuration)
        var batch = sentBatch(&harness, "a", "b")
        for _ in 0..<5 {
            let commands = harness.reply(batch, .results([.notNow(.test), .notNow(.test)]))
            #expect(commands.count { if case .retrying = $0 { true } else { false } } == 1)
            let sent =
                harness.handle(.timer, after: .seconds(40)).sent + harness.handle(.timer, after: .seconds(1)).sent
            batch = sent[0]
            #expect(batch.items.count == 2)
        }
    }

    @Test func anEngineCannotHideAFailureAsAnOutcome() {
        var harness = CoreHarness()
        let batch = sentBatch(&harness, "a")
        let outcome = harness.reply(batch, .results([.done(.expired)])).settled.first
        #expect(outcome?.outcome == .failed)
        #expect(outcome?.issue?.isError == true)
    }
}
