import LogReports
import ReportKit
import TerminalScreen
import TextKit
package import ULSLog

/// A row with its complete message, and the trace of its request.
package struct ViewerPage: Sendable {
    /// The request of a row.
    package enum Request: Sendable {
        /// The row does not name a request.
        case none
        case reading
        case stories([RequestTrace])
        case failed(String)
    }

    private let event: ULSEvent
    private let request: Request
    private(set) var top = 0

    package init(_ event: ULSEvent, _ request: Request) {
        self.event = event
        self.request = request
    }

    var isReading: Bool { if case .reading = request { true } else { false } }

    func scrolled(to top: Int) -> Self {
        var page = self
        page.top = top
        return page
    }

    mutating func move(_ key: ScreenKey, rows: Int, columns: Int, _ layout: TextLayout) {
        let count = lines(columns: columns, layout).count
        top = ViewerState.moved(top, by: key, page: rows, count: count) ?? top
    }

    /// Returns the page's lines, none of which is wider than the screen.
    func lines(columns: Int, _ layout: TextLayout) -> [[StyledText]] {
        var layout = layout
        // Text that does not fit on a very narrow screen is folded.
        layout.width = max(columns, TextLayout.minimumWidth)
        layout.isColored = true
        var bytes: [UInt8] = []
        for (name, value) in facts where !value.isEmpty {
            bytes.append(.bold, layout) { $0.append(padded: name, to: Self.nameWidth) }
            let phrase: Phrase = "\(untrusted: value)"
            phrase.appendLines(to: &bytes, layout, from: Self.nameWidth, indent: Self.nameWidth)
        }
        bytes.append(0x0A)
        for line in event.text(.message).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            bytes.append(line: String(line), layout)
            bytes.append(0x0A)
        }
        bytes.append(0x0A)
        appendRequest(to: &bytes, layout)
        return StyledLines.folded(bytes, columns: columns)
    }

    private static let nameWidth = 13

    private var facts: [(name: String, value: String)] {
        let process = [event.text(.process), event.text(.processID)].filter { !$0.isEmpty }.joined(separator: " ")
        let category = [event.text(.area), event.text(.category)].filter { !$0.isEmpty }.joined(separator: "/")
        return [
            ("Time", event.time.iso8601 ?? ""), ("Server", event.server ?? ""), ("Level", event.text(.level)),
            ("Event ID", event.text(.eventID)), ("Category", category), ("Process", process),
            ("Thread", event.text(.threadID)), ("Correlation", event.text(.correlation)), ("File", event.place.file),
        ]
    }

    private func appendRequest(to bytes: inout [UInt8], _ layout: TextLayout) {
        switch request {
        case .none: bytes.append(text: "The row does not belong to a request.\n" as StaticString)
        case .reading: bytes.append(text: "Reading the request …\n" as StaticString)
        case .failed(let reason):
            let phrase: Phrase = "The request cannot be read: \(untrusted: reason)"
            phrase.appendLines(to: &bytes, layout)
        case .stories(let stories):
            if stories.isEmpty { bytes.append(text: "No row of the request was found.\n" as StaticString) }
            // The text is kept in memory, so no error can be thrown.
            try? TraceRenderer.append(stories, as: .text, layout: layout, to: &bytes) { _ in }
        }
    }
}

/// The page that lists the keyboard commands.
enum ViewerHelp {
    private static let keys: [(keys: String, meaning: String)] = [
        ("up, down, j, k", "select another row"),
        ("space, b", "a page down, a page up"),
        ("g, G", "the first row, the last row"),
        ("n, p or N", "the next or previous problem (Monitorable or worse)"),
        ("Enter", "the whole message, and the row's request"),
        ("/", "show only rows with this text, as you type; Enter keeps it, Esc goes back"),
        ("1", "only Unexpected and worse; 2: Monitorable, 3: High, 4: Medium; 0: all levels"),
        ("Esc", "show all rows again; leave a page"),
        ("t", "go to a time: 11:03, 11:03:02 or 2024-03-11 11:03"),
        ("f", "follow: show rows as they are written; any movement stops it"),
        ("?", "show these keys"),
        ("q", "quit; also Ctrl-C"),
    ]

    static func lines(columns: Int, _ layout: TextLayout) -> [[StyledText]] {
        var layout = layout
        // Text that does not fit on a very narrow screen is folded.
        layout.width = max(columns, TextLayout.minimumWidth)
        layout.isColored = true
        var bytes: [UInt8] = []
        for (keys, meaning) in keys {
            bytes.append(label: keys, .bold, indent: 16, paragraph: meaning, layout)
        }
        bytes.append(0x0A)
        let note: Phrase = """
            Text is searched for in each row as it appears in the log: if a long message was split into several rows, \
            each part is a separate row.
            """
        note.appendLines(to: &bytes, layout, indent: 0)
        return StyledLines.folded(bytes, columns: columns)
    }
}

/// Lines of the screen from text with the color sequences of this program.
private enum StyledLines {
    /// Returns the lines; those that are wider than the screen are folded into several.
    ///
    /// The text is safe, so the only control characters in it are line ends and our own sequences.
    static func folded(_ bytes: [UInt8], columns: Int) -> [[StyledText]] {
        var lines: [[StyledText]] = []
        var rest = bytes[...]
        if rest.last == 0x0A { rest.removeLast() }
        for line in rest.split(separator: 0x0A, omittingEmptySubsequences: false) {
            lines += fold(parts(line), columns: columns)
        }
        return lines
    }

    private static func parts(_ line: ArraySlice<UInt8>) -> [StyledText] {
        var parts: [StyledText] = []
        for (number, piece) in line.split(separator: 0x1B, omittingEmptySubsequences: false).enumerated() {
            guard number > 0 else {
                parts.append(StyledText(String(decoding: piece, as: UTF8.self)))
                continue
            }
            // `[1;31m` and the text after it.
            guard let end = piece.firstIndex(of: UInt8(ascii: "m")) else { continue }
            let codes = String(decoding: piece[piece.startIndex..<end].dropFirst(), as: UTF8.self).split(separator: ";")
            let color: StyledText.Color? = codes.contains("31") ? .red : codes.contains("35") ? .magenta : nil
            let text = String(decoding: piece[(end + 1)...], as: UTF8.self)
            parts.append(StyledText(text, color: color, isBold: codes.contains("1")))
        }
        return parts.filter { !$0.text.isEmpty }
    }

    /// Folds a line at spaces; a word that is wider than the screen is folded anywhere.
    private static func fold(_ parts: [StyledText], columns: Int) -> [[StyledText]] {
        if parts.reduce(0, { $0 + SafeText.width($1.text) }) <= columns { return [parts] }
        var lines: [[StyledText]] = [[]]
        var used = 0
        for part in parts {
            for word in words(part.text) {
                let width = SafeText.width(word.trimmingEnd)
                if used + width > columns, used > 0 {
                    lines.append([])
                    used = 0
                }
                append(word, of: part, columns: columns, &used, to: &lines)
            }
        }
        return lines
    }

    /// Returns the words, each with the spaces after it.
    private static func words(_ text: String) -> [Substring] {
        var words: [Substring] = []
        var start = text.startIndex
        var isSpace = false
        for index in text.indices {
            if text[index] != " ", isSpace {
                words.append(text[start..<index])
                start = index
            }
            isSpace = text[index] == " "
        }
        return words + [text[start...]]
    }

    private static func append(
        _ word: Substring,
        of part: StyledText,
        columns: Int,
        _ used: inout Int,
        to lines: inout [[StyledText]]
    ) {
        var piece = part
        piece.text = ""
        for character in word {
            let width = SafeText.width(String(character))
            if used + width > columns {
                // Spaces at the end of a line are not carried over to the next line.
                if character == " " { continue }
                lines[lines.count - 1].append(piece)
                lines.append([])
                (piece.text, used) = ("", 0)
            }
            piece.text.append(character)
            used += width
        }
        lines[lines.count - 1].append(piece)
    }
}

extension Substring {
    /// The text without the spaces at its end.
    fileprivate var trimmingEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

/// Rows of the viewer, with random access.
package protocol ViewerRows {
    /// The number of rows so far.
    var count: Int { get }
    /// Whether the search for rows is complete.
    var isComplete: Bool { get }
    /// The percentage of the logs that was examined.
    var percent: Int { get }
    /// Returns these rows, whose numbers must be valid; `nil` for a row that has disappeared from its file.
    func events(_ rows: Range<Int>) -> [ULSEvent?]
    /// Returns the next row at Monitorable or worse after a row, or the previous one before the row.
    func problem(from row: Int, isForward: Bool) -> Int?
    /// Returns the index of the first row at or after an instant; returns the number of rows if there is none.
    func firstRow(atOrAfter instant: Int64) -> Int
    func instant(ofRow row: Int) -> Int64?
}

/// The conditions on the rows in the viewer.
package struct ViewerFilter: Hashable, Sendable {
    /// A text that the message must contain, ignoring case; empty for any message.
    package var text = ""
    /// The least severe level that is shown; `nil` for all levels.
    package var level: ULSLevel?

    package init() {}

    /// The filter in words: `High and worse, with “timeout”`; `nil` if everything is shown.
    var words: String? {
        let level = level.map { "\($0.word) and worse" }
        let text = text.isEmpty ? nil : "with '\(text)'"
        let words = [level, text].compactMap(\.self).joined(separator: ", ")
        return words.isEmpty ? nil : words
    }
}

/// A time that the user typed, and the rows that match it.
enum ViewerTime {
    /// Returns the instant, in milliseconds since 1970, that `11:03`, `11:03:02.5` or `2024-03-11 11:03` means relative
    /// to a row of this time; `nil` if it is not a time.
    static func instant(_ text: String, beside time: LogTime) -> Int64? {
        let words = text.split { $0 == " " || $0 == "T" }
        guard let clock = words.last.flatMap({ milliseconds($0) }) else { return nil }
        let day: Int64
        switch words.count {
        case 1: day = time.clock - modulo(time.clock, dayLength)
        case 2:
            guard let first = Self.day(words[0]) else { return nil }
            day = first * dayLength
        default: return nil
        }
        return day + clock - Int64(time.offset) * 1000
    }

    private static let dayLength: Int64 = 86_400_000

    private static func modulo(_ value: Int64, _ divisor: Int64) -> Int64 {
        let rest = value % divisor
        return rest < 0 ? rest + divisor : rest
    }

    /// Milliseconds since midnight.
    private static func milliseconds(_ text: Substring) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard 2...3 ~= parts.count, let hour = number(parts[0], below: 24), let minute = number(parts[1], below: 60)
        else { return nil }
        var value = (hour * 60 + minute) * 60_000
        guard parts.count == 3 else { return value }
        let seconds = parts[2].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let second = number(seconds[0], below: 60) else { return nil }
        value += second * 1000
        guard seconds.count == 2 else { return value }
        let digits = seconds[1].prefix(3)
        guard !digits.isEmpty, let fraction = number(digits, below: 1000) else { return nil }
        return value + [100, 10, 1][digits.count - 1] * fraction
    }

    /// Days since 1970 of `YYYY-MM-DD`.
    private static func day(_ text: Substring) -> Int64? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count == 4, let year = number(parts[0], below: 10_000),
            let month = number(parts[1], below: 13), let day = number(parts[2], below: 32), month > 0, day > 0
        else { return nil }
        return CivilDate.days(year: year, month: Int(month), day: Int(day))
    }

    private static func number(_ text: Substring, below limit: Int64) -> Int64? {
        guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let value = Int64(text), value < limit else { return nil }
        return value
    }
}
