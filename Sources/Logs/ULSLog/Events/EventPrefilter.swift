public import ULSRows

/// A prefilter of events that runs on the reading threads.
///
/// Columns are examined first, because there are few distinct ones among millions of rows; a message is examined only
/// if its columns require it. See ``LogReader/forEachEvent(chosenBy:edges:tallies:_:)``.
public protocol EventPrefilter: Sendable {
    associatedtype Matcher: MessageMatcher

    /// Returns the choice for a record's columns; the method is called once for each distinct combination in a unit of
    /// work.
    ///
    /// As in ``ULSEvent``, the columns are valid UTF-8 without padding. The result must not depend on anything else.
    func choice(area: Span<UInt8>, category: Span<UInt8>, eventID: Span<UInt8>, level: Span<UInt8>) -> PrefilterResult

    /// Creates a matcher of messages; each unit of work has its own, as does each log whose split messages are joined.
    func makeMatcher() -> Matcher

    /// A test of whether text without columns is a log message even if its form does not show it; `nil` if there is no
    /// test.
    var messageTest: (@Sendable ([UInt8]) -> Bool)? { get }
}

extension EventPrefilter {
    /// No test, which is the default.
    public var messageTest: (@Sendable ([UInt8]) -> Bool)? { nil }
}

/// The result of the choice by a record's columns.
public enum PrefilterResult: Sendable, Hashable {
    case no
    /// Chosen, regardless of the message; only the prefilter knows the meaning of the number.
    case yes(Int)
    /// Chosen if the message matches the pattern with this number in the matcher.
    case ifMessageMatches(Int)
    /// Chosen if the message matches; otherwise the matcher counts the record.
    ///
    /// A row without a correlation, or a row that is part of a split message, is delivered instead of being counted.
    case elseCounted(Int)
    /// Chosen if the message matches; otherwise the matcher counts the record if its message is relevant.
    ///
    /// A row without a correlation, or a row that is part of a split message, is delivered if its message is relevant.
    case ifMessageMatters(Int)

    /// The number delivered with the event.
    var number: Int? {
        switch self {
        case .no: nil
        case .yes(let number), .ifMessageMatches(let number), .elseCounted(let number), .ifMessageMatters(let number):
            number
        }
    }

    /// The number of a record that may be counted instead of being delivered; `nil` if the record must be delivered.
    var countable: Int? {
        switch self {
        case .elseCounted(let number), .ifMessageMatters(let number): number
        case .no, .yes, .ifMessageMatches: nil
        }
    }
}

/// A matcher of the messages of one thread.
public protocol MessageMatcher {
    /// The counts of a unit of work.
    associatedtype Tally: Sendable = Never

    /// Returns whether a message matches the pattern with this number, from ``PrefilterResult/ifMessageMatches(_:)``.
    ///
    /// The message has no padding at its ends. Unless it is part of a split message, its bytes are unchanged: in a
    /// Windows-1252 log, they may not be valid UTF-8, although those of the delivered event are. A joined message is
    /// always valid UTF-8. Therefore, look only for ASCII, or treat anything else as a match and examine the event
    /// again.
    ///
    /// If the number came from ``PrefilterResult/ifMessageMatters(_:)``, ``matters(_:_:)`` has just been called for the
    /// same message.
    mutating func matches(_ message: Span<UInt8>, _ number: Int) -> Bool

    /// Returns whether a message matches, or is relevant to the matcher for another reason.
    mutating func matters(_ message: Span<UInt8>, _ number: Int) -> Bool

    /// Counts a record that did not match, whose number came from ``PrefilterResult/elseCounted(_:)`` or
    /// ``PrefilterResult/ifMessageMatters(_:)``.
    ///
    /// - Returns: Whether the matcher needs the event, which is then copied.
    mutating func count(_ message: Span<UInt8>, _ number: Int, _ record: CountedRecord) -> Bool

    /// Receives the event just requested; its line is counted from the beginning of the unit.
    mutating func see(_ event: consuming ULSEvent)

    /// Returns the counts at the end of a unit.
    mutating func tally() -> Tally?
}

extension MessageMatcher {
    /// Returns whether the message matches, which is the default for a matcher to which no other message is relevant.
    public mutating func matters(_ message: Span<UInt8>, _ number: Int) -> Bool { matches(message, number) }
    /// Counts nothing and requests no event.
    public mutating func count(_ message: Span<UInt8>, _ number: Int, _ record: CountedRecord) -> Bool { false }
    /// Does nothing.
    public mutating func see(_ event: consuming ULSEvent) {}
    /// Returns `nil`, which is the default for a matcher that counts nothing.
    public mutating func tally() -> Tally? { nil }
}

/// The facts, other than the message, about a record that a matcher counts.
public struct CountedRecord: Sendable {
    /// The event ID as written.
    public var eventID: [UInt8]
    /// The request of the row.
    public var correlation: CorrelationID
    /// The time at which the row was written.
    public var time: LogTime
    /// The server that wrote the row, if the row or the file's name contains it.
    public var server: String?
    /// The line of the row, counted from the beginning of the unit.
    public var line: Int
}

/// The choices of an ``EventPrefilter`` for a unit's records, made once for each distinct combination of columns.
///
/// The prefilter's type is unknown here, so the code that runs for each row is the same for all prefilters. The code is
/// fast, because most rows take only an array lookup.
struct RecordChoices {
    /// The choices by the number of the columns; `nil` if not yet requested.
    private var known: [PrefilterResult?] = []
    private let matcher: RowMatcher

    init(_ prefilter: any EventPrefilter) { matcher = prefilter.makeRowMatcher() }

    /// See ``EventPrefilter/messageTest``.
    var messageTest: (@Sendable ([UInt8]) -> Bool)? { matcher.prefilter.messageTest }

    /// Returns whether a record is already known not to be chosen, as most are.
    @inline(__always)
    func haveRejected(_ fields: RowFields) -> Bool {
        guard fields.columns < known.count, case .no? = known[fields.columns] else { return false }
        return true
    }

    /// Returns the choice for a record's columns.
    mutating func choice(_ window: borrowing ByteWindow, _ fields: RowFields) -> PrefilterResult {
        if fields.columns < known.count, let choice = known[fields.columns] { return choice }
        return learn(window, fields)
    }

    /// Returns whether the message of a record that is not part of a split message matches.
    func matches(_ window: borrowing ByteWindow, _ fields: RowFields, _ number: Int) -> Bool {
        matcher.matches(window.span(window.trimmed(fields.message)), number)
    }

    /// Returns whether the message of a record that is not part of a split message is relevant.
    func matters(_ window: borrowing ByteWindow, _ fields: RowFields, _ number: Int) -> Bool {
        matcher.matters(window.span(window.trimmed(fields.message)), number)
    }

    /// Counts a record that did not match; returns true if its event must be shown to the matcher.
    func count(_ window: borrowing ByteWindow, _ fields: RowFields, _ number: Int, _ record: CountedRecord) -> Bool {
        matcher.count(window.span(window.trimmed(fields.message)), number, record)
    }

    /// Passes the matcher an event that it requested.
    func show(_ event: consuming ULSEvent) { matcher.see(event) }

    /// Returns the counts.
    func tally() -> (any Sendable)? { matcher.tally() }

    @inline(never)
    private mutating func learn(_ window: borrowing ByteWindow, _ fields: RowFields) -> PrefilterResult {
        let area = window.validText(fields.threadEnd + 1..<fields.areaEnd)
        let category = window.validText(fields.areaEnd + 1..<fields.categoryEnd)
        let eventID = window.validText(fields.categoryEnd + 1..<fields.eventEnd)
        let level = window.validText(fields.eventEnd + 1..<fields.levelEnd)
        let choice = matcher.prefilter.choice(
            area: area.span,
            category: category.span,
            eventID: eventID.span,
            level: level.span
        )
        // Number 0 represents all combinations beyond the limit.
        guard fields.columns != 0 else { return choice }
        while known.count <= fields.columns { known.append(nil) }
        known[fields.columns] = choice
        return choice
    }
}

/// A prefilter and its matcher, whose types are unknown; this is a class because values of unknown types are costly to
/// copy and to call, and nearly every row calls the matcher.
private class RowMatcher {
    let prefilter: any EventPrefilter

    init(_ prefilter: any EventPrefilter) { self.prefilter = prefilter }

    func matches(_ message: Span<UInt8>, _ number: Int) -> Bool { false }
    func matters(_ message: Span<UInt8>, _ number: Int) -> Bool { false }
    func count(_ message: Span<UInt8>, _ number: Int, _ record: CountedRecord) -> Bool { false }
    func see(_ event: consuming ULSEvent) {}
    func tally() -> (any Sendable)? { nil }
}

/// A matcher of a known type.
private final class KnownMatcher<Matcher: MessageMatcher>: RowMatcher {
    // A matcher never calls this object, so calls cannot overlap, and the check for that, one for each row, is omitted.
    @exclusivity(unchecked)
    private var matcher: Matcher

    init<Prefilter: EventPrefilter>(_ prefilter: Prefilter) where Prefilter.Matcher == Matcher {
        unsafe matcher = prefilter.makeMatcher()
        super.init(prefilter)
    }

    override func matches(_ message: Span<UInt8>, _ number: Int) -> Bool { unsafe matcher.matches(message, number) }
    override func matters(_ message: Span<UInt8>, _ number: Int) -> Bool { unsafe matcher.matters(message, number) }
    override func count(_ message: Span<UInt8>, _ number: Int, _ record: CountedRecord) -> Bool {
        unsafe matcher.count(message, number, record)
    }
    override func see(_ event: consuming ULSEvent) { unsafe matcher.see(event) }
    override func tally() -> (any Sendable)? { unsafe matcher.tally() }
}

extension EventPrefilter {
    fileprivate func makeRowMatcher() -> RowMatcher { KnownMatcher(self) }
}
