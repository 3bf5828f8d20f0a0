import CommandKit
import Testing

struct ProcessorCountTests {
    @Test(arguments: [("Cpus_allowed:\t3\n", 2), ("Cpus_allowed:\tf,00000101\n", 6), ("Cpus_allowed:\t0\n", 0)])
    func `The number of allowed processors is the number of bits set in the mask`(line: String, count: Int) {
        #expect(ProcessorCount.count(inStatusLine: line) == count)
    }

    @Test func `Other lines yield no count`() {
        #expect(ProcessorCount.count(inStatusLine: "Cpus_allowed_list:\t0-1\n") == nil)
    }

    @Test func `This process can use at least one processor`() { #expect(ProcessorCount.available >= 1) }
}

struct DrainWatchTests {
    /// Returns whether the drain is over at these times, each given with the number of operations in flight and the
    /// number of events so far.
    private func ends(_ looks: [(seconds: Int, inFlight: Int, events: Int)]) -> [Bool] {
        let start = ContinuousClock.now
        var watch = DrainWatch(replyLimit: .seconds(60), at: start)
        return looks.map { watch.isOver(inFlight: $0.inFlight, events: $0.events, at: start + .seconds($0.seconds)) }
    }

    @Test func `With no operations in flight, a clean end may take at most ten seconds`() {
        #expect(ends([(0, 0, 0), (9, 0, 0), (10, 0, 0)]) == [false, false, true])
    }

    @Test func `With operations in flight, a clean end may also wait for the reply limit after the last event`() {
        #expect(ends([(69, 3, 0), (70, 2, 1), (139, 2, 1), (140, 2, 1)]) == [false, false, false, true])
        #expect(ends([(69, 3, 1), (79, 0, 1)]) == [false, true])
    }
}
