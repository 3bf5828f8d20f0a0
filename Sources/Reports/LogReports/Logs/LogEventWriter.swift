import JSONText
package import ReportKit
import TextKit
package import ULSLog

/// Writes events one after another in any of the formats.
///
/// ```swift
/// var writer = LogEventWriter(.ndjson)
/// writer.begin(in: &bytes)
/// _ = try reader.forEachEvent(in: .time) { event in
///     writer.append(event, to: &bytes)
///     if bytes.count > 65536 { try drain(&bytes) }
/// }
/// writer.end(in: &bytes)
/// ```
package struct LogEventWriter {
    package static let forms: [OutputForm] = [.text, .json, .ndjson, .csv, .uls]

    /// The number of events that were left out because they have no date, which native rows require.
    package private(set) var omitted = 0
    private let form: OutputForm
    private let table: EventTable
    private var list: JSONList
    private var lines: EventLines

    /// Creates a writer; `showsServer` gives text a column for the server, and `marksHits` adds one that distinguishes
    /// hits from the events around them; the other formats, except native rows, always have both.
    package init(
        _ form: OutputForm,
        layout: TextLayout = TextLayout(),
        showsServer: Bool = false,
        marksHits: Bool = false,
        csv: CSVStyle = CSVStyle()
    ) {
        self.form = form
        table = EventTable(csv)
        list = JSONList(isArray: form == .json)
        lines = EventLines(layout, showsServer: showsServer, marksHits: marksHits)
    }

    /// Appends the text before the first event.
    package func begin(in bytes: inout [UInt8]) {
        switch form {
        case .csv: table.appendHeader(to: &bytes)
        case .uls: NativeRow.appendHeader(to: &bytes)
        case .text, .json, .ndjson: break
        default: form.failAsUndeclared()
        }
    }

    /// Appends the next event, which may be included only because of a nearby hit; returns `false` if it cannot be
    /// written in this format.
    @discardableResult
    package mutating func append(
        _ event: borrowing ULSEvent,
        isContext: Bool = false,
        to bytes: inout [UInt8]
    ) -> Bool {
        switch form {
        case .text: lines.append(event, isContext: isContext, to: &bytes)
        case .json, .ndjson: list.append(to: &bytes) { LogEventObject.append(event, isContext: isContext, to: &$0) }
        case .csv: table.append(event, isContext: isContext, to: &bytes)
        case .uls:
            guard NativeRow.append(event, to: &bytes) else {
                omitted += 1
                return false
            }
        default: form.failAsUndeclared()
        }
        return true
    }

    /// Appends the text after the last event.
    package func end(in bytes: inout [UInt8]) { if form == .json { list.end(in: &bytes) } }

    /// The message for standard error about the events left out; `nil` if there are none.
    package var note: String? {
        guard omitted > 0 else { return nil }
        let events = Quantity(grouped: omitted, "event has", "events have")
        return "\(events) no date and cannot be written as native rows; use -o ndjson or -o csv to get all events"
    }
}

/// Events in readable form, one per line: time, server, level, event ID, area and category, message, correlation.
///
/// On a terminal, a line has the time of day, the date gets its own line whenever it changes, the message is cut to the
/// remaining width, and the correlation is shortened to the digits that `--correlation` needs; if the terminal is
/// narrow, the message is on a separate, indented line. A wide layout is the same, except that nothing is cut. In a
/// pipe or file, every line is complete, with the full time, message and correlation. A line never begins with a
/// message.
private struct EventLines {
    private let layout: TextLayout
    private let showsServer: Bool
    private let marksHits: Bool
    private var date: String?
    private var serverWidth = 0

    init(_ layout: TextLayout, showsServer: Bool, marksHits: Bool) {
        self.layout = layout
        self.showsServer = showsServer
        self.marksHits = marksHits
    }

    mutating func append(_ event: borrowing ULSEvent, isContext: Bool, to bytes: inout [UInt8]) {
        let start = appendTime(of: event, isContext: isContext, to: &bytes)
        if showsServer {
            let maximum = isStacked ? serverWidthIfStacked : Self.maximumServerWidth
            let server = event.server.map { lineText($0, columns: maximum, layout) } ?? "-"
            serverWidth = max(serverWidth, SafeText.width(server))
            bytes.append(padded: server, to: serverWidth)
            bytes.append(blanks: 2)
        }
        appendLevel(of: event, to: &bytes)
        appendEventID(of: event, to: &bytes)
        if isStacked {
            while bytes.last == 0x20 { bytes.removeLast() }
            bytes.append(0x0A)
            bytes.append(blanks: Self.stackIndent)
            bytes.append(line: event[.message], columns: layout.cutWidth.map { $0 - Self.stackIndent }, layout)
        } else {
            bytes.append(blanks: 2)
            appendCategory(of: event, to: &bytes)
            appendMessage(of: event, lineStart: start, to: &bytes)
        }
        bytes.append(0x0A)
    }

    /// Whether a message does not fit next to the other columns.
    private var isStacked: Bool { layout.cutWidth.map { $0 < Self.messageFrom } ?? false }

    /// The number of columns for the server if the message has its own line.
    private var serverWidthIfStacked: Int {
        let others = (marksHits ? 2 : 0) + Self.timeWidth + 2 + 2 + Self.levelWidth + 2 + Self.eventIDWidth
        return min(Self.maximumServerWidth, max(1, (layout.cutWidth ?? .max) - others))
    }

    /// Appends the time and returns the index at which the line begins.
    private mutating func appendTime(of event: borrowing ULSEvent, isContext: Bool, to bytes: inout [UInt8]) -> Int {
        let time = event.time
        let isWhole = layout.width == nil
        if !isWhole, let day = time.isoDate, day != date {
            date = day
            bytes.append(.bold, layout) { $0.append(text: day) }
            bytes.append(0x0A)
        }
        let start = bytes.count
        if marksHits { bytes.append(text: isContext ? "  " : "> ") }
        if time.quality == .none {
            bytes.append(text: "--:--:--.--" as StaticString)
        } else if isWhole {
            time.appendISO8601(to: &bytes)
        } else {
            time.appendTimeOfDay(to: &bytes)
        }
        bytes.append(blanks: 2)
        return start
    }

    private func appendLevel(of event: borrowing ULSEvent, to bytes: inout [UInt8]) {
        let level = event.level
        let word = lineText(level.word.isEmpty ? "-" : level.word, columns: Self.levelWidth, layout)
        bytes.append(level.style, layout) { $0.append(text: word) }
        bytes.append(blanks: Self.levelWidth - SafeText.width(word) + 2)
    }

    private func appendEventID(of event: borrowing ULSEvent, to bytes: inout [UInt8]) {
        let (text, start) = (event[.eventID], bytes.count)
        let columns = layout.cutWidth.map { _ in Self.eventIDWidth }
        if text.isEmpty { bytes.append(UInt8(ascii: "-")) } else { bytes.append(line: text, columns: columns, layout) }
        bytes.append(blanks: Self.eventIDWidth - SafeText.width(String(decoding: bytes[start...], as: UTF8.self)))
    }

    /// Appends `Area/Category`; on a narrow terminal, appends only the category or nothing.
    private func appendCategory(of event: borrowing ULSEvent, to bytes: inout [UInt8]) {
        let (area, category) = (event.text(.area), event.text(.category))
        let both = area.isEmpty ? category : category.isEmpty ? area : "\(area)/\(category)"
        guard let width = layout.cutWidth else {
            bytes.append(line: both.isEmpty ? "-" : both, layout)
            return bytes.append(blanks: 2)
        }
        guard width >= Self.categoryFrom else { return }
        let columns = width >= Self.areaFrom ? 36 : 20
        let shown = width >= Self.areaFrom || category.isEmpty ? both : category
        bytes.append(padded: lineText(shown.isEmpty ? "-" : shown, columns: columns, layout), to: columns)
        bytes.append(blanks: 2)
    }

    private func appendMessage(of event: borrowing ULSEvent, lineStart: Int, to bytes: inout [UInt8]) {
        let correlation = event.text(.correlation)
        var columns: Int?
        var shownCorrelation = correlation.isEmpty ? "" : "  [\(lineText(correlation, layout))]"
        if let width = layout.cutWidth {
            if !correlation.isEmpty { shownCorrelation = "  [\(lineText(String(correlation.prefix(8)), layout))]" }
            if width < Self.correlationFrom { shownCorrelation = "" }
            let used = Self.width(of: bytes[lineStart...]) + SafeText.width(shownCorrelation)
            columns = max(Self.minimumMessageWidth, width - used)
        }
        bytes.append(line: event[.message], columns: columns, layout)
        bytes.append(text: shownCorrelation)
    }

    /// Returns the width of a line in columns, ignoring our own color sequences.
    private static func width(of line: ArraySlice<UInt8>) -> Int {
        var text: [UInt8] = []
        var isSequence = false
        for byte in line {
            if byte == 0x1B { isSequence = true }
            if !isSequence { text.append(byte) }
            if byte == UInt8(ascii: "m") { isSequence = false }
        }
        return SafeText.width(String(decoding: text, as: UTF8.self))
    }

    /// The number of columns of `11:03:01.304`.
    private static let timeWidth = 12
    private static let levelWidth = 11
    private static let eventIDWidth = 5
    private static let maximumServerWidth = 20
    private static let stackIndent = 4
    /// The minimum terminal width for a message on the line of the other columns.
    private static let messageFrom = 76
    private static let minimumMessageWidth = 16
    /// The minimum terminal width for the correlation.
    private static let correlationFrom = 100
    /// The minimum terminal width for the category.
    private static let categoryFrom = 120
    /// The minimum terminal width for the area.
    private static let areaFrom = 160
}

/// Events as comma-separated values, for a spreadsheet.
///
/// Columns and names follow `fastctl.logEvent/1`; unknown values are empty.
private struct EventTable {
    private let style: CSVStyle

    init(_ style: CSVStyle) { self.style = style }

    func appendHeader(to bytes: inout [UInt8]) {
        _ = CSVText(
            [
                "time", "timeQuality", "server", "process", "processID", "threadID", "area", "category", "eventID",
                "level", "message", "correlation", "file", "line", "lineEnd", "parts", "inferred", "context",
            ],
            style,
            to: &bytes
        )
    }

    func append(_ event: borrowing ULSEvent, isContext: Bool, to bytes: inout [UInt8]) {
        event.time.appendISO8601(to: &bytes)
        bytes.append(style.delimiter)
        bytes.append(text: event.time.quality.rawValue)
        bytes.append(style.delimiter)
        if let server = event.server { CSVField.append(server.utf8.span, style, to: &bytes) }
        for column in ULSEvent.Column.allCases {
            bytes.append(style.delimiter)
            CSVField.append(event[column], style, to: &bytes)
        }
        bytes.append(style.delimiter)
        CSVField.append(event.place.file.utf8.span, style, to: &bytes)
        for number in [event.place.line, event.place.lineEnd, event.parts] {
            bytes.append(style.delimiter)
            bytes.append(text: String(number))
        }
        for fact in [event.isInferred, isContext] {
            bytes.append(style.delimiter)
            bytes.append(text: fact ? "true" : "false")
        }
        bytes.append(text: "\r\n" as StaticString)
    }
}

/// `fastctl.logEvent/1`: an event as a JSON object.
enum LogEventObject {
    static func append(_ event: borrowing ULSEvent, isContext: Bool = false, to bytes: inout [UInt8]) {
        let event = copy event
        bytes.append(object: "fastctl.logEvent/1") { object in
            object.member("time", event.time)
            object.member("timeQuality", event.time.quality.rawValue)
            object.member("server", log: event.server)
            object.member("process", log: event.text(.process))
            object.member("processID", log: event.text(.processID))
            object.member("threadID", log: event.text(.threadID))
            object.member("area", log: event.text(.area))
            object.member("category", log: event.text(.category))
            object.member("eventID", log: event.text(.eventID))
            object.member("level", log: event.text(.level))
            object.member("message", event.text(.message))
            object.member("correlation", log: event.text(.correlation))
            object.member("file", event.place.file)
            object.member("line", event.place.line)
            object.member("lineEnd", event.place.lineEnd)
            object.member("parts", event.parts)
            object.member("inferred", event.isInferred)
            object.member("context", isContext)
        }
    }
}

/// Events as native rows: tab-separated, padded like those of the service, with lines ending in CR LF.
///
/// A joined message stays joined and keeps its line ends and tabs. A known server is written before the process ID, as
/// `Merge-SPLogFile` does.
private enum NativeRow {
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

    /// Appends the event; returns `false` and appends nothing if it has no date, as in a paste.
    static func append(_ event: borrowing ULSEvent, to bytes: inout [UInt8]) -> Bool {
        guard event.time.hasDate else { return false }
        event.time.appendNative(isUTCLayout: event.isUTCLayout, to: &bytes)
        // A continuation without its beginning keeps its mark.
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

    /// Returns the process column: `w3wp.exe (0x1790)` or `w3wp.exe (WFE1:0x1790)`.
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

    /// Appends text with control characters replaced by spaces: a tab or line end outside the message would end the
    /// column.
    private static func append(_ text: Span<UInt8>, to bytes: inout [UInt8]) {
        for index in text.indices { bytes.append(text[index] < 0x20 ? 0x20 : text[index]) }
    }
}
