import Testing

@testable import ULSLog

@Suite struct ScopeRowTests {
    private static func scopes(_ messages: [(String, String)]) throws -> [ScopeDurations] {
        try ReadLog(messages.map { id, message in row(message) { $0.eventID = id } }.joined()).summary.scopes
    }

    @Test(
        arguments: [
            "Leaving Monitored Scope (Lookup). Execution Time=145.0229",
            "Leaving Monitored Scope: (Lookup) Execution Time=145.0229; CPU Milliseconds=1; SQL Query Count=0; Parent=Y",
            "[Forced due to logging gap, cached @ 02/12/2021 11:17:30.82, Original Level: Verbose] Leaving Monitored Scope"
                + " (Lookup). Execution Time=145.0229",
        ]
    )
    func `the row that leaves a scope says how long it took, in all versions`(message: String) throws {
        let scopes = try Self.scopes([("b4ly", message)])
        #expect(scopes.map(\.key) == ["Lookup"])
        #expect(scopes.map(\.total) == [145_023])
        #expect(scopes.map(\.count) == [1])
    }

    @Test func `a localised row without a name, or a template that nobody filled in, is an event like others`() throws {
        let log = try ReadLog(
            row("Leaving Monitored Scope: Tiempo de ejecución=7.0718; CPU Milliseconds=1; Parent=None") {
                $0.eventID = "b4ly"
            }
                + row("Entering Monitored Scope ({0}). Parent={1}") { $0.eventID = "nasq" }
        )
        #expect(log.events.count == 2)
        #expect(log.summary.scopes.allSatisfy { $0.key != "" })
    }

    @Test func `scopes are counted by what their calls have in common`() throws {
        let scopes = try Self.scopes(
            (1...3).map {
                (
                    "b4ly",
                    "Leaving Monitored Scope (Request (GET:http://wfe\($0)/sites/a?id=\($0))). Execution Time=\($0)0"
                )
            } + [("nasq", "Entering monitored scope (Request (GET:http://wfe1:80/sites/a))")]
        )
        #expect(scopes.map(\.key) == ["GET /sites/a"])
        #expect(scopes.map(\.isRequest) == [true])
        #expect(scopes.map(\.count) == [3])
        #expect(scopes.map(\.total) == [60_000])
        #expect(scopes.map(\.max) == [30_000])
        // A histogram keeps durations to within one per cent.
        #expect(scopes.allSatisfy { abs($0.p50 - 20_000) <= 200 })
    }

    @Test func `a scope's row that the service split is counted once`() throws {
        let name = String(repeating: "long ", count: 200)
        let message = "Leaving Monitored Scope (\(name)end). Execution Time=12.5"
        let parts = [
            row(message.prefix(800) + "...") { $0.eventID = "b4ly" },
            row("..." + message.dropFirst(800)) { ($0.eventID, $0.mark) = ("b4ly", "*") },
        ]
        let log = try ReadLog(parts.joined())
        #expect(log.messages == [message])
        #expect(log.summary.scopes.map(\.count) == [1])
        #expect(log.summary.scopes.map(\.total) == [12_500])
    }

    @Test func `a scope that was entered and never left is open`() throws {
        let scopes = try Self.scopes([("nasq", "Entering monitored scope (Lookup)")])
        #expect(scopes.map(\.open) == [1])
    }

    @Test func `the row that opens a request may have no correlation yet, and the one that closes it none any more`()
        throws
    {
        let folder = try SourceFolder()
        let text =
            row("Entering monitored scope (Request (GET:http://wfe1/a))") {
                ($0.eventID, $0.correlation) = ("nasq", " ")
            }
            + row("Name=Request (GET:http://wfe1/a)") { $0.eventID = "xmnv" } + row("Site=/") { $0.eventID = "xmnv" }
            + row("Leaving Monitored Scope (Request (GET:http://wfe1/a)). Execution Time=5") {
                ($0.eventID, $0.correlation) = ("b4ly", " ")
            }
        let reader = LogReader(inputs: [try folder.write("WFE1-20110926-1030.log", text)])
        let id = try #require(CorrelationPattern(NativeRow.correlation))
        let trace = try #require(try reader.traces(of: id).traces.first)
        #expect(trace.events.count == 4)
        #expect(trace.name == "Request (GET:http://wfe1/a)")
        #expect(trace.site == "/")
        #expect(trace.duration == 5000)
    }
}
