/// What a row's message says about being a part of a longer one.
///
/// The service cuts messages at 800 characters: `text...`, then rows with a `*` behind their time: `...text...` and
/// `...text`, the other columns repeated.
enum SplitMessage {
    /// Whether it may go on in another row.
    case head
    /// Whether it goes on with another row's message, and in yet another one. Without a `*` it does only if there is one
    /// that ended in dots: real messages begin with dots too.
    case part(isMarked: Bool, hasMore: Bool)

    /// `nil` for a message that is whole.
    @inline(__always)
    init?(_ window: borrowing ByteWindow, _ fields: RowFields) {
        let range = fields.message
        var end = range.upperBound
        let start = range.lowerBound
        // Cheap for most: the last byte is no dot and no blank, the first no dot.
        guard end &- start > 3 else { return nil }
        let first = window[start]
        let last = window[end &- 1]
        guard first == 0x2E || first == 0x20 || last == 0x2E || last == 0x20 || fields.isMarked else { return nil }
        guard !fields.isJoined else { return nil }
        let trimmed = window.trimmed(range)
        end = trimmed.upperBound
        guard trimmed.count > 3 else { return nil }
        let endsInDots = window.hasDots(at: end &- 3)
        if window.hasDots(at: trimmed.lowerBound) {
            // The same dots can't be both: the rest of a message may be its full stop.
            self = .part(isMarked: fields.isMarked, hasMore: endsInDots && trimmed.count >= 6)
        } else if endsInDots {
            self = .head
        } else {
            return nil
        }
    }
}

extension ByteWindow {
    /// Whether three dots stand at an offset.
    @inline(__always)
    func hasDots(at offset: Int) -> Bool { halfWord(offset) & 0x00FF_FFFF == 0x002E_2E2E }

    /// What the parts of a split message have in common: server, process, thread, event ID, level and correlation.
    func partKey(_ fields: RowFields, server: String?) -> UInt64 {
        var hash = hash(fields.timeEnd + 1..<fields.threadEnd, seed: 0)
        hash = self.hash(fields.threadEnd + 1..<fields.levelEnd, seed: hash)
        hash = .mixed(fields.correlation.high ^ hash, fields.correlation.low)
        for byte in (server ?? "").utf8 { hash = .mixed(UInt64(byte), hash) }
        return hash
    }

    private func hash(_ range: Range<Int>, seed: UInt64) -> UInt64 {
        var hash = seed
        var offset = range.lowerBound
        while offset &+ 8 <= range.upperBound {
            hash = .mixed(word(offset), hash)
            offset &+= 8
        }
        return .mixed(word(offset) & .lowBytes(range.upperBound &- offset), hash)
    }
}
