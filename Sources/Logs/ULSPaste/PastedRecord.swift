import TextKit
import ULSRows

/// A record of a paste: the columns found, as text without padding.
package struct PastedRecord: Equatable, Sendable {
    /// The form of a record in the paste.
    package enum Shape: Sendable {
        /// A row whose columns were recognized by their content.
        case row
        /// A block of `Key : value` lines.
        case block
        /// A row below a header: comma- or tab-separated values, or a console's table.
        case delimited
        /// A paragraph without columns.
        case message
    }

    package var shape: Shape

    /// The time as written, `09/26/2011 10:39:40.52` or `15:54:30.25`; empty for a placeholder such as `<Date> <Time>`.
    package var time: [UInt8] = []
    /// The process as written, `w3wp.exe (0x1790)`; without its ID if that is a placeholder.
    package var process: [UInt8] = []
    /// The thread as written, `0x0EB8`; empty for a placeholder.
    package var thread: [UInt8] = []
    package var area: [UInt8] = []
    package var category: [UInt8] = []
    package var eventID: [UInt8] = []
    package var level: [UInt8] = []
    package var message: [UInt8] = []
    package var correlation: [UInt8] = []

    /// The server that wrote the record, which copies from the Windows event log contain; empty if it is not known.
    package var server: [UInt8] = []

    /// The first physical line, counted from 1.
    package var firstLine: Int
    package var lastLine: Int

    /// Whether a `*` follows the time, because the row continues a message that was split.
    package var isContinuation = false

    /// Whether columns were inferred, which is true for messages, and for rows whose tabs were lost.
    package var isInferred: Bool

    package init(shape: Shape, line: Int) {
        self.shape = shape
        firstLine = line
        lastLine = line
        isInferred = shape == .row || shape == .message
    }
}

/// A column of a log row, identified by its names in exports.
enum PasteColumn: Hashable {
    case time
    case process
    case thread
    case area
    case category
    case eventID
    case level
    case message
    /// The title and the remedy of a report of the Health Analyzer, which stand above and below its explanation.
    case title
    case remedy
    /// The servers and services that the report is about, which become part of the message under their names.
    case failingServers
    case failingServices
    case correlation
    /// `True` or `False` in the output of `Get-SPLogEvent`: whether the row continues a message that was split.
    case continuation
    /// The first line of a copy from the Windows event log, and the line after its description.
    case logName
    case eventXML
    /// The computer that wrote an event of Windows, which becomes the record's server.
    case computer
    /// The keywords of an event of Windows, below its level; `Audit Failure` takes its place.
    case keywords
    /// A column that exports have but records don't.
    case ignored

    /// Whether the column proves nothing about a text, because many texts have such a key.
    var isCommon: Bool { [.computer, .keywords, .ignored].contains(self) }

    /// Finds the column with this name; nil if no export is known to have it.
    ///
    /// Case, spaces, `_`, `-`, and the period of an abbreviation are ignored.
    init?(name: some Sequence<UInt8>) {
        guard let letters = Self.letters(of: name), let column = Self.names[letters] ?? EventLogWords.fields[letters]
        else { return nil }
        self = column
    }

    private static func letters(of name: some Sequence<UInt8>) -> [UInt8]? {
        var letters: [UInt8] = []
        for byte in name where !isJoint(byte) && byte != UInt8(ascii: ".") {
            guard letters.count < maximumName else { return nil }
            letters.append(byte.lowercased)
        }
        return letters
    }

    /// The maximum length of a column name, in bytes; in some languages, letters have two or three bytes.
    private static let maximumName = 40

    /// Returns whether a name may contain the byte; names in other languages contain non-ASCII letters.
    static func isOfName(_ byte: UInt8) -> Bool { byte.lowercased.isLowercase || isJoint(byte) || byte >= 0x80 }

    private static func isJoint(_ byte: UInt8) -> Bool { byte == 0x20 || "_-".utf8.contains(byte) }

    /// The names from the service's own files, `Get-SPLogEvent`, log viewers, English copies from Event Viewer, and
    /// handwritten text.
    private static let names: [[UInt8]: PasteColumn] = {
        let names: KeyValuePairs<PasteColumn, [String]> = [
            .time: ["timestamp", "timestamputc", "time", "datetime", "date", "dateandtime"],
            .process: ["process", "processname"],
            .thread: ["tid", "thread", "threadid"],
            .area: ["area", "product", "produce", "source", "eventsource"],
            .category: ["category", "taskcategory", "eventcategory"],
            .eventID: ["eventid", "event", "tag", "tagid"],
            .level: ["level", "severity", "eventtype", "eventlevel"],
            .message: ["message", "description", "eventdescription", "eventmessage", "explanation"],
            .title: ["title"],
            .remedy: ["remedy"],
            .failingServers: ["failingservers"],
            .failingServices: ["failingservices"],
            .correlation: ["correlation", "correlationid"],
            .continuation: ["continuation"],
            .logName: ["logname"],
            .eventXML: ["eventxml"],
            .computer: ["computer"],
            .keywords: ["keywords"],
            .ignored: ["context", "server", "user", "opcode", "rulesettings"],
        ]
        var columns: [[UInt8]: PasteColumn] = [:]
        for (column, all) in names {
            for name in all { columns[Array(name.utf8)] = column }
        }
        return columns
    }()

    /// Returns whether the Windows event log has a column with this name that the logging service lacks.
    static func isOfEventLog(_ name: some Sequence<UInt8>) -> Bool {
        isOfOtherLanguage(name) || eventLogNames.contains(name.filter { !isJoint($0) }.map(\.lowercased))
    }

    /// Returns whether only the Windows event log in a language other than English has a column with this name.
    static func isOfOtherLanguage(_ name: some Sequence<UInt8>) -> Bool {
        letters(of: name).map { EventLogWords.fields[$0] != nil } ?? false
    }

    private static let eventLogNames = Set(
        [
            "logname", "source", "eventsource", "eventtype", "eventlevel", "taskcategory", "eventcategory", "keywords",
            "computer",
            "user", "opcode", "description", "eventdescription",
        ].map { Array($0.utf8) }
    )
}

extension PastedRecord {
    /// Sets a column to the text of a cell or a value.
    mutating func set(_ column: PasteColumn, to text: [UInt8]) {
        switch column {
        case .time:
            isContinuation = isContinuation || text.last == UInt8(ascii: "*")
            time = PastedTime.withoutPlaceholder(
                isContinuation && text.last == UInt8(ascii: "*") ? text.dropLast() : text[...]
            )
        case .process: process = text
        case .thread: thread = text
        case .area: area = text
        case .category: category = text
        case .eventID: eventID = text
        case .level:
            // The Health Analyzer writes `1 - Error`, and `0 - Rule Execution Failure` for an error of the rule itself.
            let isNumbered = text.count > 4 && text[0].isDigit && text[1...3].elementsEqual(" - ".utf8)
            let isOfRule = isNumbered && text[0] == UInt8(ascii: "0")
            let word = isOfRule ? Array("Error".utf8) : isNumbered ? Array(text.dropFirst(4)) : text
            level = EventLogWords.levels[word].map { Array($0.utf8) } ?? word
        case .message, .title, .remedy: message += message.isEmpty || text.isEmpty ? text : [0x0A] + text
        case .failingServers, .failingServices:
            let name = column == .failingServers ? "Failing Servers: " : "Failing Services: "
            if !text.isEmpty { message += (message.isEmpty ? [] : [0x0A]) + name.utf8 + text }
        case .correlation: correlation = text
        case .continuation: isContinuation = isContinuation || text.map(\.lowercased) == Array("true".utf8)
        case .computer: setServer(text[text.trimmed])
        case .keywords:
            if EventLogWords.failedAudits.contains(Array(text[text.trimmed])) { level = EventLogWords.failedAudit }
        case .ignored, .logName, .eventXML: break
        }
    }

    /// Takes the server, unless the text cannot be a name or there is one already.
    mutating func setServer(_ text: some Collection<UInt8>) {
        let isName = text.allSatisfy { PasteColumn.isOfName($0) && $0 != 0x20 || $0.isDigit || $0 == UInt8(ascii: ".") }
        if server.isEmpty, (1...Self.longestServer).contains(text.count), isName { server = Array(text) }
    }

    /// The maximum length of a server's name with its domain, in bytes.
    private static let longestServer = 255

    /// The process with the server, as in merged logs: `w3wp.exe (SERVER:0x1790)`.
    package var processOnServer: [UInt8] {
        guard !server.isEmpty else { return process }
        let place = server + [UInt8(ascii: ":")]
        guard process.last == UInt8(ascii: ")"), let open = process.lastIndex(of: UInt8(ascii: "(")) else {
            return process + Array(" (".utf8) + place + [UInt8(ascii: ")")]
        }
        return process[open...].contains(UInt8(ascii: ":"))
            ? process : Array(process[...open]) + place + process[(open + 1)...]
    }

    /// Rewrites the time with the year first if its date has the day first, as in languages other than English:
    /// `20.07.2010 00:00:01`.
    mutating func readDateDayFirst() {
        let parts = time.split(separator: 0x20, maxSplits: 1)
        guard let sign = parts.first?.first(where: { "./-".utf8.contains($0) }), parts.count == 2 else { return }
        let numbers = parts[0].split(separator: sign)
        guard numbers.count == 3, numbers.allSatisfy({ $0.allSatisfy(\.isDigit) }) else { return }
        let isYearFirst = numbers[0].count == 4
        guard isYearFirst || numbers[2].count == 4 else { return }
        let hyphen = [UInt8(ascii: "-")]
        time = Array((isYearFirst ? numbers : numbers.reversed()).joined(separator: hyphen)) + [0x20] + parts[1]
    }
}

/// A physical line of a paste, without its line end.
struct PasteLine {
    /// The number of the line, counted from 1.
    let number: Int
    let bytes: [UInt8]
    /// Whether the line above it is blank.
    let isBehindBlank: Bool

    /// Whether there is a tab within the text, as there is between cells.
    var hasInnerTab: Bool { bytes[bytes.trimmed].contains(0x09) }
}

/// The test that distinguishes a native log from a paste by its beginning.
package enum NativeText {
    /// Returns whether the beginning of a text contains a row in one of the service's own layouts: a time and seven
    /// tabs.
    ///
    /// If nothing follows (`isWhole`), the last line may lack a line end. A short text that begins like a record of the
    /// event log is a paste, even if rows follow.
    package static func isNative(_ text: Span<UInt8>, isWhole: Bool) -> Bool {
        guard text.count > maximumPaste || !beginsWithKeys(text) && !hasPage(text) else { return false }
        var padded: [UInt8] = []
        padded.reserveCapacity(text.count + ByteWindow.slack)
        padded.append(copying: text)
        padded.append(contentsOf: repeatElement(0, count: ByteWindow.slack))
        let window = ByteWindow(padded.span)
        var rows = RowStartReader()
        var start = 0
        if text.count >= 3, window[0] == 0xEF, window[1] == 0xBB, window[2] == 0xBF { start = 3 }
        while start < text.count {
            var end = start
            while end < text.count, window[end] != 0x0A { end += 1 }
            guard end < text.count || isWhole else { return false }
            if let row = rows.read(window, at: start, end: end) {
                var tab = row.tab
                var count = 1
                while count < 7, tab < end {
                    tab = window.firstTab(from: tab + 1, to: end)
                    if tab < end { count += 1 }
                }
                if count == 7 { return true }
            }
            start = end + 1
        }
        return false
    }

    /// Returns whether a short text has an error page or an event beside its rows.
    private static func hasPage(_ text: Span<UInt8>) -> Bool {
        var bytes: [UInt8] = []
        bytes.append(copying: text)
        return bytes.split(separator: 0x0A).contains { line in
            let line = Array(line.last == 0x0D ? line.dropLast() : line)
            return ServerErrorPage.begins(line) || HealthEvent.begins(line) || AuditEvent.isSection(line)
        }
    }

    /// Returns whether the first two lines have keys of records, the first being one of the Windows event log.
    private static func beginsWithKeys(_ text: Span<UInt8>) -> Bool {
        var beginning: [UInt8] = []
        beginning.append(copying: text.extracting(first: min(text.count, maximumLines)))
        let lines = beginning.split(separator: 0x0A).prefix(2)
        let keys = lines.compactMap { BlockKey(Array($0)) }.filter { $0.column != nil }
        return keys.count == 2 && (keys[0].isOfEventLog || keys[0].column == .eventID)
    }

    /// The number of bytes that contain the first two lines.
    private static let maximumLines = 1024
    /// The maximum length of a paste, in bytes.
    package static let maximumPaste = 16_384
}
