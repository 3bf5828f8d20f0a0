import ULSLog

/// `1219 events of 1219 rows in 1 file (0.2 s)`.
struct LogSentence {
    let outcome: LogOutcome

    var text: String {
        let duration = "(\(ShortDuration(outcome.duration)))"
        if outcome.isLimited { return "stopped after \(Quantity(outcome.events, "event", "events")) \(duration)" }
        return "\(found)\(notUnderstood) \(duration)"
    }

    private var found: String {
        // What was passed over was not told apart into rows.
        let quality = outcome.quality
        let rows =
            quality.passedOver > 0
            ? Quantity(quality.lines, "line", "lines") : Quantity(quality.records, "row", "rows")
        if outcome.holdsNothing { return "no event \(place)" }
        if outcome.events == 0 { return "nothing found: none of \(rows) \(place)" }
        return "\(Quantity(outcome.events, "event", "events")) of \(rows) \(place)"
    }

    private var place: String {
        "in \(Quantity(outcome.files.count { !$0.isSkipped }, "file", "files"))"
    }

    private var notUnderstood: String {
        let count = outcome.quality.notUnderstood
        guard count > 0 else { return "" }
        return "; \(Quantity(count, "line", "lines")) not understood"
    }
}
