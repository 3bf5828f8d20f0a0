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

/// What an ``EventChooser`` says of a unit's records, asked once for each different combination of columns.
///
/// The chooser's type is unknown here, so that the code which runs for each row is the same for all of them, and fast:
/// what runs for most rows is a look into an array.
struct RecordChoices {
    /// By number of columns; `nil` where nobody has asked.
    private var known: [EventChoice?] = []
    private let asking: Asking

    init(_ chooser: any EventChooser) { asking = Asking(chooser) }

    /// Whether it is known already that a record is not chosen, as most are.
    @inline(__always)
    func haveRejected(_ fields: RowFields) -> Bool {
        guard fields.columns < known.count, case .no? = known[fields.columns] else { return false }
        return true
    }

    /// What a record's columns say.
    mutating func choice(_ window: borrowing ByteWindow, _ fields: RowFields) -> EventChoice {
        if fields.columns < known.count, let choice = known[fields.columns] { return choice }
        return learn(window, fields)
    }

    /// Whether the message of a record that is no part of another one matches.
    func matches(_ window: borrowing ByteWindow, _ fields: RowFields, _ number: Int) -> Bool {
        asking.matcher.matches(window.span(window.trimmed(fields.message)), number)
    }

    /// Counts a record that did not match; true if its event is to be shown.
    func count(_ window: borrowing ByteWindow, _ fields: RowFields, _ number: Int) -> Bool {
        asking.matcher.count(window.span(window.trimmed(fields.message)), number)
    }

    /// Shows an event that was asked for.
    func show(_ event: consuming ULSEvent) { asking.matcher.see(event) }

    /// What was counted.
    func tally() -> (any Sendable)? { asking.matcher.tally() }

    @inline(never)
    private mutating func learn(_ window: borrowing ByteWindow, _ fields: RowFields) -> EventChoice {
        let area = window.validText(fields.threadEnd + 1..<fields.areaEnd)
        let category = window.validText(fields.areaEnd + 1..<fields.categoryEnd)
        let eventID = window.validText(fields.categoryEnd + 1..<fields.eventEnd)
        let level = window.validText(fields.eventEnd + 1..<fields.levelEnd)
        let choice = asking.chooser.choice(
            area: area.span,
            category: category.span,
            eventID: eventID.span,
            level: level.span
        )
        // Number 0 is that of all combinations beyond the limit.
        guard fields.columns != 0 else { return choice }
        while known.count <= fields.columns { known.append(nil) }
        known[fields.columns] = choice
        return choice
    }
}

/// Whom to ask: an object, because values of unknown types cost much to copy, and a sink is looked at for each row.
private final class Asking {
    let chooser: any EventChooser
    var matcher: any MessageMatcher

    init(_ chooser: any EventChooser) {
        self.chooser = chooser
        matcher = chooser.makeMatcher()
    }
}

/// Where a request begins or ends in a log.
public struct RequestEdge: Sendable, Hashable {
    /// Which of both it is.
    public enum Kind: Sendable {
        /// A row that names a request: `Name=Request (GET:http://…)`, `Name=Timer Job x`.
        case beginning
        /// A row that leaves the scope of a request or a timer job: `Leaving Monitored Scope (Request (GET:…`.
        case end
    }

    public var kind: Kind
    public var correlation: CorrelationID
    public var time: LogTime
    /// The server that wrote the row, where the row or the file's name says so.
    public var server: String?

    public init(kind: Kind, correlation: CorrelationID, time: LogTime, server: String? = nil) {
        self.kind = kind
        self.correlation = correlation
        self.time = time
        self.server = server
    }
}

extension RequestEdge.Kind {
    /// What a message without padding says of its request; `nil` for most.
    ///
    /// Words are as the service writes them, capitals too. A mark of a row that was forced may stand above them, and
    /// 2016 and later write a colon: `Leaving Monitored Scope: (Request (…`.
    init?(_ message: Span<UInt8>) {
        var start = 0
        if !message.isEmpty, message[0] == UInt8(ascii: "[") { start = ForcedRowMark.parse(message)?.end ?? 0 }
        if message.hasBytes("Name=", at: start) {
            self = .beginning
            return
        }
        guard message.hasBytes("Leaving Monitored Scope", at: start) else { return nil }
        let colon = start + 23
        let name = colon < message.count && message[colon] == UInt8(ascii: ":") ? colon + 1 : colon
        guard message.hasBytes(" (Request", at: name) || message.hasBytes(" (Timer Job", at: name) else { return nil }
        self = .end
    }
}

extension ByteWindow {
    /// Whether a message may be one of an edge, as far as a look at a few of its bytes tells: most are not.
    ///
    /// What is looked at behind a short message is of the row, or the window's slack.
    @inline(__always)
    func mayBeEdge(_ message: Range<Int>) -> Bool {
        let start = message.lowerBound
        switch self[start] {
        case UInt8(ascii: "N"): return self[start &+ 4] == UInt8(ascii: "=")
        case UInt8(ascii: "L"):
            // Scopes of many names are left: behind the bracket is that of a request or of a timer job.
            let name = self[start &+ 25]
            return name == UInt8(ascii: "R") || name == UInt8(ascii: "T") || self[start &+ 23] == UInt8(ascii: ":")
        // A mark of a row that was forced, and padding.
        case UInt8(ascii: "["), 0x20, 0xC2: return true
        default: return false
        }
    }
}
