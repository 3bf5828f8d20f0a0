import Testing

@testable import fastctl

struct ProcessorCountTests {
    @Test(arguments: [("Cpus_allowed:\t3\n", 2), ("Cpus_allowed:\tf,00000101\n", 6), ("Cpus_allowed:\t0\n", 0)])
    func `The mask of allowed processors is counted bit by bit`(line: String, count: Int) {
        #expect(ProcessorCount.count(inStatusLine: line) == count)
    }

    @Test func `Other lines say nothing of it`() {
        #expect(ProcessorCount.count(inStatusLine: "Cpus_allowed_list:\t0-1\n") == nil)
    }

    @Test func `This process may use one processor at least`() { #expect(ProcessorCount.available >= 1) }
}
