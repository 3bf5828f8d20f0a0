/// The line ends of a window, looked for ahead of those who ask for them.
///
/// Where a line ends can't be foretold, and a processor that has guessed wrong waits; so many of them are noted at once,
/// without a question on the way.
struct LineEnds {
    /// No more are looked for once so many are noted: the text up to there is still at hand when its rows are read.
    private static let enough = 512

    // A round holds 128 bytes, all of which may be line ends; and the mark behind the last one.
    private var offsets = InlineArray<640, UInt32>(repeating: .max)
    /// The one that is asked for next.
    private var next = 0
    /// Up to here line ends were looked for.
    private var searched = 0

    /// The first line end at or behind `start`, or `end`; `start` and `end` never become less.
    ///
    /// Up to 127 bytes behind `end` must be readable.
    @inline(__always)
    mutating func first(_ window: borrowing ByteWindow, from start: Int, to end: Int) -> Int {
        while true {
            let offset = offsets[next]
            if offset == .max {
                guard searched < end else { return end }
                look(window, to: end)
            } else if Int(offset) >= start {
                return Int(offset)
            } else {
                next &+= 1
            }
        }
    }

    // A function of its own, for the optimizer gives up on one that holds all that is done for a row.
    @inline(never)
    private mutating func look(_ window: borrowing ByteWindow, to end: Int) {
        var count = 0
        var offset = searched
        while offset < end, count < Self.enough {
            let part = window.part(from: offset, count: 128)
            note(part.lineEnds(0), at: offset, &count)
            note(part.lineEnds(64), at: offset &+ 64, &count)
            offset &+= 128
        }
        searched = min(offset, end)
        while count > 0, Int(offsets[count &- 1]) >= end { count &-= 1 }
        offsets[count] = .max
        next = 0
    }

    /// Notes the line ends that have a bit in `bits`, the lowest one standing for `start`.
    @inline(__always)
    private mutating func note(_ bits: UInt64, at start: Int, _ count: inout Int) {
        var bits = bits
        // Of two lines, hardly ever both end within 64 bytes.
        offsets[count] = UInt32(truncatingIfNeeded: start &+ bits.trailingZeroBitCount)
        count &+= bits == 0 ? 0 : 1
        bits &= bits &- 1
        while bits != 0 {
            offsets[count] = UInt32(truncatingIfNeeded: start &+ bits.trailingZeroBitCount)
            count &+= 1
            bits &= bits &- 1
        }
    }
}
