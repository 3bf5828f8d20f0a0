import TextKit

/// An event that the service logged, reassembled from the rows it was split into.
///
/// The columns are valid UTF-8 without padding; bytes that are not valid UTF-8 were read as Windows-1252, byte by byte.
public struct ULSEvent: Sendable, Hashable {
    /// A column that holds text.
    public enum Column: Int, Sendable, CaseIterable {
        /// The program, as `w3wp.exe` or `w3wp.exe#DiskCache`.
        case process
        /// The process ID as written, `0x1790`.
        case processID
        /// The thread ID as written, `0x0EB8`.
        case threadID
        case area
        case category
        /// The tag, compared as written: `b4ly`, `8311`, `0000`.
        case eventID
        case level
        /// The message, with all its parts joined and with its line ends.
        case message
        /// A GUID in lowercase, or empty.
        case correlation
    }

    /// The time at which the event was written.
    public var time: LogTime
    /// The server that wrote the event, if the row or the file's name contains it.
    public var server: String?
    /// The number of rows that make up the event: one, or more for a split message.
    public var parts: Int
    /// Whether the event is the rest of a message whose beginning was not found.
    public var isOrphan: Bool
    /// Whether the event's columns were inferred because the text had none.
    public var isInferred: Bool
    /// Whether the row gives its time in UTC (the layout with `TimestampUtc`).
    public var isUTCLayout: Bool
    /// The place of the event in the logs.
    public var place: Place
    /// The number that an ``EventPrefilter`` assigned to its columns; `nil` if there was no prefilter.
    public package(set) var choice: Int?

    /// Whether the message was truncated because it was too long.
    private var isCut = false
    private var bytes: [UInt8]
    private var ends: [9 of UInt32]

    init(time: LogTime, place: Place) {
        self.time = time
        self.place = place
        parts = 1
        isOrphan = false
        isInferred = false
        isUTCLayout = false
        bytes = []
        ends = .init(repeating: 0)
    }

    /// The text of a column, as UTF-8.
    public subscript(column: Column) -> Span<UInt8> {
        @_lifetime(borrow self)
        get { bytes.span.extracting(range(of: column)) }
    }

    /// Returns the text of a column.
    public func text(_ column: Column) -> String { String(decoding: bytes[range(of: column)], as: UTF8.self) }

    /// The severity assigned by the writer.
    public var level: ULSLevel { ULSLevel(text(.level)) }

    public static func == (one: Self, other: Self) -> Bool {
        one.bytes == other.bytes && one.endValues == other.endValues && one.time == other.time
            && one.server == other.server && one.parts == other.parts && one.isOrphan == other.isOrphan
            && one.isInferred == other.isInferred && one.place == other.place
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes)
        hasher.combine(place)
    }

    private var endValues: [UInt32] { ends.indices.map { ends[$0] } }

    private func range(of column: Column) -> Range<Int> {
        let index = column.rawValue
        return (index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index])
    }
}

extension ULSEvent {
    /// The place of an event in the logs, to which evidence refers.
    public struct Place: Hashable, Sendable {
        /// The name of the file, or of the entry in its archive.
        public var file: String
        /// The physical line of its first row, counted from 1.
        public var line: Int
        /// The last physical line of its last part.
        public var lineEnd: Int

        /// Creates a place.
        public init(file: String, line: Int, lineEnd: Int) {
            self.file = file
            self.line = line
            self.lineEnd = lineEnd
        }
    }

    /// Appends the next column, in the order of ``Column``.
    private mutating func appendColumn(_ column: Column, _ text: Span<UInt8>) {
        ValidText.append(text, to: &bytes)
        ends[column.rawValue] = UInt32(truncatingIfNeeded: bytes.count)
    }

    /// Creates an event by copying a record.
    package init(
        _ window: borrowing ByteWindow,
        _ fields: RowFields,
        time: LogTime,
        server: String?,
        file: String
    ) {
        self.init(
            time: time,
            place: Place(file: file, line: fields.line + 1, lineEnd: fields.line + fields.lineCount)
        )
        self.server = server
        isInferred = fields.isInferred
        isUTCLayout = fields.isUTC
        bytes.reserveCapacity(fields.end - fields.timeEnd)
        let process = ProcessColumn.parse(window, window.trimmed(fields.timeEnd + 1..<fields.processEnd))
        appendColumn(.process, window.span(process.name))
        appendColumn(.processID, window.span(process.id ?? 0..<0))
        appendColumn(.threadID, window.span(window.trimmed(fields.processEnd + 1..<fields.threadEnd)))
        appendColumn(.area, window.span(window.trimmed(fields.threadEnd + 1..<fields.areaEnd)))
        appendColumn(.category, window.span(window.trimmed(fields.areaEnd + 1..<fields.categoryEnd)))
        appendColumn(.eventID, window.span(window.trimmed(fields.categoryEnd + 1..<fields.eventEnd)))
        appendColumn(.level, window.span(window.trimmed(fields.eventEnd + 1..<fields.levelEnd)))
        appendColumn(.message, window.span(window.trimmed(fields.message)))
        if fields.hasCorrelation { fields.correlation.appendDigits(to: &bytes) }
        ends[Column.correlation.rawValue] = UInt32(truncatingIfNeeded: bytes.count)
    }

    /// Joins the next part of a split message, dropping exactly three dots from the end of the message and from the
    /// beginning of the part; a part of an exception, which has no dots, becomes a line of its own.
    ///
    /// - Returns: False if the message became too long and was truncated.
    package mutating func join(_ part: borrowing ULSEvent, maximum: Int = LogLimit.messageBytes.maximum) -> Bool {
        parts += 1
        place.lineEnd = part.place.lineEnd
        guard !isCut else { return true }
        let start = Int(ends[Column.level.rawValue])
        let end = Int(ends[Column.message.rawValue])
        let correlation = Array(bytes[end...])
        let more = part[.message]
        let isLine = !(more.count >= 3 && more[0] == 0x2E && more[1] == 0x2E && more[2] == 0x2E)
        bytes.removeLast(bytes.count - (isLine ? end : max(start, end - 3)))
        if isLine { bytes.append(0x0A) }
        bytes.append(copying: more.extracting(droppingFirst: isLine ? 0 : 3))
        isCut = bytes.count - start > maximum
        if isCut { bytes.removeLast(bytes.count - place(inMessageAt: maximum)) }
        ends[Column.message.rawValue] = UInt32(truncatingIfNeeded: bytes.count)
        bytes += correlation
        ends[Column.correlation.rawValue] = UInt32(truncatingIfNeeded: bytes.count)
        return !isCut
    }

    /// Replaces the text of a column, which must be UTF-8.
    public mutating func replace(_ column: Column, with text: Span<UInt8>) {
        let old = range(of: column)
        var replaced: [UInt8] = []
        replaced.reserveCapacity(bytes.count - old.count + text.count)
        replaced.append(copying: bytes.span.extracting(first: old.lowerBound))
        replaced.append(copying: text)
        replaced.append(copying: bytes.span.extracting(droppingFirst: old.upperBound))
        let change = text.count - old.count
        bytes = replaced
        for index in column.rawValue..<ends.count {
            ends[index] = UInt32(truncatingIfNeeded: Int(ends[index]) + change)
        }
    }

    /// Truncates the message, at a character boundary, to at most `maximum` bytes, and frees the memory of the rest.
    ///
    /// - Returns: Whether the message was longer.
    @discardableResult
    public mutating func truncateMessage(to maximum: Int) -> Bool {
        let end = Int(ends[Column.message.rawValue])
        guard end - Int(ends[Column.level.rawValue]) > max(0, maximum) else { return false }
        let cut = place(inMessageAt: max(0, maximum))
        bytes = Array(bytes[..<cut] + bytes[end...])
        ends[Column.message.rawValue] = UInt32(truncatingIfNeeded: cut)
        ends[Column.correlation.rawValue] = UInt32(truncatingIfNeeded: bytes.count)
        isCut = true
        return true
    }

    /// Returns the offset, among all bytes, of the character that contains a byte of the message.
    private func place(inMessageAt offset: Int) -> Int {
        let start = Int(ends[Column.level.rawValue])
        var place = start + offset
        while place > start, bytes[place] & 0xC0 == 0x80 { place -= 1 }
        return place
    }
}

extension ULSEvent {
    /// Creates an event with these columns; columns that are not given are empty.
    package init(time: LogTime, place: Place, server: String? = nil, columns: [Column: String]) {
        self.init(time: time, place: place)
        self.server = server
        for column in Column.allCases { appendColumn(column, (columns[column] ?? "").utf8.span) }
    }
}

extension ULSEvent {
    /// The request or job that the event is part of; `nil` if the row names none.
    public var correlationID: CorrelationID? {
        guard let id = CorrelationID(self[.correlation]), id != .none else { return nil }
        return id
    }
}

/// The conversion of arbitrary bytes to UTF-8.
private enum ValidText {
    /// Appends text; each byte that is not part of valid UTF-8 is read as Windows-1252.
    static func append(_ text: Span<UInt8>, to output: inout [UInt8]) {
        var index = 0
        while index + 8 <= text.count, text.word(at: index) & 0x8080_8080_8080_8080 == 0 { index += 8 }
        while index < text.count, text[index] < 0x80 { index += 1 }
        output.append(copying: text.extracting(first: index))
        while index < text.count {
            let length = validLength(text, at: index)
            if length > 0 {
                output.append(copying: text.extracting(index..<index + length))
                index += length
            } else {
                output.append(contentsOf: UTF8.encode(scalar(of: text[index])) ?? UTF8.encodedReplacementCharacter)
                index += 1
            }
        }
    }

    /// Returns the length in bytes of the character at `index`; 0 if there is none.
    ///
    /// Source: Unicode 15, table 3-7, "Well-Formed UTF-8 Byte Sequences".
    private static func validLength(_ text: Span<UInt8>, at index: Int) -> Int {
        let first = text[index]
        let (length, second): (Int, ClosedRange<UInt8>) =
            switch first {
            case 0..<0x80: (1, 0...0)
            case 0xC2...0xDF: (2, 0x80...0xBF)
            case 0xE0: (3, 0xA0...0xBF)
            case 0xE1...0xEC, 0xEE, 0xEF: (3, 0x80...0xBF)
            case 0xED: (3, 0x80...0x9F)
            case 0xF0: (4, 0x90...0xBF)
            case 0xF1...0xF3: (4, 0x80...0xBF)
            case 0xF4: (4, 0x80...0x8F)
            default: (0, 0...0)
            }
        guard length > 1 else { return length }
        guard index + length <= text.count, second.contains(text[index + 1]) else { return 0 }
        for offset in 2..<max(2, length) where text[index + offset] & 0xC0 != 0x80 { return 0 }
        return length
    }

    /// Returns the meaning of a byte in Windows-1252; U+FFFD for the five bytes without one.
    private static func scalar(of byte: UInt8) -> Unicode.Scalar {
        guard (0x80...0x9F).contains(byte) else { return Unicode.Scalar(byte) }
        return Unicode.Scalar(upperControls[Int(byte) - 0x80]) ?? "\u{FFFD}"
    }

    /// The characters for the bytes 0x80 to 0x9F.
    ///
    /// Source: the WHATWG Encoding Standard's index of windows-1252.
    private static let upperControls: [UInt32] = [
        0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0xFFFD,
        0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0xFFFD, 0x017E, 0x0178,
    ]
}

extension ByteWindow {
    /// Returns a column as stored in events: valid UTF-8 without padding.
    package func validText(_ range: Range<Int>) -> [UInt8] {
        var text: [UInt8] = []
        ValidText.append(span(trimmed(range)), to: &text)
        return text
    }
}

/// The severity that the writer of a row gave it: the word in the row's `Level` column.
///
/// The set of levels is open. Trace levels and event levels share the column, other products write their own words, and
/// an unknown word is kept as written. An unknown word ranks with `Medium`, but every filter by level also selects it,
/// because it may be worse.
public struct ULSLevel: Hashable, Sendable {
    /// The word as written, without padding; empty if the row has none.
    public let word: String

    /// The rank of the level: 1 is the worst, and 9 the most verbose.
    ///
    /// Source: "Configure diagnostic logging" (Microsoft Learn): the threshold `Unexpected` logs Unexpected, Exception,
    /// Assert and Critical. The numeric IDs mix two scales in one column and do not define an order.
    public let rank: Int

    /// Creates a level from its word; any word is a level.
    public init(_ word: String) {
        self.word = word
        rank = Self.ranks[word.lowercased()] ?? 6
    }

    /// Creates the level that represents a rank: the first of ``knownWords`` with that rank.
    public init(rank: Int) { self.init(Self.knownWords.first { Self.ranks[$0.lowercased()] == rank } ?? "") }

    /// The level of a row whose level is unknown: a message without columns.
    public static let unknown = ULSLevel("")

    /// The worst level: the service can't continue.
    public static let critical = ULSLevel("Critical")
    /// The second-worst of the service's own levels: something that should not happen.
    public static let unexpected = ULSLevel("Unexpected")
    /// An exception, on the scale of traces.
    public static let exception = ULSLevel("Exception")
    /// A failed assertion, on the scale of traces.
    public static let assert = ULSLevel("Assert")
    /// An error, on the scale of events.
    public static let error = ULSLevel("Error")
    /// The mildest level that the writer considered a problem.
    public static let monitorable = ULSLevel("Monitorable")
    /// A warning, on the scale of events.
    public static let warning = ULSLevel("Warning")
    /// Rare events; many components also log expected failures at this level.
    public static let high = ULSLevel("High")
    /// The usual level.
    public static let medium = ULSLevel("Medium")
    /// Information, on the scale of events.
    public static let information = ULSLevel("Information")
    /// Events that are logged only if an administrator requested them.
    public static let verbose = ULSLevel("Verbose")
    /// The most verbose level.
    public static let verboseEx = ULSLevel("VerboseEx")

    /// Whether the word is one of the service's own.
    public var isKnown: Bool { Self.ranks[word.lowercased()] != nil }

    /// The word as the service writes it, regardless of the original case; an unknown word is kept as written.
    public var name: String { Self.names[word.lowercased()] ?? word }

    /// Whether the writer considered the event a problem: Monitorable or worse.
    public var isAbnormal: Bool { rank <= 3 }

    /// The words that the service writes, worst first.
    public static let knownWords = [
        "Critical", "Unexpected", "Exception", "Assert", "Error", "Monitorable", "Warning", "High", "Medium",
        "Information", "Verbose", "VerboseEx",
    ]

    private static let names = Dictionary(uniqueKeysWithValues: knownWords.map { ($0.lowercased(), $0) })

    private static let ranks: [String: Int] = [
        "critical": 1, "errorcritical": 1, "unexpected": 2, "exception": 2, "assert": 2, "error": 2, "monitorable": 3,
        "audit failure": 3, "warning": 4, "high": 5, "medium": 6, "information": 7, "verbose": 8, "verboseex": 9,
    ]
}

extension ULSLevel: CustomStringConvertible {
    public var description: String { word }
}
