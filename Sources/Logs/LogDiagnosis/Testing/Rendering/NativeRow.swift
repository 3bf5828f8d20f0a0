/// A row as the service writes it: nine columns between tabs, padded.
struct NativeRow {
    /// The names of the columns, as a file begins.
    static let header =
        [
            "Timestamp".padded(to: 23), "Process".padded(to: 40), "TID   ", "Area".padded(to: 30),
            "Category".padded(to: 30), "EventID", "Level     ", "Message ", "Correlation",
        ].joined(separator: "\t") + "\r\n"

    var row: TestRow
    /// The part of the message that stands in this row.
    var message: String
    /// Whether the message began in another row.
    var isContinuation = false

    var text: String {
        let server = row.server.map { "\($0):" } ?? ""
        let columns = [
            row.time.native + (isContinuation ? "*" : " "),
            "\(row.process) (\(server)\(row.processID))".padded(to: 40),
            row.threadID.padded(to: 6),
            row.area.padded(to: 30),
            row.category.padded(to: 30),
            row.eventID,
            row.level.padded(to: 8),
            message,
            row.correlation ?? " ",
        ]
        return columns.joined(separator: "\t") + "\r\n"
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - unicodeScalars.count))
    }
}
