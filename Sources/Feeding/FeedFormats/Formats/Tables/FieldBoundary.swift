/// Finds the ends of rows: line ends that are not within quotes.
///
/// It goes on where the last bytes ended.
struct FieldBoundary {
    private enum State {
        case fieldStart
        case unquoted
        case quoted
        /// Behind a quote within quotes: doubled, or the closing one.
        case quote
    }

    private let delimiter: UInt8
    private var state = State.fieldStart

    init(delimiter: UInt8) { self.delimiter = delimiter }

    var isInQuotes: Bool { state == .quoted }

    mutating func end(in bytes: Span<UInt8>, from start: Int) -> Int? {
        let (quote, lineFeed) = (UInt8(ascii: "\""), UInt8(ascii: "\n"))
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if state == .quoted {
                if byte == quote { state = .quote }
                continue
            }
            switch byte {
            case lineFeed:
                state = .fieldStart
                return index
            case delimiter: state = .fieldStart
            case quote where state != .unquoted: state = .quoted
            default: state = .unquoted
            }
        }
        return nil
    }
}
