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
