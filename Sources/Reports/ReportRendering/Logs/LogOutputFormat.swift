/// The forms that log results come in.
public enum LogOutputFormat: String, Hashable, Sendable, CaseIterable {
    /// For people.
    case text
    /// One JSON value.
    case json
    /// A JSON object a line.
    case ndjson
    /// A table of events, for a spreadsheet.
    case csv
    /// Native rows, which viewers of such logs and this program read.
    case uls
    /// For a ticket.
    case markdown
}
