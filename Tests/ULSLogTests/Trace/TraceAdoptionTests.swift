import Testing

@testable import ULSLog

/// Rows without a correlation that belong to a request all the same, and those that don't.
@Suite struct TraceAdoptionTests {
    private static let request = "Request (GET:http://h/a)"
    private static let other = "Request (GET:http://h/b)"

    @Test func `the Entering row before the request's name is adopted`() {
        var rows = TracedRows()
        rows.enter(Self.request, at: 0, correlation: "")
        rows.say("Name=\(Self.request)", at: 10)
        rows.leave(Self.request, after: 20, at: 20)
        #expect(rows.trace().outline == "\(Self.request)>0<2[1]")
    }

    @Test func `a correlation of zeros is none`() {
        var rows = TracedRows()
        rows.enter(Self.request, at: 0, correlation: CorrelationID.none.description)
        rows.say("Name=\(Self.request)", at: 10)
        #expect(rows.trace().events.count == 2)
    }

    @Test func `an Entering row of another name is not adopted`() {
        var rows = TracedRows()
        rows.enter(Self.other, at: 0, correlation: "")
        rows.say("Name=\(Self.request)", at: 10)
        #expect(rows.trace().events.count == 1)
    }

    @Test func `without the request's name the Leaving row's is known`() {
        var rows = TracedRows()
        rows.enter(Self.other, at: 0, correlation: "")
        rows.add("first", at: 10)
        rows.leave(Self.request, after: 20, at: 20)
        #expect(rows.trace().events.count == 2)
    }

    @Test func `without any name the Entering row before the first row is adopted`() {
        var rows = TracedRows()
        rows.enter(Self.request, at: 0, correlation: "")
        rows.enter(Self.other, at: 0, thread: "0x0001", correlation: "")
        rows.add("first", at: 10)
        rows.add("second", at: 20, thread: "0x0001")
        let trace = rows.trace()
        #expect(trace.outline == "\(Self.request)>0[1 2]")
        #expect(trace.name == Self.request)
    }

    @Test(arguments: [(2000 as Int64, 2), (2001, 1)])
    func `an Entering row is adopted within two seconds`(wait: Int64, count: Int) {
        var rows = TracedRows()
        rows.enter(Self.request, at: 0, correlation: "")
        rows.say("Name=\(Self.request)", at: wait)
        #expect(rows.trace().events.count == count)
    }

    @Test(arguments: [true, false])
    func `without times an Entering row is adopted if the request's name is known`(isKnown: Bool) {
        var rows = TracedRows()
        rows.enter(Self.request, at: nil, correlation: "")
        rows.say(isKnown ? "Name=\(Self.request)" : "something", at: nil)
        #expect(rows.trace().events.count == (isKnown ? 2 : 1))
    }

    @Test func `an Entering row that was left is not adopted`() {
        var rows = TracedRows()
        rows.enter(Self.request, at: 0, correlation: "")
        rows.leave(Self.request, after: 5, at: 5, correlation: "")
        rows.say("Name=\(Self.request)", at: 10)
        #expect(rows.trace().events.count == 1)
    }

    @Test func `an Entering row of a thread that worked for another request since is not adopted`() {
        var rows = TracedRows()
        rows.enter(Self.request, at: 0, correlation: "")
        rows.say("Name=\(Self.request)", at: 5)
        rows = rows.with(row: 1, correlation: TracedRows.elsewhere)
        rows.say("Name=\(Self.request)", at: 10)
        #expect(rows.trace().events.count == 1)
    }

    @Test func `the Entering row of another thread or server is not adopted`() {
        var rows = TracedRows()
        rows.enter(Self.request, at: 0, thread: "0x0001", correlation: "")
        rows.enter(Self.request, at: 0, server: "WFE2", correlation: "")
        rows.say("Name=\(Self.request)", at: 10)
        #expect(rows.trace().events.count == 1)
    }

    @Test func `a Leaving row that lost its correlation is adopted`() {
        var rows = TracedRows()
        rows.enter(Self.request, at: 0)
        rows.leave(Self.request, after: 20, at: 20, correlation: "")
        let trace = rows.trace()
        #expect(trace.outline == "\(Self.request)>0<1")
        #expect(trace.duration == 20_000)
    }

    @Test func `both rows of a request may be without a correlation`() {
        var rows = TracedRows()
        rows.enter(Self.request, at: 0, correlation: "")
        rows.say("Name=\(Self.request)", at: 0)
        rows.leave(Self.request, after: 20, at: 20, correlation: "")
        #expect(rows.trace().outline == "\(Self.request)>0<2[1]")
    }

    @Test func `a Leaving row of no open scope is not adopted`() {
        var rows = TracedRows()
        rows.enter(Self.request, at: 0)
        rows.leave(Self.other, after: 20, at: 20, correlation: "")
        rows.leave(Self.request, after: 20, at: 20, thread: "0x0001", correlation: "")
        #expect(rows.trace().outline == "\(Self.request)>0")
    }

    @Test func `a Leaving row whose duration tells of another time is not adopted`() {
        var rows = TracedRows()
        rows.enter(Self.request, at: 0)
        rows.leave(Self.request, after: 20, at: 9000, correlation: "")
        #expect(rows.trace().outline == "\(Self.request)>0")
    }

    @Test func `a Leaving row after the thread began another request is not adopted`() {
        var rows = TracedRows()
        rows.enter(Self.request, at: 0)
        rows.enter(Self.request, at: 5, correlation: "")
        rows.leave(Self.request, after: 15, at: 20, correlation: "")
        #expect(rows.trace().outline == "\(Self.request)>0")
    }

    @Test func `events of other requests are never part of the trace`() {
        var rows = TracedRows()
        rows.add("own", at: 0)
        rows.enter("A", at: 1, correlation: TracedRows.elsewhere)
        rows.leave("A", after: 1, at: 2, correlation: TracedRows.elsewhere)
        #expect(rows.trace().outline == "0")
    }
}

extension TracedRows {
    /// The same rows, one of them with another correlation.
    func with(row: Int, correlation: String) -> TracedRows {
        var copy = TracedRows()
        for (index, event) in events.enumerated() {
            copy.add(
                event.text(.message),
                at: event.time.clock - 1_700_000_000_000,
                thread: event.text(.threadID),
                server: event.server,
                eventID: event.text(.eventID),
                correlation: index == row ? correlation : event.text(.correlation)
            )
        }
        return copy
    }
}
