/// Reads a date or a time of day, digit by digit.
///
/// Letters may stand for digits (`xx/xx/xxxx`, `MM/dd/yyyy`): people mask what they paste.
struct TimeScanner {
    let text: [UInt8]
    var index: Int
    let end: Int
    /// Whether a letter stood for a digit.
    private(set) var isMasked = false

    init(text: [UInt8], index: Int, end: Int) {
        self.text = text
        self.index = index
        self.end = end
    }

    /// `09/26/2011`, `26.9.2011`, `2021-02-02`.
    mutating func date() -> Bool {
        let start = index
        let first = digits(1...4)
        guard first > 0, first != 3,
            let separator = byte(in: [UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: ".")]),
            digits(1...2) > 0, byte(in: [separator]) != nil
        else { return fail(start) }
        return digits(first == 4 ? 1...2 : 4...4) > 0 || fail(start)
    }

    /// `10:39:40.52`, `9:05:03 AM`, `07:27:58Z`.
    mutating func time() -> Bool {
        let start = index
        let colon = UInt8(ascii: ":")
        guard digits(1...2) > 0, byte(in: [colon]) != nil, digits(2...2) > 0, byte(in: [colon]) != nil,
            digits(2...2) > 0
        else { return fail(start) }
        if byte(in: [UInt8(ascii: "."), UInt8(ascii: ",")]) != nil {
            guard digits(1...7) > 0 else { return fail(start) }
        }
        if byte(in: [UInt8(ascii: "Z")]) == nil { halfOfDay() }
        return true
    }

    mutating func blanks() { index = text.blanks(from: index, to: end).end }

    private mutating func halfOfDay() {
        let start = text.blanks(from: index, to: end).end
        guard start > index, start + 2 <= end, start + 2 == end || text.blankWidth(at: start + 2) > 0,
            [UInt8(ascii: "a"), UInt8(ascii: "p")].contains(text[start].lowercased),
            text[start + 1].lowercased == UInt8(ascii: "m")
        else { return }
        index = start + 2
    }

    private mutating func fail(_ start: Int) -> Bool {
        index = start
        isMasked = false
        return false
    }

    private mutating func byte(in bytes: [UInt8]) -> UInt8? {
        guard index < end, bytes.contains(text[index]) else { return nil }
        index += 1
        return text[index - 1]
    }

    /// How many digits there are, at most the upper bound; 0 if they are fewer than the lower.
    private mutating func digits(_ allowed: ClosedRange<Int>) -> Int {
        var found = 0
        while index < end, found < allowed.upperBound,
            text[index].isDigit || Self.masks.contains(text[index].lowercased)
        {
            isMasked = isMasked || !text[index].isDigit
            index += 1
            found += 1
        }
        return found < allowed.lowerBound ? 0 : found
    }

    private static let masks = Set("xmdyhsf".utf8)
}
