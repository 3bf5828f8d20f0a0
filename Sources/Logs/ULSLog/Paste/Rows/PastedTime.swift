/// The time that a line begins with, or what people put in its place.
struct PastedTime: Equatable {
    enum Kind {
        case dateAndTime
        case timeOnly
        /// A date whose time is on the next line.
        case dateOnly
        /// `<Date> <Time>`, `DateTime`, `xx/xx/xxxx xx:xx:xx`.
        case placeholder
    }

    let kind: Kind
    /// As written; empty for a placeholder.
    let range: Range<Int>
    /// Where what follows begins, behind the `*` if there is one.
    let end: Int
    let isContinuation: Bool

    init?(_ text: [UInt8], at start: Int, to end: Int) {
        var scanner = TimeScanner(text: text, index: start, end: end)
        if scanner.date() {
            let dateEnd = scanner.index
            if dateEnd == end {
                self.init(kind: .dateOnly, start..<end, end: end)
                return
            }
            if text[dateEnd] == UInt8(ascii: "T") { scanner.index += 1 } else { scanner.blanks() }
            guard scanner.index > dateEnd, scanner.time() else { return nil }
            self.init(kind: scanner.isMasked ? .placeholder : .dateAndTime, start..<scanner.index, end: end, in: text)
        } else if scanner.time() {
            self.init(kind: scanner.isMasked ? .placeholder : .timeOnly, start..<scanner.index, end: end, in: text)
        } else {
            guard let placeholderEnd = PlaceholderTime.end(in: text, from: start, to: end) else { return nil }
            var time = TimeScanner(text: text, index: text.blanks(from: placeholderEnd, to: end).end, end: end)
            let timeStart = time.index
            guard time.time() else {
                self.init(kind: .placeholder, start..<start, end: placeholderEnd)
                return
            }
            self.init(kind: time.isMasked ? .placeholder : .timeOnly, timeStart..<time.index, end: end, in: text)
        }
    }

    /// `text` as it is, but nothing where it is no time but a placeholder.
    static func withoutPlaceholder(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let text = Array(text)
        guard let time = PastedTime(text, at: 0, to: text.count), time.kind == .placeholder else { return text }
        return []
    }

    private init(kind: Kind, _ range: Range<Int>, end: Int) {
        self.kind = kind
        self.range = kind == .placeholder ? range.lowerBound..<range.lowerBound : range
        self.end = end
        isContinuation = false
    }

    /// A time must end where a word does, or with the `*` of a continuation.
    private init?(kind: Kind, _ range: Range<Int>, end: Int, in text: [UInt8]) {
        let next = range.upperBound
        isContinuation = next < end && text[next] == UInt8(ascii: "*")
        guard next == end || isContinuation || text.blankWidth(at: next) > 0 else { return nil }
        self.kind = kind
        self.range = kind == .placeholder ? range.lowerBound..<range.lowerBound : range
        self.end = isContinuation ? next + 1 : next
    }
}
