/// A text to be found without regard to ASCII case.
struct TextNeedle: Sendable {
    private let text: [UInt8]
    /// 0x20 for a letter, whose case is ignored; 0 for anything else.
    private let folds: [UInt8]

    init(_ text: String) {
        self.text = text.utf8.map(\.asciiLowercase)
        folds = self.text.map { $0 &- 0x61 < 26 ? 0x20 : 0 }
    }

    /// The first place in `start..<end` where it stands wholly.
    func firstIndex(in window: borrowing ByteWindow, from start: Int, to end: Int) -> Int? {
        guard let first = text.first, let last = text.last else { return start }
        let distance = text.count &- 1
        guard end &- start > distance else { return nil }
        let bound = end &- distance
        let firstVector = SIMD16(repeating: first)
        let lastVector = SIMD16(repeating: last)
        let firstFold = SIMD16(repeating: folds[0])
        let lastFold = SIMD16(repeating: folds[distance])
        var offset = start
        // The bytes that are loaded beyond the end are the window's slack.
        while offset < bound {
            let misses =
                ((window.vector(offset) | firstFold) ^ firstVector)
                | ((window.vector(offset &+ distance) | lastFold) ^ lastVector)
            if misses.min() == 0 {
                for candidate in offset..<Swift.min(offset &+ 16, bound) where stands(in: window, at: candidate) {
                    return candidate
                }
            }
            offset &+= 16
        }
        return nil
    }

    private func stands(in window: borrowing ByteWindow, at offset: Int) -> Bool {
        for index in 0..<text.count where window[offset &+ index] | folds[index] != text[index] { return false }
        return true
    }
}
