/// The GUID that the rows of a request share, across processes and servers.
public struct CorrelationID: Hashable, Sendable {
    /// The first 16 hexadecimal digits.
    public let high: UInt64
    /// The last 16 hexadecimal digits.
    public let low: UInt64

    /// Creates an ID from its halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The absence of a correlation: all zeros.
    public static let none = CorrelationID(high: 0, low: 0)

    // The standard library prescribes this name.
    // swift-format-ignore: NoLeadingUnderscores
    /// Returns a hash for sets and dictionaries, based on the seeds of the process and of the collection; the default
    /// hash takes ten times as long, and each row's request is looked up several times.
    public func _rawHashValue(seed: Int) -> Int {
        Int(truncatingIfNeeded: UInt64.mixed(high ^ UInt64(truncatingIfNeeded: seed), low))
    }
}

extension CorrelationID {
    /// Reads a GUID in the 36-character form that events use; `nil` if the text isn't a GUID.
    init?(_ text: Span<UInt8>) {
        guard text.count == 36 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        for index in 0..<36 {
            let byte = text[index]
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            let letter = (byte | 0x20) &- UInt8(ascii: "a")
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 || letter < 6 else { return nil }
            words = (words.0 << 4 | words.1 >> 60, words.1 << 4 | UInt64(digit < 10 ? digit : letter &+ 10))
        }
        self.init(high: words.0, low: words.1)
    }
}

extension CorrelationID: CustomStringConvertible {
    /// The ID as the service writes it: 36 characters in lowercase.
    public var description: String { String(decoding: digits, as: UTF8.self) }

    /// The characters of the description.
    var digits: [UInt8] {
        var digits: [UInt8] = []
        digits.reserveCapacity(36)
        appendDigits(to: &digits)
        return digits
    }

    /// Appends the characters of the description.
    func appendDigits(to digits: inout [UInt8]) {
        for position in 0..<32 {
            switch position {
            case 8, 12, 16, 20: digits.append(UInt8(ascii: "-"))
            default: break
            }
            let word = position < 16 ? high : low
            let nibble = UInt8(truncatingIfNeeded: word >> UInt64(60 - position % 16 * 4)) & 0xF
            digits.append(nibble < 10 ? nibble + UInt8(ascii: "0") : nibble + UInt8(ascii: "a") - 10)
        }
    }
}

extension CorrelationID: Comparable {
    public static func < (one: Self, other: Self) -> Bool { (one.high, one.low) < (other.high, other.low) }
}

/// A correlation as entered by a person: the full ID or its first digits.
///
/// Case, braces and missing hyphens don't matter, because the ID may be copied from an error page or typed from a
/// screenshot.
public struct CorrelationPattern: Hashable, Sendable {
    /// The digits, aligned to the left and padded with zeros.
    public let id: CorrelationID
    /// The number of hexadecimal digits given, at most 32.
    public let digitCount: Int

    /// Reads hexadecimal digits, with nothing but hyphens between them and braces around them; `nil` for any other
    /// text.
    ///
    /// The text may end with `…` or `...` if digits were cut off.
    ///
    /// - Parameters:
    ///   - text: The digits, at most 32.
    ///   - minimumDigits: The minimum number of digits.
    public init?(_ text: String, minimumDigits: Int) {
        var high: UInt64 = 0
        var low: UInt64 = 0
        var count = 0
        var digits = Substring(text)
        for mark in ["…", "..."] where digits.hasSuffix(mark) { digits = digits.dropLast(mark.count) }
        if digits.hasPrefix("{") { digits = digits.dropFirst() }
        if digits.hasSuffix("}") { digits = digits.dropLast() }
        for character in digits.utf8 where character != UInt8(ascii: "-") {
            guard let digit = Character(Unicode.Scalar(character)).hexDigitValue, count < 32 else { return nil }
            if count < 16 {
                high |= UInt64(digit) << UInt64(60 - count * 4)
            } else {
                low |= UInt64(digit) << UInt64(60 - (count - 16) * 4)
            }
            count += 1
        }
        guard count >= max(1, minimumDigits) else { return nil }
        id = CorrelationID(high: high, low: low)
        digitCount = count
    }

    /// Reads at least ``minimumDigits`` hexadecimal digits; see ``init(_:minimumDigits:)``.
    public init?(_ text: String) { self.init(text, minimumDigits: Self.minimumDigits) }

    /// Creates a pattern that only one ID matches.
    public init(_ id: CorrelationID) {
        self.id = id
        digitCount = 32
    }

    /// The minimum number of digits; fewer would match half of a farm's requests.
    public static let minimumDigits = 8

    /// Returns whether a correlation begins with these digits.
    public func matches(_ other: CorrelationID) -> Bool {
        let highBits = UInt64(min(digitCount, 16) * 4)
        let lowBits = UInt64(max(digitCount - 16, 0) * 4)
        let highMask = highBits == 64 ? UInt64.max : ~(UInt64.max >> highBits)
        let lowMask = lowBits == 64 ? UInt64.max : ~(UInt64.max >> lowBits)
        return (other.high ^ id.high) & highMask == 0 && (other.low ^ id.low) & lowMask == 0
    }
}

extension CorrelationPattern: CustomStringConvertible {
    public var description: String {
        let whole = id.description
        guard digitCount < 32 else { return whole }
        var rest = digitCount
        let shown = whole.prefix { character in
            if character == "-" { return rest > 0 }
            rest -= 1
            return rest >= 0
        }
        return String(shown) + "…"
    }
}

/// A reader of the last column: a GUID, or one of the three forms that indicate that there is none.
///
/// Each GUID gets a number when it is first read, and is later found by its text, because parsing hexadecimal digits
/// costs more.
package struct CorrelationReader {
    private typealias Text = (UInt64, UInt64, UInt64, UInt64, UInt32)

    /// The correlations by number, from 1; number 0 means none.
    package private(set) var ids = [CorrelationID.none]
    /// The texts by number; the first one means none.
    private var texts: [Text] = [
        (0x3030_3030_3030_3030, 0x3030_2D30_3030_302D, 0x2D30_3030_302D_3030, 0x3030_3030_3030_3030, 0x3030_3030)
    ]
    private var slots = SlotTable(slots: 1 << 13)
    private var last = 0
    private let seed = HashSeed()

    package init() {}

    /// The length of a GUID, in bytes.
    package static let textLength = 36

    /// Returns the number of the GUID that ends at `end`, if it has its own column after the level and the message.
    @inline(__always)
    mutating func find(_ window: borrowing ByteWindow, behind levelEnd: Int, to end: Int) -> Int? {
        let start = end &- Self.textLength
        guard start > levelEnd &+ 1, window[start &- 1] == 0x09 else { return nil }
        let number = number(window, at: start)
        return number < 0 ? nil : number
    }

    /// Finds the end of the message and the correlation; `fields` are complete up to the level.
    mutating func read(_ window: borrowing ByteWindow, into fields: inout RowFields) {
        if let number = find(window, behind: fields.levelEnd, to: fields.end) {
            fields.correlationNumber = number
            fields.correlation = ids[number]
            fields.messageEnd = fields.end &- Self.textLength &- 1
        } else {
            readAnyForm(window, into: &fields)
        }
    }

    /// Reads a GUID with blanks or braces around it, or a column that is blank, empty or missing.
    ///
    /// Because a message may contain tabs, the last tab ends the message only if just a GUID or blanks follow it.
    @inline(never)
    private mutating func readAnyForm(_ window: borrowing ByteWindow, into fields: inout RowFields) {
        fields.messageEnd = fields.end
        guard let tab = window.lastTab(from: fields.levelEnd + 1, to: fields.end) else { return }
        if readColumn(window, tab + 1..<fields.end, into: &fields) {
            fields.messageEnd = tab
        } else if fields.lineCount > 1 {
            readFirstLine(window, into: &fields)
        }
    }

    /// Reads a GUID at the end of a record's first line, in which case the row was complete and the lines below it came
    /// from elsewhere.
    private mutating func readFirstLine(_ window: borrowing ByteWindow, into fields: inout RowFields) {
        var end = fields.levelEnd + 1
        while end < fields.end, window[end] != 0x0A { end += 1 }
        if window[end - 1] == 0x0D { end -= 1 }
        let start = end - 36
        guard start > fields.levelEnd + 1, window[start - 1] == 0x09 else { return }
        readColumn(window, start..<end, into: &fields)
    }

    /// Reads a column as the correlation; returns false unless it contains a GUID or nothing.
    @discardableResult
    mutating func readColumn(
        _ window: borrowing ByteWindow,
        _ column: Range<Int>,
        into fields: inout RowFields
    ) -> Bool {
        var rest = window.trimmed(column)
        if rest.count == 38, window[rest.lowerBound] == 0x7B, window[rest.upperBound - 1] == 0x7D {
            rest = rest.lowerBound + 1..<rest.upperBound - 1
        }
        if rest.isEmpty { return true }
        guard rest.count == 36 else { return false }
        let number = number(window, at: rest.lowerBound)
        guard number >= 0 else { return false }
        fields.correlationNumber = number
        fields.correlation = ids[number]
        return true
    }

    /// Returns the number of the GUID at `start`: 0 if all its digits are zeros, -1 if there is no GUID.
    @inline(__always)
    private mutating func number(_ window: borrowing ByteWindow, at start: Int) -> Int {
        let column = window.part(from: start, count: Self.textLength)
        return Self.areSame(Self.text(column), texts[last]) ? last : search(column)
    }

    @inline(__always)
    private static func text(_ column: borrowing ByteWindow) -> Text {
        (column.word(0), column.word(8), column.word(16), column.word(24), column.halfWord(32))
    }

    @inline(__always)
    private func hash(_ text: Text) -> UInt64 {
        seed.mixed(text.0 ^ text.2, text.1 ^ text.3 ^ UInt64(text.4))
    }

    @inline(never)
    private mutating func search(_ column: borrowing ByteWindow) -> Int {
        let column = column.part(from: 0, count: Self.textLength)
        let text = Self.text(column)
        let hash = hash(text)
        guard let number = slots.find(hash, where: { Self.areSame(text, texts[$0]) }) else {
            return learn(column, text, hash)
        }
        last = number
        return number
    }

    @inline(__always)
    private static func areSame(_ one: Text, _ other: Text) -> Bool {
        let first = (one.0 ^ other.0) | (one.1 ^ other.1)
        let second = (one.2 ^ other.2) | (one.3 ^ other.3)
        return first | second | UInt64(one.4 ^ other.4) == 0
    }

    @inline(never)
    private mutating func learn(_ column: borrowing ByteWindow, _ text: Text, _ hash: UInt64) -> Int {
        guard column[8] == 0x2D, column[13] == 0x2D, column[18] == 0x2D, column[23] == 0x2D else { return -1 }
        var invalid: UInt64 = 0
        let second = UInt64(column.halfWord(9)) | UInt64(column.halfWord(14)) &<< 32
        let third = UInt64(column.halfWord(19)) | UInt64(column.halfWord(24)) &<< 32
        let high = Self.value(column.word(0), &invalid) &<< 32 | Self.value(second, &invalid)
        let low = Self.value(third, &invalid) &<< 32 | Self.value(column.word(28), &invalid)
        guard invalid == 0 else { return -1 }
        guard high | low != 0 else { return 0 }
        let number = ids.count
        ids.append(CorrelationID(high: high, low: low))
        texts.append(text)
        slots.insert(number, hash: hash)
        last = number
        return number
    }

    /// Returns the value of eight hexadecimal digits, read together; sets bits of `invalid` for any other character.
    @inline(__always)
    private static func value(_ digits: UInt64, _ invalid: inout UInt64) -> UInt64 {
        let letters = (digits &>> 6) & 0x0101_0101_0101_0101
        let isLetter = letters &* 0xFF
        let low = digits & 0x0F0F_0F0F_0F0F_0F0F
        let high = digits & 0xF0F0_F0F0_F0F0_F0F0
        let wrongLetter = ((high | 0x2020_2020_2020_2020) & isLetter) ^ (0x6060_6060_6060_6060 & isLetter)
        let wrongDigit = (high & ~isLetter) ^ (0x3030_3030_3030_3030 & ~isLetter)
        let beyond =
            ((low &+ 0x7676_7676_7676_7676) & ~isLetter) | ((low &+ 0x7979_7979_7979_7979) & isLetter)
        let isZero = (low &+ 0x7F7F_7F7F_7F7F_7F7F) ^ 0x8080_8080_8080_8080
        invalid |=
            wrongLetter | wrongDigit | (beyond & 0x8080_8080_8080_8080) | (isZero & isLetter & 0x8080_8080_8080_8080)
        var nibbles = (low &+ letters &* 9).byteSwapped
        nibbles = (nibbles | nibbles &>> 4) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles | nibbles &>> 8) & 0x0000_FFFF_0000_FFFF
        return (nibbles | nibbles &>> 16) & 0xFFFF_FFFF
    }
}

/// The statistics of one correlation.
package struct CorrelationCount {
    package var id: CorrelationID
    package var first: PackedTime
    package var last: PackedTime
    package var count: UInt32
    /// The rank of the worst level.
    package var rank: UInt8

    package init(id: CorrelationID, first: PackedTime, last: PackedTime, count: UInt32, rank: UInt8) {
        (self.id, self.first, self.last, self.count, self.rank) = (id, first, last, count, rank)
    }

    /// The statistics before anything is counted.
    package static let nothing = CorrelationCount(
        id: .none,
        first: PackedTime(clock: .max >> 12, lowBits: 0, offset: 0),
        last: PackedTime(clock: .min >> 12, lowBits: 0, offset: 0),
        count: 0,
        rank: .max
    )

    @inline(__always)
    package mutating func add(_ time: PackedTime, rank: UInt8) {
        count &+= 1
        if time < first { first = time }
        if time > last { last = time }
        if rank < self.rank { self.rank = rank }
    }
}

/// The statistics of all correlations, one entry each.
package struct CorrelationTable {
    package private(set) var counts: [CorrelationCount] = []
    private var slots = SlotTable(slots: 1 << 13)
    private let seed = HashSeed()

    package init() {}

    /// Adds statistics; `change` updates the existing statistics of the same correlation, if any.
    package mutating func add(_ count: CorrelationCount, change: (inout CorrelationCount) -> Void) {
        let hash = seed.mixed(count.id.high, count.id.low)
        if let number = slots.find(hash, where: { counts[$0].id == count.id }) { return change(&counts[number]) }
        slots.insert(counts.count, hash: hash)
        counts.append(count)
    }
}
