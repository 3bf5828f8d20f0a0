import ULSLog

/// Events as native rows: tab-separated, padded as the service pads them, lines ended by CR LF.
///
/// A joined message stays joined, its line ends and tabs stay as they are, and a server that is known stands before the
/// process ID, as `Merge-SPLogFile` writes it.
enum NativeRow {
    static func appendHeader(to bytes: inout [UInt8]) {
        append("Timestamp".utf8.span, padded: 23, to: &bytes)
        append("Process".utf8.span, padded: 40, to: &bytes)
        append("TID".utf8.span, padded: 6, to: &bytes)
        append("Area".utf8.span, padded: 30, to: &bytes)
        append("Category".utf8.span, padded: 30, to: &bytes)
        append("EventID".utf8.span, padded: 7, to: &bytes)
        append("Level".utf8.span, padded: 10, to: &bytes)
        bytes.append(text: "Message \tCorrelation\r\n" as StaticString)
    }

    /// Appends the event; `false`, with nothing appended, when it has no date: a paste may have none.
    static func append(_ event: borrowing ULSEvent, to bytes: inout [UInt8]) -> Bool {
        guard event.time.hasDate else { return false }
        event.time.appendNative(isUTCLayout: event.isUTCLayout, to: &bytes)
        // A part whose beginning is missing stays marked as one.
        bytes.append(event.isOrphan ? UInt8(ascii: "*") : 0x20)
        bytes.append(0x09)
        append(process(of: event).utf8.span, padded: 40, to: &bytes)
        append(event[.threadID], padded: 6, to: &bytes)
        append(event[.area], padded: 30, to: &bytes)
        append(event[.category], padded: 30, to: &bytes)
        append(event[.eventID], padded: 0, to: &bytes)
        append(event[.level], padded: 8, to: &bytes)
        event[.message].withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        bytes.append(0x09)
        if event[.correlation].isEmpty {
            bytes.append(0x20)
        } else {
            append(event[.correlation], to: &bytes)
        }
        bytes.append(text: "\r\n" as StaticString)
        return true
    }

    /// `w3wp.exe (0x1790)`, or `w3wp.exe (WFE1:0x1790)`.
    private static func process(of event: borrowing ULSEvent) -> String {
        let id = event.text(.processID)
        guard !id.isEmpty else { return event.text(.process) }
        let server = event.server.map { $0.isEmpty ? "" : $0 + ":" } ?? ""
        return "\(event.text(.process)) (\(server)\(id))"
    }

    private static func append(_ text: Span<UInt8>, padded width: Int, to bytes: inout [UInt8]) {
        append(text, to: &bytes)
        bytes.append(blanks: width - text.count)
        bytes.append(0x09)
    }

    /// A tab or line end in a column other than the message would end the column.
    private static func append(_ text: Span<UInt8>, to bytes: inout [UInt8]) {
        for index in text.indices { bytes.append(text[index] < 0x20 ? 0x20 : text[index]) }
    }
}
