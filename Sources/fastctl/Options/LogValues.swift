public import ArgumentParsing
public import ULSLog

extension ULSLevel: ArgumentValue {
    public static var candidates: [String] { knownWords }

    public init(argument word: String) throws(ArgumentExpectation) {
        self.init(word)
        guard isKnown else { throw ArgumentExpectation("one of " + Self.candidates.joined(separator: ", ")) }
    }
}

extension CorrelationPattern: ArgumentValue {
    public init(argument word: String) throws(ArgumentExpectation) {
        guard let pattern = CorrelationPattern(word) else {
            throw ArgumentExpectation("a GUID, or its first \(Self.minimumDigits) hexadecimal digits or more")
        }
        self = pattern
    }
}

/// `FILE:LINE`: a physical line of a log, from 1.
struct LogPlace: ArgumentValue {
    let file: String
    let line: Int

    init(argument word: String) throws(ArgumentExpectation) {
        guard let colon = word.utf8.lastIndex(of: UInt8(ascii: ":")), colon > word.startIndex,
            let line = Int(word[word.utf8.index(after: colon)...]), line > 0
        else { throw ArgumentExpectation("a file and the number of a line in it, as WFE1-20240311-1003.log:12") }
        self.file = String(word[..<colon])
        self.line = line
    }

    var argumentText: String { "\(file):\(line)" }
}

extension Duration {
    /// Whole milliseconds.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1000)
        return isTooLong ? .max : product + attoseconds / 1_000_000_000_000_000
    }
}
