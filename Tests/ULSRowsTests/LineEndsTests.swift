import Testing

@testable import ULSRows

@Suite struct LineEndsTests {
    /// Returns all line ends found, one by one.
    private func lineEnds(_ bytes: [UInt8], behind: UInt8 = 0) -> [Int] {
        let padded = bytes + Array(repeating: behind, count: ByteWindow.slack)
        let window = ByteWindow(padded.span)
        var lineEnds = LineEnds()
        var found: [Int] = []
        var start = 0
        while true {
            let end = lineEnds.first(window, from: start, to: bytes.count)
            guard end < bytes.count else { return found }
            found.append(end)
            start = end + 1
        }
    }

    private func expected(_ bytes: [UInt8]) -> [Int] { bytes.indices.filter { bytes[$0] == 0x0A } }

    @Test(arguments: [0, 1, 63, 64, 65, 127, 128, 129, 1000, 20_000])
    func `Text that consists of N line ends has N lines`(count: Int) {
        let bytes = [UInt8](repeating: 0x0A, count: count)
        #expect(lineEnds(bytes) == Array(0..<count))
    }

    @Test(arguments: [0, 1, 63, 64, 65, 127, 128, 129, 1000])
    func `Line ends beyond the end of the text are not found`(count: Int) {
        #expect(lineEnds(Array(repeating: 0x61, count: count), behind: 0x0A).isEmpty)
    }

    @Test(arguments: [1, 2, 3, 7, 31, 64, 65, 200, 1000])
    func `Text is split into lines of any length`(length: Int) {
        let bytes = (0..<30_000).map { UInt8($0 % length == length - 1 ? 0x0A : 0x8A) }
        #expect(lineEnds(bytes) == expected(bytes))
    }

    @Test func `Text with lines of different lengths is split correctly`() {
        var bytes: [UInt8] = []
        for length in (0..<300).reversed() {
            bytes += Array(repeating: 0x0B, count: length)
            bytes.append(0x0A)
        }
        #expect(lineEnds(bytes) == expected(bytes))
    }

    @Test func `Line ends before the start position are skipped`() {
        let bytes = [UInt8](repeating: 0x0A, count: 5000) + [0x61] + Array(repeating: 0, count: ByteWindow.slack)
        var lineEnds = LineEnds()
        #expect(lineEnds.first(ByteWindow(bytes.span), from: 4998, to: 5001) == 4998)
        #expect(lineEnds.first(ByteWindow(bytes.span), from: 5000, to: 5001) == 5001)
    }
}
