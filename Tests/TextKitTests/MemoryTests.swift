import Testing
import TextKit

struct MemoryTests {
    @Test func `A page contains the bytes that were written at their positions`() {
        let page = BytePage(capacity: 10)
        page.write([1, 2, 3].span, at: 0)
        page.write([4, 5, 6, 7].span, at: 6)
        page.write([8].span, at: 3)
        #expect(page.capacity == 10)
        for (start, expected) in [(0, [1, 2, 3, 8]), (6, [4, 5, 6, 7]), (7, [5])] as [(Int, [UInt8])] {
            let bytes = page.bytes(from: start, count: expected.count)
            #expect(bytes.indices.map { bytes[$0] } == expected)
        }
        let atTheEnd = page.bytes(from: 10, count: 0).count
        #expect(atTheEnd == 0)
        let empty = BytePage(capacity: 0)
        let ofNothing = empty.bytes(from: 0, count: 0).count
        #expect(ofNothing == 0)
    }

    @Test func `Writing or reading beyond the end of a page ends the process`() async {
        await #expect(processExitsWith: .failure) { BytePage(capacity: 3).write([1, 2].span, at: 2) }
        await #expect(processExitsWith: .failure) { _ = BytePage(capacity: 3).bytes(from: 2, count: 2).count }
    }

    @Test(arguments: [0, 2, 3, -1, Int.max, Int.min])
    func `Prefetching does not change anything`(index: Int) {
        let numbers = [1, 2, 3]
        numbers.prefetch(index)
        [Int]().prefetch(index)
        #expect(numbers == [1, 2, 3])
    }
}
