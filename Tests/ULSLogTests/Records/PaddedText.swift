/// Rows as the service pads them.
enum PaddedText {
    static let header = """
        Timestamp              \tProcess                                 \tTID   \tArea                          \t\
        Category                      \tEventID\tLevel     \tMessage \tCorrelation\r\n
        """

    static func row(
        minute: String = "06/07/2024 08:00",
        second: Int = 0,
        thread: String = "0x8104",
        level: String = "Medium",
        message: String = "text",
        correlation: String = " "
    ) -> String {
        let seconds = second < 10 ? "0\(second)" : "\(second)"
        let columns = [
            "\(minute):\(seconds).00 ", "w3wp.exe (0x2A1C)".padded(to: 40), thread,
            "SharePoint Foundation".padded(to: 30), "General".padded(to: 30), "8nca", level.padded(to: 8), message,
            correlation,
        ]
        return columns.joined(separator: "\t") + "\r\n"
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - utf8.count))
    }
}
