/// Chooses events, in the threads that read.
///
/// Columns are asked first, because there are few different ones among millions of rows; only the messages of those that
/// need it are looked at. See ``LogReader/forEachEvent(chosenBy:edges:_:)``.
public protocol EventChooser: Sendable {
    associatedtype Matcher: MessageMatcher

    /// What the columns say of a record; asked once for each different combination in a unit of work.
    ///
    /// They are as ``ULSEvent`` has them: valid UTF-8 without padding. The answer must depend on nothing else.
    func choice(
        area: Span<UInt8>,
        category: Span<UInt8>,
        eventID: Span<UInt8>,
        level: Span<UInt8>
    ) -> EventChoice

    /// What looks into messages; each unit of work has its own, and so has each log whose split messages are joined.
    func makeMatcher() -> Matcher
}

/// What the columns of a record say about whether it is chosen.
public enum EventChoice: Sendable, Hashable {
    case no
    /// Whatever the message; the number means something to the chooser only.
    case yes(Int)
    /// If the message matches what the matcher knows by this number.
    case ifMessageMatches(Int)
    /// If the message matches; else the matcher counts the record.
    ///
    /// A row without a correlation, or that is a part of a split message, is not counted but handed over.
    case elseCounted(Int)

    /// The number that the event is handed over with.
    var number: Int? {
        switch self {
        case .no: nil
        case .yes(let number), .ifMessageMatches(let number), .elseCounted(let number): number
        }
    }
}

/// Looks into the messages of one thread.
public protocol MessageMatcher {
    /// What it counts in a unit of work.
    associatedtype Tally: Sendable = Never

    /// Whether a message matches what is known by a number, which ``EventChoice/ifMessageMatches(_:)`` said.
    ///
    /// The message is without padding at its ends. It is bytes as they were written, where it is no part of a split one:
    /// in a log of Windows-1252 it may be no valid UTF-8, though the event that is handed over is. A joined message is
    /// valid UTF-8 always. So look for ASCII only, or take anything else for a match and look again at the event.
    mutating func matches(_ message: Span<UInt8>, _ number: Int) -> Bool

    /// Counts a record that did not match, of which ``EventChoice/elseCounted(_:)`` said the number.
    ///
    /// - Returns: Whether it wants to see the event, of which a copy is then made.
    mutating func count(_ message: Span<UInt8>, _ number: Int) -> Bool

    /// Shows it the event that it has just asked for; the lines of its place begin with the unit's.
    mutating func see(_ event: consuming ULSEvent)

    /// What was counted, at the end of a unit.
    mutating func tally() -> Tally?
}

extension MessageMatcher {
    public mutating func count(_ message: Span<UInt8>, _ number: Int) -> Bool { false }
    public mutating func see(_ event: consuming ULSEvent) {}
    public mutating func tally() -> Tally? { nil }
}
