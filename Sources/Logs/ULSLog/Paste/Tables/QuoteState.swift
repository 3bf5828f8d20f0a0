/// Whether a row goes on behind a line end, because that is within quotes.
struct QuoteState {
    private enum State {
        case cellStart
        case plain
        case quoted
        /// Behind a quote within quotes: the first of two, or the closing one.
        case quote
    }

    let separator: UInt8
    private var state = State.cellStart

    init(separator: UInt8) { self.separator = separator }

    var isOpen: Bool { state == .quoted }

    /// Reads one more line.
    mutating func read(_ line: [UInt8]) {
        if state != .quoted { state = .cellStart }
        let quote = UInt8(ascii: "\"")
        for byte in line {
            switch (state, byte) {
            case (.quoted, quote): state = .quote
            case (.quoted, _): break
            case (.quote, quote): state = .quoted
            case (_, separator): state = .cellStart
            case (.cellStart, quote): state = .quoted
            default: state = .plain
            }
        }
    }
}
