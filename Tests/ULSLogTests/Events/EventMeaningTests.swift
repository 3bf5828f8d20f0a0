import Testing

@testable import ULSLog

@Suite struct EventMeaningTests {
    private static func event(_ columns: [ULSEvent.Column: String]) -> ULSEvent {
        ULSEvent(time: .none, place: .init(file: "a", line: 1, lineEnd: 1), columns: columns)
    }

    @Test func `a correlation is a number`() {
        let id = Self.event([.correlation: NativeRow.correlation]).correlationID
        #expect(id?.description == NativeRow.correlation)
    }

    @Test(arguments: ["", "3ad81d9b", "none", "00000000-0000-0000-0000-000000000000"])
    func `what is no correlation is none`(text: String) {
        #expect(Self.event([.correlation: text]).correlationID == nil)
    }

    @Test(
        arguments: [
            ("Leaving Monitored Scope (X). Execution Time=145.0229", 145.023),
            ("Leaving Monitored Scope: (X) Execution Time=145.0229; CPU Milliseconds=1; Parent=Y", 145.023),
            ("Leaving Monitored Scope (X). Ausführungszeit=15001,9594", 15_001.959),
            ("Leaving Monitored Scope (X). Время выполнения=1,9594", 1.959),
            ("Leaving Monitored Scope (X). Execution Time=8.5E-05", 0),
            ("Leaving Monitored Scope (X). Execution Time=99999999999999999999", 31_622_400_000),
        ]
    )
    func `a row that leaves a scope says its milliseconds, in all languages`(message: String, milliseconds: Double) {
        #expect(Self.event([.message: message]).scopeMilliseconds == milliseconds)
    }

    @Test(
        arguments: [
            "", "Entering Monitored Scope (X)", "Leaving Monitored Scope (X). Execution Time=1.234,5",
            "Leaving Monitored Scope (X)", "Execution Time=5",
        ]
    )
    func `other rows say none`(message: String) {
        #expect(Self.event([.message: message]).scopeMilliseconds == nil)
    }

    @Test(arguments: [(0, ""), (1, "a"), (2, "a"), (3, "aé"), (4, "aé"), (5, "aé"), (6, "aé日"), (-5, ""), (.min, "")])
    func `a message is cut at a character`(maximum: Int, rest: String) {
        var event = Self.event([.message: "aé日b", .level: "High", .correlation: NativeRow.correlation])
        let isCut = event.truncateMessage(to: maximum)
        #expect(isCut)
        #expect(event.text(.message) == rest)
        #expect(event.text(.level) == "High")
        #expect(event.text(.correlation) == NativeRow.correlation)
    }

    @Test(arguments: [7, 8, .max]) func `a message that is short enough stays`(maximum: Int) {
        var event = Self.event([.message: "aé日b", .correlation: NativeRow.correlation])
        let before = event
        let isCut = event.truncateMessage(to: maximum)
        #expect(!isCut)
        #expect(event == before)
    }
}
