import Testing

@testable import ULSLog
@testable import ULSRows

@Suite struct TraceNestingTests {
    @Test func `Scopes are nested in the order in which they were entered and left`() {
        var rows = TracedRows()
        rows.enter("A", at: 0)
        rows.add("first", at: 10)
        rows.enter("B", at: 20)
        rows.add("second", at: 20)
        rows.leave("B", after: 10, at: 30)
        rows.leave("A", after: 40, at: 40)
        rows.add("third", at: 50)
        #expect(rows.trace().outline == "A>0<5[1 B>2<4[3]] 6")
    }

    @Test func `Scopes with the same name are left from the innermost to the outermost`() {
        var rows = TracedRows()
        rows.enter("A", at: 0)
        rows.enter("A", at: 1)
        rows.leave("A", after: 1, at: 2)
        rows.leave("A", after: 3, at: 3)
        #expect(rows.trace().outline == "A>0<3[A>1<2]")
    }

    @Test func `A Leaving row with a number after its name matches the scope entered under the plain name`() {
        var rows = TracedRows()
        rows.enter("A", at: 0)
        rows.leave("A", after: 1, at: 1)
        rows.enter("A", at: 2)
        rows.leave("A#1", after: 1, at: 3)
        rows.enter("B", at: 4)
        rows.leave("B#x", after: 1, at: 5)
        #expect(rows.trace().outline == "A>0<1 A>2<3 B>4[B#x<5]")
    }

    @Test func `A scope that was never left ends with the enclosing scope`() {
        var rows = TracedRows()
        rows.enter("A", at: 0)
        rows.enter("B", at: 1)
        rows.add("in B", at: 2)
        rows.leave("A", after: 3, at: 3)
        rows.add("outside", at: 4)
        #expect(rows.trace().outline == "A>0<3[B>1[2]] 4")
    }

    @Test func `A scope without an Entering row contains the events of its thread within its duration`() {
        var rows = TracedRows()
        rows.add("before", at: 0)
        rows.add("within", at: 60)
        rows.add("another thread", at: 70, thread: "0x0001")
        rows.leave("B", after: 10, at: 90)
        rows.leave("A", after: 50, at: 100)
        #expect(rows.trace().outline == "0 A<4[1 B<3] 2")
    }

    @Test func `A scope without an Entering row takes no events from outside the enclosing scope`() {
        var rows = TracedRows()
        rows.add("outside", at: 0)
        rows.enter("A", at: 10)
        rows.add("within", at: 20)
        rows.leave("B", after: 1000, at: 30)
        rows.leave("A", after: 30, at: 40)
        #expect(rows.trace().outline == "0 A>1<4[B<3[2]]")
    }

    @Test func `A scope with neither an Entering row nor a duration is empty`() {
        var rows = TracedRows()
        rows.add("before", at: 0)
        rows.add("Leaving Monitored Scope (A)", at: 10)
        #expect(rows.trace().outline == "0 A<1")
    }

    @Test func `A 'leaving' row that matches no named scope closes an unfilled template, which takes the row's name`() {
        var rows = TracedRows()
        rows.enter("{0}", at: 0)
        rows.enter("{0}", at: 1)
        rows.add("within", at: 2)
        rows.leave("B", after: 2, at: 3)
        rows.leave("A", after: 4, at: 4)
        rows.enter("{0}", at: 5)
        #expect(rows.trace().outline == "A>0<4[B>1<3[2]] >5")
    }

    @Test func `Threads with the same number on two servers are different threads`() {
        var rows = TracedRows()
        rows.enter("A", at: 0, server: "WFE1")
        rows.enter("B", at: 1, server: "APP1")
        rows.add("of A", at: 2, server: "WFE1")
        rows.add("of B", at: 3, server: "APP1")
        let trace = rows.trace()
        #expect(trace.outline == "A>0[2] B>1[3]")
        #expect(trace.servers == ["WFE1", "APP1"])
    }

    @Test func `Events of other threads during an open request are part of the request`() {
        var rows = TracedRows()
        rows.add("early", at: 0, thread: "0x0001")
        rows.enter("Request (GET:http://h/)", at: 1)
        rows.enter("Part", at: 2)
        rows.add("other", at: 3, thread: "0x0001")
        rows.enter("Service", at: 4, server: "APP1")
        rows.leave("Part", after: 4, at: 6)
        rows.leave("Request (GET:http://h/)", after: 6, at: 7)
        rows.add("late", at: 8, thread: "0x0001")
        #expect(rows.trace().outline == "0 Request (GET:http://h/)>1<6[Part>2<5 3 Service>4] 7")
    }

    @Test func `A request without an Entering row contains other threads' events within its duration`() {
        var rows = TracedRows()
        rows.add("early", at: 0, thread: "0x0001")
        rows.add("other", at: 60, thread: "0x0001")
        rows.add("own", at: 70)
        rows.leave("Request (GET:http://h/)", after: 50, at: 100)
        #expect(rows.trace().outline == "0 Request (GET:http://h/)<3[1 2]")
    }

    @Test func `A request can be left on another thread of its process`() {
        var rows = TracedRows()
        rows.enter("Request (GET:http://h/)", at: 0)
        rows.enter("Part", at: 1)
        rows.leave("Request (GET:http://h/)", after: 5, at: 5, thread: "0x0001")
        let trace = rows.trace()
        #expect(trace.outline == "Request (GET:http://h/)>0<2[Part>1]")
        #expect(trace.duration == .milliseconds(5))
    }

    @Test func `A request of another process is a different request`() {
        var rows = TracedRows()
        rows.enter("Request (GET:http://h/)", at: 0)
        rows.leave("Request (GET:http://h/)", after: 5, at: 5, process: "0x0002")
        #expect(rows.trace().outline == "Request (GET:http://h/)>0[Request (GET:http://h/)<1]")
    }

    @Test func `Scopes nested beyond the maximum depth become siblings`() {
        var rows = TracedRows()
        let count = RequestTrace.maximumDepth + 50
        for number in 0..<count { rows.enter("S\(number)", at: Int64(number)) }
        for number in 0..<count { rows.leave("S\(count - 1 - number)", after: 1, at: Int64(count + number)) }
        let trace = rows.trace()
        #expect(trace.depth == RequestTrace.maximumDepth - 1)
        #expect(trace.occurrences.allSatisfy { $0 == 1 })
    }

    @Test func `Scopes without Entering rows beyond the maximum depth become siblings`() {
        var rows = TracedRows()
        for number in 0..<500 { rows.leave("S\(number)", after: Double(number + 1), at: Int64(number)) }
        let trace = rows.trace()
        #expect(trace.depth == RequestTrace.maximumDepth - 1)
        #expect(trace.occurrences.allSatisfy { $0 == 1 })
    }
}

/// Rows without a correlation, some of which still belong to a request.
@Suite struct TraceAdoptionTests {
    private static let request = "Request (GET:http://h/a)"
    private static let other = "Request (GET:http://h/b)"

    @Test func `The Entering row before the row with the request's name is adopted`() {
        var rows = TracedRows()
        rows.enter(Self.request, at: 0, correlation: "")
        rows.say("Name=\(Self.request)", at: 10)
        rows.leave(Self.request, after: 20, at: 20)
        #expect(rows.trace().outline == "\(Self.request)>0<2[1]")
    }

    @Test func `A correlation of zeros counts as absent`() {
        var rows = TracedRows()
        rows.enter(Self.request, at: 0, correlation: CorrelationID.none.description)
        rows.say("Name=\(Self.request)", at: 10)
        #expect(rows.trace().events.count == 2)
    }

    @Test func `An Entering row with a different name is not adopted`() {
        var rows = TracedRows()
        rows.enter(Self.other, at: 0, correlation: "")
        rows.say("Name=\(Self.request)", at: 10)
        #expect(rows.trace().events.count == 1)
    }

    @Test func `Without a row with the request's name, the name in the Leaving row is used`() {
        var rows = TracedRows()
        rows.enter(Self.other, at: 0, correlation: "")
        rows.add("first", at: 10)
        rows.leave(Self.request, after: 20, at: 20)
        #expect(rows.trace().events.count == 2)
    }

    @Test func `Without any name, the Entering row before the first row is adopted`() {
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
    func `An Entering row is adopted within two seconds`(wait: Int64, count: Int) {
        var rows = TracedRows()
        rows.enter(Self.request, at: 0, correlation: "")
        rows.say("Name=\(Self.request)", at: wait)
        #expect(rows.trace().events.count == count)
    }

    @Test(arguments: [true, false])
    func `Without times, an Entering row is adopted if the request's name is known`(isKnown: Bool) {
        var rows = TracedRows()
        rows.enter(Self.request, at: nil, correlation: "")
        rows.say(isKnown ? "Name=\(Self.request)" : "something", at: nil)
        #expect(rows.trace().events.count == (isKnown ? 2 : 1))
    }

    @Test func `An Entering row whose scope was left is not adopted`() {
        var rows = TracedRows()
        rows.enter(Self.request, at: 0, correlation: "")
        rows.leave(Self.request, after: 5, at: 5, correlation: "")
        rows.say("Name=\(Self.request)", at: 10)
        #expect(rows.trace().events.count == 1)
    }

    @Test func `An Entering row is not adopted if its thread has since logged rows of another request`() {
        var rows = TracedRows()
        rows.enter(Self.request, at: 0, correlation: "")
        rows.say("Name=\(Self.request)", at: 5)
        rows = rows.with(row: 1, correlation: TracedRows.elsewhere)
        rows.say("Name=\(Self.request)", at: 10)
        #expect(rows.trace().events.count == 1)
    }

    @Test func `The Entering row of another thread or server is not adopted`() {
        var rows = TracedRows()
        rows.enter(Self.request, at: 0, thread: "0x0001", correlation: "")
        rows.enter(Self.request, at: 0, server: "WFE2", correlation: "")
        rows.say("Name=\(Self.request)", at: 10)
        #expect(rows.trace().events.count == 1)
    }

    @Test func `A Leaving row that lost its correlation is adopted`() {
        var rows = TracedRows()
        rows.enter(Self.request, at: 0)
        rows.leave(Self.request, after: 20, at: 20, correlation: "")
        let trace = rows.trace()
        #expect(trace.outline == "\(Self.request)>0<1")
        #expect(trace.duration == .milliseconds(20))
    }

    @Test func `Both the Entering and the Leaving row of a request can lack a correlation`() {
        var rows = TracedRows()
        rows.enter(Self.request, at: 0, correlation: "")
        rows.say("Name=\(Self.request)", at: 0)
        rows.leave(Self.request, after: 20, at: 20, correlation: "")
        #expect(rows.trace().outline == "\(Self.request)>0<2[1]")
    }

    @Test func `A Leaving row without an open scope is not adopted`() {
        var rows = TracedRows()
        rows.enter(Self.request, at: 0)
        rows.leave(Self.other, after: 20, at: 20, correlation: "")
        rows.leave(Self.request, after: 20, at: 20, thread: "0x0001", correlation: "")
        #expect(rows.trace().outline == "\(Self.request)>0")
    }

    @Test func `A Leaving row whose duration does not match the request's start is not adopted`() {
        var rows = TracedRows()
        rows.enter(Self.request, at: 0)
        rows.leave(Self.request, after: 20, at: 9000, correlation: "")
        #expect(rows.trace().outline == "\(Self.request)>0")
    }

    @Test func `A Leaving row after the thread began another request is not adopted`() {
        var rows = TracedRows()
        rows.enter(Self.request, at: 0)
        rows.enter(Self.request, at: 5, correlation: "")
        rows.leave(Self.request, after: 15, at: 20, correlation: "")
        #expect(rows.trace().outline == "\(Self.request)>0")
    }

    @Test func `Events of other requests are never part of the trace`() {
        var rows = TracedRows()
        rows.add("own", at: 0)
        rows.enter("A", at: 1, correlation: TracedRows.elsewhere)
        rows.leave("A", after: 1, at: 2, correlation: TracedRows.elsewhere)
        #expect(rows.trace().outline == "0")
    }
}

extension TracedRows {
    /// Returns the same rows, with another correlation in one of them.
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
