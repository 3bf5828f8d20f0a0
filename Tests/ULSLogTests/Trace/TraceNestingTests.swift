import Testing

@testable import ULSLog

@Suite struct TraceNestingTests {
    @Test func `scopes stand in each other as they were entered and left`() {
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

    @Test func `scopes of one name are left from the inside`() {
        var rows = TracedRows()
        rows.enter("A", at: 0)
        rows.enter("A", at: 1)
        rows.leave("A", after: 1, at: 2)
        rows.leave("A", after: 3, at: 3)
        #expect(rows.trace().outline == "A>0<3[A>1<2]")
    }

    @Test func `a name that is left again has a number, and is the one that was entered`() {
        var rows = TracedRows()
        rows.enter("A", at: 0)
        rows.leave("A", after: 1, at: 1)
        rows.enter("A", at: 2)
        rows.leave("A#1", after: 1, at: 3)
        rows.enter("B", at: 4)
        rows.leave("B#x", after: 1, at: 5)
        #expect(rows.trace().outline == "A>0<1 A>2<3 B>4[B#x<5]")
    }

    @Test func `a scope that was never left ends with the one around it`() {
        var rows = TracedRows()
        rows.enter("A", at: 0)
        rows.enter("B", at: 1)
        rows.add("in B", at: 2)
        rows.leave("A", after: 3, at: 3)
        rows.add("outside", at: 4)
        #expect(rows.trace().outline == "A>0<3[B>1[2]] 4")
    }

    @Test func `a scope without an Entering row takes in what its thread wrote while it lasted`() {
        var rows = TracedRows()
        rows.add("before", at: 0)
        rows.add("within", at: 60)
        rows.add("another thread", at: 70, thread: "0x0001")
        rows.leave("B", after: 10, at: 90)
        rows.leave("A", after: 50, at: 100)
        #expect(rows.trace().outline == "0 A<4[1 B<3] 2")
    }

    @Test func `a scope without an Entering row takes nothing out of other scopes`() {
        var rows = TracedRows()
        rows.add("outside", at: 0)
        rows.enter("A", at: 10)
        rows.add("within", at: 20)
        rows.leave("B", after: 1000, at: 30)
        rows.leave("A", after: 30, at: 40)
        #expect(rows.trace().outline == "0 A>1<4[B<3[2]]")
    }

    @Test func `without a duration a scope without an Entering row is empty`() {
        var rows = TracedRows()
        rows.add("before", at: 0)
        rows.add("Leaving Monitored Scope (A)", at: 10)
        #expect(rows.trace().outline == "0 A<1")
    }

    @Test func `a template is left by the row that leaves nothing else, and has its name`() {
        var rows = TracedRows()
        rows.enter("{0}", at: 0)
        rows.enter("{0}", at: 1)
        rows.add("within", at: 2)
        rows.leave("B", after: 2, at: 3)
        rows.leave("A", after: 4, at: 4)
        rows.enter("{0}", at: 5)
        #expect(rows.trace().outline == "A>0<4[B>1<3[2]] >5")
    }

    @Test func `threads of one number on two servers are two threads`() {
        var rows = TracedRows()
        rows.enter("A", at: 0, server: "WFE1")
        rows.enter("B", at: 1, server: "APP1")
        rows.add("of A", at: 2, server: "WFE1")
        rows.add("of B", at: 3, server: "APP1")
        let trace = rows.trace()
        #expect(trace.outline == "A>0[2] B>1[3]")
        #expect(trace.servers == ["WFE1", "APP1"])
    }

    @Test func `what other threads write while the request is open stands in the request`() {
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

    @Test func `a request without an Entering row has what other threads wrote while it lasted`() {
        var rows = TracedRows()
        rows.add("early", at: 0, thread: "0x0001")
        rows.add("other", at: 60, thread: "0x0001")
        rows.add("own", at: 70)
        rows.leave("Request (GET:http://h/)", after: 50, at: 100)
        #expect(rows.trace().outline == "0 Request (GET:http://h/)<3[1 2]")
    }

    @Test func `a request may be left on another thread of its process`() {
        var rows = TracedRows()
        rows.enter("Request (GET:http://h/)", at: 0)
        rows.enter("Part", at: 1)
        rows.leave("Request (GET:http://h/)", after: 5, at: 5, thread: "0x0001")
        let trace = rows.trace()
        #expect(trace.outline == "Request (GET:http://h/)>0<2[Part>1]")
        #expect(trace.duration == 5000)
    }

    @Test func `a request of another process is another one`() {
        var rows = TracedRows()
        rows.enter("Request (GET:http://h/)", at: 0)
        rows.leave("Request (GET:http://h/)", after: 5, at: 5, process: "0x0002")
        #expect(rows.trace().outline == "Request (GET:http://h/)>0[Request (GET:http://h/)<1]")
    }

    @Test func `scopes that are entered too deep are siblings`() {
        var rows = TracedRows()
        let count = RequestTrace.maximumDepth + 50
        for number in 0..<count { rows.enter("S\(number)", at: Int64(number)) }
        for number in 0..<count { rows.leave("S\(count - 1 - number)", after: 1, at: Int64(count + number)) }
        let trace = rows.trace()
        #expect(trace.depth == RequestTrace.maximumDepth - 1)
        #expect(trace.occurrences.allSatisfy { $0 == 1 })
    }

    @Test func `scopes without Entering rows that stand in each other too deep are siblings`() {
        var rows = TracedRows()
        for number in 0..<500 { rows.leave("S\(number)", after: Double(number + 1), at: Int64(number)) }
        let trace = rows.trace()
        #expect(trace.depth == RequestTrace.maximumDepth - 1)
        #expect(trace.occurrences.allSatisfy { $0 == 1 })
    }
}
