/// One record of a paste: the columns found, as text without padding.
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
    var category: [UInt8] = []
    var eventID: [UInt8] = []
    package var level: [UInt8] = []
    package var message: [UInt8] = []
    package var correlation: [UInt8] = []

    /// The first physical line, counted from 1.
    var firstLine: Int
    package var lastLine: Int

    /// Whether a `*` follows the time: the row continues a message that was cut.
    var isContinuation = false

    /// Whether columns were inferred: always for rows and messages.
    package var isInferred: Bool

    package init(shape: Shape, line: Int) {
        self.shape = shape
        firstLine = line
        lastLine = line
        isInferred = shape == .row || shape == .message
    }
}

/// A column of a log row, identified by the names that exports give it.
enum PasteColumn: Hashable {
    case time
    case process
    case thread
    case area
    case category
    case eventID
    case level
    case message
    case correlation
    /// `True` or `False` in the output of `Get-SPLogEvent`: whether the row continues a message that was cut.
    case continuation
    /// The first line of a copy from the event log of Windows, and the one after its description.
    case logName
    case eventXML
    /// A column that exports have but records don't.
    case ignored

    /// Finds the column with this name; nil if no export is known to have it.
    ///
    /// Case, spaces, `_` and `-` don't matter.
    init?(name: some Sequence<UInt8>) {
        var letters: [UInt8] = []
        for byte in name where !Self.isJoint(byte) {
            guard letters.count < 24 else { return nil }
            letters.append(byte.lowercased)
        }
        guard let column = Self.names[letters] else { return nil }
        self = column
    }

    /// Whether a name may hold the byte; those of German have letters outside ASCII.
    static func isOfName(_ byte: UInt8) -> Bool { byte.lowercased.isSmallLetter || isJoint(byte) || byte >= 0x80 }

    private static func isJoint(_ byte: UInt8) -> Bool { byte == 0x20 || "_-".utf8.contains(byte) }

    /// Names from the service's own files, `Get-SPLogEvent`, the viewers, Event Viewer's copy in English and German, and
    /// people's own writing.
    private static let names: [[UInt8]: PasteColumn] = {
        let names: KeyValuePairs<PasteColumn, [String]> = [
            .time: ["timestamp", "timestamputc", "time", "datetime", "date", "dateandtime", "datum"],
            .process: ["process", "processname"],
            .thread: ["tid", "thread", "threadid"],
            .area: ["area", "product", "produce", "source", "eventsource", "quelle"],
            .category: ["category", "taskcategory", "eventcategory", "aufgabenkategorie"],
            .eventID: ["eventid", "event", "tag", "tagid", "ereignisid"],
            .level: ["level", "severity", "eventtype", "eventlevel", "ebene"],
            .message: ["message", "description", "eventdescription", "eventmessage", "beschreibung"],
            .correlation: ["correlation", "correlationid"],
            .continuation: ["continuation"],
            .logName: ["logname", "protokollname"],
            .eventXML: ["eventxml", "ereignisxml"],
            .ignored: [
                "context", "server", "computer", "keywords", "user", "opcode", "schlüsselwörter", "benutzer",
            ],
        ]
        var columns: [[UInt8]: PasteColumn] = [:]
        for (column, all) in names {
            for name in all { columns[Array(name.utf8)] = column }
        }
        return columns
    }()

    /// Whether the event log of Windows has a column of this name, and the logging service has none.
    static func isOfEventLog(_ name: some Sequence<UInt8>) -> Bool {
        eventLogNames.contains(name.filter { !isJoint($0) }.map(\.lowercased))
    }

    private static let eventLogNames = Set(
        [
            "logname", "source", "eventsource", "eventtype", "eventlevel", "taskcategory", "eventcategory", "keywords",
            "computer",
            "user", "opcode", "description", "eventdescription", "protokollname", "quelle", "aufgabenkategorie",
            "schlüsselwörter", "benutzer", "beschreibung",
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
        case .level: level = Self.levelsInGerman[text].map { Array($0.utf8) } ?? text
        case .message: message = text
        case .correlation: correlation = text
        case .continuation: isContinuation = isContinuation || text.map(\.lowercased) == Array("true".utf8)
        case .ignored, .logName, .eventXML: break
        }
    }

    private static let levelsInGerman: [[UInt8]: String] = Dictionary(
        uniqueKeysWithValues: [
            ("Kritisch", "Critical"), ("Fehler", "Error"), ("Warnung", "Warning"), ("Informationen", "Information"),
            ("Ausführlich", "Verbose"),
        ].map { (Array($0.0.utf8), $0.1) }
    )
}

/// One physical line of a paste, without its line end.
struct PasteLine {
    /// The number of the line, counted from 1.
    let number: Int
    let bytes: [UInt8]
    /// Whether the line above it is blank.
    let isBehindBlank: Bool

    /// Whether a tab stands within its text, as between cells.
    var hasInnerTab: Bool { bytes[bytes.trimmed].contains(0x09) }
}
