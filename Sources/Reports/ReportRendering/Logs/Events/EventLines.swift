import TextSafety
import ULSLog

/// Events for people, one on a line: time, server, level, event ID, area and category, message, correlation.
///
/// On a terminal a line has the time of day, the day stands on a line of its own where it changes, the message is cut to
/// what is left, and of the correlation there is as much as `--correlation` wants. In a pipe or file every line stands
/// for itself: the whole time, the whole message, the whole correlation. The message never begins a line.
struct EventLines {
    private let layout: TextLayout
    private let showsServer: Bool
    private var date: String?
    private var serverWidth = 0

    init(_ layout: TextLayout, showsServer: Bool) {
        self.layout = layout
        self.showsServer = showsServer
    }

    mutating func append(_ event: borrowing ULSEvent, to bytes: inout [UInt8]) {
        let start = appendTime(of: event, to: &bytes)
        if showsServer {
            let server = event.server.map { lineText($0, columns: Self.maximumServerWidth, layout) } ?? "-"
            serverWidth = max(serverWidth, SafeText.width(server))
            bytes.append(padded: server, to: serverWidth)
            bytes.append(blanks: 2)
        }
        appendLevel(of: event, to: &bytes)
        appendPadded(event[.eventID], to: Self.eventIDWidth, in: &bytes)
        bytes.append(blanks: 2)
        appendCategory(of: event, to: &bytes)
        appendMessage(of: event, lineStart: start, to: &bytes)
        bytes.append(0x0A)
    }

    /// Appends the time, and returns where the line begins.
    private mutating func appendTime(of event: borrowing ULSEvent, to bytes: inout [UInt8]) -> Int {
        let time = event.time
        let isWhole = layout.width == nil
        if !isWhole, let day = time.isoDate, day != date {
            date = day
            bytes.append(.bold, layout) { $0.append(text: day) }
            bytes.append(0x0A)
        }
        let start = bytes.count
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

    private func appendPadded(_ text: Span<UInt8>, to width: Int, in bytes: inout [UInt8]) {
        let start = bytes.count
        if text.isEmpty { bytes.append(UInt8(ascii: "-")) } else { bytes.append(line: text, layout) }
        bytes.append(blanks: width - SafeText.width(String(decoding: bytes[start...], as: UTF8.self)))
    }

    /// `Area/Category`; on a terminal only the category, where there is little room.
    private func appendCategory(of event: borrowing ULSEvent, to bytes: inout [UInt8]) {
        let (area, category) = (event.text(.area), event.text(.category))
        let both = area.isEmpty ? category : category.isEmpty ? area : "\(area)/\(category)"
        guard let width = layout.width else {
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
        if let width = layout.width {
            if !correlation.isEmpty { shownCorrelation = "  [\(lineText(String(correlation.prefix(8)), layout))]" }
            if width < Self.correlationFrom { shownCorrelation = "" }
            let used = Self.width(of: bytes[lineStart...]) + SafeText.width(shownCorrelation)
            columns = max(Self.minimumMessageWidth, width - used)
        }
        bytes.append(line: event[.message], columns: columns, layout)
        bytes.append(text: shownCorrelation)
    }

    /// The columns of a line that may hold our own color sequences.
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

    private static let levelWidth = 11
    private static let eventIDWidth = 5
    private static let maximumServerWidth = 20
    private static let minimumMessageWidth = 16
    /// Narrower terminals show no correlation.
    private static let correlationFrom = 100
    /// Narrower terminals show no category.
    private static let categoryFrom = 120
    /// Narrower terminals show no area.
    private static let areaFrom = 160
}
