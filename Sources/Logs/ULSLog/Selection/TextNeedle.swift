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
        // What is loaded beyond the end is the window's slack.
        let loaded = 64 &+ distance
        while offset < bound {
            guard offset &+ loaded <= end &+ ByteWindow.slack else { break }
            if window.part(from: offset, count: loaded).mayHold(
                firstVector,
                lastVector,
                distance: distance,
                folds: (firstFold, lastFold)
            ) {
                for candidate in offset..<Swift.min(offset &+ 64, bound) where stands(in: window, at: candidate) {
                    return candidate
                }
            }
            offset &+= 64
        }
        while offset < bound {
            if stands(in: window, at: offset) { return offset }
            offset &+= 1
        }
        return nil
    }

    /// Whether it stands at an offset, where there must be room for it.
    func stands(in window: borrowing ByteWindow, at offset: Int) -> Bool {
        for index in 0..<text.count where window[offset &+ index] | folds[index] != text[index] { return false }
        return true
    }
}
