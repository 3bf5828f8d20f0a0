/// What an ``EventChooser`` says of a unit's records, asked once for each different combination of columns.
///
/// The chooser's type is unknown here, so that the code which runs for each row is the same for all of them, and fast:
/// what runs for each row of a unit is a look into an array.
struct RecordChoices {
    private let chooser: any EventChooser
    private var matcher: any MessageMatcher
    /// By number of columns; `nil` where nobody has asked.
    private var choices: [EventChoice?] = []

    init(_ chooser: any EventChooser) {
        self.chooser = chooser
        matcher = chooser.makeMatcher()
    }

    /// What a record's columns say.
    @inline(__always)
    mutating func choice(_ window: borrowing ByteWindow, _ fields: RowFields) -> EventChoice {
        // Number 0 is that of all combinations beyond the limit.
        if fields.columns < choices.count, fields.columns != 0, let known = choices[fields.columns] { return known }
        return learn(window, fields)
    }

    /// Whether the message of a record that is no part of another one matches.
    mutating func matches(_ window: borrowing ByteWindow, _ fields: RowFields, _ number: Int) -> Bool {
        matcher.matches(window.span(window.trimmed(fields.message)), number)
    }

    @inline(never)
    private mutating func learn(_ window: borrowing ByteWindow, _ fields: RowFields) -> EventChoice {
        let area = window.validText(fields.threadEnd + 1..<fields.areaEnd)
        let category = window.validText(fields.areaEnd + 1..<fields.categoryEnd)
        let eventID = window.validText(fields.categoryEnd + 1..<fields.eventEnd)
        let level = window.validText(fields.eventEnd + 1..<fields.levelEnd)
        let choice = chooser.choice(
            area: area.span,
            category: category.span,
            eventID: eventID.span,
            level: level.span
        )
        while choices.count <= fields.columns { choices.append(nil) }
        choices[fields.columns] = choice
        return choice
    }
}
