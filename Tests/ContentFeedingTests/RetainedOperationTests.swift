import Testing

@testable import ContentFeeding

/// What is kept for long does not keep the memory of what it came with.
struct RetainedOperationTests {
    private func operations(_ count: Int) throws -> [ContentOperation] {
        let pages = DocumentIDPages()
        return try (0..<count).map { .remove(try pages.id(utf8: Array("ID \($0)".utf8).span)) }
    }

    @Test func anOperationThatIsSetAsideLiesAlone() throws {
        var window = OperationWindow(next: .first)
        for operation in try operations(10) {
            window.append(operation, OperationWindow.Entry(operation, in: LaneKey(number: 1)))
        }
        let id = OperationID(rawValue: 4)
        #expect(window.operation(id)?.documentID.isAlone == false)
        window.setAside(id)
        #expect(window.operation(id)?.documentID.isAlone == true)
        #expect(window.remove(id)?.documentID.text == "ID 3")
        #expect(window[id] == nil)
        #expect(window.count == 9)
    }

    @Test func aSettledRowOfTheJournalLiesAlone() throws {
        var capabilities = EngineCapabilities()
        capabilities.quarantine = .seconds(60)
        var configuration = FeedConfiguration()
        configuration.retry.attempts = 1
        var harness = CoreHarness(configuration, capabilities: capabilities, isJournaled: true)
        var rows: [JournalRow] = []
        func drive(_ event: FeederCore.Event) -> [ContentBatch] {
            var commands = harness.handle(event)
            var sent = commands.sent
            while let transaction = commands.recorded {
                rows += transaction.rows
                commands = harness.handle(.recorded(transaction.id))
                sent += commands.sent
            }
            return sent
        }
        _ = drive(.input(OperationChunk(operations: try operations(3))))
        let batch = try #require(drive(.inputEnded).first)
        _ = drive(.reply(batch.id, .failed(BatchFailure(.ambiguous, .test))))
        #expect(rows.count == 3 && rows.allSatisfy(\.isSettled))
        #expect(rows.allSatisfy { $0.operation.documentID.isAlone })
    }
}
